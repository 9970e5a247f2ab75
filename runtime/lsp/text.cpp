// Positions as a language client counts them. Interface: text.h; covered by
// tests/lsp/text_test.cpp.
#include "runtime/lsp/text.h"

#include <algorithm>

#include "lang/utf8.h"

namespace gpx::lsp {
namespace {

/// Bytes of the character at `i`; what is not UTF-8 counts byte by byte.
std::size_t character_bytes(const std::string& text, std::size_t i) {
  return std::max<std::size_t>(1, utf8_length(text, i));
}

/// UTF-16 has two units for what lies beyond the first plane, which is what takes four bytes.
std::size_t units_of(std::size_t bytes) {
  return bytes == 4 ? 2 : 1;
}

}  // namespace

Text::Text(std::string bytes) : bytes_(std::move(bytes)) {
  index();
}

void Text::index() {
  lines_ = {0};
  for (std::size_t i = 0; i < bytes_.size(); ++i) {
    const bool pair = bytes_[i] == '\r' && i + 1 < bytes_.size() && bytes_[i + 1] == '\n';
    if (bytes_[i] == '\n' || (bytes_[i] == '\r' && !pair)) lines_.push_back(i + 1);
  }
}

std::size_t Text::offset(Position position) const {
  if (position.line >= lines_.size()) return bytes_.size();
  std::size_t at = lines_[position.line];
  const std::size_t stop =
      position.line + 1 < lines_.size() ? lines_[position.line + 1] : bytes_.size();
  for (std::size_t unit = 0; at < stop && bytes_[at] != '\n' && bytes_[at] != '\r';) {
    const std::size_t size = character_bytes(bytes_, at);
    unit += units_of(size);
    if (unit > position.character) break;  // In the middle of a pair: before it.
    at += size;
  }
  return at;
}

Position Text::position(std::size_t offset) const {
  offset = std::min(offset, bytes_.size());
  const auto next = std::upper_bound(lines_.begin(), lines_.end(), offset);
  Position position{static_cast<std::size_t>(next - lines_.begin()) - 1, 0};
  for (std::size_t at = *(next - 1); at < offset;) {
    const std::size_t size = character_bytes(bytes_, at);
    if (at + size > offset) break;
    position.character += units_of(size);
    at += size;
  }
  return position;
}

Range Text::range(Span span) const {
  return {position(span.begin), position(std::max(span.begin, span.end))};
}

Range Text::range(const Location& location) const {
  if (location.line <= 0) return {};
  std::size_t begin = 0;
  for (int line = 1; line < location.line && begin < bytes_.size(); ++line)
    begin = std::min(bytes_.find('\n', begin), bytes_.size() - 1) + 1;
  begin += static_cast<std::size_t>(std::max(location.column, 1)) - 1;
  return {position(begin), position(begin + static_cast<std::size_t>(location.length))};
}

void Text::replace(const Range& range, const std::string& with) {
  const std::size_t begin = offset(range.start);
  bytes_.replace(begin, std::max(offset(range.end), begin) - begin, with);
  index();
}

}  // namespace gpx::lsp
