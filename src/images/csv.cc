#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <filesystem>

#include "dppl/error.h"
#include "embeddings/csv_fields.h"
#include "embeddings/mapped_file.h"
#include "embeddings/text_lines.h"
#include "images/decode.h"
#include "images/listed.h"
#include "images/sources.h"

namespace dppl {
namespace {

[[noreturn]] void refuse(std::string_view where, std::string_view what) {
  throw InvalidInput(fmt::format("{}: {}", where, what));
}

struct List {
  std::vector<std::string> paths, labels;  // labels: as many as paths, or none
};

List read_list(const std::string& path) {
  const MappedFile file(path);
  const std::string_view text(reinterpret_cast<const char*>(file.bytes().data()), file.bytes().size());
  const std::vector<std::string_view> lines = text_lines(text, path);
  List list;
  for (size_t i = 0; i < lines.size(); ++i) {
    const std::string where = fmt::format("{}: line {}", path, i + 1);
    std::string_view line = lines[i];
    std::vector<std::string> fields = take_csv_record(line, where);
    if (i == 0 && !has_image_name(fields[0])) continue;  // a header
    if (!has_image_name(fields[0])) refuse(where, "does not begin with the path of a .jpg, .jpeg or .png");
    const bool labelled = fields.size() == 2;
    if (fields.size() > 2 || (!list.paths.empty() && labelled == list.labels.empty())) {
      refuse(where,
             fmt::format("{} fields; give path,label in every line, or path alone; quote a comma", fields.size()));
    }
    if (labelled && fields[1].find_first_not_of(" ") == std::string::npos)
      refuse(where, "the label is blank; give a number or a name");
    list.paths.push_back(std::move(fields[0]));
    if (labelled) list.labels.push_back(std::move(fields[1]));
  }
  if (list.paths.empty()) refuse(path, "names no image; give path,label a line");
  return list;
}

std::optional<int64_t> number(std::string_view text) {
  int64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size() || value < 0) return std::nullopt;
  return value;
}

// Numbers where all labels are numbers; otherwise places among the names in byte order, which are the classes.
std::vector<int64_t> numbers_of(const std::vector<std::string>& labels, std::optional<ClassSet>& classes) {
  const bool numbers = std::all_of(labels.begin(), labels.end(), [](const auto& label) { return number(label); });
  if (!numbers) {
    std::vector<std::string> names = labels;
    std::sort(names.begin(), names.end());
    names.erase(std::unique(names.begin(), names.end()), names.end());
    classes = ClassSet::named(std::move(names));
  }
  std::vector<int64_t> result;
  for (const std::string& label : labels) result.push_back(numbers ? *number(label) : *classes->find(label));
  return result;
}

}  // namespace

std::unique_ptr<ImageSource> open_csv(const std::string& path) {
  List list = read_list(path);
  std::optional<std::vector<int64_t>> labels;
  std::optional<ClassSet> classes;
  if (!list.labels.empty()) labels = numbers_of(list.labels, classes);
  return std::make_unique<ListedImages>(std::filesystem::path(path).parent_path().string(), std::move(list.paths),
                                        std::move(labels), std::move(classes));
}

}  // namespace dppl
