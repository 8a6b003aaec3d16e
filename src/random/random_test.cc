#include "dppl/random.h"

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <set>
#include <thread>
#include <vector>

namespace dppl {
namespace {

std::vector<uint64_t> draw(Random& random, size_t count) {
  std::vector<uint64_t> values(count);
  for (uint64_t& value : values) value = random.next64();
  return values;
}

TEST(Random, SeededIsRepeatableAndMarked) {
  SeededRandom a(7), b(7), c(8);
  EXPECT_FALSE(a.is_private());
  const auto first = draw(a, 3000);
  EXPECT_EQ(first, draw(b, 3000));
  EXPECT_NE(first, draw(c, 3000));
  EXPECT_TRUE(SecureRandom().is_private());
}

TEST(Random, StreamsDependOnSeedAndIndexAlone) {
  SeededRandom a(7), b(7);
  draw(b, 1000);  // what was drawn before must not matter
  Random a3 = a.stream(3), b3 = b.stream(3), a4 = a.stream(4);
  EXPECT_FALSE(a3.is_private());
  const auto values = draw(a3, 600);
  EXPECT_EQ(values, draw(b3, 600));
  EXPECT_NE(values, draw(a4, 600));
  EXPECT_TRUE(SecureRandom().stream(1).is_private());
}

TEST(Random, NoWordRepeatsAcrossRefillsThreadsAndStreams) {
  // 8 threads × 20,000 words of 64 bits: a repeat has probability 7e-10.
  SecureRandom shared;
  std::vector<std::vector<uint64_t>> parts(8);
  std::vector<std::thread> threads;
  for (auto& part : parts) threads.emplace_back([&] { part = draw(shared, 20000); });
  for (auto& thread : threads) thread.join();
  std::set<uint64_t> all;
  for (const auto& part : parts) all.insert(part.begin(), part.end());
  EXPECT_EQ(all.size(), 8u * 20000u);
}

TEST(Random, ChildAfterForkDrawsDifferently) {
  SecureRandom random;
  draw(random, 10);  // leaves a part-used buffer that a child would repeat
  int pipe_ends[2];
  ASSERT_EQ(pipe(pipe_ends), 0);
  const pid_t child = fork();
  ASSERT_GE(child, 0);
  if (child == 0) {
    const uint64_t value = random.next64();
    _exit(write(pipe_ends[1], &value, sizeof value) == sizeof value ? 0 : 1);
  }
  uint64_t from_child = 0;
  ASSERT_EQ(read(pipe_ends[0], &from_child, sizeof from_child), static_cast<ssize_t>(sizeof from_child));
  int status = 0;
  waitpid(child, &status, 0);
  EXPECT_EQ(status, 0);
  EXPECT_NE(from_child, random.next64());
  close(pipe_ends[0]);
  close(pipe_ends[1]);
}

}  // namespace
}  // namespace dppl
