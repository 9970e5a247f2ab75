// The MWP/CWP model: the paper's worked example to the last digit, every case, and the fit of
// planted machines that are made here, independent of the virtual GPU.
#include <fmt/format.h>

#include <cmath>
#include <random>

#include "inference_samples.h"

using namespace gpx;
using namespace gpx::testing;

namespace {

using Parameters = std::vector<std::pair<std::string, double>>;

/// hong2009 section 3.6 and Table 2.
Parameters table2() {
  return {{"Mem_LD", 420},
          {"Departure_del_uncoal", 10},
          {"Departure_del_coal", 4},
          {"Freq", 1e9},
          {"Mem_Bandwidth", 80e9},
          {"Threads_per_block", 128},
          {"Blocks", 80},
          {"Active_blocks_per_SM", 5},
          {"Active_SMs", 16},
          {"Comp_insts", 27},
          {"Uncoal_Mem_insts", 6},
          {"Coal_Mem_insts", 0},
          {"Synch_insts", 6},
          {"Coal_per_mw", 1},
          {"Uncoal_per_mw", 32},
          {"Load_bytes_per_warp", 128}};
}

Parameters with(Parameters parameters, const Parameters& changes) {
  for (const auto& [name, value] : changes) {
    bool found = false;
    for (auto& [known, old] : parameters)
      if (known == name) {
        old = value;
        found = true;
      }
    if (!found) parameters.emplace_back(name, value);
  }
  return parameters;
}

Experiment example(const Parameters& parameters) {
  std::vector<std::pair<std::string, Value>> values;
  for (const auto& [name, value] : parameters)
    values.push_back({name, Quantity{value, Unit::none}});
  return statement("mwp_cwp", {}, values);
}

Samples nothing() {
  Samples samples;
  samples.columns = {number_column("latency", Column::Role::observed, Unit::clock)};
  add_cells(samples, {1.0});
  return samples;
}

Findings worked(const Parameters& parameters) {
  return Findings(example(parameters), nothing());
}

/// A machine that does what the model's section 3.3 says, by one formula for each micro-benchmark.
struct Machine {
  double mem_ld, uncoal, coal;
  double bandwidth = 80e9;  // B/s
  int sms = 16, transactions = 32;
  double noise = 0;
  double hz = 1e9;
};

constexpr int kLoads[] = {0, 0, 1, 1, 2, 2, 4, 6};
constexpr int kComputation[] = {0, 23, 17, 29, 27, 35, 47, 59};
constexpr double kIterations = 200;

Samples micro_samples(const Machine& machine, unsigned seed) {
  std::mt19937 random(seed);
  std::normal_distribution<double> noise(0, machine.noise);
  using Role = Column::Role;
  Samples samples;
  samples.columns = {number_column("benchmark", Role::axis), number_column("pattern", Role::axis),
                     text_column("measure", Role::axis),
                     number_column("repetition", Role::repetition)};
  for (const char* name : {"time", "clocks", "comp_insts", "coal_mem_insts", "uncoal_mem_insts",
                           "sync_insts", "coal_per_mw", "uncoal_per_mw", "load_bytes_per_warp",
                           "warps_per_block", "blocks", "active_blocks_per_sm", "active_sms"})
    samples.columns.push_back(number_column(name, Role::observed));
  for (int benchmark = 1; benchmark <= 7; ++benchmark)
    for (int pattern = 0; pattern <= 4; ++pattern)
      for (const std::string measure : {"latency", "throughput"}) {
        const bool full = measure == "throughput";
        const double loads = pattern % 4 == 0 ? 0 : kLoads[benchmark] * kIterations;
        const double off = kLoads[benchmark] * kIterations - loads;
        const double comp = kComputation[benchmark] * kIterations + off + 12;
        const double t = pattern == 2 ? machine.transactions : pattern == 3 ? 4 : 1;
        const double departure = pattern == 2 ? machine.uncoal : machine.coal;
        const double bytes = pattern >= 3 ? 512 : 128;
        const int warps = full ? 24 : 1, sms = full ? machine.sms : 1;
        // A load that is off takes its issue slot.
        const double one =
            24 * (comp - off) + 4 * off + loads * (machine.mem_ld + (t - 1) * departure);
        const double passing = bytes / (machine.bandwidth / machine.hz / sms);
        const double busy =
            warps * std::max(4 * (comp + loads), loads * std::max(t * departure, passing));
        const double clocks = (std::max(one, busy) + 500) * (1 + noise(random));
        const double coal = pattern == 2 ? 1 : loads + 1, uncoal = pattern == 2 ? loads : 0;
        add_cells(samples,
                  {double(benchmark), double(pattern), measure, 0.0, clocks / machine.hz, clocks,
                   comp, coal, uncoal, 0.0, 1.0, uncoal > 0 ? machine.transactions : 0.0,
                   (bytes * loads + 128) / (loads + 1), full ? 8.0 : 1.0, full ? 3.0 * sms : 1.0,
                   3.0, double(sms)});
      }
  return samples;
}

Findings fitted(const Machine& machine, unsigned seed = 1) {
  DeviceInfo device = device_of(static_cast<std::uint32_t>(machine.sms));
  device.clock_hz = machine.hz;
  return Findings(statement("mwp_cwp_fit", {{"benchmark", "benchmark"}, {"pattern", "pattern"}},
                            {{"Mem_Bandwidth", Quantity{machine.bandwidth, Unit::none}}}),
                  micro_samples(machine, seed), device);
}

}  // namespace

