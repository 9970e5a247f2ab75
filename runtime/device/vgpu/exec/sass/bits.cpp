// Shifts, permutations, counts, and predicates as bits of a register. Interface: builder.h. Covered
// by tests/vgpu/machine_code_test.cpp.
#include <fmt/format.h>

#include <algorithm>

#include "runtime/device/vgpu/exec/sass/builder.h"
#include "runtime/device/vgpu/exec/sass/sources.h"

namespace gpx::vgpu::exec::sass {
namespace {

// ---- shifts and bits

struct Shift {
  bool left, wide, is_signed, high, wraps;
  u32 operator()(u32 low, u32 count, u32 upper) const {
    const u32 width = wide ? 64 : 32;
    const u32 n = wraps ? count & (width - 1) : std::min(count, width);
    u64 v = low | u64{upper} << 32;
    if (left) {
      v = n >= 64 ? 0 : v << n;
    } else if (is_signed) {
      v = static_cast<u64>(static_cast<s64>(v) >> std::min(n, 63u));
    } else {
      v = n >= 64 ? 0 : v >> n;
    }
    return static_cast<u32>(high ? v >> 32 : v);
  }
};
template <bool kLeft, bool kHigh, bool kSigned>
void shift_plain(Context& c, const Op& op) {
  const Step& s = step_of(c, op);
  const Reads x(c, s.a), y(c, s.b), z(c, s.c);
  Lanes& d = c.r[s.d];
  const Shift how{kLeft, false, kSigned, kHigh, false};
  for_lanes(c.mask, [&](unsigned i) { d[i] = how(x(i), y(i), z(i)); });
}
void shift(Context& c, const Op& op) {
  const Step& s = step_of(c, op);
  const Reads x(c, s.a), y(c, s.b), z(c, s.c);
  Lanes& d = c.r[s.d];
  const Shift how{(s.number & 1) != 0, (s.number & 2) != 0, (s.number & 4) != 0,
                  (s.number & 8) != 0, (s.number & 16) != 0};
  for_lanes(c.mask, [&](unsigned i) { d[i] = how(x(i), y(i), z(i)); });
}
bool shf(Builder& b) {
  Step& s = b.step();
  if (b.sources() < 3) return false;
  s.a = b.word32(0), s.b = b.word32(1), s.c = b.word32(2);
  s.d = b.d();
  const bool left = !b.bit(76), wraps = b.bit(75), high = b.bit(80);
  const u64 type = b.field(73, 2);  // S64, U64, S32, U32
  const bool wide = type < 2, is_signed = type % 2 == 0;
  s.number = left | wide << 1 | is_signed << 2 | high << 3 | wraps << 4;
  if (wide || wraps) return b.own(&shift);
  if (left) return b.own(high ? &shift_plain<true, true, false> : &shift_plain<true, false, false>);
  if (is_signed)
    return b.own(high ? &shift_plain<false, true, true> : &shift_plain<false, false, true>);
  return b.own(high ? &shift_plain<false, true, false> : &shift_plain<false, false, false>);
}

bool prmt(Builder& b) {
  static constexpr std::string_view kModes[] = {"",     ".f4e", ".b4e", ".rc8",
                                                ".ecl", ".ecr", ".rc16"};
  const u64 mode = b.uniform() ? 0 : b.field(72, 3);
  if (mode >= std::size(kModes) || b.sources() < 3) return false;
  if (!b.ptx(fmt::format("prmt.b32{}", kModes[mode]))) return false;
  Op& inner = b.step().inner;
  inner.a = b.value(0, As::word), inner.c = b.value(1, As::word), inner.b = b.value(2, As::word);
  inner.d = b.d();
  return true;
}

bool popc(Builder& b) {
  return b.ptx("popc.b32", As::integer, 1);
}
bool brev(Builder& b) {
  return b.ptx("brev.b32", As::integer, 1);
}
// The predicate is false where no bit was found.
bool flo(Builder& b) {
  if (b.predicate_to(81) != b.sink()) return b.refuse("a predicate that is written");
  return b.ptx(
      fmt::format("bfind{}.{}", b.has("SH") ? ".shiftamt" : "", b.has("U32") ? "u32" : "s32"),
      As::integer, 1);
}
bool bmsk(Builder& b) {
  return b.ptx(b.has("W") ? "bmsk.wrap.b32" : "bmsk.clamp.b32", As::word, 2);
}
bool sgxt(Builder& b) {
  return b.ptx(
      fmt::format("szext.{}.{}", b.has("W") ? "wrap" : "clamp", b.has("U32") ? "u32" : "s32"),
      As::word, 2);
}
bool vabsdiff(Builder& b) {
  return b.ptx(b.has("U32") ? "sad.u32" : "sad.s32", As::word, 3);
}
bool vabsdiff4(Builder& b) {
  if (b.predicate_to(81) != b.sink()) return false;
  const std::string_view type = b.has("U8") ? "u32" : "s32";
  return b.ptx(fmt::format("vabsdiff4.{}.{}.{}{}", type, type, type, b.has("ACC") ? ".add" : ""),
               As::word, 3);
}

// ---- predicates as bits

void predicates_to_register(Context& c, const Op& op) {
  const Step& s = step_of(c, op);
  const Reads x(c, s.a), y(c, s.b);
  Lanes& d = c.r[s.d];
  for_lanes(c.mask, [&](unsigned i) {
    u32 bits = 0;
    for (std::int32_t k = 0; k < 7; ++k) bits |= static_cast<u32>(c.r[s.c_high + k][i] & 1) << k;
    const u32 keep = y(i);
    d[i] = (x(i) & ~(keep << s.number)) | (bits & keep) << s.number;
  });
}
bool p2r(Builder& b) {
  Step& s = b.step();
  if (b.sources() < 2) return false;
  s.a = b.word32(0), s.b = b.word32(1);
  s.c_high = b.predicate_row(0, b.uniform());
  s.number = b.uniform() ? 0 : 8 * static_cast<u32>(b.field(76, 2));
  s.d = b.d();
  return b.own(&predicates_to_register);
}
void register_to_predicates(Context& c, const Op& op) {
  const Step& s = step_of(c, op);
  const Reads x(c, s.a), y(c, s.b);
  for_lanes(c.mask, [&](unsigned i) {
    const u32 bits = x(i) >> s.number, wanted = y(i);
    for (std::int32_t k = 0; k < 7; ++k)
      if (wanted >> k & 1) c.r[s.c_high + k][i] = bits >> k & 1;
  });
}
bool r2p(Builder& b) {
  Step& s = b.step();
  if (b.sources() < 2) return false;
  s.a = b.word32(0), s.b = b.word32(1);
  s.c_high = b.predicate_row(0, false);
  s.number = 8 * static_cast<u32>(b.field(76, 2));
  return b.own(&register_to_predicates);
}

constexpr Translator kBits[] = {
    {"SHF", shf},   {"USHF", shf},   {"PRMT", prmt},         {"UPRMT", prmt},
    {"POPC", popc}, {"UPOPC", popc}, {"BREV", brev},         {"UBREV", brev},
    {"FLO", flo},   {"UFLO", flo},   {"BMSK", bmsk},         {"UBMSK", bmsk},
    {"SGXT", sgxt}, {"USGXT", sgxt}, {"VABSDIFF", vabsdiff}, {"VABSDIFF4", vabsdiff4},
    {"P2R", p2r},   {"UP2UR", p2r},  {"R2P", r2p},
};

}  // namespace

std::span<const Translator> bit_translators() {
  return kBits;
}

}  // namespace gpx::vgpu::exec::sass
