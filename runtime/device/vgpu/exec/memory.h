// The virtual GPU's global memory: sparse, bounds-checked, byte-addressed.
//
// Covered by tests/vgpu/exec_memory_test.cpp.
#pragma once

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <functional>
#include <memory>
#include <unordered_map>
#include <vector>

#include "runtime/device/vgpu/exec/heap.h"
#include "runtime/device/vgpu/large_pages.h"

namespace gpx::vgpu::exec {

/// A texture object's handle, of memory that begins at a multiple of 2 MiB. Machine code keeps 32
/// bits of it; the highest says that it is one.
constexpr unsigned kTextureShift = 21;
constexpr std::uint64_t kIsTexture = std::uint64_t{1} << 31;
constexpr std::uint64_t texture_handle(std::uint64_t address) {
  return address >> kTextureShift | kIsTexture;
}
/// Of a handle's lower 32 bits; 0: it is that of no texture object.
constexpr std::uint64_t texture_address(std::uint64_t handle) {
  return (handle & kIsTexture) == 0 ? 0 : (handle & (kIsTexture - 1)) << kTextureShift;
}

/// Pages are made when they are first touched, from the buffer's fill: an array as large as the
/// modelled GPU's memory costs the host what a kernel touches of it. Not thread-safe.
class GlobalMemory {
 public:
  /// Writes the initial contents of [offset, offset + bytes) of a buffer to `out`.
  using Fill = std::function<void(std::uint64_t offset, std::uint64_t bytes, std::uint8_t* out)>;

  /// The initial contents of 32-bit word i of a buffer.
  using Word = std::uint32_t (*)(std::uint64_t i);

  /// As small as a chase over gigabytes wants them, which touches a line of each.
  static constexpr std::uint64_t kPageBytes = 1024;

  /// Reserves `bytes` at an address that is a multiple of 2 MiB and of `alignment`, a power of two,
  /// with an unmapped gap after it.
  std::uint64_t allocate(std::uint64_t bytes, Fill fill, std::uint64_t alignment = 1);
  /// The same, where each word can be computed by itself: see computed().
  template <Word kWord>
  std::uint64_t allocate_words(std::uint64_t bytes, std::uint64_t alignment = 1) {
    return add({0, bytes, &fill_words<kWord>, kWord, {}, {}}, alignment);
  }
  /// Forgets what was written to the buffer at `address`: it reads as filled again.
  void reset(std::uint64_t address);

  /// Allocates once for each `owner` and gives the same address ever after: a module's variables.
  std::uint64_t attach(const std::shared_ptr<const void>& owner, std::uint64_t bytes, Fill fill);

  /// malloc of a kernel: an address; 0: the heap has no such room. The heap is made with the first.
  std::uint64_t heap_take(std::uint64_t bytes);
  /// free: false where the address is none that heap_take() gave, or has been given back.
  bool heap_give_back(std::uint64_t address);
  /// All of it is free again.
  void reset_heap() { heap_ = {}; }

  /// The mapped bytes around an address, as far as they lie together: at most a page.
  struct Window {
    std::uint64_t address = 0;
    std::uint64_t bytes = 0;  ///< 0: the address is unmapped.
    std::uint8_t* data = nullptr;
  };
  Window window(std::uint64_t address);

  static constexpr unsigned kMostComputed = 16;
  static constexpr unsigned kNeighbours = 8;  ///< Lines of 128 B in a page.
  /// Writes what lies at `address` to `out`, kMostComputed bytes, where it is a word that can be
  /// computed and whose page is not made: lanes that read a line each of hundreds of megabytes need
  /// no page. The next address of a page of which kNeighbours were computed in a row makes it
  /// (false): words side by side are read faster so.
  /// `bytes`: a multiple of 4 up to kMostComputed, which `address` is a multiple of.
  bool computed(std::uint64_t address, unsigned bytes, std::uint8_t* out);

  /// Some buffer has all of these bytes. No page is made.
  bool holds(std::uint64_t address, std::uint64_t bytes) {
    const Buffer* buffer = find(address);
    return buffer && bytes <= buffer->bytes - (address - buffer->address);
  }

  /// False: some byte lies outside every buffer.
  bool read(std::uint64_t address, void* out, unsigned bytes);
  bool write(std::uint64_t address, const void* in, unsigned bytes);

 private:
  using Page = std::uint8_t*;  ///< Of a block.
  static constexpr std::size_t kChapter = 256;
  struct Buffer {
    std::uint64_t address, bytes;
    Fill fill;
    Word word = nullptr;
    /// Pages, by kChapter; a chapter is made with its first page: of 80 GB nobody touches most.
    std::vector<std::unique_ptr<Page[]>> chapters;
    std::vector<std::size_t> made;  ///< Numbers of pages.

    Page& page(std::size_t number) { return chapters[number / kChapter][number % kChapter]; }
  };
  /// A page has hundreds of words: they are computed in line.
  template <Word kWord>
  static void fill_words(std::uint64_t offset, std::uint64_t bytes, std::uint8_t* out) {
    for (std::uint64_t at = 0; at < bytes; at += 4) {
      const std::uint32_t value = kWord((offset + at) / 4);
      std::memcpy(out + at, &value, std::min<std::uint64_t>(4, bytes - at));
    }
  }
  std::uint64_t add(Buffer buffer, std::uint64_t alignment);
  Page new_page();
  static bool begins_later(std::uint64_t address, const Buffer& buffer) {
    return address < buffer.address;
  }
  Buffer* find(std::uint64_t address);
  template <class Copy>
  bool for_pieces(std::uint64_t address, unsigned bytes, Copy copy);

  std::vector<Buffer> buffers_;  ///< By address.
  std::vector<LargeVector<std::uint8_t>> blocks_;
  std::size_t taken_ = 0;     ///< Pages of the last block.
  std::vector<Page> unused_;  ///< What reset() took, for the next ones.
  std::vector<std::pair<std::shared_ptr<const void>, std::uint64_t>> attached_;
  Heap heap_;
  std::uint64_t heap_address_ = 0;  ///< 0: no kernel has asked for any.
  std::size_t last_ = 0;
  std::uint64_t last_computed_ = 0;  ///< Its page's address...
  unsigned neighbours_ = 0;          ///< ...and how many were computed there in a row.
  std::uint64_t next_ = 1ull << 32;
  /// Arrays that ask for more than 2 MiB lie apart: what else there is does not move them. The
  /// first one begins where pages of 2 MB begin anew to be dealt to the 65 entries of Fermi's L2
  /// TLB: its large set overflows first, as in mei2014 (Fig. 11).
  std::uint64_t next_aligned_ = 65ull << 36;
};

}  // namespace gpx::vgpu::exec
