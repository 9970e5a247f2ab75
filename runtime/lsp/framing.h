// Framing of the base protocol: `Content-Length: N`, an empty line, N bytes of one message.
//
// Bytes go in as they come, messages come out whole. What is no frame is an error, after which the
// next header is looked for: one bad header does not end a session. Covered by
// tests/lsp/framing_test.cpp.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

namespace gpx::lsp {

/// One message, or what is wrong with what came instead of one.
struct Frame {
  std::string body;
  std::string error;       ///< "" for a message.
  bool too_large = false;  ///< The header was right; the message was skipped.
};

class FrameReader {
 public:
  static constexpr std::size_t kMostBytes = std::size_t{16} << 20;  ///< Of one message.
  static constexpr std::size_t kMostHeader = 8192;                  ///< Of the lines before it.

  void feed(std::string_view bytes) { waiting_.append(bytes); }
  /// Nothing: more bytes are needed.
  std::optional<Frame> next();
  /// Whether the bytes end inside of a header or a message.
  bool unfinished() const { return skip_ > 0 || body_.has_value() || at_ < waiting_.size(); }

 private:
  std::optional<Frame> header();
  std::optional<Frame> message();
  void skip();

  std::string waiting_;  ///< From `at_` on not yet taken.
  std::size_t at_ = 0;
  std::optional<std::size_t> body_;  ///< Bytes of the message that follows.
  std::size_t skip_ = 0;             ///< Bytes of a message that is too large.
};

/// The message with its header.
std::string framed(const std::string& message);

}  // namespace gpx::lsp
