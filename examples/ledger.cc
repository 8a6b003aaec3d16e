// A ledger keeps count of what a data set has spent, across programs and restarts: what goes beyond its total is
// refused.
#include <dppl/error.h>
#include <dppl/ledger.h>
#include <dppl/mechanisms.h>

#include <iostream>

int main(int argc, char** argv) {
  const std::string path = argc > 1 ? argv[1] : "example.ledger";
  const int64_t patients = 1234;  // private
  dppl::Ledger::create_dataset(path, "clinic", dppl::BudgetSpec::zcdp(1));

  dppl::Ledger ledger(path);
  dppl::SecureRandom random;
  const auto cost = dppl::BudgetSpec::zcdp(dppl::parse_rational("0.6", "cost"));
  for (int month = 1; month <= 2; ++month) {
    try {
      // Spent from here on, whatever happens to this program.
      dppl::Reservation reservation = ledger.reserve("clinic", cost, "number of patients");
      const auto released = dppl::noisy_count(reservation.take_budget(), random, patients);
      ledger.record(reservation, released.guarantee, "0c");  // a digest of what is published, in hexadecimal
      std::cout << "month " << month << ": about " << released.value << " patients\n";
    } catch (const dppl::BudgetExceeded& refusal) {
      std::cout << "month " << month << ": " << refusal.what() << "\n";
    }
  }
  const auto balance = ledger.status("clinic").balance;
  std::cout << "left: " << dppl::describe(balance.unit, balance.remaining, dppl::Rounding::down) << "\n";
}
