// The formatter: an AST in canonical layout.
//
// Numbers keep the author's spelling, comments and single blank lines stay where they are; a
// comment inside a clause moves above it. Clauses of a block align after their keywords, lines over
// 100 columns break after commas. Covered by tests/lang/format_test.cpp and the goldens (*.fmt).
#include <fmt/format.h>

#include <algorithm>

#include "lang/language.h"

namespace gpx {
namespace {

constexpr std::size_t max_columns = 100;

/// Clauses to text, one by one, without layout.
class Clauses {
 public:
  explicit Clauses(const Source& source) : source_(source) {}

  /// What follows the keyword.
  std::string text(const ast::Statement& statement) const {
    return std::visit([&](const auto& node) { return show(node); }, statement.node);
  }

  std::string access(const ast::Access& a) const {
    std::string out = a.kind.text;
    if (a.space) out += " " + a.space->text;
    out += " " + a.pattern.text;
    if (a.has_args) out += fmt::format("({})", list(a.args));
    if (a.width) out += " width " + beside(*a.width);
    if (a.cache) out += " cache " + a.cache->text;
    if (a.count) out += " " + times(*a.count);
    return out;
  }

  std::string quoted(const ast::Ident& text) const { return std::string(source_.slice(text.span)); }

 private:
  std::string expr(const Expr& e) const {
    return to_string(e,
                     [&](const Expr& number) { return std::string(source_.slice(number.span)); });
  }
  /// As a clause's operand.
  std::string operand(const Expr& e) const {
    return is_sum(e) ? expr(e) : fmt::format("({})", expr(e));
  }
  /// As one word among others.
  std::string beside(const Expr& e) const {
    return is_primary(e) ? expr(e) : fmt::format("({})", expr(e));
  }
  /// x3, x n, x (2 * n)
  std::string times(const Expr& e) const {
    return (e.kind == Expr::Kind::quantity ? "x" : "x ") + beside(e);
  }
  std::string list(const std::vector<Expr>& all) const {
    std::string out;
    for (const Expr& e : all) out += (out.empty() ? "" : ", ") + expr(e);
    return out;
  }
  static std::string words(const std::vector<ast::Ident>& all, const char* between) {
    std::string out;
    for (const ast::Ident& ident : all) out += (out.empty() ? "" : between) + ident.text;
    return out;
  }
  std::string axis(const ast::Axis& a) const {
    if (a.is_list) return fmt::format("{} in [{}]", a.name.text, list(a.list));
    std::string out = fmt::format("{} {}..{}", a.name.text, operand(a.from), operand(a.to));
    if (a.step) out += " step " + (a.geometric ? times(*a.step) : operand(*a.step));
    return out;
  }

  std::string show(const ast::Cite& n) const { return n.work.text + " " + words(n.ids, " "); }
  std::string show(const ast::Device& n) const { return n.name.text; }
  std::string show(const ast::Param& n) const { return n.name.text + " = " + expr(n.value); }
  std::string show(const ast::Sweep& n) const {
    std::string out;
    for (const ast::AxisGroup& group : n.groups) {
      std::string axes;
      for (const ast::Axis& a : group.axes) axes += (axes.empty() ? "" : ", ") + axis(a);
      out += (out.empty() ? "" : ", ") + (group.zipped ? fmt::format("zip({})", axes) : axes);
    }
    return out;
  }
  std::string show(const ast::Threads& n) const { return operand(n.value); }
  std::string show(const ast::Blocks& n) const { return operand(n.value); }
  std::string show(const ast::Warmup& n) const { return operand(n.value); }
  std::string show(const ast::Repeat& n) const {
    return operand(n.value) + (n.reduce ? " reduce " + n.reduce->text : "");
  }
  std::string show(const ast::Flush& n) const {
    std::string out = n.bytes ? operand(*n.bytes) : "";
    if (n.condition) out += (out.empty() ? "if " : " if ") + expr(*n.condition);
    return out;
  }
  std::string show(const ast::Observe& n) const { return n.what.text; }
  std::string show(const ast::Region& n) const {
    std::string out;
    for (const ast::Access& a : n.accesses) out += (out.empty() ? "" : "; ") + access(a);
    return out + " >";
  }
  std::string show(const ast::Analyze& n) const {
    std::string args;
    for (const ast::Argument& arg : n.args)
      args += (args.empty() ? "" : ", ") + arg.name.text + " = " + expr(arg.value);
    if (n.is_file && n.args.empty()) return quoted(n.method);
    return fmt::format("{}({})", n.is_file ? quoted(n.method) : n.method.text, args);
  }
  std::string show(const ast::Plot& n) const {
    std::string out = fmt::format("{} over {}", words(n.y, ", "), n.x.text);
    if (!n.by.empty()) out += " by " + words(n.by, ", ");
    return out + (n.log_x ? " logx" : "") + (n.log_y ? " logy" : "");
  }
  std::string show(const ast::Expect& n) const { return expr(n.condition); }
  std::string show(const ast::Paper& n) const {
    std::string out = fmt::format("{} = {}", expr(n.finding), operand(n.value));
    if (n.high) out += ".." + operand(*n.high);
    return out + " " + n.cite.text;
  }
  std::string show(const ast::Claim& n) const {
    return fmt::format("{} {} {}", quoted(n.sentence), expr(n.condition), n.cite.text);
  }

