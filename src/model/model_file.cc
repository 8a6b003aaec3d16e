#include "model/model_file.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <bit>
#include <cstring>
#include <span>

#include "base/atomic_file.h"
#include "base/digest.h"
#include "base/mapped_file.h"
#include "dppl/error.h"
#include "dppl/ledger.h"
#include "model/check_model.h"
#include "model/model_header.h"

namespace dppl {
namespace {

static_assert(std::endian::native == std::endian::little, "stored arrays are used as they are");
static_assert(kModelChecksum == sizeof(Digest));

using Shape = std::vector<uint64_t>;

template <typename T>
constexpr std::string_view kDtype;
template <>
constexpr std::string_view kDtype<float> = "f32";
template <>
constexpr std::string_view kDtype<int64_t> = "i64";
template <>
constexpr std::string_view kDtype<uint64_t> = "u64";

size_t padding_after(size_t size) { return (kModelAlignment - size % kModelAlignment) % kModelAlignment; }

// ---- Shapes, for writer and reader alike

size_t directions_of(const TransformSpec& spec) {
  using Kind = TransformSpec::Kind;
  return spec.kind == Kind::pca || spec.kind == Kind::whiten ? spec.directions : 0;
}

// The dimensions that the arrays have by what the header says.
struct Extents {
  explicit Extents(const Model& model)
      : classes(model.classes.size()),
        of_class(model.prototypes_per_class),
        pooled(model.input_dim() / std::max<size_t>(transform_of(model.settings).window, 1)),
        directions(directions_of(transform_of(model.settings))),
        output(directions > 0 ? directions : pooled) {}

  uint64_t classes, of_class, pooled, directions, output;

  // Calls visit(name, shape, array) for each array of `arrays`, in the order of the file.
  template <typename Arrays, typename Visit>
  void for_each(Arrays& arrays, const Visit& visit) const {
    visit("prototypes", Shape{classes, of_class, output}, arrays.prototypes);
    visit("sums", Shape{classes, output}, arrays.sums);
    visit("pool_indices", Shape{classes, of_class}, arrays.pool_indices);
    visit("transform_mean", Shape{pooled}, arrays.transform_mean);
    visit("transform_basis", Shape{pooled, directions}, arrays.transform_basis);
  }
};

// ---- Writing

struct ArraysToWrite {
  explicit ArraysToWrite(const Model& model)
      : prototypes(model.prototypes),
        transform_mean(model.transform.mean()),
        transform_basis(model.transform.basis()),
        sums(model.sums),
        pool_indices(model.pool_indices) {}

  std::span<const float> prototypes, transform_mean, transform_basis;
  std::span<const int64_t> sums;
  std::span<const uint64_t> pool_indices;
};

nlohmann::ordered_json section_table(const Model& model) {
  nlohmann::ordered_json table = nlohmann::ordered_json::array();
  size_t end = 0;
  const ArraysToWrite arrays(model);
  Extents(model).for_each(arrays, [&]<typename T>(const char* name, const Shape& shape, std::span<const T> values) {
    if (values.empty()) return;
    const size_t offset = end + padding_after(end);
    table.push_back({{"name", name}, {"dtype", kDtype<T>}, {"shape", shape}, {"offset", offset}});
    end = offset + values.size_bytes();
  });
  return table;
}

std::string section_data(const Model& model) {
  std::string data;
  const ArraysToWrite arrays(model);
  Extents(model).for_each(arrays, [&]<typename T>(const char*, const Shape&, std::span<const T> values) {
    if (values.empty()) return;
    data.append(padding_after(data.size()), '\0');
    data.append(reinterpret_cast<const char*>(values.data()), values.size_bytes());
  });
  return data;
}

std::string header_text(const Model& model) {
  nlohmann::ordered_json header = model_header(model);
  header["sections"] = section_table(model);
  std::string text = header.dump();
  return text.append(padding_after(kModelPrefix + text.size()), ' ');
}

template <typename T>
void append_integer(std::string& bytes, T value) {
  bytes.append(reinterpret_cast<const char*>(&value), sizeof value);
}

// ---- Reading

template <typename T>
T integer_at(std::string_view bytes, size_t offset) {
  T value;
  std::memcpy(&value, bytes.data() + offset, sizeof value);
  return value;
}

struct ArraysRead {
  std::vector<float> prototypes, transform_mean, transform_basis;
  std::vector<int64_t> sums;
  std::vector<uint64_t> pool_indices;
};

// Takes the arrays of the table one after the other. Allocates for what is there in the file, never for what the header
// claims.
class SectionReader {
 public:
  SectionReader(const nlohmann::json& table, std::string_view data) : table_(table), data_(data) {}

