// Kernels from a file: entries and parameters. Interface: codegen/user/user_kernel.h.
// Covered by tests/codegen/user_kernel_test.cpp.
#include "codegen/user/user_kernel.h"

#include <cxxabi.h>
#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <memory>
#include <span>

#include "codegen/ir/text.h"
#include "codegen/ptx/ops.h"
#include "codegen/ptx/text.h"
#include "codegen/user/host_code.h"
#include "lang/lists.h"

namespace gpx::codegen {
namespace {

// ---- The source -------------------------------------------------------------------------------

/// The place after the bracket that closes the one at `open`.
std::size_t after_closing(std::string_view code, std::size_t open) {
  int depth = 0;
  for (std::size_t i = open; i < code.size(); ++i) {
    depth += code[i] == '(' ? 1 : code[i] == ')' ? -1 : 0;
    if (depth == 0) return i + 1;
  }
  return code.size();
}

struct DeclaredKernel {
  std::string_view name, parameters;  ///< The text between the brackets.
  bool defined = false;               ///< Its body follows.
};

/// "__launch_bounds__", "__maxnreg__", "alignas": what has brackets before the name.
bool is_attribute(std::string_view name) {
  return name == "alignas" || (name.starts_with("__") && name.ends_with("__"));
}

/// The functions that `__global__` declares.
std::vector<DeclaredKernel> declared_kernels(std::string_view code) {
  std::vector<DeclaredKernel> all;
  for (std::size_t at = code.find("__global__"); at != std::string_view::npos;
       at = code.find("__global__", at + 1)) {
    std::size_t open = code.find('(', at);
    while (open != std::string_view::npos) {
      std::size_t end = open;
      while (end > at && !in_word(code[end - 1])) --end;
      std::size_t begin = end;
      while (begin > at && in_word(code[begin - 1])) --begin;
      const std::string_view name = code.substr(begin, end - begin);
      const std::size_t close = after_closing(code, open);
      if (!is_attribute(name)) {
        const std::size_t next = code.find_first_not_of(" \t\r\n", close);
        const bool defined = next != std::string_view::npos && code[next] == '{';
        if (close >= open + 2)
          all.push_back({name, code.substr(open + 1, close - open - 2), defined});
        break;
      }
      open = code.find('(', close);
    }
  }
  return all;
}

std::vector<std::string_view> split_parameters(std::string_view text) {
  std::vector<std::string_view> parts;
  int depth = 0;
  std::size_t begin = 0;
  for (std::size_t i = 0; i <= text.size(); ++i) {
    const char c = i < text.size() ? text[i] : ',';
    depth += c == '(' || c == '<' || c == '[' ? 1 : c == ')' || c == '>' || c == ']' ? -1 : 0;
    if (c != ',' || (depth > 0 && i < text.size())) continue;
    if (const auto part = trimmed(text.substr(begin, i - begin)); !part.empty())
      parts.push_back(part);
    begin = i + 1;
  }
  if (parts.size() == 1 && parts[0] == "void") parts.clear();
  return parts;
}

/// "const float* __restrict__ a" is the name `a` and the type before it.
void read_declaration(std::string_view text, KernelParameter& out) {
  text = trimmed(text.substr(0, text.find('=')));
  const bool array = text.ends_with(']');
  if (array) text = trimmed(text.substr(0, text.find('[')));
  std::size_t begin = text.size();
  while (begin > 0 && in_word(text[begin - 1])) --begin;
  const std::string_view name = text.substr(begin);
  const std::string_view type = trimmed(text.substr(0, begin));
  if (name.empty() || type.empty()) return;
  out.name = name;
  out.type = std::string(type) + (array ? "*" : "");
}

bool has_any(std::string_view text, std::span<const char* const> words) {
  return std::ranges::any_of(words, [&](const char* word) { return has_word(text, word); });
}

struct ElementTypes {
  Element element;
  std::vector<const char*> words;  ///< One of them stands in the type.
};
constexpr const char* kUnsignedTypes[] = {"unsigned", "size_t",   "uint",   "uint8_t", "uint16_t",
                                          "uint32_t", "uint64_t", "ushort", "uchar",   "bool"};
/// The first row that fits: `unsigned` and `int` may stand beside a word of the rows before.
const ElementTypes kElementTypes[] = {
    {Element::f32, {"float", "float1", "float2", "float3", "float4"}},
    {Element::f64, {"double", "double1", "double2", "double3", "double4"}},
    {Element::f16, {"__half", "__half2", "half", "half2"}},
    {Element::bf16, {"__nv_bfloat16", "__nv_bfloat162", "nv_bfloat16", "nv_bfloat162"}},
    {Element::i8,
     {"char", "char1", "char2", "char3", "char4", "uchar", "uchar1", "uchar2", "uchar3", "uchar4",
      "int8_t", "uint8_t", "bool"}},
    {Element::i16,
     {"short", "short1", "short2", "short3", "short4", "ushort", "ushort1", "ushort2", "ushort3",
      "ushort4", "int16_t", "uint16_t"}},
    {Element::i64,
     {"long",      "long1",     "long2",      "long3",      "long4",      "ulong",
      "ulong1",    "ulong2",    "ulong3",     "ulong4",     "longlong1",  "longlong2",
      "longlong3", "longlong4", "ulonglong1", "ulonglong2", "ulonglong3", "ulonglong4",
      "size_t",    "ptrdiff_t", "int64_t",    "uint64_t"}},
    {Element::i32,
     {"int", "int1", "int2", "int3", "int4", "unsigned", "signed", "uint", "uint1", "uint2",
      "uint3", "uint4", "int32_t", "uint32_t"}},
};

// ---- The PTX ----------------------------------------------------------------------------------

/// "matmul(float*, int)" of "_Z6matmulPfi"; a name that is not mangled as it is.
std::string demangled(const std::string& symbol) {
  if (!symbol.starts_with("_Z")) return symbol;  // "f" would be read as the code of float
  int status = 0;
  const std::unique_ptr<char, decltype(&std::free)> text(
      abi::__cxa_demangle(symbol.c_str(), nullptr, nullptr, &status), &std::free);
  return status == 0 && text ? std::string(text.get()) : symbol;
}

/// Where the parameters of a demangled name begin: at the first '(' that is none of
/// "(anonymous namespace)::".
std::size_t parameters_at(std::string_view all) {
  constexpr std::string_view kUnnamed = "(anonymous namespace)";
  std::size_t at = all.find('(');
  while (at != std::string_view::npos && all.substr(at).starts_with(kUnnamed))
    at = all.find('(', at + 1);
  return std::min(at, all.size());
}

/// Of "void gather<4>(float const*, int)" the types of its parameters, without names for types.
std::vector<std::string_view> types_in(std::string_view all) {
  const std::size_t at = parameters_at(all);
  if (at == all.size()) return {};
  return split_parameters(all.substr(at + 1, after_closing(all, at) - at - 2));
}

bool is_instance(std::string_view all) {
  const std::size_t at = parameters_at(all);
  return at != all.size() && at > 0 && all[at - 1] == '>';
}

/// "matmul" of "matmul(float*, int)" and of "void matmul<4>(float*, int)".
std::string plain_name(std::string_view all) {
  const std::size_t at = parameters_at(all);
  if (at == all.size() || at == 0 || all[at - 1] != '>') return std::string(all.substr(0, at));
  int depth = 0;
  std::size_t end = at;
  do {
    --end;
    depth += all[end] == '>' ? 1 : all[end] == '<' ? -1 : 0;
  } while (end > 0 && depth > 0);
  const std::string_view name = all.substr(0, end);
  return std::string(name.substr(name.rfind(' ') + 1));  // behind the type that it returns
}

std::string_view last_part(std::string_view name) {
  const std::size_t at = name.rfind("::");
  return at == std::string_view::npos ? name : name.substr(at + 2);
}

KernelParameter parameter_of(const ptx::Parameter& declared, std::size_t index) {
  KernelParameter out;
  out.name = fmt::format("param_{}", index);
  out.type = fmt::format(".{}", ptx::name_of(declared.type));
  out.bytes = static_cast<std::uint32_t>(declared.bytes());
  out.kind =
      ptx::is_float(declared.type) ? KernelParameter::Kind::real : KernelParameter::Kind::integer;
  out.is_signed = !out.type.starts_with(".u");
  if (declared.is_array) out.kind = KernelParameter::Kind::other;
  if (declared.is_pointer) out.kind = KernelParameter::Kind::pointer;
  return out;
}

/// The arrays of shared memory whose size a launch gives: ".extern .shared .align 16 .b8 NAME[];"
std::vector<std::string_view> dynamic_arrays(std::string_view ptx) {
  constexpr std::string_view kBegin = ".extern .shared";
  std::vector<std::string_view> names;
  for (std::size_t at = ptx.find(kBegin); at != ptx.npos; at = ptx.find(kBegin, at + 1)) {
    const std::string_view line = ptx.substr(at, ptx.find(';', at) - at);
    const std::string_view declared = line.substr(0, line.find('['));
    names.push_back(declared.substr(declared.find_last_of(" \t") + 1));
  }
  return names;
}

std::string dynamic_shared_of(const ptx::FunctionText& function,
                              const std::vector<std::string_view>& arrays) {
  for (const ptx::Statement& statement : function.statements)
    for (const std::string_view token : statement.tokens)
      if (contains(arrays, token)) return std::string(token);
  return {};
}

KernelEntry entry_of(const ptx::FunctionText& function) {
  const std::string symbol(function.name);
  KernelEntry entry{symbol, plain_name(demangled(symbol)), {}, {}};
  for (const ptx::Parameter& parameter : function.parameters)
    entry.parameters.push_back(parameter_of(parameter, entry.parameters.size()));
  return entry;
}

/// The declaration of an entry with as many parameters: by its symbol, else its definition by its
/// name, else a prototype; nullptr: there is none.
const DeclaredKernel* declaration_of(const KernelEntry& entry,
                                     const std::vector<DeclaredKernel>& declared) {
  const DeclaredKernel* found = nullptr;
  for (const DeclaredKernel& each : declared) {
    if (split_parameters(each.parameters).size() != entry.parameters.size()) continue;
    if (each.name == entry.symbol) return &each;
    if (each.name == last_part(entry.name) && (!found || each.defined)) found = &each;
  }
  return found;
}

/// What the source says of an entry's parameters; what its symbol says of their types, where the
/// source says nothing.
void add_source(KernelEntry& entry, const std::vector<DeclaredKernel>& declared,
                std::string_view code) {
  const DeclaredKernel* found = declaration_of(entry, declared);
  const auto written =
      found ? split_parameters(found->parameters) : std::vector<std::string_view>{};
  const std::string all = demangled(entry.symbol);
  const auto types = types_in(all);
  const bool typed = types.size() == entry.parameters.size();
  const bool exact = found && found->name == entry.symbol;
  if (!found && !typed) return;
  for (std::size_t i = 0; i < entry.parameters.size(); ++i) {
    KernelParameter& parameter = entry.parameters[i];
    if (found) read_declaration(written[i], parameter);
    if (typed && !exact && (!found || is_instance(all)))
      parameter.type = types[i];  // T is a type of the instance
    const bool pointer = parameter.type.find('*') != std::string::npos;
    if (pointer && parameter.bytes == 8) parameter.kind = KernelParameter::Kind::pointer;
    if (parameter.kind == KernelParameter::Kind::pointer)
      parameter.element = element_of(typed ? types[i] : parameter.type);
    if (parameter.kind == KernelParameter::Kind::other)
      parameter.declared = declared_struct(code, parameter.type, parameter.bytes);
    parameter.is_signed = !has_any(parameter.type, kUnsignedTypes);
  }
}

/// The element of a number of so many bytes.
Element element_of_bytes(std::uint32_t bytes, bool real) {
  if (real) return bytes == 8 ? Element::f64 : bytes == 4 ? Element::f32 : Element::f16;
  return bytes == 8   ? Element::i64
         : bytes == 4 ? Element::i32
         : bytes == 2 ? Element::i16
                      : Element::i8;
}

/// What parameters that are passed by value take. The types of a mangled name are those behind
/// aliases; those of the source count where there is none.
void add_values(KernelEntry& entry, std::string_view code) {
  const std::string all = demangled(entry.symbol);
  const auto types = types_in(all);
  const bool typed = types.size() == entry.parameters.size();
  for (std::size_t i = 0; i < entry.parameters.size(); ++i) {
    KernelParameter& parameter = entry.parameters[i];
    if (parameter.kind == KernelParameter::Kind::pointer) continue;
    const std::string type = typed ? std::string(types[i]) : parameter.type;
    const auto known = value_type(type);
    if (known && known->bytes() == parameter.bytes) parameter.value = known;
    if (parameter.value || parameter.kind == KernelParameter::Kind::other) continue;
    const bool real = parameter.kind == KernelParameter::Kind::real;
    parameter.enumerators = enumerators_of(code, type);
    parameter.any_sign = !real;
    parameter.value = ValueType{element_of_bytes(parameter.bytes, real), parameter.is_signed, false,
                                1, parameter.bytes};
  }
}

}  // namespace

std::optional<Element> element_of(std::string_view type) {
  if (std::ranges::count(type, '*') > 1) return std::nullopt;
  const auto row = std::ranges::find_if(
      kElementTypes, [&](const ElementTypes& each) { return has_any(type, each.words); });
  return row == std::end(kElementTypes) ? std::nullopt : std::optional(row->element);
}

std::string with_macros(std::string text, const std::vector<std::string>& defines) {
  for (const std::string& define : defines) {
    const std::string name = define.substr(0, define.find(' '));
    const std::string_view value = trimmed(std::string_view(define).substr(name.size()));
    for (std::size_t at = 0; (at = text.find(name, at)) != std::string::npos;) {
      const std::size_t end = at + name.size();
      const bool whole =
          (at == 0 || !in_word(text[at - 1])) && (end == text.size() || !in_word(text[end]));
      if (whole) text.replace(at, name.size(), value);
      at += whole ? value.size() : name.size();
    }
  }
  return text;
}

std::vector<std::string> parameter_types(const std::string& symbol) {
  const std::string all = demangled(symbol);
  const auto types = types_in(all);
  return {types.begin(), types.end()};
}

std::vector<KernelEntry> entries_of(const std::string& ptx, const std::string& source) {
  const std::string code = only_code(source);
  const std::vector<DeclaredKernel> declared = declared_kernels(code);
  const std::vector<std::string_view> arrays = dynamic_arrays(ptx);
  std::vector<KernelEntry> entries;
  for (const ptx::FunctionText& function : ptx::read_functions(ptx, !arrays.empty())) {
    if (!function.is_entry || function.name.empty()) continue;
    entries.push_back(entry_of(function));
    entries.back().dynamic_shared = dynamic_shared_of(function, arrays);
    add_source(entries.back(), declared, code);
    add_values(entries.back(), code);
  }
  return entries;
}

namespace {

NoEntry no_entry(const std::vector<std::string>& names, const std::string& name,
                 const std::string& file, bool is_template) {
  NoEntry missing{fmt::format("'{}' has no __global__ function '{}'", file, name),
                  fmt::format("it has {}", fmt::join(names, ", "))};
  if (names.empty()) missing.hint = "it has no __global__ function (a template needs an instance)";
  if (const auto near = nearest(name, names))
    missing.hint = fmt::format("did you mean '{}'?", *near);
  if (is_template)
    missing.hint = fmt::format("it is a template: name an instance, such as {}<float>", name);
  return missing;
}

/// "k<float,3>" without blanks and with the namespaces of `name`, of a demangled instance.
std::string instance_of(std::string_view all) {
  std::string text;
  for (const char c : all.substr(0, parameters_at(all)))
    if (c != ' ') text += c;
  return text;
}

/// Whether the demangled "void ns::k<float, 3>(float*)" is what a user calls "k<float,3>".
bool is_called(std::string_view demangled_name, const std::string& name) {
  std::string wanted;
  for (const char c : name)
    if (c != ' ') wanted += c;
  const std::string text = instance_of(demangled_name);
  if (!text.ends_with(wanted)) return false;
  const std::string_view before = std::string_view(text).substr(0, text.size() - wanted.size());
  return before.empty() || before.ends_with("::") || before == "void";
}

}  // namespace

std::optional<NoEntry> plainly_no_entry(const std::string& source, const std::string& name,
                                        const std::string& file) {
  const bool symbol = name.starts_with("_Z");
  const bool made = source.find("##") != source.npos || source.find("#include \"") != source.npos;
  const std::string code = only_code(source);
  const std::string_view plain = std::string_view(name).substr(0, name.find('<'));
  if (symbol || made || has_word(code, last_part(plain))) return std::nullopt;
  std::vector<std::string> names;
  for (const DeclaredKernel& each : declared_kernels(code)) names.emplace_back(each.name);
  return no_entry(names, name, file, false);
}

Result<KernelEntry> find_entry(const std::vector<KernelEntry>& entries, const std::string& name,
                               const std::string& file, const Source& text, Span span,
                               const std::string& code) {
  std::vector<const KernelEntry*> found;
  std::vector<std::string> names;
  for (const KernelEntry& entry : entries) {
    names.push_back(entry.name);
    if (entry.symbol == name) return entry;
    if (entry.name == name || last_part(entry.name) == name ||
        is_called(demangled(entry.symbol), name))
      found.push_back(&entry);
  }
  if (found.size() == 1) return *found.front();
  if (found.size() > 1) {
    std::vector<std::string> symbols;
    for (const KernelEntry* entry : found)
      symbols.push_back(fmt::format("{} for {}", entry->symbol, demangled(entry->symbol)));
    return fail(Fault::input, text, span,
                fmt::format("'{}' has several functions '{}'", file, name),
                fmt::format("name one as the PTX does: {}", fmt::join(symbols, ", ")));
  }
  const bool is_template =
      has_word(only_code(code), last_part(name)) && name.find('<') == std::string::npos;
  NoEntry missing = no_entry(names, name, file, is_template);
  return fail(Fault::input, text, span, std::move(missing.message), std::move(missing.hint));
}

}  // namespace gpx::codegen
