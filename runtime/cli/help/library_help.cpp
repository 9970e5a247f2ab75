// Interface: library_help.h.
#include "runtime/cli/help/library_help.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "codegen/files/files.h"
#include "codegen/ir/text.h"
#include "lang/atomics.h"
#include "lang/lists.h"
#include "lang/operations.h"
#include "lang/vocabulary.h"
#include "lang/words.h"
#include "runtime/analysis/analysis.h"
#include "runtime/analysis/analysis_head.h"
#include "runtime/cli/help/language_help.h"
#include "runtime/cli/output/files.h"
#include "runtime/cli/output/library.h"
#include "runtime/device/select.h"
#include "runtime/lsp/library.h"
#include "runtime/paths.h"
#include "runtime/report/table.h"

namespace gpx::cli {
namespace {

std::string library_text(const std::string& path) {
  return file_text(path).value_or("");
}

std::string analysis_help(const std::string& name, const report::Style& style) {
  const std::string stdlib = find_paths().stdlib;
  const std::vector<std::string> all = analysis_methods(stdlib);
  if (!contains(all, name)) return {};
  const std::string path = stdlib + "/analysis/" + name + ".lua";
  const AnalysisHead head = read_head(name, path, library_text(path));
  report::Table analysis({"analysis", "what it finds"});
  analysis.add({{name, report::Paint::bold}, {head.about}});
  if (!head.call.empty()) analysis.note("analyze " + head.call);
  std::string text = analysis.render(style);
  report::Table findings({"finding", "meaning"});
  for (const lsp::LibraryFinding& row : lsp::read_rows(library_text(stdlib + "/findings.txt")))
    if (row.analysis == name) findings.add({{row.name, report::Paint::bold}, {row.about}});
  if (!findings.empty()) text += '\n' + findings.render(style);
  return text;
}

/// `analyses`, `analysis`, `analyze`: all of them.
std::string analyses_help(const std::string& topic, const report::Style& style) {
  if (topic != "analyses" && topic != "analysis" && topic != "analyze") return {};
  const std::string stdlib = find_paths().stdlib;
  report::Table table({"analysis", "what it finds"});
  for (const std::string& name : analysis_methods(stdlib)) {
    const std::string path = stdlib + "/analysis/" + name + ".lua";
    const std::string about = read_head(name, path, library_text(path)).about;
    table.add({{name, report::Paint::bold}, {about.substr(0, about.find(". "))}});
  }
  return table.render(style) + "gpx help NAME has the call of one and its findings\n";
}

std::string finding_help(const std::string& topic, const report::Style& style) {
  const std::string name = topic.substr(0, topic.find('['));
  report::Table table({"finding", "analysis", "meaning"});
  std::set<std::string> said;
  for (const lsp::LibraryFinding& row :
       lsp::read_findings(library_text(find_paths().stdlib + "/findings.txt")))
    if (row.name == name && said.insert(row.analysis).second)
      table.add({{row.name, report::Paint::bold}, {row.analysis}, {row.about}});
  return table.empty() ? std::string() : table.render(style);
}

/// A row of stdlib/calls.txt.
struct ScriptCall {
  std::string name, written, about;
};

std::vector<ScriptCall> script_calls() {
  std::vector<ScriptCall> calls;
  const std::string text = library_text(find_paths().stdlib + "/calls.txt");
  const auto cell = [](std::string_view words) { return std::string(codegen::trimmed(words)); };
  for (std::string_view rest = text; !rest.empty();) {
    std::string_view line = take_until(rest, '\n');
    if (line.starts_with('#') || std::ranges::count(line, '|') < 2) continue;
    const auto name = take_until(line, '|'), written = take_until(line, '|');
    calls.push_back({cell(name), cell(written), cell(line)});
  }
  return calls;
}

/// "gpx.plot"; "gpx", "stats" and "samples" stand for all that begins so.
std::string call_help(const std::string& topic, const report::Style& style) {
  report::Table table({"of scripts", "what it does, and how it is written"});
  for (const ScriptCall& call : script_calls()) {
    const bool of_family = call.name.starts_with(topic + '.') || call.name.starts_with(topic + ':');
    if (call.name != topic && !of_family) continue;
    table.add({{call.name, report::Paint::bold}, {call.about}});
    table.note(call.written);
  }
  return table.empty() ? std::string() : table.render(style);
}

std::vector<std::string> dotted_names() {
  std::vector<std::string> names = names_of(TermKind::operation);
  for (std::string& atomic : names_of(TermKind::atomic)) names.push_back(std::move(atomic));
  return names;
}

/// `wgmma`, `fma.rn`: the operations whose names begin so.
std::string family_help(const std::string& topic, const report::Style& style) {
  constexpr std::size_t kMost = 48;
  std::vector<std::string> names;
  for (std::string& name : dotted_names())
    if (name.starts_with(topic + '.')) names.push_back(std::move(name));
  if (names.empty()) return {};
  std::string text = fmt::format("{}: {}, such as {} ({})\n", topic,
                                 gpx::plural(static_cast<double>(names.size()), "operation"),
                                 names.front(), find_term(names.front())->help);
  std::string line;
  for (std::size_t i = 0; i < std::min(names.size(), kMost); ++i) {
    if (!line.empty() &&
        line.size() + names[i].size() + 2 > static_cast<std::size_t>(style.width)) {
      text += line + '\n';
      line.clear();
    }
    line += "  " + names[i];
  }
  text += line + '\n';
  if (names.size() > kMost)
    text +=
        fmt::format("  and {} more: gpx help {} lists those that begin so\n", names.size() - kMost,
                    names.front().substr(0, names.front().find('.', topic.size() + 1)));
  return text;
}

std::string experiment_help(const std::string& topic) {
  std::string text;
  if (library_experiment(topic))
    text += fmt::format("{}: an experiment of the library: gpx run {}\n", topic, topic);
  for (const Template& one : templates())
    if (one.name == topic)
      text += fmt::format("{}: {} gpx new {}\n", topic, question_of(one), topic);
  for (const std::string& device : virtual_devices(find_paths()))
    if (device == topic)
      text += fmt::format("{}: a virtual device: gpx devices {}\n", topic, topic);
  return text;
}

}  // namespace

std::string library_help(const std::string& topic, const report::Style& style) {
  std::string text;
  for (const std::string& part :
       {analyses_help(topic, style), analysis_help(topic, style), finding_help(topic, style),
        family_help(topic, style), call_help(topic, style), experiment_help(topic)}) {
    if (part.empty()) continue;
    text += (text.empty() ? "" : "\n") + part;
  }
  return text;
}

std::string topic_help(const std::string& topic, const report::Style& style) {
  const std::string word = language_help(topic, style), name = library_help(topic, style);
  return word + (word.empty() || name.empty() ? "" : "\n") + name;
}

std::vector<std::string> library_topics() {
  std::set<std::string> topics{"analyses"};
  const Paths paths = find_paths();
  for (const std::string& name : analysis_methods(paths.stdlib)) topics.insert(name);
  for (const lsp::LibraryFinding& row :
       lsp::read_findings(library_text(paths.stdlib + "/findings.txt")))
    topics.insert(row.name);
  for (const std::string& name : dotted_names())
    for (std::size_t dot = name.find('.'); dot != std::string::npos; dot = name.find('.', dot + 1))
      topics.insert(name.substr(0, dot));
  for (const std::string& name : library_experiments()) topics.insert(name);
  for (const ScriptCall& call : script_calls()) topics.insert(call.name);
  for (const Template& one : templates()) topics.insert(one.name);
  for (const std::string& name : virtual_devices(paths)) topics.insert(name);
  return {topics.begin(), topics.end()};
}

}  // namespace gpx::cli
