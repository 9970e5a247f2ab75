// Interface: cells.h.
#include "runtime/serve/cells.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <cstdio>
#include <map>

#include "codegen/ir/text.h"
#include "lang/build.h"
#include "lang/read.h"

namespace gpx::serve {
namespace {

constexpr std::size_t kMostChoices = 1000;

/// A stretch of lines with what it holds.
struct Stretch {
  std::size_t begin = 0, end = 0;  ///< Bytes; from the begin of a line to the begin of another.
  Cell::Kind kind = Cell::Kind::note;
  std::vector<const ast::Item*> items;
};

std::size_t line_begin(std::string_view text, std::size_t at) {
  const std::size_t before = at == 0 ? std::string_view::npos : text.rfind('\n', at - 1);
  return before == std::string_view::npos ? 0 : before + 1;
}

std::size_t line_after(std::string_view text, std::size_t at) {
  const std::size_t end = text.find('\n', at);
  return end == std::string_view::npos ? text.size() : end + 1;
}

bool is_blank(std::string_view line) {
  return line.find_first_not_of(" \t\r\n") == std::string_view::npos;
}

bool is_comment(std::string_view line) {
  const std::size_t begin = line.find_first_not_of(" \t");
  return begin != std::string_view::npos && line[begin] == '#';
}

Span span_of(const ast::Item& item) {
  return std::visit([](const auto& one) { return one.span; }, item);
}

/// The stretches of items, each with the comment right above it; items of one line are together,
/// and so are parameters without a blank line between them.
std::vector<Stretch> item_stretches(std::string_view text, const std::vector<ast::Item>& items) {
  std::vector<Stretch> all;
  for (const ast::Item& item : items) {
    const Span span = span_of(item);
    if (span.end <= span.begin || span.end > text.size()) continue;
    Stretch one{
        line_begin(text, span.begin),
        line_after(text, span.end - 1),
        std::holds_alternative<ast::Block>(item) ? Cell::Kind::experiment : Cell::Kind::parameters,
        {&item}};
    const std::size_t floor = all.empty() ? 0 : all.back().end;
    while (one.begin > floor) {
      const std::size_t above = line_begin(text, one.begin - 1);
      if (above < floor || !is_comment(text.substr(above, one.begin - above))) break;
      one.begin = above;
    }
    const bool shares = !all.empty() && one.begin < floor;
    const bool joins = !all.empty() && one.begin == floor && one.kind == all.back().kind &&
                       one.kind == Cell::Kind::parameters;
    if (!shares && !joins) {
      all.push_back(std::move(one));
      continue;
    }
    all.back().end = std::max(all.back().end, one.end);
    if (one.kind == Cell::Kind::experiment) all.back().kind = one.kind;
    all.back().items.push_back(&item);
  }
  return all;
}

/// Paragraphs of what lies between two items.
void add_notes(std::string_view text, std::size_t begin, std::size_t end,
               std::vector<Stretch>& into) {
  bool blank = true;
  for (std::size_t at = begin; at < end;) {
    const std::size_t next = std::min(line_after(text, at), end);
    const std::string_view line = text.substr(at, next - at);
    if (is_blank(line) && !into.empty())
      into.back().end = next;
    else if (blank || into.empty())
      into.push_back({at, next, Cell::Kind::note, {}});
    else
      into.back().end = next;
    blank = is_blank(line);
    at = next;
  }
}

std::vector<Stretch> stretches_of(std::string_view text, const std::vector<ast::Item>& items) {
  std::vector<Stretch> all;
  std::size_t done = 0;
  for (Stretch& one : item_stretches(text, items)) {
    add_notes(text, done, one.begin, all);
    done = one.end;
    all.push_back(std::move(one));
  }
  add_notes(text, done, text.size(), all);
  return all;
}

/// Lua's text of a comment, line by line: what stands behind "# ".
std::string lua_of(std::string_view text) {
  std::string code;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t next = line_after(text, at);
    std::string_view line = text.substr(at, next - at);
    at = next;
    const std::size_t mark = line.find('#');
    if (mark != std::string_view::npos) line.remove_prefix(mark + 1);
    if (line.starts_with(' ')) line.remove_prefix(1);
    code += code.empty() ? "\n" : std::string(line);  // The mark's line stays, empty.
  }
  return code;
}

/// "1..16 step 1" as the language reads it: the values of an axis.
std::vector<std::string> values_of(const std::string& range) {
  const auto read =
      read_experiments(Source("range", fmt::format("sweep knob {} < sync >\n", range)));
  std::vector<std::string> values;
  if (!read || read->size() != 1) return values;
  const auto axes = read->front().sweep.axes();
  if (axes.size() != 1 || read->front().sweep.points() > kMostChoices) return values;
  for (std::uint64_t i = 0; i < read->front().sweep.points(); ++i)
    values.push_back(to_string(read->front().sweep.at(i).front()));
  return values;
}

Knob knob_of(std::string_view text, std::size_t cell_begin, const ast::Statement& statement) {
  const auto& param = std::get<ast::Param>(statement.node);
  const std::size_t equals = text.find('=', param.name.span.end);
  const std::size_t begin =
      std::min<std::size_t>(text.find_first_not_of(" \t", equals + 1), statement.span.end);
  Knob knob{param.name.text,
            std::string(text.substr(begin, statement.span.end - begin)),
            begin - cell_begin,
            statement.span.end - cell_begin,
            {},
            false};
  const std::string_view rest = text.substr(
      statement.span.end, line_after(text, statement.span.end - 1) - statement.span.end);
  const std::size_t mark = rest.find('#');
  if (mark == std::string_view::npos) return knob;
  const std::string range(codegen::trimmed(rest.substr(mark + 1)));
  knob.is_range = !range.starts_with('[');
  // A word of prose is no value.
  if (knob.is_range ? range.find("..") != std::string::npos : range.ends_with(']'))
    knob.choices = values_of(knob.is_range ? range : "in " + range);
  return knob;
}

/// A parameter of the file as its cells need it.
struct Declared {
  std::string line;                ///< `param n = 3`
  std::vector<std::string> needs;  ///< Parameters before it that it names.
};

class Reader {
 public:
  explicit Reader(const std::string& text) : text_(text) {}

