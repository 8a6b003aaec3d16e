#include <fmt/format.h>

#include <cmath>
#include <nlohmann/json.hpp>

#include "dppl/error.h"
#include "encoders/constants.h"
#include "encoders/preprocessing.h"

namespace dppl {
namespace {

using Json = nlohmann::json;

// Reads the keys that Hugging Face's image processors write; others do not concern a single image.
class ConfigReader {
 public:
  ConfigReader(const Json& config, std::string_view name) : config_(config), name_(name) {}

  Preprocessing read() const {
    if (!config_.is_object()) fail("is not a JSON object");
    Preprocessing result;
    if (flag("do_resize", true)) read_size(result);
    if (flag("do_center_crop", false)) read_crop(result);
    read_resample(result);
    result.normalisation = read_normalisation();
    return result;
  }

 private:
  [[noreturn]] void fail(const std::string& what) const {
    throw InvalidInput(
        fmt::format("{}: {}; correct the file, or remove it and state size, crop, normalisation "
                    "and interpolation",
                    name_, what));
  }

  bool has(const char* key) const { return config_.contains(key) && !config_.at(key).is_null(); }

  bool flag(const char* key, bool otherwise) const {
    if (!has(key)) return otherwise;
    if (!config_.at(key).is_boolean()) fail(fmt::format("'{}' is neither true nor false", key));
    return config_.at(key).get<bool>();
  }

  size_t side(const Json& value, const std::string& key) const {
    if (!value.is_number_integer() || value < 1 || value > kLargestSide) {
      fail(fmt::format("'{}' is not a number of pixels", key));
    }
    return value.get<size_t>();
  }

  float number(const Json& value, const std::string& key) const {
    const float result = value.is_number() ? value.get<float>() : NAN;
    if (!std::isfinite(result)) fail(fmt::format("'{}' is not a number", key));
    return result;
  }

  // {"height", "width"} or {"shortest_edge"}; one number means either, as the processor has it.
  void read_size(Preprocessing& result) const {
    if (!has("size")) return;
    const Json& size = config_.at("size");
    if (size.is_object() && size.contains("height") && size.contains("width")) {
      result.resized = PixelSize{side(size.at("width"), "size.width"), side(size.at("height"), "size.height")};
    } else if (size.is_object() && size.contains("shortest_edge") && !size.contains("longest_edge")) {
      read_shorter(result, side(size.at("shortest_edge"), "size.shortest_edge"));
    } else if (size.is_number()) {
      const size_t pixels = side(size, "size");
      if (flag("do_center_crop", false)) {
        result.shorter = pixels;
      } else {
        result.resized = PixelSize{pixels, pixels};
      }
    } else {
      fail("'size' is neither a number nor {height, width} nor {shortest_edge}");
    }
  }

  // ConvNeXt's processor enlarges by crop_pct before it cuts, but only below 384.
  void read_shorter(Preprocessing& result, size_t pixels) const {
    if (!has("crop_pct") && has("crop_size")) {
      result.shorter = pixels;
      return;
    }
    const PixelSize square{pixels, pixels};
    const float part = has("crop_pct") ? number(config_.at("crop_pct"), "crop_pct") : 1;
    if (part < 0.1f || part > 1) fail("'crop_pct' is not between 0.1 and 1");
    if (has("crop_pct") && pixels >= 384) {
      result.resized = square;
    } else {
      result.shorter = static_cast<size_t>(static_cast<float>(pixels) / part);
      result.crop = square;
    }
  }

  void read_crop(Preprocessing& result) const {
    if (!has("crop_size")) fail("has 'do_center_crop' without a 'crop_size'");
    const Json& crop = config_.at("crop_size");
    if (crop.is_object() && crop.contains("height") && crop.contains("width")) {
      result.crop = PixelSize{side(crop.at("width"), "crop_size.width"), side(crop.at("height"), "crop_size.height")};
    } else {
      const size_t pixels = side(crop, "crop_size");
      result.crop = PixelSize{pixels, pixels};
    }
  }

  // Pillow's numbers.
  void read_resample(Preprocessing& result) const {
    if (!has("resample")) return;
    const Json& code = config_.at("resample");
    if (code == 2) {
      result.interpolation = Interpolation::bilinear;
    } else if (code == 3) {
      result.interpolation = Interpolation::bicubic;
    } else {
      fail("'resample' is neither 2 (bilinear) nor 3 (bicubic)");
    }
  }

  std::array<float, 3> three(const char* key) const {
    const Json& values = config_.at(key);
    std::array<float, 3> result{};
    if (!values.is_array() || values.size() != 3) fail(fmt::format("'{}' is not three numbers", key));
    for (size_t i = 0; i < 3; ++i) result[i] = number(values[i], key);
    return result;
  }

  std::optional<Normalisation> read_normalisation() const {
    const bool normalise = flag("do_normalize", has("image_mean"));
    if (!has("do_rescale") && !has("rescale_factor") && !normalise) return std::nullopt;
    Normalisation result = Normalisation::named("unit");
    if (!flag("do_rescale", true)) result.scale = 1;
    if (has("rescale_factor") && flag("do_rescale", true)) {
      result.scale = number(config_.at("rescale_factor"), "rescale_factor");
    }
    if (normalise) {
      for (const char* key : {"image_mean", "image_std"}) {
        if (!has(key)) fail(fmt::format("has 'do_normalize' without '{}'", key));
      }
      result.mean = three("image_mean");
      result.deviation = three("image_std");
    }
    for (const float deviation : result.deviation) {
      if (!(deviation > 0)) fail("'image_std' is not above zero");
    }
    if (flag("rescale_offset", false)) {
      for (float& mean : result.mean) mean += 1;
    }
    return result;
  }

  const Json& config_;
  std::string_view name_;
};

nlohmann::ordered_json to_json(const PixelSize& size) { return {{"height", size.height}, {"width", size.width}}; }

// As it is written in decimal, not as the double that is nearest to the float.
nlohmann::ordered_json to_json(float value) { return nlohmann::ordered_json::parse(fmt::format("{}", value)); }

nlohmann::ordered_json to_json(const std::array<float, 3>& values) {
  return {to_json(values[0]), to_json(values[1]), to_json(values[2])};
}

}  // namespace

std::string Preprocessing::json() const {
  nlohmann::ordered_json config = {{"do_resize", shorter || resized}, {"do_center_crop", crop.has_value()}};
  if (shorter) {
    config["size"] = {{"shortest_edge", *shorter}};
  } else if (resized) {
    config["size"] = to_json(*resized);
  }
  if (crop) config["crop_size"] = to_json(*crop);
  if (interpolation) config["resample"] = *interpolation == Interpolation::bilinear ? 2 : 3;
  if (normalisation) {
    config["do_rescale"] = config["do_normalize"] = true;
    config["rescale_factor"] = to_json(normalisation->scale);
    config["image_mean"] = to_json(normalisation->mean);
    config["image_std"] = to_json(normalisation->deviation);
  }
  return config.dump();
}

Preprocessing Preprocessing::parse(std::string_view json, std::string_view name) {
  const Json config = Json::parse(json, nullptr, false);
  if (config.is_discarded()) throw InvalidInput(fmt::format("{}: is not JSON; fetch the file again", name));
  return ConfigReader(config, name).read();
}

}  // namespace dppl
