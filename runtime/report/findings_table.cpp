#include "runtime/report/findings_table.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <optional>
#include <set>

#include "lang/lists.h"
#include "runtime/report/finding_text.h"
#include "runtime/report/number.h"
#include "runtime/report/table.h"

namespace gpx::report {
namespace {

using Findings = std::vector<const Finding*>;

constexpr std::size_t kFewestThings = 6;  ///< Fewer read better with their notes, a line each.
constexpr std::size_t kMostOutcomes = 40;
constexpr std::size_t kMostOfOneName = 16;  ///< Findings of one name but for their keys.

std::string confidence_text(const Finding& finding) {
  return finding.confidence ? fmt::format("{:.2f}", *finding.confidence) : "–";
}

/// Takes the last of too many findings with one name out: "and 64 more shared.conflict[…] (...)".
std::string cut_keyed(Findings& found) {
  std::map<std::string, std::size_t> all, kept;
  for (const Finding* finding : found)
    if (finding->name.ends_with(']')) ++all[unkeyed(finding->name)];
  std::erase_if(found, [&](const Finding* finding) {
    const auto many = all.find(unkeyed(finding->name));
    return finding->name.ends_with(']') && many->second > kMostOfOneName &&
           ++kept[many->first] > kMostOfOneName / 2;
  });
  std::string out;
  for (const auto& [name, count] : all)
    if (count > kMostOfOneName)
      out += fmt::format("  and {} more {}[…] (--verbose shows them, --json has them)\n",
                         count - kMostOfOneName / 2, name);
  return out;
}

Table wide_findings(const Findings& found, const DeviceInfo& device) {
  Table table({"finding", "value", "interval", "verdict", "confidence", "paper"});
  for (const Finding* finding : found) {
    table.add({{finding->name},
               {value_text(*finding), Paint::bold},
               {interval_text(*finding)},
               {verdict_text(*finding, device), verdict_paint(finding->verdict)},
               {confidence_text(*finding)},
               {paper_text(*finding)}});
    table.note(finding->note);
  }
  return table;
}

/// For a narrow terminal: the paper's value and the confidence among the notes.
Table narrow_findings(const Findings& found, const DeviceInfo& device) {
  Table table({"finding", "value", "verdict"});
  for (const Finding* finding : found) {
    table.add({{finding->name},
               {value_and_interval(*finding), Paint::bold},
               {verdict_text(*finding, device), verdict_paint(finding->verdict)}});
    std::string beside = paper_text(*finding);
    if (!beside.empty()) beside = "paper: " + beside;
    if (finding->confidence)
      beside += (beside.empty() ? "" : " · ") + ("confidence " + confidence_text(*finding));
    table.note(beside);
    table.note(finding->note);
  }
  return table;
}

std::string plain_table(const Findings& found, const DeviceInfo& device, const Style& style) {
  if (found.empty()) return {};
  const Table wide = wide_findings(found, device);
  return wide.width(style) <= style.width ? wide.render(style)
                                          : narrow_findings(found, device).render(style);
}

/// "op.add.u32.latency": what kind of thing, which one, which property.
struct Parts {
  std::string kind, thing, property;
};

std::optional<Parts> parts_of(const Finding& finding) {
  const std::string& name = finding.name;
  const std::size_t first = name.find('.'), last = name.rfind('.');
  if (first == last || name.find('[') != std::string::npos) return std::nullopt;
  return Parts{name.substr(0, first), name.substr(first + 1, last - first - 1),
               name.substr(last + 1)};
}

/// The kinds of which there are many things.
std::set<std::string> kinds_in_bulk(const std::vector<Finding>& findings) {
  std::map<std::string, std::set<std::string>> things;
  for (const Finding& finding : findings)
    if (const auto parts = parts_of(finding)) things[parts->kind].insert(parts->thing);
  std::set<std::string> kinds;
  for (const auto& [kind, all] : things)
    if (all.size() >= kFewestThings) kinds.insert(kind);
  return kinds;
}

/// A column of a table of many things: what is found of each.
struct Property {
  std::string name;
  std::map<std::string, const Finding*> of;  ///< By thing.

