// A measure that runs a kernel from a file, lowered to launches. Interface:
// codegen/user/user_kernel.h. Covered by tests/codegen/user_kernel_test.cpp.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <filesystem>

#include "codegen/lower/context.h"
#include "codegen/user/contents.h"
#include "codegen/user/user_kernel.h"
#include "lang/lists.h"
#include "lang/vocabulary.h"

namespace gpx::codegen {
namespace {

constexpr std::uint64_t kMostDown = 65535;  // Blocks of a grid's second and third extents.
constexpr std::uint64_t kMostThreadsDeep = 64;

using ParameterKind = KernelParameter::Kind;
using Form = KernelArgument::Form;

/// As C++ reads it: "8", "(-1)", "0.5", "1" for true, a word as it is.
std::string macro_text(const Value& value) {
  if (const auto* word = std::get_if<std::string>(&value)) return *word;
  if (const auto* truth = std::get_if<bool>(&value)) return *truth ? "1" : "0";
  const double number = std::get<Quantity>(value).value;
  const bool whole = number == std::floor(number) && std::abs(number) < 1e18;
  const std::string text = whole ? fmt::format("{:.0f}", number) : fmt::format("{}", number);
  return number < 0 ? "(" + text + ")" : text;
}

class UserLowering {
 public:
  UserLowering(const Experiment& experiment, const Measure& measure, const UserKernel& kernel,
               const KernelEntry& entry, const Source& source, const Limits& limits)
      : context_(experiment, measure, source, limits),
        measure_(measure),
        kernel_(kernel),
        entry_(entry) {}

  Result<Program> run() {
    match();
    if (!context_.failed()) walk();
    if (!context_.failed()) check_memory();
    if (context_.failed()) return tl::unexpected<Error>(std::move(context_.error));
    program_.repetitions = context_.experiment.repeat;
    program_.until_percent = context_.experiment.until_percent;
    program_.outcomes = measure_.has_outcomes();
    program_.may_hang = measure_.watchdog.has_value();
    program_.user = true;
    return std::move(program_);
  }

 private:
  /// A part of an argument: all of it, or a member of a struct.
  struct BoundPart {
    KernelParameter type;  ///< Of a parameter; of a member: what it is given as.
    const KernelArgument* given;
    std::int32_t buffer = -1;
    std::uint32_t offset = 0;
  };
  using Bound = std::vector<BoundPart>;  ///< An argument.

  // ---- arguments and parameters -----------------------------------------------------------

  void match() {
    std::vector<std::string> names;
    for (const KernelParameter& parameter : entry_.parameters) {
      names.push_back(parameter.name);
      names.push_back(by_place(names.size() / 2));
    }
    for (const KernelArgument& argument : kernel_.arguments) {
      if (contains(names, argument.parameter)) continue;
      const auto near = nearest(argument.parameter, names);
      context_.blame(argument.span,
                     fmt::format("'{}' has no parameter '{}'", entry_.name, argument.parameter),
                     near ? fmt::format("did you mean '{}'?", *near) : "it takes " + signature());
    }
    for (std::size_t i = 0; i < entry_.parameters.size(); ++i) bind(entry_.parameters[i], i);
    if (entry_.dynamic_shared.empty() || measure_.shared_bytes) return;
    context_.blame(kernel_.entry_span,
                   fmt::format("'{}' uses extern __shared__ memory ('{}'), whose size is "
                               "not given",
                               entry_.name, entry_.dynamic_shared),
                   "write shared_bytes 16KB, or 0B where it is not used; for gpx predict "
                   "--shared 16KB");
  }

  std::string signature() const {
    std::vector<std::string> parts;
    for (const KernelParameter& p : entry_.parameters) parts.push_back(p.type + " " + p.name);
    return parts.empty() ? "none" : fmt::format("{}", fmt::join(parts, ", "));
  }

  /// What any parameter can be called.
  static std::string by_place(std::size_t index) { return fmt::format("param_{}", index); }

