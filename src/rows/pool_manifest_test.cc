#include "rows/pool_manifest.h"

#include <gtest/gtest.h>

#include "base/digest.h"
#include "dppl/error.h"
#include "support/expect_error.h"

namespace dppl {
namespace {

using testing::expect_error;

const std::string kA(64, 'a'), kB(64, 'b'), kC(64, 'c');

PoolManifest sample() { return {kC, 12, {{"part 1.pool", 5, kA}, {"../b/part 2.pool", 7, kB}}}; }

// With a digest that is right, as whoever writes such a manifest by hand would have it.
std::string sealed(const std::string& lines) { return lines + "digest " + to_hex(digest_of(lines)) + "\n"; }

void expect_refused(const std::string& text, std::string_view words) {
  expect_error<InvalidInput>([&] { parse_manifest(text, "p.pools"); }, {"p.pools: ", words});
}

TEST(PoolManifest, IsATextThatIsReadBack) {
  const std::string text = to_text(sample());
  const std::string lines =
      "dppl pools 1\ncontent " + kC + "\nrows 12\npart 1.pool 5 " + kA + "\n../b/part 2.pool 7 " + kB + "\n";
  EXPECT_EQ(text, sealed(lines));
  const PoolManifest read = parse_manifest(text, "p.pools");
  EXPECT_EQ(read.digest, kC);
  EXPECT_EQ(read.rows, 12u);
  ASSERT_EQ(read.shards.size(), 2u);
  EXPECT_EQ(read.shards[1].file, "../b/part 2.pool");
  EXPECT_EQ(read.shards[1].rows, 7u);
  EXPECT_EQ(read.shards[1].digest, kB);
  EXPECT_EQ(to_text(read), text);
}

TEST(PoolManifest, EveryChangeIsFound) {
  const std::string text = to_text(sample());
  for (size_t i = 0; i < text.size(); ++i) {
    std::string changed = text;
    changed[i] = static_cast<char>(changed[i] ^ 1);
    EXPECT_THROW(parse_manifest(changed, "p.pools"), InvalidInput) << i;
    EXPECT_THROW(parse_manifest(text.substr(0, i), "p.pools"), InvalidInput) << i;
  }
  expect_refused(text + "\n", "digest does not match");
}

TEST(PoolManifest, WellSealedNonsenseIsRefused) {
  const std::string title = "dppl pools 1\n", content = "content " + kC + "\n", rows = "rows 5\n",
                    shard = "a.pool 5 " + kA + "\n";
  parse_manifest(sealed(title + content + rows + shard), "p.pools");
  expect_refused("", "not a manifest");
  expect_refused("dppl pools 2\n", "newer dppl");
  expect_refused(sealed(title), "content");
  expect_refused(sealed(title + rows + content + shard), "content");
  expect_refused(sealed(title + content + shard), "rows");
  expect_refused(sealed(title + content + rows), "0 shards");
  expect_refused(sealed(title + content + rows + shard + shard), "2 shards have 10 rows");
  expect_refused(sealed(title + content + "rows 0\n" + shard), "not a number of rows");
  expect_refused(sealed(title + content + "rows -5\n" + shard), "not a number of rows");
  expect_refused(sealed(title + content + "rows 99999999999999999999\n" + shard), "not a number of rows");
  expect_refused(sealed(title + "content abc\n" + rows + shard), "not a digest");
  expect_refused(sealed(title + content + "rows 05\n" + shard), "not what dppl writes");
  expect_refused(sealed(title + content + rows + "a\r.pool 5 " + kA + "\n"), "control character");
  expect_refused(sealed(title + content + rows + "a.pool\n"), "does not say a file");
  expect_refused(sealed(title + content + rows + " 5 " + kA + "\n"), "does not say a file");
  expect_refused(sealed(title + content + rows + "a.pool 5 x" + kA.substr(1) + "\n"), "not a digest");
}

TEST(PoolManifest, NamesMustFitALine) {
  for (const char* name : {"", "a\nb.pool", "\x01.pool", "\xff.pool"}) {
    PoolManifest manifest = sample();
    manifest.shards[0].file = name;
    expect_error<InvalidInput>([&] { to_text(manifest); }, {"name of the file"});
  }
}

}  // namespace
}  // namespace dppl
