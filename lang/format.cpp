// The formatter: an AST in canonical layout.
//
// Numbers keep the author's spelling, comments and single blank lines stay where they are; a
// comment inside a clause moves above it. Clauses of a block align after their keywords, lines over
// 100 columns break after commas. Covered by tests/lang/format_test.cpp and the goldens (*.fmt).

#include <algorithm>

#include "lang/format_text.h"
#include "lang/language.h"
#include "lang/lists.h"

namespace gpx {
namespace {

constexpr std::size_t max_columns = 100;

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
  Formatter(const Ast& ast, const Source& source) : ast_(ast), source_(source) {
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
        out_ += block ? bare_line(*block) : statement_text(std::get<ast::Statement>(one), source_);
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
    return joined(block.statements, " ",
                  [&](const ast::Statement& one) { return statement_text(one, source_); });
  }

  void experiment(const ast::Block& block) {
    out_ += "experiment " + block.name.text;
    if (block.title) out_.append(" ").append(source_.slice(block.title->span));
    out_ += " {";
    statements(block.statements, block.open, block.span.end - 1, "  ");
    out_ += "}";
  }

  /// What stands between the braces `open` and `close`, and the end of the line of `open`.
  void statements(const std::vector<ast::Statement>& all, Span open, std::size_t close,
                  const std::string& indent) {
    end(open, all.empty() ? close : all[0].span.begin);
    fresh_ = true;
    std::size_t width = 0;
    for (const ast::Statement& one : all)
      if (!std::holds_alternative<ast::Region>(one.node))
        width = std::max<std::size_t>(width, one.keyword.end - one.keyword.begin);
    for (std::size_t i = 0; i < all.size(); ++i) {
      statement(all[i], width + 1, indent);
      end(all[i].span, i + 1 < all.size() ? all[i + 1].span.begin : close);
    }
    comments_until(close, indent);
  }

  void statement(const ast::Statement& one, std::size_t width, const std::string& indent) {
    const std::string rest = clause_text(one, source_);
    const bool tall = is_tall(one, indent.size() + width + rest.size() <= max_columns);
    begin(one.span, tall ? Span{one.span.begin, head_end(one)} : one.span, indent);
    if (const auto* region = std::get_if<ast::Region>(&one.node)) {
      if (!tall) return void(out_ += statement_text(one, source_));
      out_ += "<";
      body(region->body, indent + "  ");
      out_ += indent + ">";
      return;
    }
    std::string head(source_.slice(one.keyword));
    if (const auto* measure = std::get_if<ast::Measure>(&one.node); measure && tall) {
      head.resize(width, ' ');
      out_ += head + measure->name.text + " {";
      statements(measure->statements, measure->open, one.span.end - 1, indent + "  ");
      out_ += indent + "}";
      return;
    }
    if (const auto* beside = std::get_if<ast::Beside>(&one.node); beside && tall) {
      head.resize(width, ' ');
      out_ += head + beside_head(*beside, source_) + " {";
      body(beside->body, indent + "  ");
      out_ += indent + "}";
      return;
    }
    if (!rest.empty()) head.resize(width, ' ');
    out_ += wrapped(indent + head + rest, indent.size() + width).substr(indent.size());
  }

  /// Of what stands before the braces of a tall statement; comments there move above it.
  static std::uint32_t head_end(const ast::Statement& one) {
    const auto* measure = std::get_if<ast::Measure>(&one.node);
    if (const auto* beside = std::get_if<ast::Beside>(&one.node)) return beside->body.open.begin;
    return measure ? measure->open.begin : one.span.begin;
  }

  /// A region or a measure over several lines stays so; so does one with comments. What has braces
  /// and does not fit into a line gets several.
  bool is_tall(const ast::Statement& one, bool fits) const {
    if (const auto* measure = std::get_if<ast::Measure>(&one.node))
      return (has_comment({measure->open.end, one.span.end}) || has_lines(one.span) || !fits) &&
             (!measure->statements.empty() || has_comment(one.span));
    const auto* region = std::get_if<ast::Region>(&one.node);
    const auto* beside = std::get_if<ast::Beside>(&one.node);
    if (!region && !beside) return false;
    const auto& all = (region ? region->body : beside->body).statements;
    return has_comment(one.span) || (beside && !fits && !all.empty()) ||
           (has_lines(one.span) && (all.size() > 1 || (all.size() == 1 && is_tall(all[0]))));
  }
  bool is_tall(const ast::Timed& one) const {
    const std::vector<const ast::Body*> bodies = bodies_of(one);
    const bool holds = std::any_of(bodies.begin(), bodies.end(), [](const ast::Body* inner) {
      return !inner->statements.empty();
    });
    return !bodies.empty() && (has_comment(one.span) || (holds && has_lines(one.span)));
  }
  static std::vector<const ast::Body*> bodies_of(const ast::Timed& one) {
    if (const auto* loop = std::get_if<ast::While>(&one.node)) return {&loop->body};
    if (const auto* diverge = std::get_if<ast::Diverge>(&one.node)) return {&diverge->body};
    const auto* when = std::get_if<ast::When>(&one.node);
    if (!when) return {};
    if (!when->otherwise) return {&when->then};
    return {&when->then, &*when->otherwise};
  }
  bool has_lines(Span span) const { return line_of(span.begin) != line_of(span.end - 1); }
  bool has_comment(Span span) const {
    const auto after = std::upper_bound(
        ast_.comments.begin() + comment_, ast_.comments.end(), span.begin,
        [](std::size_t at, const ast::Comment& comment) { return at < comment.span.begin; });
    return after != ast_.comments.end() && after->span.begin < span.end;
  }

  /// The statements of a region or a block, each on its lines, after the line of its `open`.
  void body(const ast::Body& body, const std::string& indent) {
    const auto& all = body.statements;
    end(body.open, all.empty() ? body.close.begin : all[0].span.begin);
    fresh_ = true;
    for (std::size_t i = 0; i < all.size(); ++i) {
      timed(all[i], indent);
      end(all[i].span, i + 1 < all.size() ? all[i + 1].span.begin : body.close.begin);
    }
    comments_until(body.close.begin, indent);
  }

  void timed(const ast::Timed& one, const std::string& indent) {
    const bool tall = is_tall(one);
    const Span head{one.span.begin, tall ? bodies_of(one)[0]->open.begin : one.span.end};
    begin(one.span, head, indent);
    if (!tall) return void(out_ += timed_text(one, source_));
    blocks(one, indent);
  }

  /// A statement with its blocks, one below the other.
  void blocks(const ast::Timed& one, const std::string& indent) {
    const std::string inner = indent + "  ";
    const std::vector<const ast::Body*> bodies = bodies_of(one);
    out_ += head_text(one, source_) + " {";
    body(*bodies[0], inner);
    if (bodies.size() > 1) {
      const auto& otherwise = *bodies[1];
      const bool chained = std::get<ast::When>(one.node).else_when;
      const ast::Body& next = chained ? *bodies_of(otherwise.statements[0])[0] : otherwise;
      comments_until(next.open.begin, inner);  // Around `else`: at the end of the block before.
      out_ += indent + "} else ";
      if (chained) return blocks(otherwise.statements[0], indent);
      out_ += "{";
      body(otherwise, inner);
    }
    out_ += indent + "}";
  }

  const Ast& ast_;
  const Source& source_;
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
