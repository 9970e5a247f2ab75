// Interface: runtime/device/cuda/buffers.h. Covered by tests/runtime/cuda_buffers_test.cpp.
#include "runtime/device/cuda/buffers.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <utility>

#include "lang/stop.h"
#include "lang/try.h"

namespace gpx::cuda {
namespace {

constexpr std::uint64_t kStagingBytes = 16u << 20;
/// Links that lie no further apart are copied together with the words between them: a copy costs
/// microseconds, whatever its size.
constexpr std::uint64_t kGapBytes = 4096;

std::uint64_t whole_words(std::uint64_t bytes) {
  return (bytes + 3) / 4 * 4;
}

/// The words that every buffer starts with, from the one at byte `at` (a multiple of 4) on.
void initial_words(std::byte* out, std::uint64_t at, std::uint64_t bytes) {
  for (std::uint64_t done = 0; done < bytes; done += 4) {
    const std::uint32_t word = codegen::initial_word((at + done) / 4);
    std::memcpy(out + done, &word, 4);
  }
}

/// The fixed hash of each word's index is not what it starts as.
bool own_contents(const codegen::Buffer& buffer) {
  return buffer.has_contents || buffer.has_fill || buffer.bare ||
         buffer.place == codegen::Buffer::Place::tensor_map;
}

bool is_zero(const codegen::BufferFill& fill) {
  return fill.words.empty() && fill.kind == BufferContents::Kind::zero;
}

constexpr std::size_t kBetweenPolls = 1 << 20;  // Elements: a few milliseconds.

struct Link {
  std::uint64_t at = 0, next = 0;  ///< Byte offsets.
};

/// The links of a chase by place.
std::vector<Link> links_of(const codegen::ChaseContents& contents) {
  const std::vector<std::uint64_t> visit = codegen::visit_order(contents);
  std::vector<Link> links(visit.size());
  const auto kind = contents.kind;
  const bool even = kind == Array::Layout::Kind::stride || kind == Array::Layout::Kind::random;
  const std::uint64_t stride = contents.args.empty() ? contents.width : contents.args[0];
  for (std::size_t k = 0; k < visit.size(); ++k) {
    if (k % kBetweenPolls == 0 && StopScope::raised()) return {};
    links[even ? visit[k] / stride : k] = {visit[k], visit[(k + 1) % visit.size()]};
  }
  if (!even) std::ranges::sort(links, {}, &Link::at);
  return links;
}

/// How many links from `first` on are copied at once.
std::size_t together(std::span<const Link> links, std::size_t first, std::uint64_t width) {
  std::size_t last = first;
  while (last + 1 < links.size() && links[last + 1].at - links[last].at <= kGapBytes &&
         links[last + 1].at + width - links[first].at <= kStagingBytes) {
    ++last;
  }
  return last + 1 - first;
}

}  // namespace

Buffers::~Buffers() {
  if (context_.hung()) return;
  for (Held& held : held_) {
    if (held.is_texture) context_.driver().tex_object_destroy(held.argument);
    if (held.mapped.pointer()) context_.mapped_spare() = std::move(held.mapped);
  }
}

Result<void> Buffers::load(std::span<const codegen::Buffer> buffers,
                           std::span<const CUmodule> modules, Queue& queue) {
  for (const codegen::Buffer& buffer : buffers) {
    Held& held = held_.emplace_back();
    held.buffer = buffer;
    const bool constant = buffer.place == codegen::Buffer::Place::constant;
    GPX_TRY(constant ? find_constant(held, modules) : allocate(held));
  }
  return fill(queue);
}

Result<void> Buffers::allocate(Held& held) {
  const std::uint64_t bytes = std::max<std::uint64_t>(whole_words(held.buffer.bytes), 4);
  const std::string what = fmt::format("'{}'", held.buffer.name);
  if (held.buffer.place == codegen::Buffer::Place::peer) {
    auto peer = GPX_TRY(context_.peer());
    held.peer = peer;
    auto ok = held.far_memory.reserve(*peer, bytes, held.buffer.alignment(), what);
    if (!ok) return ok;
    held.argument = held.far_memory.pointer();
  } else if (auto ok = allocate_own(held, bytes, what); !ok) {
    return ok;
  }
  held.copies = {held.argument};
  return held.buffer.place == codegen::Buffer::Place::texture ? make_texture(held) : Result<void>();
}

bool Buffers::map(Held& held, std::uint64_t bytes, std::uint64_t alignment) {
  if (context_.mapped_spare().holds(bytes, alignment)) {
    std::swap(held.mapped, context_.mapped_spare());
    return true;
  }
  CUresult result = held.mapped.reserve(context_, bytes, alignment);
  if (result == CUDA_ERROR_OUT_OF_MEMORY) {
    context_.free_spares();
    result = held.mapped.reserve(context_, bytes, alignment);
  }
  return result == CUDA_SUCCESS;
}

/// Where sets are chosen by a function of address bits, an array of half the memory and more must
/// begin at a multiple of its size, too: 2,048 neighbouring granules from any other place fill the
/// sets of a TLB unevenly.
Result<void> Buffers::allocate_own(Held& held, std::uint64_t bytes, const std::string& what) {
  const std::uint64_t alignment = held.buffer.alignment();
  if (alignment > 1 && !DeviceMemory::room(context_, bytes, alignment) &&
      map(held, bytes, alignment)) {
    held.argument = held.mapped.pointer();
    return {};
  }
  auto start = GPX_TRY(held.memory.reserve_aligned(context_, bytes, alignment, what));
  held.argument = start;
  return {};
}

Result<void> Buffers::make_texture(Held& held) {
  CUDA_RESOURCE_DESC resource{};
  resource.resType = CU_RESOURCE_TYPE_LINEAR;
  resource.res.linear.devPtr = held.argument;
  resource.res.linear.format = CU_AD_FORMAT_UNSIGNED_INT32;
  resource.res.linear.numChannels = 1;
  resource.res.linear.sizeInBytes = std::max<std::uint64_t>(whole_words(held.buffer.bytes), 4);
  CUDA_TEXTURE_DESC texture{};
  texture.filterMode = CU_TR_FILTER_MODE_POINT;
  texture.flags = kReadAsInteger;
  CUtexObject object = 0;
  const CUresult result =
      context_.driver().tex_object_create(&object, &resource, &texture, nullptr);
  held.is_texture = result == CUDA_SUCCESS;
  held.argument = object;
  return context_.check(result, fmt::format("'{}' ({}) cannot be read as a texture",
                                            held.buffer.name, readable_bytes(held.buffer.bytes)));
}

/// A module whose kernel does not read the array may lack it.
Result<void> Buffers::find_constant(Held& held, std::span<const CUmodule> modules) {
  const std::string& name = held.buffer.name;
  for (const CUmodule module : modules) {
    CUdeviceptr pointer = 0;
    std::size_t bytes = 0;
    const CUresult result =
        context_.driver().module_get_global(&pointer, &bytes, module, name.c_str());
    if (result == CUDA_ERROR_NOT_FOUND) continue;
    if (auto ok = context_.check(result, fmt::format("'{}' cannot be found", name)); !ok) return ok;
    if (bytes < held.buffer.bytes) {
      return fail(Fault::device, fmt::format("constant '{}' has {} B in a module instead of {}",
                                             name, bytes, held.buffer.bytes));
    }
    held.copies.push_back(pointer);
  }
  if (!held.copies.empty()) return {};
  return fail(Fault::device, fmt::format("no module has the constant array '{}'", name));
}

/// A word depends on its index alone, so each staged part goes to every buffer that reaches it.
Result<void> Buffers::fill(Queue& queue) {
  std::uint64_t longest = 0;
  for (const Held& held : held_) {
    if (!own_contents(held.buffer)) longest = std::max(longest, held.buffer.bytes);
  }
  if (longest == 0) return {};
  const std::uint64_t size = std::min(kStagingBytes, whole_words(longest));
  GPX_TRY(staging_.reserve(context_, size, "a staging buffer"));
  GPX_TRY(queue.begin(false));
  for (std::uint64_t at = 0; at < longest; at += size) {
    initial_words(static_cast<std::byte*>(staging_.data()), at,
                  std::min(size, whole_words(longest - at)));
    Result<void> ok;
    for (const Held& held : held_) {
      if (!ok || own_contents(held.buffer) || held.buffer.bytes <= at) continue;
      ok = copy_to_all(held, at, std::min(size, held.buffer.bytes - at), 0, queue);
    }
    const Result<void> drained = queue.drain();  // also after a failure: what is queued reads it
    if (!ok) return ok;
    if (!drained) return drained;
  }
  return {};
}

Result<void> Buffers::copy_to_all(const Held& held, std::uint64_t at, std::uint64_t bytes,
                                  std::uint64_t staged, Queue& queue) {
  const auto* source = static_cast<const std::byte*>(staging_.data()) + staged;
  for (const CUdeviceptr copy : held.copies) {
    auto ok = held.peer ? held.peer->copy(copy + at, source, bytes)
                        : queue.copy(copy + at, source, bytes);
    if (!ok) return ok;
  }
  return {};
}

Result<void> Buffers::prepare(const codegen::Launch& launch, Queue& queue) {
  std::size_t next = 0, buffer = 0, tensor = 0;
  for (Held& held : held_) {
    const std::size_t index = buffer++;
    if (held.buffer.has_fill) {
      GPX_TRY(write_fill(held, launch.fills[index], launch.flush, queue));
    }
    if (held.buffer.place == codegen::Buffer::Place::tensor_map) {
      if (tensor == launch.tensors.size())
        return fail(Fault::device,
                    fmt::format("a launch has no tensor for '{}'", held.buffer.name));
      const codegen::TensorMap& map = launch.tensors[tensor++];
      GPX_TRY(write_map(held, map, argument(map.buffer, launch), queue));
    }
    if (!held.buffer.has_contents) continue;
    if (next == launch.contents.size()) {
      return fail(Fault::device,
                  fmt::format("a launch has no contents for '{}'", held.buffer.name));
    }
    const codegen::ChaseContents& wanted = launch.contents[next++];
    if (held.holds == wanted && !held.buffer.written) continue;
    // The launches before still read what is there.
    GPX_TRY(queue.drain());
    held.holds.reset();
    const Result<void> ok = write_chase(held, wanted, queue);
    const Result<void> drained = queue.drain();
    if (!ok) return ok;
    if (!drained) return drained;
    held.holds = wanted;
  }
  return {};
}

Result<void> Buffers::write_map(Held& held, const codegen::TensorMap& tensor, std::uint64_t address,
                                Queue& queue) {
  if (held.describes == tensor && held.described == address) return {};
  const auto encode = context_.driver().tensor_map_encode;
  if (!encode)
    return fail(Fault::device,
                "the CUDA driver has no tensor maps: it must be of CUDA 12.0 or newer");
  const CUtensorMapDataType type = tensor.element == 8   ? CU_TENSOR_MAP_DATA_TYPE_UINT64
                                   : tensor.element == 4 ? CU_TENSOR_MAP_DATA_TYPE_UINT32
                                   : tensor.element == 2 ? CU_TENSOR_MAP_DATA_TYPE_UINT16
                                                         : CU_TENSOR_MAP_DATA_TYPE_UINT8;
  const std::size_t sides = tensor.extents.size();
  std::vector<std::uint64_t> strides;
  for (std::size_t side = 1; side < sides; ++side) strides.push_back(tensor.stride(side));
  const std::vector<std::uint32_t> steps(sides, 1);
  CUtensorMap map{};
  const CUresult result =
      encode(&map, type, static_cast<unsigned>(sides),
             reinterpret_cast<void*>(address),  // NOLINT: an address on the device
             tensor.extents.data(), strides.data(), tensor.box.data(), steps.data(),
             CU_TENSOR_MAP_INTERLEAVE_NONE, CU_TENSOR_MAP_SWIZZLE_NONE,
             CU_TENSOR_MAP_L2_PROMOTION_NONE, CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE);
  if (auto ok = context_.check(
          result, fmt::format("the tensor '{}' cannot be described", held.buffer.name));
      !ok)
    return ok;
  // The launches before still read what is there.
  GPX_TRY(queue.drain());
  GPX_TRY(staging_.reserve(context_, sizeof map, "a staging buffer"));
  std::memcpy(staging_.data(), &map, sizeof map);
  const Result<void> ok = copy_to_all(held, 0, sizeof map, 0, queue);
  const Result<void> drained = queue.drain();
  if (!ok) return ok;
  if (drained) held.describes = tensor, held.described = address;
  return drained;
}

/// What the kernels wrote is gone after it. Before a flush the GPU writes zeros itself: its memset
/// leaves lines in L2, as a copy does not, and the flush takes them out.
Result<void> Buffers::write_fill(Held& held, const codegen::BufferFill& fill, bool flushed,
                                 Queue& queue) {
  if (fill.bytes > held.buffer.bytes)
    return fail(Fault::device, fmt::format("the contents do not fit into '{}'", held.buffer.name));
  if (flushed && is_zero(fill) && fill.bytes % 4 == 0 && !held.peer) {
    for (const CUdeviceptr copy : held.copies) GPX_TRY(queue.fill(copy, fill.bytes));
    return {};
  }
  GPX_TRY(queue.drain());
  const std::uint64_t size = std::min(kStagingBytes, whole_words(fill.bytes));
  GPX_TRY(staging_.reserve(context_, size, "a staging buffer"));
  for (std::uint64_t at = 0; at < fill.bytes; at += size) {
    const std::uint64_t bytes = std::min(size, fill.bytes - at);
    fill.write(at, bytes, static_cast<std::uint8_t*>(staging_.data()));
    const Result<void> ok = copy_to_all(held, at, bytes, 0, queue);
    const Result<void> drained = queue.drain();
    if (!ok) return ok;
    if (!drained) return drained;
  }
  return {};
}

/// Copies runs of links, staging as many as fit before it waits for them.
Result<void> Buffers::write_chase(Held& held, const codegen::ChaseContents& contents,
                                  Queue& queue) {
  const std::vector<Link> links = links_of(contents);
  if (StopScope::raised()) return StopScope::error();
  const bool aligned =
      std::ranges::all_of(links, [](const Link& link) { return link.at % 4 == 0; });
  if (links.empty() || links.back().at + contents.width > held.buffer.bytes || !aligned) {
    return fail(Fault::device, fmt::format("the chase does not fit into '{}'", held.buffer.name));
  }
  GPX_TRY(staging_.reserve(context_, kStagingBytes, "a staging buffer"));
  auto* staging = static_cast<std::byte*>(staging_.data());
  std::uint64_t used = 0;
  for (std::size_t first = 0; first < links.size();) {
    const std::size_t count = together(links, first, contents.width);
    const std::uint64_t at = links[first].at;
    const std::uint64_t bytes = links[first + count - 1].at + contents.width - at;
    if (used + bytes > kStagingBytes || queue.full()) {
      GPX_TRY(queue.drain());
      used = 0;
    }
    initial_words(staging + used, at, bytes);
    for (std::size_t i = first; i < first + count; ++i)
      std::memcpy(staging + used + (links[i].at - at), &links[i].next, contents.width);
    GPX_TRY(copy_to_all(held, at, bytes, used, queue));
    used += bytes;
    first += count;
  }
  return {};
}

}  // namespace gpx::cuda
