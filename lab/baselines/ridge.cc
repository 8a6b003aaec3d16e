#include <Eigen/Cholesky>

#include "lab/baselines/classifier.h"
#include "lab/baselines/methods.h"
#include "lab/baselines/rows.h"

namespace dppl {
namespace {

BaselineResult train(const BaselineInput& input, SeededRandom&) {
  const size_t dim = input.train.dim;
  Eigen::MatrixXd moment = second_moment(input.train.values, dim, {}, input.threads);
  moment.diagonal().array() += input.settings.at("lambda");
  std::vector<double> weights = class_sums(input.train, input.threads);
  Eigen::Map<Eigen::MatrixXd> columns(weights.data(), moment.rows(), static_cast<Eigen::Index>(input.train.classes));
  columns = Eigen::LLT<Eigen::MatrixXd>(moment).solve(columns).eval();
  return {linear_classifier(dim, weights)};
}

}  // namespace

Baseline ridge() {
  return {"ridge", "without privacy: ridge regression on the classes' indicators", false, {{"lambda", 1}}, train};
}

}  // namespace dppl
