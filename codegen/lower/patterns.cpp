// The addresses of every access pattern, as lang/patterns.h defines them. Interface: patterns.h.
#include "codegen/lower/patterns.h"

#include <fmt/format.h>

#include <algorithm>

#include "codegen/lower/structure_build.h"

namespace gpx::codegen {
namespace patterns {
namespace {

using Point = const AccessPoint&;
using Build = KernelBuilder&;
using Shape = const PlacesShape&;
using Places = std::vector<Place>;

std::uint64_t first(Point point) {
  return point.args[0];
}

std::uint64_t second(Point point) {
  return point.args[1];
}

/// ceil(2^63 / k): t / k is the high half of 2t times it for all t with t * k <= 2^63.
std::uint64_t reciprocal(Point point) {
  constexpr std::uint64_t kOne = std::uint64_t{1} << 63;
  const std::uint64_t k = point.args[0];
  return kOne / k + (kOne % k != 0 ? 1 : 0);
}

Places apart(std::uint32_t offset, std::uint32_t count, std::uint64_t by) {
  Places made;
  for (std::uint32_t i = 0; i < count; ++i) made.push_back({offset, i * by});
  return made;
}

std::uint32_t pitched(Build build) {
  return build.temporary(Op::mul_u64, {build.number_of_threads(), build.scalar("pitch")});
}

// t / k as the high half of 2t * ceil(2^63 / k): a division is a subroutine, and a kernel that has
// run one meets a colder instruction cache in its timed region (on an H100, 60 clocks more wherever
// a scheduler holds a second warp).
Places merged(Build build, Shape shape) {
  const auto thread = build.number_of_threads();
  const auto twice = build.temporary(Op::add_u64, {thread, thread});
  const auto block = build.temporary(Op::mulhi_u64, {twice, build.scalar("reciprocal")});
  const auto offset = build.temporary(Op::mul_u64, {block, build.scalar("pitch")});
  return apart(offset, shape.count, shape.spread.span);
}

std::string merge_fault(Point point) {
  if (Bytes{point.threads - 1} * point.args[0] <= Bytes{1} << 63) return {};
  return fmt::format(
      "merge over {} threads in groups of {} is out of range: their product must "
      "not exceed 2^63",
      point.threads, point.args[0]);
}

Places broadcast(Build build, Shape shape) {
  if (shape.spread.folded)
    return apart(build.temporary(Op::const_u64, {}, 0), shape.count, *shape.spread.folded);
  Places made;
  for (std::uint32_t i = 0; i < shape.count; ++i) {
    const auto index = build.temporary(Op::const_u64, {}, i);
    made.push_back({build.temporary(Op::mul_u64, {index, build.scalar("pitch")}), 0});
  }
  return made;
}

// splitmix64 of (seed, i, t), scaled to the number of words by the high half of a product.
Places random(Build build, Shape shape) {
  const auto width = build.temporary(Op::const_u64, {}, shape.width);
  const auto weyl = build.temporary(Op::const_u64, {}, 0x9e3779b97f4a7c15ull);
  const auto one = build.temporary(Op::const_u64, {}, 0xbf58476d1ce4e5b9ull);
  const auto two = build.temporary(Op::const_u64, {}, 0x94d049bb133111ebull);
  const auto seed = build.temporary(Op::mul_u64, {build.scalar("seed"), two});
  const auto thread = build.temporary(Op::mul_u64, {build.number_of_threads(), weyl});
  const auto key = build.temporary(Op::add_u64, {thread, seed});
  const auto folded = [&](std::uint32_t x, std::uint64_t by) {
    return build.temporary(Op::xor_u64, {x, build.temporary(Op::shr_u64, {x}, by)});
  };
  Places made;
  for (std::uint32_t i = 0; i < shape.count; ++i) {
    const auto index = build.temporary(Op::const_u64, {}, std::uint64_t{i} << 40);
    auto x = build.temporary(Op::xor_u64, {key, index});
    x = build.temporary(Op::mul_u64, {folded(x, 30), one});
    x = folded(build.temporary(Op::mul_u64, {folded(x, 27), two}), 31);
    const auto word = build.temporary(Op::mulhi_u64, {x, build.scalar("words")});
    made.push_back({build.temporary(Op::mul_u64, {word, width}), 0});
  }
  return made;
}

const PatternCode kCode[] = {
    {.name = "unique",
     .reach = [](Point p) { return Bytes{p.threads - 1} * p.args[0] + p.width; },
     .layered = true,
     .scalars = {{"pitch", first}},
     .places = [](Build b, Shape s) { return apart(pitched(b), s.count, s.spread.span); }},
    {.name = "merge",
     .reach = [](Point p) { return Bytes{(p.threads - 1) / p.args[0]} * p.args[1] + p.width; },
     .layered = true,
     .scalars = {{"reciprocal", reciprocal}, {"pitch", second}},
     .places = merged,
     .fault = merge_fault},
    {.name = "stride",
     .reach = [](Point p) { return Bytes{p.threads - 1} * p.args[0] + Bytes{p.count} * p.width; },
     .scalars = {{"pitch", first}},
     .places = [](Build b, Shape s) { return apart(pitched(b), s.count, s.width); }},
    {.name = "broadcast",
     .reach = [](Point p) { return Bytes{p.count - 1} * p.args[0] + p.width; },
     .folds = true,
     .scalars = {{"pitch", first}},
     .places = broadcast},
    {.name = "random",
     .reach = [](Point p) { return Bytes{p.args[0]}; },
     .scalars = {{"words", [](Point p) { return p.args[0] / p.width; }}, {"seed", second}},
     .places = random},
};

}  // namespace
}  // namespace patterns

const PatternCode& pattern_code(std::string_view name) {
  return *std::ranges::find(patterns::kCode, name, &PatternCode::name);
}

}  // namespace gpx::codegen
