#include <Eigen/LU>

#include "base/parallel.h"
#include "lab/baselines/classifier.h"
#include "lab/baselines/methods.h"
#include "lab/baselines/noise.h"
#include "lab/baselines/rows.h"

// DP-LS (Mehta et al. 2023, "Differentially Private Image Classification from Features", Algorithm 3): least squares in
// closed form from noisy sums. Class c solves (A_c + α·G + λ·I)·w_c = b_c with G the second moment of all records, A_c
// that of the class and b_c the sum of its rows. A record is in G and in one A_c and one b_c: three releases of
// sensitivity 1 and noise z cost 3/(2z²). Without A_c (per_class 0) it is ridge regression on noisy sums.
namespace dppl {
namespace {

BaselineResult train(const BaselineInput& input, SeededRandom& random) {
  const auto& settings = input.settings;
  const size_t dim = input.train.dim, classes = input.train.classes;
  const bool per_class = settings.at("per_class") != 0;
  const double moment_share = settings.at("moment_share");
  Account account(input.rho);
  const double global_sigma = account.gaussian(per_class ? 1.0 / 3 : moment_share, 1);
  const double class_sigma = per_class ? account.gaussian(1.0 / 3, 1) : 0;
  const double sum_sigma = account.gaussian(per_class ? 1.0 / 3 : 1 - moment_share, 1);

  Eigen::MatrixXd shared = second_moment(input.train.values, dim, {}, input.threads);
  add_symmetric_noise(shared, global_sigma, random);
  shared *= settings.at("alpha");
  shared.diagonal().array() += settings.at("lambda");
  std::vector<double> weights = class_sums(input.train, input.threads);
  add_noise(weights, sum_sigma, random);

  const auto size = static_cast<Eigen::Index>(dim);
  if (per_class) {
    const GroupedRows rows = group_by_class(input.train);
    const SeededRandom streams(random.next64());
    parallel_blocks(classes, 1, input.threads, [&](size_t c, size_t, unsigned) {
      Random stream = streams.stream(c);
      Eigen::MatrixXd moment = second_moment(rows.of(c), dim, {}, 1);
      add_symmetric_noise(moment, class_sigma, stream);
      Eigen::Map<Eigen::VectorXd> solution(weights.data() + c * dim, size);
      solution = Eigen::PartialPivLU<Eigen::MatrixXd>(moment + shared).solve(solution).eval();
    });
  } else {
    Eigen::Map<Eigen::MatrixXd> solution(weights.data(), size, static_cast<Eigen::Index>(classes));
    solution = Eigen::PartialPivLU<Eigen::MatrixXd>(shared).solve(solution).eval();
  }
  BaselineResult result;
  result.classifier = linear_classifier(dim, weights);
  result.rho_spent = account.spent();
  return result;
}

}  // namespace

Baseline dp_ls() {
  return {"dp-ls",
          "least squares in closed form from noisy second moments and noisy class sums",
          true,
          {{"lambda", 200}, {"alpha", 1}, {"per_class", 1}, {"moment_share", 0.5}},
          train};
}

}  // namespace dppl
