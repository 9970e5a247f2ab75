#include "runtime/cli/interrupt.h"

#include <csignal>
#include <cstdint>
#include <ctime>

#include "codegen/confined/confined.h"

namespace gpx::cli {
namespace {

constexpr std::int64_t kPatienceMs = 1000;  ///< A key that is pressed twice means the same.

std::atomic<bool> stop_requested{false};
static_assert(std::atomic<bool>::is_always_lock_free, "a signal handler may not lock");

std::atomic<std::int64_t> first_at{0};
static_assert(std::atomic<std::int64_t>::is_always_lock_free, "a signal handler may not lock");

std::int64_t milliseconds() {
  timespec now{};
  clock_gettime(CLOCK_MONOTONIC, &now);
  return std::int64_t{now.tv_sec} * 1000 + now.tv_nsec / 1'000'000;
}

void on_signal(int number) {
  if (!stop_requested.exchange(true)) {
    first_at = milliseconds();
  } else if (milliseconds() - first_at >= kPatienceMs) {
    std::signal(number, SIG_DFL);
    std::raise(number);
  }
}

}  // namespace

InterruptGuard::InterruptGuard() {
  stop_requested = false;
  confined::stop_by(&stop_requested);
  struct sigaction action {};
  action.sa_handler = on_signal;
  sigemptyset(&action.sa_mask);
  sigaction(SIGINT, &action, &interrupt_before_);
  sigaction(SIGTERM, &action, &terminate_before_);
}

InterruptGuard::~InterruptGuard() {
  confined::stop_by(nullptr);
  sigaction(SIGINT, &interrupt_before_, nullptr);
  sigaction(SIGTERM, &terminate_before_, nullptr);
}

IgnoredInterrupts::IgnoredInterrupts() {
  struct sigaction action {};
  action.sa_handler = [](int) {};  // Not SIG_IGN, which programs that are started would inherit.
  sigemptyset(&action.sa_mask);
  sigaction(SIGINT, &action, &before_);
}

IgnoredInterrupts::~IgnoredInterrupts() {
  sigaction(SIGINT, &before_, nullptr);
}

const std::atomic<bool>& InterruptGuard::flag() {
  return stop_requested;
}

}  // namespace gpx::cli
