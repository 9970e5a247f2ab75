// energy on planted watts: what is left above idle, and the clock under load.
#include "inference_samples.h"

using namespace gpx;
using namespace gpx::testing;

namespace {

struct Load {
  std::string name;
  double joules, mhz;
};

/// Launches of 2 ms and 1e9 executions each on a board that takes 90 W idle.
Samples samples_of(const std::vector<Load>& loads, int repetitions = 3, double scatter = 0.002,
                   bool levels = false) {
  using Role = Column::Role;
  Samples samples;
  samples.columns = {text_column(levels ? "measure" : "op", Role::axis),
                     number_column("repetition", Role::repetition),
                     number_column("time", Role::observed, Unit::second),
                     number_column("energy", Role::observed),
                     number_column("idle_power", Role::observed),
                     number_column("sm_clock", Role::observed, Unit::hertz),
                     number_column("count", Role::observed)};
  for (const Load& load : loads)
    for (int r = 0; r < repetitions; ++r)
      add_cells(samples, {load.name, double(r), 2e-3, load.joules * (1 + scatter * (r - 1)), 90.0,
                          load.mhz > 0 ? load.mhz * 1e6 : kNull, 1e9});
  return samples;
}

Findings findings_of(const Samples& samples) {
  return Findings(statement("energy", {{"op", "op"}, {"count", "count"}}), samples);
}

}  // namespace

TEST_CASE("what is above idle is shared out, and the clock is told") {
  const Findings found = findings_of(samples_of({{"fma.rn.f32", 0.18 + 0.5, 1755}}));
  CHECK(found.number("energy.op[op=fma.rn.f32]") == doctest::Approx(500));
  CHECK(found.holds("energy.op[op=fma.rn.f32]", 500));
  CHECK(found.number("power.under_load[pipe=fma.rn.f32]") == doctest::Approx(340));
  CHECK(found.number("clock.under_load[pipe=fma.rn.f32]") == doctest::Approx(1755));
  CHECK(found["energy.op[op=fma.rn.f32]"].note.find("90 W idle") != std::string::npos);
}

TEST_CASE("levels are measures, in bits") {
  const Findings found(statement("energy", {{"bits", "count"}}),
                       samples_of({{"l2", 0.4, 0}, {"dram", 0.9, 1980}}, 3, 0.002, true));
  CHECK(found.number("energy.level[level=l2]") == doctest::Approx(220));
  CHECK(found.number("energy.level[level=dram]") == doctest::Approx(720));
  CHECK_FALSE(found.find("clock.under_load[pipe=l2]"));
  CHECK(found.measured("clock.under_load[pipe=dram]"));
}

TEST_CASE("a load that takes what idling takes has no number, nor has one repetition") {
  const Samples idle = samples_of({{"add.u32", 0.18, 1980}});
  CHECK(findings_of(idle)["energy.op[op=add.u32]"].verdict == Verdict::inconclusive);
  const Samples once = samples_of({{"add.u32", 0.5, 1980}}, 1);
  CHECK(findings_of(once)["energy.op[op=add.u32]"].verdict == Verdict::inconclusive);
}
