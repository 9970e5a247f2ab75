// ProbeLog: every request that analyses made of a device and its answer, in order.
//
// RecordingProber writes a log while a prober answers; ReplayProber answers from one, without a
// device, so that an analysis finds again what it found then. Requests are the same if their texts
// are (ProbeRequest::question()). The log prints as text and parses back; its first line is
//
//   memory 5368709120
//   room global 2684354560
//   ask 1 chase global cache=cg width=4 bytes=8388608 warm=2 passes=1 list=0..1920/128
//   got 284 283*14 284
//   ask 2 kernel walk#05af…
//   not refused "the probe 'walk' needs 9663676416 B of memory: the device has 5368709120"
//   finding l2.line = 128 B [128, 128] measured: addresses this close share a line
//
// Covered by tests/runtime/probe_log_test.cpp.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "lang/diagnostic.h"
#include "lang/experiment.h"

namespace gpx {

class Prober;
class ProbeRequest;

struct ProbeRecord {
  std::string question;            ///< ProbeRequest::question().
  std::vector<double> answer;      ///< Empty where there is an error.
  std::optional<std::string> why;  ///< There was no answer: the message...
  Fault fault = Fault::device;     ///< ...and whose fault; Fault::input: the request was refused.
};

/// What analyses of one experiment learnt from a device beyond its facts and the samples.
struct ProbeLog {
  std::uint64_t memory_bytes = 0;             ///< That the analyses counted on.
  std::map<Space, std::uint64_t> most_bytes;  ///< Prober::most_bytes() of each space.
  std::vector<ProbeRecord> records;           ///< Numbered from 1.
  std::vector<std::string> findings;          ///< What the analyses concluded: to_string(Finding).
};

std::string to_string(const ProbeLog& log);
/// An error names the line, from 1, that is none of a log.
Result<ProbeLog> probe_log_from(std::string_view text);

/// "7 8*3 nan": numbers, of which equal ones that follow each other stand once.
std::string numbers_text(const std::vector<double>& numbers);
/// Nothing where the text is no such list.
std::optional<std::vector<double>> numbers_from(std::string_view text);

}  // namespace gpx
