#include "support/run_program.h"

#include <fcntl.h>
#include <poll.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <system_error>

extern char** environ;

namespace dppl {
namespace {

void require(bool good, int error, const char* what) {
  if (!good) throw std::system_error(error, std::generic_category(), what);
}

class Pipe {
 public:
  Pipe() { require(pipe2(ends_.data(), O_CLOEXEC) == 0, errno, "pipe2"); }
  Pipe(const Pipe&) = delete;
  Pipe& operator=(const Pipe&) = delete;
  ~Pipe() {
    close(ends_[0]);
    close_writer();
  }
  int reader() const { return ends_[0]; }
  int writer() const { return ends_[1]; }
  void close_writer() {
    if (ends_[1] >= 0) close(ends_[1]);
    ends_[1] = -1;
  }

 private:
  std::array<int, 2> ends_{};
};

// Appends what is there; false at the end of the stream.
bool drain(int descriptor, std::string& text) {
  std::array<char, 65536> buffer;
  const ssize_t count = read(descriptor, buffer.data(), buffer.size());
  if (count < 0 && errno == EINTR) return true;
  require(count >= 0, errno, "read");
  text.append(buffer.data(), static_cast<size_t>(count));
  return count > 0;
}

// Reads both streams as they come: a program that fills one while we wait on the other would never end.
void drain_both(int out, int err, RunResult& result) {
  std::array<pollfd, 2> streams{{{out, POLLIN, 0}, {err, POLLIN, 0}}};
  while (streams[0].fd >= 0 || streams[1].fd >= 0) {
    if (poll(streams.data(), streams.size(), -1) < 0) {
      require(errno == EINTR, errno, "poll");
      continue;
    }
    if (streams[0].revents != 0 && !drain(out, result.out)) streams[0].fd = -1;
    if (streams[1].revents != 0 && !drain(err, result.err)) streams[1].fd = -1;
  }
}

pid_t start(std::vector<std::string>& args, const Pipe& out, const Pipe& err) {
  std::vector<char*> argv;
  for (std::string& arg : args) argv.push_back(arg.data());
  argv.push_back(nullptr);

  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
  posix_spawn_file_actions_adddup2(&actions, out.writer(), STDOUT_FILENO);
  posix_spawn_file_actions_adddup2(&actions, err.writer(), STDERR_FILENO);
  pid_t child = 0;
  const int error = posix_spawnp(&child, argv[0], &actions, nullptr, argv.data(), environ);
  posix_spawn_file_actions_destroy(&actions);
  require(error == 0, error, argv[0]);
  return child;
}

int wait_for(pid_t child) {
  int status = 0;
  while (waitpid(child, &status, 0) < 0) require(errno == EINTR, errno, "waitpid");
  return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

}  // namespace

RunResult run_program(std::vector<std::string> args) {
  args.insert(args.begin(), DPPL_PROGRAM);
  return run_command(std::move(args));
}

RunResult run_command(std::vector<std::string> command) {
  Pipe out, err;
  const pid_t child = start(command, out, err);
  out.close_writer();
  err.close_writer();
  RunResult result{};
  drain_both(out.reader(), err.reader(), result);
  result.status = wait_for(child);
  return result;
}

}  // namespace dppl