  void bind(const KernelParameter& parameter, std::size_t index) {
    const auto found = std::ranges::find_if(kernel_.arguments, [&](const KernelArgument& each) {
      return each.parameter == parameter.name || each.parameter == by_place(index);
    });
    if (found == kernel_.arguments.end()) {
      context_.blame(kernel_.entry_span,
                     fmt::format("'{}' takes '{} {}': no argument gives it", entry_.name,
                                 parameter.type, parameter.name),
                     "it takes " + signature());
      return;
    }
    const bool unknown = parameter.bytes == 8 && parameter.type.starts_with('.');
    const bool pointer =
        parameter.kind == ParameterKind::pointer || (unknown && found->form == Form::buffer);
    const Form wanted = pointer                                         ? Form::buffer
                        : parameter.value && parameter.value->lanes > 1 ? Form::vector
                        : parameter.value                               ? Form::scalar
                                                                        : Form::structure;
    const bool null = pointer && found->form == Form::scalar && is_null(found->value);
    if (!null && found->form != wanted) return misfit_form(parameter, *found, wanted);
    if (wanted == Form::structure) return bind_members(parameter, *found);
    Bound bound;
    if (wanted == Form::vector) {
      if (!add_lanes(parameter, *found, 0, bound)) return;
    } else {
      bound = {{parameter, &*found, found->buffer ? new_buffer(parameter) : -1}};
    }
    bound_.push_back(std::move(bound));
  }

  static bool is_null(const Expr& value) {
    return value.kind == Expr::Kind::word && value.text == "null";
  }

  /// What was given is of another form than the parameter.
  void misfit_form(const KernelParameter& parameter, const KernelArgument& given, Form wanted) {
    const auto blame = [&](std::string message, std::string hint = {}) {
      context_.blame(given.span, std::move(message), std::move(hint));
    };
    const std::string &name = parameter.name, &type = parameter.type;
    if (wanted == Form::structure && type.starts_with('.'))
      return blame(fmt::format("'{}' has {} bytes of an unknown type", name, parameter.bytes),
                   fmt::format("give its type, or its members in their order, such as {} = "
                               "struct(f32(0.5))",
                               name));
    if (wanted == Form::structure)
      return blame(
          fmt::format("'{}' is a struct of {} bytes ({})", name, parameter.bytes, type),
          fmt::format("give its members in their order, such as {} = struct(i32(2000), f32(0.5))",
                      name));
    if (given.form == Form::structure)
      return blame(fmt::format("'{}' is no struct ({})", name, type));
    if (wanted == Form::vector)
      return blame(
          fmt::format("'{}' is {}: it takes {} numbers", name, type, parameter.value->lanes),
          fmt::format("such as {} = {}", name, example_of(*parameter.value)));
    if (wanted == Form::buffer)
      return blame(fmt::format("'{}' is a pointer ({}): it needs a buffer", name, type),
                   fmt::format("such as {0} = buffer(4MB, hash), or {0} = null", name));
    blame(fmt::format("'{}' is no {} ({}): it needs a number", name,
                      given.form == Form::buffer ? "pointer" : "vector", type));
  }

  static std::string example_of(const ValueType& type) {
    std::string text = "(1";
    for (std::uint32_t lane = 1; lane < type.lanes; ++lane) text += fmt::format(", {}", lane + 1);
    return text + ")";
  }

  /// The components of a vector; false where they are too few or too many.
  bool add_lanes(const KernelParameter& vector, const KernelArgument& given, std::uint32_t offset,
                 Bound& bound) {
    const ValueType& type = *vector.value;
    if (given.fields.size() != type.lanes) {
      context_.blame(given.span,
                     fmt::format("'{}' is {}: it takes {} numbers, not {}", vector.name,
                                 vector.type, type.lanes, given.fields.size()),
                     fmt::format("such as {}", example_of(type)));
      return false;
    }
    KernelParameter lane = vector;
    lane.value->lanes = 1;
    lane.bytes = bytes_of(type.element);
    lane.kind = is_real(type.element) ? ParameterKind::real : ParameterKind::integer;
    for (std::uint32_t i = 0; i < type.lanes; ++i) {
      lane.name = fmt::format("{}.{}", vector.name, "xyzw"[i]);
      bound.push_back({lane, &given.fields[i], -1, offset + i * lane.bytes});
    }
    return true;
  }

