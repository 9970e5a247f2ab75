// Helpers for tests that run whole experiments.
#pragma once

#include <doctest/doctest.h>
#include <fmt/format.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "runtime/pipeline.h"
#include "tests/device_files.h"

namespace gpx::test {

inline Paths source_paths() {
  return {GPX_SOURCE_DIR "/stdlib", GPX_SOURCE_DIR "/experiments"};
}

inline Source read_source(const std::string& path) {
  std::ifstream file(path);
  REQUIRE_MESSAGE(file.good(), path);
  return Source(path, std::string(std::istreambuf_iterator<char>(file), {}));
}

using Changes = std::vector<std::pair<std::string, std::string>>;

/// The text of a device of the standard library, under a name of its own: a changed k20 is no k20.
inline std::string own_description(const std::string& device) {
  std::string text(read_source(device_file(device)).text());
  const std::string name = "name = \"" + device + "\"";
  const std::size_t at = text.find(name);
  REQUIRE_MESSAGE(at != std::string::npos, device << ".lua has no " << name);
  return text.replace(at, name.size(), "name = \"planted-" + device + "\"");
}

/// The same with some of its text replaced.
inline std::string changed_description(const std::string& device, const Changes& changes) {
  std::string text = own_description(device);
  for (const auto& [from, to] : changes) {
    const std::size_t at = text.find(from);
    REQUIRE_MESSAGE(at != std::string::npos, device << ".lua has no text " << from);
    text.replace(at, from.size(), to);
  }
  return text;
}

/// An experiment of the library.
inline Source experiment_source(const std::string& name) {
  return read_source(GPX_SOURCE_DIR "/experiments/" + name + ".gpx");
}

/// Runs `source` and insists that it runs.
inline RunResult run(Session& session, const Source& source, const RunOptions& options = {}) {
  auto result = session.run(source, options);
  if (!result) FAIL(render(result.error()));
  for (const ExperimentResult& experiment : result->experiments)
    if (experiment.failure) FAIL(render(*experiment.failure));
  return std::move(*result);
}

/// A device file of its own, which is removed with it.
class PlantedDevice {
 public:
  explicit PlantedDevice(const std::string& text) {
    static int number = 0;
    path_ = std::filesystem::temp_directory_path() /
            fmt::format("gpx-planted-{}-{}.lua", getpid(), number++);
    std::ofstream(path_) << text;
  }
  PlantedDevice(const std::string& device, const Changes& changes)
      : PlantedDevice(changed_description(device, changes)) {}
  ~PlantedDevice() { std::filesystem::remove(path_); }
  PlantedDevice(const PlantedDevice&) = delete;
  PlantedDevice& operator=(const PlantedDevice&) = delete;

  std::string path() const { return path_.string(); }
  RunOptions options(const std::vector<Setting>& settings = {}) const {
    RunOptions options;
    options.device = path();
    options.settings = settings;
    return options;
  }
  RunResult run(const Source& source, const std::vector<Setting>& settings = {}) const {
    Session session(source_paths());
    return test::run(session, source, options(settings));
  }
  RunResult run(const std::string& experiment, const std::vector<Setting>& settings = {}) const {
    return run(experiment_source(experiment), settings);
  }
  /// The first experiment of the library's file.
  ExperimentResult first(const std::string& experiment) const {
    RunResult result = run(experiment);
    REQUIRE(!result.experiments.empty());
    return std::move(result.experiments[0]);
  }
  /// Why a text does not run; "": it does.
  std::string complaint(const std::string& text) const {
    Session session(source_paths());
    auto result = session.run(Source("test.gpx", text), options());
    if (!result) return render(result.error());
    const auto& failure = result->experiments.front().failure;
    return failure ? render(*failure) : std::string();
  }

 private:
  std::filesystem::path path_;
};

inline const Finding* find(const ExperimentResult& result, const std::string& name) {
  for (const Finding& finding : result.findings)
    if (finding.name == name) return &finding;
  return nullptr;
}

inline const Finding& get(const ExperimentResult& result, const std::string& name) {
  const Finding* finding = find(result, name);
  REQUIRE_MESSAGE(finding, "no finding " << name);
  return *finding;
}

inline double number(const Finding& finding) {
  const double* value = std::get_if<double>(&finding.value);
  REQUIRE_MESSAGE(value, finding.name << " is not a number: " << to_string(finding.verdict) << ", "
                                      << finding.note);
  return *value;
}

/// Whether the interval has the truth; an end that is not known excludes nothing.
inline bool holds(const Finding& finding, double truth) {
  return (!finding.low || *finding.low <= truth) && (!finding.high || truth <= *finding.high);
}

/// The same where both ends must be known.
inline bool bounds(const Finding& finding, double truth) {
  return finding.low && finding.high && holds(finding, truth);
}

inline std::string text(const Finding& finding) {
  const std::string* value = std::get_if<std::string>(&finding.value);
  REQUIRE_MESSAGE(value, finding.name << " is not a word: " << finding.note);
  return *value;
}

}  // namespace gpx::test
