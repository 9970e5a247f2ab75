// What is typed, made ready to run. Interface: session_text.h.
#include "runtime/cli/repl/session_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>

#include "lang/lists.h"
#include "lang/read.h"
#include "lang/try.h"
#include "runtime/cli/repl/session_words.h"

namespace gpx::cli {
namespace {

std::vector<std::string> names_of(const std::vector<SessionParameter>& parameters) {
  std::vector<std::string> names;
  for (const SessionParameter& each : parameters) names.push_back(each.name);
  return names;
}

/// The text that runs, line by line, and where each line is from.
class Writer {
 public:
  explicit Writer(TypedText& text) : text_(text) {}

  /// A line that nobody typed; a message about it belongs to the typed line `line` (0: to none).
  void insert(const std::string& line, int typed_line) {
    out_ += line + '\n';
    text_.lines.push_back(typed_line);
  }
  void copy(std::size_t until) {
    const std::string& typed = text_.typed.text();
    for (; at_ < until; ++at_) {
      out_ += typed[at_];
      if (typed[at_] == '\n') text_.lines.push_back(line_++);
    }
  }
  /// Between two inserted lines; columns stay what they are.
  void copy_wrapped(const std::string& before, Span span, const std::string& after) {
    copy(span.begin);
    const std::string& typed = text_.typed.text();
    const std::size_t begin = typed.rfind('\n', span.begin) + 1;
    if (out_.find_last_not_of(' ') != std::string::npos &&
        out_[out_.find_last_not_of(' ')] != '\n') {
      out_ += '\n';
      text_.lines.push_back(line_);
    } else {
      out_.resize(out_.size() - (span.begin - begin));
    }
    insert(before, line_);
    out_ += std::string(span.begin - begin, ' ');
    copy(span.end);
    out_ += '\n';
    text_.lines.push_back(line_);
    out_ += after;
  }
  std::string take() {
    text_.lines.push_back(line_);
    return std::move(out_);
  }

