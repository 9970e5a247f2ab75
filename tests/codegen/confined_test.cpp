// Work in a process of its own: what comes back, how it ends, and what its walls keep from it.
#include "codegen/confined/confined.h"

#include <doctest/doctest.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <cstdlib>
#include <fstream>
#include <thread>
#include <vector>

#include "codegen/confined/error_wire.h"
#include "codegen/confined/walls.h"

using namespace gpx;
using confined::Asker;
using confined::Limits;
using confined::Outcome;
using How = confined::Outcome::How;

namespace {

wire::Bytes bytes_of(const std::string& text) {
  return {text.begin(), text.end()};
}
std::string text_of(const wire::Bytes& bytes) {
  return {bytes.begin(), bytes.end()};
}

/// What `look` says there.
std::string seen(const Limits& limits, const std::function<std::string()>& look) {
  const Outcome outcome = confined::run(limits, [&](Asker&) { return bytes_of(look()); });
  CAPTURE(outcome.why);
  REQUIRE(outcome.how == How::done);
  return text_of(outcome.result);
}

double seconds_of(const std::function<void()>& what) {
  const auto begin = std::chrono::steady_clock::now();
  what();
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
}

std::string opened(const char* path, int flags) {
  return ::open(path, flags, 0600) >= 0 ? "opened" : "refused";
}

}  // namespace

TEST_CASE("the work has its inputs by memory and gives bytes; what it changes stays there") {
  int number = 6;
  const Outcome outcome = confined::run({}, [&](Asker&) {
    number *= 7;
    return bytes_of(std::to_string(number));
  });
  REQUIRE(outcome.how == How::done);
  CHECK(text_of(outcome.result) == "42");
  CHECK(number == 6);
}

TEST_CASE("it asks and tells on the way") {
  std::string told;
  const Outcome outcome = confined::run(
      {},
      [](Asker& asker) {
        asker.tell(bytes_of("begun"));
        return asker.ask(bytes_of("ping"));
      },
      [&](const wire::Bytes& request) {
        told += text_of(request) + ' ';
        return bytes_of(text_of(request) == "ping" ? "pong" : "");
      });
  CHECK(outcome.how == How::done);
  CHECK(text_of(outcome.result) == "pong");
  CHECK(told == "begun ping ");
}

TEST_CASE("it is ended when its time is over, and says where it was") {
  const Outcome outcome = confined::run({.seconds = 0.2}, [](Asker&) -> wire::Bytes {
    confined::watch(
        [](void*, confined::Place& place) {
          place.line = 12;
          place.chunk[0] = 'x';
        },
        nullptr);
    for (;;) std::this_thread::yield();
  });
  CHECK(outcome.how == How::late);
  CHECK(outcome.place.line == 12);
  CHECK(std::string(outcome.place.chunk) == "x");
}

TEST_CASE("what it waits for is not its time, and it may be allowed more") {
  const auto slow = [](const wire::Bytes&) {
    std::this_thread::sleep_for(std::chrono::milliseconds(1600));
    return wire::Bytes();
  };
  const auto asks = [](Asker& asker) { return asker.ask({}); };
  CHECK(confined::run({.seconds = 0.2}, asks, slow).how == How::done);
  const Outcome outcome = confined::run({.seconds = 0.1}, [](Asker&) {
    confined::allow(10);
    const auto end = std::chrono::steady_clock::now() + std::chrono::milliseconds(1500);
    while (std::chrono::steady_clock::now() < end) std::this_thread::yield();
    return wire::Bytes();
  });
  CHECK(outcome.how == How::done);
}

TEST_CASE("a raised flag ends it at once") {
  std::atomic<bool> stop = false;
  std::jthread later([&] {
    std::this_thread::sleep_for(std::chrono::milliseconds(50));
    stop = true;
  });
  Outcome outcome;
  const double took = seconds_of([&] {
    outcome = confined::run(
        {},
        [](Asker&) -> wire::Bytes {
          for (;;) std::this_thread::yield();
        },
        {}, &stop);
  });
  CHECK(outcome.how == How::stopped);
  CHECK(took < 30);  // not its 60 s
}