TEST_CASE("what the equations give is modelled") {
  const Findings found = worked(table2());
  for (const char* name : {"model.cycles", "model.cycles[rounding=printed]", "model.case"})
    CHECK_MESSAGE(found[name].modelled, name);
}

TEST_CASE("every row of hong2009 Table 2, as printed and in full precision") {
  const Findings found = worked(table2());
  struct Row {
    const char* name;
    double printed, exact;
  };
  for (const Row& row : {
           Row{"Active_warps_per_SM", 20, 20},
           Row{"Departure_delay", 320, 320},
           Row{"Mem_L", 730, 730},
           Row{"MWP_Without_BW_full", 2.28, 730.0 / 320},
           Row{"BW_per_warp", 0.175e9, 128e9 / 730},
           Row{"MWP_peak_BW", 28.57, 80.0 / (128.0 / 730 * 16)},
           Row{"MWP", 2.28, 2.28125},
           Row{"Comp_cycles", 132, 132},
           Row{"Mem_cycles", 4380, 4380},
           Row{"CWP_full", 34.18, 4512.0 / 132},
           Row{"CWP", 20, 20},
           Row{"Rep", 1, 1},
           Row{"Exec_cycles_app", 38450, 4380 * 20 / 2.28125 + 22 * 1.28125},
           Row{"Synch_cost", 12288, 320 * 1.28125 * 6 * 5},
           Row{"Exec_cycles_with_synch", 50738, 50728.1875},
       }) {
    CAPTURE(row.name);
    const std::string name = std::string("model.") + row.name;
    CHECK(found.number(name + "[rounding=printed]") == doctest::Approx(row.printed).epsilon(1e-12));
    CHECK(found.number(name) == doctest::Approx(row.exact).epsilon(1e-6));
  }
  CHECK(found.number("model.cycles") == doctest::Approx(50728.2).epsilon(1e-6));
  CHECK(found.number("model.cycles[rounding=printed]") == 50738);
  CHECK(found.text("model.case") == "memory");
  CHECK(found["model.case"].note == "CWP 20 >= MWP 2.281; Equation (23)");
}

