// Rules: what the numbers of an experiment may be. Each limit stands here, once.
//
// The checker applies them at every point of a small sweep and at the ends of a large one
// (lang/extremes.h), lowering at every point; both refuse with the same words.
// Covered by tests/lang/rules_test.cpp.
#pragma once

#include <string>
#include <vector>

#include "lang/experiment.h"

namespace gpx {

constexpr double max_count = 2147483647;        ///< Threads, blocks.
constexpr double max_bytes = 9007199254740992;  ///< 2^53: beyond it a double skips integers.

/// A number that an expression must give at every point of the sweep.
struct NumberRule {
  const char* what = "";  ///< "threads"
  Unit unit = Unit::none;
  double low = 0;
  double high = 0;        ///< max_count and max_bytes stand for no limit.
  bool fraction = false;  ///< It need not be whole; a time need not be in any case.

  bool admits(double value) const;  ///< Within the limits, and whole where it must be.
  /// "a whole number from 1 to 9", as far as `value` is to be told.
  std::string limits(double value) const;
};

/// Where `repeat until` gives up unless told otherwise. The interval of a median of 1000 values
/// with the standard deviation s is ±0.11 s: noise nine times the target is settled by then.
constexpr std::uint32_t kMostRepetitions = 1000;

namespace rules {
constexpr double kWord = 4294967295;  // 32 bits.
inline constexpr NumberRule           //
    threads{"threads", Unit::none, 1, max_count},
    blocks{"blocks", Unit::none, 1, max_count},
    cluster{"cluster", Unit::none, 1, 16},  // As many as an H100 lets meet; 8 are portable.
    repeat{"repeat", Unit::none, 1, 10000},
    // Fewer than 10 are never looked at (runtime/measure/stopping.h).
    at_most{"at most", Unit::none, 10, 10000},
    // Half a value is no measurement; 10000 repetitions settle noise of 0.28 % at 0.01 %.
    until{"the share in percent", Unit::none, 0.01, 50, true},
    warmup{"warmup", Unit::none, 0, 10000},  //
    rehearse{"rehearse", Unit::none, 0, 1000},
    flush{"the amount to flush", Unit::byte, 0, max_bytes},
    offset{"the offset", Unit::byte, 0, 1 << 30},
    registers{"registers", Unit::none, 1, 255},            // Of a thread.
    shared_bytes{"shared_bytes", Unit::byte, 0, 1 << 20},  // More than any SM has.
    watchdog{"the watchdog", Unit::second, 1e-6, 60},
    bank_width{"the bank width", Unit::byte, 4, 8},
    carveout{"the carveout", Unit::byte, 0, 1 << 30},
    carveout_percent{"the carveout in percent", Unit::none, 0, 100},
    sm{"the SM", Unit::none, 0, 65535}, width{"the width", Unit::byte, 1, 16},
    count{"the count", Unit::none, 1, 4096},        // Accesses of one region and thread.
    chase{"the count", Unit::none, 1, 67108864},    // Loads of one statement that follow links.
    executions{"the count", Unit::none, 1, 16384},  // Operations of one statement.
    streams{"the number of streams", Unit::none, 1, 64}, code{"the code", Unit::byte, 64, 524288},
    tested{"a tested value", Unit::none, 0, kWord},
    word{"a value of a region", Unit::none, 0, kWord},
    first_value{"the first value", Unit::none, 0, kWord},
    array_bytes{"the size of the array", Unit::byte, 1, max_bytes},
    link_width{"the width", Unit::byte, 1, max_bytes},
    buffer_bytes{"the size of a buffer", Unit::byte, 1, max_bytes};
}  // namespace rules

/// The rule of argument `i` of a layout.
const NumberRule& layout_rule(Array::Layout::Kind kind, std::size_t i);
/// What is wrong with an array and the links of its chase; "" if nothing is.
std::string array_fault(Array::Layout::Kind kind, Space space, double bytes, double width,
                        const std::vector<double>& args);

/// What is wrong with an operation's executions, which are dealt out to its streams.
std::string streams_fault(double count, double streams, const std::string& where = {});
/// What is wrong with addresses `bytes` apart of accesses of `width`; "" if nothing is.
std::string alignment_fault(double bytes, double width);
/// What is wrong with an offset of the memory of an access of `width`.
std::string offset_fault(double bytes, double width, const Access& access,
                         const std::string& where = {});
/// What is wrong with the width of an access.
std::string width_fault(double width);

}  // namespace gpx
