#include <fmt/format.h>

#include <unordered_map>

#include "base/mapped_file.h"
#include "base/text_lines.h"
#include "base/whole_number.h"
#include "dppl/embeddings.h"
#include "dppl/error.h"
#include "dppl/invalid_record.h"

namespace dppl {
namespace {

void check_size(uint64_t size, std::string_view where) {
  if (size < 1 || size > ClassSet::kMaxSize) {
    throw InvalidInput(fmt::format("{}: {} classes; between 1 and {} are possible", where, size, ClassSet::kMaxSize));
  }
}

bool is_digits(std::string_view text) {
  return !text.empty() && text.find_first_not_of("0123456789") == std::string_view::npos;
}

}  // namespace

struct ClassSet::Names {
  Names(std::vector<std::string> list, std::string_view where) : names(std::move(list)) {
    check_size(names.size(), where);
    index.reserve(names.size());
    for (size_t i = 0; i < names.size(); ++i) {
      const std::string_view fault = fault_of_line(names[i]);
      if (!fault.empty()) throw InvalidInput(fmt::format("{}: class name {} {}", where, i + 1, fault));
      const auto [earlier, is_new] = index.emplace(names[i], i);
      if (!is_new) {
        throw InvalidInput(fmt::format("{}: class name '{}' stands at {} and again at {}; name each class once", where,
                                       names[i], earlier->second + 1, i + 1));
      }
    }
  }

  const std::vector<std::string> names;
  std::unordered_map<std::string_view, size_t> index;
};

ClassSet ClassSet::numbered(size_t size) {
  check_size(size, "class set");
  return ClassSet(size, nullptr);
}

ClassSet ClassSet::named(std::vector<std::string> names) {
  const size_t size = names.size();
  return ClassSet(size, std::make_shared<const Names>(std::move(names), "class set"));
}

ClassSet ClassSet::read(const std::string& path) {
  const MappedFile file(path);
  const std::vector<std::string_view> lines = with_public_records([&] { return text_lines(file.text(), path); });
  return ClassSet(lines.size(),
                  std::make_shared<const Names>(std::vector<std::string>(lines.begin(), lines.end()), path));
}

ClassSet ClassSet::parse(const std::string& number_or_path) {
  if (!is_digits(number_or_path)) {
    try {
      return read(number_or_path);
    } catch (const IoError& error) {
      throw InvalidInput(
          fmt::format("classes: not a number between 1 and {}, nor a file of names: {}", kMaxSize, error.what()));
    }
  }
  const std::optional<uint64_t> size = whole_number(number_or_path);
  if (!size || *size < 1 || *size > kMaxSize) {
    throw InvalidInput(fmt::format("classes: '{}' is not between 1 and {}", number_or_path.substr(0, 40), kMaxSize));
  }
  return numbered(*size);
}

std::string ClassSet::name(size_t i) const { return names_ ? names_->names.at(i) : std::to_string(i); }

std::vector<std::string> ClassSet::names() const {
  if (names_) return names_->names;
  std::vector<std::string> numbers;
  for (size_t i = 0; i < size_; ++i) numbers.push_back(name(i));
  return numbers;
}

std::optional<int64_t> ClassSet::find(std::string_view name) const {
  if (names_) {
    const auto found = names_->index.find(name);
    if (found == names_->index.end()) return std::nullopt;
    return static_cast<int64_t>(found->second);
  }
  const std::optional<uint64_t> label = whole_number(name);
  if (!label || *label >= size_ || std::to_string(*label) != name) return std::nullopt;
  return static_cast<int64_t>(*label);
}

}  // namespace dppl