  const Source& source_;
};

/// After commas outside of quotes, to lines of at most max_columns, the later ones `hang` in.
std::string wrapped(const std::string& text, std::size_t hang) {
  if (text.size() <= max_columns) return text;
  std::vector<std::string> parts(1);
  bool quoted = false;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '\\' && quoted)
      parts.back() += text[i++];
    else if (text[i] == '"')
      quoted = !quoted;
    parts.back() += text[i];
    const bool breaks = !quoted && text[i] == ',' && i + 1 < text.size() && text[i + 1] == ' ';
    if (!breaks) continue;
    parts.emplace_back();
    ++i;
  }
  std::string out = parts[0];
  std::size_t column = out.size();
  for (std::size_t i = 1; i < parts.size(); ++i) {
    const bool fits = column + 1 + parts[i].size() <= max_columns;
    out += fits ? " " : "\n" + std::string(hang, ' ');
    column = (fits ? column + 1 : hang) + parts[i].size();
    out += parts[i];
  }
  return out;
}

class Formatter {
 public:
  Formatter(const Ast& ast, const Source& source) : ast_(ast), source_(source), clauses_(source) {
    for (std::size_t i = 0; i < source.text().size(); ++i)
      if (source.text()[i] == '\n') line_ends_.push_back(i);
  }

  std::string run() {
    for (std::size_t i = 0; i < ast_.items.size(); ++i) {
      const ast::Item& one = ast_.items[i];
      const Span span = span_of(one);
      const auto* block = std::get_if<ast::Block>(&one);
      if (block && !block->is_line) {
        begin(span, {span.begin, block->open.begin}, "");
        experiment(*block);
      } else {
        begin(span, span, "");
        out_ += block ? bare_line(*block) : "param " + clauses_.text(std::get<ast::Statement>(one));
      }
      const bool last = i + 1 == ast_.items.size();
      end(span, last ? source_.text().size() : span_of(ast_.items[i + 1]).begin);
    }
    comments_until(source_.text().size(), "");
    return std::move(out_);
  }

 private:
  static Span span_of(const ast::Item& item) {
    return std::visit([](const auto& one) { return one.span; }, item);
  }
  std::size_t line_of(std::size_t offset) const {
    return std::lower_bound(line_ends_.begin(), line_ends_.end(), offset) - line_ends_.begin();
  }
  const ast::Comment* next_comment(std::size_t before) const {
    if (comment_ == ast_.comments.size()) return nullptr;
    const ast::Comment& next = ast_.comments[comment_];
    return next.span.begin < before ? &next : nullptr;
  }

