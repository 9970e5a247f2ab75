// Sets, recency, and the copies from the host that a set has not seen yet. Interface: cache.h.
// Covered by tests/vgpu/timing_test.cpp.
#include "runtime/vgpu/timing/cache.h"

#include <algorithm>

namespace gpx::vgpu::timing {

Cache::Cache(const Description::Cache& cache)
    : sets_(cache.sets()),
      ways_(cache.ways),
      insertion_(cache.insertion),
      reciprocal_(sets_ == 1 ? 0 : UINT64_MAX / sets_ + 1),
      lines_(sets_ * ways_),
      seen_(sets_, 0) {}

void Cache::invalidate() {
  first_copy_ += copies_.size() + 1;
  copies_.clear();
}

void Cache::upload(const std::vector<LineRange>& buffers) {
  copies_.push_back({&buffers, 0});
}

void Cache::flush(std::uint64_t lines) {
  copies_.push_back({nullptr, lines});
}

std::uint64_t Cache::set_of(std::uint64_t line) const {
  // Exact while line * sets < 2^64: lines of a 64-bit address space's first 2^48 bytes, any cache.
  const auto quotient =
      static_cast<std::uint64_t>(static_cast<unsigned __int128>(line) * reciprocal_ >> 64);
  return sets_ == 1 ? 0 : line - quotient * sets_;
}

CacheLine* Cache::set(std::uint64_t index) {
  CacheLine* lines = &lines_[index * ways_];
  if (seen_[index] != first_copy_ + copies_.size()) catch_up(index, lines);
  return lines;
}

void Cache::catch_up(std::uint64_t index, CacheLine* lines) {
  if (seen_[index] < first_copy_) {
    std::fill_n(lines, ways_, CacheLine{});
    seen_[index] = first_copy_;
  }
  for (std::uint64_t i = seen_[index] - first_copy_; i < copies_.size(); ++i) {
    if (copies_[i].upload)
      apply_upload(index, lines, *copies_[i].upload);
    else
      apply_flush(index, lines, copies_[i].lines);
  }
  seen_[index] = first_copy_ + copies_.size();
}

void Cache::apply_upload(std::uint64_t index, CacheLine* lines,
                         const std::vector<LineRange>& buffers) {
  // cursor_[b]: the smallest offset of buffer b, not yet taken, that maps to this set.
  cursor_.clear();
  for (const LineRange& buffer : buffers)
    cursor_.push_back((index + sets_ - set_of(buffer.first)) % sets_);
  for (unsigned way = 0; way < ways_; ++way) {
    std::size_t nearest = buffers.size();
    for (std::size_t b = 0; b < buffers.size(); ++b)
      if (cursor_[b] < buffers[b].count &&
          (nearest == buffers.size() || cursor_[b] < cursor_[nearest]))
        nearest = b;
    if (nearest == buffers.size()) return;
    lines[way] = CacheLine(buffers[nearest].first + cursor_[nearest]);
    cursor_[nearest] += sets_;
  }
}

void Cache::apply_flush(std::uint64_t index, CacheLine* lines, std::uint64_t count) {
  const std::uint64_t here = count / sets_ + (index < count % sets_ ? 1 : 0);
  const auto moved = static_cast<unsigned>(std::min<std::uint64_t>(here, ways_));
  std::copy_backward(lines, lines + (ways_ - moved), lines + ways_);
  // The flush's own lines are never read: any number that no buffer has will do.
  for (unsigned way = 0; way < moved; ++way) lines[way] = CacheLine(CacheLine::kInvalid - 1);
}

CacheLine* Cache::find(std::uint64_t line) {
  CacheLine* lines = set(set_of(line));
  for (unsigned way = 0; way < ways_; ++way) {
    if (!lines[way].is(line)) continue;
    const CacheLine found = lines[way];
    std::copy_backward(lines, lines + way, lines + way + 1);
    *lines = found;
    return lines;
  }
  return nullptr;
}

Cache::Inserted Cache::insert(std::uint64_t line) {
  CacheLine* lines = set(set_of(line));
  CacheLine& victim = lines[ways_ - 1];
  const bool wrote_back = victim.valid() && victim.dirty();
  // Insertion at the least recent place of a set that is full; a set with room fills up.
  unsigned place = 0;
  if (insertion_ == Description::Insertion::lru)
    while (place + 1 < ways_ && lines[place].valid()) ++place;
  std::copy_backward(lines + place, lines + ways_ - 1, lines + ways_);
  lines[place] = CacheLine(line);
  return {lines[place], wrote_back};
}

void Cache::drop(std::uint64_t line) {
  CacheLine* found = find(line);
  if (!found) return;
  std::rotate(found, found + 1, found + ways_);  // the free way is the next to be taken
  found[ways_ - 1] = {};
}

}  // namespace gpx::vgpu::timing
