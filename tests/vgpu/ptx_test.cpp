// The PTX parser: what it makes of instructions, and its errors with their lines.
#include <doctest/doctest.h>
#include <fmt/format.h>

#include "codegen/ptx/mma.h"
#include "codegen/ptx/ops.h"
#include "runtime/device/vgpu/exec/decode.h"

using namespace gpx;
using namespace gpx::ptx;

namespace {

std::string kernel(const std::string& body) {
  return ".version 9.0\n.target sm_75\n.address_size 64\n"
         ".visible .entry k(.param .u64 pointer, .param .u32 n) {\n"
         ".reg .pred p, q; .reg .b16 h<4>; .reg .b32 r<8>; .reg .b64 d<8>; .reg .f32 f<4>;\n" +
         body + "\nret;\n}\n";
}

Module parsed(const std::string& text) {
  auto module = parse("ptx", text);
  if (!module) FAIL(render(module.error()));
  return std::move(*module);
}

const Instruction& only(const Module& module, std::size_t index = 0) {
  return module.functions.at(0).instructions.at(index);
}

/// "LINE: message" of the error in a text.
std::string error_of(const std::string& text) {
  auto module = parse("ptx", text);
  if (module) return "";
  const Diagnostic& d = module.error().diagnostics.at(0);
  return fmt::format("{}: {}", d.location ? d.location->line : 0, d.message);
}

}  // namespace

TEST_CASE("an instruction carries its op, types, unit, modifiers, reads and writes") {
  struct Row {
    std::string text, name;
    Type type;
    Unit unit;
    bool folds;
    std::size_t reads, writes;
  };
  const Row rows[] = {
      {"add.s32 r0, r1, r2;", "add", Type::s32, Unit::alu, false, 2, 1},
      {"@!p mad.lo.s32 r0, r1, r2, 7;", "mad.lo", Type::s32, Unit::alu, false, 3, 1},
      {"mul.wide.u32 d0, r1, 4;", "mul.wide", Type::u32, Unit::alu, false, 1, 1},
      {"fma.rn.ftz.f32 f0, f1, f2, f3;", "fma", Type::f32, Unit::alu, false, 3, 1},
      {"add.f64 d0, d1, d2;", "add", Type::f64, Unit::fp64, false, 2, 1},
      {"sqrt.approx.f32 f0, f1;", "sqrt.approx", Type::f32, Unit::sfu, false, 1, 1},
      {"rcp.rn.f64 d0, d1;", "rcp", Type::f64, Unit::fp64, false, 1, 1},
      {"setp.lt.and.s32 p|q, r0, r1, !q;", "setp", Type::s32, Unit::alu, false, 3, 2},
      {"mov.u32 r0, r1;", "mov", Type::u32, Unit::alu, true, 1, 1},
      {"mov.u32 r0, 5;", "mov", Type::u32, Unit::alu, false, 0, 1},
      {"mov.u32 r0, %tid.x;", "mov", Type::u32, Unit::alu, false, 0, 1},
      {"mov.u64 d0, %clock64;", "mov", Type::u64, Unit::clock, false, 0, 1},
      {"mov.u32 r0, %globaltimer_lo;", "mov", Type::u32, Unit::clock, false, 0, 1},
      {"mov.b64 d0, {r0, r1};", "mov", Type::b64, Unit::alu, true, 2, 1},
      {"mov.b32 {h0, h1}, r1;", "mov", Type::b32, Unit::alu, false, 1, 2},
      {"cvta.to.global.u64 d0, d1;", "cvta.to", Type::u64, Unit::alu, true, 1, 1},
      {"cvt.u64.u32 d0, r1;", "cvt", Type::u64, Unit::alu, true, 1, 1},
      {"cvt.u16.u32 h0, r1;", "cvt", Type::u16, Unit::alu, false, 1, 1},
      {"cvt.rn.f32.s32 f0, r1;", "cvt", Type::f32, Unit::alu, false, 1, 1},
      {"cvt.f64.f32 d0, f1;", "cvt", Type::f64, Unit::fp64, false, 1, 1},
      {"ld.param.u64 d0, [pointer];", "ld", Type::u64, Unit::load_store, true, 0, 1},
      {"ld.global.nc.v4.f32 {f0, f1, f2, f3}, [d0+16];", "ld", Type::f32, Unit::load_store, false,
       1, 4},
      {"st.shared.v2.b32 [r0], {r1, 3};", "st", Type::b32, Unit::load_store, false, 2, 0},
      {"atom.global.cas.b32 r0, [d0], r1, r2;", "atom.cas", Type::b32, Unit::load_store, false, 3,
       1},
      {"add.cc.u32 r0, r1, r2;", "add.cc", Type::u32, Unit::alu, false, 2, 2},
      {"addc.u32 r0, r1, r2;", "addc", Type::u32, Unit::alu, false, 3, 1},
      {"bar.sync 0;", "bar.sync", Type::none, Unit::barrier, false, 0, 0},
      {"bar.red.popc.u32 r0, 1, 64, !p;", "bar.red.popc", Type::u32, Unit::barrier, false, 1, 1},
      {"membar.gl;", "membar", Type::none, Unit::fence, false, 0, 0},
      {"shfl.sync.bfly.b32 r0|p, r1, 1, 31, -1;", "shfl.sync.bfly", Type::b32, Unit::warp, false, 1,
       2},
      {"exit;", "exit", Type::none, Unit::branch, false, 0, 0},
  };
  for (const Row& row : rows) {
    INFO(row.text);
    Module module = parsed(kernel(row.text));
    const Instruction& i = only(module);
    CHECK(i.name == row.name);
    CHECK(i.type == row.type);
    CHECK(i.unit == row.unit);
    CHECK(i.folds == row.folds);
    CHECK(i.reads.size() == row.reads);
    CHECK(i.writes.size() == row.writes);
    CHECK(i.line == 6);
  }
}

