// Reading and writing frames. Interface: framing.h; covered by tests/lsp/framing_test.cpp.
#include "runtime/lsp/framing.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <charconv>

#include "lang/words.h"

namespace gpx::lsp {
namespace {

bool is_named(std::string_view line, std::string_view name) {
  return line.size() >= name.size() &&
         std::equal(name.begin(), name.end(), line.begin(), [](char a, char b) {
           return a == static_cast<char>(std::tolower(static_cast<unsigned char>(b)));
         });
}

/// The number of a `Content-Length` among the header's lines; nothing where there is none, or two
/// that differ, or no number.
std::optional<std::size_t> length_of(std::string_view header) {
  constexpr std::string_view name = "content-length:";
  std::optional<std::size_t> length;
  while (!header.empty()) {
    std::string_view line = take_until(header, '\n');
    if (!is_named(line, name)) continue;
    line.remove_prefix(name.size());
    line.remove_prefix(std::min(line.find_first_not_of(" \t"), line.size()));
    std::size_t value = 0;
    const auto [stop, error] = std::from_chars(line.data(), line.data() + line.size(), value);
    const std::string_view rest(stop, static_cast<std::size_t>(line.data() + line.size() - stop));
    if (error != std::errc{} || rest.find_first_not_of(" \t\r") != std::string_view::npos)
      return std::nullopt;
    if (length && *length != value) return std::nullopt;
    length = value;
  }
  return length;
}

/// Bytes up to and with the empty line that ends a header; npos where it is not there yet.
std::size_t header_size(std::string_view bytes) {
  for (std::size_t at = 0;;) {
    const std::size_t end = bytes.find('\n', at);
    if (end == std::string_view::npos) return end;
    const std::string_view line = bytes.substr(at, end - at);
    at = end + 1;
    if (line.empty() || line == "\r") return at;
  }
}

Frame broken(std::string what) {
  return {{}, std::move(what), false};
}

}  // namespace

std::optional<Frame> FrameReader::next() {
  skip();
  std::optional<Frame> frame;
  if (skip_ == 0 && !body_) frame = header();
  if (!frame && body_) frame = message();
  // What was taken is forgotten from time to time, not after every message.
  if (at_ == waiting_.size() || at_ > kMostBytes) {
    waiting_.erase(0, at_);
    at_ = 0;
  }
  return frame;
}

std::optional<Frame> FrameReader::header() {
  // Empty lines between two messages are nobody's.
  while (at_ < waiting_.size() && (waiting_[at_] == '\r' || waiting_[at_] == '\n')) ++at_;
  const std::string_view bytes = std::string_view(waiting_).substr(at_);
  const std::size_t size = header_size(bytes.substr(0, kMostHeader));
  if (size == std::string_view::npos) {
    if (bytes.size() < kMostHeader) return std::nullopt;
    at_ += kMostHeader;
    return broken(fmt::format("a header of more than {} bytes", kMostHeader));
  }
  at_ += size;
  const auto length = length_of(bytes.substr(0, size));
  if (!length) return broken("a header without one Content-Length");
  if (*length > kMostBytes) {
    skip_ = *length;
    skip();
    return Frame{
        {}, fmt::format("a message of {} bytes: at most {} are read", *length, kMostBytes), true};
  }
  body_ = length;
  return std::nullopt;
}

std::optional<Frame> FrameReader::message() {
  if (waiting_.size() - at_ < *body_) return std::nullopt;
  Frame frame{waiting_.substr(at_, *body_), {}, false};
  at_ += *body_;
  body_.reset();
  return frame;
}

void FrameReader::skip() {
  const std::size_t here = std::min(skip_, waiting_.size() - at_);
  at_ += here;
  skip_ -= here;
}

std::string framed(const std::string& message) {
  return fmt::format("Content-Length: {}\r\n\r\n{}", message.size(), message);
}

}  // namespace gpx::lsp
