// The manual page, from the same text as --help. Covered by tests/cli/shell_test.cpp.
#include <fmt/format.h>

#include <sstream>

#include "runtime/cli/completion/shells.h"
#include "runtime/cli/output/help_sections.h"

namespace gpx::cli {
namespace {

/// One UTF-8 character at `at` as roff takes it; `at` goes to the next one.
std::string roff_character(const std::string& text, std::size_t& at) {
  const auto lead = static_cast<unsigned char>(text[at++]);
  if (lead == '\\') return "\\e";
  if (lead == '-') return "\\-";
  if (lead < 0x80) return std::string(1, static_cast<char>(lead));
  std::uint32_t point = lead >= 0xf0 ? lead & 0x07u : lead >= 0xe0 ? lead & 0x0fu : lead & 0x1fu;
  while (at < text.size() && (static_cast<unsigned char>(text[at]) & 0xc0) == 0x80)
    point = point << 6 | (static_cast<unsigned char>(text[at++]) & 0x3fu);
  return fmt::format("\\[u{:04X}]", point);
}

/// Plain text: nothing in it is a request.
std::string roff(const std::string& text) {
  std::string out = text.starts_with('.') || text.starts_with('\'') ? "\\&" : "";
  for (std::size_t at = 0; at < text.size();) out += roff_character(text, at);
  return out;
}

/// "\fB--device\fR \fINAME\fR"
std::string spelling(const OptionInfo& option, const char* between = ", ") {
  std::string out;
  for (const std::string& name : option.names)
    out += (out.empty() ? "" : between) + ("\\fB" + roff(name) + "\\fR");
  return option.value.empty() ? out : out + " \\fI" + roff(option.value) + "\\fR";
}

std::string argument(const OptionInfo& option) {
  std::string out = "\\fI" + roff(option.names.front()) + "\\fR";
  if (option.repeated) out += "\\[u2026]";
  return option.required ? out : '[' + out + ']';
}

std::string synopsis(const CommandInfo& command) {
  std::string out = ".B gpx " + roff(command.name) + '\n';
  for (const OptionInfo& option : command.options)
    if (option.required)
      out += spelling({{option.names.front()}, option.value, "", true, false}) + '\n';
  out += "[\\fIoptions\\fR]\n";
  for (const OptionInfo& option : command.arguments) out += argument(option) + '\n';
  return out;
}

std::string paragraphs(const std::vector<OptionInfo>& options) {
  std::string out;
  for (const OptionInfo& option : options) {
    const bool is_argument = !option.names.front().starts_with('-');
    out += ".TP\n" + (is_argument ? argument(option) : spelling(option)) + '\n' +
           roff(option.help) + '\n';
  }
  return out;
}

/// "  0    every expectation holds": what stands before two spaces is the term.
std::string section(const HelpSection& help) {
  std::string heading = help.heading, out;
  for (char& c : heading) c = static_cast<char>(std::toupper(static_cast<unsigned char>(c)));
  out = ".SH " + heading + '\n';
  std::istringstream lines(help.text);
  for (std::string line; std::getline(lines, line);) {
    const std::size_t begin = line.find_first_not_of(' '), end = line.find("  ", begin);
    out += ".TP\n.B " + roff(line.substr(begin, end - begin)) + '\n' +
           roff(line.substr(line.find_first_not_of(' ', end))) + '\n';
  }
  return out;
}

}  // namespace

std::string manual(const std::vector<CommandInfo>& table) {
  const CommandInfo& gpx = table.front();
  std::string out =
      ".TH GPX 1 \"\" \"gpx " GPX_VERSION "\"\n.SH NAME\ngpx \\- " +
      roff(gpx.help.substr(gpx.help.find(": ") + 2)) +
      "\n.SH SYNOPSIS\n.B gpx\n[\\fIcommand\\fR] [\\fIoptions\\fR]\n" +
      ".SH DESCRIPTION\nWithout a command gpx reads experiments from the terminal, as "
      "\\fBgpx repl\\fR does.\n.SH OPTIONS\n" +
      paragraphs(gpx.options) + ".SH COMMANDS\n";
  for (std::size_t i = 1; i < table.size(); ++i)
    out += ".SS " + roff("gpx " + table[i].name) + '\n' + synopsis(table[i]) + ".PP\n" +
           roff(table[i].help) + ".\n" + paragraphs(table[i].arguments) +
           paragraphs(table[i].options);
  for (const HelpSection& each : help_sections()) out += section(each);
  return out;
}

}  // namespace gpx::cli
