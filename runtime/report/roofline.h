// Roofline (Williams, Waterman, Patterson, CACM 52(4), 2009): what a kernel can reach at most, by
// the floating-point operations that it does per byte, from measured rates alone.
//
// A rate of one SM (`bandwidth.l1`, `bandwidth.shared_read`, `op.*.throughput`) is multiplied by
// the SMs, and one per clock by the SM clock that the driver reports as the maximum: under load a
// GPU may clock lower. An fma counts as two operations, a packed type (f16x2) twice. Rates of
// tensor cores (`wgmma.throughput[type=…]`) are of the whole GPU, at the clock of their run.
// Covered by tests/report/roofline_test.cpp.
#pragma once

#include <string>
#include <vector>

#include "runtime/report/picture.h"
#include "runtime/report/style.h"

namespace gpx::report {

struct Roof {
  std::string name;  ///< "DRAM, read", "FP32"
  double value = 0;  ///< B/s, or FLOP/s, of the whole GPU.
  double low = 0, high = 0;
  std::string finding;  ///< That it is from: "bandwidth.dram_read"
};

/// A roof that the runs do not give.
struct MissingRoof {
  std::string name;  ///< "L2", "FP16"
  /// "inconclusive", "not observed"; "not measured": no run has it; "no such operations".
  std::string verdict;
  std::string why;
  std::string finding;  ///< That it would be from; "" where the device has no such operations.
};

struct Roofline {
  std::string device;     ///< "k20 (virtual)"
  bool measured = false;  ///< Of a real device.
  std::uint32_t sms = 0;
  double clock_hz = 0;
  int capability = 0;                     ///< Compute capability, times 10; 0: not known.
  std::vector<Roof> memory = {};          ///< Slowest first.
  std::vector<Roof> compute = {};         ///< Slowest first: of each type the fastest operation.
  std::vector<MissingRoof> missing = {};  ///< Memories and the four plain types without a rate.
};

/// One for each device of the runs that has both a memory's and a type's rate, from the findings of
/// all of its runs; of two with one name, the later counts.
std::vector<Roofline> rooflines_of(const std::vector<Run>& runs);

/// A table of roofs for each device, the missing ones with their reasons, and the FLOP per byte at
/// which a memory stops being the limit.
std::string roofline_text(const std::vector<Roofline>& all, const Style& style);
/// The picture below for a terminal, which has no room for a label at each of its lines: they are
/// named in order.
std::string roofline_plot(const std::vector<Roofline>& all, const Style& style);
/// FLOP/s over FLOP per byte, both logarithmic: a curve for each memory under the highest peak, and
/// one for each lower peak.
Picture roofline_picture(const std::vector<Roofline>& all);

}  // namespace gpx::report
