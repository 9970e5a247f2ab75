// Lowering of a body. Interface: codegen/lower/body.h.
#include "codegen/lower/body.h"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>
#include <string_view>

#include "codegen/ir/inline_ptx.h"
#include "lang/lists.h"
#include "lang/operations.h"
#include "lang/vocabulary.h"
#include "lang/warpgroup.h"

namespace gpx::codegen {
namespace {

constexpr std::string_view kCodeOperation = "fma.rn.f32";  // One instruction on every GPU.
constexpr std::uint64_t kCodeStreams = 8;                  // That none waits for another.

std::string label_of(const Stamp& stamp, std::size_t number) {
  return stamp.label.empty() ? std::to_string(number) : stamp.label;
}

}  // namespace

BodyLowering::BodyLowering(LowerContext& context, const std::vector<gpx::Statement>& body,
                           Numbering& numbers, bool variables)
    : context_(context), body_(body), numbers_(numbers), variables_(variables) {
  collect(body, 0);
  issues_ = variables && traits_of(context.measure.observe).has_key(Extent::statements);
  for (std::size_t i = 0; issues_ && i <= body.size(); ++i) stamps_.push_back(std::to_string(i));
}

// ---- once: what the body has ----------------------------------------------------------------

void BodyLowering::collect(const std::vector<gpx::Statement>& list, int depth) {
  for (const gpx::Statement& one : list) {
    if (const auto* access = std::get_if<Access>(&one.node)) {
      accesses_.emplace_back(context_, *access, accesses_.size());
    } else if (const auto* chase = std::get_if<Chase>(&one.node)) {
      collect(*chase, one.span);
    } else if (const auto* operate = std::get_if<Operate>(&one.node); operate && operate->is_ptx) {
      collect(*operate);
    } else if (const auto* stamp = std::get_if<Stamp>(&one.node)) {
      stamps_.push_back(label_of(*stamp, stamps_.size()));
    } else if (const auto* keep = std::get_if<Keep>(&one.node)) {
      add_once(keeps_, keep->column);
    } else if (std::holds_alternative<Sync>(one.node)) {
      may_hang_ = may_hang_ || depth > 0;
    } else if (const auto* when = std::get_if<When>(&one.node)) {
      collect(when->then, depth + 1);
      collect(when->otherwise, depth + 1);
    } else if (const auto* loop = std::get_if<While>(&one.node)) {
      may_hang_ = true;
      collect(loop->body, depth + 1);
    } else if (const auto* diverge = std::get_if<Diverge>(&one.node)) {
      collect(diverge->body, depth + 1);
    }
  }
}

void BodyLowering::collect(const Chase& chase, Span span) {
  const auto& arrays = context_.experiment.arrays;
  const auto array = std::ranges::find(arrays, chase.array, &Array::name);
  GPX_ASSERT(array != arrays.end());
  const auto same = [&](const ArrayLowering& known) { return &known.array() == &*array; };
  if (std::ranges::none_of(arrays_, same)) arrays_.emplace_back(context_, *array);
  const auto [first, is_new] = ranked_.try_emplace(&*array, chase.rank.has_value());
  if (!is_new && first->second != chase.rank.has_value())
    context_.blame(span,
                   fmt::format("the links of '{}' lead through the block's own memory or through "
                               "that of a rank, not both in one region",
                               array->name),
                   "another array, or another measure");
  check(*array, chase.cache, span);
  for (const Axis* axis : context_.experiment.sweep.axes())
    if (chase.cache_axis && axis->name == chase.cache_axis->text)
      for (const Value& word : axis->values)
        check(*array, *cache_of(std::get<std::string>(word)), span);
}

void BodyLowering::check(const Array& array, CacheOp cache, Span span) {
  const bool cached =
      is_global_memory(array.space) || (array.space == Space::local && cache != CacheOp::nc);
  if (cache != CacheOp::unspecified && !cached)
    context_.blame(span, fmt::format("a load from {} memory cannot have the cache operator {}",
                                     gpx::to_string(array.space), gpx::to_string(cache)));
}

// A mistake is told where it stands in the text, which is verbatim between quotation marks. (Which
// source a chain has at a point: shape().)
void BodyLowering::collect(const Operate& operate) {
  const bool swept = operate.source && operate.source->kind != Expr::Kind::word;
  check(operate, operate.source && !swept ? operate.source->text[0] : '\0');
}

bool BodyLowering::check(const Operate& operate, char source) {
  const auto read = read_inline_ptx(operate.operation.text, source);
  if (read) return true;
  const InlineMistake& mistake = read.error();
  const std::uint32_t first = operate.operation.span.begin + 1;
  context_.blame({first + mistake.begin, first + mistake.end}, mistake.message, mistake.hint);
  return false;
}

// ---- at every point -------------------------------------------------------------------------

Shapes BodyLowering::point(AccessThreads threads) {
  threads_ = threads;
  access_ = stamp_ = 0;
  for (ArrayLowering& array : arrays_) array.point();
  if (variables_)
    for (const SharedVariable& variable : context_.measure.shared) value(variable.initial);
  Shapes made = shapes(body_);
  return issues_ ? with_stamps(std::move(made)) : made;
}

// One before each statement, one behind the last.
Shapes BodyLowering::with_stamps(Shapes list) {
  Shapes made;
  const auto stamp = [&](Span span) {
    made.push_back({PlainShape{Op::stamp, stamps_[stamp_++]}, span});
  };
  for (StatementShape& one : list) {
    stamp(one.span);
    made.push_back(std::move(one));
  }
  stamp(made.back().span);
  return made;
}

Shapes BodyLowering::shapes(const std::vector<gpx::Statement>& list) {
  Shapes made;
  made.reserve(list.size());
  for (const gpx::Statement& one : list) {
    const auto* access = std::get_if<Access>(&one.node);
    const Span span = access ? access->span : one.span;
    made.push_back(std::visit(
        [&](const auto& what) {
          return StatementShape{shape(what), span};
        },
        one.node));
  }
  return made;
}

AccessShape BodyLowering::shape(const Access& access) {
  AccessShape made = accesses_[access_++].point(threads_, accesses_.size() > 1);
  if (access.rank) made.rank = value(*access.rank);
  return made;
}

ChaseShape BodyLowering::shape(const Chase& chase) {
  const auto array = std::ranges::find(arrays_, chase.array,
                                       [](const ArrayLowering& one) { return one.array().name; });
  const ChaseContents& contents = array->contents();
  ChaseShape made{&chase, &array->buffer(), numbers_.chases++, contents.width, cache(chase)};
  last_count_ = context_.whole(chase.count, rules::chase);
  most_count_ = std::max(most_count_, last_count_);
  context_.scalars.add("first", made.number, array->first());
  context_.scalars.add("accesses", made.number, last_count_);
  if (chase.rank) made.rank = value(*chase.rank);
  if (!chase.from) return made;
  const std::uint64_t distance = contents.args.front();
  context_.scalars.add("elements", made.number, (contents.bytes - contents.width) / distance + 1);
  context_.scalars.add("distance", made.number, distance);
  made.from = value(*chase.from);
  return made;
}

OperateShape BodyLowering::shape(const Operate& operate) {
  const std::uint64_t count = context_.whole(operate.count, rules::executions);
  const std::uint64_t streams = context_.whole(operate.streams, rules::streams);
  if (count % streams != 0)
    context_.blame(context_.of(operate.count).span(), streams_fault(count, streams));
  OperateShape made{{},
                    static_cast<std::uint32_t>(count),
                    static_cast<std::uint32_t>(streams),
                    operate.source ? source(*operate.source) : '\0'};
  made.operation = operate.is_ptx ? operate.operation.text : operation(operate.operation);
  if (operate.data) made.data = data(*operate.data);
  check_warpgroup(operate, made.operation);
  if (operate.is_ptx && operate.source) check(operate, made.source);
  return made;
}

// As many instructions as make up the bytes.
OperateShape BodyLowering::shape(const Code& code) {
  const std::uint64_t size = context_.limits.instruction_bytes;
  const std::uint64_t bytes = context_.whole(code.bytes, rules::code);
  if (bytes % size != 0)
    context_.blame(context_.of(code.bytes).span(),
                   fmt::format("{} bytes of code are not whole instructions: the "
                               "device's have {} bytes",
                               bytes, size));
  const std::uint64_t count = std::max<std::uint64_t>(bytes / size, 1);
  return {kCodeOperation, static_cast<std::uint32_t>(count),
          static_cast<std::uint32_t>(std::gcd(count, kCodeStreams))};
}

PlainShape BodyLowering::shape(const Sync& sync) {
  return {sync.cluster ? Op::sync_cluster : Op::sync};
}

PlainShape BodyLowering::shape(const Stamp&) {
  return {Op::stamp, stamps_[stamp_++]};
}

PlainShape BodyLowering::shape(const Assign& assign) {
  return {Op::st_shared, assign.variable, value(assign.value)};
}

PlainShape BodyLowering::shape(const Keep& keep) {
  return {Op::keep, keep.column, value(keep.value)};
}

// A kernel from a file is not generated: codegen/user/user_kernel.h.
PlainShape BodyLowering::shape(const Run&) {
  GPX_ASSERT(false);
  return {Op::sync};
}

BranchShape BodyLowering::shape(const When& when) {
  const ThreadValue* condition = value(when.condition, true);
  Shapes then = shapes(when.then);
  return {Op::when, condition, {}, std::move(then), shapes(when.otherwise)};
}

BranchShape BodyLowering::shape(const While& loop) {
  const ThreadValue* condition = value(loop.condition, true);
  return {Op::loop, condition, {}, shapes(loop.body), {}};
}

BranchShape BodyLowering::shape(const Diverge& diverge) {
  BranchShape made{Op::diverge, value(diverge.selector), {}, {}, {}};
  for (const Expr& one : diverge.values)
    made.values.push_back(static_cast<std::uint32_t>(context_.whole(one, rules::tested)));
  made.then = shapes(diverge.body);
  return made;
}

// Its own name, or a name whose value it is.
std::string_view BodyLowering::operation(const Expr& expr) {
  const bool direct =
      (expr.kind == Expr::Kind::word || expr.kind == Expr::Kind::name) && is_operation(expr.text);
  const Value* value = direct ? nullptr : context_.value(expr);
  const std::string* word = value ? std::get_if<std::string>(value) : &expr.text;
  GPX_ASSERT(context_.failed() || (word && is_operation(*word)));
  return word ? std::string_view(*word) : std::string_view();
}

// A letter, or a name whose value it is.
char BodyLowering::source(const Expr& expr) {
  const Value* value = expr.kind == Expr::Kind::word ? nullptr : context_.value(expr);
  const std::string* word = value ? std::get_if<std::string>(value) : &expr.text;
  GPX_ASSERT(context_.failed() || (word && word->size() == 1));
  return word && !word->empty() ? word->front() : '\0';
}

// A product is of whole warpgroups.
void BodyLowering::check_warpgroup(const Operate& operate, std::string_view name) {
  constexpr std::uint64_t kThreads = WarpgroupProduct::kThreads;
  if (threads_.block % kThreads == 0 || !find_warpgroup_product(name)) return;
  context_.blame(operate.operation.span,
                 fmt::format("{} is an operation of a warpgroup, {} threads: a block has {}", name,
                             kThreads, threads_.block),
                 fmt::format("threads {}", (threads_.block + kThreads - 1) / kThreads * kThreads));
}

CacheOp BodyLowering::cache(const Chase& chase) {
  if (!chase.cache_axis) return chase.cache;
  return *cache_of(std::get<std::string>(*context_.value(*chase.cache_axis)));
}

OperandData BodyLowering::data(const Expr& expr) {
  const Value* value = expr.kind == Expr::Kind::word ? nullptr : context_.value(expr);
  const std::string* word = value ? std::get_if<std::string>(value) : &expr.text;
  const auto found = word ? find_operand_data(*word) : std::nullopt;
  GPX_ASSERT(context_.failed() || found);
  return found.value_or(OperandData::usual);
}

const ThreadValue* BodyLowering::value(const Expr& expr, bool condition) {
  ValueLowering& one =
      values_.try_emplace(&expr, context_, expr, condition, numbers_.arguments).first->second;
  one.point();
  return &one.value();
}

// ---- after the walk -------------------------------------------------------------------------

void BodyLowering::frame(Frame& made) {
  made.source = &context_.source;
  for (const ArrayLowering& array : arrays_)
    made.arrays.push_back({array.buffer(), array.array().space, array.most_bytes()});
  if (variables_)
    for (const SharedVariable& variable : context_.measure.shared)
      made.shared.push_back({variable.name, values_.at(&variable.initial).value()});
  made.stamps = stamps_;
  made.keeps = keeps_;
  made.accesses = accesses_.size();
  for (AccessLowering& access : accesses_)
    for (const auto& [words, form] : access.forms())
      made.spreads.emplace(&form.words, access.spread(form));
}

}  // namespace gpx::codegen
