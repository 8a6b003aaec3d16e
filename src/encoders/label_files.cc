#include "encoders/label_files.h"

#include <fmt/format.h>

#include "dppl/invalid_record.h"
#include "encoders/file_holds.h"
#include "encoders/without_bad.h"
#include "rows/npy.h"

namespace dppl {
namespace {

[[noreturn]] void refuse_label(const std::string& path, const std::string& image, const std::string& label) {
  throw InvalidRecord(fmt::format("{}: a label is not one of the classes; correct it, or leave the image out. Declare "
                                  "another class only if you would have without seeing the image",
                                  path),
                      fmt::format("{} has label '{}'", image, label));
}

// A name's number depends on the name and the declared classes alone.
std::vector<int64_t> by_name(const ImageSource& source, const NamedLabels& labels, std::span<const uint64_t> rows,
                             const ClassSet& classes, const std::string& path) {
  std::vector<std::optional<int64_t>> numbers;
  for (const std::string& name : labels.names) numbers.push_back(classes.find(name));
  std::vector<int64_t> result;
  for (const uint64_t row : rows) {
    const size_t place = labels.of[row];
    if (!numbers[place]) refuse_label(path, source.name(row), labels.names[place]);
    result.push_back(*numbers[place]);
  }
  return result;
}

std::vector<int64_t> by_number(const ImageSource& source, const std::vector<int64_t>& labels,
                               std::span<const uint64_t> rows, const std::optional<ClassSet>& classes,
                               const std::string& path) {
  std::vector<int64_t> result;
  for (const uint64_t row : rows) {
    if (classes && !classes->contains(labels[row])) refuse_label(path, source.name(row), std::to_string(labels[row]));
    result.push_back(labels[row]);
  }
  return result;
}

std::vector<int64_t> labels_of(const ImageSource& source, std::span<const uint64_t> rows, const EmbedOptions& options) {
  const std::optional<std::vector<int64_t>> numbers = source.labels();
  const std::optional<NamedLabels> named = source.named_labels();
  const std::optional<ClassSet>& declared = options.classes;
  if (named && declared && (declared->has_names() || !numbers)) {
    return by_name(source, *named, rows, *declared, options.labels);
  }
  if (numbers) return by_number(source, *numbers, rows, declared ? declared : source.classes(), options.labels);
  if (named) {
    throw InvalidInput(
        fmt::format("{}: the labels are names, and classes are declared, never read off the data: one image must not "
                    "change them; declare the classes by name",
                    options.labels));
  }
  throw InvalidInput(
      fmt::format("{}: the images have no labels to write; ask for none, or name the file that "
                  "holds them",
                  options.labels));
}

}  // namespace

LabelFiles::LabelFiles(const ImageSource& source, std::span<const uint64_t> rows, const EmbedOptions& options)
    : path_(options.labels) {
  const std::string& path = path_;
  if (path.empty()) return;
  labels_ = labels_of(source, rows, options);
  file_ = std::make_unique<AtomicFile>(path);
  const std::optional<ClassSet> published = source.classes();
  if (options.classes || !published || !published->has_names()) return;
  names_path_ = (path.ends_with(".npy") ? path.substr(0, path.size() - 4) : path) + ".classes.txt";
  names_ = std::make_unique<AtomicFile>(names_path_);
  for (size_t i = 0; i < published->size(); ++i) names_text_ += published->name(i) + "\n";
}

std::string LabelFiles::text(const std::vector<uint64_t>& bad) const {
  const std::vector<int64_t> kept = without_bad(labels_, bad);
  const uint64_t shape[] = {kept.size()};
  std::string result = npy_header(DType::int64, shape);
  const auto bytes = std::as_bytes(std::span(kept));
  return result.append(reinterpret_cast<const char*>(bytes.data()), bytes.size());
}

bool LabelFiles::are_written(const std::vector<uint64_t>& bad) const {
  return !file_ || (file_holds(path_, text(bad)) && (!names_ || file_holds(names_path_, names_text_)));
}

void LabelFiles::commit(const std::vector<uint64_t>& bad) {
  if (!file_) return;
  if (names_) names_->commit(names_text_);
  file_->commit(text(bad));
}

}  // namespace dppl
