#pragma once

#include <memory>
#include <span>
#include <string>
#include <vector>

#include "dppl/images.h"

// Public encoders: from images to embeddings. Nothing here is private, and nothing here depends on labels.
namespace dppl {

class Encoder {
 public:
  virtual ~Encoder() = default;

  virtual size_t dim() const = 0;
  // What was used, for people and for a resumed run: name, version or digest, preprocessing.
  virtual std::string description() const = 0;
  // What whoever runs it should know beyond that; empty: nothing.
  virtual std::string note() const { return {}; }

  // Images may be reduced to this size before they are prepared, by a reader that can do so cheaply.
  virtual PixelSize least_size() const { return kFullSize; }
  // One image made ready, and how many values that is. Called from several threads.
  virtual size_t input_size() const = 0;
  virtual void prepare(const Image& image, std::span<float> input) const = 0;
  // `count` prepared images to count × dim() values. A row depends on its image alone. Called from one thread at a
  // time; uses threads of its own.
  virtual void encode(std::span<const float> inputs, size_t count, std::span<float> out) = 0;
};

}  // namespace dppl
