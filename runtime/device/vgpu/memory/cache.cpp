// Sets, their order, and the copies from the host that a set has not seen yet. Interface: cache.h.
// Covered by tests/vgpu/cache_test.cpp and timing_test.cpp.
#include "runtime/device/vgpu/memory/cache.h"

#include "lang/assert.h"

namespace gpx::vgpu::timing {

Cache::Cache(const Description::Cache& cache)
    : set_of_(cache),
      ways_(cache.ways),
      dirty_(cache.dirty),
      replacement_(find_policy(cache.policy)->make(cache.shape())),
      lines_(cache.set_sizes.empty() ? set_of_.sets() * ways_ : 0),
      seen_(set_of_.sets(), 0) {
  if (cache.set_sizes.empty()) return;
  first_.push_back(0);
  for (const std::uint32_t ways : cache.set_sizes) first_.push_back(first_.back() + ways);
  lines_.resize(first_.back());
}

void Cache::invalidate() {
  first_copy_ += copies_.size() + 1;
  copies_.clear();
}

std::uint64_t Cache::first_beside(std::uint64_t line) const {
  const std::uint64_t sets = set_of_.sets();
  const CacheLine* first = nullptr;
  for (std::uint64_t at = set_of_(line), k = 0; !first && k < sets; ++k, at = (at + 1) % sets)
    first = replacement_->first_to_leave(set(at));
  GPX_ASSERT(first, "a line is there");
  return first->number();
}

void Cache::upload(const std::vector<LineRange>& buffers) {
  copies_.push_back({&buffers});
  listed_ = nullptr;
}

void Cache::flush(std::uint64_t lines) {
  copies_.push_back({nullptr, lines});
}

void Cache::pass(std::uint64_t lines, std::uint64_t dirty, DirtyParts parts) {
  copies_.push_back({nullptr, lines, dirty, true, parts});
}

void Cache::catch_up(const Set& set) const {
  std::uint64_t& seen = seen_[set.index];
  if (seen < first_copy_) {
    std::fill_n(set.lines, set.ways, CacheLine{});
    replacement_->clear(set.index);
    seen = first_copy_;
  }
  for (std::uint64_t i = seen - first_copy_; i < copies_.size(); ++i) {
    if (copies_[i].passed)
      apply_passed(set, copies_[i], first_copy_ + i);
    else if (!copies_[i].upload)
      apply_flush(set, copies_[i].lines, first_copy_ + i);
    else if (set_of_.modulo())
      apply_upload(set, *copies_[i].upload);
    else
      copy_first(set, *copies_[i].upload);
  }
  seen = first_copy_ + copies_.size();
}

void Cache::apply_upload(const Set& set, const std::vector<LineRange>& buffers) const {
  const std::uint64_t sets = set_of_.sets();
  // cursor_[b]: the smallest offset of buffer b, not yet taken, that maps to this set.
  cursor_.clear();
  for (const LineRange& buffer : buffers)
    cursor_.push_back((set.index + sets - set_of_(buffer.first)) % sets);
  for (unsigned way = 0; way < set.ways; ++way) {
    std::size_t nearest = buffers.size();
    for (std::size_t b = 0; b < buffers.size(); ++b)
      if (cursor_[b] < buffers[b].count &&
          (nearest == buffers.size() || cursor_[b] < cursor_[nearest]))
        nearest = b;
    if (nearest == buffers.size()) return;
    set.lines[way] = CacheLine(buffers[nearest].first + cursor_[nearest]);
    cursor_[nearest] += sets;
  }
}

void Cache::copy_first(const Set& set, const std::vector<LineRange>& buffers) const {
  if (listed_ != &buffers) list_uploaded(buffers);
  const CacheLine* from = &uploaded_[static_cast<std::size_t>(set.lines - lines_.data())];
  for (unsigned way = 0; way < set.ways && from[way].valid(); ++way) set.lines[way] = from[way];
}

// Deals the buffers' lines to the sets until all are full. A function that never reaches some set
// within a few times the capacity leaves it empty.
void Cache::list_uploaded(const std::vector<LineRange>& buffers) const {
  listed_ = &buffers;
  if (uploaded_from_ == buffers && !uploaded_.empty()) return;
  constexpr std::uint64_t kPasses = 4;
  uploaded_.assign(lines_.size(), CacheLine{});
  uploaded_from_ = buffers;
  std::vector<unsigned> taken(set_of_.sets(), 0);
  std::uint64_t longest = 0;
  for (const LineRange& buffer : buffers) longest = std::max(longest, buffer.count);
  longest = std::min<std::uint64_t>(longest, kPasses * lines_.size());
  std::uint64_t empty = lines_.size();
  for (std::uint64_t offset = 0; offset < longest && empty > 0; ++offset) {
    for (const LineRange& buffer : buffers) {
      if (offset >= buffer.count) continue;
      const std::uint64_t line = buffer.first + offset, index = set_of_(line);
      const std::uint64_t first = first_of(index);
      if (first + taken[index] >= first_of(index + 1)) continue;
      uploaded_[first + taken[index]++] = CacheLine(line);
      --empty;
    }
  }
}

// A flush's own lines are never read: any numbers that no buffer has will do. As of what passed,
// those of neighbouring sets are neighbours, so that rows of memory are written as the flush filled
// them. Which of them are dirty does not depend on their age (docs/results/h200/l2_state.csv).
void Cache::apply_flush(const Set& set, std::uint64_t count, std::uint64_t number) const {
  const std::uint64_t sets = set_of_.sets();
  const std::uint64_t here = count / sets + (set.index < count % sets ? 1 : 0);
  const auto moved = static_cast<unsigned>(std::min<std::uint64_t>(here, set.ways));
  std::copy_backward(set.lines, set.lines + (set.ways - moved), set.lines + set.ways);
  for (unsigned way = 0; way < moved; ++way) {
    const std::uint64_t place = (number * set.ways + way) * sets + set.index;
    set.lines[way] = CacheLine(CacheLine::kInvalid - 1 - place);
    constexpr unsigned kTogether = 16;  // lines: L2 writes back what shares a row of memory
    const double part =
        static_cast<double>((place / kTogether) * 0x9e3779b97f4a7c15ull >> 40) / (1u << 24);
    if (part < dirty_) set.lines[way].set_dirty();
  }
}

// More than twice the ways of a set make no further difference to any policy. Dirty lines lie
// evenly over what passed; neighbouring sets have neighbouring lines, which no buffer has.
void Cache::apply_passed(const Set& set, const Copy& copy, std::uint64_t number) const {
  const std::uint64_t each = std::max<std::uint64_t>(copy.lines / set_of_.used(), 1);
  const std::uint64_t here = std::min<std::uint64_t>(each, 2 * set.ways);
  std::uint64_t dirty = set.index * here % copy.lines * copy.dirty;
  for (std::uint64_t i = 0; i < here; ++i) {
    const std::uint64_t round = number * 2 * set.ways + i;
    const std::uint64_t line_number = round * set_of_.sets() + set.index;
    CacheLine& line = replacement_->insert(set, CacheLine::kInvalid - 2 - line_number).line;
    dirty = dirty % copy.lines + copy.dirty;
    if (dirty < copy.lines) continue;
    line.set_dirty(copy.parts.stored_mask());
    line.set_lacking(copy.parts.lacking_mask(), 1);
  }
}

}  // namespace gpx::vgpu::timing
