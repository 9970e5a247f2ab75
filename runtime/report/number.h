// Numbers for people and for machines.
// Covered by tests/report/number_test.cpp.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace gpx::report {

/// True where a double is an integer that prints and reads back as one (|v| <= 2^53).
bool is_integer(double value);

/// All digits needed to read the number back; integers without a point; "" for NaN and infinity.
std::string exact(double value);

/// At most `digits` significant digits, integers below 10^7 whole: 44, 1408, 0.9876, 1.2e+09.
/// "–" for NaN.
std::string brief(double value, int digits = 4);

/// Whether numbers of that unit are written in its multiples: bytes, seconds, hertz, rates a
/// second.
bool is_scaled(std::string_view unit);

/// A number with a unit symbol: bytes in the largest binary multiple that keeps it whole (768 KB;
/// from 10^4 KB or 10^7 B on rounded: 44.01 MB), seconds and hertz scaled by thousands (10 ms),
/// others as they are (44 entries).
std::string with_unit(double value, std::string_view unit);

/// Bytes of the multiple that several values are written in side by side: the one that with_unit
/// gives each of them, else the largest that leaves at least ten of the smallest.
double common_bytes(const std::vector<double>& values);
/// "1505 KB", of the multiple of 1024.
std::string in_bytes(double value, double multiple);

/// For an axis: as with_unit, but thousands shortened (12k, 1.5M) and no unit except B, s and Hz.
std::string tick(double value, std::string_view unit);

/// "latency (clocks)"; without the unit where each tick has its own: "time" of 20 µs, 40 µs.
std::string axis_label(const std::string& name, const std::string& unit);

}  // namespace gpx::report
