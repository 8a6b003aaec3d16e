#include <gtest/gtest.h>

#include <filesystem>

#include "dppl/error.h"
#include "dppl/ledger.h"
#include "dppl/model.h"
#include "support/expect_error.h"
#include "support/sample_models.h"
#include "support/temp_dir.h"

namespace dppl {
namespace {

using testing::expect_error;
using testing::TempDir;

TEST(ModelWriter, WritesFirstAndPublishesThen) {
  const TempDir dir;
  const std::string path = dir.path("m.dppl");
  {
    ModelWriter forgotten(path);
    forgotten.write(testing::mean_model());
    EXPECT_FALSE(std::filesystem::exists(path));
  }
  EXPECT_EQ(dir.entries(), 0u);
  ModelWriter writer(path);
  const std::string digest = writer.write(testing::mean_model());
  writer.publish();
  EXPECT_EQ(testing::read_text(path), serialise_model(testing::mean_model()));
  EXPECT_EQ(digest, save_model(testing::mean_model(), dir.path("same.dppl")));
}

TEST(ModelWriter, WhatTheLedgerRefusesNeverAppears) {
  const TempDir dir;
  const std::string path = dir.path("m.dppl"), file = dir.path("ledger");
  Ledger::create_dataset(file, "d", BudgetSpec::zcdp(1));
  Ledger ledger(file);
  const Model model = testing::mean_model();  // costs ρ = 0.005

  const Reservation cheap = ledger.reserve("d", BudgetSpec::zcdp(Rational(1, 1000)), "fit mean");
  const size_t before = dir.entries();
  expect_error<InvalidInput>([&] { ModelWriter(path).commit(model, ledger, cheap); }, {"do not publish"});
  EXPECT_FALSE(std::filesystem::exists(path));
  EXPECT_EQ(dir.entries(), before);

  const Reservation enough = ledger.reserve("d", BudgetSpec::zcdp(Rational(1, 100)), "fit mean");
  const std::string digest = ModelWriter(path).commit(model, ledger, enough);
  EXPECT_EQ(ledger.contents().entries.back().model_digest, digest);
  EXPECT_EQ(testing::read_text(path), serialise_model(model));

  // A second model for one reservation: the first stays as it is.
  Model second = model;
  second.prototypes[0] += 1;
  EXPECT_THROW(ModelWriter(path).commit(second, ledger, enough), Error);
  EXPECT_EQ(testing::read_text(path), serialise_model(model));
}

}  // namespace
}  // namespace dppl