TEST_CASE("modifiers that carry meaning are kept") {
  auto of = [](const char* text) { return modifiers_of(only(parsed(kernel(text)))); };
  CHECK(of("fma.rz.ftz.sat.f32 f0, f1, f2, f3;").rounding() == Rounding::rz);
  CHECK(of("fma.rz.ftz.sat.f32 f0, f1, f2, f3;").ftz());
  CHECK(of("fma.rz.ftz.sat.f32 f0, f1, f2, f3;").sat());
  CHECK(of("setp.geu.or.f32 p, f0, f1, q;").compare() == Compare::geu);
  CHECK(of("setp.geu.or.f32 p, f0, f1, q;").boolean() == Bool::or_);
  CHECK(of("ld.global.cg.u32 r0, [d0];").cache() == Cache::cg);
  CHECK(of("ld.global.nc.v2.u32 {r0, r1}, [d0];").vector() == 2);
  CHECK(of("prmt.b32.rc16 r0, r1, r2, r3;").permute() == Permute::rc16);
  CHECK(of("shf.l.wrap.b32 r0, r1, r2, r3;").wrap());
  CHECK(of("membar.sys;").scope() == Scope::sys);
}

TEST_CASE("immediates take the instruction's type") {
  auto bits = [](const char* text) { return only(parsed(kernel(text))).operands.at(1).bits; };
  CHECK(bits("mov.u32 r0, -1;") == 0xffffffff);
  CHECK(bits("mov.u16 h0, 0x12345;") == 0x2345);
  CHECK(bits("mov.b32 r0, 0b101;") == 5);
  CHECK(bits("mov.b32 r0, 017;") == 15);
  CHECK(bits("mov.u64 d0, 0xFFFFFFFFFFFFFFFFU;") == ~0ull);
  CHECK(bits("mov.f32 f0, 0f3F800000;") == 0x3f800000);
  CHECK(bits("mov.f32 f0, -1.5;") == 0xbfc00000);
  CHECK(bits("mov.f64 d0, 0d3FF0000000000000;") == 0x3ff0000000000000);
  CHECK(bits("mov.b32 r0, 0f40000000;") == 0x40000000);
  CHECK(bits("mov.b32 r0, WARP_SZ;") == 32);
}

TEST_CASE("names of an inner block shadow outer ones, and end with it") {
  Module module = parsed(
      kernel("mov.u32 r0, 1;\n{ .reg .b32 r0; mov.u32 r0, 2; { .reg .b32 t; mov.u32 t, r0; } }\n"
             "mov.u32 r1, r0;"));
  const auto& code = module.functions[0].instructions;
  CHECK(code[0].writes[0] != code[1].writes[0]);
  CHECK(code[2].reads[0] == code[1].writes[0]);
  CHECK(code[3].reads[0] == code[0].writes[0]);
  CHECK(error_of(kernel("{ .reg .b32 t; }\nmov.u32 t, 1;")) == "7: 't' is not a register");
}

TEST_CASE("labels of different blocks do not meet") {
  Module module = parsed(kernel("{ x: add.s32 r0, r0, 1; @p bra x; }\n{ x: @q bra x; }"));
  const auto& code = module.functions[0].instructions;
  CHECK(code[1].operands[0].bits == 0);
  CHECK(code[2].operands[0].bits == 2);
}

