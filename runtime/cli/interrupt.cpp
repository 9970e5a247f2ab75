#include "runtime/cli/interrupt.h"

#include <csignal>

namespace gpx::cli {
namespace {

std::atomic<bool> stop_requested{false};
static_assert(std::atomic<bool>::is_always_lock_free, "a signal handler may not lock");

void on_signal(int number) {
  if (stop_requested.exchange(true)) {
    std::signal(number, SIG_DFL);
    std::raise(number);
  }
}

void handle(void (*handler)(int)) {
  struct sigaction action {};
  action.sa_handler = handler;
  sigemptyset(&action.sa_mask);
  for (const int number : {SIGINT, SIGTERM}) sigaction(number, &action, nullptr);
}

}  // namespace

InterruptGuard::InterruptGuard() {
  stop_requested = false;
  handle(on_signal);
}

InterruptGuard::~InterruptGuard() {
  handle(SIG_DFL);
}

const std::atomic<bool>& InterruptGuard::flag() const {
  return stop_requested;
}

}  // namespace gpx::cli
