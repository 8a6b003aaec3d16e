#include "base/atomic_file.h"

#include <gtest/gtest.h>
#include <sched.h>
#include <sys/mount.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>

#include "dppl/error.h"
#include "support/expect_error.h"
#include "support/temp_dir.h"

namespace dppl {
namespace {

using testing::expect_error;
using testing::read_text;
using testing::TempDir;

TEST(AtomicFile, AppearsCompleteOrNotAtAll) {
  const TempDir dir;
  const std::string path = dir.path("a.bin");
  {
    AtomicFile file(path);
    file.write("half of ");
    EXPECT_FALSE(std::filesystem::exists(path));
    file.write("it");
    file.write_at(0, std::string_view("HALF"));
    file.commit();
  }
  EXPECT_EQ(read_text(path), "HALF of it");
  {
    AtomicFile abandoned(path);
    abandoned.write("new");
  }
  EXPECT_EQ(read_text(path), "HALF of it");
  EXPECT_EQ(dir.entries(), 1u);
}

TEST(AtomicFile, TwoWritersDoNotMeet) {
  const TempDir dir;
  AtomicFile first(dir.path("x")), second(dir.path("x"));
  first.write("first");
  second.write("second");
  second.commit();
  first.commit();
  EXPECT_EQ(read_text(dir.path("x")), "first");
  EXPECT_EQ(dir.entries(), 1u);
}

TEST(AtomicFile, FollowsLinksAndSparesWhatIsNoFile) {
  const TempDir dir;
  dir.file("real", "old");
  std::filesystem::create_symlink("real", dir.path("link"));
  AtomicFile file(dir.path("link"));
  file.write("new");
  file.commit();
  EXPECT_EQ(read_text(dir.path("real")), "new");
  EXPECT_TRUE(std::filesystem::is_symlink(dir.path("link")));
  expect_error<InvalidInput>([] { AtomicFile("/dev/null"); }, {"/dev/null: is a directory, a pipe or a device"});
  expect_error<InvalidInput>([&] { AtomicFile(dir.path("")); }, {"is a directory"});
}

TEST(AtomicFile, HasTheModeOfAnyNewFile) {
  const TempDir dir;
  const mode_t before = umask(027);
  AtomicFile file(dir.path("x"));
  umask(before);
  file.commit();
  struct stat status {};
  ASSERT_EQ(stat(dir.path("x").c_str(), &status), 0);
  EXPECT_EQ(status.st_mode & 0777u, 0640u);
}

TEST(AtomicFile, NamesThePathItCannotWrite) {
  const TempDir dir;
  dir.file("file", "");
  for (const std::string& path : {dir.path("absent/x"), dir.path("file/x"), dir.path("new/"), std::string()}) {
    expect_error<IoError>([&] { AtomicFile{path}; }, {path + ": cannot write"});
  }
}

// Runs `action` in a child process, which may change its limits and mounts; returns its exit status.
template <typename Action>
int in_child(Action action) {
  const pid_t child = fork();
  if (child == 0) _exit(action());
  int status = 0;
  waitpid(child, &status, 0);
  return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

// 0 when writing a megabyte in this directory fails with the word, naming the path, and leaves nothing behind.
int write_must_fail(const TempDir& dir, std::string_view word) {
  try {
    AtomicFile file(dir.path("x"));
    file.write(std::string(1 << 20, 'x'));
    file.commit();
    return 1;
  } catch (const IoError& error) {
    const std::string_view what = error.what();
    if (!what.starts_with(dir.path("x") + ": cannot write: ") || what.find(word) == std::string_view::npos) return 2;
  }
  return dir.entries() == 0 ? 0 : 3;
}

TEST(AtomicFile, LeavesNothingWhenAFileMayNotGrow) {
  const TempDir dir;
  EXPECT_EQ(in_child([&] {
              const rlimit limit{4096, 4096};
              signal(SIGXFSZ, SIG_IGN);
              if (setrlimit(RLIMIT_FSIZE, &limit) != 0) return 4;
              return write_must_fail(dir, "File too large");
            }),
            0);
}

TEST(AtomicFile, LeavesNothingWhenTheDiskIsFull) {
  constexpr int kMayNotMount = 77;
  const TempDir dir;
  const int status = in_child([&] {
    const bool alone = unshare(CLONE_NEWNS) == 0 || unshare(CLONE_NEWUSER | CLONE_NEWNS) == 0;
    if (!alone || mount(nullptr, "/", nullptr, MS_REC | MS_PRIVATE, nullptr) != 0) return kMayNotMount;
    if (mount("none", dir.path("").c_str(), "tmpfs", 0, "size=64k") != 0) return kMayNotMount;
    return write_must_fail(dir, "No space left on device");
  });
  if (status == kMayNotMount) GTEST_SKIP() << "this user may not mount a small disk";
  EXPECT_EQ(status, 0);
}

}  // namespace
}  // namespace dppl
