#include "rows/labels.h"

#include <fmt/format.h>

#include <algorithm>
#include <unordered_map>

#include "base/mapped_file.h"
#include "base/text_lines.h"
#include "base/utf8.h"
#include "dppl/invalid_record.h"
#include "rows/npy.h"

namespace dppl {
namespace {

std::vector<int64_t> read_names(const std::string& path, const ClassSet& classes) {
  const MappedFile file(path);
  const std::vector<std::string_view> lines = text_lines(file.text(), path);
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
template <typename Names>
std::vector<int64_t> numbers_of_people(const Names& names, const std::string& path) {
  std::unordered_map<std::string_view, int64_t> numbers;
  std::vector<int64_t> ids;
  for (const std::string_view name : names) {
    const std::string_view fault = fault_of_person(name);
    if (!fault.empty()) {
      throw InvalidRecord(
          fmt::format("{}: the name of a person {}; give every record the name of its person", path, fault),
          fmt::format("record {}: '{}'", ids.size(), name.substr(0, 40)));
    }
    ids.push_back(numbers.emplace(name, static_cast<int64_t>(numbers.size())).first->second);
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

std::string_view fault_of_person(std::string_view text) {
  const std::string_view fault = fault_of_line(text);
  if (!fault.empty()) return fault;
  // All that have none would be one person, and somebody else's records among theirs.
  constexpr std::string_view kMissing[] = {"-1", "nan", "NaN", "NaT", "None", "NA", "<NA>", "N/A", "null", "NULL"};
  if (std::ranges::find(kMissing, text) != std::end(kMissing)) {
    return "is what programs write where one is missing (-1, nan, None, NA, null)";
  }
  std::optional<uint32_t> first, last;
  for (std::string_view rest = text; !rest.empty();) {
    last = take_character(rest);
    if (!first) first = last;
  }
  return is_blank(*first) || is_blank(*last) ? "begins or ends with a blank, so that one person could be two" : "";
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
  const MappedFile file(path);
  if (path.ends_with(".txt")) return numbers_of_people(text_lines(file.text(), path), path);
  if (const auto names = texts_of(file.bytes(), path)) return numbers_of_people(*names, path);
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
