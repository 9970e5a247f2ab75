// gpx sass. Needs NVRTC for all but the errors.
#include <doctest/doctest.h>

#include "captured.h"
#include "codegen/compile/nvrtc.h"
#include "tests/left_out.h"

using namespace gpx::cli;

namespace {

const char* kKernel =
    "__global__ void scale(float* y, float a) {\n"
    "  y[threadIdx.x] *= a;\n}\n"
    "template <typename T> __global__ void fill(T* y) { y[threadIdx.x] = T(1); }\n";

std::string small_cubin() {
  const auto place = gpx::codegen::find_nvrtc();
  const auto nvrtc = gpx::codegen::Nvrtc::open(*place);
  REQUIRE(nvrtc);
  const auto made = (*nvrtc)->compile(kKernel, "a.cu", {gpx::codegen::Target::Form::cubin, 90}, {});
  REQUIRE(made);
  REQUIRE(made->ok);
  return {made->cubin.begin(), made->cubin.end()};
}

}  // namespace

TEST_CASE("sass lists a CUDA file with control bits and lines of the source") {
  GPX_NEEDS_NVRTC();
  const TemporaryFolder folder;
  const Ended shown = command({"sass", folder.write("a.cu", kKernel)});
  CHECK(shown.err == "");
  CHECK(shown.status == 0);
  CHECK(contains(shown.out, "a.cu for sm_90a\n"));
  CHECK(contains(shown.out, "\n_Z5scalePff: "));
  CHECK(contains(shown.out, " registers\n"));
  CHECK(contains(shown.out, "\na.cu:2: y[threadIdx.x] *= a;\n"));
  CHECK(contains(shown.out, "  FMUL "));
  CHECK(contains(shown.out, "\n  0000  "));
  CHECK_FALSE(contains(shown.out, "???"));
}

TEST_CASE("sass shows one kernel, and an instance of a template") {
  GPX_NEEDS_NVRTC();
  const TemporaryFolder folder;
  const std::string file = folder.write("a.cu", kKernel);
  const Ended instance = command({"sass", file, "--entry", "fill<double>", "--arch", "sm_80"});
  CHECK(instance.status == 0);
  CHECK(contains(instance.out, "a.cu for sm_80\n"));
  CHECK(contains(instance.out, "\n_Z4fillIdEvPT_: "));
  CHECK_FALSE(contains(instance.out, "scale"));
  const Ended none = command({"sass", file, "--entry", "nobody"});
  CHECK(none.status == 2);
  CHECK(contains(none.err, "has no kernel nobody"));
  CHECK(contains(none.err, "it has _Z5scalePff"));
}

TEST_CASE("sass reads a cubin, as text, JSON and a page") {
  GPX_NEEDS_NVRTC();
  const TemporaryFolder folder;
  const std::string file = folder.write("a.cubin", small_cubin());
  const Ended text = command({"sass", file});
  CHECK(text.status == 0);
  CHECK(contains(text.out, "a.cubin for sm_90\n"));
  CHECK(contains(text.out, "  EXIT\n"));
  const Ended json = command({"sass", file, "--json", "-"});
  CHECK(json.status == 0);
  CHECK(json.out.starts_with("{\n  \"schema\": 1,"));
  CHECK(contains(json.out, "\"text\": \"EXIT\", \"known\": true, \"word\": [\"0x"));
  CHECK_FALSE(contains(json.out, "\"line\""));
  const std::string page = folder.path("a.html");
  const Ended html = command({"sass", file, "--html", page, "--quiet"});
  CHECK(html.out == "");
  CHECK(contains(folder.read("a.html"), "<h2>_Z5scalePff: "));
  CHECK_FALSE(contains(folder.read("a.html"), "http://"));
}

TEST_CASE("sass refuses what is no cubin, and an architecture where there is one") {
  const TemporaryFolder folder;
  const std::string file = folder.write("a.cubin", "no ELF file");
  const Ended wrong = command({"sass", file});
  CHECK(wrong.status == 2);
  CHECK(contains(wrong.err, "is no cubin: it does not begin as an ELF file"));
  CHECK(command({"sass", file, "--arch", "sm_90"}).status == 2);
  CHECK(command({"sass", folder.path("none.cubin")}).status == 2);
  const Ended odd = command({"sass", folder.write("a.cu", "// empty\n"), "--arch", "hopper"});
  CHECK(odd.status == 2);
  CHECK(contains(odd.err, "'hopper' is no architecture"));
}