 private:
  TypedText& text_;
  std::string out_;
  std::size_t at_ = 0;
  int line_ = 1;
};

/// Those that `text` names, with those that they are made of, in their order.
std::vector<SessionParameter> used_by(const std::string& text,
                                      const std::vector<SessionParameter>& parameters) {
  std::vector<std::string> words = words_of(text);
  std::vector<SessionParameter> used;
  for (auto it = parameters.rbegin(); it != parameters.rend(); ++it) {
    if (!contains(words, it->name)) continue;
    used.insert(used.begin(), *it);
    const std::vector<std::string> more = words_of(it->value);
    words.insert(words.end(), more.begin(), more.end());
  }
  return used;
}

std::vector<SessionParameter> without(std::vector<SessionParameter> parameters,
                                      const std::vector<std::string>& names) {
  std::erase_if(parameters, [&](const SessionParameter& p) { return contains(names, p.name); });
  return parameters;
}

std::string block_text(const ast::Block& block, const std::string& name, const Source& source) {
  const std::string text(source.slice(block.span));
  return block.is_line ? fmt::format("experiment {} {{\n{}\n}}", name, text) : text;
}

std::vector<std::string> block_names(const Ast& ast) {
  std::vector<std::string> names;
  for (const ast::Item& item : ast.items)
    if (const auto* block = std::get_if<ast::Block>(&item))
      if (!block->is_line) names.push_back(block->name.text);
  return names;
}

/// What the text as a whole gives a name to, beside its experiments.
std::vector<std::string> defined_in(const Ast& ast) {
  std::vector<std::string> names;
  for (const ast::Item& item : ast.items) {
    if (const auto* block = std::get_if<ast::Block>(&item)) {
      const std::vector<std::string> more = defined_by(*block);
      names.insert(names.end(), more.begin(), more.end());
    } else {
      names.push_back(std::get<ast::Param>(std::get<ast::Statement>(item).node).name.text);
    }
  }
  return names;
}

/// What the experiment says, but for its device and parameters that it does not use.
std::string meaning_of(Experiment experiment, const SessionPiece& piece) {
  std::vector<std::string> used = defined_by(piece.text);
  for (const SessionParameter& each : piece.parameters) used.push_back(each.name);
  std::erase_if(experiment.parameters,
                [&](const auto& each) { return !contains(used, each.first); });
  experiment.device.clear();
  return to_string(experiment);
}

void insert_parameters(Writer& writer, const std::vector<SessionParameter>& parameters) {
  for (const SessionParameter& each : parameters)
    writer.insert(fmt::format("param {} = {}", each.name, each.value), 0);
}

}  // namespace

Error TypedText::as_typed(Error error) const {
  for (Diagnostic& each : error.diagnostics) {
    if (!each.location || each.location->file != source.name() || each.location->line < 1) continue;
    const auto index = static_cast<std::size_t>(each.location->line - 1);
    const int line = index < lines.size() ? lines[index] : 0;
    if (line == 0) {
      each.location.reset();
      continue;
    }
    std::size_t begin = 0;
    for (int i = 1; i < line; ++i) begin = typed.text().find('\n', begin) + 1;
    const std::string text = typed.text().substr(begin, typed.text().find('\n', begin) - begin);
    if (each.location->line_text.find_first_not_of(' ') == std::string::npos ||
        text.find(each.location->line_text.substr(
            each.location->line_text.find_first_not_of(' '))) == std::string::npos) {
      each.location->column = 1;  // What nobody typed stands for the whole line.
      each.location->length = std::max(1, static_cast<int>(text.size()));
    }
    each.location->line = line;
    each.location->line_text = text;
  }
  return error;
}

/// Once more behind the parameters, so that only what is wrong is reported.
Error SessionText::syntax_error(TypedText text, const Error& alone) const {
  Writer writer(text);
  insert_parameters(writer, used_by(text.typed.text(), parameters_));
  writer.copy(text.typed.text().size());
  text.source = Source(text.typed.name(), writer.take());
  const Result<Ast> behind = parse(text.source);
  return behind ? alone : text.as_typed(behind.error());
}

/// The next number of a bare line whose name is free.
std::string SessionText::fresh_name(TypedText& text, const std::vector<std::string>& taken) const {
  for (;;) {
    const std::string name = fmt::format("line{}", bare_lines_ + ++text.bare_lines);
    if (!contains(taken, name)) return name;
  }
}

Result<TypedText> SessionText::compose(const Source& typed) const {
  TypedText text;
  text.typed = typed;
  const Result<Ast> ast = parse(typed);
  if (!ast) return tl::unexpected(syntax_error(text, ast.error()));
  Writer writer(text);
  std::vector<SessionParameter> known = without(parameters_, defined_in(*ast));
  insert_parameters(writer, used_by(typed.text(), known));
  std::vector<std::string> taken = block_names(*ast);
  for (const Entry& entry : entries_) taken.push_back(entry.piece.name);
  for (const ast::Item& item : ast->items) {
    const auto* block = std::get_if<ast::Block>(&item);
    if (!block) {
      const auto& param = std::get<ast::Param>(std::get<ast::Statement>(item).node);
      text.parameters.push_back({param.name.text, std::string(typed.slice(param.value.span))});
      known.push_back(text.parameters.back());
      continue;
    }
    const std::string name = block->is_line ? fresh_name(text, taken) : block->name.text;
    if (block->is_line)
      writer.copy_wrapped(fmt::format("experiment {} {{", name), block->span, "}");
    const std::string written = block_text(*block, name, typed);
    text.pieces.push_back({name, written, used_by(written, without(known, defined_by(*block)))});
  }
  writer.copy(typed.text().size());
  text.source = Source(typed.name(), writer.take());
  return text;
}

void SessionText::keep_parameters(const TypedText& text) {
  for (const SessionParameter& each : text.parameters) {
    const auto old = std::ranges::find(parameters_, each.name, &SessionParameter::name);
    const std::vector<std::string> words = words_of(each.value);
    const bool early = old != parameters_.end() &&
                       std::none_of(old, parameters_.end(), [&](const SessionParameter& later) {
                         return contains(words, later.name);
                       });
    if (early) {
      old->value = each.value;
      continue;
    }
    if (old != parameters_.end()) parameters_.erase(old);
    parameters_.push_back(each);
  }
}

void SessionText::keep_experiments(const TypedText& text, const std::vector<Setting>& settings,
                                   const std::string& device,
                                   const std::vector<Experiment>& experiments) {
  bare_lines_ += text.bare_lines;
  const std::string folder =
      std::filesystem::path(text.typed.name()).parent_path().lexically_normal().string();
  for (std::size_t i = 0; i < experiments.size() && i < text.pieces.size(); ++i) {
    const SessionPiece& piece = text.pieces[i];
    Entry entry{piece, folder, device, settings, meaning_of(experiments[i], piece)};
    const auto old = std::ranges::find(entries_, entry.piece.name,
                                       [](const Entry& each) { return each.piece.name; });
    if (old != entries_.end())
      *old = std::move(entry);
    else
      entries_.push_back(std::move(entry));
  }
}

Source SessionText::standing_alone(const Entry& entry) {
  std::string text;
  for (const SessionParameter& each : entry.piece.parameters)
    text += fmt::format("param {} = {}\n", each.name, each.value);
  const std::filesystem::path name = std::filesystem::path(entry.folder) / "<repl>";
  return {name.string(), text + entry.piece.text + '\n'};
}

bool SessionText::forget_parameter(const std::string& name) {
  return std::erase_if(parameters_, [&](const SessionParameter& p) { return p.name == name; }) > 0;
}

std::vector<SessionParameter> SessionText::shared_parameters() const {
  std::vector<SessionParameter> shared;
  std::vector<std::string> apart;
  for (const SessionParameter& each : parameters_) {
    const auto same_in = [&](const Entry& entry) {
      for (const std::string& name : defined_by(entry.piece.text))
        if (name == each.name) return false;
      for (const SessionParameter& used : entry.piece.parameters)
        if (used.name == each.name &&
            value_with(entry.settings, used.name, used.value) != each.value)
          return false;
      return true;
    };
    const std::vector<std::string> words = words_of(each.value);
    const bool alone =
        std::ranges::any_of(apart, [&](const std::string& name) { return contains(words, name); });
    if (!alone && std::ranges::all_of(entries_, same_in))
      shared.push_back(each);
    else
      apart.push_back(each.name);
  }
  return shared;
}

std::string SessionText::file_text(const std::string& heading, const std::string* folder) const {
  const std::vector<SessionParameter> shared = shared_parameters();
  const std::vector<std::string> shared_names = names_of(shared);
  std::string text = heading;
  for (const SessionParameter& each : shared)
    text += fmt::format("param {} = {}\n", each.name, each.value);
  for (const Entry& entry : entries_) {
    std::string clauses;
    for (const SessionParameter& each : without(entry.piece.parameters, shared_names))
      clauses += fmt::format("  param {} = {}\n", each.name,
                             value_with(entry.settings, each.name, each.value));
    if (!text.empty()) text += '\n';
    text += with_settings(entry.piece.text, entry.settings, clauses, entry.device,
                          folder ? FileNames{entry.folder, *folder} : FileNames{}) +
            '\n';
  }
  return text;
}

/// The text must give what ran, whatever was set: else it would claim another experiment's numbers.
Result<void> SessionText::check_same(const std::string& text) const {
  const Source source("<session>", text);
  auto experiments = GPX_TRY(read_experiments(source));
  for (std::size_t i = 0; i < entries_.size(); ++i) {
    if (meaning_of(experiments.at(i), entries_[i].piece) != entries_[i].meaning)
      return fail(Fault::input,
                  fmt::format("'{}' cannot be written as it ran", entries_[i].piece.name),
                  "type it with the values that :set gave it");
  }
  return {};
}

Result<std::string> SessionText::file(const std::string& heading, const std::string& folder) const {
  GPX_TRY(check_same(file_text(heading, nullptr)));
  const Source source("<session>", file_text(heading, &folder));
  const auto ast = GPX_TRY(parse(source));
  return format(ast, source);
}

}  // namespace gpx::cli