  std::int32_t new_buffer(const KernelParameter& parameter) {
    Buffer buffer{parameter.name, 0, true};
    buffer.has_fill = true;
    buffer.typed = parameter.element.has_value();
    buffer.is_signed = parameter.is_signed;
    program_.buffers.push_back(std::move(buffer));
    return static_cast<std::int32_t>(program_.buffers.size() - 1);
  }

  /// Where the members of a struct lie, as C++ lays them out: each at the next multiple of its
  /// alignment.
  struct Layout {
    std::uint32_t end = 0, align = 1;
    std::uint32_t place(std::uint32_t of_member) {
      align = std::max(align, of_member);
      return end = (end + of_member - 1) / of_member * of_member;
    }
    std::uint32_t size() const { return (end + align - 1) / align * align; }
  };

  static std::uint32_t align_of(const KernelArgument& field) {
    std::uint32_t align = 1;
    for (const KernelArgument& inner : field.fields)
      if (field.form == Form::structure) align = std::max(align, align_of(inner));
    if (field.form == Form::structure) return align;
    const auto type = value_type(field.parameter);
    return type ? type->align : 8;  // a pointer
  }

  void bind_members(const KernelParameter& parameter, const KernelArgument& argument) {
    Bound bound;
    Layout layout;
    if (!add_members(parameter, argument, 0, layout, bound)) return;
    if (layout.size() == parameter.bytes) {
      check_members(parameter.declared, bound);
      bound_.push_back(std::move(bound));
      return;
    }
    context_.blame(argument.span,
                   fmt::format("'{}' is a struct of {} bytes ({}), these members make {}",
                               parameter.name, parameter.bytes, parameter.type, layout.size()),
                   "one for each member, in their order; an array has one for each element");
  }

  /// `begin`: where the struct begins within the argument.
  bool add_members(const KernelParameter& parent, const KernelArgument& argument,
                   std::uint32_t begin, Layout& layout, Bound& bound) {
    std::size_t index = 0;
    for (const KernelArgument& field : argument.fields) {
      const std::uint32_t at = begin + layout.place(align_of(field));
      KernelParameter member{fmt::format("{}.{}", parent.name, index++), field.parameter};
      if (field.form == Form::structure) {
        Layout inner;
        if (!add_members(member, field, at, inner, bound)) return false;
        layout.end += inner.size();
        continue;
      }
      if (!add_member(parent, field, at, member, bound)) return false;
      layout.end += member.bytes;
    }
    return true;
  }

  /// A number, a vector or a pointer; sets the size of `member`.
  bool add_member(const KernelParameter& parent, const KernelArgument& field, std::uint32_t at,
                  KernelParameter& member, Bound& bound) {
    member.value = value_type(field.parameter);
    if (!field.parameter.empty() && !member.value) {
      context_.blame(field.span, fmt::format("'{}' is no type of a member", field.parameter),
                     "types are i8, u8, i16, u16, i32, u32, i64, u64, f16, bf16, f32, f64, bool, "
                     "char, and CUDA's vectors such as float4");
      return false;
    }
    if (!member.value) {
      member.type = "a pointer";
      member.kind = ParameterKind::pointer;
      member.bytes = 8;
      member.is_signed = false;
      read_pointer(parent.declared, at, member);
      bound.push_back({member, &field, field.buffer ? new_buffer(member) : -1, at});
      return true;
    }
    member.bytes = member.value->bytes();
    if (field.form == Form::vector) return add_lanes(member, field, at, bound);
    if (member.value->lanes > 1) {
      misfit_form(member, field, Form::vector);
      return false;
    }
    member.kind = is_real(member.value->element) ? ParameterKind::real : ParameterKind::integer;
    member.is_signed = member.value->is_signed;
    bound.push_back({member, &field, -1, at});
    return true;
  }

