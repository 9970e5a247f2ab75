// What the numbers of an experiment may be. Interface: rules.h; covered by
// tests/lang/rules_test.cpp.
#include "lang/rules.h"

#include <fmt/format.h>

#include <cmath>
#include <set>

#include "lang/vocabulary.h"

namespace gpx {
namespace {

std::string bytes_text(double bytes) {
  return to_string(Quantity{bytes, Unit::byte});
}

using LayoutKind = Array::Layout::Kind;

constexpr double max_elements = 268435456;  // Of one chase: 2^28.

constexpr NumberRule kSeed{"the seed", Unit::none, 0, max_bytes};
constexpr NumberRule kSteps{"the number of steps", Unit::none, 1, max_elements};
constexpr NumberRule kOffset{"an offset", Unit::byte, 0, max_bytes};
constexpr NumberRule kDistance{"the distance", Unit::byte, 1, max_bytes};

std::string elements_fault(double elements) {
  if (elements <= max_elements) return {};
  return fmt::format("the chase has {:.0f} elements: at most {:.0f} can be laid out", elements,
                     max_elements);
}

std::string list_fault(double bytes, double width, const std::vector<double>& offsets) {
  std::set<double> seen;
  for (double offset : offsets) {
    if (offset + width > bytes)
      return fmt::format("the offset {} lies beyond the array's {}", bytes_text(offset),
                         bytes_text(bytes));
    if (!seen.insert(offset).second)
      return fmt::format("the offset {} is visited twice: it has one link", bytes_text(offset));
  }
  return {};
}

std::string steps_fault(double bytes, double width, const std::vector<double>& args) {
  double end = width, elements = 1;
  for (std::size_t i = 0; i + 1 < args.size(); i += 2) {
    end += args[i] * args[i + 1];
    elements += args[i];
  }
  if (end > bytes)
    return fmt::format("the steps end at {}, beyond the array's {}", bytes_text(end - width),
                       bytes_text(bytes));
  return elements_fault(elements);
}

/// Of the links alone, whatever their order.
std::string link_fault(Space space, double bytes, double width) {
  const bool narrow = space == Space::constant || space == Space::texture;
  if (narrow && width != 4) return "a link in constant or texture memory has 4B";
  if (bytes < width)
    return fmt::format("{} hold no link of {}", bytes_text(bytes), bytes_text(width));
  if (width == 4 && bytes > rules::kWord)
    return fmt::format("links of 4B reach less than 4GB, the array has {}: write 'width 8B'",
                       bytes_text(bytes));
  return {};
}

}  // namespace

bool NumberRule::admits(double value) const {
  const bool whole = fraction || value == std::floor(value) || unit == Unit::second;
  return whole && value >= low && value <= high;
}

std::string NumberRule::limits(double value) const {
  const auto text = [&](double limit) { return to_string(Quantity{limit, unit}); };
  const std::string kind = unit == Unit::byte     ? "a whole number of bytes"
                           : unit == Unit::second ? "a time"
                           : fraction             ? "a number"
                                                  : "a whole number";
  if ((high == max_count || high == max_bytes) && !(value > high))
    return fmt::format("{}, at least {}", kind, text(low));
  return fmt::format("{} from {} to {}", kind, text(low), text(high));
}

const NumberRule& layout_rule(LayoutKind kind, std::size_t i) {
  if (kind == LayoutKind::random && i == 1) return kSeed;
  if (kind == LayoutKind::steps && i % 2 == 0) return kSteps;
  return kind == LayoutKind::list ? kOffset : kDistance;
}

std::string array_fault(LayoutKind kind, Space space, double bytes, double width,
                        const std::vector<double>& args) {
  if (width != 4 && width != 8)
    return fmt::format("the width is {}: a link has 4B or 8B", bytes_text(width));
  if (kind == LayoutKind::none) return {};
  if (std::string fault = link_fault(space, bytes, width); !fault.empty()) return fault;
  for (std::size_t i = 0; i < args.size(); ++i)
    if (layout_rule(kind, i).unit == Unit::byte && std::fmod(args[i], width) != 0)
      return fmt::format("{} is no multiple of the width {}", bytes_text(args[i]),
                         bytes_text(width));
  if (kind == LayoutKind::list) return list_fault(bytes, width, args);
  if (kind == LayoutKind::steps) return steps_fault(bytes, width, args);
  return elements_fault(std::floor(bytes / args[0]));
}

std::string streams_fault(double count, double streams, const std::string& where) {
  if (std::fmod(count, streams) == 0) return {};
  return fmt::format("the count is {}{}: it must be a multiple of the {} streams", count, where,
                     streams);
}

std::string offset_fault(double bytes, double width, const Access& access,
                         const std::string& where) {
  constexpr double kBulk = 16;  // Bulk copies and tensors begin at its multiples.
  const bool bulk = access.is_bulk();
  if (std::fmod(bytes, bulk ? kBulk : width) == 0) return {};
  const std::string offset = fmt::format("the offset is {}{}", bytes_text(bytes), where);
  if (bulk)
    return fmt::format("{}: '{}' begins at a multiple of {}", offset, access.pattern.name,
                       bytes_text(kBulk));
  return fmt::format("{}: it is no multiple of the width {} of '{}'", offset, bytes_text(width),
                     access.kind == Access::Kind::atomic ? std::string_view(access.operation)
                                                         : to_string(access.kind));
}

std::string alignment_fault(double bytes, double width) {
  if (std::fmod(bytes, width) == 0) return {};
  return fmt::format("{} is no multiple of the width {}: the accesses would not be aligned",
                     bytes_text(bytes), bytes_text(width));
}

std::string width_fault(double width) {
  if (width == 1 || width == 2 || width == 4 || width == 8 || width == 16) return {};
  return fmt::format("the width is {}: it must be 1B, 2B, 4B, 8B or 16B", bytes_text(width));
}

}  // namespace gpx
