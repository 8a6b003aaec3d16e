#include "serving/batcher.h"

#include <gtest/gtest.h>

#include <future>

#include "support/sample_models.h"
#include "support/temp_dir.h"

namespace dppl::serving {
namespace {

using Clock = std::chrono::steady_clock;
using Seconds = std::chrono::duration<double>;
constexpr Seconds kLong{20}, kShort{0.2};

class BatcherTest : public ::testing::Test {
 protected:
  void SetUp() override {
    save_model(::dppl::testing::mean_model(), files_.path("m.dppl"));
    models_.emplace(std::vector<ServedFile>{{"m", files_.path("m.dppl")}});
    metrics_.connections = 2;
    metrics_.requests = 1;  // one other client could still send something
  }

  struct Answer {
    Job::Outcome outcome;
    std::vector<int32_t> labels;
  };

  // Rows along the second axis, which are of class 1.
  std::future<Answer> ask(Batcher& batcher, size_t rows, bool with_scores = false) {
    std::vector<float> values(rows * 3);
    for (size_t i = 0; i < rows; ++i) values[i * 3 + 1] = 1;
    const auto promise = std::make_shared<std::promise<Answer>>();
    batcher.classify(std::make_shared<Job>(models_->find("m"), Embeddings::from_memory(std::move(values), 3),
                                           with_scores, [promise](Job& job) {
                                             promise->set_value({job.outcome, std::move(job.labels)});
                                           }));
    return promise->get_future();
  }

  static void expect_ones(std::future<Answer>& answer, size_t rows) {
    ASSERT_EQ(answer.wait_for(kLong / 2), std::future_status::ready);
    const Answer found = answer.get();
    EXPECT_EQ(found.outcome, Job::Outcome::good);
    EXPECT_EQ(found.labels, std::vector<int32_t>(rows, 1));
  }

  size_t blocks() const {
    const std::string text = metrics_.text({}, 0);
    const std::string name = "dppl_batch_rows_count ";
    return std::stoul(text.substr(text.find(name) + name.size()));
  }

  ::dppl::testing::TempDir files_;
  std::optional<ModelStore> models_;
  Metrics metrics_;
};

TEST_F(BatcherTest, AFullBlockDoesNotWait) {
  Batcher batcher({.threads = 1, .patience = kLong}, metrics_);
  auto first = ask(batcher, 500), second = ask(batcher, 12);
  expect_ones(first, 500);
  expect_ones(second, 12);
  EXPECT_EQ(blocks(), 1u) << "one matrix product for both";
}

TEST_F(BatcherTest, RowsWaitForOthersAndNotForever) {
  Batcher batcher({.threads = 2, .patience = kShort}, metrics_);
  const auto begin = Clock::now();
  auto first = ask(batcher, 3), second = ask(batcher, 4), scored = ask(batcher, 2, true);
  expect_ones(first, 3);
  EXPECT_GE(Clock::now() - begin, kShort * 0.9);
  expect_ones(second, 4);
  expect_ones(scored, 2);
  EXPECT_EQ(blocks(), 2u) << "with scores and without are two kinds of work";
}

TEST_F(BatcherTest, NobodyWaitsWhereNobodyElseCanCome) {
  metrics_.requests = 2;
  Batcher batcher({.threads = 1, .patience = kLong}, metrics_);
  auto answer = ask(batcher, 3);
  expect_ones(answer, 3);
}

TEST_F(BatcherTest, SmallRequestsPassLargeOnes) {
  Batcher batcher({.threads = 1, .patience = kLong}, metrics_);
  std::promise<void> gate;
  batcher.post([opened = gate.get_future().share()] { opened.wait(); });  // until all have come
  auto large = ask(batcher, 512 * 2000), small = ask(batcher, 1);
  gate.set_value();
  expect_ones(small, 1);
  EXPECT_NE(large.wait_for(Seconds(0)), std::future_status::ready) << "its second block shares one with the small one";
  // All but what is left at the end is in full blocks, and for that nobody else comes.
  metrics_.requests = 2;
  auto last = ask(batcher, 1);
  expect_ones(last, 1);
  expect_ones(large, 512 * 2000);
}

TEST_F(BatcherTest, WhatWaitedTooLongIsNotDone) {
  Batcher batcher({.threads = 1, .patience = Seconds(0), .longest_wait = kShort / 2}, metrics_);
  batcher.post([] { std::this_thread::sleep_for(kShort); });
  auto late = ask(batcher, 3);
  ASSERT_EQ(late.wait_for(kLong / 2), std::future_status::ready);
  EXPECT_EQ(late.get().outcome, Job::Outcome::too_late);
  EXPECT_EQ(blocks(), 0u);
  auto next = ask(batcher, 3);
  expect_ones(next, 3);
}

TEST_F(BatcherTest, NoRowsAreDoneAtOnce) {
  Batcher batcher({.threads = 1, .patience = kLong}, metrics_);
  auto answer = ask(batcher, 0);
  ASSERT_EQ(answer.wait_for(Seconds(0)), std::future_status::ready);
  EXPECT_TRUE(answer.get().labels.empty());
}

}  // namespace
}  // namespace dppl::serving
