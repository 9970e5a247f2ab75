// Lowering of what a thread computes. Interface: codegen/lower/value.h.
#include "codegen/lower/value.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

namespace gpx::codegen {
namespace {

constexpr std::pair<std::string_view, Op> kOfThread[] = {
    {"lane", Op::lane}, {"warp", Op::warp}, {"thread", Op::in_block}, {"block", Op::block}};

const Op* thread_op(std::string_view name) {
  for (const auto& [known, op] : kOfThread)
    if (known == name) return &op;
  return nullptr;
}

bool is_comparison(const Expr& expr) {
  switch (expr.op) {
    case Expr::Op::eq:
    case Expr::Op::ne:
    case Expr::Op::lt:
    case Expr::Op::le:
    case Expr::Op::gt:
    case Expr::Op::ge:
    case Expr::Op::within:
      return expr.kind == Expr::Kind::binary;
    default:
      return false;
  }
}

bool is_condition(const Expr& expr) {
  return is_comparison(expr) || expr.op == Expr::Op::and_ || expr.op == Expr::Op::or_ ||
         expr.op == Expr::Op::not_;
}

}  // namespace

ValueLowering::ValueLowering(LowerContext& context, const Expr& expr, bool is_test,
                             unsigned& arguments)
    : context_(context), arguments_(arguments), root_(is_test ? condition(expr) : word(expr)) {}

bool ValueLowering::of_thread(const Expr& expr) const {
  bool found = false;
  for_each_name(expr, [&](const Expr& name) {
    found = found || thread_op(name.text) != nullptr;
    for (const SharedVariable& variable : context_.measure.shared)
      found = found || variable.name == name.text;
  });
  return found;
}

ValueLowering::Node ValueLowering::computed(Op op, std::vector<Node> args) {
  Node made;
  made.shape.kind = ValueShape::Kind::computed;
  made.shape.op = op;
  made.args = std::move(args);
  return made;
}

ValueLowering::Node ValueLowering::constant(std::uint32_t number) {
  Node made;
  made.shape.number = number;
  return made;
}

ValueLowering::Node ValueLowering::refuse(const Expr& expr, const char* what) {
  context_.blame(expr.span, fmt::format("a thread cannot compute {}", what),
                 "threads know +, -, *, /, %, min, max, comparisons, and, or, not");
  return constant(0);
}

ValueLowering::Node ValueLowering::same_for_all(const Expr& expr) {
  Node made;
  made.point.emplace(context_.expr(expr));
  if (made.point->constant()) return made;
  made.shape.kind = ValueShape::Kind::argument;
  made.shape.name = fmt::format("value{}", arguments_++);
  return made;
}

ValueLowering::Node ValueLowering::named(const Expr& expr) {
  Node made;
  if (const Op* op = thread_op(expr.text)) {
    made.shape.kind = ValueShape::Kind::thread;
    made.shape.op = *op;
  } else {
    made.shape.kind = ValueShape::Kind::shared;
    made.shape.name = expr.text;
  }
  return made;
}

ValueLowering::Node ValueLowering::word(const Expr& expr) {
  if (!of_thread(expr)) return same_for_all(expr);
  if (is_condition(expr)) return refuse(expr, "with true and false: a number is needed");
  switch (expr.kind) {
    case Expr::Kind::name:
      return named(expr);
    case Expr::Kind::binary:
      return arithmetic(expr);
    case Expr::Kind::call:
      return smallest(expr);
    case Expr::Kind::unary:
      return computed(Op::sub_u32, {constant(0), word(expr.args[0])});
    default:
      return refuse(expr, "this");
  }
}

ValueLowering::Node ValueLowering::arithmetic(const Expr& expr) {
  Op op = Op::add_u32;
  switch (expr.op) {
    case Expr::Op::add:
      break;
    case Expr::Op::sub:
      op = Op::sub_u32;
      break;
    case Expr::Op::mul:
      op = Op::mul_u32;
      break;
    case Expr::Op::div:
      op = Op::div_u32;
      break;
    case Expr::Op::mod:
      op = Op::rem_u32;
      break;
    default:
      return refuse(expr, "a power");
  }
  return computed(op, {word(expr.args[0]), word(expr.args[1])});
}

ValueLowering::Node ValueLowering::smallest(const Expr& expr) {
  const bool least = expr.text == "min";
  if ((!least && expr.text != "max") || expr.args.empty())
    return refuse(expr, fmt::format("{}()", expr.text).c_str());
  return smallest(expr, least ? Op::min_u32 : Op::max_u32, expr.args.size());
}

// Of the first `count` arguments.
ValueLowering::Node ValueLowering::smallest(const Expr& expr, Op op, std::size_t count) {
  Node last = word(expr.args[count - 1]);
  if (count == 1) return last;
  return computed(op, {smallest(expr, op, count - 1), std::move(last)});
}

ValueLowering::Node ValueLowering::condition(const Expr& expr) {
  if (!of_thread(expr)) return computed(Op::ne_u32, {same_for_all(expr), constant(0)});
  if (is_comparison(expr)) return comparison(expr);
  const bool both = expr.op == Expr::Op::and_;
  if (both || expr.op == Expr::Op::or_)
    return computed(both ? Op::and_pred : Op::or_pred,
                    {condition(expr.args[0]), condition(expr.args[1])});
  if (expr.op == Expr::Op::not_) return computed(Op::not_pred, {condition(expr.args[0])});
  return refuse(expr, "a condition from a number: compare it");
}

ValueLowering::Node ValueLowering::comparison(const Expr& expr) {
  const Expr& right = expr.args[1];
  Node left = word(expr.args[0]);
  switch (expr.op) {
    case Expr::Op::eq:
      return computed(Op::eq_u32, {std::move(left), word(right)});
    case Expr::Op::ne:
      return computed(Op::ne_u32, {std::move(left), word(right)});
    case Expr::Op::lt:
      return computed(Op::lt_u32, {std::move(left), word(right)});
    case Expr::Op::le:
      return computed(Op::le_u32, {std::move(left), word(right)});
    case Expr::Op::gt:
      return computed(Op::lt_u32, {word(right), std::move(left)});
    case Expr::Op::ge:
      return computed(Op::le_u32, {word(right), std::move(left)});
    default:
      break;
  }
  if (right.kind != Expr::Kind::range) return refuse(expr, "this comparison");
  Node least = computed(Op::le_u32, {word(right.args[0]), left});
  return computed(Op::and_pred,
                  {std::move(least), computed(Op::le_u32, {std::move(left), word(right.args[1])})});
}

bool ValueLowering::point(const SweepCursor& at, std::vector<std::uint64_t>& scalars) {
  return point(root_, at, scalars);
}

bool ValueLowering::point(Node& node, const SweepCursor& at, std::vector<std::uint64_t>& scalars) {
  for (Node& arg : node.args)
    if (!point(arg, at, scalars)) return false;
  if (!node.point) return true;
  const Value* value = context_.value(*node.point, at);
  if (!value) return false;
  std::optional<std::uint64_t> number;
  if (const bool* truth = std::get_if<bool>(value)) number = *truth ? 1 : 0;
  if (!number) number = context_.whole(*node.point, at, "the value", 0, kWord);
  if (!number) return false;
  node.shape.number = static_cast<std::uint32_t>(*number);
  if (node.shape.kind == ValueShape::Kind::argument) scalars.push_back(*number);
  return true;
}

void ValueLowering::names(std::vector<std::string>& out) const {
  names(root_, out);
}

void ValueLowering::names(const Node& node, std::vector<std::string>& out) {
  for (const Node& arg : node.args) names(arg, out);
  if (node.shape.kind == ValueShape::Kind::argument) out.push_back(node.shape.name);
}

ValueShape ValueLowering::shape(const Node& node) {
  ValueShape made = node.shape;
  // An argument is another number at every point.
  if (made.kind == ValueShape::Kind::argument) made.number = 0;
  for (const Node& arg : node.args) made.args.push_back(shape(arg));
  return made;
}

}  // namespace gpx::codegen
