#include "support/running_program.h"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <chrono>
#include <stdexcept>
#include <thread>

extern char** environ;

namespace dppl::testing {
namespace {

constexpr std::chrono::seconds kPatience{20};

template <typename Done>
void wait_until(const Done& done, const std::string& what) {
  const auto end = std::chrono::steady_clock::now() + kPatience;
  while (!done()) {
    if (std::chrono::steady_clock::now() > end) throw std::runtime_error("waited in vain for " + what);
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
  }
}

}  // namespace

RunningProgram::RunningProgram(std::vector<std::string> args) {
  args.insert(args.begin(), DPPL_PROGRAM);
  std::vector<char*> argv;
  for (std::string& arg : args) argv.push_back(arg.data());
  argv.push_back(nullptr);
  std::array<int, 2> ends{};
  if (pipe2(ends.data(), O_CLOEXEC) != 0) throw std::runtime_error("pipe2");
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
  posix_spawn_file_actions_adddup2(&actions, ends[1], STDOUT_FILENO);
  posix_spawn_file_actions_addopen(&actions, STDERR_FILENO, files_.path("err").c_str(), O_WRONLY | O_CREAT, 0600);
  const int error = posix_spawn(&child_, argv[0], &actions, nullptr, argv.data(), environ);
  posix_spawn_file_actions_destroy(&actions);
  close(ends[1]);
  out_ = ends[0];
  if (error != 0) throw std::runtime_error("posix_spawn");
}

RunningProgram::~RunningProgram() {
  if (child_ > 0) {
    kill(child_, SIGKILL);
    waitpid(child_, nullptr, 0);
  }
  close(out_);
}

std::string RunningProgram::read_line() {
  size_t end = 0;
  while ((end = read_.find('\n')) == std::string::npos) {
    pollfd stream{out_, POLLIN, 0};
    std::array<char, 4096> buffer;
    if (poll(&stream, 1, static_cast<int>(std::chrono::milliseconds(kPatience).count())) <= 0)
      throw std::runtime_error("no line came");
    const ssize_t count = read(out_, buffer.data(), buffer.size());
    if (count <= 0) throw std::runtime_error("standard output has ended: " + err());
    read_.append(buffer.data(), static_cast<size_t>(count));
  }
  const std::string line = read_.substr(0, end);
  read_.erase(0, end + 1);
  return line;
}

std::string RunningProgram::err() const { return read_text(files_.path("err")); }

void RunningProgram::wait_for_err(const std::string& words) const {
  wait_until([&] { return err().find(words) != std::string::npos; }, "'" + words + "' in: " + err());
}

void RunningProgram::signal(int number) const { kill(child_, number); }

int RunningProgram::wait() {
  int status = 0;
  wait_until([&] { return waitpid(child_, &status, WNOHANG) == child_; }, "the program's end");
  child_ = -1;
  return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

}  // namespace dppl::testing
