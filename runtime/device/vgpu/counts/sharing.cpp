// Interface: sharing.h. Covered by tests/vgpu/dependence_test.cpp.
#include "runtime/device/vgpu/counts/sharing.h"

#include <bit>

namespace gpx::vgpu {

void Sharing::see(std::uint64_t block, const ptx::Instruction& instruction,
                  const exec::Effect& effect) {
  const bool space = effect.space == ptx::Space::global || effect.space == ptx::Space::texture;
  if ((!space || effect.active == 0) && !effect.ranges) return;
  const auto line = static_cast<std::size_t>(instruction.line);
  const bool used = line < touched_.result_used.size() && touched_.result_used[line];
  block_ = static_cast<std::uint32_t>(block) + 1;
  line_ = instruction.line;
  writes_ = effect.is_store;
  reads_ = effect.is_atomic ? used : !effect.is_store;
  if (effect.ranges) {
    for (const exec::Range& range : *effect.ranges)
      if (tracked(range.begin)) touch(range.begin, range.bytes);
    return;
  }
  for (exec::Mask rest = effect.active; rest != 0; rest &= rest - 1) {
    const auto lane = static_cast<unsigned>(std::countr_zero(rest));
    const std::uint64_t address = (*effect.addresses)[lane];
    if (tracked(address)) touch(address, effect.bytes);
  }
}

bool Sharing::tracked(std::uint64_t address) {
  const auto holds = [&](const Region& each) { return address - each.begin < each.bytes; };
  if (last_ >= regions_.size() || !holds(regions_[last_]))
    for (last_ = 0; last_ < regions_.size() && !holds(regions_[last_]);) ++last_;
  const Touched::Buffers buffer =
      last_ < regions_.size() ? regions_[last_].buffer : Touched::Buffers{1} << Touched::kModule;
  return (touched_.both() & buffer) != 0;
}

void Sharing::touch(std::uint64_t address, std::uint64_t bytes) {
  for (std::uint64_t word = address / 4; word <= (address + bytes - 1) / 4; ++word) {
    if (word / kWords != page_) {
      page_ = word / kWords;
      std::unique_ptr<Page>& page = pages_[page_];
      if (!page) page = std::make_unique<Page>();
      parts_ = page.get();
    }
    std::unique_ptr<Part>& part = (*parts_)[word % kWords / kPart];
    if (!part) part = std::make_unique<Part>();
    touch_word((*part)[word % kPart]);
  }
}

void Sharing::touch_word(Word& word) {
  const auto add = [this](std::uint32_t& who) {
    who = who == 0 || who == block_ ? block_ : kSeveral;
  };
  if (reads_) add(word.reader);
  if (writes_) add(word.writer);
  if (reads_ && word.line == 0) word.line = line_;
  const bool shared = word.reader != 0 && word.writer != 0 &&
                      (word.reader != word.writer || word.reader == kSeveral);
  if (shared && conflict_ == 0) conflict_ = line_;
}

int Sharing::foreign() const {
  int first = 0;
  for (const auto& [number, page] : pages_)
    for (const auto& part : *page) {
      if (!part) continue;
      for (const Word& word : *part)
        if (word.reader != 0 && word.writer == 0 && (first == 0 || word.line < first))
          first = word.line;
    }
  return first;
}

}  // namespace gpx::vgpu