  // An array that is not next in the table stays empty.
  template <typename T>
  void take(const char* name, const Shape& shape, std::vector<T>& values) {
    if (next_ == table_.size()) return;
    const Fields section(table_[next_], fmt::format("header/sections/{}", next_));
    if (section.text("name") != name) return;
    if (section.text("dtype") != kDtype<T>) refuse(name, fmt::format("is not of type {}", kDtype<T>));
    if (section.numbers("shape") != shape) {
      refuse(name, fmt::format("is not of shape {}, which the rest of the header asks for", fmt::join(shape, " × ")));
    }
    read(section.number("offset"), name, shape, values);
    ++next_;
  }

  void finish() const {
    if (next_ != table_.size()) {
      throw InvalidInput(fmt::format("header/sections/{} is unknown, repeated or out of place", next_));
    }
    if (end_ != data_.size()) throw InvalidInput("something follows its last section");
  }

 private:
  [[noreturn]] static void refuse(const char* name, std::string_view what) {
    throw InvalidInput(fmt::format("section {} {}", name, what));
  }

  template <typename T>
  void read(uint64_t offset, const char* name, const Shape& shape, std::vector<T>& values) {
    const uint64_t start = end_ + padding_after(end_);
    if (offset != start) {
      refuse(name, fmt::format("starts at {} where {} belongs: sections overlap or leave gaps", offset, start));
    }
    uint64_t size = sizeof(T);
    const bool fits =
        std::ranges::none_of(shape, [&](uint64_t extent) { return __builtin_mul_overflow(size, extent, &size); });
    if (!fits || start > data_.size() || size > data_.size() - start) refuse(name, "goes beyond the end of the file");
    if (data_.substr(end_, start - end_).find_first_not_of('\0') != std::string_view::npos) {
      refuse(name, "has something else than zeros before it");
    }
    values.resize(size / sizeof(T));
    if (size > 0) std::memcpy(values.data(), data_.data() + start, size);
    end_ = start + size;
  }

