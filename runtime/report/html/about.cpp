// The head of a page: what each run is of and how it came about, how to cite it, and the cited
// works. Interface: sections.h.
#include <fmt/format.h>

#include "runtime/report/citation.h"
#include "runtime/report/html/sections.h"
#include "runtime/report/html/text.h"
#include "runtime/report/number.h"
#include "runtime/report/report.h"

namespace gpx::report::html {
namespace {

/// The runs that have something to tell.
std::vector<const Run*> told_runs(const std::vector<Run>& runs) {
  std::vector<const Run*> told;
  for (const Run& run : runs)
    if (!run.document.result.experiments.empty()) told.push_back(&run);
  return told;
}

const ExperimentResult& first_of(const Run& run) {
  return run.document.result.experiments.front();
}

std::string kind_of(const Run& run) {
  return first_of(run).device.measured ? "a real GPU, measured"
                                       : "a virtual GPU: a model, not a measurement";
}

std::string reported_of(const Run& run) {
  const DeviceInfo& device = first_of(run).device;
  std::string text = device.architecture;
  const auto add = [&](const std::string& fact) { text += (text.empty() ? "" : ", ") + fact; };
  if (device.sm_count > 0) add(fmt::format("{} SMs", device.sm_count));
  if (device.clock_hz > 0) add(fmt::format("SM clock {}", with_unit(device.clock_hz, "Hz")));
  if (device.l2_bytes > 0)
    add(fmt::format("L2 {}", with_unit(static_cast<double>(device.l2_bytes), "B")));
  return text;
}

/// "2026-01-31T12:00:00Z" of when the run began, or, of one that has just ended, ended.
std::string date_of(const Run& run) {
  const auto& origin = run.document.origin;
  if (!origin) return {};
  return origin->started.empty() ? origin->ended : origin->started;
}

std::string command_of(const Run& run) {
  return run.document.origin ? run.document.origin->command : std::string();
}

/// A fact, and its text for a run; "": the run does not have it.
struct AboutFact {
  std::string_view name;
  std::string (*of)(const Run&);
};
constexpr AboutFact kAboutFacts[] = {
    {"device", [](const Run& run) { return first_of(run).device.name; }},
    {"kind", kind_of},
    {"reported", reported_of},
    {"driver", [](const Run& run) { return first_of(run).device.driver; }},
    {"while measured", [](const Run& run) { return state_range(run.document.result); }},
    {"date (UTC)", date_of},
    {"program", [](const Run& run) { return program_text(run.document.result); }},
    {"compiler", [](const Run& run) { return first_of(run).compiler; }},
    {"seed", [](const Run& run) { return fmt::format("{}", first_of(run).seed); }},
    {"device file's hash", [](const Run& run) { return first_of(run).device_file; }},
    {"findings", [](const Run& run) { return verdict_counts(run.document.result); }},
    {"command", command_of}};

/// A row of one fact, a cell for each run; "" where no run has it.
std::string about_row(const AboutFact& fact, const std::vector<const Run*>& runs) {
  std::string cells;
  bool any = false;
  for (const Run* run : runs) {
    const std::string text = fact.of(*run);
    any = any || !text.empty();
    const bool code = fact.name == "command" && !text.empty();
    cells += code ? "<td><code>" + escape(text) + "</code></td>" : element("td", "", text);
  }
  return any ? fmt::format("<tr><th scope=\"row\">{}</th>{}</tr>\n", fact.name, cells)
             : std::string();
}

std::string citations(const std::vector<const Run*>& runs) {
  std::string items;
  for (const Run* run : runs) items += element("li", "", citation(*run));
  return "<h2>To cite this page</h2>\n<ul class=\"cite\">" + items +
         "</ul>\n<p class=\"note\">Quote a value with its interval and its verdict. Publish the "
         "run's document with it: gpx export RUN -o FILE.json.</p>\n";
}

}  // namespace

std::string about(const std::vector<Run>& runs) {
  const std::vector<const Run*> told = told_runs(runs);
  std::string rows;
  if (told.empty()) return {};
  if (told.size() > 1) rows = about_row({"run", [](const Run& run) { return run.name; }}, told);
  for (const AboutFact& fact : kAboutFacts) rows += about_row(fact, told);
  return scrolling("Devices and runs",
                   "<table class=\"facts about\"><tbody>" + rows + "</tbody></table>") +
         citations(told);
}

std::string references(const std::vector<Run>& runs) {
  std::string items;
  for (const Work& work : works_of(runs))
    items += fmt::format("<li><strong>{}</strong> ({}): {}</li>\n", escape(work.name),
                         escape(work.prefix), escape(work.text));
  if (items.empty()) return {};
  return "<section id=\"references\" aria-labelledby=\"references-title\">\n"
         "<h2 id=\"references-title\">References</h2>\n"
         "<ul class=\"references\">" +
         items + "</ul>\n</section>\n";
}

}  // namespace gpx::report::html
