// The names of the table, and the sources that a chain can run through. Interface: operations.h.
#include "lang/operations.h"

#include <algorithm>
#include <map>

#include "lang/warpgroup.h"

namespace gpx {
namespace {

/// What of a row decides which sources there are.
struct Spelled {
  std::string_view name, type, ptx, sass;
};

constexpr Spelled kSpelled[] = {
#define GPX_OPERATION(name, type, pipe, sm, ptx, sass, help) {name, #type, ptx, sass},
#include "lang/operations.def"
#undef GPX_OPERATION
};

/// A row of a source; one without PTX takes the source away.
struct OwnSource {
  std::string_view name;
  char letter;
  std::string_view ptx, sass;
};

constexpr OwnSource kOwn[] = {
#define GPX_OPERATION_SOURCE(name, letter, ptx, sass) {name, letter, ptx, sass},
#include "lang/operations.def"
#undef GPX_OPERATION_SOURCE
};

/// "{r}, {x}, {n}" of a single instruction "@{g} shf {r}, {x}, {n};": each operand with its place.
struct PlacedOperand {
  std::size_t begin;
  std::string_view text;
};

std::vector<PlacedOperand> operands_of(std::string_view ptx) {
  std::vector<PlacedOperand> found;
  if (std::count(ptx.begin(), ptx.end(), ';') != 1 || ptx.find('[') != ptx.npos) return found;
  std::size_t begin = ptx.find(' ', ptx.starts_with('@') ? ptx.find(' ') + 1 : 0);
  while (begin < ptx.size() && ptx[begin] != ';') {
    ++begin;
    while (ptx[begin] == ' ') ++begin;
    const std::size_t end = ptx.find_first_of(",;", begin);
    found.push_back({begin, ptx.substr(begin, end - begin)});
    begin = end;
  }
  return found;
}

/// A placeholder that can change places with the chain's register.
bool is_like_chain(std::string_view operand, std::string_view type) {
  if (operand == "{x}" || operand == "{y}" || operand == "{z}") return true;
  const bool word = type == "u32" || type == "s32";
  return word && (operand == "{a}" || operand == "{b}" || operand == "{n}");
}

std::string exchanged(std::string_view ptx, PlacedOperand one, PlacedOperand other) {
  if (one.begin > other.begin) std::swap(one, other);
  std::string made(ptx);
  made.replace(other.begin, other.text.size(), one.text);
  return made.replace(one.begin, one.text.size(), other.text);
}

std::vector<ChainSource> derived(const Spelled& row) {
  std::vector<ChainSource> made;
  const std::vector<PlacedOperand> operands = operands_of(row.ptx);
  if (operands.size() < 2 || operands[0].text != "{r}") return made;
  const auto chain = std::find_if(operands.begin() + 1, operands.end(),
                                  [](const PlacedOperand& each) { return each.text == "{r}"; });
  if (chain == operands.end()) return made;
  for (auto each = operands.begin() + 1; each != operands.end(); ++each) {
    const char letter = static_cast<char>('a' + (each - operands.begin() - 1));
    if (each == chain) {
      made.push_back({letter, std::string(row.ptx), row.sass, true});
    } else if (is_like_chain(each->text, row.type)) {
      made.push_back({letter, exchanged(row.ptx, *chain, *each), row.sass, false});
    }
  }
  return made;
}

std::vector<ChainSource> sources_of(const Spelled& row) {
  std::vector<ChainSource> made = derived(row);
  for (const OwnSource& own : kOwn) {
    if (own.name != row.name) continue;
    std::erase_if(made, [&](const ChainSource& each) { return each.letter == own.letter; });
    if (!own.ptx.empty()) made.push_back({own.letter, std::string(own.ptx), own.sass, false});
  }
  std::ranges::sort(made, {}, &ChainSource::letter);
  return made;
}

}  // namespace

const std::vector<OperationName>& operation_names() {
  static const std::vector<OperationName> names = [] {
    std::vector<OperationName> made = {
#define GPX_OPERATION(name, type, pipe, sm, ptx, sass, help) {name, help},
#include "lang/operations.def"
#undef GPX_OPERATION
    };
    for (const WarpgroupProduct& row : warpgroup_products()) made.push_back({row.name, row.help});
    return made;
  }();
  return names;
}

bool is_operation(std::string_view name) {
  if (find_warpgroup_product(name)) return true;
  const auto& names = operation_names();
  return std::any_of(names.begin(), names.end(),
                     [&](const OperationName& row) { return row.name == name; });
}

const std::vector<ChainSource>& chain_sources(std::string_view operation) {
  static const auto table = [] {
    std::map<std::string_view, std::vector<ChainSource>> made;
    for (const Spelled& row : kSpelled) made.emplace(row.name, sources_of(row));
    return made;
  }();
  static const std::vector<ChainSource> none;
  const auto found = table.find(operation);
  return found == table.end() ? none : found->second;
}

const ChainSource* find_chain_source(std::string_view operation, std::string_view letter) {
  for (const ChainSource& each : chain_sources(operation))
    if (letter.size() == 1 && letter[0] == each.letter) return &each;
  return nullptr;
}

bool takes_data(std::string_view operation) {
  return operation.starts_with("mma.") || find_warpgroup_product(operation) != nullptr;
}

std::optional<OperandData> find_operand_data(std::string_view word) {
  if (word == to_string(OperandData::zeros)) return OperandData::zeros;
  if (word == to_string(OperandData::random)) return OperandData::random;
  return std::nullopt;
}

std::string_view to_string(OperandData data) {
  constexpr std::string_view kWords[] = {"", "zeros", "random"};
  return kWords[static_cast<std::size_t>(data)];
}

}  // namespace gpx
