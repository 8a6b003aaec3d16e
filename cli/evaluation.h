#pragma once

#include <CLI/CLI.hpp>
#include <string>

#include "dppl/metrics.h"
#include "dppl/model.h"

namespace dppl::cli {

// The labelled test data on which a model is measured.
struct TestData {
  std::string input, labels, train_labels, rows;

  void add_to(CLI::App& command, bool required);
  // The test records alone, without what the private training set says about them.
  void add_records_to(CLI::App& command, bool required);
  // Throws CLI::ValidationError for options that do not go together.
  void check() const;
  bool given() const { return !input.empty(); }

  Evaluation measure(const Model& model, unsigned threads) const;
};

}  // namespace dppl::cli