  /// What the file says of the struct's pointer at `offset`.
  static void read_pointer(const DeclaredStruct& declared, std::uint32_t offset,
                           KernelParameter& member) {
    const auto found = std::ranges::find(declared.members, offset, &StructMember::offset);
    if (found == declared.members.end() || found->kind != StructMember::Kind::pointer) return;
    member.type = found->text.substr(0, found->text.rfind('*') + 1);
    member.element = element_of(member.type);
  }

  void check_members(const DeclaredStruct& declared, const Bound& bound) {
    for (const auto& [type, given, buffer, offset] : bound) {
      auto kind = StructMember::Kind::integer;
      if (type.kind == ParameterKind::real) kind = StructMember::Kind::real;
      if (type.kind == ParameterKind::pointer) kind = StructMember::Kind::pointer;
      if (const auto* meant = misfit(declared, {"", kind, type.bytes, offset}))
        return context_.blame(given->span,
                              fmt::format("'{}' is given as {} where the struct has '{}'",
                                          type.name, type.type, meant->text),
                              declared.text);
    }
  }

  // ---- the walk over the points -----------------------------------------------------------

  void walk() {
    const std::uint64_t points = context_.experiment.sweep.points();
    program_.launches.reserve(points);
    for (std::uint64_t p = 0; p < points && !context_.failed(); ++p, context_.at.next()) point();
  }

  void point() {
    Launch launch;
    set_extents(context_, launch);
    set_options(context_, launch);
    further_extents(launch);
    if (measure_.shared_bytes)
      launch.shared_bytes = context_.whole(*measure_.shared_bytes, rules::shared_bytes);
    launch.kernel = kernel_of(registers_at(context_), defines(), launch);
    launch.fills.resize(program_.buffers.size());
    launch.sampled = true;
    for (const Bound& bound : bound_) {
      Argument& argument = launch.arguments.emplace_back();
      for (const BoundPart& each : bound) argument.parts.push_back(part(each, launch));
    }
    program_.launches.push_back(std::move(launch));
  }

  void further_extents(Launch& launch) {
    const std::uint64_t most = context_.limits.threads_per_block;
    const auto extent = [&](const std::optional<Expr>& from, const NumberRule& rule,
                            const char* what, std::uint64_t bound, std::uint32_t& to) {
      if (from) to = context_.limited(*from, rule, what, bound);
    };
    const char* const threads = "threads in a block";
    extent(measure_.threads_down, rules::threads, threads, most, launch.threads_down);
    extent(measure_.threads_deep, rules::threads, "threads in the third extent of a block",
           kMostThreadsDeep, launch.threads_deep);
    extent(measure_.blocks_down, rules::blocks, "blocks in the second extent of a grid", kMostDown,
           launch.blocks_down);
    extent(measure_.blocks_deep, rules::blocks, "blocks in the third extent of a grid", kMostDown,
           launch.blocks_deep);
    if (launch.all_threads() <= most) return;
    const std::string deep =
        launch.threads_deep > 1 ? fmt::format(" x {}", launch.threads_deep) : std::string();
    context_.blame(context_.of(measure_.threads).span(),
                   fmt::format("{} x {}{} threads in a block: the device has {}", launch.threads,
                               launch.threads_down, deep, most));
  }

  std::vector<std::string> defines() {
    std::vector<std::string> made;
    for (const KernelDefine& define : kernel_.defines)
      if (const Value* value = context_.value(define.value))
        made.push_back(define.name + " " + macro_text(*value));
    return made;
  }

  std::uint32_t kernel_of(std::uint32_t registers, std::vector<std::string> defines,
                          const Launch& launch) {
    auto& kernels = program_.kernels;
    auto found = std::ranges::find_if(kernels, [&](const Kernel& each) {
      return each.exact_registers == registers && each.defines == defines;
    });
    if (found == kernels.end()) {
      Kernel made;
      made.name = entry_.symbol;
      made.threads = 1;
      made.observe = Observe::time;
      made.exact_registers = registers;
      made.defines = std::move(defines);
      found = kernels.insert(kernels.end(), std::move(made));
    }
    found->threads = std::max(found->threads, static_cast<std::uint32_t>(launch.all_threads()));
    return static_cast<std::uint32_t>(found - kernels.begin());
  }

