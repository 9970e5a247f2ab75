// Blocks that depend on each other: which launches they are found in, and how these are counted.
#include <doctest/doctest.h>
#include <fmt/format.h>

#include <thread>

#include "runtime/device/vgpu/counts/kernel_counts.h"

using namespace gpx;
using namespace gpx::vgpu;

namespace {

/// `body` with the buffers a, b and c, the block's number %r1, the thread's %r2, both together %r3,
/// and the addresses of a thread's words of a, b and c: %rd4 to %rd6.
std::string text_of(const std::string& body) {
  return R"(.version 7.0
.target sm_75
.address_size 64
.global .align 4 .b8 gate[4];
.visible .entry k(.param .u64 a, .param .u64 b, .param .u64 c)
{
  .reg .pred %p<8>;
  .reg .b32 %r<32>;
  .reg .b64 %rd<32>;
  .reg .f64 %fd<8>;
  ld.param.u64 %rd1, [a];
  ld.param.u64 %rd2, [b];
  ld.param.u64 %rd3, [c];
  mov.u32 %r1, %ctaid.x;
  mov.u32 %r2, %tid.x;
  mad.lo.u32 %r3, %r1, 32, %r2;
  mul.wide.u32 %rd7, %r3, 4;
  add.u64 %rd4, %rd1, %rd7;
  add.u64 %rd5, %rd2, %rd7;
  add.u64 %rd6, %rd3, %rd7;
  mul.wide.u32 %rd8, %r1, 4;
)" + body +
         "  ret;\n}\n";
}

codegen::Launch launch_of(std::uint32_t blocks) {
  codegen::Launch launch;
  launch.blocks = blocks;
  launch.threads = 32;
  for (std::int32_t i = 0; i < 3; ++i) {
    launch.fills.push_back(
        {BufferContents::Kind::zero, codegen::Element::i32, std::uint64_t{blocks} * 256, 0, 0});
    launch.arguments.push_back({{{i, 8, 0}}});
  }
  return launch;
}

KernelCounter kernel_of(const std::string& body) {
  auto made = KernelCounter::make(text_of(body), "k");
  if (!made) FAIL(render(made.error()));
  return std::move(*made);
}

KernelCounts counts_of(const std::string& body, std::uint32_t blocks,
                       const CountOptions& options = {}) {
  const auto counts = kernel_of(body).count(launch_of(blocks), CoalescingRule::lines, options);
  if (!counts) FAIL(render(counts.error()));
  return *counts;
}

CountOptions whole() {
  CountOptions options;
  options.whole = true;
  return options;
}

/// A few blocks are a sample: all of them would take more.
CountOptions sampled() {
  CountOptions options;
  options.whole_instructions = 1000;
  options.enough_instructions = options.most_enough_instructions = 20'000;
  return options;
}

const std::string kTicket = R"(
  setp.ne.u32 %p1, %r2, 0;
  @%p1 bra END;
  atom.global.add.u32 %r4, [%rd1], 1;
  mov.u32 %r5, %nctaid.x;
  sub.u32 %r5, %r5, 1;
  setp.ne.u32 %p1, %r4, %r5;
  @%p1 bra END;
  mov.u32 %r6, 0;
LOOP:
  add.u32 %r6, %r6, 1;
  setp.lt.u32 %p2, %r6, 20000;
  @%p2 bra LOOP;
END:
)";

/// Block 0 waits for block `writer`.
std::string poll(unsigned writer, const std::string& load) {
  return fmt::format(R"(
  setp.eq.u32 %p1, %r1, {};
  @%p1 bra WRITE;
  setp.ne.u32 %p1, %r1, 0;
  @%p1 bra END;
WAIT:
  {} %r4, [%rd1];
  setp.eq.u32 %p2, %r4, 0;
  @%p2 bra WAIT;
  bra END;
WRITE:
  mov.u32 %r5, 1;
  st.global.u32 [%rd1], %r5;
END:
)",
                     writer, load);
}

const std::string kChain = R"(
  add.u64 %rd9, %rd1, %rd8;
  setp.eq.u32 %p1, %r1, 0;
  @%p1 bra GO;
WAIT:
  ld.volatile.global.u32 %r4, [%rd9+-4];
  setp.eq.u32 %p2, %r4, 0;
  @%p2 bra WAIT;
GO:
  mov.u32 %r5, 1;
  st.volatile.global.u32 [%rd9], %r5;
)";

}  // namespace

