// From levels to boxes, lines and words. Interface: hierarchy.h.

#include <algorithm>
#include <cmath>

#include "lang/assert.h"
#include "runtime/report/hierarchy.h"
#include "runtime/report/number.h"

namespace gpx::report {
namespace {

// Pixels.
constexpr double kWide = 1080, kMargin = 12, kSmRight = 150;
constexpr double kAxisLeft = 176, kAxisRight = 850, kAside = 880;  ///< Beyond: no latency is known.
constexpr double kDoubling = 2.8;      ///< A bar is higher by so much where it holds twice as much.
constexpr double kLeastBytes = 64;     ///< A bar without height.
constexpr double kMostDoublings = 24;  ///< 1 GB: more reaches up to the head of its path.
constexpr double kLaneHeight = kDoubling * kMostDoublings;
constexpr double kBar = 9;
constexpr double kLetters = 11, kRowStep = 13.5, kHead = 24, kLaneGap = 14;

double height_of(double bytes) {
  const double doublings = std::log2(std::max(bytes, kLeastBytes) / kLeastBytes);
  return std::max(4.0, kDoubling * std::min(doublings, kMostDoublings));
}

/// The words of one level.
struct LevelBox {
  const MemoryLevel* level;
  double x = 0, width = 0, y = 0;  ///< `y` from the base line of the bars.
  double height() const { return kRowStep * static_cast<double>(1 + level->facts.size()); }
};

double width_of(const MemoryLevel& level) {
  double width = 1.1 * text_width(level.name, kLetters + 1);
  for (const std::string& fact : level.facts) width = std::max(width, text_width(fact, kLetters));
  return width + 10;
}

class HierarchyPicture {
 public:
  explicit HierarchyPicture(const std::vector<Hierarchy>& devices) : devices_(devices) {
    double most = 0;
    for (const Hierarchy& device : devices)
      for (const MemoryPath& path : device.paths)
        for (const MemoryLevel& level : path.levels)
          most = std::max({most, level.latency.value_or(0), level.high.value_or(0)});
    axis_ = make_axis(0, std::max(most, 1.0), 10, false, "clocks", true);
  }

  Diagram all() {
    out_.width = kWide;
    double y = kMargin;
    for (const Hierarchy& device : devices_) {
      y = add_device(device, y) + 2 * kLaneGap;
      out_.title += (out_.title.empty() ? "Memory hierarchy of " : "; ") + device.device;
    }
    add_words(kMargin, y - 4,
              "Position: clocks until a load has its value; the line at a bar's foot is the "
              "interval. Height: capacity, on a logarithmic scale.",
              Ink::quiet);
    add_words(kMargin, y + kRowStep - 4,
              "All values are findings. Dashed: the capacity (of a bar) or the latency (of a box) "
              "is unknown.",
              Ink::quiet);
    out_.height = y + 2 * kRowStep;
    return std::move(out_);
  }

 private:
  double x_of(double clocks) const {
    return kAxisLeft + axis_.position(clocks) * (kAxisRight - kAxisLeft);
  }
  void add_words(double x, double y, const std::string& text, Ink ink = Ink::text,
                 double size = kLetters, bool bold = false, bool centred = false) {
    out_.words.push_back({x, y, text, ink, size, bold, centred});
  }
  void add_line(double x1, double y1, double x2, double y2, Ink ink, double thick = 1) {
    out_.lines.push_back({x1, y1, x2, y2, ink, thick});
  }

  double add_device(const Hierarchy& device, double top) {
    add_words(kMargin, top + 16, device.device, Ink::text, 15, true);
    const double begin = top + 28;
    double y = begin + kHead;
    for (const MemoryPath& path : device.paths) y = add_path(path, y) + kLaneGap;
    add_axis(begin + 12, begin + kHead - 6, y - kLaneGap);
    add_sm(device, begin, y - kLaneGap);
    return y - kLaneGap;
  }

  void add_axis(double words, double top, double bottom) {
    for (const double at : axis_.ticks) {
      add_words(x_of(at), words, at == 0 ? "0 clocks" : tick(at, "clocks"), Ink::quiet, kLetters,
                false, true);
      out_.grid.push_back({x_of(at), top, x_of(at), bottom, Ink::grid, 1});
    }
    add_words(kAside, words, "no latency known", Ink::quiet);
  }

  void add_sm(const Hierarchy& device, double top, double bottom) {
    out_.boxes.push_back({kMargin, top, kSmRight - kMargin, bottom - top, Ink::box, false});
    add_words(kMargin + 10, top + 20, "SM", Ink::text, 14, true);
    double y = top + 40;
    for (const std::string& fact : device.facts) {
      add_words(kMargin + 10, y, fact);
      y += kRowStep;
    }
  }

