// Scalar video instructions: what an H200 left in registers where the PTX manual promises something
// else (tests/data/h200_video.csv), by PTX and by machine code.
#include <algorithm>
#include <map>
#include <regex>
#include <sstream>

#include "codegen/compile/compiler.h"
#include "exec_support.h"
#include "runtime/device/vgpu/exec/sass/machine_code.h"
#include "tests/left_out.h"

using namespace gpx;
using namespace gpx::vgpu;

namespace {

struct Rows {
  std::vector<std::uint32_t> in[3], results;
};

/// By form, "vadd.u32.s32.u32.sat %0, %1.b2, %2".
std::map<std::string, Rows> recorded() {
  static const std::regex kRow(R"re("(.*)",(\w+),(\w+),(\w+),(\w+))re");
  std::map<std::string, Rows> rows;
  std::istringstream lines(exec::read_text(GPX_SOURCE_DIR "/tests/data/h200_video.csv"));
  std::string line;
  std::smatch part;
  REQUIRE((std::getline(lines, line) && line == "form,x,y,z,result"));
  while (std::getline(lines, line)) {
    REQUIRE(std::regex_match(line, part, kRow));
    const auto word = [&](std::size_t k) {
      return static_cast<std::uint32_t>(std::stoul(part[k], nullptr, 16));
    };
    Rows& of_form = rows[part[1]];
    for (std::size_t k = 0; k < 3; ++k) of_form.in[k].push_back(word(k + 2));
    of_form.results.push_back(word(5));
  }
  return rows;
}

/// k0, k1, ...: a form each, a row a thread.
std::string kernels_of(const std::map<std::string, Rows>& rows) {
  std::string text;
  for (std::size_t k = 0; const auto& [form, of_form] : rows)
    text += fmt::format(
        "extern \"C\" __global__ void k{}(unsigned* out, const unsigned* x, const unsigned* y,\n"
        "                                 const unsigned* z) {{\n"
        "  const unsigned t = threadIdx.x;\n"
        "  asm(\"{};\" : \"=r\"(out[t]) : \"r\"(x[t]), \"r\"(y[t]), \"r\"(z[t]));\n}}\n",
        k++, form);
  return text;
}

}  // namespace

TEST_CASE("video instructions leave what an H200 left") {
  GPX_NEEDS_NVRTC();
  const auto compiler = codegen::find_nvrtc_compiler();
  const auto rows = recorded();
  CHECK(rows.size() == 9);
  const auto made =
      (*compiler)->compile(kernels_of(rows), "k.cu", {codegen::Target::Form::cubin, 90, {}, true});
  REQUIRE(made);
  REQUIRE_MESSAGE(made->ok, made->log);
  for (std::size_t k = 0; const auto& [form, of_form] : rows) {
    const std::string name = fmt::format("k{}", k++);
    CAPTURE(form);
    for (const bool machine_code : {false, true}) {
      CAPTURE(machine_code);
      exec::Device device(made->ptx);
      if (machine_code) {
        device.model = exec::Model::independent;
        auto code = exec::read_machine_code(made->cubin, device.module, name);
        REQUIRE(code);
        device.module = std::move(code->module);
      }
      const std::size_t threads = of_form.results.size();
      const auto out = device.buffer(std::vector<std::uint32_t>(threads));
      device.run(name, exec::grid_of(1, static_cast<std::uint32_t>(threads)), out,
                 device.buffer(of_form.in[0]), device.buffer(of_form.in[1]),
                 device.buffer(of_form.in[2]));
      CHECK(device.read<std::uint32_t>(out, threads) == of_form.results);
    }
  }
}
