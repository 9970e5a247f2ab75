// Counts of kernels, executed and followed: Figure 13 of hong2009, and what data decide.
#include "runtime/device/vgpu/counts/kernel_counts.h"

#include <doctest/doctest.h>
#include <fmt/format.h>

#include <array>
#include <thread>

#include "runtime/device/vgpu/counts/static_counts.h"

using namespace gpx;
using namespace gpx::vgpu;

namespace {

const std::string kHead = ".version 7.0\n.target sm_75\n.address_size 64\n";

/// hong2009, Figure 13, as printed (lines 3 to 17), with what its "Init Code" must have set up: a +
/// wM
/// * ty + tx is no multiple of 32. The printed loop leaves out how %r21 changes; here moves between
/// registers, which are not counted, let it run three times.
const std::string kFigure13 = kHead + R"(
.shared .align 4 .b8 tile[1024];
.visible .entry MatrixMulKernel(.param .u64 m, .param .u64 n, .param .u64 p)
{
  .reg .pred %p<4>;
  .reg .b32 %r<32>;
  .reg .b64 %rd<32>;
  .reg .f32 %f<8>;
  ld.param.u64 %rd1, [m];
  ld.param.u64 %rd2, [n];
  ld.param.u64 %rd3, [p];
  mov.u32 %r1, %tid.x;
  mul.wide.u32 %rd4, %r1, 4;
  add.u64 %rd23, %rd1, %rd4;
  add.u64 %rd23, %rd23, 4;
  add.u64 %rd19, %rd2, %rd4;
  add.u64 %rd19, %rd19, 4;
  add.u64 %rd27, %rd3, %rd4;
  mov.u64 %rd14, tile;
  mov.u64 %rd15, tile;
  mov.u64 %rd8, tile;
  mov.u64 %rd6, tile;
  mov.u32 %r22, 0;
  mov.u32 %r23, 0;
  mov.u32 %r25, 9;
  mov.u32 %r24, 1;
  mov.f32 %f1, 0f00000000;
$OUTERLOOP:
  ld.global.f32 %f2, [%rd23+0];
  st.shared.f32 [%rd14+0], %f2;
  ld.global.f32 %f3, [%rd19+0];
  st.shared.f32 [%rd15+0], %f3;
  bar.sync 0;
  ld.shared.f32 %f4, [%rd8+0];
  ld.shared.f32 %f5, [%rd6+0];
  mad.rn.f32 %f1, %f4, %f5, %f1;
  bar.sync 0;
  mov.u32 %r21, %r22;
  mov.u32 %r22, %r23;
  mov.u32 %r23, %r25;
  setp.le.s32 %p2, %r21, %r24;
  @%p2 bra $OUTERLOOP;
  st.global.f32 [%rd27+0], %f1;
  exit;
}
)";

codegen::Launch launch_of(std::uint32_t blocks, std::uint32_t threads,
                          const std::vector<codegen::BufferFill>& fills,
                          const std::vector<std::uint64_t>& scalars = {}) {
  codegen::Launch launch;
  launch.blocks = blocks;
  launch.threads = threads;
  launch.fills = fills;
  for (std::size_t i = 0; i < fills.size(); ++i)
    launch.arguments.push_back({{{static_cast<std::int32_t>(i), 8, 0}}});
  for (const std::uint64_t bits : scalars) launch.arguments.push_back({{{-1, 4, bits}}});
  return launch;
}

codegen::BufferFill hash(std::uint64_t bytes) {
  return {BufferContents::Kind::hash, codegen::Element::i32, bytes, 0, 0};
}

KernelCounter kernel_of(const std::string& ptx, const std::string& name) {
  auto made = KernelCounter::make(ptx, name);
  if (!made) FAIL(render(made.error()));
  return std::move(*made);
}

}  // namespace

