// Lowering of arrays. Interface: codegen/lower/array.h; ChaseContents: codegen/ir/program.h.
#include "codegen/lower/array.h"

#include <fmt/format.h>

#include <algorithm>

#include "lang/stop.h"
#include "lang/vocabulary.h"

namespace gpx::codegen {
namespace {

using LayoutKind = Array::Layout::Kind;

constexpr std::size_t kBetweenPolls = 1 << 20;  // Elements: a few milliseconds.

constexpr std::uint64_t kConstantBytes = 64 << 10;   // What a module's constants may take.
constexpr std::uint64_t kTextureBytes = 4ull << 27;  // A linear texture of 2^27 words.
constexpr std::uint64_t kLocalBytes = 512 << 10;     // Of a thread, on every GPU since Fermi.

}  // namespace

ArrayLowering::ArrayLowering(LowerContext& context, const Array& array)
    : context_(context),
      array_(array),
      buffer_("array_" + array.name),
      bytes_scalar_(buffer_ + "_bytes") {
  GPX_ASSERT(array.layout.kind != LayoutKind::none);
}

std::uint64_t ArrayLowering::most_in_space() const {
  switch (array_.space) {
    case Space::shared: return context_.limits.shared_per_block;
    case Space::constant: return kConstantBytes;
    case Space::texture: return kTextureBytes;
    case Space::local: return kLocalBytes;
    case Space::global:
    case Space::peer: break;
  }
  return kMaxExtent;
}

void ArrayLowering::point() {
  contents_.kind = array_.layout.kind;
  contents_.bytes = context_.whole(array_.bytes, rules::array_bytes);
  contents_.width = static_cast<std::uint32_t>(context_.whole(array_.width, rules::link_width));
  contents_.args.clear();
  for (std::size_t i = 0; i < array_.layout.args.size(); ++i)
    contents_.args.push_back(
        context_.whole(array_.layout.args[i], layout_rule(array_.layout.kind, i)));
  if (array_.space == Space::peer) context_.need_peer(array_.span);
  if (array_.space == Space::shared || array_.space == Space::local)
    context_.scalars.add(bytes_scalar_, contents_.bytes);
  most_bytes_ = std::max(most_bytes_, contents_.bytes);
  if (contents_ == checked_ || context_.failed()) return;
  check();
  checked_ = contents_;
}

void ArrayLowering::check() {
  if (contents_.bytes > most_in_space())
    return context_.blame(context_.of(array_.bytes).span(),
                          fmt::format("{} bytes of {} memory: there are {}", contents_.bytes,
                                      gpx::to_string(array_.space), most_in_space()));
  const std::vector<double> args(contents_.args.begin(), contents_.args.end());
  const std::string fault = array_fault(
      contents_.kind, array_.space, static_cast<double>(contents_.bytes), contents_.width, args);
  if (!fault.empty()) context_.blame(array_.span, fault);
}

std::uint64_t ArrayLowering::first() const {
  return contents_.kind == LayoutKind::list ? contents_.args.front() : 0;
}

// A stop leaves one element: what is laid out then is never run.
std::vector<std::uint64_t> visit_order(const ChaseContents& contents) {
  std::vector<std::uint64_t> order;
  if (contents.kind == LayoutKind::list) return contents.args;
  if (contents.kind == LayoutKind::steps) {
    order.push_back(0);
    for (std::size_t i = 0; i + 1 < contents.args.size(); i += 2)
      for (std::uint64_t n = 0; n < contents.args[i]; ++n)
        order.push_back(order.back() + contents.args[i + 1]);
    return order;
  }
  const std::uint64_t stride = contents.args.empty() ? contents.width : contents.args[0];
  const std::uint64_t last = contents.bytes < contents.width ? 0 : contents.bytes - contents.width;
  order.reserve(last / stride + 1);  // Growing would copy gigabytes between two polls.
  for (std::uint64_t at = 0; at <= last; at += stride) {
    if (order.size() % kBetweenPolls == 0 && StopScope::raised()) return {0};
    order.push_back(at);
  }
  if (contents.kind != LayoutKind::random) return order;
  // Fisher-Yates over all but the first, which every chase starts from.
  const std::uint64_t seed = contents.args.size() > 1 ? contents.args[1] : 0;
  std::uint64_t state = seed * 0x94d049bb133111ebull;
  for (std::size_t i = order.size(); i-- > 2;) {
    if (i % kBetweenPolls == 0 && StopScope::raised()) return {0};
    state += 0x9e3779b97f4a7c15ull;
    std::uint64_t x = (state ^ (state >> 30)) * 0xbf58476d1ce4e5b9ull;
    x = (x ^ (x >> 27)) * 0x94d049bb133111ebull;
    x ^= x >> 31;
    const auto other = 1 + static_cast<std::size_t>((static_cast<unsigned __int128>(x) * i) >> 64);
    std::swap(order[i], order[other]);
  }
  return order;
}

}  // namespace gpx::codegen
