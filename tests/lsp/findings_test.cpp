// stdlib/findings.txt against what the tree has: experiments, and what they gave.
#include <doctest/doctest.h>

#include <filesystem>
#include <fstream>
#include <map>
#include <nlohmann/json.hpp>
#include <set>
#include <sstream>

#include "lang/language.h"
#include "runtime/lsp/library.h"

using namespace gpx;
using namespace gpx::lsp;

namespace {

namespace fs = std::filesystem;

const Library& library() {
  static const Library loaded =
      load_library({GPX_SOURCE_DIR "/stdlib", GPX_SOURCE_DIR "/experiments"});
  return loaded;
}

std::string text_of(const fs::path& path) {
  std::ifstream file(path, std::ios::binary);
  std::ostringstream text;
  text << file.rdbuf();
  return text.str();
}

/// Names that an argument of the analysis chose: of a pipe, of a listing, of an error.
std::set<std::string> given_names(const Experiment& experiment) {
  std::set<std::string> given;
  for (const Analyze& analyze : experiment.analyses)
    for (const AnalyzeArg& arg : analyze.args) {
      given.insert("pipe." + arg.name);
      if (const auto* text = std::get_if<std::string>(&arg.value))
        given.insert({*text, "pipe." + *text, "model.error." + *text});
    }
  return given;
}

/// Whether an analysis of the experiment has the finding, or an argument gave it its name. The
/// papers' tables have no analyses of their own: `gpx characterize` runs others for them.
bool is_listed(const std::string& finding, const Experiment& experiment) {
  const std::string name = finding.substr(0, finding.find('['));
  for (const LibraryFinding& one : library().findings) {
    if (one.name != name) continue;
    if (experiment.analyses.empty()) return true;
    for (const Analyze& analyze : experiment.analyses)
      if (one.analysis == analyze.method) return true;
  }
  const auto given = given_names(experiment);
  return name == "outcome" || given.contains(name) ||
         given.contains(name.substr(0, name.rfind('.')));
}

void named_in(const Expr& expr, std::vector<std::string>& names) {
  if (expr.kind == Expr::Kind::finding) names.push_back(expr.text);
  for (const Expr& arg : expr.args) named_in(arg, names);
}

std::vector<Experiment> experiments_of(const std::string& name, const std::string& text) {
  const Source source(name, text);
  const auto ast = parse(source);
  REQUIRE(ast);
  auto checked = check(*ast, source);
  REQUIRE(checked);
  return std::move(*checked);
}

}  // namespace

TEST_CASE("each row is of an analysis that there is, and says something") {
  std::set<std::string> described;
  REQUIRE(library().findings.size() > 300);
  for (const LibraryFinding& one : library().findings) {
    CAPTURE(one.name);
    CHECK(library().analysis(one.analysis));
    CHECK_FALSE(one.about.empty());
    CHECK(one.name.find_first_of("{}*,[ ") == std::string::npos);
    described.insert(one.analysis);
  }
  for (const LibraryAnalysis& one : library().analyses)
    CHECK_MESSAGE(described.contains(one.name), one.name << " has no row in stdlib/findings.txt");
}

TEST_CASE("whatever the experiments of the library expect of a finding, its row is there") {
  int count = 0;
  for (const char* folder : {"experiments", "stdlib/papers", "stdlib/characterize"})
    for (const auto& entry : fs::directory_iterator(fs::path(GPX_SOURCE_DIR) / folder)) {
      if (entry.path().extension() != ".gpx") continue;
      for (const Experiment& one : experiments_of(entry.path().string(), text_of(entry.path()))) {
        std::vector<std::string> names;
        for (const Expect& expect : one.expects) named_in(expect.condition, names);
        for (const PaperValue& paper : one.papers) names.push_back(paper.finding);
        for (const std::string& name : names)
          CHECK_MESSAGE(is_listed(name, one), entry.path().filename() << ": " << name);
        count += static_cast<int>(names.size());
      }
    }
  CHECK(count > 200);
}

TEST_CASE("so is that of each finding that a real GPU gave") {
  int count = 0;
  for (const auto& entry : fs::directory_iterator(GPX_SOURCE_DIR "/docs/results/h100")) {
    if (entry.path().extension() != ".json") continue;
    const auto document = nlohmann::json::parse(text_of(entry.path()));
    if (!document.contains("sources")) continue;  // Of a version that did not keep the text.
    std::map<std::string, Experiment> experiments;
    for (const auto& source : document["sources"])
      for (Experiment& one : experiments_of(source["file"], source["text"]))
        experiments.emplace(one.name, std::move(one));
    for (const auto& one : document["experiments"]) {
      const auto experiment = experiments.find(one["name"].get<std::string>());
      REQUIRE(experiment != experiments.end());
      for (const auto& finding : one["findings"]) {
        const std::string name = finding["name"];
        CHECK_MESSAGE(is_listed(name, experiment->second), entry.path().filename() << ": " << name);
        ++count;
      }
    }
  }
  CHECK(count > 100);
}
