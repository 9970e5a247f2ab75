// gpx as a library: check an experiment, run it on a GPU or a virtual one, read what it found.
//
//   gpx::Session session;
//   const auto source = gpx::read_file("kepler_prt.gpx");
//   const auto run = session.run(*source, {.device = "k20"});
//   for (const gpx::Finding& finding : run->front().findings) …
//
// Errors are values: what can fail returns a `Result`, and nothing throws. There are no globals:
// each thread may have a Session of its own, and one Session serves one thread at a time. This
// header needs the standard library alone. docs/embedding.md has a whole program.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

namespace gpx {
// Within the library gpx:: has other types of these names, and this interface is gpx::v1.
#ifndef GPX_LIBRARY
inline
#endif
    namespace v1 {

/// The version of the library: "0.1.0".
const char* version();

/// Whose fault an error is. The enumerator's value is the exit status of the program gpx.
enum class Fault {
  input = 2,   ///< An experiment, a device's file, an analysis script, an option.
  device = 3,  ///< A GPU, its driver, NVRTC, the file system.
};

/// A place in a text. Lines and columns count from 1, columns in bytes.
struct Place {
  std::string file;
  int line = 0;  ///< 0: the file as a whole.
  int column = 0;
  int length = 0;         ///< In bytes.
  std::string line_text;  ///< Without its end.
};

struct Problem {
  std::string message;         ///< One sentence, lower case, no full stop.
  std::optional<Place> place;  ///< Absent where there is no text to point into.
  std::string hint;            ///< "did you mean 'unique'?"; or empty.
};

struct Error {
  Fault fault = Fault::input;
  std::vector<Problem> problems;  ///< Never empty; all that are known, in the order of the text.
  std::string text;               ///< All of them for people: each with its line and a caret.
};

/// A value, or why there is none.
template <typename T>
class [[nodiscard]] Result {
 public:
  Result(T value) : state_(std::in_place_index<0>, std::move(value)) {}
  Result(Error error) : state_(std::in_place_index<1>, std::move(error)) {}

  bool has_value() const { return state_.index() == 0; }
  explicit operator bool() const { return has_value(); }
  /// Only where there is a value.
  T& operator*() { return *std::get_if<0>(&state_); }
  const T& operator*() const { return *std::get_if<0>(&state_); }
  T* operator->() { return std::get_if<0>(&state_); }
  const T* operator->() const { return std::get_if<0>(&state_); }
  /// Only where there is none.
  const Error& error() const { return *std::get_if<1>(&state_); }

 private:
  std::variant<T, Error> state_;
};

// ---- Experiments ------------------------------------------------------------------------------

/// The text of an experiment. Kernels and scripts that it names are looked for beside `name`.
struct Source {
  std::string name;  ///< What errors call it: a path, or "<name>" where there is no file.
  std::string text;
};
Result<Source> read_file(const std::string& path);

/// `--set name=value`: replaces a parameter or an axis: "64", "2..64 step 2", "[1, 2]".
struct Setting {
  std::string name;
  std::string value;
};

/// A number (in bytes, seconds, hertz, clocks or none), a truth or a word.
using Value = std::variant<double, bool, std::string>;

struct Axis {
  std::string name;
  std::string unit;  ///< "B", "s", "Hz", "clocks"; "" for none and for words.
  std::vector<Value> values;
};

/// A checked experiment, in short.
struct Experiment {
  std::string name;  ///< "line1" and so on for lines without a block.
  std::string title;
  std::string device;  ///< That it names; or empty.
  std::vector<Axis> axes;
  std::uint64_t points = 0;           ///< Of the sweep, for each measure.
  std::vector<std::string> measures;  ///< Names; one empty name where there is a single measure.
  std::string text;                   ///< All of it, as it was understood.
};

/// Parses alone: the text in its canonical layout.
Result<std::string> format(const Source& source);
/// Parses and checks: the experiments of the text, in order. Needs no device.
Result<std::vector<Experiment>> check(const Source& source,
                                      const std::vector<Setting>& settings = {});

// ---- Results ----------------------------------------------------------------------------------

struct Column {
  enum class Role {
    axis,        ///< Of the sweep; also `measure`, the measure's name, where there are several.
    repetition,  ///< From 0.
    record,      ///< Tells the rows of one launch apart: block, thread, stamp, access.
    observed,    ///< NaN (text: "") where a measure does not observe it.
    interval,    ///< Of curves: NAME_low and NAME_high of a column, and `reached`.
  };
  std::string name;
  std::string unit;  ///< As of an Axis.
  Role role = Role::axis;
  bool is_text = false;
  std::vector<double> numbers;     ///< One a row, where it is no text.
  std::vector<std::string> texts;  ///< One a row, where it is text.
};

struct Samples {
  std::vector<Column> columns;