TEST_CASE("a long last block is told beside a sample, whose mean has none of it") {
  const auto with = [](unsigned long_one) {
    return counts_of(fmt::format(R"(
  setp.ne.u32 %p1, %r1, {};
  @%p1 bra END;
  mov.u32 %r6, 0;
LOOP:
  add.u32 %r6, %r6, 1;
  setp.lt.u32 %p2, %r6, 2000;
  @%p2 bra LOOP;
END:
)",
                                 long_one),
                     20000, sampled());
  };
  const KernelCounts plain = with(20001), ends = with(19999);
  CHECK(plain.blocks_executed < 20000);
  CHECK(plain.largest == 1);
  CHECK(ends.computation == plain.computation);
  CHECK(ends.blocks_executed == plain.blocks_executed);
  CHECK(ends.largest > 100);
  REQUIRE(ends.executed.size() == plain.executed.size() + 1);
  CHECK(ends.executed.back().at == 19999);
}

TEST_CASE("last_block_of_a_sample: what the last block does is counted") {
  const KernelCounts counts = counts_of(kTicket, 20000), all = counts_of(kTicket, 20000, whole());
  CHECK(counts.blocks_executed == 20000);
  CHECK(counts.sample_error == 0);
  CHECK(counts.unseen == 0);
  CHECK_FALSE(counts.independent);
  CHECK(counts.computation == all.computation);
  CHECK(counts.computation > 14 + 60000 / 20000);
  CHECK(counts.largest > 1000);
}

TEST_CASE("sampled_false_deadlock: blocks that wait for others are executed beside them") {
  for (const char* load : {"ld.volatile.global.u32", "ld.acquire.gpu.global.u32", "ld.global.u32"})
    for (const unsigned writer : {1u, 70u}) {
      CAPTURE(load);
      CAPTURE(writer);
      for (const CountOptions& options : {CountOptions{}, whole(), sampled()}) {
        const KernelCounts counts = counts_of(poll(writer, load), 400, options);
        CHECK(counts.blocks_executed == 400);
        CHECK_FALSE(counts.independent);
      }
    }
  const KernelCounts chain = counts_of(kChain, 8000);
  CHECK(chain.blocks_executed == 8000);
  CHECK_FALSE(chain.independent);
}

TEST_CASE("a block that waits for one that no SM has room for is a deadlock") {
  // All blocks before number 9 wait for it.
  const std::string body =
      "setp.eq.u32 %p1, %r1, 9;\n @%p1 bra WRITE;\nWAIT:\n ld.volatile.global.u32 %r4, [%rd1];\n"
      "setp.eq.u32 %p2, %r4, 0;\n @%p2 bra WAIT;\n bra END;\nWRITE:\n"
      "st.global.u32 [%rd1], %r1;\nEND:\n";
  CHECK(counts_of(body, 100).blocks_executed == 100);
  CountOptions few;
  few.resident = 4;
  CountFailure failure;
  const auto counts = kernel_of(body).count(launch_of(100), CoalescingRule::lines, few, &failure);
  REQUIRE_FALSE(counts.has_value());
  CHECK(counts.error().diagnostics.front().message.find("deadlock") != std::string::npos);
  CHECK_FALSE(failure.dependent);
}

