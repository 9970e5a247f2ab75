// What the Python package asks of gpx: texts in, texts out, so that a run that was read from a file
// is the same as one that has just ended. Results are the JSON of docs/output.md, schema 1.
// Covered by tests/python/.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "lang/diagnostic.h"
#include "lang/language.h"
#include "runtime/paths.h"
#include "runtime/predict/predict.h"

namespace gpx::python {

/// True: go on. Called with what is complete and what there is in all.
using Progress = std::function<bool(std::uint64_t done, std::uint64_t total)>;

struct RunCall {
  std::string text, name;  ///< The experiment, and what its errors call it.
  std::string device = "auto";
  std::vector<Setting> settings;
  std::uint64_t seed = 1;
};
Result<std::string> run(const Paths& paths, const RunCall& call, const Progress& progress);

struct CharacterizeCall {
  std::string device = "auto";
  std::vector<std::string> only;
  double budget_s = 0;  ///< 0: none.
  std::uint64_t seed = 1;
};
/// The JSON and the table for a terminal.
using Answer = std::pair<std::string, std::string>;
Result<Answer> characterize(const Paths& paths, const CharacterizeCall& call,
                            const Progress& progress);
Result<Answer> predict(const Paths& paths, const PredictRequest& request);

/// The JSON document of a run as a page for a browser; several are laid side by side.
struct NamedDocument {
  std::string name, json;
};
Result<std::string> page(const std::vector<NamedDocument>& documents);
/// As `gpx show` prints it.
Result<std::string> report(const std::string& json, int width);
/// [{"experiment","x","x_unit","x_words","log_x","panels":[{"name","unit","log","curves":[{"label",
/// "x","y","low","high"}]}],"marks":[{"text","x"}],"left_out","note","svg"}], a figure for each
/// plot; null where a curve has no value. `note` and `svg` are those of report/picture.h and svg.h.
Result<std::string> figures(const std::string& json);

/// The text in its canonical layout.
Result<std::string> format(const std::string& text, const std::string& name);

/// [{"message","hint","file","line","column"}]: an error's problems; line 0 where there is none.
std::string problems(const Error& error);

}  // namespace gpx::python
