#include "base/mapped_file.h"

#include <gtest/gtest.h>

#include <fstream>

#include "base/constants.h"
#include "base/mapped_file_testing.h"
#include "support/temp_dir.h"

namespace dppl {
namespace {

using testing::TempDir;

// Kilobytes of mapped files that this process holds in memory.
size_t resident_kilobytes() {
  std::ifstream status("/proc/self/status");
  for (std::string line; std::getline(status, line);) {
    if (line.starts_with("RssFile:")) return std::stoul(line.substr(8));
  }
  return 0;
}

unsigned sum(std::span<const std::byte> bytes) {
  unsigned total = 0;
  for (size_t i = 0; i < bytes.size(); i += 512) total += static_cast<unsigned>(bytes[i]);
  return total;
}

TEST(MappedFile, GivesMemoryBackWhereFilesAreLarge) {
  const TempDir dir;
  constexpr size_t kMegabytes = 64, kSize = kMegabytes << 20;
  const MappedFile file(dir.file("large", std::string(kSize, 'x')));
  const size_t before = resident_kilobytes();
  const unsigned expected = sum(file.bytes());
  EXPECT_GT(resident_kilobytes(), before + 50 * 1024);
  file.give_back(file.bytes());
  EXPECT_GT(resident_kilobytes(), before + 50 * 1024) << "below the limit everything stays";
  set_resident_mappings(kSize / 2);
  file.give_back(file.bytes().subspan(100, kSize / 2));
  EXPECT_LT(resident_kilobytes(), before + 40 * 1024);
  file.give_back(file.bytes());
  EXPECT_LT(resident_kilobytes(), before + 10 * 1024);
  file.expect(file.bytes().subspan(5, 100000));
  EXPECT_EQ(sum(file.bytes()), expected);
  set_resident_mappings(kResidentMappings);
}

}  // namespace
}  // namespace dppl