  const Finding* find(const std::string& thing) const {
    const auto* found = find_value(of, thing);
    return found ? *found : nullptr;
  }
  bool has_paper() const {
    return std::ranges::any_of(of, [](const auto& each) { return each.second->paper.has_value(); });
  }
  /// What `part` gives where it is the same for all that have any, else "".
  template <typename Part>
  std::string shared(Part part) const {
    std::set<std::string> all;
    for (const auto& [thing, finding] : of)
      if (const std::string one = part(*finding); !one.empty()) all.insert(one);
    return all.size() == 1 ? *all.begin() : std::string();
  }
  /// The unit stands in the heading where it needs no scaling.
  std::string unit() const {
    const std::string unit = shared([](const Finding& finding) { return finding.unit; });
    return is_scaled(unit) ? std::string() : unit;
  }
  std::string cite() const {
    return shared([](const Finding& f) { return f.paper ? f.paper->cite : std::string(); });
  }
};

Cell value_cell(Finding finding, const Property& property) {
  if (finding.verdict != Verdict::measured)
    return {verdict_text(finding.verdict), verdict_paint(finding.verdict)};
  if (!property.unit().empty()) finding.unit.clear();
  return {value_and_interval(finding), Paint::bold};
}

Cell paper_cell(Finding finding, const Property& property) {
  if (!finding.paper) return {};
  auto* number = std::get_if<Quantity>(&finding.paper->value);
  if (number && !property.unit().empty()) number->unit = Unit::none;
  if (!property.cite().empty()) finding.paper->cite.clear();
  return {paper_text(finding)};
}

std::vector<Property> properties_of(const Findings& found) {
  std::vector<Property> properties;
  for (const Finding* finding : found) {
    const Parts parts = *parts_of(*finding);
    auto known = std::ranges::find(properties, parts.property, &Property::name);
    if (known == properties.end()) {
      properties.push_back({parts.property, {}});
      known = properties.end() - 1;
    }
    known->of[parts.thing] = finding;
  }
  return properties;
}

std::vector<std::string> bulk_header(const std::string& kind,
                                     const std::vector<Property>& properties) {
  std::vector<std::string> header = {kind};
  const auto with = [](const std::string& name, const std::string& more) {
    return more.empty() ? name : fmt::format("{} ({})", name, more);
  };
  for (const Property& property : properties) {
    header.push_back(with(property.name, property.unit()));
    if (property.has_paper()) header.push_back(with("paper", property.cite()));
  }
  return header;
}

/// A line for each thing; for each property a column, and one for the paper's values if it has any.
/// The notes of what was measured are left to --json.
std::string bulk_table(const std::string& kind, const Findings& found, const Style& style) {
  const std::vector<Property> properties = properties_of(found);
  std::vector<std::string> things;
  for (const Finding* finding : found) add_once(things, parts_of(*finding)->thing);
  Table table(bulk_header(kind, properties));
  for (const std::string& thing : things) {
    std::vector<Cell> row = {{thing}};
    std::vector<std::string> notes;
    for (const Property& property : properties) {
      const Finding* finding = property.find(thing);
      row.push_back(finding ? value_cell(*finding, property) : Cell{});
      if (property.has_paper()) row.push_back(finding ? paper_cell(*finding, property) : Cell{});
      if (finding && finding->verdict != Verdict::measured && !finding->note.empty())
        notes.push_back(property.name + ": " + finding->note);
    }
    table.add(std::move(row));
    for (std::string& note : notes) table.note(std::move(note));
  }
  return table.render(style);
}

bool is_outcome_of_point(const Finding& finding) {
  return finding.name.starts_with("outcome[");
}

/// The keys of an outcome's point, as its evidence tells them.
const std::vector<std::pair<std::string, Value>>* keys_of(const Finding& finding) {
  return finding.evidence.empty() ? nullptr : &finding.evidence.front();
}

/// The innermost key with numbers that are not all the same: what the ranges run over.
std::string run_key(const Findings& outcomes) {
  std::map<std::string, std::set<double>> values;
  for (const Finding* finding : outcomes) {
    if (const auto* keys = keys_of(*finding))
      for (const auto& [name, value] : *keys)
        if (const auto* number = std::get_if<Quantity>(&value)) values[name].insert(number->value);
  }
  const auto* order = keys_of(*outcomes.front());
  std::string innermost;
  for (const auto& [name, value] : order ? *order : std::vector<std::pair<std::string, Value>>{})
    if (values[name].size() > 1) innermost = name;
  return innermost;
}

/// Points that end alike, from the first to the last along the run key.
struct ValueRange {
  std::string where;  ///< The other keys: "registers=88".
  std::string from, to, outcome;
};

std::vector<ValueRange> ranges_of(const Findings& outcomes, const std::string& key) {
  std::vector<ValueRange> ranges;
  for (const Finding* finding : outcomes) {
    ValueRange range{{}, {}, {}, outcome_text(*finding)};
    const auto* keys = keys_of(*finding);
    if (!keys) continue;
    for (const auto& [name, value] : *keys) {
      if (name == key) range.from = range.to = to_string(value);
      if (name != key)
        range.where +=
            fmt::format("{}{}={}", range.where.empty() ? "" : ", ", name, to_string(value));
    }
    const bool goes_on = !ranges.empty() && ranges.back().where == range.where &&
                         ranges.back().outcome == range.outcome;
    if (goes_on) ranges.back().to = range.to;
    if (!goes_on) ranges.push_back(std::move(range));
  }
  return ranges;
}

Paint outcome_paint(const std::string& outcome) {
  if (outcome == "completed") return Paint::green;
  return outcome == "differs" ? Paint::yellow : Paint::red;
}

}  // namespace

std::string outcome_text(const Finding& finding) {
  const auto* word = std::get_if<std::string>(&finding.value);
  return word ? *word : "differs";
}

std::string outcome_table(const std::vector<const Finding*>& outcomes, const Style& style) {
  const std::string key = run_key(outcomes);
  const std::vector<ValueRange> ranges = ranges_of(outcomes, key);
  Table table({"point", key, "outcome"});
  for (std::size_t i = 0; i < std::min(ranges.size(), kMostOutcomes); ++i) {
    const ValueRange& range = ranges[i];
    table.add({{range.where},
               {range.from == range.to ? range.from : range.from + " to " + range.to},
               {range.outcome, outcome_paint(range.outcome)}});
  }
  if (ranges.size() > kMostOutcomes)
    table.note(fmt::format("and {} more (--json has them all)", ranges.size() - kMostOutcomes));
  return table.render(style);
}

std::string findings_table(const std::vector<Finding>& findings, const DeviceInfo& device,
                           const Style& style, bool whole) {
  const std::set<std::string> bulk = kinds_in_bulk(findings);
  Findings plain, outcomes;
  std::vector<std::string> kinds;
  std::map<std::string, Findings> of_kind;
  for (const Finding& finding : findings) {
    const auto parts = parts_of(finding);
    if (is_outcome_of_point(finding)) {
      outcomes.push_back(&finding);
    } else if (parts && bulk.contains(parts->kind)) {
      add_once(kinds, parts->kind);
      of_kind[parts->kind].push_back(&finding);
    } else {
      plain.push_back(&finding);
    }
  }
  const std::string cut = whole ? std::string() : cut_keyed(plain);
  std::string out = plain_table(plain, device, style) + cut;
  for (const std::string& kind : kinds)
    out += (out.empty() ? "" : "\n") + bulk_table(kind, of_kind[kind], style);
  if (!outcomes.empty()) out += (out.empty() ? "" : "\n") + outcome_table(outcomes, style);
  return out;
}

}  // namespace gpx::report