TEST_CASE("Figure 13 of hong2009 has the counts of section 3.6") {
  const KernelCounter kernel = kernel_of(kFigure13, "MatrixMulKernel");
  const codegen::Launch launch = launch_of(80, 128, {hash(4096), hash(4096), hash(4096)});
  const auto followed = static_counts(kernel, launch, CoalescingRule::in_order);
  REQUIRE(followed.has_value());
  REQUIRE(followed->loops.size() == 1);
  const LoopCounts& loop = followed->loops[0];
  CHECK(loop.entries == 1);
  CHECK(loop.trips == 3);
  CHECK(loop.computation == 27);  // #Comp_insts = 9 x 3
  CHECK(loop.uncoalesced == 6);
  CHECK(loop.coalesced == 0);
  CHECK(loop.barriers == 6);  // #Synch_insts
  CHECK(followed->counts.uncoalesced == 6);
  CHECK(followed->counts.transactions_per_uncoalesced == 32);
  CHECK(followed->counts.coalesced == 1);  // the store at the end
  CHECK(followed->counts.bytes_per_access == 128);
}

TEST_CASE("launches of one kernel are counted at once as one after another") {
  const codegen::Launch launch = launch_of(80, 128, {hash(4096), hash(4096), hash(4096)});
  const auto alone =
      kernel_of(kFigure13, "MatrixMulKernel").count(launch, CoalescingRule::in_order);
  REQUIRE(alone.has_value());
  // The threads meet in what an executor derives of a kernel once: a new kernel each time.
  for (int round = 0; round < 50; ++round) {
    const KernelCounter kernel = kernel_of(kFigure13, "MatrixMulKernel");
    std::array<Result<KernelCounts>, 4> counted;
    std::vector<std::thread> threads;
    for (Result<KernelCounts>& each : counted)
      threads.emplace_back([&] { each = kernel.count(launch, CoalescingRule::in_order); });
    for (std::thread& thread : threads) thread.join();
    for (const Result<KernelCounts>& each : counted) {
      REQUIRE(each.has_value());
      CHECK(each->computation == alone->computation);
      CHECK(each->barriers == alone->barriers);
    }
  }
}

TEST_CASE("executed and followed, a kernel without data-dependent branches counts the same") {
  const KernelCounter kernel = kernel_of(kFigure13, "MatrixMulKernel");
  const codegen::Launch launch = launch_of(80, 128, {hash(4096), hash(4096), hash(4096)});
  for (const auto rule : {CoalescingRule::in_order, CoalescingRule::segments,
                          CoalescingRule::split_lines, CoalescingRule::lines}) {
    const auto executed = kernel.count(launch, rule);
    const auto followed = static_counts(kernel, launch, rule);
    REQUIRE(executed.has_value());
    REQUIRE(followed.has_value());
    CHECK(executed->computation == followed->counts.computation);
    CHECK(executed->coalesced == followed->counts.coalesced);
    CHECK(executed->uncoalesced == followed->counts.uncoalesced);
    CHECK(executed->barriers == followed->counts.barriers);
    CHECK(executed->folded == followed->counts.folded);
    CHECK(executed->transactions_per_uncoalesced == followed->counts.transactions_per_uncoalesced);
  }
}

namespace {

/// `body` between the loads of a pointer and a number, and the end.
std::string kernel_text(const std::string& body) {
  return kHead + R"(
.visible .entry k(.param .u64 a, .param .u32 n)
{
  .reg .pred %p<8>;
  .reg .b32 %r<16>;
  .reg .b64 %rd<8>;
  ld.param.u64 %rd1, [a];
  ld.param.u32 %r1, [n];
  mov.u32 %r2, %tid.x;
  mul.wide.u32 %rd2, %r2, 4;
  add.u64 %rd3, %rd1, %rd2;
)" + body +
         "  ret;\n}\n";
}

const std::string kCountedLoop = R"(
  mov.u32 %r3, 0;
LOOP:
  st.global.u32 [%rd3], %r3;
  add.u32 %r3, %r3, 2;
  setp.lt.u32 %p1, %r3, %r1;
  @%p1 bra LOOP;
)";