  // ---- one argument at one point ----------------------------------------------------------

  Argument::Part part(const BoundPart& bound, Launch& launch) {
    const KernelParameter& parameter = bound.type;
    Argument::Part out{bound.buffer, parameter.bytes, 0, bound.offset};
    if (bound.buffer >= 0) {
      fill(bound, launch);
      return out;
    }
    if (parameter.kind == ParameterKind::pointer) return out;  // null
    const Value* given = context_.value(bound.given->value);
    if (!given) return out;
    ValueType type = *parameter.value;
    const auto* number = std::get_if<Quantity>(given);
    if (parameter.any_sign) type.is_signed = number && number->value < 0;
    if (const auto bits = value_bits(type, *given, parameter.enumerators))
      out.bits = *bits;
    else
      context_.blame(bound.given->span,
                     fmt::format("'{}' is {}: that is no value of its type {}, {}", parameter.name,
                                 gpx::to_string(*given), parameter.type, bits.error()));
    return out;
  }

  void fill(const BoundPart& bound, Launch& launch) {
    const std::uint64_t bytes = context_.whole(bound.given->value, rules::buffer_bytes);
    Buffer& buffer = program_.buffers[static_cast<std::size_t>(bound.buffer)];
    buffer.bytes = std::max(buffer.bytes, bytes);
    BufferFill& fill = launch.fills[static_cast<std::size_t>(bound.buffer)];
    fill = {bound.given->buffer->kind, bound.type.element.value_or(Element::i32), bytes, 0, 0};
    if (fill.kind == BufferContents::Kind::index) fill.first = 1;
    if (fill.kind == BufferContents::Kind::uniform) fill.second = 1;
    const std::vector<Expr>& contents = bound.given->buffer->args;
    if (!contents.empty()) {
      const Quantity first = quantity(contents[0]);
      fill.first = first.value;
      fill.rest = first.rest;
    }
    if (contents.size() > 1) fill.second = quantity(contents[1]).value;
    if (fill.kind == BufferContents::Kind::permutation) check_permutation(bound, fill);
    if (!is_real(fill.element)) check_integers(bound, fill);
    if (fill.kind == BufferContents::Kind::file) read_file(bound, fill);
  }

  /// The elements must hold indices of all of them.
  void check_permutation(const BoundPart& bound, const BufferFill& fill) {
    const std::uint64_t width = bytes_of(fill.element), count = fill.bytes / width;
    if (!is_real(fill.element) && (width >= 8 || count <= std::uint64_t{1} << (8 * width))) return;
    context_.blame(bound.given->span,
                   fmt::format("'{}' is a {}: its elements cannot hold the indices of {} elements",
                               bound.type.name, bound.type.type, count),
                   "a permutation needs integers, such as unsigned*");
  }

  /// Numbers that are meant as floating point are no zeros: elements that gpx does not know count
  /// as integers.
  void check_integers(const BoundPart& bound, const BufferFill& fill) {
    using Contents = BufferContents::Kind;
    const bool known = bound.type.element.has_value();
    const bool uniform = fill.kind == Contents::uniform;
    const bool fraction = fill.first != std::floor(fill.first);
    if (!known && (uniform || fraction))
      return context_.blame(
          bound.given->span,
          fmt::format("'{}' is {}: its elements are of unknown type and count as 32-bit integers",
                      bound.type.name, bound.type.type),
          "uniform and fractional numbers need a type such as float* or __half*; a file such as "
          "\"data.raw\" has the bytes of any type");
    if (fill.kind == Contents::value && fraction)
      context_.blame(bound.given->span, fmt::format("'{}' is {}: its elements cannot be {}",
                                                    bound.type.name, bound.type.type, fill.first));
    const auto whole = integer_of({fill.first, Unit::none, fill.rest});
    if (fill.kind == Contents::value && !fraction &&
        (!whole || (!holds(fill.element, true, *whole) && !holds(fill.element, false, *whole))))
      context_.blame(
          bound.given->span,
          fmt::format("'{}' is {}: its elements cannot be {}, they hold {}", bound.type.name,
                      bound.type.type, gpx::to_string(Quantity{fill.first, Unit::none, fill.rest}),
                      range_text(fill.element, bound.type.is_signed)));
    const auto written = [](const Expr& each) { return each.kind == Expr::Kind::quantity; };
    const bool one = std::floor(fill.first) >= std::ceil(fill.second) - 1;
    if (uniform && one && std::ranges::all_of(bound.given->buffer->args, written))
      context_.blame(
          bound.given->span,
          fmt::format("'{}' is {}: from {} to {} its elements are all {}", bound.type.name,
                      bound.type.type, fill.first, fill.second, std::floor(fill.first)),
          "such as uniform(0, 100): integers from 0 to 99");
  }

