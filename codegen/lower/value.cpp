// Lowering of what a thread computes. Interface: codegen/lower/value.h.
#include "codegen/lower/value.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "lang/lists.h"

namespace gpx::codegen {
namespace {

using Kind = ThreadValue::Kind;

constexpr std::pair<std::string_view, Op> kOfThread[] = {{"lane", Op::lane},
                                                         {"warp", Op::warp},
                                                         {"thread", Op::in_block},
                                                         {"block", Op::block},
                                                         {"rank", Op::rank}};

const Op* thread_op(std::string_view name) {
  for (const auto& [known, op] : kOfThread)
    if (known == name) return &op;
  return nullptr;
}

ThreadValue constant(std::uint32_t number) {
  return {.kind = Kind::constant, .number = number};
}

ThreadValue computed(Op op, std::vector<ThreadValue> args) {
  return {.kind = Kind::computed, .op = op, .args = std::move(args)};
}

ThreadValue named(const std::string& name) {
  if (const Op* op = thread_op(name)) return {.kind = Kind::thread, .op = *op};
  return {.kind = Kind::shared, .name = name};
}

/// Of an operator of two words.
Op word_op(Expr::Op op) {
  switch (op) {
    case Expr::Op::sub: return Op::sub_u32;
    case Expr::Op::mul: return Op::mul_u32;
    case Expr::Op::div: return Op::div_u32;
    case Expr::Op::mod: return Op::rem_u32;
    default:
      GPX_ASSERT(op == Expr::Op::add);  // The checker refuses '^'.
      return Op::add_u32;
  }
}

}  // namespace

bool ThreadValue::reads_shared() const {
  return kind == Kind::shared ||
         std::any_of(args.begin(), args.end(), [](const auto& arg) { return arg.reads_shared(); });
}

ValueLowering::ValueLowering(LowerContext& context, const Expr& expr, bool is_test,
                             unsigned& arguments)
    : context_(context), numbers_(arguments), value_(is_test ? condition(expr) : word(expr)) {
  const std::vector<Argument> made = std::exchange(arguments_, {});
  add_arguments(value_, made);
}

// A chain of comparisons may have them in another order than the text, and more than once.
void ValueLowering::add_arguments(const ThreadValue& value, const std::vector<Argument>& made) {
  for (const ThreadValue& arg : value.args) add_arguments(arg, made);
  if (value.kind != Kind::argument || contains(arguments_, value.name, &Argument::name)) return;
  arguments_.push_back(*std::ranges::find(made, value.name, &Argument::name));
}

void ValueLowering::point() {
  for (const Argument& one : arguments_) context_.scalars.add(one.name, number(*one.expr));
}

std::uint32_t ValueLowering::number(const Expr& expr) {
  const Value* value = context_.value(expr);
  if (const bool* truth = value ? std::get_if<bool>(value) : nullptr) return *truth ? 1 : 0;
  return static_cast<std::uint32_t>(context_.whole(expr, rules::word));
}

bool ValueLowering::of_thread(const Expr& expr) const {
  bool found = false;
  for_each_name(expr, [&](const Expr& name) {
    found = found || thread_op(name.text) != nullptr;
    for (const SharedVariable& variable : context_.measure.shared)
      found = found || variable.name == name.text;
  });
  return found;
}

ThreadValue ValueLowering::same_for_all(const Expr& expr) {
  if (context_.of(expr).constant()) return constant(number(expr));
  arguments_.push_back({fmt::format("value{}", numbers_++), &expr});
  return {.kind = Kind::argument, .name = arguments_.back().name};
}

ThreadValue ValueLowering::word(const Expr& expr) {
  if (!of_thread(expr)) return same_for_all(expr);
  switch (expr.kind) {
    case Expr::Kind::name: return named(expr.text);
    case Expr::Kind::call:
      return smallest(expr, expr.text == "min" ? Op::min_u32 : Op::max_u32, expr.args.size());
    case Expr::Kind::unary: return computed(Op::sub_u32, {constant(0), word(expr.args[0])});
    default:
      GPX_ASSERT(expr.kind == Expr::Kind::binary);
      return computed(word_op(expr.op), {word(expr.args[0]), word(expr.args[1])});
  }
}

// Of the first `count` arguments.
ThreadValue ValueLowering::smallest(const Expr& expr, Op op, std::size_t count) {
  ThreadValue last = word(expr.args[count - 1]);
  if (count == 1) return last;
  return computed(op, {smallest(expr, op, count - 1), std::move(last)});
}

ThreadValue ValueLowering::condition(const Expr& expr) {
  if (!of_thread(expr)) return computed(Op::ne_u32, {same_for_all(expr), constant(0)});
  if (expr.op == Expr::Op::not_) return computed(Op::not_pred, {condition(expr.args[0])});
  const bool both = expr.op == Expr::Op::and_;
  if (both || expr.op == Expr::Op::or_)
    return computed(both ? Op::and_pred : Op::or_pred,
                    {condition(expr.args[0]), condition(expr.args[1])});
  return comparison(expr);
}

ThreadValue ValueLowering::comparison(const Expr& expr) {
  const Expr& right = expr.args[1];
  ThreadValue left = word(expr.args[0]);
  switch (expr.op) {
    case Expr::Op::eq: return computed(Op::eq_u32, {std::move(left), word(right)});
    case Expr::Op::ne: return computed(Op::ne_u32, {std::move(left), word(right)});
    case Expr::Op::lt: return computed(Op::lt_u32, {std::move(left), word(right)});
    case Expr::Op::le: return computed(Op::le_u32, {std::move(left), word(right)});
    case Expr::Op::gt: return computed(Op::lt_u32, {word(right), std::move(left)});
    case Expr::Op::ge: return computed(Op::le_u32, {word(right), std::move(left)});
    default: break;
  }
  GPX_ASSERT(expr.op == Expr::Op::within && right.kind == Expr::Kind::range);
  ThreadValue least = computed(Op::le_u32, {word(right.args[0]), left});
  return computed(Op::and_pred,
                  {std::move(least), computed(Op::le_u32, {std::move(left), word(right.args[1])})});
}

}  // namespace gpx::codegen
