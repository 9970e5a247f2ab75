// Interface: marked_listing.h.
#include "runtime/cli/explain/marked_listing.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <map>
#include <set>

#include "codegen/ir/text.h"
#include "lang/words.h"

namespace gpx::cli {
namespace {

bool has(const Line& line, std::string_view part) {
  return line.text.find(part) != std::string::npos;
}

void mark_between(Listing& lines, std::string_view edge) {
  const auto is_edge = [&](const Line& line) { return has(line, edge) && !has(line, ".32"); };
  const auto first = std::find_if(lines.begin(), lines.end(), is_edge);
  const auto last = std::find_if(lines.rbegin(), lines.rend(), is_edge);
  if (first == lines.end() || last.base() - 1 == first) return;
  for (auto line = first + 1; line != last.base() - 1; ++line) line->timed = true;
}

using Names = std::map<std::string, std::uint32_t, std::less<>>;

/// What leads from the text of a stage to the experiment.
struct Origins {
  Names names;                        ///< Of values, and of operations as the emitter calls them.
  std::vector<std::uint32_t> stores;  ///< Which name no value, in their order.
};

void collect(const std::vector<codegen::Instruction>& list, const codegen::Kernel& kernel,
             std::size_t& operations, Origins& into) {
  Names& names = into.names;
  for (const codegen::Instruction& one : list) {
    if (codegen::info(one.op).name.starts_with("st.")) into.stores.push_back(one.line);
    if (one.op == codegen::Op::operate) names.emplace(fmt::format("op{}", operations++), one.line);
    if (one.result != codegen::kNoRegister && one.line > 0)
      names.emplace(kernel.registers[one.result].name, one.line);
    for (const auto& region : one.regions) collect(region, kernel, operations, into);
  }
}

/// The line of the first name in the text that is known, whole or up to a '_': v0, v0_1, op0_r0.
std::uint32_t origin_of(std::string_view text, const Names& names) {
  for (std::size_t at = 0; at < text.size();) {
    if (!codegen::in_word(text[at])) {
      ++at;
      continue;
    }
    std::size_t end = at;
    while (end < text.size() && codegen::in_word(text[end])) ++end;
    const bool is_register = at == 0 || (text[at - 1] != '.' && text[at - 1] != '%');
    for (std::string_view word = text.substr(at, end - at); is_register && !word.empty();) {
      if (const auto found = names.find(word); found != names.end()) return found->second;
      const std::size_t cut = word.rfind('_');
      word = cut == std::string_view::npos ? std::string_view() : word.substr(0, cut);
    }
    at = end;
  }
  return 0;
}

/// What PTX calls an instruction, and what machine code calls it.
struct Family {
  std::string_view ptx;
  std::array<std::string_view, 3> sass;
};
constexpr Family kFamilies[] = {
    {"ld.global", {"LDG"}},    {"ld.shared", {"LDS"}},      {"ld.const", {"LDC"}},
    {"ld.local", {"LDL"}},     {"st.global", {"STG"}},      {"st.shared", {"STS"}},
    {"st.local", {"STL"}},     {"atom.shared", {"ATOMS"}},  {"atom", {"ATOMG", "ATOM"}},
    {"red", {"RED", "REDG"}},  {"tex", {"TEX", "TLD"}},     {"cp.async", {"LDGSTS"}},
    {"bar", {"BAR"}},          {"fma.rn.f32", {"FFMA"}},    {"add.f32", {"FADD"}},
    {"mul.f32", {"FMUL"}},     {"fma.rn.f64", {"DFMA"}},    {"add.f64", {"DADD"}},
    {"mul.f64", {"DMUL"}},     {"fma.rn.f16x2", {"HFMA2"}}, {"mad.lo", {"IMAD"}},
    {"mul.lo", {"IMAD"}},      {"ex2", {"MUFU"}},           {"rcp", {"MUFU"}},
    {"sqrt", {"MUFU"}},        {"rsqrt", {"MUFU"}},         {"sin", {"MUFU"}},
    {"cos", {"MUFU"}},         {"lg2", {"MUFU"}},           {"shfl", {"SHFL"}},
    {"vote", {"VOTE"}},        {"popc", {"POPC"}},          {"prmt", {"PRMT"}},
    {"mma", {"HMMA", "IMMA"}},
};

/// The opcode of a line: behind a guard, braces, quotes.
std::string_view opcode_of(std::string_view text) {
  const std::size_t begin = text.find_first_not_of(" \t\"{");
  if (begin == std::string_view::npos) return {};
  text.remove_prefix(begin);
  if (text.front() == '@') text.remove_prefix(std::min(text.find(' ') + 1, text.size()));
  return text.substr(0, text.find_first_of(" \t;"));
}

bool is_of(std::string_view opcode, std::string_view family) {
  return !family.empty() && opcode.starts_with(family) &&
         (opcode.size() == family.size() || opcode[family.size()] == '.');
}

template <typename Matches>
std::vector<std::size_t> timed_of(const Listing& listing, Matches matches) {
  std::vector<std::size_t> found;
  for (std::size_t i = 0; i < listing.size(); ++i)
    if (listing[i].timed && matches(opcode_of(listing[i].text))) found.push_back(i);
  return found;
}

}  // namespace

Listing lines_of(const std::string& text) {
  Listing lines;
  for (std::string_view rest = text; !rest.empty();)
    lines.push_back({std::string(take_until(rest, '\n'))});
  return lines;
}

Listing source_lines(const Source& source, Span span) {
  Listing lines = lines_of(source.text());
  const std::size_t first = source.locate({span.begin, span.begin}).line;
  const std::size_t last = source.locate({span.end, span.end}).line;
  for (std::size_t i = 1; i <= lines.size(); ++i) {
    lines[i - 1].origin = static_cast<std::uint32_t>(i);
    lines[i - 1].timed = span.end > span.begin && i >= first && i <= last;
  }
  return lines;
}

Listing kernel_lines(const codegen::Kernel& kernel) {
  Listing lines = lines_of(codegen::to_string(kernel));
  bool timed = false;
  for (Line& line : lines) {
    if (line.text == "  }") timed = false;
    line.timed = timed;
    if (line.text.starts_with("  timed {")) timed = true;
    if (const std::size_t at = line.text.rfind(" @ "); at != std::string::npos)
      std::from_chars(line.text.data() + at + 3, line.text.data() + line.text.size(), line.origin);
  }
  return lines;
}

Listing marked(const std::string& text, std::string_view edge) {
  Listing lines = lines_of(text);
  mark_between(lines, edge);
  return lines;
}

Listing sass_lines(const std::string& sass) {
  Listing lines;
  for (Line& line : lines_of(sass)) {
    const std::size_t begin = line.text.find_first_not_of(" \t");
    if (begin == std::string::npos) continue;
    const std::string text = line.text.substr(begin);
    const bool encoding = text.starts_with("/* 0x");
    if ((text.starts_with("/*") && !encoding) || text.starts_with(".L_")) lines.push_back({text});
  }
  mark_between(lines, "CS2R R");
  return lines;
}

Listing sass_lines(const codegen::sass::Function& function) {
  Listing lines;
  for (const codegen::sass::Statement& one : function.statements)
    lines.push_back({fmt::format("{}", one.instruction.text()), false, one.line,
                     fmt::format("{:04x}  {}", one.address,
                                 codegen::sass::control_text(one.instruction.word.control()))});
  mark_between(lines, "CS2R R");
  return lines;
}

void link_by_names(Listing& listing, const codegen::Kernel& kernel) {
  Origins origins;
  std::size_t operations = 0;
  collect(kernel.timed, kernel, operations, origins);
  std::vector<Line*> stores;
  for (Line& line : listing) {
    if (!line.timed) continue;
    line.origin = origin_of(line.text, origins.names);
    if (opcode_of(line.text).starts_with("st.")) stores.push_back(&line);
  }
  if (stores.size() != origins.stores.size()) return;
  for (std::size_t i = 0; i < stores.size(); ++i) stores[i]->origin = origins.stores[i];
}

void link_by_order(Listing& sass, const Listing& ptx) {
  for (const Family& family : kFamilies) {
    const auto from = timed_of(ptx, [&](auto opcode) { return is_of(opcode, family.ptx); });
    const auto to = timed_of(sass, [&](auto opcode) {
      return std::ranges::any_of(family.sass, [&](auto name) { return is_of(opcode, name); });
    });
    if (from.empty()) continue;
    std::set<std::uint32_t> origins;
    for (const std::size_t i : from) origins.insert(ptx[i].origin);
    for (std::size_t i = 0; i < to.size(); ++i) {
      if (from.size() == to.size()) sass[to[i]].origin = ptx[from[i]].origin;
      // Vectors and unrolled loops change how many there are, not where they come from.
      if (from.size() != to.size() && origins.size() == 1) sass[to[i]].origin = *origins.begin();
    }
  }
}

void link_by_locations(Listing& ptx) {
  constexpr std::string_view kLoc = ".loc";
  std::uint32_t origin = 0;
  for (Line& line : ptx) {
    const std::size_t at = line.text.find_first_not_of(" \t");
    if (at == std::string::npos) continue;
    const std::string_view text = std::string_view(line.text).substr(at);
    if (text == "}" || text.starts_with(".visible")) origin = 0;
    if (!text.starts_with(kLoc)) {
      if (text.back() == ';') line.origin = origin;
      continue;
    }
    // .loc FILE LINE COLUMN
    const std::size_t file = text.find_first_not_of(" \t", kLoc.size());
    const std::size_t number = text.find_first_of(" \t", file);
    if (number == std::string_view::npos) continue;
    const std::size_t digits = text.find_first_not_of(" \t", number);
    origin = 0;
    // Only of the kernel's own file, which is the first.
    if (text.substr(file, number - file) == "1" && digits != std::string_view::npos)
      std::from_chars(text.data() + digits, text.data() + text.size(), origin);
  }
}

}  // namespace gpx::cli
