// What a device file says, as texts: for people and for files of other simulators. No analysis
// reads it; what experiments see of a device is a Backend. Covered by
// tests/vgpu/device_file_test.cpp.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "lang/diagnostic.h"

namespace gpx::vgpu {

/// A value of the file.
struct FileValue {
  enum class From {
    source,   ///< A measurement or a publication, which `why` cites.
    assumed,  ///< Chosen, for the reason in `why`.
    none,     ///< The file does not say.
  };
  std::string path;              ///< "l1.latency", "op.add.f32.latency"
  std::string text;              ///< As the file has it: "32 clocks", "4", "7, 8, 9".
  std::optional<double> number;  ///< In base units: bytes, Hz, clocks of the SM.
  std::string unit;              ///< "B", "Hz", "clocks"; "" for plain numbers and words.
  From from = From::none;
  std::string why;
};

/// How far a twin's model was from the device that it was made of (runtime/twin/exam.h).
struct FileRecord {
  std::string device, date, exam;
  double points = 0, mean = 0, median = 0, p90 = 0, within = 0;
  std::vector<std::string> families, worst, causes;  ///< A line each.
};

/// A finding that a twin asked for and did not get (runtime/twin/missing.h).
struct FileMissing {
  std::string finding, why;
  std::vector<std::string> fields;  ///< What asked, and what stands in its place, a line each.
};

struct FileContents {
  std::string name, title;
  std::vector<FileValue> values;  ///< In the order of `field_reference`.
  std::vector<FileRecord> records;
  std::vector<FileMissing> missing;
};

/// Reads a device file. Errors: as open() of virtual_gpu.h.
Result<FileContents> read_device_file(const std::string& path);

/// All fields of device files: type, range, default and meaning (Markdown).
std::string field_reference();

/// The rows that `op` may have, besides units: "add.u32", "sass.fma".
const std::vector<std::string>& costed_names();

}  // namespace gpx::vgpu
