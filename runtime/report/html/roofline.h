// A roofline of instructions (Ding and Williams, PMBS 2019): warp instructions a second over those
// per byte that a memory hands over. Both axes are logarithmic.
// Covered by tests/report/prediction_page_test.cpp.
#pragma once

#include <string>
#include <vector>

namespace gpx::report::html {

struct MemoryRoof {
  std::string name;      ///< "DRAM"
  double bandwidth = 0;  ///< B/s that it hands over at most.
  double intensity = 0;  ///< Warp instructions that the kernel executes for each byte of it.
};

struct InstructionRoofline {
  double peak = 0;     ///< Warp instructions a second that all SMs issue at most.
  double reached = 0;  ///< That the kernel issues.
  std::vector<MemoryRoof> memory;
};

/// A drawing that follows the page's colours, and its numbers as a table. Without a memory that the
/// kernel uses there is the table alone.
std::string to_html(const InstructionRoofline& roofline);

}  // namespace gpx::report::html
