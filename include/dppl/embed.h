#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "dppl/encoder.h"
#include "dppl/slice.h"

// From images to a file of embeddings.
namespace dppl {

// How a model in ONNX's format is used. What is empty comes from the model itself: from its inputs and outputs, and
// from a preprocessor_config.json beside it or under that name in its metadata.
struct OnnxOptions {
  std::string output;          // the output that is the embedding
  std::string pool;            // "cls" or "mean": of an output with one vector per token
  std::optional<size_t> crop;  // the middle square of so many pixels, after the shorter side was made `size`
  std::string normalise;       // "imagenet", "clip", "half", "unit" or "tf"
  std::string interpolation;   // "bicubic" or "bilinear", both with antialiasing
  friend bool operator==(const OnnxOptions&, const OnnxOptions&) = default;
};

struct EncoderOptions {
  std::optional<size_t> size;  // pixels per side
  size_t batch = 16;           // images that a model gets at once
  unsigned threads = kDefaultThreads;
  OnnxOptions onnx;
};

// The built-in encoder of that name (docs/encoders.md), or the model in a file that ends in .onnx. Throws InvalidInput
// for what cannot be used.
std::unique_ptr<Encoder> open_encoder(const std::string& name_or_path, const EncoderOptions& options = {});
// Images that it gets at once where nobody says another number.
size_t usual_batch(const std::string& name_or_path);

struct EmbedOptions {
  std::string output;               // .npy, a row per image
  std::string labels;               // .npy beside it; empty: none. The source must have labels
  std::optional<ClassSet> classes;  // declared; labels that are names need it, others are checked by it
  std::string people;               // .txt beside it, a line with the id of each row's person; empty: none
  // An ECMAScript regular expression that finds the id in an image's name: its first group, or without groups all that
  // it matches. Empty: the source must have ids.
  std::string people_pattern;
  std::optional<std::vector<uint64_t>> rows;  // these images, in this order; empty: all
  // Of these, one part, cut at multiples of the batch: the files of all parts, one after the other, have the rows that
  // one file would have, to the bit. A part that is there already and is what would be written is left alone.
  std::optional<Slice> shard = {};
  DType dtype = DType::float32;  // or float16
  size_t batch = 16;
  unsigned threads = kDefaultThreads;  // that read images, while the encoder works
  double checkpoint_seconds = 2;       // what a kill can cost; more often costs more than it saves
  bool skip_bad = false;               // leave out images that cannot be read

  std::function<void(size_t done, size_t total)> progress;  // of the images that this run still has to do
  // On the encoder, and an earlier run that goes on, is replaced or has left nothing to do.
  std::function<void(const std::string& what)> note;
  // The refusal of each image that cannot be read, by its name: for the curator's eyes alone.
  std::function<void(const std::string& what)> bad_image;
};

struct EmbedResult {
  size_t images = 0;  // that were asked for
  size_t rows = 0, dim = 0;
  size_t resumed_at = 0;             // images that earlier runs had done
  std::vector<std::string> skipped;  // names of images: for the curator's eyes alone
  std::string classes;               // the file of published class names; empty: none written
};

// Encodes the images into options.output. Rows are written as they come, to files beside it that end in .partial; when
// this process is killed, or stops at an image that cannot be read, the same call goes on from there, and the result
// has the same bytes as if it had not been stopped. The output appears complete or not at all. Throws InvalidRecord
// when an image cannot be read (unless skip_bad), after all such images were told, and for a label outside of the
// declared classes or an image without a usable id of a person, before the first is encoded. Classes are never derived
// from labels.
EmbedResult embed(const ImageSource& source, Encoder& encoder, const EmbedOptions& options);

}  // namespace dppl
