#include "encoders/people_file.h"

#include <fmt/format.h>

#include <regex>

#include "dppl/invalid_record.h"
#include "encoders/constants.h"
#include "encoders/file_holds.h"
#include "encoders/without_bad.h"
#include "rows/labels.h"

namespace dppl {
namespace {

std::regex compiled(const std::string& pattern) {
  if (pattern.size() > kLongestPattern) {
    throw InvalidInput(fmt::format("the pattern of people's ids is longer than {} bytes", kLongestPattern));
  }
  try {
    return std::regex(pattern, std::regex::ECMAScript);
  } catch (const std::regex_error& error) {
    throw InvalidInput(fmt::format("the pattern of people's ids, '{}', is not a regular expression of ECMAScript's: {}",
                                   pattern, error.what()));
  }
}

std::vector<std::string> by_pattern(const ImageSource& source, std::span<const uint64_t> rows,
                                    const EmbedOptions& options) {
  const std::regex pattern = compiled(options.people_pattern);
  const size_t group = pattern.mark_count() > 0 ? 1 : 0;
  std::vector<std::string> result;
  for (const uint64_t row : rows) {
    const std::string name = source.name(row);
    if (name.size() > kLongestImageName) {
      throw InvalidRecord(fmt::format("{}: the name of an image is longer than {} bytes, which is too long to find a "
                                      "person's id in; shorten it, or name people in a list of images",
                                      options.people, kLongestImageName),
                          name);
    }
    std::smatch match;
    if (!std::regex_search(name, match, pattern)) {
      throw InvalidRecord(fmt::format("{}: the pattern of people's ids does not match the name of an image; change it, "
                                      "or leave the image out",
                                      options.people),
                          name);
    }
    result.push_back(match.str(group));
  }
  return result;
}

std::vector<std::string> ids_of(const ImageSource& source, std::span<const uint64_t> rows,
                                const EmbedOptions& options) {
  if (!options.people_pattern.empty()) return by_pattern(source, rows, options);
  const std::optional<std::vector<std::string>> people = source.people();
  if (!people) {
    throw InvalidInput(
        fmt::format("{}: the images do not say whose they are; give a pattern that finds a person's id in "
                    "the name of an image, or a list of images (.csv) with a column that the first line names person",
                    options.people));
  }
  std::vector<std::string> result;
  for (const uint64_t row : rows) result.push_back((*people)[row]);
  return result;
}

}  // namespace

PeopleFile::PeopleFile(const ImageSource& source, std::span<const uint64_t> rows, const EmbedOptions& options)
    : path_(options.people) {
  const std::string& path = path_;
  if (path.empty()) {
    if (!options.people_pattern.empty()) {
      throw InvalidInput("a pattern of people's ids needs a file to write them to; name one");
    }
    return;
  }
  ids_ = ids_of(source, rows, options);
  for (size_t i = 0; i < rows.size(); ++i) {
    const std::string_view fault = fault_of_person(ids_[i]);
    if (fault.empty()) continue;
    throw InvalidRecord(
        fmt::format("{}: the id of a person {}; give every image the id of its person, in UTF-8", path, fault),
        fmt::format("{} has id '{}'", source.name(rows[i]), ids_[i]));
  }
  file_ = std::make_unique<AtomicFile>(path);
}

std::string PeopleFile::text(const std::vector<uint64_t>& bad) const {
  std::string result;
  for (const std::string& id : without_bad(ids_, bad)) result += id + "\n";
  return result;
}

bool PeopleFile::is_written(const std::vector<uint64_t>& bad) const { return !file_ || file_holds(path_, text(bad)); }

void PeopleFile::commit(const std::vector<uint64_t>& bad) {
  if (file_) file_->commit(text(bad));
}

}  // namespace dppl