TEST_CASE("a branch reconverges at its immediate post-dominator") {
  SUBCASE("if without else") {
    Module m = parsed(kernel("@p bra end;\nadd.s32 r0, r0, 1;\nend: add.s32 r1, r1, 1;"));
    CHECK(only(m).reconvergence == 2);
  }
  SUBCASE("if with else") {
    Module m =
        parsed(kernel("@p bra a;\nadd.s32 r0, r0, 1;\nbra b;\na: add.s32 r0, r0, 2;\n"
                      "b: add.s32 r1, r1, 1;"));
    CHECK(only(m).reconvergence == 4);
  }
  SUBCASE("loop") {
    Module m = parsed(kernel("l: add.s32 r0, r0, 1;\n@p bra l;\nadd.s32 r1, r1, 1;"));
    CHECK(only(m, 1).reconvergence == 2);
  }
  SUBCASE("leaving early does not move the meeting point of an outer branch") {
    // if (p) { if (q) return; r0++; } r1++;
    Module m =
        parsed(kernel("@p bra y;\n@q bra out;\nadd.s32 r0, r0, 1;\ny: add.s32 r1, r1, 1;\n"
                      "out: ret;"));
    CHECK(only(m, 0).reconvergence == 3);
    CHECK(only(m, 1).reconvergence == 2);
  }
  SUBCASE("an endless loop has none") {
    Module m = parsed(kernel("l: @p bra l;\nbra l;"));
    CHECK(only(m, 1).reconvergence == -1);
  }
}

TEST_CASE("parameters and variables are laid out by size and alignment") {
  Module m = parsed(
      ".version 9.0\n.target sm_75\n.address_size 64\n"
      ".global .align 4 .u32 g[3] = {1, 2};\n.const .b8 c = 7;\n.shared .align 16 .b8 both[20];\n"
      ".extern .shared .align 8 .b8 dynamic[];\n"
      ".entry a(.param .u8 x, .param .align 8 .b8 s[12], .param .u64 .ptr .global .align 4 p) {\n"
      ".shared .f64 mine; .local .align 8 .b8 depot[24]; .reg .b64 d; .reg .b32 r;\n"
      "mov.u64 d, mine; mov.u64 d, both; mov.u64 d, dynamic; ld.local.u32 r, [depot+4]; ret; }\n"
      ".entry b() { .reg .b64 d; mov.u64 d, both; ret; }\n");
  const Function &a = *m.find("a"), &b = *m.find("b");
  CHECK(a.parameters[0].address == 0);
  CHECK(a.parameters[1].address == 8);
  CHECK(a.parameters[2].address == 24);
  CHECK(a.local_bytes == 24);
  CHECK(b.shared_bytes == 20);  // what it uses itself
  CHECK(a.shared_bytes == 32);
  CHECK(a.instructions[0].operands[1].bits == 24);
  CHECK(a.instructions[2].operands[1].bits == 32);
  REQUIRE(m.variables.size() >= 2);
  CHECK(m.variables[0].initial == std::vector<std::uint8_t>{1, 0, 0, 0, 2, 0, 0, 0});
  CHECK(m.variables[0].bytes == 12);
}

TEST_CASE("a call of the device runtime is refused by its name, whatever its body is") {
  const std::string text =
      ".version 8.8\n.target sm_90\n.address_size 64\n"
      ".func (.param .b32 r) cudaLaunchDeviceV2(.param .b64 a, .param .b64 b) {\ntrap;\n}\n"
      ".visible .entry k() {\n.param .b64 a; .param .b64 b; .param .b32 r;\n"
      "call (r), cudaLaunchDeviceV2, (a, b);\nret;\n}\n";
  CHECK(
      error_of(text).find("a kernel calls 'cudaLaunchDeviceV2': the virtual GPU has no launches") !=
      std::string::npos);
}

