#pragma once

#include <stdexcept>

namespace dppl {

// Every refusal that a caller can cause derives from Error; its message says what was wrong, where, and what to do.
// An Error thrown before a mechanism ran means that nothing was spent and nothing was written.
class Error : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

// A value, a file or a combination of arguments that cannot be used.
class InvalidInput : public Error {
 public:
  using Error::Error;
};

// The ledger (or a budget that was spent before) does not have what was asked.
class BudgetExceeded : public Error {
 public:
  using Error::Error;
};

// The operating system, a file or the ledger's data base failed.
class IoError : public Error {
 public:
  using Error::Error;
};

}  // namespace dppl
