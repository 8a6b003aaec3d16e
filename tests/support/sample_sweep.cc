#include "support/sample_sweep.h"

#include <algorithm>
#include <cmath>
#include <random>

namespace dppl::testing {
namespace {

struct Variant {
  const char* method;
  const char* kind;
  const char* transform;
  const char* settings;
  double most, half;  // accuracy without noise, and the budget at which there is half of it
  bool needs_pool = false, tuned = false, is_private = true;
};

constexpr Variant kVariants[] = {
    {"Public", "public", "none", R"({"used":{"selection":"exponential","k":5}})", 0.72, 0.004, true},
    {"Public, K = 3", "public-k", "none", R"({"mechanism":"exponential","k":3})", 0.77, 0.02, true},
    {"Public, K = 10", "public-k", "none", R"({"used":{"selection":"exponential","k":10}})", 0.8, 0.1, true},
    {"laplace", "public", "none", R"({"mechanism":"laplace","k":1})", 0.715, 0.0045, true},
    {"permute-and-flip", "public", "none", R"({"mechanism":"permute-and-flip","k":1})", 0.725, 0.0035, true},
    {"Mean", "mean", "center", R"({"estimator":"noisy-sum"})", 0.86, 0.15},
    {"CoinPress", "coinpress-mean", "none", R"({"steps":5})", 0.84, 1.2},
    {"Naive mean", "naive-mean", "none", "", 0.85, 0.4},
    {"Mean, projected", "projection-mean", "none", "", 0.8, 0.6},
    {"DP-SGD", "dp-sgd", "none", R"({"rate":2})", 0.83, 0.3, false, true},
    {"Least squares", "dp-ls", "none", "", 0.81, 0.8},
    {"Logistic regression", "logistic-regression", "none", "", 0.88, 0, false, false, false},
};

class Maker {
 public:
  void add(const Variant& variant, const std::string& encoder, const std::string& pool, uint64_t pool_rows,
           std::optional<double> rho, double ratio, uint64_t seed) {
    const double quality = encoder == "resnet50" ? 0.7 : 1;
    const double size = variant.needs_pool ? 1 - 0.2 * std::exp(-static_cast<double>(pool_rows) / 3000) : 1;
    const double tail = rho ? 1 / (1 + variant.half * std::sqrt(ratio) / *rho) : 1;
    const auto fraction = [&](double value) { return std::clamp(value + noise_(random_), 0.01, 1.0); };
    SweepRow row{.data = "pictures",
                 .encoder = encoder,
                 .pool = variant.needs_pool ? pool : "",
                 .pool_rows = variant.needs_pool ? pool_rows : 0,
                 .method = variant.method,
                 .kind = variant.kind,
                 .transform = variant.transform,
                 .settings = variant.settings,
                 .rho = rho,
                 .ratio = ratio,
                 .seed = seed,
                 .tuned_on_test = variant.tuned,
                 .status = "ok",
                 .error = "",
                 .train_rows = 10000,
                 .accuracy = fraction(variant.most * quality * size * tail + 0.02),
                 .balanced = fraction(variant.most * quality * size * tail),
                 .minority = fraction(variant.most * quality * size * tail * tail * 0.9),
                 .seconds = 0.1 + variant.most + std::abs(noise_(random_)),
                 .rho_spent = rho.value_or(0),
                 .trace = ""};
    if (row.kind == "coinpress-mean") {
      const double growth = *rho < 0.05 ? 3 : 0.4;
      row.trace = "{\"radius\":[";
      for (int step = 0; step < 5; ++step)
        row.trace += (step > 0 ? "," : "") + std::to_string(10 * std::pow(growth, step) * (1 + noise_(random_)));
      row.trace += "]}";
    }
    results.rows.push_back(std::move(row));
  }

  SweepResults results;

 private:
  std::mt19937 random_{7};
  std::normal_distribution<double> noise_{0, 0.012};
};

SweepMap map_of(double rho, double error) {
  SweepMap map{"CoinPress", rho, 10, {}};
  std::mt19937 random(3);
  std::normal_distribution<double> normal;
  for (uint32_t c = 0; c < 10; ++c) {
    const double x = 5 * std::cos(0.63 * c), y = 4 * std::sin(0.63 * c);
    map.points.push_back({MapPoint::Kind::true_mean, c, x, y});
    map.points.push_back({MapPoint::Kind::private_mean, c, x + error * normal(random), y + error * normal(random)});
    for (int i = 0; i < 60; ++i) {
      const double dx = normal(random), dy = normal(random);
      map.points.push_back({MapPoint::Kind::test, c, x + dx, y + dy, dx * dx + dy * dy < 3 / (1 + error)});
    }
  }
  return map;
}

}  // namespace

SweepResults sample_sweep() {
  Maker maker;
  for (const double ratio : {1.0, 10.0, 50.0, 100.0}) {
    for (uint64_t seed = 0; seed < 5; ++seed) {
      for (const Variant& variant : kVariants) {
        if (!variant.is_private) maker.add(variant, "vit-h-14", "photos", 10000, std::nullopt, ratio, seed);
        for (const double rho : {0.001, 0.005, 0.02, 0.1, 0.5, 2.0, 10.0}) {
          if (variant.is_private) maker.add(variant, "vit-h-14", "photos", 10000, rho, ratio, seed);
        }
      }
      for (const double rho : {0.001, 0.02, 0.5}) {
        for (const uint64_t rows : {300u, 1000u, 3000u}) {
          if (ratio == 100) maker.add(kVariants[0], "vit-h-14", "photos", rows, rho, ratio, seed);
        }
        if (ratio != 100) continue;
        maker.add(kVariants[0], "vit-h-14", "drawings", 2000, rho, ratio, seed);
        maker.add(kVariants[0], "resnet50", "photos", 10000, rho, ratio, seed);
        maker.add(kVariants[5], "resnet50", "photos", 10000, rho, ratio, seed);
      }
    }
    std::vector<uint64_t>& sizes = maker.results.class_sizes[ratio];
    for (int c = 0; c < 100; ++c) sizes.push_back(static_cast<uint64_t>(std::lround(500 * std::pow(ratio, -c / 99.0))));
  }
  SweepRow& failed = maker.results.rows[5];
  failed.status = "failed";
  failed.error = "Public: 'nothing', \"at all\"";
  maker.results.title = "Prototypes and others under imbalance";
  maker.results.maps = {map_of(0.001, 2.5), map_of(0.1, 0.3)};
  return maker.results;
}

}  // namespace dppl::testing
