// LargePages: an allocator for arrays of megabytes that are read at random. On pages of 4 KB nearly
// each such read misses the host's TLB, too. Elements that are made without a value have any: of
// most arrays a part is used, and filled then. Covered by tests/vgpu/exec_memory_test.cpp.
#pragma once

#include <sys/mman.h>

#include <cstddef>
#include <new>
#include <type_traits>
#include <vector>

namespace gpx::vgpu {

template <class T>
struct LargePages {
  using value_type = T;
  static constexpr std::size_t kPage = std::size_t{2} << 20;

  LargePages() = default;
  template <class U>
  explicit(false) LargePages(const LargePages<U>& /*other*/) {}

  T* allocate(std::size_t count) {
    const std::size_t bytes = count * sizeof(T);
    if (bytes < kPage) return static_cast<T*>(::operator new(bytes));
    void* const memory = ::operator new (bytes, std::align_val_t{kPage});
    ::madvise(memory, bytes, MADV_HUGEPAGE);  // advice: where it is not taken, pages are small
    return static_cast<T*>(memory);
  }
  void deallocate(T* memory, std::size_t count) {
    if (count * sizeof(T) < kPage)
      ::operator delete(memory);
    else
      ::operator delete (memory, std::align_val_t{kPage});
  }
  /// Without a value; with one, elements are made as elsewhere.
  void construct(T* /*element*/) { static_assert(std::is_trivially_copyable_v<T>); }
  bool operator==(const LargePages&) const = default;
};

template <class T>
using LargeVector = std::vector<T, LargePages<T>>;

}  // namespace gpx::vgpu
