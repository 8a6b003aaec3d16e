#pragma once

#include <optional>
#include <vector>

#include "dppl/embeddings.h"

namespace dppl {

// What is publicly known about classes, in the space of the encoder: examples that are public (an atlas, a catalogue),
// and one vector per class (the embedding of its name, a mean that somebody published). A fit uses it where it helps
// (src/estimation/pool_posterior.h); it costs no budget. It must not come from the private data.
class ClassKnowledge {
 public:
  // examples: public rows, with a label for each; any number per class, also none. prior: one row per class; a row of
  // zeros says that nothing is known. Throws InvalidInput where numbers of rows, dimensions or labels do not fit, for
  // values that are not finite, and where nothing is known of any class.
  ClassKnowledge(ClassSet classes, std::optional<PublicData> examples, std::vector<int64_t> labels,
                 const std::optional<Embeddings>& prior);
  // From files; an empty path: none.
  static ClassKnowledge open(const ClassSet& classes, const std::string& examples, const std::string& labels,
                             const std::string& prior, unsigned threads = kDefaultThreads);

  size_t dim() const { return dim_; }
  const ClassSet& classes() const { return classes_; }
  const std::optional<PublicData>& examples() const { return examples_; }
  std::span<const int64_t> labels() const { return labels_; }
  std::span<const float> prior() const { return prior_; }  // classes × dim, or empty

  size_t classes_with_prior() const;
  size_t known_classes() const;
  // Examples, and rows of the prior that are not zeros.
  size_t size() const { return labels_.size() + classes_with_prior(); }
  std::string digest() const;  // BLAKE2b-256 in hex

 private:
  ClassSet classes_;
  std::optional<PublicData> examples_;
  std::vector<int64_t> labels_;
  std::vector<float> prior_;
  size_t dim_ = 0;
};

}  // namespace dppl