TEST_CASE("how it died is said") {
  const auto died = [](const confined::Work& work) {
    const Outcome outcome = confined::run({.memory_bytes = std::uint64_t{256} << 20}, work);
    CHECK(outcome.how == How::died);
    return outcome.why;
  };
  CHECK(died([](Asker&) -> wire::Bytes { throw std::runtime_error("no more"); }) == "no more");
  CHECK(died([](Asker&) -> wire::Bytes { ::_exit(7); }) == "ended with status 7");
#ifndef GPX_SANITIZED  // It ends the process itself, and says so.
  CHECK(died([](Asker&) -> wire::Bytes {
          *static_cast<volatile int*>(nullptr) = 1;
          return {};
        }).find("was killed by signal 11") == 0);
  CHECK(died([](Asker&) -> wire::Bytes {
          std::vector<std::vector<char>> all;
          for (;;) all.emplace_back(std::size_t{64} << 20, 'x');
        }) == "ran out of memory");
#endif
}

TEST_CASE("it writes no file, starts no process, talks to nobody and signals nobody") {
  const std::string path = "/tmp/gpx-confined-" + std::to_string(::getpid());
  std::ofstream(path) << "text";
  CHECK(seen({}, [&] { return opened(path.c_str(), O_WRONLY); }) == "refused");
  CHECK(seen({}, [&] { return opened((path + "x").c_str(), O_WRONLY | O_CREAT); }) == "refused");
  CHECK(seen({}, [&] { return ::unlink(path.c_str()) == 0 ? "removed" : "refused"; }) == "refused");
  if (confined::seccomp_missing().empty()) {
    CHECK(seen({}, [] { return ::fork() >= 0 ? "forked" : "refused"; }) == "refused");
    CHECK(seen({}, [] { return ::socket(AF_INET, SOCK_STREAM, 0) >= 0 ? "socket" : "refused"; }) ==
          "refused");
    CHECK(seen({}, [] { return ::kill(::getppid(), 0) == 0 ? "signalled" : "refused"; }) ==
          "refused");
    CHECK(seen({}, [] {
            char* none[] = {nullptr};
            ::execve("/bin/true", none, none);
            return "refused";
          }) == "refused");
  }
  ::unlink(path.c_str());
}

TEST_CASE("it reads what it is given to read and nothing else") {
  if (!confined::landlock_missing().empty()) return;
  const std::string folder = "/tmp/gpx-readable-" + std::to_string(::getpid());
  REQUIRE(std::system(
              ("mkdir -p " + folder + "/below && echo x > " + folder + "/below/file").c_str()) ==
          0);
  const Limits limits{.readable = {folder}};
  const auto look = [&](const char* path) {
    return seen(limits, [&] { return opened(path, O_RDONLY); });
  };
  CHECK(look((folder + "/below/file").c_str()) == "opened");
  CHECK(look("/etc/hostname") == "refused");
  CHECK(look("/proc/sys/kernel/pid_max") == "refused");
  CHECK(seen({}, [&] { return opened((folder + "/below/file").c_str(), O_RDONLY); }) == "refused");
  CHECK(std::system(("rm -r " + folder).c_str()) == 0);
}

TEST_CASE("errors go over whole") {
  const Error error{
      Fault::device,
      {{"first", Location{"a.lua", 3, 5, 2, "  x = 1"}, "a hint"}, {"second", {}, ""}}};
  const Result<std::string> failed = tl::unexpected(error);
  const auto back = confined::result_from<std::string>(confined::to_bytes(failed));
  REQUIRE_FALSE(back.has_value());
  CHECK(back.error().fault == Fault::device);
  CHECK(back.error().diagnostics == error.diagnostics);
  CHECK(*confined::result_from<std::string>(confined::to_bytes(Result<std::string>("fine"))) ==
        "fine");
  CHECK_FALSE(confined::result_from<std::string>({1, 2, 3}).has_value());
}
