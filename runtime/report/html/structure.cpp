// Cache structure as the findings give it: the levels of a memory as a row of boxes with their
// latencies, and the sets and ways of each cache as a grid.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>

#include "lang/diagnostic.h"
#include "runtime/report/finding_text.h"
#include "runtime/report/html/sections.h"
#include "runtime/report/html/text.h"
#include "runtime/report/number.h"

namespace gpx::report::html {
namespace {

constexpr std::array<std::string_view, 9> kProperties = {
    "capacity", "reach", "line", "page", "sector", "entries", "sets", "ways", "policy"};
constexpr std::size_t kMostRows = 16, kMostWays = 24;
constexpr int kBox = 230, kGap = 56, kLeastHeight = 150, kLine = 17;
constexpr std::size_t kBoxCharacters = 34;  ///< That fit into a box.

/// "tex.l1": a part of a memory, with its findings by property.
struct Level {
  std::string name;
  std::map<std::string, const Finding*, std::less<>> of;

  const Finding* measured(std::string_view property) const {
    const auto found = of.find(property);
    return found != of.end() && found->second->verdict == Verdict::measured ? found->second
                                                                            : nullptr;
  }
  /// A whole number of something, in reason; 0 where it is not known.
  std::size_t count(std::string_view property) const {
    const Finding* finding = measured(property);
    const auto* value = finding ? std::get_if<double>(&finding->value) : nullptr;
    return value && *value >= 1 && *value <= 1e6 && is_integer(*value)
               ? static_cast<std::size_t>(*value)
               : 0;
  }
};

/// The levels of one memory ("tex", or "" for the data caches), nearest first.
struct Hierarchy {
  std::string name;
  std::vector<Level> levels;
};

bool is_structure(const Level& level) {
  const auto has = [&](std::string_view property) { return level.of.contains(property); };
  const bool table = has("sets") || has("ways") || has("line") || has("page") || has("set_sizes");
  const bool plateau = has("reach") && has("latency");  // A level of which no more is known.
  return (has("capacity") && table) || plateau || level.name == "miss" ||
         level.name.ends_with(".miss");
}

std::vector<Level> levels_of(const std::vector<Finding>& findings) {
  std::vector<Level> levels;
  for (const Finding& finding : findings) {
    const std::size_t dot = finding.name.rfind('.');
    if (dot == std::string::npos || finding.name.find('[') != std::string::npos) continue;
    const std::string name = finding.name.substr(0, dot);
    auto level = std::ranges::find(levels, name, &Level::name);
    if (level == levels.end()) level = levels.insert(levels.end(), Level{name, {}});
    level->of[finding.name.substr(dot + 1)] = &finding;
  }
  std::erase_if(levels, [](const Level& level) { return !is_structure(level); });
  return levels;
}

std::vector<Hierarchy> hierarchies_of(const std::vector<Finding>& findings) {
  std::vector<Hierarchy> all;
  for (Level& level : levels_of(findings)) {
    const std::size_t dot = level.name.rfind('.');
    const std::string family = dot == std::string::npos ? "" : level.name.substr(0, dot);
    auto known = std::ranges::find(all, family, &Hierarchy::name);
    if (known == all.end()) known = all.insert(all.end(), Hierarchy{family, {}});
    known->levels.push_back(std::move(level));
  }
  const auto only_misses = [](const Hierarchy& one) {
    return std::ranges::none_of(one.levels, [](const Level& l) {
      return l.of.contains("capacity") || l.of.contains("reach");
    });
  };
  std::erase_if(all, only_misses);
  return all;
}

std::string short_name(const Level& level) {
  const std::size_t dot = level.name.rfind('.');
  const std::string name = dot == std::string::npos ? level.name : level.name.substr(dot + 1);
  return name == "miss" ? "beyond" : name;
}

std::string text_at(double x, double y, std::string_view css, const std::string& text) {
  return fmt::format("<text class=\"{}\" x=\"{}\" y=\"{}\">{}</text>", css, x, y, escape(text));
}

/// "32 KB", "inconclusive".
std::string property_text(const Finding& finding) {
  return finding.verdict == Verdict::measured ? value_and_interval(finding)
                                              : verdict_text(finding.verdict);
}

/// A line for each property; an interval that would not fit beside its value has one of its own.
std::vector<std::string> facts_of(const Level& level) {
  std::vector<std::string> facts;
  for (const std::string_view property : kProperties) {
    const auto found = level.of.find(property);
    if (found == level.of.end()) continue;
    std::string fact = fmt::format("{} {}", property, property_text(*found->second));
    const std::size_t interval = fact.rfind(" (");
    const bool cut = fact.size() > kBoxCharacters && interval != std::string::npos;
    facts.push_back(cut ? fact.substr(0, interval) : fact);
    if (cut) facts.push_back(fact.substr(interval));
  }
  return facts;
}

/// At its foot the latency.
std::string box(const Level& level, int x, int height) {
  std::string out =
      fmt::format("<rect class=\"box\" x=\"{}\" y=\"10\" width=\"{}\" height=\"{}\" rx=\"6\"/>", x,
                  kBox, height);
  out += text_at(x + 10, 30, "name", short_name(level));
  int y = 50;
  for (const std::string& fact : facts_of(level)) {
    out += text_at(x + 10, y, "fact", fact);
    y += kLine;
  }
  if (const auto latency = level.of.find("latency"); latency != level.of.end())
    out += text_at(x + 10, height, "latency", property_text(*latency->second));
  return out + '\n';
}

std::string boxes(const Hierarchy& hierarchy) {
  int height = kLeastHeight;
  for (const Level& level : hierarchy.levels)
    height = std::max(height, 60 + kLine * static_cast<int>(facts_of(level).size()));
  std::string content;
  int x = 4;
  for (const Level& level : hierarchy.levels) {
    if (x > 4)
      content += fmt::format("<path class=\"arrow\" d=\"M{} {} h{} m-7 -5 l7 5 l-7 5\"/>",
                             x - kGap + 4, 10 + height / 2, kGap - 8);
    content += box(level, x, height);
    x += kBox + kGap;
  }
  const int width = x - kGap + 4;
  return fmt::format(
      "<svg class=\"structure\" viewBox=\"0 0 {0} {1}\" style=\"min-width:{4}px;max-width:{0}px\" "
      "role=\"img\" aria-label=\"Levels of the {2}, upper first\">{3}</svg>\n",
      width, height + 20, escape(hierarchy.name.empty() ? "data caches" : hierarchy.name), content,
      width * 9 / 10);
}

/// How many lines each set holds, equal or not.
std::vector<std::size_t> set_sizes(const Level& level) {
  const Finding* unequal = level.measured("set_sizes");
  const auto* list = unequal ? std::get_if<std::vector<double>>(&unequal->value) : nullptr;
  std::vector<std::size_t> sizes;
  if (list) {
    for (const double size : *list)
      sizes.push_back(size >= 1 && size <= 1e6 ? static_cast<std::size_t>(size) : 0);
    return sizes;
  }
  const std::size_t sets = level.count("sets"), ways = level.count("ways");
  return sets > 0 && ways > 0 ? std::vector<std::size_t>(sets, ways) : sizes;
}

std::string row_of_set(std::size_t set, std::size_t ways, double y) {
  constexpr double kCell = 14;
  std::string out = text_at(0, y + 11, "tick-left", fmt::format("set {}", set));
  for (std::size_t way = 0; way < std::min(ways, kMostWays); ++way)
    out += fmt::format("<rect class=\"way\" x=\"{}\" y=\"{}\" width=\"12\" height=\"12\"/>",
                       60 + kCell * static_cast<double>(way), y);
  if (ways > kMostWays)
    out += text_at(64 + kCell * static_cast<double>(kMostWays), y + 11, "tick-left",
                   fmt::format("… {} ways", ways));
  return out + '\n';
}

/// Sets beneath each other, ways beside each other; of many sets the first and the last.
std::string grid(const Level& level) {
  const std::vector<std::size_t> sizes = set_sizes(level);
  if (sizes.empty()) return {};
  const bool cut = sizes.size() > kMostRows;
  const std::size_t head = cut ? kMostRows - 2 : sizes.size();
  std::string content;
  double y = 2;
  for (std::size_t set = 0; set < head; ++set, y += 16) content += row_of_set(set, sizes[set], y);
  if (cut) {
    content +=
        text_at(0, y + 11, "tick-left", fmt::format("… {} more sets", sizes.size() - head - 1));
    content += row_of_set(sizes.size() - 1, sizes.back(), y + 16);
    y += 32;
  }
  const std::string line = level.measured("line")   ? value_text(*level.measured("line")) + " lines"
                           : level.measured("page") ? value_text(*level.measured("page")) + " pages"
                                                    : "lines";
  const bool equal = std::ranges::all_of(sizes, [&](std::size_t s) { return s == sizes.front(); });
  const std::string ways = equal ? fmt::format("{}", sizes.front()) : "unequal numbers of";
  const std::string caption =
      fmt::format("{}: {} of {} ways, {}", level.name, plural(sizes.size(), "set"), ways, line);
  return fmt::format(
      "<figure class=\"grid\"><figcaption>{0}</figcaption><svg class=\"structure\" viewBox=\"0 0 "
      "480 "
      "{1:.0f}\" style=\"min-width:340px;max-width:480px\" role=\"img\" "
      "aria-label=\"{0}\">{2}</svg></figure>\n",
      escape(caption), y + 2, content);
}

}  // namespace

std::string structures(const Member& member) {
  std::string out;
  for (const Hierarchy& hierarchy : hierarchies_of(member.result->findings)) {
    const std::string name =
        hierarchy.name.empty() ? "Data caches" : "Structure: " + hierarchy.name;
    out += "<h4>" + escape(name) + ' ' + badge(member) + "</h4>\n";
    out += scrolling(name, boxes(hierarchy)) + "<div class=\"grids\">";
    for (const Level& level : hierarchy.levels) out += grid(level);
    out += "</div>\n";
  }
  return out;
}

}  // namespace gpx::report::html
