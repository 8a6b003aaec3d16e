#include "support/small_pictures.h"

#include <gtest/gtest.h>

#include "support/npy_bytes.h"
#include "support/run_program.h"

namespace dppl::testing {
namespace {

constexpr size_t kPixels = 64;

// A bright band for each class, and a little noise.
std::string pictures(size_t count, unsigned seed) {
  std::string bytes;
  for (size_t i = 0; i < count; ++i) {
    for (size_t p = 0; p < kPixels; ++p) {
      seed = seed * 1664525 + 1013904223;
      const bool bright = p * kHostileNames.size() / kPixels == i % kHostileNames.size();
      bytes += static_cast<char>((bright ? 150 : 10) + (seed >> 24) % 40);
    }
  }
  return bytes;
}

std::string shape(size_t count, const char* rest) { return "(" + std::to_string(count) + ", " + rest + ")"; }

std::string labels(size_t count) {
  std::string bytes;
  for (size_t i = 0; i < count; ++i) bytes += static_cast<char>(i % kHostileNames.size());
  return npy_bytes("|u1", "(" + std::to_string(count) + ",)", bytes);
}

RunResult run_well(std::vector<std::string> args) {
  RunResult result = run_program(std::move(args));
  EXPECT_EQ(result.status, 0) << result.err;
  return result;
}

}  // namespace

SmallPictures::SmallPictures(const TempDir& dir) : dir_(dir) {
  const std::string pool = pictures(40, 1);
  dir.file("images.npy", npy_bytes("|u1", shape(60, "8, 8"), pictures(20, 9) + pool));
  dir.file("pool.npy", npy_bytes("|u1", shape(40, "64"), pool));
  dir.file("x.npy", npy_bytes("|u1", shape(90, "64"), pictures(90, 2)));
  dir.file("y.npy", labels(90));
  dir.file("test-x.npy", npy_bytes("|u1", shape(30, "64"), pictures(30, 3)));
  dir.file("test-y.npy", labels(30));
  std::string names;
  for (const std::string& name : kHostileNames) names += name + "\n";
  dir.file("classes.txt", names);
  run_well({"ledger", "init", "--ledger", dir.path("ledger"), "--dataset", "bands", "--rho", "30"});
}

std::string SmallPictures::fit(const std::string& name, const std::vector<std::string>& options) const {
  std::vector<std::string> args = {"fit",
                                   "--train",
                                   dir_.path("x.npy"),
                                   "--labels",
                                   dir_.path("y.npy"),
                                   "--classes",
                                   dir_.path("classes.txt"),
                                   "--pool",
                                   dir_.path("pool.npy"),
                                   "--ledger",
                                   dir_.path("ledger"),
                                   "--dataset",
                                   "bands",
                                   "-o",
                                   dir_.path(name + ".dppl")};
  args.insert(args.end(), options.begin(), options.end());
  run_well(std::move(args));
  return dir_.path(name + ".dppl");
}

std::string SmallPictures::report(const std::vector<std::string>& models, const std::vector<std::string>& more) const {
  std::vector<std::string> args = {"report"};
  args.insert(args.end(), models.begin(), models.end());
  const std::vector<std::string> files = {"-o",
                                          dir_.path("report.html"),
                                          "--images",
                                          dir_.path("images.npy"),
                                          "--image-rows",
                                          "20:60",
                                          "--pool",
                                          dir_.path("pool.npy"),
                                          "--in",
                                          dir_.path("test-x.npy"),
                                          "--labels",
                                          dir_.path("test-y.npy"),
                                          "--ledger",
                                          dir_.path("ledger"),
                                          "--train-labels",
                                          dir_.path("y.npy"),
                                          "--dataset",
                                          "bands"};
  args.insert(args.end(), files.begin(), files.end());
  args.insert(args.end(), more.begin(), more.end());
  run_well(std::move(args));
  return dir_.path("report.html");
}

}  // namespace dppl::testing