  const nlohmann::json& table_;
  std::string_view data_;
  size_t next_ = 0;
  uint64_t end_ = 0;
};

void check_envelope(std::string_view bytes) {
  if (!bytes.starts_with(kModelMagic)) {
    const bool cut = !bytes.empty() && kModelMagic.starts_with(bytes);
    throw InvalidInput(cut ? "is cut short" : "is not a dppl model; give a file that dppl fit has written");
  }
  constexpr std::string_view kCut = "is cut short; copy it again or make the model again";
  if (bytes.size() < kModelPrefix) throw InvalidInput(std::string(kCut));
  // Before the checksum: a later version may compute another one.
  const auto version = integer_at<uint32_t>(bytes, kModelMagic.size());
  if (version > Model::kVersion) {
    throw InvalidInput(
        fmt::format("was made by a newer dppl (model version {}, this program reads up to {}); upgrade dppl", version,
                    Model::kVersion));
  }
  if (bytes.size() < kModelPrefix + kModelChecksum) throw InvalidInput(std::string(kCut));
  const auto length = integer_at<uint64_t>(bytes, kModelPrefix - sizeof(uint64_t));
  const bool whole = length <= bytes.size() - kModelPrefix - kModelChecksum;
  const std::string_view body = bytes.substr(0, bytes.size() - kModelChecksum);
  if (model_checksum(body) != bytes.substr(body.size())) {
    throw InvalidInput(whole ? "was changed or damaged: its checksum does not match; copy it again or make the model "
                               "again"
                             : std::string(kCut));
  }
  if (!whole) throw InvalidInput("has a header that is longer than the file; make the model again");
  if (version == 0) throw InvalidInput("has version 0, which does not exist; make the model again");
}

Model parse_body(std::string_view header, std::string_view data) {
  const nlohmann::json parsed = nlohmann::json::parse(header, nullptr, false);
  if (parsed.is_discarded()) throw InvalidInput("its header is not JSON");
  const Fields fields(parsed, "header");
  Model model = read_model_header(fields);

  ArraysRead arrays;
  SectionReader sections(fields.array("sections"), data);
  Extents(model).for_each(arrays, [&]<typename T>(const char* name, const Shape& shape, std::vector<T>& values) {
    sections.take(name, shape, values);
  });
  sections.finish();

  model.transform = PublicTransform::restore(transform_of(model.settings), model.input_dim(),
                                             std::move(arrays.transform_mean), std::move(arrays.transform_basis));
  model.prototypes = std::move(arrays.prototypes);
  model.sums = std::move(arrays.sums);
  model.pool_indices = std::move(arrays.pool_indices);
  check_model(model);

  // Repeated and unknown keys, empty sections, other spellings of the same.
  if (header_text(model) != header) {
    throw InvalidInput("its header holds something that dppl does not write there");
  }
  return model;
}

// A file may hold anything, control sequences of terminals included.
std::string printable(std::string text) {
  std::ranges::replace_if(
      text, [](char c) { return static_cast<unsigned char>(c) < ' ' || c == '\x7f'; }, '?');
  return text;
}

}  // namespace

std::string model_checksum(std::string_view bytes) {
  const Digest digest = digest_of(bytes);
  return {reinterpret_cast<const char*>(digest.data()), digest.size()};
}

std::string assemble_model_file(std::string_view header, std::string_view data, uint32_t version) {
  std::string result(kModelMagic);
  append_integer(result, version);
  append_integer(result, static_cast<uint64_t>(header.size()));
  result.append(header).append(data);
  return result += model_checksum(result);
}

std::string serialise_model(const Model& model) {
  try {
    check_model(model);
  } catch (const InvalidInput& error) {
    throw InvalidInput(fmt::format("the model cannot be written: {}", error.what()));
  }
  return assemble_model_file(header_text(model), section_data(model));
}

std::string model_digest(const Model& model) { return to_hex(digest_of(serialise_model(model))); }

ModelWriter::ModelWriter(const std::string& path, uint64_t expected_bytes) : file_(std::make_unique<AtomicFile>(path)) {
  file_->reserve(expected_bytes);
}

ModelWriter::~ModelWriter() = default;

std::string ModelWriter::write(const Model& model) {
  const std::string bytes = serialise_model(model);
  file_->write(std::string_view(bytes));
  file_->finish();
  return to_hex(digest_of(bytes));
}

void ModelWriter::publish() { file_->publish(); }

std::string ModelWriter::commit(const Model& model) {
  std::string digest = write(model);
  publish();
  return digest;
}

std::string ModelWriter::commit(const Model& model, Ledger& ledger, const Reservation& reservation) {
  std::string digest = write(model);
  ledger.record(reservation, model.guarantee, digest);
  publish();
  return digest;
}

std::string save_model(const Model& model, const std::string& path) { return ModelWriter(path).commit(model); }

Model parse_model(std::string_view bytes, const std::string& name) {
  try {
    check_envelope(bytes);
  } catch (const InvalidInput& error) {
    throw InvalidInput(fmt::format("{}: {}", name, error.what()));
  }
  const auto length = integer_at<uint64_t>(bytes, kModelPrefix - sizeof(uint64_t));
  const std::string_view body = bytes.substr(kModelPrefix, bytes.size() - kModelPrefix - kModelChecksum);
  try {
    return parse_body(body.substr(0, length), body.substr(length));
  } catch (const InvalidInput& error) {
    throw InvalidInput(
        fmt::format("{}: is not a model that dppl wrote: {}; make the model again", name, printable(error.what())));
  }
}

Model load_model(const std::string& path) { return parse_model(MappedFile(path).text(), path); }

}  // namespace dppl
