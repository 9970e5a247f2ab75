// GPX_ASSERT where it is on: what it prints, and that the program ends there.
#undef GPX_ASSERTIONS
#define GPX_ASSERTIONS
#include "lang/assert.h"

#include <doctest/doctest.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <functional>
#include <string>

namespace {

struct Ended {
  int signal = 0;  ///< 0 where it returned.
  std::string errors;
};

/// Runs `body` in a process of its own.
Ended run_apart(const std::function<void()>& body) {
  int ends[2];
  REQUIRE(::pipe(ends) == 0);
  const pid_t child = ::fork();
  if (child == 0) {
    std::signal(SIGABRT, SIG_DFL);  // Not doctest's.
    const rlimit no_core{0, 0};
    ::setrlimit(RLIMIT_CORE, &no_core);
    ::dup2(ends[1], STDERR_FILENO);
    body();
    ::_exit(0);
  }
  ::close(ends[1]);
  Ended ended;
  char bytes[256];
  for (ssize_t got; (got = ::read(ends[0], bytes, sizeof bytes)) > 0;)
    ended.errors.append(bytes, static_cast<std::size_t>(got));
  ::close(ends[0]);
  int status = 0;
  ::waitpid(child, &status, 0);
  if (WIFSIGNALED(status)) ended.signal = WTERMSIG(status);
  return ended;
}

TEST_CASE("assertions that hold are evaluated once and let the program go on") {
  int evaluated = 0;
  const auto once = [&] { return ++evaluated == 1; };
  GPX_ASSERT(once());
  CHECK(evaluated == 1);
  CHECK(run_apart([] { GPX_ASSERT(1 + 1 == 2, "sum %d", 2); }).signal == 0);
}

TEST_CASE("a broken assertion prints its place and condition and aborts") {
  const Ended ended = run_apart([] { GPX_ASSERT(1 + 1 == 3); });
  CHECK(ended.signal == SIGABRT);
  CHECK(ended.errors.find("assert_test.cpp:") != std::string::npos);
  CHECK(ended.errors.find(": this must hold: 1 + 1 == 3\n") != std::string::npos);
}

TEST_CASE("a broken assertion prints its message") {
  const Ended ended = run_apart([] { GPX_ASSERT(false, "point %d of a sweep of %s", 4, "3"); });
  CHECK(ended.signal == SIGABRT);
  CHECK(ended.errors.find("this must hold: false (point 4 of a sweep of 3)\n") !=
        std::string::npos);
}

TEST_CASE("an assertion stands in a function that is computed when compiling") {
  const auto half = [](int number) constexpr {
    GPX_ASSERT(number % 2 == 0);
    return number / 2;
  };
  static_assert(half(6) == 3);
}

}  // namespace