const std::string kDataLoop = R"(
  ld.global.u32 %r4, [%rd3];
  mov.u32 %r3, 0;
LOOP:
  add.u32 %r3, %r3, 1;
  setp.lt.u32 %p1, %r3, %r4;
  @%p1 bra LOOP;
)";

const std::string kDataBranch = R"(
  ld.global.u32 %r4, [%rd3];
  setp.lt.u32 %p1, %r4, 7;
  @%p1 bra SMALL;
  st.global.u32 [%rd3], %r1;
  bra JOIN;
SMALL:
  add.u32 %r5, %r1, 1;
  add.u32 %r5, %r5, 1;
JOIN:
  st.global.u32 [%rd3], %r2;
)";

}  // namespace

TEST_CASE("trip counts follow the arguments, without a pass for memory") {
  const KernelCounter kernel = kernel_of(kernel_text(kCountedLoop), "k");
  for (const unsigned n : {1u, 2u, 9u, 4000u}) {
    CAPTURE(n);
    const auto launch = launch_of(4, 64, {hash(256)}, {n});
    const auto followed = static_counts(kernel, launch, CoalescingRule::lines);
    REQUIRE(followed.has_value());
    CHECK(followed->loops.at(0).trips == std::max(1u, (n + 1) / 2));
    CHECK(followed->counts.coalesced == std::max(1u, (n + 1) / 2));
    const auto executed = kernel.count(launch, CoalescingRule::lines);
    REQUIRE(executed.has_value());
    CHECK(executed->computation == followed->counts.computation);
  }
}

TEST_CASE("a loop that ends by data cannot be followed: the branch and the load are named") {
  const std::string text = kernel_text(kDataLoop);
  const KernelCounter kernel = kernel_of(text, "k");
  const auto followed =
      static_counts(kernel, launch_of(1, 32, {hash(128)}, {1}), CoalescingRule::lines);
  REQUIRE(!followed.has_value());
  const auto line = [&](const char* what) {
    return 1 + static_cast<int>(std::count(text.begin(), text.begin() + text.find(what), '\n'));
  };
  CHECK(followed.error().line == line("@%p1 bra LOOP"));
  CHECK(followed.error().data_line == line("ld.global.u32 %r4"));
  CHECK(followed.error().message.find("trip count") != std::string::npos);
}

TEST_CASE("a branch on data is counted both ways, an upper bound of what is executed") {
  const KernelCounter kernel = kernel_of(kernel_text(kDataBranch), "k");
  auto launch = launch_of(1, 32, {hash(128)}, {1});
  launch.fills[0].kind = BufferContents::Kind::zero;
  const auto followed = static_counts(kernel, launch, CoalescingRule::lines);
  const auto executed = kernel.count(launch, CoalescingRule::lines);
  REQUIRE(followed.has_value());
  REQUIRE(executed.has_value());
  CHECK(followed->both_ways == 1);
  CHECK(followed->counts.memory() == 3);  // the load, a store of one way, the store after both
  CHECK(executed->memory() == 2);
  CHECK(followed->counts.computation > executed->computation);
}

TEST_CASE("blocks that have nothing to do count with the others") {
  const std::string body = R"(
  mov.u32 %r3, %ctaid.x;
  setp.ge.u32 %p1, %r3, %r1;
  @%p1 bra END;
  st.global.u32 [%rd3], %r3;
END:
)";
  const KernelCounter kernel = kernel_of(kernel_text(body), "k");
  const auto counts = kernel.count(launch_of(8, 32, {hash(128)}, {4}), CoalescingRule::lines);
  REQUIRE(counts.has_value());
  CHECK(counts->blocks_executed == 8);
  CHECK(counts->memory() == doctest::Approx(0.5));
}