TEST_CASE("blocks that depend on each other are found in a sample of them") {
  struct Row {
    const char* what;
    std::string body;
    bool dependent;
  };
  const std::string add = "add.u32 %r4, %r4, 1;\n";
  const Row rows[] = {
      {"out of place", "ld.global.u32 %r4, [%rd4];\n st.global.u32 [%rd5], %r4;\n", false},
      {"in place", "ld.global.u32 %r4, [%rd4];\n" + add + "st.global.u32 [%rd4], %r4;\n", false},
      {"doubles out of place", "ld.global.f64 %fd1, [%rd1];\n st.global.f64 [%rd2], %fd1;\n",
       false},
      {"the neighbours of what is not written",
       "ld.global.u32 %r4, [%rd4+128];\n st.global.u32 [%rd5], %r4;\n", false},
      {"a histogram", "red.global.add.u32 [%rd1], 1;\n", false},
      {"an atomic whose result nobody uses", "atom.global.add.u32 %r4, [%rd1], 1;\n", false},
      {"all write one word", "st.global.u32 [%rd1], %r2;\n", false},
      {"a sum that is read by none, and other data",
       "ld.global.u32 %r4, [%rd5];\n"
       "red.global.add.u32 [%rd1], %r4;\n",
       false},
      {"the neighbours in place", "ld.global.u32 %r4, [%rd4+128];\n st.global.u32 [%rd4], %r4;\n",
       true},
      {"a word that all read and all write",
       "ld.global.u32 %r4, [%rd1];\n" + add + "st.global.u32 [%rd1], %r4;\n", true},
      {"a queue",
       "atom.global.add.u32 %r4, [%rd1], 1;\n mul.wide.u32 %rd9, %r4, 4;\n"
       "add.u64 %rd9, %rd9, %rd2;\n st.global.u32 [%rd9], %r2;\n",
       true},
      {"a lock",
       "setp.ne.u32 %p2, %r2, 0;\n @%p2 bra END;\nL:\n atom.global.cas.b32 %r4, [%rd1], 0, 1;\n"
       "setp.ne.u32 %p1, %r4, 0;\n @%p1 bra L;\n atom.global.exch.b32 %r4, [%rd1], 0;\nEND:\n",
       true},
      {"a sum that is read back",
       "red.global.add.u32 [%rd1], 1;\n ld.global.u32 %r4, [%rd1];\n"
       "st.global.u32 [%rd5], %r4;\n",
       true},
      {"a flag that one block of many sets",
       "setp.eq.u32 %p1, %r1, 1777;\n @%p1 st.global.u32 [%rd1], %r1;\n"
       "@!%p1 ld.global.u32 %r4, [%rd1];\n st.global.u32 [%rd5], %r4;\n",
       true},
      {"a variable of the module",
       "mov.u64 %rd9, gate;\n ld.global.u32 %r4, [%rd9];\n" + add + "st.global.u32 [%rd9], %r4;\n",
       true},
      {"through generic addresses", "ld.u32 %r4, [%rd4+128];\n st.u32 [%rd4], %r4;\n", true},
      {"a mirror of the grid",
       "mov.u32 %r5, %nctaid.x;\n sub.u32 %r5, %r5, %r1;\n"
       "sub.u32 %r5, %r5, 1;\n mul.wide.u32 %rd9, %r5, 4;\n add.u64 %rd9, %rd9, %rd1;\n"
       "ld.global.u32 %r4, [%rd9];\n add.u64 %rd10, %rd1, %rd8;\n"
       "st.global.u32 [%rd10], %r4;\n",
       true},
  };
  for (const Row& row : rows) {
    CAPTURE(row.what);
    const KernelCounts some = counts_of(row.body, 4000, sampled());
    CHECK(some.independent == !row.dependent);
    CHECK((some.blocks_executed == 4000) == row.dependent);
    CHECK(counts_of(row.body, 4000).independent == !row.dependent);
  }
}

TEST_CASE("functions of the file that the kernel does not call touch nothing of it") {
  const std::string copy = "ld.global.u32 %r4, [%rd4];\n st.global.u32 [%rd5], %r4;\n";
  // What its callers pass is not known: it may load from where it stores.
  const std::string other =
      ".func other(.param .u64 x)\n{\n  .reg .b32 %r<2>;\n  .reg .b64 %rd<2>;\n"
      "  ld.param.u64 %rd1, [x];\n  ld.global.u32 %r1, [%rd1+4096];\n"
      "  st.global.u32 [%rd1], %r1;\n  ret;\n}\n";
  const std::string call =
      "{\n .param .u64 p;\n st.param.u64 [p], %rd4;\n call.uni other, (p);\n}\n";
  for (const bool called : {false, true}) {
    const std::string text = text_of(called ? copy + call : copy);
    const std::size_t at = text.find(".visible");
    const auto kernel = KernelCounter::make(text.substr(0, at) + other + text.substr(at), "k");
    if (!kernel) FAIL(render(kernel.error()));
    const auto counts = kernel->count(launch_of(4000), CoalescingRule::lines, sampled());
    if (!counts) FAIL(render(counts.error()));
    CHECK((counts->blocks_executed == 4000) == called);
  }
}

TEST_CASE("blocks wait for others where they load volatile what the launch writes") {
  const std::string add = "red.global.add.u32 [%rd1], 1;\n";
  CHECK(
      counts_of("atom.global.add.u32 %r4, [%rd1], 1;\n st.global.u32 [%rd4], %r4;\n", 400).awaits ==
      false);
  CHECK(counts_of(add + "ld.volatile.global.u32 %r4, [%rd1];\n st.global.u32 [%rd5], %r4;\n", 400)
            .awaits);
  CHECK_FALSE(
      counts_of(add + "ld.volatile.global.u32 %r4, [%rd2];\n st.global.u32 [%rd6], %r4;\n", 400)
          .awaits);
}

