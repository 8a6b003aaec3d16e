#pragma once

#include <string>
#include <utility>

#include "dppl/error.h"

namespace dppl {

// A private record, label or row number that cannot be used. what() names the file and the rule that was broken, and
// nothing that tells one record from another: it may end up in a log that others read. Where the fault stands and what
// stands there is private_detail(), for the curator's eyes alone.
class InvalidRecord : public InvalidInput {
 public:
  InvalidRecord(const std::string& rule, std::string private_detail)
      : InvalidInput(rule), private_detail_(std::move(private_detail)) {}

  const std::string& private_detail() const { return private_detail_; }

 private:
  std::string private_detail_;
};

// Runs use() on records that are public, such as those of a pool: where the fault stands may be told in the message.
template <typename Use>
decltype(auto) with_public_records(const Use& use) {
  try {
    return use();
  } catch (const InvalidRecord& error) {
    throw InvalidInput(std::string(error.what()) + ": " + error.private_detail());
  }
}

}  // namespace dppl
