#pragma once

#include <pybind11/pybind11.h>

#include <atomic>
#include <chrono>
#include <future>
#include <mutex>
#include <string>
#include <utility>

namespace dppl::python {

namespace py = pybind11;

// Thrown out of the library's own progress calls when the user has pressed Ctrl-C.
struct Interrupted {};

// What long work and the interpreter tell each other.
class Work {
 public:
  // From any thread of the work.
  void progress(double fraction) {
    fraction_ = fraction;
    check();
  }
  void check() const {
    if (stopped_) throw Interrupted{};
  }
  // What an interruption from now on costs, for people.
  void say_when_interrupted(std::string said) {
    const std::lock_guard lock(mutex_);
    said_ = std::move(said);
  }

  void stop() { stopped_ = true; }
  double fraction() const { return fraction_; }
  std::string said() const {
    const std::lock_guard lock(mutex_);
    return said_;
  }

 private:
  std::atomic<bool> stopped_ = false;
  std::atomic<double> fraction_ = 0;
  mutable std::mutex mutex_;
  std::string said_;
};

template <typename T>
struct Finished {
  T value;
  bool interrupted;  // too late: the work was done already, and is not thrown away
};

// Does the work on a thread of its own, without the interpreter's lock, while this thread looks for Ctrl-C and reports
// progress. Whoever interrupts gets a KeyboardInterrupt that says what stays as it is.
template <typename Do>
auto interruptible(const py::object& progress, const Do& work_on) {
  using Value = decltype(work_on(std::declval<Work&>()));
  Work work;
  std::future<Value> result;
  bool interrupted = false;
  {
    const py::gil_scoped_release unlocked;
    result = std::async(std::launch::async, [&] { return work_on(work); });
    double told = 0;
    while (result.wait_for(std::chrono::milliseconds(20)) != std::future_status::ready) {
      const py::gil_scoped_acquire lock;
      if (!interrupted && PyErr_CheckSignals() != 0) {
        PyErr_Clear();
        interrupted = true;
        work.stop();
      }
      if (const double now = work.fraction(); !interrupted && !progress.is_none() && now > told) {
        try {
          progress(now);
        } catch (py::error_already_set& error) {
          error.discard_as_unraisable("dppl: progress");
        }
        told = now;
      }
    }
  }
  try {
    return Finished<Value>{result.get(), interrupted};
  } catch (const Interrupted&) {
    PyErr_SetString(PyExc_KeyboardInterrupt, work.said().c_str());
    throw py::error_already_set();
  }
}

// For work that can be done again at no cost: an interruption that came too late is one all the same.
template <typename T>
T unless_interrupted(Finished<T> finished) {
  if (!finished.interrupted) return std::move(finished.value);
  PyErr_SetNone(PyExc_KeyboardInterrupt);
  throw py::error_already_set();
}

}  // namespace dppl::python
