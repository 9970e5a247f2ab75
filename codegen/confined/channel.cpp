// Interface: channel.h. Covered by tests/runtime/device_protocol_test.cpp.
#include "codegen/confined/channel.h"

#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <vector>

namespace gpx::confined {
namespace {

constexpr std::size_t kMostBytes = std::size_t{1} << 32;
constexpr std::size_t kPart = 1 << 20;  ///< Read at once, so that a wrong length costs nothing.
constexpr int kPatience_ms = 20;        ///< How often `stop` is looked at.

struct Header {
  std::uint64_t bytes = 0;
  std::uint64_t kind = 0;
};

}  // namespace

Channel::~Channel() {
  if (descriptor_ >= 0) ::close(descriptor_);
}

std::optional<Channel::Got> Channel::ended(Limits& limits) {
  if (limits.stop && limits.stop->load(std::memory_order_relaxed)) return Got::stopped;
  if (!limits.deadline || Clock::now() < *limits.deadline) return std::nullopt;
  limits.deadline = limits.later ? limits.later() : std::nullopt;
  return limits.deadline ? std::nullopt : std::optional(Got::late);
}

Channel::Got Channel::wait(short events, Limits& limits) const {
  for (;;) {
    if (const auto end = ended(limits)) return *end;
    pollfd watched{descriptor_, events, 0};
    const int ready = ::poll(&watched, 1, kPatience_ms);
    if (ready > 0) return Got::message;
    if (ready < 0 && errno != EINTR) return Got::closed;
  }
}

// What is there already is read without a wait: most messages are.
Channel::Got Channel::read(void* data, std::size_t size, Limits& limits) const {
  auto* at = static_cast<std::uint8_t*>(data);
  while (size > 0) {
    if (const auto end = ended(limits)) return *end;
    const ssize_t count = ::recv(descriptor_, at, size, MSG_DONTWAIT);
    if (count < 0 && errno == EAGAIN) {
      if (const Got got = wait(POLLIN, limits); got != Got::message) return got;
    } else if (count < 0 && errno == EINTR) {
      continue;
    } else if (count <= 0) {
      return Got::closed;
    } else {
      at += count;
      size -= static_cast<std::size_t>(count);
    }
  }
  return Got::message;
}

// Header and body in one call: the other end wakes up once. (sendmsg() would need no copy; the
// walls of a confined process do not let it through.)
Channel::Got Channel::send(const Frame& frame, std::optional<Clock::time_point> deadline,
                           const std::atomic<bool>* stop) {
  const Later none;
  Limits limits{deadline, stop, none};
  const Header header{frame.body.size(), frame.kind};
  std::vector<std::uint8_t> bytes(sizeof header + frame.body.size());
  std::memcpy(bytes.data(), &header, sizeof header);
  std::copy(frame.body.begin(), frame.body.end(), bytes.begin() + sizeof header);
  for (std::size_t at = 0; at < bytes.size();) {
    if (const auto end = ended(limits)) return *end;
    // No signal where the other end is gone.
    const ssize_t count =
        ::send(descriptor_, bytes.data() + at, bytes.size() - at, MSG_DONTWAIT | MSG_NOSIGNAL);
    if (count < 0 && errno == EAGAIN) {
      if (const Got got = wait(POLLOUT, limits); got != Got::message) return got;
    } else if (count < 0 && errno == EINTR) {
      continue;
    } else if (count <= 0) {
      return Got::closed;
    } else {
      at += static_cast<std::size_t>(count);
    }
  }
  return Got::message;
}

Channel::Got Channel::receive(Frame& frame, std::uint64_t first, std::uint64_t last,
                              std::optional<Clock::time_point> deadline,
                              const std::atomic<bool>* stop, const Later& later) {
  Limits limits{deadline, stop, later};
  Header header;
  if (const Got got = read(&header, sizeof header, limits); got != Got::message) return got;
  if (header.kind < first || header.kind > last || header.bytes > kMostBytes) return Got::garbage;
  frame.kind = header.kind;
  frame.body.clear();
  while (frame.body.size() < header.bytes) {
    const std::size_t at = frame.body.size();
    frame.body.resize(std::min<std::size_t>(header.bytes, at + kPart));
    const Got got = read(frame.body.data() + at, frame.body.size() - at, limits);
    if (got != Got::message) return got;
  }
  return Got::message;
}

}  // namespace gpx::confined
