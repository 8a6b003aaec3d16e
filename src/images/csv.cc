#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <filesystem>

#include "base/csv_fields.h"
#include "base/mapped_file.h"
#include "base/text_lines.h"
#include "dppl/invalid_record.h"
#include "images/decode.h"
#include "images/listed.h"
#include "images/sources.h"

namespace dppl {
namespace {

struct List {
  std::vector<std::string> paths, labels, people;  // labels and people: as many as paths, or none
};

// What stands in a line beside the path, which is its first field.
struct Columns {
  size_t count = 0;              // of all fields
  size_t label = 0, person = 0;  // 0: none

  size_t most() const { return person > 0 ? 3 : 2; }
  std::string_view form() const {
    return person > 0 ? "give path,label,person in every line, or path,person, in the order of the first line; quote a "
                        "comma"
                      : "give path,label in every line, or path alone; quote a comma; a column of people needs a first "
                        "line that names it person";
  }
};

// A header need not name the label; only the column of people is found by its name.
std::optional<Columns> columns_named_by(const std::vector<std::string>& header) {
  const auto found = std::find(header.begin() + 1, header.end(), "person");
  if (found == header.end()) return std::nullopt;
  const auto person = static_cast<size_t>(found - header.begin());
  return Columns{header.size(), header.size() == 3 ? 3 - person : 0, person};
}

std::vector<std::string> fields_of(std::string_view line, const std::string& where, const std::string& path) {
  try {
    return take_csv_record(line, where);
  } catch (const InvalidInput& error) {
    throw InvalidRecord(fmt::format("{}: a line has a quote without an end, or something after a closing quote", path),
                        error.what());
  }
}

List read_list(const std::string& path) {
  const MappedFile file(path);
  const std::vector<std::string_view> lines = text_lines(file.text(), path);
  List list;
  std::optional<Columns> columns;
  for (size_t i = 0; i < lines.size(); ++i) {
    const std::string where = fmt::format("line {}", i + 1);
    const auto refuse = [&](std::string_view rule, const std::string& detail) {
      throw InvalidRecord(fmt::format("{}: {}", path, rule), fmt::format("{}: {}", where, detail));
    };
    std::vector<std::string> fields = fields_of(lines[i], where, path);
    if (i == 0 && !has_image_name(fields[0])) {
      columns = columns_named_by(fields);
      continue;
    }
    if (!has_image_name(fields[0])) {
      refuse("a line does not begin with the path of a .jpg, .jpeg or .png", fmt::format("'{}'", fields[0]));
    }
    if (!columns) columns = Columns{.count = fields.size(), .label = fields.size() - 1};
    if (fields.size() != columns->count || fields.size() > columns->most()) {
      refuse(columns->form(), fmt::format("{} fields", fields.size()));
    }
    const auto take = [&](size_t column, std::vector<std::string>& values, std::string_view rule) {
      if (column == 0) return;
      if (fields[column].find_first_not_of(' ') == std::string::npos) refuse(rule, fields[0]);
      values.push_back(std::move(fields[column]));
    };
    take(columns->label, list.labels, "a label is blank; give a number or a name");
    take(columns->person, list.people, "a person is blank; give an id");
    list.paths.push_back(std::move(fields[0]));
  }
  if (list.paths.empty()) throw InvalidInput(fmt::format("{}: names no image; give path,label in every line", path));
  return list;
}

std::optional<int64_t> number(std::string_view text) {
  int64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size() || value < 0) return std::nullopt;
  return value;
}

// Where all labels are numbers.
std::optional<std::vector<int64_t>> numbers_of(const std::vector<std::string>& labels) {
  std::vector<int64_t> result;
  for (const std::string& label : labels) {
    const std::optional<int64_t> value = number(label);
    if (!value) return std::nullopt;
    result.push_back(*value);
  }
  return result;
}

NamedLabels named(const std::vector<std::string>& labels) {
  NamedLabels result{labels, {}};
  std::sort(result.names.begin(), result.names.end());
  result.names.erase(std::unique(result.names.begin(), result.names.end()), result.names.end());
  for (const std::string& label : labels) {
    const auto place = std::lower_bound(result.names.begin(), result.names.end(), label);
    result.of.push_back(static_cast<size_t>(place - result.names.begin()));
  }
  return result;
}

}  // namespace

std::unique_ptr<ImageSource> open_csv(const std::string& path) {
  List list = read_list(path);
  ListedImages::Labels labels;
  if (!list.labels.empty()) labels = {numbers_of(list.labels), named(list.labels)};
  ListedImages::People people;
  if (!list.people.empty()) people = std::move(list.people);
  return std::make_unique<ListedImages>(path, std::filesystem::path(path).parent_path().string(), std::move(list.paths),
                                        std::move(labels), std::move(people));
}

}  // namespace dppl