  void read_file(const BoundPart& bound, BufferFill& fill) {
    constexpr std::uint64_t kMostOfSweep = std::uint64_t{1} << 30;
    const BufferContents& contents = *bound.given->buffer;
    file_bytes_ += fill.bytes;
    const std::filesystem::path folder =
        std::filesystem::path(context_.source.name()).parent_path();
    tl::expected<std::vector<std::uint64_t>, std::string> words =
        tl::unexpected(std::string("the points of the sweep ask for more than 1 GB"));
    if (file_bytes_ <= kMostOfSweep)
      words = file_words((folder / contents.file).string(), fill.bytes, fill.element);
    if (words)
      fill.words = std::move(*words);
    else
      context_.blame(
          bound.given->span,
          fmt::format("'{}' cannot be what '{}' ({}) holds: {}", contents.file, bound.type.name,
                      bound.type.type, words.error()),
          bound.type.element
              ? ""
              : "its elements are of unknown type and count as 32-bit integers; a file whose "
                "name does not end in .npy gives its bytes as they are");
  }

  Quantity quantity(const Expr& expr) {
    const Value* value = context_.value(expr);
    return value ? std::get<Quantity>(*value) : Quantity{};
  }

  void check_memory() {
    std::uint64_t total = 0;
    for (const Buffer& buffer : program_.buffers) total += buffer.bytes;
    if (context_.limits.memory_bytes == 0 || total <= context_.limits.memory_bytes) return;
    context_.blame(kernel_.span,
                   fmt::format("the buffers need {} bytes of memory: the device has {}", total,
                               context_.limits.memory_bytes));
  }

  std::uint64_t file_bytes_ = 0;  ///< Read so far, over all points.
  LowerContext context_;
  const Measure& measure_;
  const UserKernel& kernel_;
  const KernelEntry& entry_;
  std::vector<Bound> bound_;
  Program program_;
};

}  // namespace

std::vector<std::string> defines_of(const UserKernel& kernel, const Scope& scope) {
  std::vector<std::string> made;
  for (const KernelDefine& define : kernel.defines)
    if (const auto value = evaluate(define.value, scope))
      made.push_back(define.name + " " + macro_text(*value));
  return made;
}

std::size_t Argument::bytes() const {
  std::size_t end = 0;
  for (const Part& part : parts) end = std::max<std::size_t>(end, part.offset + part.bytes);
  return end;
}

void Argument::write(std::span<std::uint8_t> out,
                     const std::function<std::uint64_t(std::size_t)>& address) const {
  for (const Part& part : parts) {
    if (part.offset >= out.size()) continue;
    const std::uint64_t bits =
        part.buffer >= 0 ? address(static_cast<std::size_t>(part.buffer)) : part.bits;
    const std::size_t room = out.size() - part.offset;
    std::memcpy(out.data() + part.offset, &bits,
                std::min({sizeof bits, room, std::size_t{part.bytes}}));
  }
}

Result<Program> lower_user(const Experiment& experiment, const Measure& measure,
                           const UserKernel& kernel, const KernelEntry& entry, const Source& source,
                           const Limits& limits) {
  return UserLowering(experiment, measure, kernel, entry, source, limits).run();
}

}  // namespace gpx::codegen
