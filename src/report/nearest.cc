#include "report/nearest.h"

#include <algorithm>

#include "dppl/classify.h"

namespace dppl {
namespace {

struct Scored {
  float score;
  uint64_t row;
};

// Keeps the best ones, best first.
void offer(std::vector<Scored>& best, size_t count, Scored candidate) {
  const auto after = std::upper_bound(best.begin(), best.end(), candidate,
                                      [](const Scored& a, const Scored& b) { return a.score > b.score; });
  if (after == best.end() && best.size() == count) return;
  best.insert(after, candidate);
  if (best.size() > count) best.pop_back();
}

// A pool file with a transform holds rows that are transformed already.
Model seen_from(const PublicData& pool, const Model& model) {
  Model result = model;
  if (stored_transform(pool)) result.transform = PublicTransform::restore({}, model.output_dim(), {}, {});
  return result;
}

}  // namespace

std::vector<uint64_t> nearest_pool_rows(const Model& model, const PublicData& pool, size_t count, unsigned threads) {
  count = std::min(count, pool.size());
  std::vector<std::vector<Scored>> best(model.classes.size());
  const auto take = [&](uint64_t first, std::span<const float> scores, std::span<const int32_t> nearest) {
    for (size_t i = 0; i < nearest.size(); ++i) {
      for (size_t c = 0; c < best.size(); ++c) offer(best[c], count, {scores[i * best.size() + c], first + i});
    }
  };
  Classifier(seen_from(pool, model), threads).score(pool.embeddings(), take);
  std::vector<uint64_t> rows;
  for (const std::vector<Scored>& of_class : best) {
    for (const Scored& one : of_class) rows.push_back(one.row);
  }
  return rows;
}

}  // namespace dppl
