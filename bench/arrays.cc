// The peer of bench/python.py: fits and predicts from arrays in memory, as a C++ program would. Answers on standard
// output to lines on standard input, so that the two can alternate in one run:
//   bench_arrays X.npy Y.npy POOL.npy TEST.npy CLASSES
//   "fit METHOD AMOUNT TRANSFORM" and "predict": seconds
#include <iostream>

#include "dppl/classify.h"
#include "dppl/fit.h"
#include "seconds.h"

namespace {

using namespace dppl;

MatrixView view_of(const Embeddings& rows) {
  return {.data = rows.row_bytes(0).data(), .rows = rows.rows(), .dim = rows.dim(), .dtype = rows.dtype()};
}

}  // namespace

int main(int, char** arguments) {
  const Embeddings train = Embeddings::open(arguments[1]), pool = Embeddings::open(arguments[3]),
                   test = Embeddings::open(arguments[4]);
  const ClassSet classes = ClassSet::numbered(std::stoul(arguments[5]));
  const std::vector<int64_t> labels = read_labels(arguments[2], classes);
  std::optional<Model> model;
  for (std::string command; std::cin >> command;) {
    const auto start = std::chrono::steady_clock::now();
    if (command == "fit") {
      std::string method, amount, transform;
      std::cin >> method >> amount >> transform;
      const BudgetSpec budget = BudgetSpec::zcdp(parse_positive(amount, "rho"));
      const PublicData candidates = PublicData::view(view_of(pool));
      const PrivateData data = PrivateData::view(view_of(train), labels, classes);
      std::map<std::string, std::string> given;
      if (transform != "-") given["transform"] = transform;
      SeededRandom random(1);
      model = fit(data, candidates, {.settings = choose_settings(method, given, budget, candidates, classes.size())},
                  Budget::unledgered(budget), random);
    } else {
      Classifier(*model).predict(test);
    }
    std::cout << bench::seconds_since(start) << std::endl;
  }
}
