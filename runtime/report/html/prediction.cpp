// A prediction as a page. Interface: runtime/report/prediction.h.
// Covered by tests/report/prediction_page_test.cpp.
#include "runtime/report/prediction.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <utility>

#include "lang/words.h"
#include "runtime/report/html/assets.h"
#include "runtime/report/html/frame.h"
#include "runtime/report/html/roofline.h"
#include "runtime/report/html/text.h"
#include "runtime/report/number.h"
#include "runtime/report/style.h"

namespace gpx::report {
namespace {

using html::element;
using html::escape;
using html::scrolling;

constexpr std::size_t kPartsShown = 3;
constexpr double kShownShare = 0.0005;  ///< Of all clocks; less is shown as nothing.
constexpr int kAround = 6;  ///< Lines of the source before the first and after the last.

std::string share_text(double share) {
  return share < kShownShare ? "" : fmt::format("{:.1f} %", 100 * share);
}

/// A bar whose length is the share of `most`.
std::string bar(double share, double most) {
  if (share < kShownShare || most <= 0) return "";
  return fmt::format("<span class=\"bar\" style=\"width:{:.1f}%\"></span>",
                     100 * std::min(share / most, 1.0));
}

std::string waits_text(const std::vector<StackPart>& parts, double share) {
  std::string text;
  for (std::size_t i = 0; i < std::min(kPartsShown, parts.size()); ++i)
    text += fmt::format("{}{} {:.0f} %", i == 0 ? "" : ", ", parts[i].name,
                        100 * parts[i].clocks / std::max(share, 1e-12));
  return share < kShownShare ? "" : text;
}

std::string table_of(std::string_view label, std::string_view heads, const std::string& rows) {
  return scrolling(label, fmt::format("<table>\n<thead><tr>{}</tr></thead>\n<tbody>\n{}</tbody>\n"
                                      "</table>\n",
                                      heads, rows));
}

std::string section_of(std::string_view title, const std::string& content) {
  return fmt::format("<section>\n<h2>{}</h2>\n{}</section>\n", escape(title), content);
}

class PredictionPage {
 public:
  explicit PredictionPage(const Prediction& prediction)
      : p_(prediction), s_(*prediction.simulation) {}

  std::string body() const {
    return summary() + section_of("Where the clocks go", stack()) +
           section_of("Source and instructions", beside()) + changes() +
           section_of("Roofline", roofline()) + section_of("Counters", counters()) + notes();
  }

 private:
  std::string row(std::string_view name, const std::string& value) const {
    return "<tr>" + element("th", "", name) + element("td", "", value) + "</tr>\n";
  }

  std::string summary() const {
    std::string rows = row("time", with_unit(p_.seconds, "s"));
    if (p_.interval)
      rows += row("nine of ten cases",
                  fmt::format("{} to {}, by {} kernels of {} families that were measured",
                              with_unit(p_.seconds / p_.interval->factor, "s"),
                              with_unit(p_.seconds * p_.interval->factor, "s"),
                              p_.interval->kernels, p_.interval->families));
    rows += row("bound by", p_.bound);
    rows += row("launch", fmt::format("{} blocks of {} threads, {} registers a thread, {} B of "
                                      "shared memory a block",
                                      p_.launch.all_blocks(), p_.launch.all_threads(),
                                      p_.facts.registers, p_.facts.shared_bytes));
    rows += row("simulated",
                fmt::format("{} of {} blocks on {} of {} SMs, {}", s_.blocks_run, s_.blocks,
                            s_.sms_run, s_.sms, s_.machine_code ? "machine code" : "PTX"));
    if (p_.measured_seconds)
      rows += row(
          p_.device.measured ? "measured" : "run on the virtual GPU",
          with_unit(*p_.measured_seconds, "s") +
              (p_.off() ? fmt::format(", the prediction is {:+.1f} % off", 100 * *p_.off()) : ""));
    const std::string badge =
        fmt::format("<p><span class=\"badge virtual\">virtual</span> {}</p>\n",
                    escape("The times and counters come from a model of '" + s_.device +
                           "', not from a measurement."));
    return badge + "<table class=\"facts\">\n<tbody>\n" + rows + "</tbody>\n</table>\n";
  }

  std::string stack() const {
    const double all = std::max(s_.clocks + s_.overhead, 1.0);
    double most = 0;
    for (const StackPart& part : s_.stack) most = std::max(most, part.clocks / all);
    std::string rows;
    for (const StackPart& part : s_.stack) {
      if (part.clocks <= 0) continue;
      rows += "<tr>" + element("th", "", part.name) + element("td", "", brief(part.clocks, 4)) +
              element("td", "", share_text(part.clocks / all)) + "<td class=\"bars\">" +
              bar(part.clocks / all, most) + "</td></tr>\n";
    }
    return table_of("Stack of clocks", "<th>part</th><th>clocks</th><th>share</th><th></th>", rows);
  }

  /// The source on the left, the instructions on the right, each with its own share.
  std::string beside() const {
    const std::string left = source(), right = code();
    if (left.empty()) return right;
    return "<div class=\"two-columns\">\n<div>" + left + "</div>\n<div>" + right +
           "</div>\n</div>\n";
  }