TEST_CASE(
    "blocks that differ are sampled until their mean is known, or it is said that it is not") {
  // Block i passes its loop (i mod 64) + 1 times; the last one of a row of 64 takes 100 times as
  // long.
  const auto loop = [](const char* trips) {
    return std::string("  mov.u32 %r3, %ctaid.x;\n  and.b32 %r3, %r3, 63;\n") + trips +
           "  mov.u32 %r4, 0;\nLOOP:\n  add.u32 %r4, %r4, 1;\n  setp.lt.u32 %p1, %r4, %r3;\n"
           "  @%p1 bra LOOP;\n  st.global.u32 [%rd3], %r4;\n";
  };
  const KernelCounter even = kernel_of(kernel_text(loop("")), "k");
  const auto launch = launch_of(4096, 32, {hash(128)}, {1});
  CountOptions some;
  some.whole_instructions = some.enough_instructions = 100'000;
  const auto sampled = even.count(launch, CoalescingRule::lines, some);
  CountOptions options;
  options.whole = true;
  const auto all = even.count(launch, CoalescingRule::lines, options);
  REQUIRE(sampled.has_value());
  REQUIRE(all.has_value());
  CHECK(all->blocks_executed == 4096);
  CHECK(all->sample_error == 0);
  CHECK(sampled->blocks_executed > 8);
  CHECK(sampled->blocks_executed < 4096);
  CHECK(sampled->sample_error > 0);
  CHECK(sampled->sample_error <= 0.05);
  CHECK(sampled->computation == doctest::Approx(all->computation).epsilon(0.05));

  const KernelCounter rare = kernel_of(
      kernel_text(loop("  setp.eq.u32 %p1, %r3, 37;\n  @%p1 mul.lo.u32 %r3, %r3, 3000;\n")), "k");
  CountOptions few;
  few.whole_instructions = 0;
  few.enough_instructions = few.most_enough_instructions = 1'000'000;
  const auto unknown = rare.count(launch, CoalescingRule::lines, few);
  REQUIRE(unknown.has_value());
  CHECK(unknown->sample_error > 0.1);

  // Blocks from 12 on take long. Of 24 more than half were executed when that is too much; of 64 a
  // third.
  const KernelCounter steep = kernel_of(
      kernel_text(loop("  setp.gt.u32 %p1, %r3, 11;\n  @%p1 mul.lo.u32 %r3, %r3, 3000;\n")), "k");
  const auto half = steep.count(launch_of(24, 32, {hash(128)}, {1}), CoalescingRule::lines, few);
  const auto third = steep.count(launch_of(64, 32, {hash(128)}, {1}), CoalescingRule::lines, few);
  REQUIRE((half.has_value() && third.has_value()));
  CHECK(half->blocks_executed == 24);
  CHECK(half->sample_error == 0);
  CHECK(third->blocks_executed < 32);
  CHECK(third->sample_error > 0.1);
}

TEST_CASE("an access out of bounds is an error with its line") {
  const std::string text = kernel_text("  st.global.u32 [%rd3+4096], %r1;\n");
  const KernelCounter kernel = kernel_of(text, "k");
  CountFailure failure;
  const auto counts =
      kernel.count(launch_of(1, 32, {hash(128)}, {1}), CoalescingRule::lines, {}, &failure);
  REQUIRE(!counts.has_value());
  CHECK(failure.line == 1 + std::count(text.begin(), text.begin() + text.find("st.global"), '\n'));
}

TEST_CASE("a kernel that does not end is an error, not a wait") {
  const KernelCounter kernel = kernel_of(kernel_text("L:\n  bra L;\n"), "k");
  CountOptions few;
  few.most_instructions = 10000;
  const auto counts = kernel.count(launch_of(1, 32, {hash(128)}, {1}), CoalescingRule::lines, few);
  CHECK(!counts.has_value());
}
