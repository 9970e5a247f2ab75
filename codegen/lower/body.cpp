// Lowering of a body. Interface: codegen/lower/body.h.
#include "codegen/lower/body.h"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>
#include <string_view>

#include "lang/operations.h"
#include "lang/vocabulary.h"

namespace gpx::codegen {
namespace {

constexpr std::uint64_t kMaxExecutions = 65536;  // Of one operation: a megabyte of code.
constexpr std::uint64_t kMaxStreams = 64;
constexpr std::string_view kCodeOperation = "fma.rn.f32";  // One instruction on every GPU.
constexpr std::uint64_t kCodeStreams = 8;                  // That none waits for another.

}  // namespace

BodyLowering::BodyLowering(LowerContext& context, const std::vector<gpx::Statement>& body,
                           Numbering& numbers, bool variables)
    : context_(context), numbers_(numbers) {
  if (variables)
    for (const SharedVariable& variable : context.measure.shared)
      initial_.emplace_back(context, variable.initial, false, numbers_.arguments);
  body_ = nodes(body, 0);
}

// ---- once: what the statements are ----------------------------------------------------------

BodyLowering::Nodes BodyLowering::nodes(const std::vector<gpx::Statement>& statements, int depth) {
  Nodes made;
  for (const gpx::Statement& statement : statements) {
    made.push_back(std::make_unique<Node>());
    Node& node = *made.back();
    node.statement = &statement;
    const bool is_access = std::holds_alternative<Access>(statement.node);
    node.line = context_.line(is_access ? std::get<Access>(statement.node).span : statement.span);
    std::visit([&](const auto& what) { add(node, what, depth); }, statement.node);
  }
  return made;
}

void BodyLowering::add(Node& node, const Access& access, int) {
  node.access = &accesses_.emplace_back(context_, access);
}

void BodyLowering::add(Node& node, const Chase& chase, int) {
  const Span span = node.statement->span;
  node.array = find_array(chase.array, span);
  node.count.emplace(context_.expr(chase.count));
  node.number = numbers_.chases++;
  if (chase.from) node.from.emplace(context_, *chase.from, false, numbers_.arguments);
  if (!node.array || chase.cache == CacheOp::unspecified) return;
  const Space space = node.array->array().space;
  const bool fits = space == Space::global || (space == Space::local && chase.cache != CacheOp::nc);
  if (!fits)
    context_.blame(span, fmt::format("a load from {} memory cannot have the cache operator {}",
                                     gpx::to_string(space), gpx::to_string(chase.cache)));
}

ArrayLowering* BodyLowering::find_array(const std::string& name, Span span) {
  for (ArrayLowering& known : arrays_)
    if (known.array().name == name) return &known;
  for (const Array& array : context_.experiment.arrays)
    if (array.name == name) return &arrays_.emplace_back(context_, array);
  context_.blame(span, fmt::format("there is no array {}", name));
  return nullptr;
}

void BodyLowering::add(Node& node, const Operate& operate, int) {
  node.operation.emplace(context_.expr(operate.operation));
  node.count.emplace(context_.expr(operate.count));
  node.streams.emplace(context_.expr(operate.streams));
}

void BodyLowering::add(Node& node, const Code& code, int) {
  node.code.emplace(context_.expr(code.bytes));
}

void BodyLowering::add(Node&, const Sync&, int depth) {
  may_hang_ = may_hang_ || depth > 0;
}

void BodyLowering::add(Node& node, const Stamp& stamp, int) {
  node.name = stamp.label.empty() ? std::to_string(stamps_.size()) : stamp.label;
  if (std::find(stamps_.begin(), stamps_.end(), node.name) != stamps_.end())
    context_.blame(node.statement->span, fmt::format("the stamp {} is there twice", node.name));
  if (context_.measure.observe != Observe::timeline)
    context_.blame(node.statement->span, "a stamp that nothing observes",
                   "`observe timeline` makes a row of it");
  stamps_.push_back(node.name);
}

void BodyLowering::add(Node& node, const Assign& assign, int) {
  const auto& shared = context_.measure.shared;
  node.name = assign.variable;
  node.value.emplace(context_, assign.value, false, numbers_.arguments);
  if (std::none_of(shared.begin(), shared.end(),
                   [&](const SharedVariable& known) { return known.name == assign.variable; }))
    context_.blame(node.statement->span,
                   fmt::format("there is no shared variable {}", assign.variable));
}

void BodyLowering::add(Node& node, const Keep& keep, int) {
  node.name = keep.column;
  node.value.emplace(context_, keep.value, false, numbers_.arguments);
  if (std::find(keeps_.begin(), keeps_.end(), keep.column) == keeps_.end())
    keeps_.push_back(keep.column);
}

// A kernel from a file is not generated: codegen/user/user_kernel.h.
void BodyLowering::add(Node& node, const Run& run, int) {
  context_.blame(node.statement->span, fmt::format("'run {}' stands alone", run.kernel));
}

void BodyLowering::add(Node& node, const When& when, int depth) {
  node.value.emplace(context_, when.condition, true, numbers_.arguments);
  node.then = nodes(when.then, depth + 1);
  node.otherwise = nodes(when.otherwise, depth + 1);
}

void BodyLowering::add(Node& node, const While& loop, int depth) {
  may_hang_ = true;
  node.value.emplace(context_, loop.condition, true, numbers_.arguments);
  node.then = nodes(loop.body, depth + 1);
}

void BodyLowering::add(Node& node, const Diverge& diverge, int depth) {
  node.value.emplace(context_, diverge.selector, false, numbers_.arguments);
  for (const Expr& value : diverge.values) node.values.push_back(context_.expr(value));
  node.then = nodes(diverge.body, depth + 1);
}

bool BodyLowering::only_chases() const {
  return !body_.empty() && std::all_of(body_.begin(), body_.end(), [](const auto& node) {
    return std::holds_alternative<Chase>(node->statement->node);
  });
}

bool BodyLowering::is_one_chase() const {
  return body_.size() == 1 && only_chases();
}

// ---- at every point -------------------------------------------------------------------------

bool BodyLowering::point(const SweepCursor& at, std::uint64_t threads, Numbers& shape,
                         Numbers& scalars) {
  bool sound = true;
  for (ArrayLowering& array : arrays_) {
    if (!array.point(at)) return false;
    if (array.array().space == Space::shared || array.array().space == Space::local)
      scalars.push_back(array.contents().bytes);
  }
  for (ValueLowering& initial : initial_) sound = initial.point(at, scalars) && sound;
  return point(body_, at, threads, shape, scalars) && sound;
}

bool BodyLowering::point(Nodes& list, const SweepCursor& at, std::uint64_t threads, Numbers& shape,
                         Numbers& scalars) {
  return std::all_of(list.begin(), list.end(),
                     [&](auto& node) { return point(*node, at, threads, shape, scalars); });
}

bool BodyLowering::point(Node& node, const SweepCursor& at, std::uint64_t threads, Numbers& shape,
                         Numbers& scalars) {
  if (node.access) return node.access->point(at, threads, shape, scalars);
  if (std::holds_alternative<Chase>(node.statement->node)) return chase(node, at, shape, scalars);
  if (node.operation) return operate(node, at, shape);
  if (node.code) return code(node, at, shape);
  if (node.value && !node.value->point(at, scalars)) return false;
  if (!node.values.empty() && !diverge(node, at, shape)) return false;
  return point(node.then, at, threads, shape, scalars) &&
         point(node.otherwise, at, threads, shape, scalars);
}

bool BodyLowering::chase(Node& node, const SweepCursor& at, Numbers& shape, Numbers& scalars) {
  const auto count = context_.whole(*node.count, at, "the number of accesses", 1, kWord);
  if (!count || !node.array) return false;
  shape.push_back(node.array->contents().width);
  scalars.insert(scalars.end(), {node.array->first(), *count});
  if (node.from) {
    const ChaseContents& contents = node.array->contents();
    const std::uint64_t distance = contents.args.front();
    scalars.insert(scalars.end(), {(contents.bytes - contents.width) / distance + 1, distance});
    if (!node.from->point(at, scalars)) return false;
  }
  last_count_ = *count;
  most_count_ = std::max(most_count_, *count);
  return true;
}

bool BodyLowering::operate(Node& node, const SweepCursor& at, Numbers& shape) {
  const auto what = operation(node, at);
  const auto count = context_.whole(*node.count, at, "the number of executions", 1, kMaxExecutions);
  const auto streams = context_.whole(*node.streams, at, "the number of streams", 1, kMaxStreams);
  if (!what || !count || !streams) return false;
  if (*count % *streams != 0) {
    context_.blame(
        node.count->span(),
        fmt::format("{} executions do not make {} streams of equal length", *count, *streams));
    return false;
  }
  shape.insert(shape.end(), {*what, *count, *streams});
  return true;
}

// As many instructions as make up the bytes.
bool BodyLowering::code(Node& node, const SweepCursor& at, Numbers& shape) {
  const std::uint64_t size = context_.limits.instruction_bytes;
  const auto bytes = context_.whole(*node.code, at, "the code", 1, kMaxExecutions * size);
  if (!bytes) return false;
  if (*bytes % size != 0) {
    context_.blame(node.code->span(),
                   fmt::format("{} bytes of code are not whole instructions: the "
                               "device's have {} bytes",
                               *bytes, size));
    return false;
  }
  const std::uint64_t count = *bytes / size;
  shape.insert(shape.end(), {count, std::gcd(count, kCodeStreams)});
  return true;
}

// The operation's row of the table: its own name, or a name whose value it is.
std::optional<std::uint64_t> BodyLowering::operation(Node& node, const SweepCursor& at) {
  const Expr& expr = std::get<Operate>(node.statement->node).operation;
  std::string name = expr.text;
  const bool direct =
      (expr.kind == Expr::Kind::word || expr.kind == Expr::Kind::name) && is_operation(expr.text);
  if (!direct) {
    const Value* value = context_.value(*node.operation, at);
    if (!value) return std::nullopt;
    const std::string* word = std::get_if<std::string>(value);
    name = word ? *word : gpx::to_string(*value);
  }
  const auto& names = operation_names();
  const auto row = std::find_if(names.begin(), names.end(),
                                [&](const OperationName& known) { return known.name == name; });
  if (row != names.end()) return row - names.begin();
  context_.blame(node.operation->span(), fmt::format("{} is no operation", name));
  return std::nullopt;
}

bool BodyLowering::diverge(Node& node, const SweepCursor& at, Numbers& shape) {
  for (PointExpr& value : node.values) {
    const auto number = context_.whole(value, at, "the value", 0, kWord);
    if (!number) return false;
    shape.push_back(*number);
  }
  return true;
}

// ---- after the walk -------------------------------------------------------------------------

void BodyLowering::structure(const std::uint64_t*& next, Structure& made) const {
  for (const ArrayLowering& array : arrays_)
    made.arrays.push_back({array.buffer(), array.array().space, array.most_bytes()});
  for (std::size_t i = 0; i < initial_.size(); ++i)
    made.shared.push_back({context_.measure.shared[i].name, initial_[i].shape()});
  made.body = shapes(body_, next);
  made.stamps = stamps_;
  made.keeps = keeps_;
}

std::vector<StatementShape> BodyLowering::shapes(const Nodes& list,
                                                 const std::uint64_t*& next) const {
  std::vector<StatementShape> made;
  for (const auto& node : list) made.push_back(shape(*node, next));
  return made;
}

StatementShape BodyLowering::shape(const Node& node, const std::uint64_t*& next) const {
  const auto number = [&] { return static_cast<std::uint32_t>(*next++); };
  StatementShape made;
  made.line = node.line;
  made.name = node.name;
  if (node.value) made.value = node.value->shape();
  const auto& what = node.statement->node;
  if (node.access) {
    const std::uint64_t width = *next++, count = *next++;
    made.access = node.access->shape(width, count);
  } else if (const auto* chase = std::get_if<Chase>(&what)) {
    made.op = number() == 8 ? Op::chase_b64 : Op::chase_b32;
    made.name = node.array->buffer();
    made.cache = chase->cache;
    made.first = fmt::format("first{}", node.number);
    made.accesses = fmt::format("accesses{}", node.number);
    made.elements = fmt::format("elements{}", node.number);
    made.distance = fmt::format("distance{}", node.number);
    if (node.from) made.from = node.from->shape();
  } else if (node.code) {
    made.op = Op::operate;
    made.name = kCodeOperation;
    made.count = number();
    made.streams = number();
  } else if (node.operation) {
    made.op = Op::operate;
    made.name = operation_names()[number()].name;
    made.count = number();
    made.streams = number();
  } else {
    made.op = std::holds_alternative<Sync>(what)     ? Op::sync
              : std::holds_alternative<Stamp>(what)  ? Op::stamp
              : std::holds_alternative<Assign>(what) ? Op::st_shared
              : std::holds_alternative<Keep>(what)   ? Op::keep
              : std::holds_alternative<When>(what)   ? Op::when
              : std::holds_alternative<While>(what)  ? Op::loop
                                                     : Op::diverge;
  }
  for (std::size_t i = 0; i < node.values.size(); ++i) made.values.push_back(number());
  made.then = shapes(node.then, next);
  made.otherwise = shapes(node.otherwise, next);
  return made;
}

void BodyLowering::scalar_names(std::vector<std::string>& out) const {
  for (const ArrayLowering& array : arrays_)
    if (array.array().space == Space::shared || array.array().space == Space::local)
      out.push_back(array.buffer() + "_bytes");
  for (const ValueLowering& initial : initial_) initial.names(out);
  std::size_t access = 0;
  names(body_, out, access);
}

void BodyLowering::names(const Nodes& list, std::vector<std::string>& out,
                         std::size_t& access) const {
  for (const auto& node : list) {
    if (node->access) {
      const std::string suffix = accesses_.size() == 1 ? "" : std::to_string(access);
      ++access;
      for (const char* name : node->access->scalar_names()) out.push_back(name + suffix);
    }
    if (std::holds_alternative<Chase>(node->statement->node)) {
      out.push_back(fmt::format("first{}", node->number));
      out.push_back(fmt::format("accesses{}", node->number));
      if (node->from) {
        out.push_back(fmt::format("elements{}", node->number));
        out.push_back(fmt::format("distance{}", node->number));
        node->from->names(out);
      }
    }
    if (node->value) node->value->names(out);
    names(node->then, out, access);
    names(node->otherwise, out, access);
  }
}

}  // namespace gpx::codegen
