// Interface: codegen/ptx/targets.h. Source: PTX ISA 8.5, "Target ISA Notes" of each instruction.
#include "codegen/ptx/targets.h"

#include <algorithm>

namespace gpx::ptx {
namespace {

/// An opcode that begins with `head` and has `part` in it needs `sm`.
constexpr struct Rule {
  std::string_view head, part;
  int sm;
} kRules[] = {
    // Any instruction on doubles; single precision with what GPUs of 1.x do not round.
    {"", ".f64", 13},
    {"fma.", ".f32", 20},
    {"add.rm.", ".f32", 20},
    {"add.rp.", ".f32", 20},
    {"sub.rm.", ".f32", 20},
    {"sub.rp.", ".f32", 20},
    {"mul.rm.", ".f32", 20},
    {"mul.rp.", ".f32", 20},
    {"div.r", ".f", 20},
    {"rcp.r", ".f", 20},
    {"sqrt.r", ".f", 20},
    {"copysign.", "", 20},
    {"testp.", "", 20},
    // Bits and bytes of words.
    {"bfe.", "", 20},
    {"bfi.", "", 20},
    {"bfind.", "", 20},
    {"brev.", "", 20},
    {"clz.", "", 20},
    {"popc.", "", 20},
    {"prmt.", "", 20},
    {"mad.", ".cc.", 20},
    {"madc.", "", 20},
    {"shf.", "", 32},
    {"lop3.", "", 50},
    {"dp4a.", "", 61},
    {"dp2a.", "", 61},
    {"bmsk.", "", 70},
    {"szext.", "", 70},
    // Halves.
    {"add.", ".f16", 53},
    {"sub.", ".f16", 53},
    {"mul.", ".f16", 53},
    {"fma.", ".f16", 53},
    {"neg.", ".f16", 53},
    {"abs.", ".f16", 53},
    {"setp.", ".f16", 53},
    {"set.", ".f16", 53},
    {"atom.", ".f16", 70},
    {"red.", ".f16", 70},
    {"vabsdiff", "", 30},
    {"vadd", "", 30},
    {"vsub", "", 30},
    {"vavrg", "", 30},
    {"vmin", "", 30},
    {"vmax", "", 30},
    {"vset", "", 30},
    // Matrices of a warp.
    {"wmma.", "", 70},
    {"wmma.", ".s8", 72},
    {"wmma.", ".u8", 72},
    {"nanosleep.", "", 70},
    // Among lanes.
    {"vote.", "", 12},
    {"vote.", ".ballot", 20},
    {"shfl.", "", 30},
    {"activemask.", "", 30},
    {"fns.", "", 30},
    {"match.", "", 70},
    // Memory.
    {"ld.", ".ca", 20},
    {"ld.", ".cg", 20},
    {"ld.", ".cs", 20},
    {"ld.", ".cv", 20},
    {"ld.", ".lu", 20},
    {"ld.", ".nc", 32},
    {"st.", ".cg", 20},
    {"st.", ".cs", 20},
    {"atom.global.", "", 11},
    {"red.global.", "", 11},
    {"atom.shared.", "", 12},
    {"red.shared.", "", 12},
    {"atom.", "64", 12},
    {"red.", "64", 12},
    {"atom.shared.", "64", 20},
    {"red.shared.", "64", 20},
    {"atom.", ".f32", 20},
    {"red.", ".f32", 20},
};

/// Of doubles GPUs of compute capability 1.3 have quotients and roots to nearest.
bool nearest_doubles(std::string_view opcode) {
  return opcode == "div.rn.f64" || opcode == "rcp.rn.f64" || opcode == "sqrt.rn.f64";
}

}  // namespace

int least_target(std::string_view opcode) {
  if (nearest_doubles(opcode)) return 13;
  int least = 0;
  for (const Rule& rule : kRules)
    if (opcode.starts_with(rule.head) && opcode.find(rule.part) != std::string_view::npos)
      least = std::max(least, rule.sm);
  return least;
}

}  // namespace gpx::ptx
