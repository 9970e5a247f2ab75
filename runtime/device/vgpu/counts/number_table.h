// NumberTable: numbers in the order in which they came, each once, found by hashing. Blocks touch
// thousands of lines, and standard containers take a piece of memory for each. Covered by
// tests/vgpu/number_table_test.cpp.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

namespace gpx::vgpu {

/// `Value`: what is kept with each number.
template <class Value>
class NumberTable {
 public:
  using Entry = std::pair<std::uint64_t, Value>;

  /// False: the number was there, with its own value.
  bool add(std::uint64_t number, Value value) {
    if (2 * (entries_.size() + 1) > slots_.size()) grow();
    const std::size_t slot = place(number);
    if (slots_[slot] != 0) return false;
    entries_.emplace_back(number, value);
    slots_[slot] = static_cast<std::uint32_t>(entries_.size());
    return true;
  }
  /// What is kept with the number, which is added with `value` where it is not there; whether it
  /// is.
  std::pair<Value*, bool> find_or_add(std::uint64_t number, Value value) {
    if (2 * (entries_.size() + 1) > slots_.size()) grow();
    std::uint32_t& slot = slots_[place(number)];
    const bool added = slot == 0;
    if (added) {
      entries_.emplace_back(number, std::move(value));
      slot = static_cast<std::uint32_t>(entries_.size());
    }
    return {&entries_[slot - 1].second, added};
  }
  /// nullptr: it is not there.
  const Value* find(std::uint64_t number) const {
    if (slots_.empty()) return nullptr;
    const std::uint32_t found = slots_[place(number)];
    return found == 0 ? nullptr : &entries_[found - 1].second;
  }
  std::vector<Entry>& entries() { return entries_; }
  const std::vector<Entry>& entries() const { return entries_; }

 private:
  std::size_t place(std::uint64_t number) const {
    const unsigned bits = static_cast<unsigned>(std::countr_zero(slots_.size()));
    std::size_t slot = number * 0x9e3779b97f4a7c15ull >> (64 - bits);
    while (slots_[slot] != 0 && entries_[slots_[slot] - 1].first != number)
      slot = (slot + 1) & (slots_.size() - 1);
    return slot;
  }
  void grow() {
    slots_.assign(slots_.empty() ? 64 : 2 * slots_.size(), 0);
    for (std::size_t i = 0; i < entries_.size(); ++i)
      slots_[place(entries_[i].first)] = static_cast<std::uint32_t>(i + 1);
  }

  std::vector<Entry> entries_;
  std::vector<std::uint32_t> slots_;  // a power of two; the entry's index + 1, 0: none
};

}  // namespace gpx::vgpu
