#include <gtest/gtest.h>

#include "dppl/error.h"
#include "dppl/model.h"
#include "support/expect_error.h"

namespace dppl {
namespace {

using testing::expect_error;

TEST(Names, EveryWordIsReadBack) {
  for (const char* word : {"mean", "public", "public-k", "auto"}) EXPECT_EQ(to_string(parse_method(word)), word);
  for (const char* word : {"cosine", "euclidean"}) EXPECT_EQ(to_string(parse_distance(word)), word);
  for (const char* word : {"exponential", "permute-and-flip", "laplace"}) {
    EXPECT_EQ(to_string(parse_selection(word)), word);
  }
  for (const char* word : {"noisy-sum", "naive", "coinpress"}) EXPECT_EQ(to_string(parse_estimator(word)), word);
}

TEST(Names, WordsMeanWhatTheySay) {
  EXPECT_EQ(parse_method("public"), Method::public_one);
  EXPECT_EQ(parse_method("auto"), Method::automatic);
  EXPECT_EQ(parse_distance("euclidean"), Distance::euclidean);
  EXPECT_EQ(parse_selection("laplace"), Selection::laplace);
  EXPECT_EQ(parse_estimator("naive"), Estimator::naive);
}

TEST(Names, OthersAreRefusedWithWhatIsKnown) {
  expect_error<InvalidInput>([] { parse_method("median"); }, {"method 'median'", "mean, public, public-k, auto"});
  expect_error<InvalidInput>([] { parse_distance(""); }, {"distance ''", "cosine, euclidean"});
  expect_error<InvalidInput>([] { parse_selection("Laplace"); }, {"mechanism 'Laplace'", "permute-and-flip"});
  expect_error<InvalidInput>([] { parse_estimator("sum"); }, {"estimator 'sum'", "noisy-sum, naive, coinpress"});
}

}  // namespace
}  // namespace dppl
