// Ten lines of dppl: private rows in, a publishable model out, a prediction from it.
#include <dppl/classify.h>
#include <dppl/fit.h>

#include <iostream>

int main() {
  const auto classes = dppl::ClassSet::named({"left", "right"});
  const auto data = dppl::PrivateData::from_memory({-1, 0.1f, -2, 0.3f, 1, 0.2f, 3, -0.1f}, 2, {0, 0, 1, 1}, classes);
  dppl::FitOptions options;
  options.hyperparameters.method = dppl::Method::mean;
  dppl::SecureRandom random;
  auto budget = dppl::Budget::unledgered(dppl::BudgetSpec::zcdp(dppl::parse_rational("8", "rho")));
  const dppl::Model model = dppl::fit(data, nullptr, options, std::move(budget), random);
  const auto nearest = dppl::Classifier(model).predict(dppl::Embeddings::from_memory({5, 0}, 2));
  std::cout << dppl::describe_model(model)
            << "\n(5, 0) is nearest to: " << classes.name(static_cast<size_t>(nearest.front())) << "\n";
}
