// Sparse global memory. Interface: memory.h. Covered by tests/vgpu/exec_memory_test.cpp.
#include "runtime/device/vgpu/exec/memory.h"

#include <algorithm>
#include <cstring>

namespace gpx::vgpu::exec {
namespace {
// Allocations start on 2 MiB, as the driver's large ones do, and leave at least as much unmapped
// behind them, so that running off an array's end is seen.
constexpr std::uint64_t kGranularity = 2ull << 20;
constexpr std::size_t kFirstBlock = 64 << 10, kLargestBlock = LargePages<std::uint8_t>::kPage;
}  // namespace

std::uint64_t GlobalMemory::allocate(std::uint64_t bytes, Fill fill, std::uint64_t alignment) {
  return add({0, bytes, std::move(fill), nullptr, {}, {}}, alignment);
}

std::uint64_t GlobalMemory::add(Buffer buffer, std::uint64_t alignment) {
  const std::uint64_t bytes = buffer.bytes;
  std::uint64_t& next = alignment > kGranularity ? next_aligned_ : next_;
  const std::uint64_t address = (next + alignment - 1) / alignment * alignment;
  buffer.address = address;
  constexpr std::uint64_t kChapterBytes = kChapter * kPageBytes;
  buffer.chapters.resize((bytes + kChapterBytes - 1) / kChapterBytes);
  const auto behind = std::upper_bound(buffers_.begin(), buffers_.end(), address, begins_later);
  buffers_.insert(behind, std::move(buffer));
  next = address + (bytes + kGranularity - 1) / kGranularity * kGranularity + kGranularity;
  return address;
}

std::uint64_t GlobalMemory::attach(const std::shared_ptr<const void>& owner, std::uint64_t bytes,
                                   Fill fill) {
  for (auto& [known, address] : attached_) {
    if (known == owner) return address;
  }
  attached_.emplace_back(owner, allocate(bytes, std::move(fill)));
  return attached_.back().second;
}

std::uint64_t GlobalMemory::heap_take(std::uint64_t bytes) {
  const std::uint64_t offset = heap_.take(bytes);
  if (offset == Heap::kBytes) return 0;
  if (heap_address_ == 0) heap_address_ = allocate(Heap::kBytes, nullptr);
  return heap_address_ + offset;
}

bool GlobalMemory::heap_give_back(std::uint64_t address) {
  return heap_address_ != 0 && heap_.give_back(address - heap_address_);
}

void GlobalMemory::reset(std::uint64_t address) {
  Buffer* buffer = find(address);
  if (!buffer) return;
  for (const std::size_t index : buffer->made) {
    Page& page = buffer->page(index);
    unused_.push_back(page);
    page = nullptr;
  }
  buffer->made.clear();
}

GlobalMemory::Page GlobalMemory::new_page() {
  if (!unused_.empty()) {
    const Page page = unused_.back();
    unused_.pop_back();
    return page;
  }
  if (blocks_.empty() || taken_ == blocks_.back().size() / kPageBytes) {
    // A few pages cost a few kilobytes, many a large page for each 2048.
    const std::size_t bytes = blocks_.empty() ? kFirstBlock : 2 * blocks_.back().size();
    blocks_.emplace_back(std::min(bytes, kLargestBlock));
    taken_ = 0;
  }
  return blocks_.back().data() + taken_++ * kPageBytes;
}

GlobalMemory::Buffer* GlobalMemory::find(std::uint64_t address) {
  auto holds = [&](const Buffer& b) { return address - b.address < b.bytes; };
  if (last_ < buffers_.size() && holds(buffers_[last_])) return &buffers_[last_];
  auto it = std::upper_bound(buffers_.begin(), buffers_.end(), address, begins_later);
  if (it == buffers_.begin() || !holds(*--it)) return nullptr;
  last_ = static_cast<std::size_t>(it - buffers_.begin());
  return &*it;
}

GlobalMemory::Window GlobalMemory::window(std::uint64_t address) {
  Buffer* buffer = find(address);
  if (!buffer) return {};
  std::uint64_t index = (address - buffer->address) / kPageBytes;
  std::uint64_t offset = index * kPageBytes;
  std::uint64_t bytes = std::min(kPageBytes, buffer->bytes - offset);
  auto& chapter = buffer->chapters[index / kChapter];
  if (!chapter) chapter = std::make_unique<Page[]>(kChapter);
  Page& page = chapter[index % kChapter];
  if (!page) {
    page = new_page();
    buffer->made.push_back(index);
    if (!buffer->fill)
      std::memset(page, 0, kPageBytes);
    else
      buffer->fill(offset, bytes, page);
  }
  return {buffer->address + offset, bytes, page};
}

bool GlobalMemory::computed(std::uint64_t address, unsigned bytes, std::uint8_t* out) {
  const Buffer* buffer = find(address);
  if (!buffer || !buffer->word) return false;
  const std::uint64_t offset = address - buffer->address, index = offset / kPageBytes;
  const auto& chapter = buffer->chapters[index / kChapter];
  if (chapter && chapter[index % kChapter]) return false;
  const std::uint64_t page = buffer->address + index * kPageBytes;
  if (buffer->bytes - offset < bytes) return false;
  if (page != last_computed_) neighbours_ = 0;
  if (neighbours_ == kNeighbours) return false;
  last_computed_ = page;
  ++neighbours_;
  for (unsigned at = 0; at < bytes; at += 4) {
    const std::uint32_t word = buffer->word((offset + at) / 4);
    std::memcpy(out + at, &word, 4);
  }
  return true;
}

template <class Copy>
bool GlobalMemory::for_pieces(std::uint64_t address, unsigned bytes, Copy copy) {
  for (unsigned done = 0; done < bytes;) {
    Window w = window(address + done);
    if (w.bytes == 0) return false;
    std::uint64_t offset = address + done - w.address;
    auto piece = static_cast<unsigned>(std::min<std::uint64_t>(bytes - done, w.bytes - offset));
    copy(w.data + offset, done, piece);
    done += piece;
  }
  return true;
}

bool GlobalMemory::read(std::uint64_t address, void* out, unsigned bytes) {
  return for_pieces(address, bytes, [&](std::uint8_t* data, unsigned done, unsigned piece) {
    std::memcpy(static_cast<std::uint8_t*>(out) + done, data, piece);
  });
}

bool GlobalMemory::write(std::uint64_t address, const void* in, unsigned bytes) {
  return for_pieces(address, bytes, [&](std::uint8_t* data, unsigned done, unsigned piece) {
    std::memcpy(data, static_cast<const std::uint8_t*>(in) + done, piece);
  });
}

}  // namespace gpx::vgpu::exec
