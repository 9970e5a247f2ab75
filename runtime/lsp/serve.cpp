// Bytes from a descriptor to the server, and back. Interface: serve.h; covered by
// tests/lsp/serve_test.cpp.
#include "runtime/lsp/serve.h"

#include <poll.h>
#include <unistd.h>

#include <array>
#include <cerrno>

#include "runtime/lsp/framing.h"

namespace gpx::lsp {
namespace {

constexpr int kLost = 1;
constexpr int kCannotWrite = 3;

bool write_all(int out, const std::string& bytes) {
  for (std::size_t done = 0; done < bytes.size();) {
    const ssize_t put = ::write(out, bytes.data() + done, bytes.size() - done);
    if (put < 0 && errno == EINTR) continue;
    if (put <= 0) return false;
    done += static_cast<std::size_t>(put);
  }
  return true;
}

bool write_messages(int out, const std::vector<std::string>& messages) {
  std::string bytes;
  for (const std::string& one : messages) bytes += framed(one);
  return write_all(out, bytes);
}

/// Whether a read would not wait. (At the end of the input it does not.)
bool is_ready(int in) {
  pollfd wanted{in, POLLIN, 0};
  return ::poll(&wanted, 1, 0) > 0;
}

/// False: the input has ended.
bool read_some(int in, FrameReader& frames) {
  std::array<char, 65536> buffer;
  ssize_t got;
  do got = ::read(in, buffer.data(), buffer.size());
  while (got < 0 && errno == EINTR);
  if (got <= 0) return false;
  frames.feed({buffer.data(), static_cast<std::size_t>(got)});
  return true;
}

}  // namespace

int serve(Server& server, int in, int out) {
  FrameReader frames;
  for (;;) {
    while (const auto frame = frames.next()) {
      const auto answers = frame->error.empty()
                               ? server.receive(frame->body)
                               : std::vector{server.refuse(frame->error, frame->too_large)};
      if (!write_messages(out, answers)) return kCannotWrite;
      if (server.ended()) return server.exit_status();
    }
    if (!is_ready(in) && !write_messages(out, server.idle())) return kCannotWrite;
    if (!read_some(in, frames)) break;
  }
  // Who closes the input without a word may still read what was wrong.
  write_messages(out, server.idle());
  return kLost;
}

}  // namespace gpx::lsp
