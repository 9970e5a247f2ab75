// Places in a text. Interface: source.h; covered by tests/lang/source_test.cpp.
#include "lang/source.h"

#include <algorithm>

namespace gpx {

Source::Source(std::string name, std::string text)
    : name_(std::move(name)), text_(std::move(text)), line_starts_{0} {
  for (std::size_t i = 0; i < text_.size(); ++i)
    if (text_[i] == '\n') line_starts_.push_back(static_cast<std::uint32_t>(i + 1));
}

std::string_view Source::slice(Span span) const {
  const std::size_t begin = std::min<std::size_t>(span.begin, text_.size());
  const std::size_t end = std::clamp<std::size_t>(span.end, begin, text_.size());
  return std::string_view(text_).substr(begin, end - begin);
}

Span Source::line(int number) const {
  const auto index = static_cast<std::size_t>(std::max(number, 1) - 1);
  if (index >= line_starts_.size()) {
    const auto size = static_cast<std::uint32_t>(text_.size());
    return {size, size};
  }
  std::size_t begin = line_starts_[index], end = std::min(text_.find('\n', begin), text_.size());
  const auto blank = [&](std::size_t at) {
    return text_[at] == ' ' || text_[at] == '\t' || text_[at] == '\r';
  };
  while (begin < end && blank(begin)) ++begin;
  while (end > begin && blank(end - 1)) --end;
  return {static_cast<std::uint32_t>(begin), static_cast<std::uint32_t>(end)};
}

Location Source::locate(Span span) const {
  const std::uint32_t begin = std::min<std::uint32_t>(span.begin, text_.size());
  const auto next = std::upper_bound(line_starts_.begin(), line_starts_.end(), begin);
  const std::uint32_t start = *(next - 1);
  std::size_t stop = text_.find('\n', start);
  if (stop == std::string::npos) stop = text_.size();
  Location location;
  location.file = name_;
  location.line = static_cast<int>(next - line_starts_.begin());
  location.column = static_cast<int>(begin - start + 1);
  const std::size_t end = std::clamp<std::size_t>(span.end, begin, stop > begin ? stop : begin);
  location.length = std::max<int>(1, static_cast<int>(end - begin));
  location.line_text = text_.substr(start, stop - start);
  return location;
}

}  // namespace gpx
