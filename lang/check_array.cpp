// Arrays: where they lie, how large they are, and the links of their chases.
// Interface: check_context.h; covered by tests/lang/check_test.cpp and the goldens.
#include <fmt/format.h>

#include "lang/check_context.h"
#include "lang/extremes.h"
#include "lang/patterns.h"

namespace gpx {
namespace {

using LayoutKind = Array::Layout::Kind;

constexpr std::size_t max_arguments = 65536;  ///< Of a list or of steps.

bool check_points(CheckContext& context, const ast::Array& from, const Array& array) {
  const Experiment& e = context.experiment;
  std::vector<const Expr*> exprs = {&array.bytes, &array.width};
  for (const Expr& arg : array.layout.args) exprs.push_back(&arg);
  const Span place = from.chase   ? from.chase->order.span
                     : from.width ? from.width->span
                                  : from.name.span;
  bool good = true;
  for_each_point(e.sweep, exprs, [&](const std::vector<Value>& point) {
    const Scope scope = e.scope(point);
    std::vector<double> args;
    for (const Expr& arg : array.layout.args) args.push_back(number_at(arg, scope));
    const std::string fault =
        array_fault(array.layout.kind, array.space, number_at(array.bytes, scope),
                    number_at(array.width, scope), args);
    if (fault.empty()) return true;
    context.problems.add(place, fault + where(e.sweep, exprs, point));
    return good = false;
  });
  return good;
}

bool read_layout(CheckContext& context, const ast::Chase& from, Array& array) {
  array.layout.kind = *layout_of(from.order.text);
  bool good = !from.args.empty() && from.args.size() <= max_arguments;
  if (!good)
    context.problems.add(from.order.span, from.args.empty()
                                              ? "the list is empty"
                                              : "the list is too long: at most 65536 numbers");
  for (std::size_t i = 0; good && i < from.args.size(); ++i) {
    auto arg = checked_number(context, from.args[i], layout_rule(array.layout.kind, i));
    if (!arg) return false;
    array.layout.args.push_back(std::move(*arg));
  }
  if (array.layout.kind == LayoutKind::random && array.layout.args.size() == 1)
    array.layout.args.push_back(Expr::number(1));
  return good;
}

bool check_array_name(CheckContext& context, const ast::Ident& name) {
  if (!check_free(name, context.names, context.problems)) return false;
  if (find_pattern(name.text)) {
    context.problems.add(name.span, fmt::format("'{}' is a pattern", name.text),
                         "choose another name");
    return false;
  }
  for (const Array& other : context.experiment.arrays) {
    if (other.name != name.text) continue;
    context.problems.add(name.span, fmt::format("a second array '{}'", name.text));
    return false;
  }
  return true;
}

std::optional<Array> read_array(CheckContext& context, const ast::Array& from, Span span) {
  Array array;
  array.name = from.name.text;
  array.span = span;
  bool good = check_array_name(context, from.name);
  if (const auto space = space_of(from.space.text)) {
    array.space = *space;
  } else {
    context.problems.add(from.space.span, fmt::format("unknown space '{}'", from.space.text),
                         suggest(from.space.text, names_of(TermKind::space), "spaces"));
    good = false;
  }
  auto bytes = checked_number(context, from.bytes, rules::array_bytes);
  std::optional<Expr> width = array.width;
  if (from.width) width = checked_number(context, *from.width, rules::link_width);
  if (!bytes || !width) return std::nullopt;
  array.bytes = std::move(*bytes);
  array.width = std::move(*width);
  if (from.chase && !read_layout(context, *from.chase, array)) return std::nullopt;
  if (!good || !check_points(context, from, array)) return std::nullopt;
  return array;
}

}  // namespace

void check_arrays(CheckContext& context) {
  for (const auto& [statement, node] : statements_of<ast::Array>(context.block.statements)) {
    if (auto array = read_array(context, *node, statement->span))
      context.experiment.arrays.push_back(std::move(*array));
    else
      context.names.poison(node->name.text);
  }
}

}  // namespace gpx