  /// One blank line where the text had some.
  void keep_blank(std::size_t line) {
    if (!fresh_ && line > last_line_ + 1) out_ += '\n';
    fresh_ = false;
    last_line_ = line;
  }
  void comments_until(std::size_t before, const std::string& indent) {
    while (const ast::Comment* comment = next_comment(before)) {
      keep_blank(line_of(comment->span.begin));
      out_.append(indent).append(source_.slice(comment->span)) += '\n';
      ++comment_;
    }
  }
  /// Comments above what begins at span, then those inside `hoisted`, then its indentation.
  void begin(Span span, Span hoisted, const std::string& indent) {
    comments_until(span.begin, indent);
    keep_blank(line_of(span.begin));
    while (const ast::Comment* comment = next_comment(hoisted.end)) {
      out_.append(indent).append(source_.slice(comment->span)) += '\n';
      ++comment_;
    }
    out_ += indent;
  }
  /// A comment on the line where span ends, if nothing else (at `next`) comes before it.
  void end(Span span, std::size_t next) {
    last_line_ = line_of(span.end > span.begin ? span.end - 1 : span.end);
    const ast::Comment* comment = next_comment(next);
    if (comment && line_of(comment->span.begin) == last_line_) {
      out_.append("  ").append(source_.slice(comment->span));
      ++comment_;
    }
    out_ += '\n';
  }

  std::string bare_line(const ast::Block& block) const {
    std::string out;
    for (const ast::Statement& one : block.statements) {
      const std::string rest = clauses_.text(one);
      out.append(out.empty() ? "" : " ").append(source_.slice(one.keyword));
      if (!rest.empty()) out += " " + rest;
    }
    return out;
  }

  void experiment(const ast::Block& block) {
    out_ += "experiment " + block.name.text;
    if (block.title) out_ += " " + clauses_.quoted(*block.title);
    out_ += " {";
    const auto& all = block.statements;
    end(block.open, all.empty() ? block.span.end : all[0].span.begin);
    fresh_ = true;
    std::size_t width = 0;
    for (const ast::Statement& one : all)
      if (!std::holds_alternative<ast::Region>(one.node))
        width = std::max<std::size_t>(width, one.keyword.end - one.keyword.begin);
    for (std::size_t i = 0; i < all.size(); ++i) {
      statement(all[i], width + 1);
      end(all[i].span, i + 1 < all.size() ? all[i + 1].span.begin : block.span.end - 1);
    }
    comments_until(block.span.end - 1, "  ");
    out_ += "}";
  }

  void statement(const ast::Statement& one, std::size_t width) {
    const bool tall = is_tall(one);
    begin(one.span, tall ? Span{one.span.begin, one.span.begin} : one.span, "  ");
    if (tall) return region(one);
    std::string head(source_.slice(one.keyword));
    const std::string rest = clauses_.text(one);
    if (std::holds_alternative<ast::Region>(one.node)) {
      out_ += "< " + rest;
      return;
    }
    if (!rest.empty()) head.resize(width, ' ');
    out_ += wrapped("  " + head + rest, 2 + width).substr(2);
  }

  /// A region over several lines stays so; so does one with comments.
  bool is_tall(const ast::Statement& one) const {
    const auto* node = std::get_if<ast::Region>(&one.node);
    if (!node) return false;
    const bool commented = next_comment_in(one.span);
    const bool lines = line_of(one.span.begin) != line_of(one.span.end - 1);
    return commented || (lines && node->accesses.size() > 1);
  }
  bool next_comment_in(Span span) const {
    for (std::size_t i = comment_; i < ast_.comments.size(); ++i) {
      if (ast_.comments[i].span.begin >= span.end) return false;
      if (ast_.comments[i].span.begin > span.begin) return true;
    }
    return false;
  }

  void region(const ast::Statement& one) {
    const auto& all = std::get<ast::Region>(one.node).accesses;
    out_ += "<";
    end(one.keyword, all.empty() ? one.span.end : all[0].span.begin);
    fresh_ = true;
    for (std::size_t i = 0; i < all.size(); ++i) {
      begin(all[i].span, all[i].span, "    ");
      out_ += clauses_.access(all[i]);
      end(all[i].span, i + 1 < all.size() ? all[i + 1].span.begin : one.span.end - 1);
    }
    comments_until(one.span.end - 1, "    ");
    out_ += "  >";
  }

  const Ast& ast_;
  const Source& source_;
  Clauses clauses_;
  std::vector<std::size_t> line_ends_;
  std::string out_;
  std::size_t comment_ = 0;
  std::size_t last_line_ = 0;
  bool fresh_ = true;  ///< Nothing stands above in this block.
};

}  // namespace

std::string format(const Ast& ast, const Source& source) {
  return Formatter(ast, source).run();
}

}  // namespace gpx
