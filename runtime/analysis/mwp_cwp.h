// The MWP/CWP model (Hong and Kim 2009): Equations (2) and (5) to (27) as a function of their
// parameters. Clocks, bytes, bytes a second, hertz. What rows of samples and gpx predict share.
// Covered by tests/runtime/mwp_cwp_test.cpp.
#pragma once

#include <limits>
#include <span>
#include <string>
#include <tl/expected.hpp>
#include <vector>

namespace gpx {

/// Of one launch on one machine; mwp_cwp.def names each.
struct MwpCwpParameters {
  static constexpr double kRequired = std::numeric_limits<double>::quiet_NaN();
#define PARAMETER(member, name, unit, from, otherwise) double member = otherwise;
#define INTERMEDIATE(member, name, unit, from)
#include "runtime/analysis/mwp_cwp.def"
};

/// What the equations give; an MWP without a limit is infinite.
struct MwpCwp {
  MwpCwpParameters given;
#define PARAMETER(member, name, unit, from, otherwise)
#define INTERMEDIATE(member, name, unit, from) double member = 0;
#include "runtime/analysis/mwp_cwp.def"
  int equation = 0;   ///< 22, 23 or 24.
  std::string which;  ///< The case: "warps", "memory", "compute".
  std::string why;
  std::string limit;  ///< Of MWP: "warps", "bandwidth", "departure delay".
  double seconds() const {
    return exec_cycles / given.clock_hz;
  }
};

struct MwpCwpOptions {
  /// Intermediates as Table 2 prints them: MWP and CWP to two decimals, cycles up to a whole one.
  bool as_printed = false;
  /// The print puts Comp_cycles > Mem_cycles beside CWP >= MWP, under Equation (23); section 3.2.2
  /// and Fig. 7 (Case 5) say that such a kernel takes its computation and one memory period, which
  /// is (24), and (23) would give less than the computation alone. The text is followed, or the
  /// print.
  bool printed_condition = false;
};

/// Errors: a parameter that is missing, negative or 0 where it cannot be; no instruction.
tl::expected<MwpCwp, std::string> mwp_cwp(const MwpCwpParameters& parameters,
                                          const MwpCwpOptions& options = {});

struct MwpCwpParameterRow {
  const char *name, *unit, *from;
  double MwpCwpParameters::*member;
};
struct MwpCwpRow {
  const char *name, *unit, *from;
  double MwpCwp::*member;
};
std::span<const MwpCwpParameterRow> mwp_cwp_parameters();
std::span<const MwpCwpRow> mwp_cwp_intermediates();

/// A table that reads like the paper's Table 2, as lines.
std::vector<std::string> mwp_cwp_table(const MwpCwp& model);

}  // namespace gpx