  /// The cells of text[begin, end), whose syntax is that of a whole file.
  void read(std::size_t begin, std::size_t end) {
    const Source source("cells", text_.substr(begin, end - begin));
    Problems ignored(source);
    const Ast ast = build_ast(grammar::parse_file(source.text()), ignored);
    for (const Stretch& one : stretches_of(source.text(), ast.items)) add(source.text(), one);
  }
  std::vector<Cell> take() { return std::move(cells_); }

 private:
  void add(std::string_view text, const Stretch& from) {
    Cell cell;
    cell.kind = from.kind;
    cell.text = std::string(text.substr(from.begin, from.end - from.begin));
    if (from.kind == Cell::Kind::note) {
      if (cell.text.starts_with(kLuaMark)) cell.kind = Cell::Kind::lua;
      name_unfinished(cell);
    }
    for (const ast::Item* item : from.items) {
      if (const auto* block = std::get_if<ast::Block>(item))
        name(cell, *block);
      else if (const auto* statement = std::get_if<ast::Statement>(item))
        declare(cell, text, from.begin, *statement);
    }
    if (cell.kind == Cell::Kind::experiment) {
      auto names = names_in(cell.text);
      for (const Knob& own : cell.knobs) names.erase(own.name);
      cell.uses = used(names);
      for (const std::string& one : cell.uses) cell.program += parameters_.at(one).line + "\n";
      cell.program += without_comments_above(cell.text);
    }
    if (cell.kind == Cell::Kind::lua) {
      cell.name = fmt::format("lua{}", ++luas_);
      cell.program = lua_of(cell.text);
      for (const std::string& one : names_in(cell.program, "--"))
        if (experiments_.contains(one)) cell.uses.push_back(one);
    }
    cells_.push_back(std::move(cell));
  }

  /// An experiment whose brace is missing is in no tree.
  void name_unfinished(Cell& cell) {
    constexpr std::string_view kWord = "experiment ";
    const std::string body = without_comments_above(cell.text);
    if (!body.starts_with(kWord)) return;
    cell.kind = Cell::Kind::experiment;
    cell.name =
        body.substr(kWord.size(), body.find_first_of(" {\"\n", kWord.size()) - kWord.size());
  }

  void name(Cell& cell, const ast::Block& block) {
    const std::string name = block.is_line ? fmt::format("line{}", ++lines_) : block.name.text;
    experiments_.insert(name);
    if (!cell.name.empty()) return;
    cell.name = name;
    if (block.title) cell.title = block.title->text;
  }

  void declare(Cell& cell, std::string_view text, std::size_t begin,
               const ast::Statement& statement) {
    if (!std::holds_alternative<ast::Param>(statement.node)) return;
    Knob knob = knob_of(text, begin, statement);
    Declared declared{fmt::format("param {} = {}", knob.name, knob.value), {}};
    for (const std::string& one : names_in(knob.value))
      if (parameters_.contains(one)) declared.needs.push_back(one);
    if (!parameters_.contains(knob.name)) order_.push_back(knob.name);
    parameters_.insert_or_assign(knob.name, std::move(declared));
    cell.knobs.push_back(std::move(knob));
  }

  /// With those that they need, in the file's order.
  std::vector<std::string> used(const std::set<std::string, std::less<>>& names) const {
    std::set<std::string, std::less<>> wanted;
    for (auto name = order_.rbegin(); name != order_.rend(); ++name) {
      if (!names.contains(*name) && !wanted.contains(*name)) continue;
      wanted.insert(*name);
      for (const std::string& need : parameters_.at(*name).needs) wanted.insert(need);
    }
    std::vector<std::string> all;
    for (const std::string& name : order_)
      if (wanted.contains(name)) all.push_back(name);
    return all;
  }

