// Lowering of arrays. Interface: codegen/lower/array.h; ChaseContents: codegen/ir/program.h.
#include "codegen/lower/array.h"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>
#include <set>

#include "lang/vocabulary.h"

namespace gpx::codegen {
namespace {

using LayoutKind = Array::Layout::Kind;

constexpr std::uint64_t kConstantBytes = 64 << 10;   // What a module's constants may take.
constexpr std::uint64_t kTextureBytes = 4ull << 27;  // A linear texture of 2^27 words.
constexpr std::uint64_t kLocalBytes = 512 << 10;     // Of a thread, on every GPU since Fermi.

// The distance of the last element of a layout by steps from the first.
std::uint64_t walked(const std::vector<std::uint64_t>& args) {
  unsigned __int128 at = 0;
  for (std::size_t i = 0; i + 1 < args.size(); i += 2)
    at += static_cast<unsigned __int128>(args[i]) * args[i + 1];
  return static_cast<std::uint64_t>(std::min<unsigned __int128>(at, kMaxExtent));
}

}  // namespace

ArrayLowering::ArrayLowering(LowerContext& context, const Array& array)
    : context_(context),
      array_(array),
      bytes_(context.expr(array.bytes)),
      width_(context.expr(array.width)) {
  for (const Expr& arg : array.layout.args) args_.push_back(context.expr(arg));
}

std::uint64_t ArrayLowering::most_in_space() const {
  switch (array_.space) {
    case Space::shared:
      return context_.limits.shared_per_block;
    case Space::constant:
      return kConstantBytes;
    case Space::texture:
      return kTextureBytes;
    case Space::local:
      return kLocalBytes;
    case Space::global:
      break;
  }
  return kMaxExtent;
}

bool ArrayLowering::fits(std::uint64_t bytes) {
  if (bytes <= most_in_space()) return true;
  context_.blame(bytes_.span(), fmt::format("{} bytes of {} memory: there are {}", bytes,
                                            gpx::to_string(array_.space), most_in_space()));
  return false;
}

bool ArrayLowering::point(const SweepCursor& at) {
  const auto width = context_.whole(width_, at, "width", 4, 8);
  const auto bytes = context_.whole(bytes_, at, "the size", 4, kMaxExtent);
  if (!width || !bytes || !fits(*bytes)) return false;
  const bool narrow = array_.space == Space::constant || array_.space == Space::texture;
  if ((*width != 4 && *width != 8) || (narrow && *width != 4)) {
    context_.blame(width_.span(),
                   fmt::format("a link of {}B in {} memory; it must be {}", *width,
                               gpx::to_string(array_.space), narrow ? "4B" : "4B or 8B"));
    return false;
  }
  if (*width == 4 && *bytes > kWord) {
    context_.blame(bytes_.span(), "a link of 4B does not reach over the array; `width 8B` does");
    return false;
  }
  contents_ = {array_.layout.kind, *bytes, static_cast<std::uint32_t>(*width), {}};
  most_bytes_ = std::max(most_bytes_, *bytes);
  return steps(at);
}

// The arguments of the layout: distances and offsets are multiples of a link's width.
bool ArrayLowering::steps(const SweepCursor& at) {
  if (array_.layout.kind == LayoutKind::none) {
    context_.blame(array_.span, fmt::format("{} has no links that could be followed", array_.name),
                   "array a : global[1MB] chase(stride 128B)");
    return false;
  }
  const std::uint64_t width = contents_.width;
  for (std::size_t i = 0; i < args_.size(); ++i) {
    const bool is_seed = array_.layout.kind == LayoutKind::random && i == 1;
    const bool is_count = array_.layout.kind == LayoutKind::steps && i % 2 == 0;
    const bool is_offset = array_.layout.kind == LayoutKind::list;
    const auto number = context_.whole(args_[i], at,
                                       is_seed     ? "the seed"
                                       : is_count  ? "the number of steps"
                                       : is_offset ? "the offset"
                                                   : "the stride",
                                       is_seed || is_offset ? 0
                                       : is_count           ? 1
                                                            : width,
                                       kMaxExtent);
    if (!number) return false;
    if (!is_seed && !is_count && *number % width != 0) {
      context_.blame(args_[i].span(),
                     fmt::format("{}B is not a multiple of a link's width, {}B", *number, width));
      return false;
    }
    contents_.args.push_back(*number);
  }
  const std::size_t wanted = array_.layout.kind == LayoutKind::steps ? 2 : 1;
  if (args_.size() < wanted) {
    context_.blame(array_.span, "the layout has too few arguments");
    return false;
  }
  return list();
}

// Every element lies within the array and is visited once.
bool ArrayLowering::list() {
  const auto outside = [&](Span span, std::uint64_t at) {
    if (at + contents_.width <= contents_.bytes) return false;
    context_.blame(span,
                   fmt::format("an element at {}B does not fit into {}B", at, contents_.bytes));
    return true;
  };
  if (contents_.kind == LayoutKind::steps) return !outside(array_.span, walked(contents_.args));
  if (contents_.kind != LayoutKind::list) return true;
  std::set<std::uint64_t> seen;
  for (std::size_t i = 0; i < contents_.args.size(); ++i) {
    if (outside(args_[i].span(), contents_.args[i])) return false;
    if (seen.insert(contents_.args[i]).second) continue;
    context_.blame(
        args_[i].span(),
        fmt::format("{}B is visited twice: an element leads to one other", contents_.args[i]));
    return false;
  }
  return true;
}

std::uint64_t ArrayLowering::first() const {
  return contents_.kind == LayoutKind::list ? contents_.args.front() : 0;
}

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
  for (std::uint64_t at = 0; at <= last; at += stride) order.push_back(at);
  if (contents.kind != LayoutKind::random) return order;
  // Fisher-Yates over all but the first, which every chase starts from.
  const std::uint64_t seed = contents.args.size() > 1 ? contents.args[1] : 0;
  std::uint64_t state = seed * 0x94d049bb133111ebull;
  for (std::size_t i = order.size(); i-- > 2;) {
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
