// The table of atomic accesses. Interface: atomics.h; covered by tests/lang/atomics_test.cpp.
#include "lang/atomics.h"

#include <fmt/format.h>

#include "lang/lists.h"

namespace gpx {
namespace {

using V = AtomicValue;

// PTX ISA, atom and red: types by operator, targets of doubles, halves and signed 64 bits.
constexpr AtomicRow kRows[] = {
    {"add", "u32", 4, V::word, 0, true, false},
    {"add", "s32", 4, V::word, 0, true, false},
    {"add", "u64", 8, V::wide, 0, true, false},
    {"add", "f32", 4, V::number32, 0, true, false},
    {"add", "f64", 8, V::number64, 60, true, false},
    {"add", "f16x2", 4, V::halves, 60, true, false},
    {"min", "u32", 4, V::word, 0, true, false},
    {"min", "s32", 4, V::word, 0, true, false},
    {"min", "u64", 8, V::wide, 32, true, false},
    {"min", "s64", 8, V::wide, 32, true, false},
    {"max", "u32", 4, V::word, 0, true, false},
    {"max", "s32", 4, V::word, 0, true, false},
    {"max", "u64", 8, V::wide, 32, true, false},
    {"max", "s64", 8, V::wide, 32, true, false},
    {"and", "b32", 4, V::word, 0, true, false},
    {"and", "b64", 8, V::wide, 32, true, false},
    {"or", "b32", 4, V::word, 0, true, false},
    {"or", "b64", 8, V::wide, 32, true, false},
    {"xor", "b32", 4, V::word, 0, true, false},
    {"xor", "b64", 8, V::wide, 32, true, false},
    {"inc", "u32", 4, V::word, 0, true, false},
    {"dec", "u32", 4, V::word, 0, true, false},
    {"exch", "b32", 4, V::word, 0, false, false},
    {"exch", "b64", 8, V::wide, 0, false, false},
    {"cas", "b32", 4, V::word, 0, false, true},
    {"cas", "b64", 8, V::wide, 0, false, true},
};

std::string_view meaning(std::string_view op) {
  if (op == "add") return "adds";
  if (op == "min" || op == "max") return op == "min" ? "keeps the smaller" : "keeps the larger";
  if (op == "inc") return "counts up, from the thread's value on again from 0";
  if (op == "dec") return "counts down, from 0 on again from the thread's value";
  if (op == "exch") return "exchanges";
  if (op == "cas") return "compares and swaps";
  return op == "and"  ? "keeps the bits that both have"
         : op == "or" ? "keeps the bits that one has"
                      : "keeps the bits that differ";
}

}  // namespace

std::string AtomicName::ptx(std::string_view space) const {
  const std::string_view rounding = row->type == "f16x2" ? ".noftz" : "";
  return fmt::format("{}{}{}.{}{}.{}", returns ? "atom" : "red", space.empty() ? "" : ".", space,
                     row->op, rounding, row->type);
}

const std::vector<AtomicName>& atomic_names() {
  static const std::vector<AtomicName> names = [] {
    std::vector<AtomicName> all;
    for (const bool returns : {true, false})
      for (const AtomicRow& row : kRows) {
        if (!returns && !row.reduces) continue;
        const char* word = returns ? "atom" : "red";
        all.push_back({&row, returns, fmt::format("{}.{}.{}", word, row.op, row.type),
                       fmt::format("each thread {} in memory{}", meaning(row.op),
                                   returns ? " and gets the old value" : "")});
      }
    return all;
  }();
  return names;
}

const AtomicName* find_atomic(std::string_view name) {
  const auto& names = atomic_names();
  return find_in(names, name, &AtomicName::name);
}

}  // namespace gpx