TEST_CASE("of blocks that differ a sample ends earlier where a fair mean is asked for") {
  // One block in 16 takes a thousand times what the others do.
  const std::string body =
      "and.b32 %r4, %r1, 15;\n setp.eq.u32 %p1, %r4, 3;\n selp.u32 %r5, 1000, 1, %p1;\n"
      "L:\n sub.u32 %r5, %r5, 1;\n setp.ne.u32 %p2, %r5, 0;\n @%p2 bra L;\n";
  CountOptions options = sampled();
  options.most_enough_instructions = 4'000'000;
  const KernelCounts good = counts_of(body, 100'000, options);
  options.fair_instructions = options.enough_instructions;
  options.fair_error = 0.4;
  const KernelCounts fair = counts_of(body, 100'000, options);
  CHECK(fair.blocks_executed < good.blocks_executed / 2);
  CHECK(fair.sample_error <= 0.4);
}

TEST_CASE("what only seems to depend is settled by all blocks") {
  // A sum by blocks in place: each reads 32 words of which it writes one.
  const std::string body =
      "ld.global.u32 %r4, [%rd4];\n setp.eq.u32 %p1, %r2, 0;\n @%p1 st.global.u32 [%rd4], %r4;\n";
  const KernelCounts counts = counts_of(body, 4000, sampled());
  CHECK(counts.independent);
  CHECK(counts.blocks_executed == 4000);
}

TEST_CASE("blocks that depend on each other and are too many are refused with a line") {
  CountOptions options;
  options.dependent_instructions = 50'000;
  CountFailure failure;
  const std::string text = text_of(kTicket);
  const auto counts =
      kernel_of(kTicket).count(launch_of(20000), CoalescingRule::lines, options, &failure);
  REQUIRE_FALSE(counts.has_value());
  CHECK(failure.dependent);
  CHECK(failure.line ==
        1 + std::count(text.begin(), text.begin() + text.find("atom.global"), '\n'));
  CHECK(counts.error().diagnostics.front().message.find("--whole") != std::string::npos);
}

TEST_CASE("a sample of blocks says what it may have missed") {
  // One block in a hundred takes a thousand times as long as the others.
  const std::string body =
      "rem.u32 %r4, %r1, 100;\n setp.ne.u32 %p1, %r4, 37;\n @%p1 bra END;\n mov.u32 %r6, 0;\n"
      "LOOP:\n add.u32 %r6, %r6, 1;\n setp.lt.u32 %p2, %r6, 3000;\n @%p2 bra LOOP;\nEND:\n";
  CountOptions options;
  options.whole_instructions = 100'000;
  options.enough_instructions = options.most_enough_instructions = 1'000'000;
  const KernelCounts all = counts_of(body, 20000, whole()), some = counts_of(body, 20000, options);
  CHECK(some.independent);
  CHECK(some.blocks_executed < 20000);
  CHECK(some.unseen > 0);
  CHECK(some.unseen <= 0.01);
  CHECK(some.largest > 10);
  CHECK(std::abs(some.computation / all.computation - 1) <= some.sample_error);
  const KernelCounts few = counts_of("st.global.u32 [%rd4], %r1;\n", 1000);
  CHECK(few.blocks_executed == 1000);
  CHECK(few.unseen == 0);
}

TEST_CASE("a raised stop ends the counting") {
  std::atomic<bool> stop{false};
  CountOptions options = whole();
  options.stop = &stop;
  CountFailure failure;
  std::jthread raises([&] {
    std::this_thread::sleep_for(std::chrono::milliseconds(50));
    stop = true;
  });
  // It would count to 2^32 in each of a billion blocks.
  const std::string body =
      "mov.u32 %r6, 0;\nLOOP:\n add.u32 %r6, %r6, 1;\n setp.ne.u32 %p2, %r6, 0;\n @%p2 bra LOOP;\n";
  codegen::Launch launch = launch_of(64);
  launch.blocks = 1'000'000'000;
  CHECK_FALSE(kernel_of(body).count(launch, CoalescingRule::lines, options, &failure).has_value());
  CHECK(failure.stopped);
}
