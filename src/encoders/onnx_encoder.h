#pragma once

#include "dppl/embed.h"
#include "encoders/onnx_session.h"
#include "encoders/preprocessing.h"

namespace dppl {

// Which output is the embedding when nobody says: one vector per image before one vector per token before a map of
// features, and scores of classes last. With `pool`, an output with one vector per token. Throws InvalidInput when a
// named output is not there or nothing can be an embedding.
const OnnxTensor& choose_output(const std::vector<OnnxTensor>& outputs, const OnnxOptions& options,
                                std::string_view path);

// The one input that takes images. Throws InvalidInput, listing the inputs, for a model that takes something else.
struct ImageInput {
  OnnxTensor tensor;
  bool planar = true;              // N×3×H×W, else N×H×W×3
  std::optional<PixelSize> fixed;  // empty: any size
  std::optional<size_t> batch;     // empty: any number of images
};
ImageInput find_image_input(const std::vector<OnnxTensor>& inputs, std::string_view path);

// How images become what such a model takes: as the options say, else as a preprocessor_config.json beside the model,
// or in its metadata under that name, says. Throws InvalidInput for what cannot be used; what nobody said stays open.
inline constexpr const char* kPreprocessorConfig = "preprocessor_config.json";
Preprocessing choose_preprocessing(const std::string& path, const std::string& metadata, const EncoderOptions& options,
                                   const ImageInput& input);

// Of an output with one vector per token: their mean, else the first one.
bool averages_tokens(const OnnxOptions& options);

// Any image model in ONNX's format. Runs on batches of always the same size (the last one is filled up), so that a row
// does not depend on how many images there are. A model that is found to mix the images of a batch gets one at a time,
// so that a row does not depend on which others there are either.
class OnnxEncoder : public Encoder {
 public:
  OnnxEncoder(const std::string& path, const EncoderOptions& options);

  size_t dim() const override { return dim_; }
  std::string description() const override { return description_; }
  std::string note() const override { return note_; }
  size_t input_size() const override { return preprocessor_.values(); }
  PixelSize least_size() const override { return preprocessor_.least_size(); }
  void prepare(const Image& image, std::span<float> input) const override { preprocessor_.apply(image, input); }
  void encode(std::span<const float> inputs, size_t count, std::span<float> out) override;

 private:
  // Whether an image gets another row than `alone` when others stand beside it.
  bool mixes_images(const std::vector<float>& image, std::span<const float> alone) const;
  void take_one_at_a_time();
  std::string describe_batches() const;
  std::vector<int64_t> input_shape() const;
  // Runs one whole batch and brings what comes out to one vector per image.
  std::vector<float> run(std::span<const float> inputs) const;
  void pool_tokens(const OnnxSession::Result& result, std::vector<float>& rows) const;

  std::string path_;
  OnnxSession session_;
  ImageInput input_;
  OnnxTensor output_;
  Preprocessing how_;
  Preprocessor preprocessor_;
  size_t batch_;     // what the model takes
  size_t together_;  // images in it; the rest is zero
  bool mean_;        // of the tokens; else the first one
  size_t dim_;
  std::string description_, note_;
};

}  // namespace dppl
