// The least targets of PTX instructions, by the notes of the PTX ISA.
#include <doctest/doctest.h>

#include <string_view>

#include "codegen/ptx/targets.h"

TEST_CASE("an instruction's least target is that of the PTX ISA") {
  const struct {
    std::string_view opcode;
    int sm;
  } rows[] = {{"add.u32", 0},
              {"mad.wide.u32", 0},
              {"mad.lo.u32", 0},
              {"mad.rn.f32", 0},
              {"add.rn.f32", 0},
              {"rcp.approx.f32", 0},
              {"ld.global.u32", 0},
              {"add.f64", 13},
              {"fma.rn.f64", 13},
              {"div.rn.f64", 13},
              {"div.rz.f64", 20},
              {"fma.rn.f32", 20},
              {"add.rp.ftz.f32", 20},
              {"div.rn.f32", 20},
              {"sqrt.rn.f32", 20},
              {"popc.b32", 20},
              {"madc.hi.u32", 20},
              {"ld.global.cg.v2.u32", 20},
              {"ld.global.nc.u32", 32},
              {"shfl.sync.bfly.b32", 30},
              {"shf.l.wrap.b32", 32},
              {"lop3.b32", 50},
              {"fma.rn.f16x2", 53},
              {"dp4a.u32.u32", 61},
              {"match.any.sync.b32", 70},
              {"atom.global.add.u32", 11},
              {"atom.shared.add.u32", 12},
              {"atom.shared.exch.b64", 20},
              {"atom.global.add.f32", 20}};
  for (const auto& [opcode, sm] : rows) {
    CAPTURE(opcode);
    CHECK(gpx::ptx::least_target(opcode) == sm);
  }
}
