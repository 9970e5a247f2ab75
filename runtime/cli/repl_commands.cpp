// The REPL's :commands. Covered by tests/cli/repl_test.cpp.
#include <fmt/format.h>

#include <algorithm>

#include "lang/language.h"
#include "runtime/cli/files.h"
#include "runtime/cli/repl.h"
#include "runtime/report/report.h"
#include "runtime/report/table.h"

namespace gpx::cli {

/// One row for each command: its name, what follows it, what it does, the function.
struct Repl::Command {
  const char* name;
  const char* argument;
  const char* help;
  void (*run)(Repl& repl, const std::string& argument);
};

const std::vector<Repl::Command>& Repl::commands() {
  using Text = const std::string&;
  static const std::vector<Command> table = {
      {":help", "[TOPIC]", "this list, a word of the language, or a kind of words",
       [](Repl& r, Text a) { r.help(a); }},
      {":device", "[NAME]", "show the device, or run on another one",
       [](Repl& r, Text a) { r.device(a); }},
      {":devices", "", "list the devices", [](Repl& r, Text) { r.devices(); }},
      {":set", "[NAME=VALUE]", "show the settings, or give a parameter or an axis another value",
       [](Repl& r, Text a) { r.set(a); }},
      {":unset", "NAME", "forget a setting", [](Repl& r, Text a) { r.unset(a); }},
      {":plot", "", "draw the last result again",
       [](Repl& r, Text) {
         r.show_parts([&](const auto& e) { return report::plots(e, r.console_.out_style); });
       }},
      {":findings", "", "the last result's findings and tables",
       [](Repl& r, Text) {
         r.show_parts([&](const auto& e) { return report::findings(e, r.console_.out_style); });
       }},
      {":run", "FILE", "run an experiment file", [](Repl& r, Text a) { r.run_file(a); }},
      {":json", "FILE", "save the last result as JSON",
       [](Repl& r, Text a) { r.save(a, report::to_json); }},
      {":csv", "FILE", "save the last samples as CSV",
       [](Repl& r, Text a) { r.save(a, report::to_csv); }},
      {":quit", "", "leave (so does Ctrl-D)", nullptr},
  };
  return table;
}

std::vector<std::string> repl_command_names() {
  std::vector<std::string> names;
  for (const Repl::Command& command : Repl::commands()) names.emplace_back(command.name);
  return names;
}

bool Repl::command(const std::string& line) {
  const std::size_t space = line.find(' ');
  const std::string name = line.substr(0, space);
  std::string argument = space == std::string::npos ? "" : line.substr(space);
  argument.erase(0, argument.find_first_not_of(" \t"));
  if (name == ":q" || name == ":quit" || name == ":exit") return false;
  for (const Command& command : commands()) {
    if (name != command.name) continue;
    command.run(*this, argument);
    return true;
  }
  const auto near = nearest(name, repl_command_names());
  fail_with(make_error(Fault::input, "unknown command '" + name + "'",
                       near ? "did you mean '" + *near + "'?" : ":help lists the commands"));
  return true;
}

void Repl::help(const std::string& topic) {
  const report::Style& style = console_.out_style;
  if (topic.empty()) {
    report::Table table({"", "", ""});
    for (const Command& command : commands())
      table.add({{command.name, report::Paint::bold}, {command.argument}, {command.help}});
    say(table.render(style) +
        "\n  A line is an experiment:  sweep threads 2..1024 step 2 < load unique(128B) x3 >\n"
        "  Topics: statement, access, pattern, space, cache, function, unit, and every word.\n");
    return;
  }
  report::Table table({"word", "kind", "written", "what it does"});
  for (const Term& term : vocabulary())
    if (topic == term.name || topic == to_string(term.kind) ||
        topic == std::string(to_string(term.kind)) + "s")
      table.add({{term.name, report::Paint::bold},
                 {std::string(to_string(term.kind))},
                 {term.syntax},
                 {term.help}});
  for (const Command& command : commands())
    if (topic == command.name || ':' + topic == command.name)
      table.add({{command.name, report::Paint::bold},
                 {"command"},
                 {fmt::format("{} {}", command.name, command.argument)},
                 {command.help}});
  if (!table.empty()) return say(table.render(style));
  std::vector<std::string> words;
  for (const Term& term : vocabulary()) words.emplace_back(term.name);
  const auto near = nearest(topic, words);
  fail_with(make_error(Fault::input, "no topic '" + topic + "'",
                       near ? "did you mean '" + *near + "'?" : ":help lists the topics"));
}

void Repl::device(const std::string& name) {
  const Result<Backend*> backend = session_.open(name.empty() ? options_.device : name);
  if (!backend) return fail_with(backend.error());
  if (!name.empty()) options_.device = name;
  const DeviceInfo& info = (*backend)->info();
  say(fmt::format("{}{}\n", info.name,
                  info.kind == DeviceInfo::Kind::virtual_gpu
                      ? " (virtual GPU: a model, not a measurement)"
                      : ""));
}

void Repl::devices() {
  devices_command({}, console_);
}

void Repl::set(const std::string& argument) {
  if (argument.empty()) {
    for (const Setting& setting : options_.settings)
      say(fmt::format("{}={}\n", setting.name, setting.text));
    return;
  }
  Result<Setting> setting = parse_setting(argument);
  if (!setting) return fail_with(setting.error());
  std::erase_if(options_.settings, [&](const Setting& s) { return s.name == setting->name; });
  options_.settings.push_back(std::move(*setting));
}

void Repl::unset(const std::string& name) {
  if (std::erase_if(options_.settings, [&](const Setting& s) { return s.name == name; }) == 0)
    fail_with(make_error(Fault::input, "'" + name + "' is not set"));
}

void Repl::run_file(const std::string& path) {
  if (path.empty()) return fail_with(make_error(Fault::input, ":run needs a file"));
  const Result<Source> source = read_source(path);
  if (!source) return fail_with(source.error());
  run_source(*source);
}

void Repl::save(const std::string& path, std::string (*text)(const RunResult&)) {
  if (last_.experiments.empty()) return say("nothing has run yet\n");
  if (path.empty()) return fail_with(make_error(Fault::input, "a file is needed"));
  if (const Result<void> written = write_file(path, text(last_)); !written)
    return fail_with(written.error());
  say("wrote " + path + '\n');
}

}  // namespace gpx::cli
