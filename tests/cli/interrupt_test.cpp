#include "runtime/cli/interrupt.h"

#include <doctest/doctest.h>

#include <csignal>

using namespace gpx::cli;

TEST_CASE("the first Ctrl-C asks for a stop and the process lives") {
  const InterruptGuard guard;
  CHECK_FALSE(guard.interrupted());
  std::raise(SIGINT);
  CHECK(guard.interrupted());
}

TEST_CASE("a key that is pressed twice means the same") {
  const InterruptGuard guard;
  std::raise(SIGINT);
  std::raise(SIGINT);
  CHECK(guard.interrupted());
}

TEST_CASE("between two runs of a REPL Ctrl-C does nothing, also after a run") {
  const IgnoredInterrupts ignored;
  { const InterruptGuard guard; }
  std::raise(SIGINT);
  CHECK_FALSE(InterruptGuard::flag());
}

TEST_CASE("a new run starts without the last one's stop") {
  {
    const InterruptGuard guard;
    std::raise(SIGTERM);
  }
  const InterruptGuard guard;
  CHECK_FALSE(guard.interrupted());
}