  static std::string without_comments_above(std::string_view text) {
    while (!text.empty() && (is_comment(text.substr(0, line_after(text, 0))) ||
                             is_blank(text.substr(0, line_after(text, 0)))))
      text.remove_prefix(line_after(text, 0));
    return std::string(codegen::trimmed(text)) + "\n";
  }

  const std::string& text_;
  std::vector<Cell> cells_;
  std::map<std::string, Declared, std::less<>> parameters_;
  std::vector<std::string> order_;
  std::set<std::string, std::less<>> experiments_;
  std::size_t lines_ = 0, luas_ = 0;
};

/// Where the experiments begin that stand at the begin of a line, with the comments above them.
std::vector<std::size_t> safe_cuts(std::string_view text) {
  constexpr std::string_view kWord = "experiment ";
  std::vector<std::size_t> cuts;
  for (std::size_t at = 0; at < text.size(); at = line_after(text, at)) {
    if (!text.substr(at).starts_with(kWord)) continue;
    std::size_t begin = at;
    while (begin > 0 && is_comment(text.substr(line_begin(text, begin - 1),
                                               begin - line_begin(text, begin - 1))))
      begin = line_begin(text, begin - 1);
    if (begin > 0) cuts.push_back(begin);
  }
  return cuts;
}

}  // namespace

const char* to_string(Cell::Kind kind) {
  static constexpr const char* names[] = {"note", "parameters", "experiment", "lua"};
  return names[static_cast<std::size_t>(kind)];
}

std::set<std::string, std::less<>> names_in(std::string_view text, std::string_view comment) {
  const auto starts = [](char c) {
    return std::isalpha(static_cast<unsigned char>(c)) || c == '_';
  };
  const auto goes_on = [&](char c) {
    return starts(c) || std::isdigit(static_cast<unsigned char>(c));
  };
  std::set<std::string, std::less<>> names;
  for (std::size_t at = 0; at < text.size();) {
    if (text.substr(at).starts_with(comment)) {
      at = line_after(text, at);
    } else if (text[at] == '"') {
      at = std::min(text.find('"', at + 1), text.size() - 1) + 1;
    } else if (goes_on(text[at])) {
      std::size_t end = at;
      while (end < text.size() && goes_on(text[end])) ++end;
      // `128B` is a number, the n of `x3`'s sibling `xn` is not written without a blank.
      if (starts(text[at])) names.emplace(text.substr(at, end - at));
      at = end;
    } else {
      ++at;
    }
  }
  return names;
}

std::ptrdiff_t line_shift(const Cell& cell) {
  if (cell.kind != Cell::Kind::experiment || cell.program.size() < 2) return 0;
  const std::size_t last = cell.program.rfind('\n', cell.program.size() - 2);
  const std::size_t begin =
      cell.text.rfind(cell.program.substr(last + 1, cell.program.size() - last - 2));
  const auto lines = [](std::string_view text) { return std::ranges::count(text, '\n'); };
  if (begin == std::string::npos) return 0;
  return lines(std::string_view(cell.text).substr(0, begin)) - (lines(cell.program) - 1);
}

std::string in_cell(const std::string& messages, const Cell& cell) {
  constexpr std::string_view kPlace = "<stdin>:";
  const std::ptrdiff_t shift = line_shift(cell);
  // A program begins with a line for each parameter that the cell uses.
  const auto parameters =
      cell.kind == Cell::Kind::experiment ? static_cast<long>(cell.uses.size()) : 0;
  std::string out;
  long quoted = 0;  // The line of the last place, whose text follows behind its number.
  for (std::size_t at = 0; at < messages.size();) {
    const std::size_t next = line_after(messages, at);
    const std::string line = messages.substr(at, next - at);
    at = next;
    const std::size_t place = line.find(kPlace);
    long number = 0;
    int column = 0, used = 0;
    if (place != std::string::npos && std::sscanf(line.c_str() + place + kPlace.size(), "%ld:%d%n",
                                                  &number, &column, &used) == 2) {
      quoted = number;
      const std::string where =
          number <= parameters
              ? fmt::format("a parameter of {}", cell.name)
              : fmt::format("line {} of {}, column {}", number + shift, cell.name, column);
      out += line.substr(0, place) + where +
             line.substr(place + kPlace.size() + static_cast<std::size_t>(used));
    } else if (long shown = 0; quoted > 0 &&
                               std::sscanf(line.c_str(), " %ld |%n", &shown, &used) == 1 &&
                               used > 0 && shown == quoted && shown > parameters) {
      const std::string width = std::to_string(shown);
      out += fmt::format("{:>{}}{}", shown + shift, line.find(width) + width.size(),
                         line.substr(line.find(width) + width.size()));
    } else {
      out += line;
    }
  }
  return out;
}

std::vector<Cell> cells_of(const std::string& text) {
  Reader reader(text);
  std::size_t begin = 0;
  if (!parse(Source("cells", text)))
    for (const std::size_t cut : safe_cuts(text)) {
      reader.read(begin, cut);
      begin = cut;
    }
  if (begin < text.size() || text.empty()) reader.read(begin, text.size());
  return reader.take();
}

}  // namespace gpx::serve
