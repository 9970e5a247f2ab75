// Machine code as text, JSON and a page. Interface: runtime/report/machine_code.h.
#include "runtime/report/machine_code.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>

#include "lang/words.h"
#include "runtime/report/html/assets.h"
#include "runtime/report/html/frame.h"
#include "runtime/report/html/text.h"

namespace gpx::report {
namespace {

using codegen::sass::Control;
using codegen::sass::Function;
using codegen::sass::Statement;
using html::escape;
using html::json_text;

constexpr const char* kLegend =
    "address  stall, yield, W scoreboard that the result sets, R that reading the sources sets, "
    "scoreboards waited for, operands kept for reuse";

std::vector<std::string_view> lines_of_text(std::string_view text) {
  std::vector<std::string_view> lines;
  while (!text.empty()) lines.push_back(take_until(text, '\n'));
  return lines;
}

/// "a.cu:6: y[i] = x[i];", or without the text where it is not known.
class Places {
 public:
  explicit Places(const MachineCode& code)
      : file_(code.source_file), lines_(lines_of_text(code.source)) {}
  std::string text(const Statement& statement) const {
    std::string out = fmt::format("{}:{}", statement.file, statement.line);
    if (statement.file != file_ || statement.line > lines_.size()) return out;
    std::string_view line = lines_[statement.line - 1];
    line.remove_prefix(std::min(line.find_first_not_of(" \t"), line.size()));
    return out + ": " + std::string(line);
  }

 private:
  std::string_view file_;
  std::vector<std::string_view> lines_;
};

bool same_place(const Statement& a, const Statement& b) {
  return a.line == b.line && a.file == b.file;
}

/// "saxpy: 32 instructions, 10 registers, 1 unknown word"
std::string heading(const MachineCode& code, std::size_t index) {
  const Function& function = code.program.functions[index];
  std::string text =
      fmt::format("{}: {}", function.name,
                  plural(static_cast<double>(function.statements.size()), "instruction"));
  if (index < code.registers.size() && code.registers[index] > 0)
    text += fmt::format(", {}", plural(code.registers[index], "register"));
  if (function.unknown > 0) text += fmt::format(", {} that gpx cannot read", function.unknown);
  return text;
}

std::string instruction_line(const Statement& statement) {
  return fmt::format("{:04x}  {}  {}", statement.address,
                     control_text(statement.instruction.word.control()),
                     statement.instruction.text());
}

/// Calls `statement` for each, and `place` before the first one of each new line of the source.
template <typename Place, typename Line>
void walk(const Function& function, Place place, Line line) {
  const Statement* before = nullptr;
  for (const Statement& statement : function.statements) {
    if (statement.line > 0 && (!before || !same_place(*before, statement))) place(statement);
    line(statement);
    before = &statement;
  }
}

std::string json_scoreboard(unsigned number) {
  return number == 7 ? "null" : std::to_string(number);
}

std::string json_of(const Statement& statement) {
  const Control control = statement.instruction.word.control();
  std::string waits, reuse;
  for (unsigned i = 0; i < 6; ++i)
    if ((control.waits >> i & 1) != 0) waits += (waits.empty() ? "" : ", ") + std::to_string(i);
  for (unsigned i = 0; i < 3; ++i)
    if ((control.reuse >> i & 1) != 0)
      reuse += fmt::format("{}\"{}\"", reuse.empty() ? "" : ", ", static_cast<char>('A' + i));
  std::string out = fmt::format(
      "{{\"address\": {}, \"text\": {}, \"known\": {}, \"word\": [\"0x{:016x}\", \"0x{:016x}\"], "
      "\"stall\": {}, \"yield\": {}, \"sets\": {}, \"reads\": {}, \"waits\": [{}], \"reuse\": [{}]",
      statement.address, json_text(statement.instruction.text()), statement.instruction.known,
      statement.instruction.word.lo, statement.instruction.word.hi, control.stall, control.yield,
      json_scoreboard(control.writes), json_scoreboard(control.reads), waits, reuse);
  if (statement.line > 0)
    out += fmt::format(", \"file\": {}, \"line\": {}", json_text(statement.file), statement.line);
  return out + "}";
}

/// Lines of the source differ in hue; near lines differ much.
std::string colour_of(const Statement& statement) {
  if (statement.line == 0) return {};
  return fmt::format(" style=\"background: hsl({} 60% 50% / .16)\"", statement.line * 137 % 360);
}

std::string html_of(const Function& function, const Places& places) {
  std::string rows;
  walk(
      function,
      [&](const Statement& at) {
        rows += fmt::format("<span{}>{}</span>\n", colour_of(at), escape(places.text(at)));
      },
      [&](const Statement& at) {
        rows += fmt::format("<span{}>  {}</span>\n", colour_of(at), escape(instruction_line(at)));
      });
  return rows;
}

}  // namespace

std::string to_terminal(const MachineCode& code, const Style& style) {
  std::string out = paint(style, Paint::bold, code.title) + "\n" + kLegend + "\n";
  const Places places(code);
  for (std::size_t i = 0; i < code.program.functions.size(); ++i) {
    out += "\n" + paint(style, Paint::bold, heading(code, i)) + "\n";
    walk(
        code.program.functions[i],
        [&](const Statement& at) { out += paint(style, Paint::green, places.text(at)) + "\n"; },
        [&](const Statement& at) { out += "  " + instruction_line(at) + "\n"; });
  }
  return out;
}

std::string to_json(const MachineCode& code) {
  std::string functions;
  for (std::size_t i = 0; i < code.program.functions.size(); ++i) {
    const Function& function = code.program.functions[i];
    std::string statements;
    for (const Statement& statement : function.statements)
      statements += (statements.empty() ? "\n      " : ",\n      ") + json_of(statement);
    functions += fmt::format(
        "{}\n    {{\"name\": {}, \"registers\": {}, \"unknown\": {}, \"instructions\": [{}]}}",
        i > 0 ? "," : "", json_text(function.name),
        i < code.registers.size() ? code.registers[i] : 0, function.unknown, statements);
  }
  return fmt::format(
      "{{\n  \"schema\": 1,\n  \"title\": {},\n  \"sm\": {},\n  \"functions\": "
      "[{}]\n}}\n",
      json_text(code.title), code.program.sm, functions);
}

std::string to_html(const MachineCode& code) {
  std::string body;
  const Places places(code);
  for (std::size_t i = 0; i < code.program.functions.size(); ++i)
    body += fmt::format("<section>\n<h2>{}</h2>\n<pre>{}</pre>\n</section>\n",
                        escape(heading(code, i)), html_of(code.program.functions[i], places));
  html::Frame frame;
  frame.title = code.title;
  frame.policy = "style-src 'unsafe-inline'";
  frame.head =
      fmt::format("<style>\n{}\npre {{ max-height: none; }}\n</style>\n", html::assets::css);
  frame.lead = fmt::format("<p>{}</p>\n", kLegend);
  frame.body = body;
  return html::framed(frame);
}

}  // namespace gpx::report
