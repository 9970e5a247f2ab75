// The addresses of every access pattern, as lang/patterns.h defines them. Interface: patterns.h.
#include "codegen/lower/patterns.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>

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
  return build.temporary(Op::mul_u64, {build.thread_of_pattern(), build.scalar("pitch")});
}

// t / k as the high half of 2t * ceil(2^63 / k): a division is a subroutine, and a kernel that has
// run one meets a colder instruction cache in its timed region (on an H100, 60 clocks more wherever
// a scheduler holds a second warp).
Places merged(Build build, Shape shape) {
  const auto thread = build.thread_of_pattern();
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
  const auto thread = build.temporary(Op::mul_u64, {build.thread_of_pattern(), weyl});
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

// ---- permute --------------------------------------------------------------------------------

std::uint64_t elements(Point point) {
  return point.args[0] / point.width;
}

// The largest power of two, 2^k, that is at most the number of elements.
int log2_block(Point point) {
  return std::bit_width(elements(point)) - 1;
}

// `x` as a fraction of 2^k: its low k bits become the high bits of 64.
std::uint64_t as_fraction(Point point, std::uint64_t x) {
  return log2_block(point) == 0 ? 0 : x << (64 - log2_block(point));
}

// The seed's word `i`: splitmix64.
std::uint64_t word_of_seed(Point point, std::uint64_t i) {
  std::uint64_t x = point.args[1] * 0xd1342543de82ef95ull + i * 0x9e3779b97f4a7c15ull;
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9ull;
  x = (x ^ (x >> 27)) * 0x94d049bb133111ebull;
  return x ^ (x >> 31);
}

// A permutation of n elements, n any number, without a branch. Those below 2^k <= n are permuted by
// an odd factor, the exclusive or of the low half with the high one, and another odd factor, all
// modulo 2^k: each has an inverse. Then all elements are rotated by n - 2^k, so that those which
// kept their places come below 2^k, and again. After two rounds every element has moved; the third
// mixes both parts.
Places permute(Build build, Shape shape) {
  const auto op = [&](Op what, std::uint32_t a, std::uint32_t b) {
    return build.temporary(what, {a, b});
  };
  const auto constant = [&](std::uint64_t x) { return build.temporary(Op::const_u64, {}, x); };
  const auto n = build.scalar("elements"), block = build.scalar("block");
  const auto width = constant(shape.width), minus_one = constant(~std::uint64_t{0});
  const auto minus_n = op(Op::mul_u64, n, minus_one);
  const auto minus_block = op(Op::mul_u64, block, minus_one);
  const auto thread = op(Op::add_u64, build.thread_of_pattern(), build.scalar("offset"));
  // x - y modulo n, of x < y + n.
  const auto less = [&](std::uint32_t x, std::uint32_t minus_y) {
    const auto difference = op(Op::add_u64, x, minus_y);
    const auto borrow = build.temporary(Op::shr_u64, {difference}, 63);
    return op(Op::add_u64, difference, op(Op::mul_u64, borrow, n));
  };
  const auto remainder = [&](std::uint32_t x) {
    const auto quotient = op(Op::mulhi_u64, x, build.scalar("inverse"));  // Or one less.
    return less(op(Op::add_u64, x, op(Op::mul_u64, quotient, minus_n)), minus_n);
  };
  const auto scramble = [&](std::uint32_t x) {
    const auto fraction = op(Op::mul_u64, x, build.scalar("factor"));
    const auto high = op(Op::mulhi_u64, fraction, build.scalar("half"));
    const auto mixed = op(Op::xor_u64, op(Op::mulhi_u64, fraction, block), high);
    const auto below =
        op(Op::mulhi_u64, op(Op::mul_u64, mixed, build.scalar("factor_after")), block);
    const auto is_above = op(Op::mulhi_u64, x, build.scalar("unit"));
    return op(Op::xor_u64, below, op(Op::mul_u64, is_above, op(Op::xor_u64, below, x)));
  };
  Places made;
  for (std::uint32_t i = 0; i < shape.count; ++i) {
    const auto before = op(Op::mul_u64, constant(i), build.scalar("grid"));
    auto x = scramble(remainder(op(Op::add_u64, thread, before)));
    for (int round = 0; round < 2; ++round) x = scramble(less(x, minus_block));
    made.push_back({op(Op::mul_u64, x, width), 0});
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
    {.name = "permute",
     .reach = [](Point p) { return Bytes{p.args[0]}; },
     .scalars = {{"elements", elements},
                 {"inverse", [](Point p) { return ~std::uint64_t{0} / elements(p); }},
                 {"grid", [](Point p) { return p.threads; }},
                 {"offset", [](Point p) { return word_of_seed(p, 1) % elements(p); }},
                 {"block", [](Point p) { return std::uint64_t{1} << log2_block(p); }},
                 {"unit", [](Point p) { return as_fraction(p, 1); }},
                 {"half", [](Point p) { return std::uint64_t{1} << log2_block(p) / 2; }},
                 {"factor", [](Point p) { return as_fraction(p, word_of_seed(p, 2) | 1); }},
                 {"factor_after", [](Point p) { return as_fraction(p, word_of_seed(p, 3) | 1); }}},
     .places = permute},
    {.name = "bulk",
     .reach = [](Point p) { return Bytes{p.threads} * p.args[0]; },
     .layered = true,
     .scalars = {{"pitch", first}},
     .places =
         [](Build b, Shape s) {
           const auto block = b.temporary(Op::wide, {b.temporary(Op::block, {})});
           return apart(b.temporary(Op::mul_u64, {block, b.scalar("pitch")}), s.count,
                        s.spread.span);
         }},
    // A row has a box of each block and one more, so that a box's rows do not adjoin. The boxes of
    // a block lie one above the other: place `i` is the number of the box.
    {.name = "tensor",
     .reach = [](Point p) { return Bytes{p.width} * (p.threads + 1) * p.count; },
     .scalars = {{"columns", [](Point p) { return std::uint64_t{p.box[1]}; }},
                 {"pitch", [](Point p) { return (p.threads + 1) * p.box[0] * p.box[1]; }}},
     .places =
         [](Build b, Shape s) {
           const auto block = b.temporary(Op::wide, {b.temporary(Op::block, {})});
           return apart(b.temporary(Op::mul_u64, {block, b.scalar("columns")}), s.count, 1);
         }},
    // A factor that no compiler knows: it would add up the lanes of a warp by itself.
    {.name = "same",
     .reach = [](Point p) { return Bytes{p.width}; },
     .scalars = {{"pitch", [](Point) { return std::uint64_t{0}; }}},
     .places = [](Build b, Shape s) { return apart(pitched(b), s.count, 0); }},
};

}  // namespace
}  // namespace patterns

const PatternCode& pattern_code(std::string_view name) {
  return *std::ranges::find(patterns::kCode, name, &PatternCode::name);
}

}  // namespace gpx::codegen
