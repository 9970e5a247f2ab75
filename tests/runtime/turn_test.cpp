// One gpx at a time on a device: processes that hold its lock, end, and are killed.
#include "runtime/device/turn.h"

#include <doctest/doctest.h>
#include <fmt/format.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

using namespace gpx;

namespace {

/// A process that holds the lock until it is killed.
class Holder {
 public:
  explicit Holder(const std::string& uuid) {
    int ends[2];
    REQUIRE(::pipe(ends) == 0);
    process_ = ::fork();
    REQUIRE(process_ >= 0);
    if (process_ == 0) {
      const Turn turn = Turn::wait(uuid, nullptr, {});
      if (::write(ends[1], "x", 1) == 1)
        for (;;) ::pause();
      ::_exit(1);
    }
    char begun = 0;
    REQUIRE(::read(ends[0], &begun, 1) == 1);
    ::close(ends[0]);
    ::close(ends[1]);
  }
  ~Holder() { kill(); }
  void kill() {
    if (process_ <= 0) return;
    ::kill(process_, SIGKILL);
    ::waitpid(process_, nullptr, 0);
    process_ = 0;
  }

 private:
  pid_t process_ = 0;
};

std::string device() {
  return fmt::format("GPU-test-{}", ::getpid());
}

}  // namespace

TEST_CASE("two_gpx_on_one_gpu: the second one waits, and goes on when the first is killed") {
  Holder first(device());
  CHECK(Turn::taken(device()));
  unsigned said = 0;
  const Turn turn = Turn::wait(device(), nullptr, [&] {
    ++said;
    first.kill();
  });
  CHECK(said == 1);
  CHECK(turn.held());
}

TEST_CASE("two_gpx_on_one_gpu: one that is stopped waits no longer") {
  Holder first(device());
  const std::atomic<bool> stop = true;
  CHECK(!Turn::wait(device(), &stop, {}).held());
}

TEST_CASE("two_gpx_on_one_gpu: two that need both GPUs never wait for each other") {
  const std::string one = device() + "a", other = device() + "b";
  constexpr int kTimes = 30;
  constexpr unsigned kSeconds = 20;
  pid_t processes[2];
  for (int i = 0; i < 2; ++i) {
    processes[i] = ::fork();
    REQUIRE(processes[i] >= 0);
    if (processes[i] != 0) continue;
    ::alarm(kSeconds);  // Ends one that waits forever.
    for (int time = 0; time < kTimes; ++time) {
      const auto turns =
          Turn::wait(i == 0 ? std::vector{one, other} : std::vector{other, one, one}, nullptr, {});
      if (turns.size() != 2 || !turns[0].held() || !turns[1].held()) ::_exit(1);
      ::usleep(200);
    }
    ::_exit(0);
  }
  for (const pid_t process : processes) {
    int status = -1;
    ::waitpid(process, &status, 0);
    CHECK(status == 0);
  }
  Holder first(other);
  const std::atomic<bool> stop = true;
  CHECK(Turn::wait({one, other}, &stop, {}).empty());
  CHECK(!Turn::taken(one));
}

TEST_CASE("two devices are two locks, and a lock is given back") {
  { CHECK(Turn::wait(device() + "a", nullptr, {}).held()); }
  CHECK(!Turn::taken(device() + "a"));
  Holder first(device() + "b");
  CHECK(!Turn::taken(device() + "a"));
}
