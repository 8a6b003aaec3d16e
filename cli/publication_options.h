#pragma once

#include <CLI/CLI.hpp>

#include "cli/evaluation.h"
#include "dppl/export.h"

namespace dppl::cli {

// What papers about a model state and only its publisher knows.
class PublicationOptions {
 public:
  void add_to(CLI::App& command);
  // Throws CLI::ValidationError for options that do not go together, or without a paper (`wanted`) to go into.
  void check(bool wanted) const;
  // Measures the model on the test data, if there are any.
  PublicationFacts facts(const PublishedModel& published, bool takes_images, unsigned threads) const;
  // The options whose answers a registry's entry needs and that were not given.
  std::vector<std::string> missing_in_registry() const;

 private:
  PublicationFacts facts_;
  TestData test_;
};

}  // namespace dppl::cli
