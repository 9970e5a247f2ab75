// Kernels from a file: their arguments, and what may stand beside `run`. Whether the file has the
// function, and the function the parameters, is seen when it is compiled.
// Interface: check_context.h; covered by tests/lang/check_test.cpp and the goldens.
#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "lang/check_context.h"
#include "lang/observe.h"
#include "lang/vocabulary.h"

namespace gpx {
namespace {

constexpr std::size_t max_parameters = 256;
constexpr std::string_view struct_fields[] = {"i8",  "u8",  "i16", "u16", "i32",
                                              "u32", "i64", "u64", "f32", "f64"};

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
  if (std::ranges::find(values, written.text) != values.end()) return false;
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
        written.span,
        fmt::format("{} does not take {} argument{}", written.text, given, given == 1 ? "" : "s"),
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

/// `buffer(4MB, hash)`
bool read_buffer(CheckContext& context, const Expr& value, KernelArgument& argument) {
  if (value.args.empty() || value.args.size() > 2) {
    context.problems.add(value.span, "a buffer has a size and what it holds at first",
                         "such as buffer(4MB, hash)");
    return false;
  }
  auto bytes = checked_number(context, value.args[0], rules::buffer_bytes);
  argument.buffer.emplace();
  if (value.args.size() == 2) {
    auto contents = read_contents(context, value.args[1]);
    if (!contents) return false;
    argument.buffer = std::move(*contents);
  }
  if (!bytes) return false;
  argument.value = std::move(*bytes);
  return true;
}

/// `i32(2000)`, or a buffer.
std::optional<KernelArgument> read_field(CheckContext& context, const Expr& value) {
  KernelArgument field{{}, {}, {}, value.span};
  if (is_call(value, "buffer"))
    return read_buffer(context, value, field) ? std::optional(std::move(field)) : std::nullopt;
  const bool typed = value.kind == Expr::Kind::call && value.args.size() == 1;
  const auto known = std::ranges::find(struct_fields, value.text);
  if (!typed || known == std::end(struct_fields)) {
    context.problems.add(value.span, "a member of a struct is given as its type with a value",
                         fmt::format("such as i32(2000) or buffer(4MB, hash); types are {}",
                                     fmt::join(struct_fields, ", ")));
    return std::nullopt;
  }
  auto number = checked_value(context, value.args[0], "a member of a struct", true);
  if (!number) return std::nullopt;
  field.parameter = value.text;
  field.value = std::move(*number);
  return field;
}

bool read_fields(CheckContext& context, const Expr& value, KernelArgument& argument) {
  if (value.args.empty() || value.args.size() > max_parameters) {
    context.problems.add(value.span, "a struct has 1 to 256 members",
                         "such as struct(i32(2000), f32(0.5))");
    return false;
  }
  for (const Expr& each : value.args) {
    auto field = read_field(context, each);
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
    good = read_fields(context, value, argument);
  } else if (auto scalar = checked_value(context, value, "an argument", true)) {
    argument.value = std::move(*scalar);
    good = true;
  }
  return good ? std::optional(std::move(argument)) : std::nullopt;
}

/// `UNROLL = u`: a number, true or false, or a word.
std::optional<KernelDefine> read_define(CheckContext& context, const ast::Argument& from,
                                        const std::vector<KernelDefine>& before) {
  if (std::ranges::find(before, from.name.text, &KernelDefine::name) != before.end()) {
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
    const char* only = "only of a region that runs a kernel from a file: < run NAME >";
    for (const std::optional<Expr>* down : {&measure.threads_down, &measure.blocks_down})
      if (*down) context.problems.add((*down)->span, "two extents stand here", only);
    if (measure.shared_bytes)
      context.problems.add(measure.shared_bytes->span, "'shared_bytes' stands here", only);
    return;
  }
  if (region.body.statements.size() != 1 || run != &region.body.statements.front())
    context.problems.add(run->span, "'run' is all of its region: nothing can stand beside it");
  if (!clause<ast::Observe>(context, "'observe'")) measure.observe = Observe::time;
  if (traits_of(measure.observe).clocked)
    context.problems.add(run->span,
                         fmt::format("'run' observes the time of the grid, but the clause says "
                                     "'observe {}'",
                                     to_string(measure.observe)));
  for (const SharedVariable& variable : measure.shared)
    context.problems.add(variable.span, "a kernel from a file has its own shared variables",
                         "its dynamic shared memory is 'shared_bytes'");
}

}  // namespace gpx