  std::string source() const {
    if (p_.source.empty()) return "";
    std::map<int, StackLine> by_line;
    double most = 0;
    for (const StackInstruction& each : s_.code) {
      StackLine& of = by_line[each.line];
      of.share += each.share;
      add_parts(of.parts, each.parts);
    }
    for (auto& [line, of] : by_line) {
      if (line > 0) most = std::max(most, of.share);
      std::ranges::sort(of.parts, std::greater<>(), &StackPart::clocks);
    }
    by_line.erase(0);
    if (by_line.empty()) return "";
    const int first = by_line.begin()->first - kAround, last = by_line.rbegin()->first + kAround;
    std::string rows;
    int number = 0;
    for (std::string_view rest = p_.source; !rest.empty();) {
      const std::string_view line = take_until(rest, '\n');
      if (++number >= first && number <= last)
        rows += source_row(number, std::string(line), by_line, most);
    }
    return "<h3>" + escape(p_.file) + "</h3>\n" +
           table_of("Source", "<th>line</th><th>clocks</th><th>source and what it waits for</th>",
                    rows);
  }

  static void add_parts(std::vector<StackPart>& to, const std::vector<StackPart>& parts) {
    for (const StackPart& part : parts) {
      const auto found = std::ranges::find(to, part.name, &StackPart::name);
      if (found == to.end())
        to.push_back(part);
      else
        found->clocks += part.clocks;
    }
  }

  static std::string source_row(int number, const std::string& text,
                                const std::map<int, StackLine>& by_line, double most) {
    const auto found = by_line.find(number);
    const double share = found == by_line.end() ? 0 : found->second.share;
    const std::string waits = found == by_line.end() ? "" : waits_text(found->second.parts, share);
    const std::string label = found == by_line.end()
                                  ? std::to_string(number)
                                  : fmt::format("<a href=\"#code-{0}\">{0}</a>", number);
    return fmt::format(
        "<tr id=\"line-{}\"><td>{}</td><td class=\"bars\">{}{}</td><td class=\"code\">"
        "<code>{}</code>{}</td></tr>\n",
        number, label, bar(share, most), element("span", "", share_text(share)), escape(text),
        waits.empty() ? "" : element("span", "waits", waits));
  }

  std::string code() const {
    double most = 0;
    for (const StackInstruction& each : s_.code) most = std::max(most, each.share);
    std::string rows;
    std::map<int, bool> named;
    for (const StackInstruction& each : s_.code) {
      const bool first = each.line > 0 && !std::exchange(named[each.line], true);
      const std::string waits = waits_text(each.parts, each.share);
      const std::string line = each.line > 0 && !p_.source.empty()
                                   ? fmt::format("<a href=\"#line-{0}\">{0}</a>", each.line)
                               : each.line > 0 ? std::to_string(each.line)
                                               : "";
      rows += fmt::format(
          "<tr{}><td>{}</td><td class=\"bars\">{}{}</td><td class=\"code\"><code>{}</code>{}</td>"
          "</tr>\n",
          first ? fmt::format(" id=\"code-{}\"", each.line) : "", line, bar(each.share, most),
          element("span", "", share_text(each.share)), escape(each.text),
          waits.empty() ? "" : element("span", "waits", waits));
    }
    return element("h3", "", s_.machine_code ? "Machine code" : "PTX that was executed") + "\n" +
           table_of("Instructions",
                    "<th>line</th><th>clocks</th><th>instruction and what it waits for</th>", rows);
  }

  std::string changes() const {
    if (p_.changes.empty()) return "";
    std::string rows;
    for (const ChangedTime& each : p_.changes)
      rows += "<tr>" + element("th", "", each.change) +
              element("td", "", with_unit(each.seconds, "s")) +
              element("td", "", fmt::format("{:+.1f} %", 100 * (each.seconds / p_.seconds - 1))) +
              "</tr>\n";
    return section_of(
        "What would change it",
        table_of("What-ifs", "<th>change</th><th>time</th><th>change of the time</th>", rows));
  }

  std::string roofline() const {
    html::InstructionRoofline drawn;
    const double grid = s_.clocks / p_.device.clock_hz;
    const double instructions = s_.counted("smsp__inst_executed.sum");
    drawn.peak = s_.roofs.instructions;
    drawn.reached = grid > 0 ? instructions / grid : 0;
    const auto add = [&](const char* name, double bandwidth, double bytes) {
      if (bandwidth > 0 && bytes > 0)
        drawn.memory.push_back({name, bandwidth, instructions / bytes});
    };
    add("L2", s_.roofs.l2, s_.counted("lts__t_bytes.sum"));
    add("DRAM", s_.roofs.dram, s_.counted("dram__bytes.sum"));
    return html::to_html(drawn);
  }

  std::string counters() const {
    std::string rows;
    for (const Counter& each : s_.counters)
      rows += "<tr><th><code>" + escape(each.name) + "</code></th>" +
              element("td", "", brief(each.value, 6)) + "</tr>\n";
    return "<p class=\"note\">The names are those of Nsight Compute. The values are those of the "
           "simulated blocks, scaled to the grid.</p>\n" +
           table_of("Counters", "<th>counter</th><th>value</th>", rows);
  }

  std::string notes() const {
    std::string items;
    for (const std::string& note : p_.notes) items += element("li", "", note) + "\n";
    return items.empty() ? "" : section_of("Notes", "<ul>\n" + items + "</ul>\n");
  }

  const Prediction& p_;
  const Simulation& s_;
};

}  // namespace

std::string prediction_html(const Prediction& prediction) {
  const Style plain{false, true, 100};
  html::Frame frame;
  frame.title = fmt::format("{} on {}", prediction.entry, prediction.device.name);
  frame.policy = "style-src 'unsafe-inline'";
  frame.head = fmt::format("<style>\n{}</style>\n", html::assets::css);
  frame.body = prediction.simulation
                   ? PredictionPage(prediction).body()
                   : "<pre>" + escape(prediction_text(prediction, plain)) + "</pre>\n";
  return html::framed(frame);
}

}  // namespace gpx::report