  /// Returns where it ends.
  double add_path(const MemoryPath& path, double top) {
    add_words(kAxisLeft + 4, top + 10, path.name, Ink::text, 12, true);
    const bool placed = std::ranges::any_of(
        path.levels, [](const MemoryLevel& level) { return level.latency.has_value(); });
    if (!placed) return add_row(path, top + 18);
    const double base = top + 16 + kLaneHeight;
    add_line(kSmRight, base, kAxisRight, base, Ink::quiet);
    add_sizes(base);
    std::vector<LevelBox> boxes;
    double aside = top + 4;
    for (const MemoryLevel& level : path.levels) {
      if (!level.latency) {
        aside = add_aside(level, kAside, kWide - kMargin - kAside, aside);
        continue;
      }
      add_bar(level, base);
      boxes.push_back({&level, x_of(*level.latency), width_of(level), 0});
    }
    return std::max(aside, base + add_blocks(boxes, base));
  }

  /// Levels of which none has a latency: beside each other. Returns where they end.
  double add_row(const MemoryPath& path, double top) {
    double x = kAxisLeft, bottom = top;
    for (const MemoryLevel& level : path.levels) {
      const double width = width_of(level) + 10;
      bottom = std::max(bottom, add_aside(level, x, width, top));
      x += width + 8;
    }
    return bottom;
  }

  /// Faint marks at 1 KB, 1 MB and 1 GB.
  void add_sizes(double base) {
    for (const auto& [bytes, text] : {std::pair(1024.0, "1 KB"), std::pair(1048576.0, "1 MB"),
                                      std::pair(1073741824.0, "1 GB")}) {
      const double y = base - height_of(bytes);
      out_.grid.push_back({kAxisLeft, y, kAxisRight, y, Ink::grid, 0.5});
      add_words(kSmRight + 1, y + 3, text, Ink::quiet);
    }
  }

  void add_bar(const MemoryLevel& level, double base) {
    const double x = x_of(*level.latency);
    const double height = level.bytes ? height_of(*level.bytes) : kLaneHeight;
    out_.boxes.push_back({x - kBar / 2, base - height, kBar, height,
                          level.bytes ? Ink::sure : Ink::quiet, !level.bytes});
    if (level.low && level.high && *level.low < *level.high)
      add_line(x_of(std::max(0.0, *level.low)), base, x_of(*level.high), base, Ink::sure, 3);
  }

  /// Words beneath the bars: beside each other, each as near to its bar as the others let it, or
  /// beneath each other where there is no room. Returns their height.
  double add_blocks(std::vector<LevelBox>& boxes, double base) {
    std::ranges::stable_sort(boxes, {}, &LevelBox::x);
    if (!spread(boxes)) stack(boxes);
    double deepest = 0;
    for (const LevelBox& block : boxes) {
      const double foot = x_of(*block.level->latency), y = base + block.y;
      add_line(foot, base, foot, base + 4, Ink::quiet, 0.7);
      add_line(foot, base + 4, block.x + 3, y + 6, Ink::quiet, 0.7);
      add_line(block.x + 3, y + 6, block.x + 3, y + block.height(), Ink::quiet, 0.7);
      add_level_words(*block.level, block.x + 7, y + kRowStep);
      deepest = std::max(deepest, block.y + block.height());
    }
    return deepest;
  }

  /// Moves boxes right, then left, until none meets another. Whether they fit into one row.
  static bool spread(std::vector<LevelBox>& boxes) {
    constexpr double kBegin = kSmRight + 4, kEnd = kAside - 8;
    double end = kBegin;
    for (LevelBox& block : boxes) {
      block.y = 10;
      block.x = std::max(block.x, end);
      end = block.x + block.width;
    }
    double limit = kEnd;
    for (auto block = boxes.rbegin(); block != boxes.rend(); ++block) {
      block->x = std::min(block->x, limit - block->width);
      limit = block->x;
    }
    return limit >= kBegin;
  }

  void stack(std::vector<LevelBox>& boxes) const {
    double y = 10;
    for (LevelBox& block : boxes) {
      block.x = std::min(x_of(*block.level->latency), kAxisRight - block.width);
      block.y = y;
      y += block.height() + 6;
    }
  }

  void add_level_words(const MemoryLevel& level, double x, double y) {
    add_words(x, y, level.name, Ink::text, kLetters + 1, true);
    for (const std::string& fact : level.facts) {
      y += kRowStep;
      const Ink ink = fact.ends_with("inconclusive")   ? Ink::doubt
                      : fact.ends_with("not measured") ? Ink::quiet
                                                       : Ink::text;
      add_words(x, y, fact, ink);
    }
  }

  /// A level that no latency places. Returns where it ends.
  double add_aside(const MemoryLevel& level, double x, double width, double top) {
    const double height = 10 + kRowStep * static_cast<double>(1 + level.facts.size());
    out_.boxes.push_back({x, top, width, height, Ink::quiet, true});
    add_level_words(level, x + 8, top + kRowStep + 1);
    return top + height + 6;
  }

  const std::vector<Hierarchy>& devices_;
  PlotAxis axis_;
  Diagram out_;
};

}  // namespace

Diagram draw(const std::vector<Hierarchy>& devices) {
  GPX_ASSERT(!devices.empty());
  return HierarchyPicture(devices).all();
}

}  // namespace gpx::report
