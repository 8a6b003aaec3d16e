#include "rows/labels.h"

#include <fmt/format.h>

#include <algorithm>
#include <unordered_map>

#include "base/mapped_file.h"
#include "base/text_lines.h"
#include "dppl/embeddings.h"
#include "dppl/invalid_record.h"
#include "rows/npy.h"

namespace dppl {
namespace {

std::string_view text_of(const MappedFile& file) {
  return {reinterpret_cast<const char*>(file.bytes().data()), file.bytes().size()};
}

std::vector<int64_t> read_names(const std::string& path, const ClassSet& classes) {
  const MappedFile file(path);
  const std::vector<std::string_view> lines = text_lines(text_of(file), path);
  std::vector<int64_t> labels;
  labels.reserve(lines.size());
  for (const std::string_view line : lines) {
    const std::optional<int64_t> label = classes.find(line);
    if (!label) {
      throw InvalidRecord(
          fmt::format("{}: a label is not one of the {} classes; correct it or declare it", path, classes.size()),
          fmt::format("line {} is '{}'", labels.size() + 1, line.substr(0, 40)));
    }
    labels.push_back(*label);
  }
  return labels;
}

// Names of people, numbered as they come.
std::vector<int64_t> read_person_names(const std::string& path) {
  const MappedFile file(path);
  std::unordered_map<std::string_view, int64_t> numbers;
  std::vector<int64_t> ids;
  for (const std::string_view line : text_lines(text_of(file), path)) {
    if (line.front() == ' ' || line.back() == ' ') {
      throw InvalidRecord(
          fmt::format(
              "{}: the name of a person begins or ends with a blank, so that one person could be two; remove it", path),
          fmt::format("line {}", ids.size() + 1));
    }
    ids.push_back(numbers.emplace(line, static_cast<int64_t>(numbers.size())).first->second);
  }
  return ids;
}

// A row named twice, if any.
std::optional<int64_t> repeated(std::vector<int64_t> rows) {
  std::sort(rows.begin(), rows.end());
  const auto found = std::adjacent_find(rows.begin(), rows.end());
  if (found == rows.end()) return std::nullopt;
  return *found;
}

}  // namespace

void check_labels(std::span<const int64_t> labels, const ClassSet& classes, std::string_view name) {
  const auto outside = std::find_if(labels.begin(), labels.end(), [&](int64_t l) { return !classes.contains(l); });
  if (outside != labels.end()) {
    throw InvalidRecord(fmt::format("{}: a label is not one of the classes 0…{}; correct it or declare more classes",
                                    name, classes.size() - 1),
                        fmt::format("row {} has label {}", outside - labels.begin(), *outside));
  }
}

void check_people(std::span<const int64_t> ids, std::string_view name) {
  const auto missing = std::ranges::find_if(ids, [](int64_t id) { return id < 0; });
  if (missing != ids.end()) {
    throw InvalidRecord(fmt::format("{}: a record has no person (a number below 0); give every record the number of "
                                    "its person, from 0 on",
                                    name),
                        fmt::format("row {} has {}", missing - ids.begin(), *missing));
  }
}

std::vector<int64_t> read_people(const std::string& path) {
  if (path.ends_with(".txt")) return read_person_names(path);
  const MappedFile file(path);
  const NpyArray array = parse_npy(file.bytes(), path);
  if (array.dtype == DType::boolean) {
    throw InvalidInput(fmt::format("{}: is a mask where the numbers of people are needed", path));
  }
  std::vector<int64_t> ids = integers_of(array, path);
  check_people(ids, path);
  return ids;
}

std::vector<int64_t> read_labels(const std::string& path) {
  const MappedFile file(path);
  return integers_of(parse_npy(file.bytes(), path), path);
}

std::vector<int64_t> read_labels(const std::string& path, const ClassSet& classes) {
  if (path.ends_with(".txt")) return read_names(path, classes);
  std::vector<int64_t> labels = read_labels(path);
  check_labels(labels, classes, path);
  return labels;
}

std::vector<uint64_t> read_rows(const std::string& path, uint64_t limit) {
  const MappedFile file(path);
  const NpyArray array = parse_npy(file.bytes(), path);
  if (array.dtype == DType::boolean) {
    throw InvalidInput(fmt::format("{}: is a mask where row numbers are needed; save numpy.flatnonzero(mask)", path));
  }
  const std::vector<int64_t> rows = integers_of(array, path);
  for (size_t i = 0; i < rows.size(); ++i) {
    if (rows[i] < 0 || static_cast<uint64_t>(rows[i]) >= limit) {
      throw InvalidRecord(
          fmt::format("{}: a row number lies outside of the rows that there are (counted from 0)", path),
          fmt::format("entry {} is row {}, but there are {} rows", i, rows[i], limit));
    }
  }
  if (const std::optional<int64_t> twice = repeated(rows)) {
    throw InvalidRecord(
        fmt::format("{}: a row is named twice; each record may count once: save numpy.unique(rows)", path),
        fmt::format("row {} is named twice", *twice));
  }
  return {rows.begin(), rows.end()};
}

}  // namespace dppl
