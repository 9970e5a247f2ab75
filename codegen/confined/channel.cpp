// Interface: channel.h. Covered by tests/runtime/device_protocol_test.cpp.
#include "codegen/confined/channel.h"

#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>

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

Channel::Got Channel::wait(short events, const Limits& limits) const {
  for (;;) {
    if (limits.stop && limits.stop->load(std::memory_order_relaxed)) return Got::stopped;
    if (limits.deadline && Clock::now() >= *limits.deadline) return Got::late;
    pollfd watched{descriptor_, events, 0};
    const int ready = ::poll(&watched, 1, kPatience_ms);
    if (ready > 0) return Got::message;
    if (ready < 0 && errno != EINTR) return Got::closed;
  }
}

Channel::Got Channel::read(void* data, std::size_t size, const Limits& limits) const {
  auto* at = static_cast<std::uint8_t*>(data);
  while (size > 0) {
    if (const Got got = wait(POLLIN, limits); got != Got::message) return got;
    const ssize_t count = ::recv(descriptor_, at, size, MSG_DONTWAIT);
    if (count < 0 && (errno == EINTR || errno == EAGAIN)) continue;
    if (count <= 0) return Got::closed;
    at += count;
    size -= static_cast<std::size_t>(count);
  }
  return Got::message;
}

Channel::Got Channel::write(const void* data, std::size_t size, const Limits& limits) const {
  const auto* at = static_cast<const std::uint8_t*>(data);
  while (size > 0) {
    if (const Got got = wait(POLLOUT, limits); got != Got::message) return got;
    // No signal where the other end is gone.
    const ssize_t count = ::send(descriptor_, at, size, MSG_DONTWAIT | MSG_NOSIGNAL);
    if (count < 0 && (errno == EINTR || errno == EAGAIN)) continue;
    if (count <= 0) return Got::closed;
    at += count;
    size -= static_cast<std::size_t>(count);
  }
  return Got::message;
}

Channel::Got Channel::send(const Frame& frame, std::optional<Clock::time_point> deadline,
                           const std::atomic<bool>* stop) {
  const Limits limits{deadline, stop};
  const Header header{frame.body.size(), frame.kind};
  if (const Got got = write(&header, sizeof header, limits); got != Got::message) return got;
  return write(frame.body.data(), frame.body.size(), limits);
}

Channel::Got Channel::receive(Frame& frame, std::uint64_t first, std::uint64_t last,
                              std::optional<Clock::time_point> deadline,
                              const std::atomic<bool>* stop) {
  const Limits limits{deadline, stop};
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
