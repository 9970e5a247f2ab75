// Block sizes: which kernels do the same work in blocks of another size.
#include "runtime/predict/block_size.h"

#include <doctest/doctest.h>

using namespace gpx;

namespace {

constexpr const char* kPlaces =
    ".loc 1 7 3\n  mov.u32 %r1, %ctaid.x; // of the grid\n  mov.u32 %r2, %ntid.x;\n  mov.u32 %r3, "
    "%tid.x;\n"
    "  mov.u32 %r9, %nctaid.x;\n";

bool same_work(const std::string& body, codegen::Launch launch, const std::string& bounds = "") {
  codegen::Artifact artifact;
  artifact.entry = "k";
  artifact.ptx = ".visible .entry other() {\n  mov.u32 %r1, %warpid;\n}\n.visible .entry k(\n)\n" +
                 bounds + "{\n" + kPlaces + body + "  ret;\n\n}\n";
  return why_block_matters(artifact, launch).empty();
}

}  // namespace

TEST_CASE("a kernel does the same work in other blocks if only its thread's number enters") {
  codegen::Launch launch;
  launch.blocks = 8;
  launch.threads = 256;
  const std::string index = "  mad.lo.s32 %r4, %r1, %r2, %r3;\n";
  struct Row {
    const char* body;
    bool same;
  };
  const Row rows[] = {
      {"  mad.lo.s32 %r5, %r2, %r1, %r3;\n", true},     // the factors in the other order
      {"  mul.lo.s32 %r5, %r9, %r2;\n", true},          // all threads
      {"  add.s32 %r5, %r4, 1;\n", true},               // of the number alone
      {"  add.s32 %r5, %r3, 1;\n", false},              // threadIdx.x
      {"  setp.lt.s32 %p1, %r1, 4;\n", false},          // blockIdx.x
      {"  mul.lo.s32 %r5, %r1, 256;\n", false},         // a constant block size
      {"  mad.lo.s32 %r5, %r1, %r3, %r2;\n", false},    // the same registers, another sum
      {"  mad.lo.s32 %r5, %r1, %r2, %r4;\n", false},    // twice
      {"$L: @%p1 add.s32 %r5, %r2, 1;\n", false},       // behind a label and a guard
      {"  mov.u32 %r6, %tid.y;\n", false},              // another dimension
      {"  mov.u32 %r6, %warpid;\n", false},             // a place
      {"  bar.sync 0;\n", false},                       // a barrier
      {"  ld.shared.u32 %r6, [%r7];\n", false},         // shared memory
      {"  call.uni (retval0), f, (param0);\n", false},  // a call may read the place
  };
  for (const Row& row : rows) {
    CAPTURE(row.body);
    CHECK(same_work(index + row.body, launch) == row.same);
  }
  CHECK_FALSE(same_work(index, launch, ".reqntid 256\n"));
  launch.threads = 250;
  CHECK_FALSE(same_work(index, launch));
  launch.threads = 256;
  launch.threads_down = 2;
  CHECK_FALSE(same_work(index, launch));
}
