// Kernel text and CUDA C++ of whole experiments: codegen/lower/structure.cpp, codegen/emit/emit.h.
// Goldens: golden/NAME.gpx -> NAME.kernel, NAME.cu. GPX_REBASE=1 writes them anew.
#include "codegen/emit/emit.h"

#include <string>

#include "support.h"

namespace gpx::codegen::test {
namespace {

TEST_CASE("an experiment's kernels and CUDA C++ are those of its goldens") {
  for (const std::string name :
       {"thread_latency", "merger", "copy", "random_wide", "far_apart", "broadcast_then_store"}) {
    CAPTURE(name);
    const Program program = program_of(read_text(golden_path(name + ".gpx")));
    std::string kernels, cuda;
    for (const Kernel& kernel : program.kernels) {
      kernels += to_string(kernel);
      cuda += emit_cuda(kernel, name + ".gpx");
    }
    check_golden(name + ".kernel", kernels);
    check_golden(name + ".cu", cuda);
  }
}

TEST_CASE("without a file there are no #line directives, and nothing else differs") {
  const Program program = program_of("threads 32 < load unique(4B) x 2 >");
  const std::string plain = emit_cuda(program.kernels[0]);
  CHECK(plain.find("#line") == std::string::npos);
  std::string stripped, text = emit_cuda(program.kernels[0], "some \"file\".gpx");
  CHECK(text.find("#line 1 \"some \\\"file\\\".gpx\"\n") != std::string::npos);
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);)
    if (!line.starts_with("#line")) stripped += line + "\n";
  CHECK(stripped == plain);
}

}  // namespace
}  // namespace gpx::codegen::test
