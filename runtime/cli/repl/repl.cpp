// The REPL's reading: lines to blocks. Interface: repl.h.
#include "runtime/cli/repl/repl.h"

#include <algorithm>

#include "codegen/ir/text.h"
#include "lang/language.h"
#include "lang/vocabulary.h"
#include "runtime/cli/interrupt.h"
#include "runtime/cli/repl/session_words.h"

namespace gpx::cli {
namespace {

std::string trimmed(std::string_view text) {
  return std::string(codegen::trimmed(text));
}

std::string text_of_lines(const std::vector<std::string>& lines) {
  std::string text;
  for (const std::string& line : lines) text += line + '\n';
  return text;
}

/// "" where a comment (which begins so) ends with its line.
std::string on_one_line(const std::vector<std::string>& lines, const char* comment) {
  std::string text;
  for (const std::string& line : lines) {
    if (line.find(comment) != std::string::npos) return {};
    if (const std::string piece = trimmed(line); !piece.empty())
      text += (text.empty() ? "" : " ") + piece;
  }
  return text;
}

/// A block as one history entry, where it means the same on one line.
std::string history_entry(const std::vector<std::string>& lines, bool is_lua) {
  if (is_lua) {
    const std::string text = on_one_line(lines, "--");
    return text.empty() ? text : ":lua " + text;
  }
  const std::string text = on_one_line(lines, "#");
  return completeness(text) == Completeness::complete ? text : std::string();
}

/// `open` that are open behind a line, less those that it closes; texts and comments not counted.
int more_open(const std::string& line, char open, char close) {
  int more = 0;
  bool quoted = false;
  for (const char c : line) {
    if (c == '"') quoted = !quoted;
    if (quoted) continue;
    if (c == '#') break;
    more += (c == open) - (c == close);
  }
  return more;
}

/// Braces that are open at the end of the lines.
int open_braces(const std::vector<std::string>& lines) {
  int open = 0;
  for (const std::string& line : lines) open += more_open(line, '{', '}');
  return open;
}

/// A line of Lua that may be the last one of what began before it.
bool may_end_lua(const std::string& line) {
  const std::string text = trimmed(line);
  return text.empty() || text.starts_with("end") || text.starts_with("until") ||
         text.ends_with("end") || std::string("})]").find(text.back()) != std::string::npos;
}

constexpr std::size_t kMostBlockBytes = 16u << 20;  ///< As of a file (output/files.h).

/// A command without its colon, where its word means nothing in the language.
bool is_bare_command(const std::string& line) {
  const std::string word = line.substr(0, line.find_first_of(" \t"));
  if (find_term(word)) return false;
  return word == "exit" || std::ranges::count(repl_command_names(), ':' + word) > 0;
}

/// The command that one word means which is nothing in the language: "qiut" is :quit.
std::optional<std::string> near_command(const std::string& text) {
  const bool word = text.find_first_not_of("abcdefghijklmnopqrstuvwxyz") == std::string::npos;
  if (!word || find_term(text)) return std::nullopt;
  std::vector<std::string> names;
  for (const std::string& name : repl_command_names()) names.push_back(name.substr(1));
  std::vector<std::string> words;
  for (const Term& term : vocabulary()) words.emplace_back(term.name);
  if (nearest(text, words)) return std::nullopt;
  const auto near = nearest(text, names);
  return near ? std::optional(':' + *near) : std::nullopt;
}

}  // namespace

Repl::Repl(const Console& console, Paths paths, RunOptions options, StoreOptions store, Talk talk)
    : console_(console),
      options_(std::move(options)),
      store_(std::move(store)),
      talk_(talk),
      session_(std::move(paths)),
      host_(store_, talk_, console_, session_, InterruptGuard::flag()) {
  script_options_.device = options_.device;
  script_options_.seed = options_.seed;
  script_options_.budget.stop = &InterruptGuard::flag();
  script_options_.budget.on_print = [this](const std::string& line) {
    say(report::shown_text(line) + '\n');
  };
  begin_script();
}

/// Also where the memory that scripts may take is full of earlier runs: its globals are gone then.
void Repl::begin_script() {
  script_ = std::make_unique<script::TypedScript>(host_, session_.paths(), script_options_);
}

void Repl::say(const std::string& text) {
  print(console_.out, text);
  std::fflush(console_.out);
}

namespace {

constexpr const char* kPiped = "<stdin>";

/// The REPL's own texts: their lines are lines of the input.
bool is_typed(const std::string& file) {
  return file == "<repl>" || file == "<lua>";
}

}  // namespace

/// From a pipe errors name the line of the input; on a terminal the line is in sight.
void Repl::count_line(const std::string& line) {
  ++line_;
  if (!pending()) first_line_ = line_;
  if (console_.in_is_terminal) return;
  console_.at = Source(kPiped, line).locate({0, static_cast<std::uint32_t>(line.size())});
  console_.at->line = line_;
}

void Repl::fail_with(const Error& given) {
  Error error = given;
  for (Diagnostic& diagnostic : error.diagnostics)
    if (diagnostic.location && console_.at && is_typed(diagnostic.location->file)) {
      diagnostic.location->file = kPiped;
      diagnostic.location->line += first_line_ - 1;
    }
  const int status = print_error(console_, error);
  std::fflush(console_.err);
  if (status_ == kSuccess) status_ = status;
}

/// The window may have another size than when the last line was answered.
void Repl::refresh_style() {
  if (console_.out_is_terminal) console_.out_style = report::style_of(fileno(console_.out));
  if (console_.err_is_terminal) console_.err_style = report::style_of(fileno(console_.err));
}

int Repl::run(LineReader& reader) {
  const std::string prompt = console_.out_is_terminal ? "gpx> " : "";
  const std::string more = console_.out_is_terminal ? "...> " : "";
  while (const auto line = reader.read(pending() ? more : prompt)) {
    if (line->interrupted) {
      drop_block();
      continue;
    }
    refresh_style();
    count_line(line->text);
    if (!take(line->text, reader)) return console_.in_is_terminal ? kSuccess : status_;
  }
  if (pending()) finish_block(reader);
  return console_.in_is_terminal ? kSuccess : status_;
}

bool Repl::take(const std::string& line, LineReader& reader) {
  const std::string text = trimmed(line);
  const bool is_lua = block_ == Block::lua || block_ == Block::lua_until_blank;
  if (!pending() && text.empty()) return true;
  if (!is_lua && text.starts_with(':')) {
    // No line of an experiment begins so: the block was not meant to go on.
    if (pending()) finish_block(reader);
    first_line_ = line_;
    return take_command(text, reader);
  }
  if (!pending() && is_bare_command(text)) return take_command(':' + text, reader);
  if (!pending())
    if (const auto near = near_command(text)) {
      fail_with(make_error(Fault::input, "no command and no word is called '" + text + "'",
                           "did you mean " + *near + "?"));
      return true;
    }
  if (!pending()) block_ = Block::experiment;
  block_bytes_ += line.size() + 1;
  if (block_bytes_ > kMostBlockBytes) {
    drop_block();
    fail_with(make_error(Fault::input, "a block is larger than 16 MB: it is not read on",
                         "gpx run FILE reads a file; a block ends with its last } or >"));
    return false;
  }
  lines_.push_back(line);
  braces_ += more_open(line, '{', '}');
  angles_ += more_open(line, '<', '>');
  if (block_is_over()) finish_block(reader);
  return true;
}

void Repl::drop_block() {
  block_ = Block::none;
  lines_.clear();
  block_bytes_ = 0;
  looked_at_ = 0;
  braces_ = angles_ = 0;
}

// Each look reads the whole block. A long block is looked at where its last line may close it, else
// after a quarter more lines: so the looks together cost no more than a few readings.
bool Repl::is_worth_a_look() {
  constexpr std::size_t kShort = 64;
  const bool is_lua = block_ == Block::lua;
  const bool closes = angles_ <= 0 || more_open(lines_.back(), '{', '}') < 0;
  const bool may_end = is_lua ? may_end_lua(lines_.back()) : braces_ <= 0 && closes;
  if (lines_.size() > kShort && !may_end && lines_.size() < looked_at_ + looked_at_ / 4)
    return false;
  looked_at_ = lines_.size();
  return true;
}

bool Repl::take_command(const std::string& line, LineReader& reader) {
  const std::size_t space = line.find_first_of(" \t");
  if (line.substr(0, space) == ":lua" &&
      lua_begins(space == std::string::npos ? "" : trimmed(line.substr(space))))
    return true;
  reader.remember(line);
  return command(line);
}

bool Repl::block_is_over() {
  const bool blank = trimmed(lines_.back()).empty();
  if (block_ == Block::lua_until_blank)
    return blank && !script_->is_unfinished(text_of_lines(lines_));
  if (!is_worth_a_look()) return false;
  const std::string text = text_of_lines(lines_);
  if (block_ == Block::lua) return !script_->is_unfinished(text);
  const Completeness how = completeness(text);
  // The rest of a wrong block is no text of its own: it is read to its end, or a blank line.
  if (how == Completeness::wrong) return blank || braces_ <= 0;
  return how == Completeness::complete;
}

void Repl::finish_block(LineReader& reader) {
  const std::vector<std::string> lines = std::exchange(lines_, {});
  const bool is_lua = block_ != Block::experiment;
  drop_block();
  const std::string entry = history_entry(lines, is_lua);
  if (!entry.empty())
    reader.remember(entry);
  else
    for (std::size_t i = 0; i < lines.size(); ++i)
      reader.remember(is_lua && i == 0 ? ":lua " + lines[i] : lines[i]);
  if (is_lua)
    lua(text_of_lines(lines));
  else
    answer(text_of_lines(lines));
}

std::vector<std::string> Repl::experiment_names() const {
  std::vector<std::string> names;
  for (const SessionText::Entry& each : text_.entries()) names.push_back(each.piece.name);
  return names;
}

SessionNames Repl::names() {
  SessionNames names{experiment_names(), setting_names()};
  for (const SessionParameter& each : text_.parameters())
    names.before += "param " + each.name + " = " + each.value + "\n";
  names.in_lua = block_ == Block::lua || block_ == Block::lua_until_blank;
  if (!lines_.empty() && !names.in_lua) {
    names.before += text_of_lines(lines_) + "\n";
    for (int open = open_braces(lines_); open > 0; --open) names.after += "\n}";
  }
  names.lua = [this](const std::string& path) {
    return set_it() ? script_->names(path) : std::vector<std::string>();
  };
  return names;
}

std::vector<std::string> Repl::setting_names() const {
  std::vector<std::string> names = {"threads", "blocks"};
  for (const SessionParameter& each : text_.parameters()) names.push_back(each.name);
  if (const SessionText::Entry* last = entry({})) {
    for (const std::string& name : defined_by(last->piece.text)) names.push_back(name);
  }
  for (const Setting& setting : options_.settings) names.push_back(setting.name);
  return names;
}

}  // namespace gpx::cli
