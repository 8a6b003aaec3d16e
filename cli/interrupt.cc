#include "cli/interrupt.h"

#include <signal.h>
#include <unistd.h>

#include <atomic>
#include <deque>

namespace dppl::cli {
namespace {

// A pointer that a signal handler can read; the strings are never freed.
std::atomic<const std::string*> message{nullptr};
static_assert(std::atomic<const std::string*>::is_always_lock_free);

// Only what may be called in a signal handler.
extern "C" void interrupted(int number) {
  if (const std::string* text = message.load()) {
    [[maybe_unused]] const ssize_t written = ::write(STDERR_FILENO, text->data(), text->size());
  }
  ::raise(number);  // once more, now with the default action
}

}  // namespace

void say_when_interrupted(const std::string& state) {
  static auto& kept = *new std::deque<std::string>;  // a signal may come while the program ends
  kept.push_back("\ndppl: interrupted; " + state + "\n");
  message.store(&kept.back());
  struct sigaction action {};
  action.sa_handler = interrupted;
  action.sa_flags = static_cast<int>(SA_RESETHAND | SA_NODEFER);
  for (const int number : {SIGINT, SIGTERM}) ::sigaction(number, &action, nullptr);
}

}  // namespace dppl::cli
