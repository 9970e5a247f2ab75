// Kernels from a file: their arguments, and what may stand beside `run`. Whether the file has the
// function, and the function the parameters, is seen when it is compiled.
// Interface: check_context.h; covered by tests/lang/check_test.cpp and the goldens.
#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "lang/check_context.h"
#include "lang/lists.h"
#include "lang/observe.h"
#include "lang/vocabulary.h"

namespace gpx {
namespace {

constexpr std::size_t max_parameters = 256;
constexpr std::size_t max_components = 4;
constexpr int max_nesting = 16;
constexpr std::string_view struct_fields[] = {"i8",  "u8",  "i16", "u16", "i32",  "u32",  "i64",
                                              "u64", "f16", "f32", "f64", "bf16", "bool", "char"};

/// A number of any size; `unit` bytes too where a scalar counts them.
std::optional<Expr> checked_value(CheckContext& context, const Expr& expr, std::string_view what,
                                  bool bytes) {
  auto typed = context.names.resolve(expr, {true, false}, context.problems);
  if (!typed) return std::nullopt;
  const bool plain = typed->type == Type{Type::Kind::quantity, Unit::none};
  const bool counts = bytes && typed->type == Type{Type::Kind::quantity, Unit::byte};
  if (plain || counts) return std::move(typed->expr);
  context.problems.add(
      expr.span, fmt::format("{} must be a plain number, this is {}", what, phrase(typed->type)));
  return std::nullopt;
}

constexpr std::string_view kContents =
    "it may be hash, zero, index(4), uniform, uniform(0, 1), permutation(1), a number such as 1.5, "
    "or a file such as \"data.npy\"";

/// A word that is neither contents nor the name of a value.
bool refuse_contents(CheckContext& context, const Expr& written) {
  const bool call = written.kind == Expr::Kind::call;
  if (context.block.names_broken || context.names.is_poisoned(written.text)) return false;
  if (!call && written.kind != Expr::Kind::name) return false;
  const std::vector<std::string> values =
      call ? names_of(TermKind::function) : context.names.known({true, false});
  if (contains(values, written.text)) return false;
  const std::string near = suggest(written.text, contents_names());
  context.problems.add(written.span, fmt::format("a buffer cannot hold '{}'", written.text),
                       near.empty() ? std::string(kContents) : near);
  return true;
}

std::optional<BufferContents> read_contents(CheckContext& context, const Expr& written) {
  using Kind = BufferContents::Kind;
  BufferContents contents;
  // Without quotes, as gpx fmt writes "data.npy", it reads as the name of a finding.
  const bool named = written.kind == Expr::Kind::word || written.kind == Expr::Kind::finding;
  if (named && written.text.find_first_of("./") != std::string::npos) {
    contents.kind = Kind::file;
    contents.file = written.text;
    return contents;
  }
  const bool call = written.kind == Expr::Kind::call;
  const auto known = contents_of(written.text);
  const bool word = (call || written.kind == Expr::Kind::name) && known && *known != Kind::value;
  contents.kind = word ? *known : Kind::value;
  const std::size_t most = contents.kind == Kind::uniform                                       ? 2
                           : contents.kind == Kind::index || contents.kind == Kind::permutation ? 1
                                                                                                : 0;
  const std::size_t given = call && word ? written.args.size() : 0;
  if (word && (given > most || (contents.kind == Kind::uniform && call && given != 2))) {
    context.problems.add(
        written.span, fmt::format("{} does not take {}", written.text, plural(given, "argument")),
        std::string(kContents));
    return std::nullopt;
  }
  if (!word) {
    if (refuse_contents(context, written)) return std::nullopt;
    auto value = checked_value(context, written, "what a buffer holds", false);
    if (!value) return std::nullopt;
    contents.args = {std::move(*value)};
    return contents;
  }
  for (std::size_t i = 0; i < given; ++i) {
    auto value = checked_value(context, written.args[i], "what a buffer holds", false);
    if (!value) return std::nullopt;
    contents.args.push_back(std::move(*value));
  }
  return contents;
}

bool is_call(const Expr& value, std::string_view name) {
  return value.kind == Expr::Kind::call && value.text == name;
}

/// `inf`, `-nan`, `null`: what no number of the language is. Nothing of names that the experiment
/// has.
std::optional<Expr> special_value(CheckContext& context, const Expr& written) {
  const bool minus = written.kind == Expr::Kind::unary && written.op == Expr::Op::neg;
  const Expr& name = minus ? written.args[0] : written;
  if (name.kind != Expr::Kind::name) return std::nullopt;
  if (context.names.axis(name.text) || context.names.parameter(name.text)) return std::nullopt;
  const bool number = name.text == "inf" || name.text == "nan";
  if (!number && (minus || name.text != "null")) return std::nullopt;
  Expr word = written;
  word.kind = Expr::Kind::word;
  word.text = (minus ? "-" : "") + name.text;
  word.args.clear();
  return word;
}

/// What a parameter that is no pointer may be given; which of them fits, its type says later.
std::optional<Expr> checked_scalar(CheckContext& context, const Expr& written,
                                   std::string_view what) {
  if (auto special = special_value(context, written)) return special;
  auto typed = context.names.resolve(written, {true, false}, context.problems);
  if (!typed) return std::nullopt;
  const Type& type = typed->type;
  const bool number = type.kind == Type::Kind::quantity;
  if (!number || type.unit == Unit::none || type.unit == Unit::byte) return std::move(typed->expr);
  context.problems.add(written.span,
                       fmt::format("{} must be a plain number, this is {}", what, phrase(type)));
  return std::nullopt;
}

/// `buffer(4MB, hash)`
bool read_buffer(CheckContext& context, const Expr& value, KernelArgument& argument) {
  if (value.args.empty() || value.args.size() > 2) {
    context.problems.add(value.span, "a buffer has a size and what it holds at first",
                         "such as buffer(4MB, hash)");
    return false;
  }
  auto bytes = checked_number(context, value.args[0], rules::buffer_bytes);
  argument.form = KernelArgument::Form::buffer;
  argument.buffer.emplace();
  if (value.args.size() == 2) {
    auto contents = read_contents(context, value.args[1]);
    if (!contents) return false;
    argument.buffer = std::move(*contents);
    argument.buffer->given = true;
  }
  if (!bytes) return false;
  argument.value = std::move(*bytes);
  return true;
}

/// `(1, 2, 3, 4)`, or behind a type as in `float4(1, 2, 3, 4)`.
bool read_components(CheckContext& context, const Expr& value, KernelArgument& argument) {
  argument.form = KernelArgument::Form::vector;
  if (value.args.empty() || value.args.size() > max_components) {
    context.problems.add(value.span, "a vector has 1 to 4 components", "such as (1, 2, 3, 4)");
    return false;
  }
  for (const Expr& each : value.args) {
    auto component = checked_scalar(context, each, "a component of a vector");
    if (!component) return false;
    argument.fields.push_back({"", std::move(*component), {}, each.span});
  }
  return true;
}

bool read_fields(CheckContext& context, const Expr& value, KernelArgument& argument, int depth);

/// `i32(2000)`, `float2(1, 2)`, a buffer, or a struct.
std::optional<KernelArgument> read_field(CheckContext& context, const Expr& value, int depth) {
  KernelArgument field{{}, {}, {}, value.span};
  const auto done = [&](bool good) {
    return good ? std::optional(std::move(field)) : std::nullopt;
  };
  if (is_call(value, "buffer")) return done(read_buffer(context, value, field));
  if (is_call(value, "struct") && depth < max_nesting)
    return done(read_fields(context, value, field, depth + 1));
  if (auto null = special_value(context, value); null && null->text == "null") {
    field.value = std::move(*null);
    return field;
  }
  const bool typed = value.kind == Expr::Kind::call && !value.args.empty() && !value.text.empty();
  const bool scalar = contains(struct_fields, value.text);
  if (!typed || (scalar && value.args.size() != 1)) {
    context.problems.add(
        value.span, "a member of a struct is given as its type with a value",
        fmt::format("such as i32(2000), float2(1, 2), buffer(4MB, hash), null or a struct; types "
                    "are {}, and vectors",
                    fmt::join(struct_fields, ", ")));
    return std::nullopt;
  }
  field.parameter = value.text;
  if (!scalar) return done(read_components(context, value, field));
  auto number = checked_scalar(context, value.args[0], "a member of a struct");
  if (!number) return std::nullopt;
  field.value = std::move(*number);
  return field;
}

bool read_fields(CheckContext& context, const Expr& value, KernelArgument& argument, int depth) {
  argument.form = KernelArgument::Form::structure;
  if (value.args.empty() || value.args.size() > max_parameters) {
    context.problems.add(value.span, "a struct has 1 to 256 members",
                         "such as struct(i32(2000), f32(0.5))");
    return false;
  }
  for (const Expr& each : value.args) {
    auto field = read_field(context, each, depth);
    if (!field) return false;
    argument.fields.push_back(std::move(*field));
  }
  return true;
}

std::optional<KernelArgument> read_kernel_argument(CheckContext& context,
                                                   const ast::Argument& from) {
  KernelArgument argument{from.name.text, {}, {}, {from.name.span.begin, from.value.span.end}};
  const Expr& value = from.value;
  bool good = false;
  if (is_call(value, "buffer")) {
    good = read_buffer(context, value, argument);
  } else if (is_call(value, "struct")) {
    good = read_fields(context, value, argument, 0);
  } else if (is_call(value, "")) {
    good = read_components(context, value, argument);
  } else if (auto scalar = checked_scalar(context, value, "an argument")) {
    argument.value = std::move(*scalar);
    good = true;
  }
  return good ? std::optional(std::move(argument)) : std::nullopt;
}

/// `UNROLL = u`: a number, true or false, or a word.
std::optional<KernelDefine> read_define(CheckContext& context, const ast::Argument& from,
                                        const std::vector<KernelDefine>& before) {
  if (contains(before, from.name.text, &KernelDefine::name)) {
    context.problems.add(from.name.span, fmt::format("a second macro '{}'", from.name.text));
    return std::nullopt;
  }
  auto typed = context.names.resolve(from.value, {true, false}, context.problems);
  if (!typed) return std::nullopt;
  const bool number = typed->type.kind != Type::Kind::quantity || typed->type.unit == Unit::none ||
                      typed->type.unit == Unit::byte;
  if (number) return KernelDefine{from.name.text, std::move(typed->expr)};
  context.problems.add(
      from.value.span,
      fmt::format("a macro is a plain number, bytes or a word, this is {}", phrase(typed->type)));
  return std::nullopt;
}

bool check_kernel_name(CheckContext& context, const ast::Ident& name) {
  if (!check_free(name, context.names, context.problems)) return false;
  for (const UserKernel& other : context.experiment.kernels) {
    if (other.name != name.text) continue;
    context.problems.add(name.span, fmt::format("a second kernel '{}'", name.text));
    return false;
  }
  return true;
}

std::optional<UserKernel> read_kernel(CheckContext& context, const ast::Kernel& from, Span span) {
  UserKernel kernel{
      from.name.text, from.file.text, from.entry.text, {}, from.file.span, from.entry.span, span};
  bool good = check_kernel_name(context, from.name);
  if (kernel.file.empty()) {
    context.problems.add(from.file.span, "the path of the kernel is empty");
    good = false;
  }
  if (from.args.size() > max_parameters) {
    context.problems.add(from.entry.span, "more than 256 arguments");
    return std::nullopt;
  }
  for (const ast::Argument& each : from.defines) {
    auto define = read_define(context, each, kernel.defines);
    good = good && define;
    if (define) kernel.defines.push_back(std::move(*define));
  }
  std::set<std::string> seen;
  for (const ast::Argument& each : from.args) {
    auto argument = read_kernel_argument(context, each);
    if (!seen.insert(each.name.text).second) {
      context.problems.add(each.name.span, fmt::format("a second argument '{}'", each.name.text));
      good = false;
    }
    good = good && argument;
    if (argument) kernel.arguments.push_back(std::move(*argument));
  }
  return good ? std::optional(std::move(kernel)) : std::nullopt;
}

/// The kernel and the buffer that `buffer(k.out)` names; the kernel may be left out where one has
/// such a buffer.
std::optional<ResultOf> read_result(CheckContext& context, const ast::ResultOf& from) {
  if (context.block.broken) return std::nullopt;
  std::vector<std::string> kernels, buffers;
  std::vector<ResultOf> found;
  for (const UserKernel& kernel : context.experiment.kernels) {
    kernels.push_back(kernel.name);
    if (from.kernel && kernel.name != from.kernel->text) continue;
    for (const KernelArgument& argument : kernel.arguments) {
      if (argument.form != KernelArgument::Form::buffer) continue;
      buffers.push_back(argument.parameter);
      if (argument.parameter == from.buffer.text)
        found.push_back({kernel.name, argument.parameter});
    }
  }
  if (found.size() == 1) return found.front();
  const auto wrong = [&](Span span, std::string message, std::string hint) -> std::nullopt_t {
    if (!from.kernel || !context.names.is_poisoned(from.kernel->text))
      context.problems.add(span, std::move(message), std::move(hint));
    return std::nullopt;
  };
  if (kernels.empty())
    return wrong(from.span, "results are those of a kernel from a file: there is none here",
                 "kernel k from \"k.cu\" entry FUNCTION(out = buffer(4MB))");
  if (from.kernel && !contains(kernels, from.kernel->text))
    return wrong(from.kernel->span, fmt::format("no kernel is named '{}'", from.kernel->text),
                 suggest(from.kernel->text, kernels, "kernels"));
  if (found.empty())
    return wrong(from.buffer.span, fmt::format("no buffer is given to '{}'", from.buffer.text),
                 suggest(from.buffer.text, buffers, "buffers"));
  return wrong(from.span, fmt::format("several kernels have a buffer '{}'", from.buffer.text),
               fmt::format("such as {}({}.{})", from.what.text, kernels.front(), from.buffer.text));
}

std::size_t runs_of(const Experiment& experiment, const std::string& kernel) {
  return static_cast<std::size_t>(std::ranges::count_if(
      experiment.measures,
      [&](const Measure& measure) { return measure.run() && measure.run()->kernel == kernel; }));
}

bool check_runs(CheckContext& context, const ast::ResultOf& from, const ResultOf& result,
                std::size_t most) {
  const std::size_t runs = runs_of(context.experiment, result.kernel);
  if (runs >= 1 && runs <= most) return true;
  context.problems.add(from.span,
                       runs == 0
                           ? fmt::format("nothing runs the kernel '{}'", result.kernel)
                           : fmt::format("{} measures run '{}': a reference is the result of one",
                                         runs, result.kernel),
                       fmt::format("measure NAME {{ < run {} > }}", result.kernel));
  return false;
}

/// Of a constant; nothing where it is wrong, which then has been said.
std::optional<Quantity> plain_constant(CheckContext& context, const Expr& written,
                                       std::string_view what) {
  const auto value = context.names.constant(written, context.problems);
  if (!value) return std::nullopt;
  const auto* number = std::get_if<Quantity>(&*value);
  if (number && number->unit == Unit::none && number->value >= 0) return *number;
  context.problems.add(written.span, fmt::format("{} is a plain number, at least 0", what));
  return std::nullopt;
}

bool read_reference(CheckContext& context, const ast::ResultCheck& from, ResultExpect& out) {
  const bool sum = from.result.what.text == "checksum";
  if (sum && !from.value) {
    context.problems.add(from.result.span, "a checksum is compared with a number",
                         "such as checksum(out) == 0x9a3f52d17c0be468");
    return false;
  }
  if (sum && from.within) {
    context.problems.add(from.within->span, "a checksum is the same or not: it has no tolerance");
    return false;
  }
  if (sum) {
    out.with = ResultExpect::With::checksum;
    const auto value = plain_constant(context, *from.value, "a checksum");
    const auto whole = value ? integer_of(*value) : std::nullopt;
    if (value && (!whole || *whole >= Int128{1} << 64))
      context.problems.add(from.value->span, "a checksum is a whole number of 64 bits");
    if (!whole || *whole >= Int128{1} << 64) return false;
    out.checksum = static_cast<std::uint64_t>(*whole);
    return true;
  }
  if (from.file) {
    out.file = from.file->text;
    return true;
  }
  if (from.value) {
    out.with = ResultExpect::With::value;
    const auto value = context.names.constant(*from.value, context.problems);
    const auto* number = value ? std::get_if<Quantity>(&*value) : nullptr;
    if (value && (!number || number->unit != Unit::none))
      context.problems.add(from.value->span, "all elements of a buffer are compared with a number",
                           "or with a file such as \"reference.npy\", or buffer(ref.out)");
    if (!number || number->unit != Unit::none) return false;
    out.value = *number;
    return true;
  }
  if (from.other->what.text == "checksum") {
    context.problems.add(from.other->span,
                         "a buffer is compared with a file, another buffer or a number");
    return false;
  }
  out.with = ResultExpect::With::buffer;
  auto other = read_result(context, *from.other);
  if (!other || !check_runs(context, *from.other, *other, 1)) return false;
  out.other = std::move(*other);
  return true;
}

const ast::Timed* find_run(const ast::Body& body) {
  for (const ast::Timed& one : body.statements) {
    const ast::Timed* found = std::holds_alternative<ast::Run>(one.node) ? &one : nullptr;
    if (const auto* loop = std::get_if<ast::While>(&one.node)) found = find_run(loop->body);
    if (const auto* diverge = std::get_if<ast::Diverge>(&one.node)) found = find_run(diverge->body);
    if (const auto* when = std::get_if<ast::When>(&one.node)) {
      found = find_run(when->then);
      if (!found && when->otherwise) found = find_run(*when->otherwise);
    }
    if (found) return found;
  }
  return nullptr;
}

}  // namespace

void check_result(CheckContext& context, const ast::ResultCheck& from, std::string text) {
  auto result = read_result(context, from.result);
  if (!result) return;
  ResultExpect out{std::move(*result)};
  if (!read_reference(context, from, out)) return;
  if (!check_runs(context, from.result, out.result, context.experiment.measures.size())) return;
  if (from.within) {
    const auto within = plain_constant(context, *from.within, "a tolerance");
    if (!within) return;
    out.within = within->value;
  }
  out.text = std::move(text);
  context.experiment.result_expects.push_back(std::move(out));
}

void check_kernels(CheckContext& context) {
  for (const auto& [statement, node] : statements_of<ast::Kernel>(context.block.statements)) {
    if (auto kernel = read_kernel(context, *node, statement->span))
      context.experiment.kernels.push_back(std::move(*kernel));
    else
      context.names.poison(node->name.text);
  }
}

void check_run(CheckContext& context, const ast::Region& region) {
  Measure& measure = context.measure();
  const ast::Timed* run = find_run(region.body);
  if (!run) {
    const char* only = "the region runs it: < run NAME >";
    for (const std::optional<Expr>* down : {&measure.threads_down, &measure.blocks_down})
      if (*down)
        context.problems.add((*down)->span, "several extents need a kernel from a file", only);
    if (measure.shared_bytes)
      context.problems.add(measure.shared_bytes->span, "'shared_bytes' needs a kernel from a file",
                           only);
    return;
  }
  if (region.body.statements.size() != 1 || run != &region.body.statements.front())
    context.problems.add(run->span, "'run' must be the only statement of its region");
  if (!clause<ast::Observe>(context, "'observe'")) measure.observe = Observe::time;
  if (traits_of(measure.observe).clocked)
    context.problems.add(run->span,
                         fmt::format("'run' observes the time of the grid, but the clause is "
                                     "'observe {}'",
                                     to_string(measure.observe)));
  for (const SharedVariable& variable : measure.shared)
    context.problems.add(variable.span, "a kernel from a file has its own shared variables",
                         "its dynamic shared memory is 'shared_bytes'");
}

}  // namespace gpx
