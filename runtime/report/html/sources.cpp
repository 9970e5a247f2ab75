// What was run, folded away: the experiment's text, CUDA, the timed listings; and provenance.
#include <fmt/format.h>

#include <algorithm>

#include "lang/lists.h"
#include "runtime/report/figures.h"
#include "runtime/report/html/sections.h"
#include "runtime/report/html/text.h"
#include "runtime/report/number.h"
#include "runtime/report/report.h"

namespace gpx::report::html {
namespace {

using Facts = std::vector<std::pair<std::string, std::string>>;

std::string listing(std::string_view label, std::string_view text) {
  return fmt::format(
      "<pre tabindex=\"0\" role=\"region\" aria-label=\"{}\"><code>{}</code></pre>\n",
      escape(label), escape(text));
}

std::string kernel_name(const KernelText& kernel) {
  std::string name = kernel.measure;
  if (!kernel.point.empty()) name += (name.empty() ? "" : ", ") + kernel.point;
  return name.empty() ? "the kernel" : name;
}

std::string kernels(const Member& member) {
  const ExperimentResult& result = *member.result;
  if (result.kernels.empty()) return {};
  std::string cuda, timed;
  for (const KernelText& kernel : result.kernels) {
    const std::string name = kernel_name(kernel);
    if (!kernel.cuda.empty())
      cuda += element("h5", "", name) + listing("CUDA of " + name, kernel.cuda);
    timed += element("h5", "", name + " (" + kernel.form + ")") +
             listing("Timed region of " + name, kernel.listing);
  }
  if (result.artifacts.size() > result.kernels.size()) {
    const std::string rest =
        element("p", "note",
                fmt::format("{} more kernels: gpx explain {}:POINT shows any of them.",
                            result.artifacts.size() - result.kernels.size(), result.file));
    if (!cuda.empty()) cuda += rest;
    timed += rest;
  }
  return (cuda.empty() ? "" : folded("CUDA on " + member.label, cuda)) +
         folded(fmt::format("Timed region on {} ({})", member.label,
                            result.proof.empty() ? "not checked" : result.proof),
                timed);
}

std::string kernel_files(const Member& member) {
  std::string text;
  for (const Source& file : member.result->kernel_files)
    text += element("h5", "", file.name()) + listing("The file " + file.name(), file.text());
  return text.empty() ? "" : folded("Kernel from a file, on " + member.label, text);
}

/// The text of the file that the experiment stands in.
std::string_view source_of(const Member& member) {
  const std::vector<Source>& sources = member.run->document.result.sources;
  const auto found = std::ranges::find(sources, member.result->file, &Source::name);
  return found == sources.end() ? std::string_view() : found->text();
}

void add(Facts& facts, const std::string& name, const std::string& value) {
  if (!value.empty()) facts.emplace_back(name, value);
}

Facts facts_of(const Member& member) {
  const ExperimentResult& result = *member.result;
  Facts facts;
  add(facts, "run", member.run->name);
  add(facts, "file", result.file);
  for (const ReportedFact& reported : reported_facts(result.device)) {
    std::string text = fact_text(reported);
    if (reported.fact->key == "measured") continue;
    if (reported.fact->key == "kind")
      text += is_virtual(result) ? ": a model of a GPU, nothing was measured" : ": measured";
    add(facts, std::string(reported.fact->label), text);
  }
  add(facts, "compiler", result.compiler);
  add(facts, "timed region", result.proof);
  if (is_virtual(result)) add(facts, "seed", fmt::format("{}", result.seed));
  add(facts, "before", state_text(result.state_before));
  add(facts, "after", state_text(result.state_after));
  if (result.points_total > 0)
    add(facts, "points", fmt::format("{} of {}", result.points, result.points_total));
  if (result.experiment.repeat > 0) add(facts, "each point", repetitions_text(result));
  add(facts, "artifacts", joined(result.artifacts, " "));
  add(facts, "experiment's hash", result.ir);
  add(facts, "device file's hash", result.device_file);
  add(facts, "digest of what was read", result.values_digest);
  add(facts, "gpx", member.run->document.result.gpx);
  if (const auto& origin = member.run->document.origin) {
    add(facts, "id", origin->id);
    add(facts, "status", origin->status);
    add(facts, "started", origin->started);
    add(facts, "ended", origin->ended);
    add(facts, "host", origin->host);
    add(facts, "command", origin->command);
    add(facts, "folder", origin->folder);
  }
  return facts;
}

}  // namespace

std::string sources(const Group& group) {
  std::string out;
  std::vector<std::string> shown;
  for (const Member& member : group.members) {
    const std::string source(source_of(member));
    if (source.empty() || contains(shown, source)) continue;
    shown.push_back(source);
    // Of a cell or a pipe there is no file.
    const bool named = !member.result->file.starts_with('<');
    out += folded(named ? "Experiment: " + member.result->file : "Experiment",
                  listing(named ? "Source of " + member.result->file : "Source", source));
  }
  for (const Member& member : group.members) out += kernel_files(member) + kernels(member);
  return out;
}

std::string provenance(const Group& group) {
  std::string out;
  for (const Member& member : group.members) {
    std::string rows;
    for (const auto& [name, value] : facts_of(member))
      rows += fmt::format("<tr><th scope=\"row\">{}</th><td>{}</td></tr>\n", escape(name),
                          escape(value));
    const std::string label = "Where the numbers on " + member.label + " are from";
    out += folded(label,
                  scrolling(label, "<table class=\"facts\"><tbody>" + rows + "</tbody></table>"));
  }
  return out;
}

}  // namespace gpx::report::html