TEST_CASE("which equation applies, and what it gives") {
  struct Row {
    const char* what;
    Parameters changes;
    const char* equation;
    double cycles;
  };
  const Parameters plain = {{"Synch_insts", 0}, {"Uncoal_Mem_insts", 0}, {"Coal_Mem_insts", 6}};
  for (const Row& row : {
           Row{"one warp",
               {{"Threads_per_block", 32}, {"Active_blocks_per_SM", 1}, {"Blocks", 16}},
               "Equation (22)",
               6 * 420 + 132},
           Row{"few warps",
               {{"Threads_per_block", 64}, {"Active_blocks_per_SM", 1}, {"Blocks", 16}},
               "Equation (22)",
               6 * 420 + 132 + 22},
           Row{"much computation", {{"Comp_insts", 594}}, "Equation (24)", 420 + 2400 * 20},
           Row{"more computation than memory",
               {{"Comp_insts", 1194}},
               "Equation (24)",
               420 + 4800 * 20},
           Row{"little bandwidth",
               {{"Mem_Bandwidth", 8e9}},
               "Equation (23)",
               2520 * 20 / (8 / (0.128 / 420 * 1000 * 16)) +
                   22 * (8 / (0.128 / 420 * 1000 * 16) - 1)},
           Row{"no memory instruction", {{"Coal_Mem_insts", 0}}, "Equation (24)", 27 * 4 * 20},
           Row{"more waves",
               {{"Comp_insts", 594}, {"Blocks", 120}},
               "Equation (24)",
               1.5 * (420 + 2400 * 20)},
       }) {
    CAPTURE(row.what);
    const Findings found = worked(with(with(table2(), plain), row.changes));
    CHECK(found.number("model.cycles") == doctest::Approx(row.cycles).epsilon(1e-9));
    CHECK(found["model.case"].note.find(row.equation) != std::string::npos);
  }
}

TEST_CASE("parameters that the model cannot use are refused") {
  const auto refused = [](const Parameters& parameters) {
    return refusal(example(parameters), nothing());
  };
  CHECK(refused(with(table2(), {{"Active_SMs", 0}}))
            .find("Active_SMs is 0; it must be more than 0") != std::string::npos);
  CHECK(refused(with(table2(), {{"Mem_LDD", 1}})).find("no argument 'Mem_LDD'") !=
        std::string::npos);
  CHECK(refused({{"Mem_LD", 420}}).find("the model needs a number for Departure_del_uncoal") !=
        std::string::npos);
  CHECK(refused(with(table2(), {{"Uncoal_per_mw", 0}})).find("Uncoal_per_mw is 0") !=
        std::string::npos);
  CHECK(refused(with(table2(), {{"Comp_insts", 0}, {"Uncoal_Mem_insts", 0}}))
            .find("at least one instruction") != std::string::npos);
}

TEST_CASE("the fit finds the parameters of 50 machines, exactly and with noise") {
  std::mt19937 random(7);
  const auto uniform = [&](double low, double high) {
    return std::uniform_real_distribution<double>(low, high)(random);
  };
  for (unsigned i = 0; i < 50; ++i) {
    Machine machine{std::round(uniform(200, 900)), std::round(uniform(4, 80)),
                    std::round(uniform(2, 16))};
    machine.transactions = i % 2 == 0 ? 32 : 16;
    CAPTURE(machine.mem_ld);
    CAPTURE(machine.uncoal);
    CAPTURE(machine.coal);
    const Findings exact = fitted(machine);
    CHECK(exact.number("model.mem_ld") == doctest::Approx(machine.mem_ld).epsilon(0.01));
    CHECK(exact.number("model.departure_uncoal") == doctest::Approx(machine.uncoal).epsilon(0.01));
    CHECK(exact.number("model.departure_coal") == doctest::Approx(machine.coal).epsilon(0.02));
    machine.noise = 0.001;
    const Findings noisy = fitted(machine, i);
    CHECK(noisy.number("model.mem_ld") == doctest::Approx(machine.mem_ld).epsilon(0.05));
    CHECK(noisy.number("model.departure_uncoal") == doctest::Approx(machine.uncoal).epsilon(0.05));
  }
}

TEST_CASE("the model's error on a machine that follows it is small") {
  const Findings found = fitted({420, 10, 4});
  CHECK(found.number("model.error.micro") < 0.054);
  CHECK(found.number("model.issue_cycles") == doctest::Approx(4).epsilon(0.03));
}

TEST_CASE("a departure delay that does not show is not stated") {
  const Findings found = fitted({420, 10, 0});
  CHECK(found["model.departure_coal"].verdict == Verdict::inconclusive);
  CHECK(found.measured("model.departure_uncoal"));
}
