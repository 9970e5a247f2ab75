// Collecting declarations. Interface: names.h; covered by tests/lsp/server_test.cpp.
#include "runtime/lsp/names.h"

#include <array>

namespace gpx::lsp {
namespace {

using Kind = Declaration::Kind;

class NameCollector {
 public:
  explicit NameCollector(const Source& source) : source_(source) {}

  void statement(const ast::Statement& from, std::vector<Declaration>& into) {
    if (const auto* param = std::get_if<ast::Param>(&from.node))
      add(into, Kind::parameter, param->name, from.span);
    else if (const auto* sweep = std::get_if<ast::Sweep>(&from.node))
      axes(*sweep, into);
    else if (const auto* array = std::get_if<ast::Array>(&from.node))
      add(into, Kind::array, array->name, from.span);
    else if (const auto* shared = std::get_if<ast::Shared>(&from.node))
      add(into, Kind::variable, shared->name, from.span);
    else if (const auto* derive = std::get_if<ast::Derive>(&from.node))
      add(into, Kind::column, derive->name, from.span);
    else if (const auto* kernel = std::get_if<ast::Kernel>(&from.node))
      add(into, Kind::kernel, kernel->name, from.span);
    else if (const auto* region = std::get_if<ast::Region>(&from.node))
      body(region->body, into);
    else if (const auto* measure = std::get_if<ast::Measure>(&from.node))
      this->measure(*measure, from.span, into);
  }

  Declaration block(const ast::Block& from, std::size_t line) {
    Declaration declared{Kind::experiment, from.name.text, from.name.span, from.span, {}, {}};
    if (from.is_line) {
      declared.name = "line" + std::to_string(line);
      declared.span = {from.span.begin, from.span.begin};
    }
    declared.text = from.title ? from.title->text : "";
    for (const ast::Statement& one : from.statements) statement(one, declared.inside);
    return declared;
  }

 private:
  void add(std::vector<Declaration>& into, Kind kind, const ast::Ident& name, Span whole) {
    into.push_back({kind, name.text, name.span, whole, std::string(source_.slice(whole))});
  }
  void axes(const ast::Sweep& sweep, std::vector<Declaration>& into) {
    for (const ast::AxisGroup& group : sweep.groups)
      for (const ast::Axis& axis : group.axes)
        add(into, Kind::axis, axis.name, {axis.name.span.begin, axis.values_span.end});
  }
  void measure(const ast::Measure& from, Span whole, std::vector<Declaration>& into) {
    add(into, Kind::measure, from.name, whole);
    for (const ast::Statement& one : from.statements) statement(one, into.back().inside);
  }
  void body(const ast::Body& from, std::vector<Declaration>& into) {
    for (const ast::Timed& one : from.statements) timed(one, into);
  }
  void timed(const ast::Timed& from, std::vector<Declaration>& into) {
    if (const auto* stamp = std::get_if<ast::Stamp>(&from.node)) {
      if (stamp->label) add(into, Kind::label, *stamp->label, from.span);
    } else if (const auto* keep = std::get_if<ast::Keep>(&from.node)) {
      add(into, Kind::column, keep->column, from.span);
    } else if (const auto* when = std::get_if<ast::When>(&from.node)) {
      body(when->then, into);
      if (when->otherwise) body(*when->otherwise, into);
    } else if (const auto* loop = std::get_if<ast::While>(&from.node)) {
      body(loop->body, into);
    } else if (const auto* diverge = std::get_if<ast::Diverge>(&from.node)) {
      body(diverge->body, into);
    }
  }

  const Source& source_;
};

/// The last one that begins before the offset: an unfinished one may end too early.
const Declaration* around(const std::vector<Declaration>& all, std::size_t offset) {
  const Declaration* found = nullptr;
  for (const Declaration& one : all) {
    const bool holds =
        one.kind == Kind::experiment || (one.kind == Kind::measure && offset <= one.whole.end);
    if (holds && one.whole.begin <= offset) found = &one;
  }
  return found;
}

/// The innermost declarations first.
void add_visible(const std::vector<Declaration>& all, std::size_t offset,
                 std::vector<Declaration>& visible) {
  if (const Declaration* one = around(all, offset)) add_visible(one->inside, offset, visible);
  for (const Declaration& one : all)
    if (one.kind != Kind::experiment) visible.push_back(one);
}

}  // namespace

const char* to_string(Kind kind) {
  static constexpr std::array names = {"parameter", "axis",  "array",  "shared variable", "kernel",
                                       "measure",   "label", "column", "experiment"};
  return names[static_cast<std::size_t>(kind)];
}

std::vector<Declaration> declarations(const Ast& ast, const Source& source) {
  std::vector<Declaration> all;
  NameCollector collector(source);
  std::size_t lines = 0;
  for (const ast::Item& item : ast.items) {
    if (const auto* statement = std::get_if<ast::Statement>(&item)) {
      collector.statement(*statement, all);
    } else {
      const auto& block = std::get<ast::Block>(item);
      all.push_back(collector.block(block, block.is_line ? ++lines : 0));
    }
  }
  return all;
}

std::vector<Declaration> visible_at(const std::vector<Declaration>& all, std::size_t offset) {
  std::vector<Declaration> visible;
  add_visible(all, offset, visible);
  return visible;
}

}  // namespace gpx::lsp
