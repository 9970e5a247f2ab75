// Pointer chases in PTX: every load waits for the one before it.
//
// A link is a byte offset from the array's start. What comes between two loads is the address:
//   global           an addition of 64 bits
//   constant         an addition of 32 bits, none where the assembler knows the array's place
//   texture          a shift: texels are words
//   shared, local    nothing: the kernel makes its own copy, whose links are addresses
// The counting of the loop stands between a load and the use of its value, where it costs nothing.
// Interface: codegen/emit/region.h. Covered by tests/codegen/chase_test.cpp.
#include "codegen/emit/region.h"

namespace gpx::codegen {
namespace {

constexpr std::uint32_t kUnrolled = 16;  // Loads between two branches.

bool is_wide(const Instruction& chase) {
  return chase.op == Op::chase_b64;
}

}  // namespace

void RegionEmitter::chase_declarations() {
  for_each(kernel_.timed, [&](const Instruction& i) {
    if (!is_chase(i.op)) return;
    const std::string& prefix = chases_.at(&i);
    block_.line(".reg .pred {}more;", prefix);
    block_.line(".reg .u32 {}left;", prefix);
    block_.line(".reg .{} {}link, {}first;", is_wide(i) ? "u64" : "u32", prefix, prefix);
    block_.line(".reg .u64 {}place, {}base;", prefix, prefix);
    const Space space = kernel_.find_array(i.name)->space;
    if (space == Space::texture)
      block_.line(".reg .u32 {}texel, {}y, {}z, {}w;", prefix, prefix, prefix, prefix);
    if (!kernel_.each) return;
    block_.line(".reg .u32 {}from, {}to, {}row;", prefix, prefix, prefix);
    block_.line(".reg .u64 {}wide, {}out;", prefix, prefix);
  });
}

// The first link: an offset, or in shared and local memory an address.
void RegionEmitter::chase_starts(const Instruction& chase) {
  const std::string& prefix = chases_.at(&chase);
  block_.line("mov.u64 {}base, {};", prefix, spelled(chase.operands[1]));
  block_.line("{} {}link, {};", is_wide(chase) ? "mov.u64" : "cvt.u32.u64", prefix,
              spelled(chase.operands[0]));
  block_.line("mov.u32 {}left, {};", prefix, spelled(chase.operands[2]));
  if (!kernel_.each) return;
  block_.line("mov.u32 {}row, 0;", prefix);
  if (kernel_.each->streamed) block_.line("mov.u64 {}out, {};", prefix, rows_);
}

// One load, its address first. `link` is read and written.
void RegionEmitter::access(const Instruction& chase, const std::string& link) {
  const std::string& prefix = chases_.at(&chase);
  const std::string_view type = is_wide(chase) ? "u64" : "u32";
  const auto at_base = [&] {
    if (!is_wide(chase)) block_.line("cvt.u64.u32 {}place, {};", prefix, link);
    block_.line("add.u64 {}place, {}, {}base;", prefix, is_wide(chase) ? link : prefix + "place",
                prefix);
  };
  const std::string_view cache = cache_suffix(chase.cache);
  switch (kernel_.find_array(chase.name)->space) {
    case Space::global:
      at_base();
      return block_.line("ld.global{}.{} {}, [{}place];", cache, type, link, prefix);
    case Space::constant:
      at_base();
      return block_.line("ld.const.{} {}, [{}place];", type, link, prefix);
    case Space::shared:
      return block_.line("ld.volatile.shared.{} {}, [{}];", type, link, link);
    case Space::local:
      return block_.line("ld.local{}.{} {}, [{}];", cache, type, link, link);
    case Space::texture:
      block_.line("shr.u32 {}texel, {}, 2;", prefix, link);
      return block_.line("tex.1d.v4.u32.s32 {{{}, {}y, {}z, {}w}}, [{}base, {{{}texel}}];", link,
                         prefix, prefix, prefix, prefix, prefix);
  }
}

void RegionEmitter::chase(const Instruction& chase) {
  const std::string& prefix = chases_.at(&chase);
  const std::string link = prefix + "link";
  const std::uint32_t number = block_.next_label();
  if (kernel_.each) {
    chase_each(chase, link);
  } else {
    const auto loop = [&](std::string_view name, std::uint32_t loads, std::string_view after) {
      block_.line("setp.lt.u32 {}more, {}left, {};", prefix, prefix, loads);
      block_.line("@{}more bra {}{};", prefix, after, number);
      block_.line(".pragma \"nounroll\";");
      block_.label(fmt::format("{}{}", name, number));
      // The counting stands behind the first load, whose latency covers it.
      for (std::uint32_t i = 0; i < loads; ++i) {
        access(chase, link);
        if (i > 0) continue;
        block_.line("sub.u32 {}left, {}left, {};", prefix, prefix, loads);
        block_.line("setp.ge.u32 {}more, {}left, {};", prefix, prefix, loads);
      }
      block_.line("@{}more bra {}{};", prefix, name, number);
      block_.label(fmt::format("{}{}", after, number));
    };
    loop("many", kUnrolled, "few");
    loop("one", 1, "chased");
  }
  block_.line("{} {}, {};", is_wide(chase) ? "cvt.u32.u64" : "mov.u32", spelled(chase.result),
              link);
}

// One access: clock, load, a store that needs the value, clock. A store of what was loaded to
// shared memory makes the second read of the clock wait (Mei 2014, 3.1).
void RegionEmitter::chase_each(const Instruction& chase, const std::string& link) {
  const std::string& prefix = chases_.at(&chase);
  const std::uint32_t number = block_.next_label();
  const std::uint32_t width = is_wide(chase) ? 8 : 4;
  const std::string_view type = is_wide(chase) ? "u64" : "u32";
  const bool streamed = kernel_.each->streamed;
  block_.line("setp.eq.u32 {}more, {}left, 0;", prefix, prefix);
  block_.line("@{}more bra chased{};", prefix, number);
  block_.line(".pragma \"nounroll\";");
  block_.label(fmt::format("each{}", number));
  block_.line("mov.{} {}first, {};", type, prefix, link);
  block_.line("mul.wide.u32 {}wide, {}row, {};", prefix, prefix, width);
  block_.line("cvt.u32.u64 {}to, {}wide;", prefix, prefix);
  block_.line("add.u32 {}to, {}to, {};", prefix, prefix, indices_);
  block_.line("cvt.u64.u32 {}wide, {}to;", prefix, prefix);
  block_.line("mov.u32 {}from, %clock;", prefix);
  access(chase, link);
  block_.line("st.volatile.shared.{} [{}wide], {};", type, prefix, link);
  block_.line("mov.u32 {}to, %clock;", prefix);
  block_.line("sub.u32 {}to, {}to, {}from;", prefix, prefix, prefix);
  if (streamed) {
    block_.line("cvt.u64.u32 {}wide, {}to;", prefix, prefix);
    block_.line("st.global.u64 [{}out], {}wide;", prefix, prefix);
    block_.line("{} {}wide, {}first;", width == 8 ? "mov.u64" : "cvt.u64.u32", prefix, prefix);
    if (has_own_copy(kernel_.find_array(chase.name)->space))
      block_.line("sub.u64 {}wide, {}wide, {}base;", prefix, prefix, prefix);
    block_.line("st.global.u64 [{}out+8], {}wide;", prefix, prefix);
    block_.line("add.u64 {}out, {}out, 16;", prefix, prefix);
  } else {
    block_.line("mad.lo.u32 {}from, {}row, 4, {};", prefix, prefix, latencies_);
    block_.line("st.volatile.shared.u32 [{}from], {}to;", prefix, prefix);
    block_.line("add.u32 {}row, {}row, 1;", prefix, prefix);
  }
  block_.line("sub.u32 {}left, {}left, 1;", prefix, prefix);
  block_.line("setp.ne.u32 {}more, {}left, 0;", prefix, prefix);
  block_.line("@{}more bra each{};", prefix, number);
  block_.label(fmt::format("chased{}", number));
}

}  // namespace gpx::codegen
