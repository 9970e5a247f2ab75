// Lowering of one access statement. Interface: codegen/lower/access.h.
#include "codegen/lower/access.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "lang/atomics.h"
#include "lang/lists.h"
#include "lang/vocabulary.h"

namespace gpx::codegen {
namespace {

constexpr const char* kTooFar =
    "the addresses reach further than 2^48 bytes, more than any GPU can address";

const PatternRow& pattern_row_of(const AccessLowering::Form& form) {
  return *find_pattern(form.words.pattern.name);
}

const PatternCode& pattern_code_of(const AccessLowering::Form& form) {
  return pattern_code(form.words.pattern.name);
}

}  // namespace

AccessLowering::AccessLowering(LowerContext& context, const Access& access, std::size_t number)
    : context_(context),
      access_(access),
      number_(number),
      axes_{Expr::name_of(access.by.kind), Expr::name_of(access.by.space),
            Expr::name_of(access.by.cache), Expr::name_of(access.by.pattern)} {
  codes_ = {&pattern_code(access.pattern.name)};
  if (access.by.pattern.empty()) return;
  codes_.clear();
  for (const Axis* axis : context.experiment.sweep.axes())
    if (axis->name == access.by.pattern)
      for (const Value& word : axis->values)
        codes_.push_back(&pattern_code(std::get<std::string>(word)));
}

const std::string& AccessLowering::word(std::string_view axis) {
  const auto* one = std::ranges::find(axes_, axis, &Expr::text);
  return std::get<std::string>(*context_.value(*one));
}

// The one of the point, made where it is the first of its kind.
AccessLowering::Form& AccessLowering::form() {
  std::string words;
  for (const Expr& axis : axes_)
    if (!axis.text.empty()) words += word(axis.text) + " ";
  const auto [at, is_new] = forms_.try_emplace(words);
  if (!is_new) return at->second;
  std::map<std::string, Value, std::less<>> values;
  for (const Expr& axis : axes_)
    if (!axis.text.empty()) values[axis.text] = word(axis.text);
  at->second.words = resolved(
      access_, [&](std::string_view name) -> const Value* { return find_value(values, name); });
  check(at->second.words);
  return at->second;
}

void AccessLowering::check(const Access& words) {
  const CacheOp cache = words.cache;
  const std::string_view name = gpx::to_string(cache);
  if (words.space == Space::peer) context_.need_peer(words.span);
  if (words.space == Space::peer && words.kind == Access::Kind::atomic && !context_.failed() &&
      !context_.limits.peer_atomics)
    context_.blame(words.span, "the link to the peer has no atomics of its own",
                   "NVLink has; over PCIe they are not those of memory");
  if (words.kind == Access::Kind::store && cache != CacheOp::unspecified && cache != CacheOp::cg &&
      cache != CacheOp::cs)
    context_.blame(words.span, fmt::format("a store cannot have the cache operator {}, only cg "
                                           "and cs",
                                           name));
  if (words.space == Space::shared && cache != CacheOp::unspecified)
    context_.blame(
        words.span,
        fmt::format("an access to shared memory cannot have the cache operator {}", name));
  if (words.kind == Access::Kind::atomic && cache != CacheOp::unspecified)
    context_.blame(words.span, "an atomic cannot have a cache operator");
  if (words.kind != Access::Kind::atomic && find_pattern(words.pattern.name)->only_atomics)
    context_.blame(words.span, fmt::format("'{}' is a pattern of atomics", words.pattern.name));
  if (words.chained && !words.async && !find_atomic(words.operation)->returns)
    context_.blame(words.span, "red gives no value that the next one could wait for");
}

bool AccessLowering::folds(const Form& form) const {
  return access_.by.pattern.empty() && pattern_code_of(form).folds &&
         context_.of(access_.pattern.args[0]).constant();
}

AccessShape AccessLowering::point(AccessThreads threads, bool numbered) {
  Form& now = form();
  const AccessPoint point = numbers(now, threads);
  if (!context_.failed()) extend(now, point);
  scalars(now, point, numbered);
  if (access_.is_tensor() && !context_.failed()) tensor_ = tensor_of(point);
  return {&now.words, number_, point.width, point.count, nullptr, point.box};
}

TensorMap AccessLowering::tensor_of(const AccessPoint& point) {
  TensorMap made;
  made.element = point.box[0];
  made.box.assign(point.box.begin() + 1, point.box.end());
  made.extents.assign(made.box.begin(), made.box.end());
  made.extents.front() *= point.threads + 1;
  made.extents.back() *= point.count;
  return made;
}

// The same names at every point: a scalar of a pattern that the point does not have is 0.
void AccessLowering::scalars(const Form& form, const AccessPoint& point, bool numbered) {
  if (folds(form)) return;
  std::set<std::string_view> seen;
  for (const PatternCode* code : codes_)
    for (const PatternScalar& any : code->scalars) {
      if (!seen.insert(any.name).second) continue;
      std::uint64_t value = 0;
      for (const PatternScalar& own : pattern_code_of(form).scalars)
        if (std::string_view(own.name) == any.name) value = own.value(point);
      if (numbered)
        context_.scalars.add(any.name, number_, value);
      else
        context_.scalars.add(any.name, value);
    }
}

AccessPoint AccessLowering::numbers(const Form& form, AccessThreads threads) {
  AccessPoint made;
  made.threads = form.words.space == Space::shared ? threads.block : threads.grid;
  if (access_.is_bulk()) made.threads = threads.grid / threads.block;
  made.count = static_cast<std::uint32_t>(context_.whole(access_.count, rules::count));
  const bool atomic = form.words.kind == Access::Kind::atomic;
  made.width = atomic ? find_atomic(form.words.operation)->row->bytes
                      : static_cast<std::uint32_t>(context_.whole(access_.width, rules::width));
  if (const std::string fault = width_fault(made.width); !fault.empty())
    context_.blame(context_.of(access_.width).span(), fault);
  check_offset(form.words, made.width);
  const PatternRow& row = pattern_row_of(form);
  for (std::size_t i = 0; i < row.most(); ++i) {
    const PatternArgument& wanted = row.arguments[i];
    if (i >= access_.pattern.args.size()) {
      if (wanted.open) continue;
      made.args[i] = static_cast<std::uint64_t>(*wanted.fallback);
      continue;
    }
    const Expr& expr = access_.pattern.args[i];
    made.args[i] = context_.whole(expr, wanted.rule);
    if (!wanted.aligned || made.args[i] % made.width == 0) continue;
    context_.blame(context_.of(expr).span(),
                   alignment_fault(static_cast<double>(made.args[i]), made.width));
  }
  if (access_.is_tensor()) {
    made.box = {made.width};
    for (std::size_t i = 0; i < access_.pattern.args.size(); ++i) {
      made.box.push_back(static_cast<std::uint32_t>(made.args[i]));
      made.width *= made.box.back();
    }
  } else if (access_.is_bulk()) {
    made.width = static_cast<std::uint32_t>(made.args[0]);
  }
  return made;
}

void AccessLowering::check_offset(const Access& words, std::uint32_t width) {
  if (!is_global_memory(words.space)) return;
  const Expr& offset = context_.measure.offset;
  const auto bytes = static_cast<double>(context_.whole(offset, rules::offset));
  const std::string fault = offset_fault(bytes, width, words);
  if (!fault.empty()) context_.blame(context_.of(offset).span(), fault);
}

void AccessLowering::extend(Form& form, const AccessPoint& point) {
  const PatternCode& code = pattern_code_of(form);
  if (const std::string fault = code.fault ? code.fault(point) : std::string(); !fault.empty())
    return context_.blame(access_.span, fault);
  const Bytes reach = code.reach(point);
  if (reach * (code.layered ? point.count : 1) > kMaxExtent)
    return context_.blame(access_.span, kTooFar);
  form.reach = std::max(form.reach, static_cast<std::uint64_t>(reach));
  form.count = std::max<std::uint64_t>(form.count, point.count);
}

Span AccessLowering::count_span() const {
  const Span span = context_.of(access_.count).span();
  return span.end > span.begin ? span : access_.span;
}

std::uint64_t AccessLowering::reach(const Form& form) {
  const bool layered = pattern_code_of(form).layered;
  const Bytes bytes =
      layered ? Bytes{form.count} * round_up(form.reach, kSpanUnit) : Bytes{form.reach};
  if (bytes <= kMaxExtent) return static_cast<std::uint64_t>(bytes);
  context_.blame(access_.span, kTooFar);
  return 0;
}

AccessSpread AccessLowering::spread(const Form& form) {
  AccessSpread made;
  if (pattern_code_of(form).layered) made.span = round_up(form.reach, kSpanUnit);
  if (folds(form))
    made.folded = context_.whole(access_.pattern.args[0], pattern_row_of(form).arguments[0].rule);
  return made;
}

}  // namespace gpx::codegen
