#include "runtime/cli/several/display.h"

#include <fmt/format.h>

#include <algorithm>

namespace gpx::cli {
namespace {

constexpr std::chrono::seconds kBetweenLines{5};

/// The first characters, as many as fit.
std::string shortened(const std::string& text, int columns) {
  std::size_t end = 0;
  for (int column = 0; end < text.size() && column < columns; ++column)
    for (++end; end < text.size() && (text[end] & 0xC0) == 0x80;) ++end;
  return text.substr(0, end);
}

}  // namespace

DevicesDisplay::DevicesDisplay(const std::vector<std::string>& devices, const Talk& talk,
                               const Console& console)
    : console_(console),
      draws_(console.err_is_terminal && !talk.quiet),
      prints_(!console.err_is_terminal && talk.verbose) {
  for (const std::string& name : devices) devices_.emplace_back().name = name;
}

void DevicesDisplay::progress(std::size_t device, const std::string& what) {
  Shown& shown = devices_[device];
  shown.what = what.substr(std::min(what.find_first_not_of(' '), what.size()));
  draw();
  if (!prints_ || Clock::now() - shown.printed < kBetweenLines) return;
  shown.printed = Clock::now();
  print(console_.err, report::fit(console_.err_style, shown.name + ": " + shown.what) + '\n');
  std::fflush(console_.err);
}

void DevicesDisplay::ended(std::size_t device, const std::string& how) {
  devices_[device].printed = {};
  progress(device, "ended: " + how);
}

/// Each device has an equal part of the terminal's width.
void DevicesDisplay::draw() {
  if (!draws_) return;
  const int width = console_.err_style.width / static_cast<int>(devices_.size()) - 3;
  std::string line;
  for (const Shown& shown : devices_) {
    const std::string part =
        report::fit(console_.err_style, fmt::format("{} {}", shown.name, shown.what));
    line += (line.empty() ? "" : " | ") + shortened(part, width);
  }
  print(console_.err, "\r\033[K" + line);
  std::fflush(console_.err);
  drawn_ = true;
}

void DevicesDisplay::clear() {
  if (drawn_) print(console_.err, "\r\033[K");
  drawn_ = false;
  std::fflush(console_.err);
}

}  // namespace gpx::cli