TEST_CASE("an error names what is wrong and its line") {
  struct Row {
    std::string body, error;
  };
  const Row rows[] = {
      {"tex.3d.v4.f32.f32 {f0, f1, f2, f3}, [t, {f0, f1, f2, f3}];",
       "6: a kernel from a file cannot use textures or surfaces ('tex.3d.v4.f32.f32'): read the "
       "array through a pointer, with __ldg where it is read-only"},
      {"\nistypep.texref p, d0;",
       "7: instruction 'istypep.texref' is not supported by the virtual GPU"},
      {"sust.b.1d.b32.trap [r0], r1;",
       "6: a kernel from a file cannot use textures or surfaces ('sust.b.1d.b32.trap'): read the "
       "array through a pointer, with __ldg where it is read-only"},
      {"istypep.texref p, d0;",
       "6: instruction 'istypep.texref' is not supported by the virtual GPU"},
      {"add.rn.s32 r0, r1, r2;",
       "6: '.s32' of instruction 'add.rn.s32' is not supported by the virtual GPU"},
      {"fma.f32 f0, f1, f2, f3;", "6: instruction 'fma.f32' needs a rounding mode"},
      {"setp.s32 p, r0, r1;", "6: instruction 'setp.s32' needs a comparison"},
      {"add r0, r1, r2;", "6: instruction 'add' lacks a type"},
      {"setp.ltu.s32 p, r0, r1;",
       "6: instruction 'setp': unordered comparisons are for floating point"},
      {"cvt.s32.f32 r0, f0;", "6: instruction 'cvt': needs .rni, .rzi, .rmi or .rpi"},
      {"cvt.rn.f64.f32 d0, f0;", "6: instruction 'cvt': is exact and takes no rounding"},
      {"add.ftz.f64 d0, d1, d2;", "6: instruction 'add': .ftz is for single and half precision"},
      {"add.s32 r0, r1, d2;", "6: 'd2' is .b64, which does not fit 'add' on .s32"},
      {"add.s32 r0, r1, p;", "6: 'p' is .pred, which does not fit 'add' on .s32"},
      {"add.s32 r0, r1, 1.5;", "6: 'add' on .s32 needs an integer"},
      {"add.f32 f0, f1, 1;", "6: 'add' on .f32 needs a floating-point number"},
      {"add.s32 r0, r1;", "6: 'add' takes 3 operands"},
      {"add.s32 r0, r1, r9;", "6: 'r9' is not declared"},
      {"add.s32 r0, r1, r2", "7: ';' is expected after 'add.s32'"},
      {"@r0 ret;", "6: the guard 'r0' is not a predicate register"},
      {"bra nowhere;", "6: there is no label 'nowhere'"},
      {"x: x: ret;", "6: 'x' is declared twice"},
      {"st.const.u32 [d0], r0;", "6: 'st' cannot write constant memory"},
      {"st.param.u32 [n], r0;", "6: 'st' cannot write a kernel's parameters"},
      {"ld.global.v4.f64 {d0, d1, d2, d3}, [d4];",
       "6: instruction 'ld': an access has at most 16 bytes"},
      {"ld.shared.u32 r0, [n];", "6: 'n' lies in another space"},
      {"mov.u32 r0, %nosuch;", "6: special register '%nosuch' is not supported by the virtual GPU"},
      {"call vprintf, (n);", "6: a call passes .param variables of the caller"},
      {"call vprintf;", "6: the parameters of the call do not fit those of 'vprintf'"},
      {"call absent;",
       "6: function 'absent' has no body in this text, so the virtual GPU cannot call it"},
      {"mov.f32 f0, 0f3F80;", "6: a number is expected here"},
  };
  for (const Row& row : rows) {
    INFO(row.body);
    CHECK(error_of(kernel(row.body)) == row.error);
  }
  CHECK(error_of(".version 9.0\n.texref t;") == "2: directive '.texref' is not supported");
  CHECK(error_of(".address_size 32") == "1: only .address_size 64 is supported");
  CHECK(error_of(".entry k() { ") == "1: the text ends inside a function");
}

TEST_CASE("every row of the op table can be executed on all of its types") {
  for (std::size_t id = 0; id < static_cast<std::size_t>(OpId::count); ++id) {
    const OpRow& row = op_row(static_cast<OpId>(id));
    for (int t = 0; t <= static_cast<int>(kLastType); ++t) {
      for (int t2 = 0; t2 <= static_cast<int>(kLastType); ++t2) {
        auto type = static_cast<Type>(t), type2 = static_cast<Type>(t2);
        bool fits = row.types ? (row.types & bit(type)) != 0 : t == 0;
        bool fits2 = row.types2 ? (row.types2 & bit(type2)) != 0 : t2 == 0;
        if (!fits || !fits2) continue;
        Instruction i{
            .name = row.name, .op = static_cast<std::uint16_t>(id), .type = type, .type2 = type2};
        i.type3 = type2;
        i.unit = row.unit;
        i.operands = {{.kind = Operand::Kind::reg}, {.kind = Operand::Kind::reg}};
        if (row.unit == Unit::tensor && !mma_form(i)) continue;  // the parser refuses it
        INFO(row.name << " " << name_of(type) << " " << name_of(type2));
        bool found = vgpu::exec::find_handler(i) != nullptr;
        CHECK(found);
      }
    }
  }
}

TEST_CASE("comments, directives without effect and NVRTC's trailing NUL are skipped") {
  std::string text =
      "// a comment\n.version 9.0 /* over\nlines */ .target sm_75, debug\n.address_size 64\n"
      ".file 1 \"a.cu\"\n.visible .entry k() .maxntid 256, 1, 1 .minnctapersm 2\n"
      "{ .loc 1 2 3\n .pragma \"nounroll\"; ret; }\n.section .debug_str { .b8 1\n }\n";
  Module module = parsed(text + std::string(1, '\0'));
  CHECK(module.version == "9.0");
  CHECK(module.target == "sm_75");
  CHECK(module.functions.at(0).instructions.size() == 1);
}