  std::size_t rows() const;
  const Column* find(std::string_view name) const;  ///< nullptr if there is none.
};

enum class Verdict {
  measured,      ///< The samples support the value within the interval.
  not_observed,  ///< Looked for over the whole sweep and not there.
  inconclusive,  ///< The samples cannot decide; `note` says between what.
};
const char* to_string(Verdict verdict);

/// What a paper publishes of a finding.
struct PaperReading {
  Value value;
  std::optional<double> high;  ///< Upper end where the paper gives a range.
  std::string cite;
};

/// Probes that a finding rests on, and what they show.
struct ProbeEvidence {
  std::string what;                   ///< What was asked.
  std::uint64_t first = 0, last = 0;  ///< Numbers in the experiment's log of probes, from 1.
  std::string x, y;                   ///< What the points have.
  std::vector<std::pair<double, double>> points;  ///< To draw; none: the probes alone.
};

struct Finding {
  std::string name;  ///< "outstanding.entries[n=2]"; docs/analysis.md lists them.
  std::variant<std::monostate, double, std::string, bool, std::vector<double>> value;
  std::string unit;                  ///< "threads", "entries", "B", "clocks"; or "".
  std::optional<double> low, high;   ///< Of the value where it is a number; absent: unbounded.
  std::optional<double> confidence;  ///< 0..1; absent where the method gives none.
  Verdict verdict = Verdict::inconclusive;
  std::string note;  ///< One line for people: how it was read.
  /// The points it rests on: names and values of columns that select rows of the samples.
  std::vector<std::vector<std::pair<std::string, Value>>> evidence;
  std::vector<ProbeEvidence> probes;
  std::vector<std::string> steps;    ///< How it was found: what was asked, found and ruled out.
  std::optional<std::string> proof;  ///< "verified", "unverified"; absent: nothing was timed.
  std::optional<PaperReading> paper;
  /// The value is a model's: of a virtual device, or of a model's equations. Its verdict reads
  /// "modelled" then.
  bool modelled = false;
};
/// "measured", "modelled", "not_observed", "inconclusive".
const char* verdict_text(const Finding& finding);

/// An `expect` line. On another device than the experiment names it does not apply, and `pass`
/// is a comparison only.
struct Expectation {
  std::string text;
  bool applies = true;
  bool pass = false;
  std::string reason;  ///< Why it failed; or empty.
};

/// A `claim` line: a sentence of a source, supported by the findings or not.
struct Claim {
  std::string sentence;
  std::string text;  ///< The condition.
  bool supported = false;
  std::string reason;  ///< What the findings say instead; or empty.
};

/// Something that a driver reports.
struct Fact {
  std::string name;  ///< "registers_per_sm"
  std::string unit;  ///< As of an Axis.
  std::string about;
  std::variant<bool, double, std::string, std::vector<double>> value;
};

struct Device {
  std::string name;          ///< "k20", "NVIDIA H100 80GB HBM3".
  bool is_virtual = true;    ///< What it measures is a model's answer, not a GPU's.
  int major = 0, minor = 0;  ///< Compute capability.
  std::uint32_t sm_count = 0;
  std::uint64_t memory_bytes = 0;
  double clock_hz = 0;      ///< Of the SMs.
  std::string driver;       ///< "" for a virtual one.
  std::string uuid;         ///< "" for a virtual one.
  std::vector<Fact> facts;  ///< All that is reported, these too.
};

/// What one experiment gave. After a failure or an interruption the samples hold the points that
/// were complete, and there are no findings: half a sweep is not judged.
struct Outcome {
  std::string experiment;  ///< Its name.
  std::string title;
  Device device;
  std::uint64_t seed = 0;
  std::uint64_t points = 0;        ///< That are complete, of all measures.
  std::uint64_t points_total = 0;  ///< Of the whole sweep.
  Samples samples;                 ///< One row a repetition, or a record of it.
  Samples curves;                  ///< Reduced over repetitions, with intervals.
  std::vector<Finding> findings;   ///< By the analyses that the experiment names.
  std::vector<Expectation> expectations;
  std::vector<Claim> claims;
  std::vector<std::string> printed;  ///< What analysis scripts printed.
  std::vector<std::string> warnings;
  std::optional<Error> failure;  ///< What ended it early.
  bool interrupted = false;

  bool whole() const { return !failure && !interrupted; }
  const Finding* find(std::string_view finding) const;  ///< nullptr if there is none.
};

// ---- Sessions ---------------------------------------------------------------------------------

/// Where the parts of gpx lie.
struct Places {
  /// A folder with stdlib/ and experiments/. Empty: those that the library carries.
  std::string data;
  /// The program gpx, which is started where a kernel may hang on a real GPU, so that it can be
  /// killed. Empty: such a kernel is refused. find_package(gpx) sets the installed one.
#ifdef GPX_PROGRAM
  std::string program = GPX_PROGRAM;
#else
  std::string program;
#endif
};

struct RunOptions {
  std::string device = "auto";  ///< auto, cuda, cuda:1, a virtual device's name, or a file.lua.
  std::vector<Setting> settings;
  std::uint64_t seed = 1;                   ///< Of a virtual GPU's noise.
  const std::atomic<bool>* stop = nullptr;  ///< Set by any thread: measure no further point.
  /// Points complete and points in all of the experiment that runs; about ten times a second, by
  /// the thread that called run().
  std::function<void(std::uint64_t done, std::uint64_t total)> progress;
};

/// Keeps devices open and kernels compiled between runs.
class Session {
 public:
  explicit Session(Places places = {});
  ~Session();
  Session(Session&&) noexcept;
  Session& operator=(Session&&) noexcept;

  /// Names of the standard library's virtual devices, sorted.
  std::vector<std::string> virtual_devices() const;
  /// What run() would use; `name` as RunOptions::device.
  Result<Device> device(const std::string& name = "auto");
  /// Checks the whole text before anything runs, then runs its experiments in order. After one that
  /// is not whole the later ones are missing. An error: nothing was measured.
  Result<std::vector<Outcome>> run(const Source& source, const RunOptions& options = {});

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace v1
}  // namespace gpx
