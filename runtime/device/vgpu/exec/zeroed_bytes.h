// ZeroedBytes: memory that begins as zeros and costs nothing until somebody asks for it. Few
// kernels touch the stacks in their threads' local memories, which add up to gigabytes over a whole
// GPU. Covered by tests/vgpu/local_memory_test.cpp.
#pragma once

#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <new>

namespace gpx::vgpu::exec {

class ZeroedBytes {
 public:
  /// `bytes` zeros. What nobody has asked for still is zeros.
  void assign(std::size_t bytes) {
    if (bytes != size_) {
      // Pages that the system hands out are zeros: std::calloc does not write them.
      bytes_.reset(bytes == 0 ? nullptr : static_cast<std::uint8_t*>(std::calloc(bytes, 1)));
      if (bytes != 0 && !bytes_) throw std::bad_alloc();
      size_ = bytes;
    } else if (asked_) {
      std::memset(bytes_.get(), 0, size_);
    }
    asked_ = false;
  }
  std::size_t size() const { return size_; }
  /// May be written to from now on.
  std::uint8_t* data() {
    asked_ = size_ != 0;
    return bytes_.get();
  }

 private:
  struct Free {
    void operator()(std::uint8_t* bytes) const { std::free(bytes); }
  };
  std::unique_ptr<std::uint8_t[], Free> bytes_;
  std::size_t size_ = 0;
  bool asked_ = false;
};

}  // namespace gpx::vgpu::exec
