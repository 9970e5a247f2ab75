// The kernel IR's text form: codegen/ir/kernel.h.
#include <string>

#include "support.h"

namespace gpx::codegen::test {
namespace {

const char* const kInputs[] = {"thread_latency", "merger",    "copy",
                               "random_wide",    "far_apart", "broadcast_then_store"};

std::string parse_complaint(const std::string& text) {
  const auto kernels = parse_kernels(Source("k.kernel", text));
  return kernels ? std::string("it parses") : render(kernels.error());
}

TEST_CASE("every kernel that lowering makes reads back as it was") {
  for (const char* name : kInputs) {
    CAPTURE(name);
    const Program program = program_of(read_text(golden_path(std::string(name) + ".gpx")));
    std::string text;
    for (const Kernel& kernel : program.kernels) text += to_string(kernel);
    const auto read = parse_kernels(Source("k.kernel", text));
    REQUIRE(read.has_value());
    CHECK(*read == program.kernels);
  }
}

TEST_CASE("a text that is no kernel is refused with its place") {
  struct Row {
    const char* text;
    const char* complaint;
  };
  const Row rows[] = {
      {"kernle k {", "1:1: error: expected 'kernel', found 'kernle'"},
      {"kernel k { threads x", "1:20: error: expected a number of threads, found 'x'"},
      {"kernel k {\n threads 32\n param p : float", "3:12: error: expected buffer or u64"},
      {"kernel k { threads 1 setup { %t = jump } }", "1:35: error: expected an op, found 'jump'"},
      {"kernel k { threads 1 setup { %x = add.u64 %t, %t } }",
       "1:43: error: expected a register that has a value, found '%t'"},
      {"kernel k { threads 1 setup { } timed { %v = ld.global.b32 %a } }",
       "1:59: error: expected '['"},
      {"kernel k { threads 1 setup { } timed { } observe nothing }",
       "1:50: error: expected latency, time, energy, each, average, timeline or issue"},
      {"kernel k { threads 1 setup { }", "expected 'timed', found the end of the text"},
      {"kernel k { threads 99999999999999999999999", "expected a number of threads"},
  };
  for (const Row& row : rows) {
    CAPTURE(row.text);
    const std::string found = parse_complaint(row.text);
    CAPTURE(found);
    CHECK(found.find(row.complaint) != std::string::npos);
  }
}

TEST_CASE("scalars and buffers come in the order of the kernel's arguments") {
  const Program program = program_of("threads 64 < load merge(2, 64B); store random(4KB, 3) >");
  REQUIRE(program.kernels.size() == 1);
  CHECK(program.kernels[0].buffers() == std::vector<std::string>{"data", "target"});
  CHECK(program.kernels[0].scalars() ==
        std::vector<std::string>{"never", "reciprocal0", "pitch0", "words1", "seed1"});
  REQUIRE(program.launches.size() == 1);
  CHECK(program.launches[0].scalars.size() == 5);
  CHECK(program.launches[0].scalars[1] == 1ull << 62);
  CHECK(program.launches[0].scalars[2] == 64);
  CHECK(program.launches[0].scalars[3] == 1024);
  CHECK(program.launches[0].scalars[4] == 3);
}

}  // namespace
}  // namespace gpx::codegen::test
