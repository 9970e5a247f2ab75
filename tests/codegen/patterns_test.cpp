// The code of access patterns: codegen/lower/patterns.h.
#include "codegen/lower/patterns.h"

#include <algorithm>
#include <map>
#include <set>

#include "support.h"

namespace gpx::codegen::test {
namespace {

TEST_CASE("every pattern of the language has its row of code") {
  for (const PatternRow& row : kPatterns)
    CHECK(pattern_code(row.name).name == std::string(row.name));
}

TEST_CASE("the scalars of a pattern are parameters of its kernel, in their order") {
  for (const PatternRow& row : kPatterns) {
    CAPTURE(row.name);
    std::string args;
    for (std::size_t i = 0; i < row.most(); ++i)
      args += std::string(i ? ", " : "") + (row.arguments[i].rule.unit == Unit::byte ? "n * 128B"
                                            : i == 0                                 ? "n * 4"
                                                                                     : "n");
    const std::string access = row.only_atomics ? "atom.add.u32 "
                               : row.only_bulk  ? "async load "
                                                : "load ";
    const Program program =
        program_of("sweep n 1..2 threads 64 < " + access + row.name +
                   (args.empty() ? "" : "(" + args + ")") + (row.only_bulk ? "; wait >" : " >"));
    std::vector<std::string> names = {"never"};
    for (const PatternScalar& scalar : pattern_code(row.name).scalars) names.push_back(scalar.name);
    CHECK(program.kernels.front().scalars() == names);
    CHECK(program.launches.front().scalars.size() == names.size());
  }
}

/// The byte offsets that thread `thread` of a launch reads: its kernel's setup, executed.
std::vector<std::uint64_t> offsets(const Program& program, const Launch& launch,
                                   std::uint64_t thread) {
  const Kernel& kernel = program.kernels[launch.kernel];
  std::vector<std::uint64_t> values(kernel.registers.size()), made;
  const std::size_t buffers = kernel.parameters - launch.scalars.size();
  std::copy(launch.scalars.begin(), launch.scalars.end(), values.begin() + buffers);
  for (const Instruction& one : kernel.setup) {
    const auto in = [&](std::size_t i) { return values[one.operands[i]]; };
    const auto set = [&](std::uint64_t value) { values[one.result] = value; };
    if (one.op == Op::thread) set(thread);
    if (one.op == Op::const_u64) set(one.immediate);
    if (one.op == Op::add_u64) set(in(0) + in(1));
    if (one.op == Op::mul_u64) set(in(0) * in(1));
    if (one.op == Op::mulhi_u64) set(static_cast<std::uint64_t>(Bytes{in(0)} * in(1) >> 64));
    if (one.op == Op::xor_u64) set(in(0) ^ in(1));
    if (one.op == Op::shr_u64) set(in(0) >> one.immediate);
    if (one.op == Op::at) made.push_back(in(1));
  }
  return made;
}

TEST_CASE("permute reads every element once, whatever their number") {
  for (const unsigned elements : {1, 2, 3, 4, 5, 7, 8, 31, 33, 100, 255, 256, 257, 1000, 4095}) {
    CAPTURE(elements);
    const Program program =
        program_of("sweep seed 0..3 threads " + std::to_string(std::min(elements, 512u)) +
                   " < load permute(" + std::to_string(8 * elements) + "B, seed) width 8B x " +
                   std::to_string((elements + 511) / 512) + " >");
    for (const Launch& launch : program.launches) {
      std::vector<unsigned> reads(elements);
      for (unsigned thread = 0; thread < launch.threads; ++thread)
        for (const std::uint64_t offset : offsets(program, launch, thread)) {
          REQUIRE(offset % 8 == 0);
          REQUIRE(offset / 8 < elements);
          ++reads[offset / 8];
        }
      const auto [least, most] = std::minmax_element(reads.begin(), reads.end());
      CHECK(*least == launch.threads * ((elements + 511) / 512) / elements);
      CHECK(*most <= *least + 1);
    }
  }
}

TEST_CASE("permute lays neighbours apart, in another order for each seed") {
  const Program program =
      program_of("sweep seed 1..8 threads 1024 blocks 3 < load permute(12000B, seed) >");
  std::set<std::vector<std::uint64_t>> orders;
  for (const Launch& launch : program.launches) {
    std::vector<std::uint64_t> order;
    for (std::uint64_t thread = 0; thread < 3000; ++thread)
      order.push_back(offsets(program, launch, thread).front() / 4);
    std::map<std::int64_t, unsigned> steps;
    for (std::size_t i = 1; i < order.size(); ++i)
      ++steps[static_cast<std::int64_t>(order[i]) - static_cast<std::int64_t>(order[i - 1])];
    unsigned most = 0;
    for (const auto& [step, times] : steps) most = std::max(most, times);
    CHECK(most < 300);  // No stride that a tenth of the neighbours share.
    orders.insert(order);
  }
  CHECK(orders.size() == 8);
}

}  // namespace
}  // namespace gpx::codegen::test
