#include "lab/baselines/methods.h"

namespace dppl {
namespace {

BaselineResult train(const BaselineInput& input, SeededRandom&) {
  const LabelledRows& train = input.train;
  return {NeighbourClassifier{.dim = train.dim,
                              .classes = train.classes,
                              .k = static_cast<size_t>(input.settings.at("k")),
                              .rows = {train.values.begin(), train.values.end()},
                              .labels = {train.labels.begin(), train.labels.end()}}};
}

}  // namespace

Baseline nearest_neighbour() {
  return {"nearest-neighbour",
          "without privacy: vote of the k nearest training rows, by cosine",
          false,
          {{"k", 20}},
          train};
}

}  // namespace dppl
