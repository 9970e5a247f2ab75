// Interface: forms.h.
//
// A pattern has alternatives in parentheses, "(u32/s32)"; an empty one takes the dot before it
// along. Operands T, D and S have the class of the last type of the name, of the last but one and
// of the last; W is twice as wide as T.
#include "forms.h"

#include <algorithm>
#include <cctype>
#include <string_view>

namespace gpx::random_kernels {
namespace {

struct Pattern {
  const char* text;
  const char* operands;
  int least_sm = 75;
  bool together = false;
};

constexpr Pattern kIntegers[] = {
    {"(add/sub).(u16/s16/u32/s32/u64/s64)", "T T T"},
    {"(add/sub).sat.s32", "T T T"},
    {"mul.(lo/hi).(u16/s16/u32/s32/u64/s64)", "T T T"},
    {"mul.wide.(u16/s16/u32/s32)", "W T T"},
    {"mad.(lo/hi).(u16/s16/u32/s32/u64/s64)", "T T T T"},
    {"mad.hi.sat.s32", "T T T T"},
    {"mad.wide.(u16/s16/u32/s32)", "W T T W"},
    {"mul24.(lo/hi).(u32/s32)", "T T T"},
    {"mad24.(lo/hi).(u32/s32)", "T T T T"},
    {"sad.(u16/s16/u32/s32/u64/s64)", "T T T T"},
    {"(abs/neg).(s16/s32/s64)", "T T"},
    {"(min/max).(u16/s16/u32/s32/u64/s64)", "T T T"},
    {"(min/max).relu.s32", "T T T", 90},
    {"(min/max).(u16x2/s16x2)", "r r r", 90},
    {"(min/max).relu.s16x2", "r r r", 90},
    {"add.(u16x2/s16x2)", "r r r", 90},
    {"dp4a.(u32/s32).(u32/s32)", "r r r r"},
    {"dp2a.(lo/hi).(u32/s32).(u32/s32)", "r r r r"},
    {"{add.cc.(u32/s32) %0, %2, %4; addc.(u32/s32) %1, %3, %5;}", "r2 r2 r2"},
    {"{sub.cc.u32 %0, %2, %4; subc.cc.u32 %1, %3, %5; addc.u32 %0, %0, 0;}", "r2 r2 r2"},
    {"{mad.lo.cc.u32 %0, %2, %3, %4; madc.hi.u32 %1, %2, %3, %5;}", "r2 r2 r2"},
    {"{add.cc.u64 %0, %2, %4; addc.u64 %1, %3, %5;}", "l2 l2 l2"},
};

constexpr Pattern kBits[] = {
    {"(and/or/xor).(b16/b32/b64)", "T T T"},
    {"(not/cnot).(b16/b32/b64)", "T T"},
    {"lop3.b32", "r r r r i256"},
    {"shl.(b16/b32/b64)", "T T r"},
    {"shr.(b16/b32/b64/u16/u32/u64/s16/s32/s64)", "T T r"},
    {"shl.b64", "T T i64"},
    {"shr.(u64/s64)", "T T i64"},
    {"shf.(l/r).(clamp/wrap).b32", "r r r r"},
    {"shf.(l/r).(clamp/wrap).b32", "r r r i33"},
    {"prmt.b32(/.f4e/.b4e/.rc8/.ecl/.ecr/.rc16)", "r r r r"},
    {"prmt.b32", "r r r i65536"},
    {"(popc/clz).(b32/b64)", "r T"},
    {"brev.(b32/b64)", "T T"},
    {"bfind(/.shiftamt).(u32/s32/u64/s64)", "r T"},
    {"fns.b32", "r r i32 i5"},
    {"bfe.(u32/s32/u64/s64)", "T T r r"},
    {"bfe.(u32/s32/u64/s64)", "T T i32 i33"},
    {"bfi.(b32/b64)", "T T T r r"},
    {"bfi.(b32/b64)", "T T T i32 i33"},
    {"szext.(clamp/wrap).(u32/s32)", "r r r"},
    {"bmsk.(clamp/wrap).b32", "r r r"},
};

constexpr Pattern kChoices[] = {
    {"setp.(eq/ne/lt/le/gt/ge).(u16/s16/u32/s32/u64/s64)", "p T T"},
    {"setp.(lo/ls/hi/hs).(u16/u32/u64)", "p T T"},
    {"setp.(eq/ne).(b16/b32/b64)", "p T T"},
    {"setp.(eq/ne/lt/le/gt/ge/equ/neu/ltu/leu/gtu/geu/num/nan)(/.ftz).f32", "p T T"},
    {"setp.(eq/ne/lt/le/gt/ge/equ/neu/ltu/leu/gtu/geu/num/nan).f64", "p T T"},
    {"setp.(eq/ne/lt/le/gt/ge/equ/neu/ltu/leu/gtu/geu/num/nan).(f16/bf16)", "p T T", 90},
    {"{.reg .pred p, q; setp.ne.u32 q, %3, 0; setp.(lt/ge).(and/or/xor).s32 p, %1, %2, q; "
     "selp.u32 %0, 1, 0, p;}",
     "r r r r"},
    {"{.reg .pred p, q, c; setp.ne.u32 c, %3, 0; setp.(lt/gt).(and/or/xor).u32 p|q, %1, %2, !c; "
     "selp.u32 %0, 5, 9, p; @q add.u32 %0, %0, 16;}",
     "r r r r"},
    {"set.(eq/lt/ge).(u32/s32/f32).(u32/s32/u64/s64/f64)", "D S S"},
    {"set.(eq/ne/lt/geu/nan)(/.ftz).(u32/s32/f32).f32", "D S S"},
    // Not to f16: the assembler takes the upper half of HSET2's result for zeros.
    {"set.(eq/ne/lt/geu/nan).(u16/u32).f16", "D S S"},
    {"set.(eq/ne/lt/geu/nan).f16x2.f16x2", "r r r"},
    {"set.(eq/ne/lt/geu/nan).bf16x2.bf16x2", "r r r", 90},
    {"selp.(b16/b32/b64/u32/s64/f32/f64)", "T T T p"},
    {"slct.(b16/b32/b64/u32/s64/f64).s32", "D D D S"},
    {"slct(/.ftz).(b32/u64).f32", "D D D S"},
    {"testp.(finite/infinite/number/notanumber/normal/subnormal).(f32/f64)", "p T"},
};

constexpr Pattern kFloats[] = {
    {"(add/sub/mul).(rn/rz/rm/rp)(/.ftz)(/.sat).f32", "f f f"},
    {"fma.(rn/rz/rm/rp)(/.ftz)(/.sat).f32", "f f f f"},
    {"(add/sub/mul).(rn/rz/rm/rp).f64", "d d d"},
    {"fma.(rn/rz/rm/rp).f64", "d d d d"},
    {"(div).(rn/rz/rm/rp)(/.ftz).f32", "f f f"},
    {"(rcp/sqrt).(rn/rz/rm/rp)(/.ftz).f32", "f f"},
    {"div.rn.f64", "d d d"},
    {"(rcp/sqrt).rn.f64", "d d"},
    {"(abs/neg)(/.ftz).f32", "f f"},
    {"(abs/neg).f64", "d d"},
    {"(min/max)(/.ftz).f32", "f f f"},
    {"(min/max).f64", "d d d"},
    {"(min/max)(/.ftz).NaN.f32", "f f f", 80},
};

constexpr Pattern kHalves[] = {
    {"(add/sub/mul).rn(/.ftz)(/.sat).f16", "h h h"},
    {"(add/sub/mul).rn(/.ftz)(/.sat).f16x2", "r r r"},
    {"fma.rn(/.ftz)(/.sat).f16", "h h h h"},
    {"fma.rn(/.ftz)(/.sat).f16x2", "r r r r"},
    {"fma.rn(/.ftz).relu.f16", "h h h h", 80},
    {"fma.rn(/.ftz).relu.f16x2", "r r r r", 80},
    {"fma.rn(/.relu).bf16", "h h h h", 80},
    {"fma.rn(/.relu).bf16x2", "r r r r", 80},
    {"(add/sub/mul).rn.bf16", "h h h", 90},
    {"(add/sub/mul).rn.bf16x2", "r r r", 90},
    {"(abs/neg)(/.ftz).f16", "h h"},
    {"(abs/neg)(/.ftz).f16x2", "r r"},
    {"(abs/neg).bf16", "h h", 80},
    {"(abs/neg).bf16x2", "r r", 80},
    {"(min/max)(/.ftz)(/.NaN).f16", "h h h", 80},
    {"(min/max)(/.ftz)(/.NaN).f16x2", "r r r", 80},
    {"(min/max)(/.NaN).bf16", "h h h", 80},
    {"(min/max)(/.NaN).bf16x2", "r r r", 80},
};

constexpr Pattern kConversions[] = {
    {"cvt.(u8/s8/u16/s16/u32/s32/u64/s64).(u8/s8/u16/s16/u32/s32/u64/s64)", "D S"},
    {"cvt.sat.(u8/s8/u16/s16).(u32/s32/u64/s64)", "D S"},
    {"cvt.sat.(u32/s32).(u64/s64)", "D S"},
    {"cvt.sat.(u8.s8/u16.s16/u32.s32/s32.u32/u64.s64/s64.u64/s8.u8)", "D S"},
    {"cvt.(rn/rz/rm/rp).(f32/f64).(u8/s8/u16/s16/u32/s32/u64/s64)", "D S"},
    {"cvt.(rn/rz/rm/rp).f16.(u8/s8/u16/s16/u32/s32/u64/s64)", "D S"},
    {"cvt.(rni/rzi/rmi/rpi)(/.ftz)(/.sat).(u8/s8/u16/s16/u32/s32/u64/s64).f32", "D S"},
    {"cvt.(rni/rzi/rmi/rpi).(u8/s8/u16/s16/u32/s32/u64/s64).f64", "D S"},
    {"cvt.(rni/rzi/rmi/rpi).(u8/s8/u16/s16/u32/s32/u64/s64).f16", "D S"},
    {"cvt.(rni/rzi/rmi/rpi)(/.ftz)(/.sat).f32.f32", "D S"},
    {"cvt.(rni/rzi/rmi/rpi).f64.f64", "D S"},
    {"cvt.(rni/rzi/rmi/rpi).f16.f16", "D S"},
    {"cvt(/.ftz)(/.sat).f32.f32", "D S"},
    {"cvt(/.ftz).f64.f32", "D S"},
    {"cvt.(rn/rz/rm/rp)(/.ftz)(/.sat).f32.f64", "D S"},
    {"cvt(/.ftz)(/.sat).f32.f16", "D S"},
    {"cvt.f64.f16", "D S"},
    {"cvt.(rn/rz/rm/rp).f16.f32", "D S"},
    {"cvt.(rn/rz/rm/rp).f16.f64", "D S"},
    {"cvt.(rn/rz)(/.relu).f16.f32", "D S", 80},
    {"cvt.(rn/rz)(/.relu).bf16.f32", "D S", 80},
    {"cvt.(rn/rz)(/.relu).(f16x2/bf16x2).f32", "r f f", 80},
    {"cvt.f32.bf16", "D S", 90},
    {"cvt.rna.tf32.f32", "r f", 80},
    {"cvt.(rn/rz)(/.relu).tf32.f32", "r f", 90},
    {"cvt.rn.satfinite(/.relu).(e4m3x2/e5m2x2).f32", "h f f", 89},
    {"cvt.rn.satfinite(/.relu).(e4m3x2/e5m2x2).f16x2", "h r", 89},
    {"cvt.rn(/.relu).f16x2.(e4m3x2/e5m2x2)", "r h", 89},
    {"cvt.pack.sat.(u16/s16).s32", "r r r"},
    {"cvt.pack.sat.(u8/s8).s32.b32", "r r r r"},
};

constexpr Pattern kVideo[] = {
    {"(vadd/vsub/vabsdiff/vmin/vmax).(u32/s32).(u32/s32).(u32/s32)(/.sat)", "r r r"},
    {"(vadd/vsub/vabsdiff/vmin/vmax).(u32/s32).(u32/s32).s32(/.sat)(.add/.min/.max)", "r r r r"},
    {"{(vadd/vsub/vabsdiff/vmin/vmax).(u32/s32).s32.s32(/.sat) %0.(b3/h0/h1), %1.h1, %2, %3;}",
     "r r r r"},
    {"(vshl/vshr).(u32/s32).s32.u32(/.sat).(clamp/wrap)", "r r r"},
    {"(vshl/vshr).(u32/s32).s32.u32(/.sat).wrap.(min/max)", "r r r r"},
    {"{(vshl/vshr).(u32/s32).u32.u32.sat.clamp %0.(b2/h1), %1, %2.b1, %3;}", "r r r r"},
    {"vset.(u32/s32).(u32/s32).(eq/lt/ge)(.add/.min/.max)", "r r r r"},
    {"{vset.s32.(u32/s32).(ne/le/gt) %0.(b1/h1), %1, %2.b1, %3;}", "r r r r"},
    {"{vmad.u32.(u32/s32).u32(/.po)(/.sat)(/.shr7/.shr15) %0, %1(/.h1), %2, %3;}", "r r r r"},
    {"{vmad.s32.(u32/s32).u32(/.sat)(/.shr15) %0, %1, -%2, %3;}", "r r r r"},
    {"(vadd/vsub/vabsdiff/vmin/vmax/vavrg)(2/4).(u32/s32).(u32/s32).(u32/s32)(/.sat)", "r r r r"},
    {"vset(2/4).(u32/s32).(u32/s32).(eq/ne/lt/ge)", "r r r r"},
};

constexpr Pattern kMemory[] = {
    {"atom.shared.(add/min/max).(u32/u64)", "T A T"},
    {"atom.shared.(add/min/max).s32", "T A T"},
    {"atom.shared.(min/max).s64", "T A T"},
    {"atom.shared.(and/or/xor/exch).(b32/b64)", "T A T"},
    {"atom.shared.(inc/dec).u32", "T A T"},
    {"atom.shared.cas.(b16/b32/b64)", "T A T T"},
    {"atom.shared.add.(f32/f64)", "T A T"},
    {"atom.shared.add.noftz.(f16/f16x2)", "T A T"},
    {"atom.shared.add.noftz.(bf16/bf16x2)", "T A T", 90},
    {"atom.global.(add/min/max).(u32/u64)", "T G T"},
    {"atom.global.(add/min/max).s32", "T G T"},
    {"atom.global.(min/max).s64", "T G T"},
    {"atom.global.(and/or/xor/exch).(b32/b64)", "T G T"},
    {"atom.global.(inc/dec).u32", "T G T"},
    {"atom.global.cas.(b16/b32/b64)", "T G T T"},
    {"atom.global.add.(f32/f64)", "T G T"},
    {"atom.global.add.noftz.(f16/f16x2)", "T G T"},
    {"atom.global.add.noftz.(bf16/bf16x2)", "T G T", 90},
    {"red.shared.(add/min/max/inc/dec).u32", "A T"},
    {"red.shared.(and/or/xor).(b32/b64)", "A T"},
    {"red.global.(add/min/max/inc/dec).u32", "G T"},
    {"red.global.(add/min/max).(u64)", "G T"},
    {"red.global.(and/or/xor).(b32/b64)", "G T"},
    {"red.global.add.(f32/f64)", "G T"},
    {"ld.shared.(u8/s8/u16/s16/u32/u64/f32/f64)", "T A"},
    {"ld.global.(u8/s8/u16/s16/u32/u64/f32/f64)", "T G"},
    {"st.shared.(u8/u16/u32/u64/f64)", "A T"},
    {"st.global.(u8/u16/u32/u64/f64)", "G T"},
    {"{ld.(shared/shared.volatile).v2.u32 {%0, %1}, [%2];}", "r2 A"},
    {"{ld.shared.v4.u32 {%0, %1, %2, %3}, [%4];}", "r4 A"},
    {"{ld.global(/.cg/.cv/.volatile).v4.u32 {%0, %1, %2, %3}, [%4];}", "r4 G"},
    {"{ld.global.v2.u64 {%0, %1}, [%2];}", "l2 G"},
    {"{st.shared.v4.u32 [%0], {%1, %2, %3, %4};}", "A r4"},
    {"{st.global.v4.u32 [%0], {%1, %2, %3, %4};}", "G r4"},
    {"{st.global.v2.u64 [%0], {%1, %2};}", "G l2"},
    {"{cp.async.ca.shared.global [%0], [%1], (4/8/16); cp.async.wait_all;}", "A G", 80},
    {"{cp.async.cg.shared.global [%0], [%1], 16; cp.async.commit_group; cp.async.wait_group 0;}",
     "A G", 80},
};

constexpr Pattern kTogether[] = {
    {"{.reg .pred p; shfl.sync.(up/down/bfly/idx).b32 %0|p, %1, %2, %3, 0xffffffff; "
     "@p add.u32 %0, %0, 77;}",
     "r r r r", 75, true},
    {"{shfl.sync.(up/down/bfly/idx).b32 %0, %1, (1/5/16), (0/31/7199), 0xffffffff;}", "r r", 75,
     true},
    {"{.reg .pred p; setp.lt.s32 p, %1, %2; vote.sync.ballot.b32 %0, p, 0xffffffff;}", "r r r", 75,
     true},
    {"{.reg .pred p, q; setp.lt.s32 p, %1, %2; vote.sync.(all/any/uni).pred q, p, 0xffffffff; "
     "selp.u32 %0, 3, 4, q;}",
     "r r r", 75, true},
    {"{match.any.sync.(b32) %0, %1, 0xffffffff;}", "r r", 75, true},
    {"{match.any.sync.(b64) %0, %1, 0xffffffff;}", "r l", 75, true},
    {"{.reg .pred p; match.all.sync.b32 %0|p, %1, 0xffffffff; @p add.u32 %0, %0, 5;}", "r r", 75,
     true},
    {"redux.sync.(add/min/max).(u32/s32)", "r r m", 80, true},
    {"redux.sync.(and/or/xor).b32", "r r m", 80, true},
    {"{.reg .pred p; setp.lt.s32 p, %1, %2; barrier.red.popc.u32 %0, (0/3), p;}", "r r r", 75,
     true},
    {"{.reg .pred p, q; setp.lt.s32 p, %1, %2; barrier.red.(and/or).pred q, 1, p; "
     "selp.u32 %0, 3, 4, q;}",
     "r r r", 75, true},
    {"{barrier.sync (2/5), 64; mov.u32 %0, %1;}", "r r", 75, true},
    {"{bar.warp.sync 0xffffffff; mov.u32 %0, %1;}", "r r", 75, true},
    {"{movmatrix.sync.aligned.m8n8.trans.b16 %0, %1;}", "r r", 75, true},
    {"{ldmatrix.sync.aligned.m8n8.x1(/.trans).shared.b16 {%0}, [%1];}", "r A", 75, true},
    {"{ldmatrix.sync.aligned.m8n8.x2(/.trans).shared.b16 {%0, %1}, [%2];}", "r2 A", 75, true},
    {"{ldmatrix.sync.aligned.m8n8.x4(/.trans).shared.b16 {%0, %1, %2, %3}, [%4];}", "r4 A", 75,
     true},
    {"{stmatrix.sync.aligned.m8n8.x4(/.trans).shared.b16 [%0], {%1, %2, %3, %4};}", "A r4", 90,
     true},
    {"{stmatrix.sync.aligned.m8n8.x1(/.trans).shared.b16 [%0], {%1};}", "A r", 90, true},
};

/// Products: text behind "mma.sync.aligned.", registers of D, A, B and C.
struct Product {
  const char *text, *d, *a, *b;
  int least_sm;
};
constexpr Product kProducts[] = {
    {"m16n8k8.row.col.f32.f16.f16.f32", "f4", "r2", "r1", 75},
    {"m16n8k8.row.col.f16.f16.f16.f16", "r2", "r2", "r1", 75},
    {"m16n8k16.row.col.f32.f16.f16.f32", "f4", "r4", "r2", 80},
    {"m16n8k16.row.col.f16.f16.f16.f16", "r2", "r4", "r2", 80},
    {"m16n8k8.row.col.f32.bf16.bf16.f32", "f4", "r2", "r1", 80},
    {"m16n8k16.row.col.f32.bf16.bf16.f32", "f4", "r4", "r2", 80},
    {"m16n8k4.row.col.f32.tf32.tf32.f32", "f4", "r2", "r1", 80},
    {"m16n8k8.row.col.f32.tf32.tf32.f32", "f4", "r4", "r2", 80},
    {"m8n8k4.row.col.f64.f64.f64.f64", "d2", "d1", "d1", 80},
    {"m16n8k4.row.col.f64.f64.f64.f64", "d4", "d2", "d1", 90},
    {"m16n8k8.row.col.f64.f64.f64.f64", "d4", "d4", "d2", 90},
    {"m16n8k16.row.col.f64.f64.f64.f64", "d4", "d8", "d4", 90},
    {"m8n8k16.row.col(/.satfinite).s32.(u8/s8).(u8/s8).s32", "r2", "r1", "r1", 75},
    {"m16n8k16.row.col(/.satfinite).s32.(u8/s8).(u8/s8).s32", "r4", "r2", "r1", 80},
    {"m16n8k32.row.col(/.satfinite).s32.(u8/s8).(u8/s8).s32", "r4", "r4", "r2", 80},
    {"m8n8k32.row.col(/.satfinite).s32.(u4/s4).(u4/s4).s32", "r2", "r1", "r1", 75},
    {"m16n8k32.row.col(/.satfinite).s32.(u4/s4).(u4/s4).s32", "r4", "r2", "r1", 80},
    {"m16n8k64.row.col(/.satfinite).s32.(u4/s4).(u4/s4).s32", "r4", "r4", "r2", 80},
    {"m8n8k128.row.col.s32.b1.b1.s32.xor.popc", "r2", "r1", "r1", 75},
    {"m16n8k128.row.col.s32.b1.b1.s32.(xor/and).popc", "r4", "r2", "r1", 80},
    {"m16n8k256.row.col.s32.b1.b1.s32.(xor/and).popc", "r4", "r4", "r2", 80},
    {"m16n8k32.row.col.f32.(e4m3/e5m2).(e4m3/e5m2).f32", "f4", "r4", "r2", 89},
};

void expand(const std::string& text, std::vector<std::string>& out) {
  const std::size_t open = text.find('(');
  if (open == text.npos) return out.push_back(text);
  const std::size_t close = text.find(')', open);
  std::string_view inside = std::string_view(text).substr(open + 1, close - open - 1);
  for (;;) {
    const std::size_t end = inside.find('/');
    const std::string one(inside.substr(0, end));
    expand(text.substr(0, open) + one + text.substr(close + 1), out);
    if (end == inside.npos) return;
    inside.remove_prefix(end + 1);
  }
}

/// Of a type of PTX the class of its registers; 0: it is no type.
char class_of(std::string_view type) {
  if (type == "f32") return 'f';
  if (type == "f64") return 'd';
  for (const std::string_view half : {"f16", "bf16", "e4m3x2", "e5m2x2"})
    if (type == half) return 'h';
  if (type.size() < 2 || (type[0] != 'u' && type[0] != 's' && type[0] != 'b' && type[0] != 'f'))
    return 0;
  if (type.ends_with("64")) return 'l';
  if (type.ends_with("32") || type.ends_with("x2") || type == "u8" || type == "s8") return 'r';
  return type.ends_with("16") ? 'h' : '\0';
}

std::vector<char> classes_in(std::string_view name) {
  std::vector<char> made;
  for (std::size_t at = name.find('.'); at != name.npos; at = name.find('.', at + 1)) {
    const std::string_view rest = name.substr(at + 1);
    if (const char one = class_of(rest.substr(0, rest.find('.')))) made.push_back(one);
  }
  return made;
}

std::string operand_of(std::string_view word, const std::string& name) {
  if (word.size() != 1 || std::islower(static_cast<unsigned char>(word[0])) || word == "A" ||
      word == "G")
    return std::string(word);
  const std::vector<char> classes = classes_in(name);
  const char last = classes.back();
  if (word == "D") return std::string(1, classes[classes.size() - 2]);
  if (word == "W") return last == 'h' ? "r" : "l";
  return std::string(1, last);
}

void add(const Pattern& pattern, std::vector<Form>& out) {
  std::vector<std::string> names;
  expand(pattern.text, names);
  for (const std::string& name : names) {
    Form form{name, {}, pattern.least_sm, pattern.together};
    std::string_view rest = pattern.operands;
    while (!rest.empty()) {
      const std::size_t end = std::min(rest.find(' '), rest.size());
      form.operands.push_back(operand_of(rest.substr(0, end), name));
      rest.remove_prefix(std::min(end + 1, rest.size()));
    }
    out.push_back(std::move(form));
  }
}

void add(const Product& product, std::vector<Form>& out) {
  std::vector<std::string> names;
  expand(product.text, names);
  const std::vector<std::string> operands = {product.d, product.a, product.b, product.d};
  for (const std::string& name : names) {
    unsigned next = 0;
    std::string text = "{mma.sync.aligned." + name;
    for (std::size_t k = 0; k < operands.size(); ++k) {
      text += k == 0 ? " {" : ", {";
      for (int place = 0; place < operands[k][1] - '0'; ++place)
        text += (place == 0 ? "%" : ", %") + std::to_string(next++);
      text += "}";
    }
    out.push_back({text + ";}", operands, product.least_sm, true});
  }
}

}  // namespace

bool Form::memory() const {
  return std::ranges::any_of(operands, [](const std::string& o) { return o == "A" || o == "G"; });
}

std::vector<Form> forms_for(int sm) {
  std::vector<Form> all;
  for (const Pattern& each : kIntegers) add(each, all);
  for (const Pattern& each : kBits) add(each, all);
  for (const Pattern& each : kChoices) add(each, all);
  for (const Pattern& each : kFloats) add(each, all);
  for (const Pattern& each : kHalves) add(each, all);
  for (const Pattern& each : kConversions) add(each, all);
  for (const Pattern& each : kVideo) add(each, all);
  for (const Pattern& each : kMemory) add(each, all);
  for (const Pattern& each : kTogether) add(each, all);
  for (const Product& each : kProducts) add(each, all);
  std::erase_if(all, [&](const Form& form) { return form.least_sm > sm; });
  return all;
}

}  // namespace gpx::random_kernels
