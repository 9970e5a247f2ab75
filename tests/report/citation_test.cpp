// Works that are cited, in full and wherever they are cited.
#include "runtime/report/citation.h"

#include <doctest/doctest.h>

#include <filesystem>
#include <regex>
#include <set>

#include "made_results.h"
#include "tests/golden.h"

using namespace gpx;
using namespace gpx::report;

namespace {

std::set<std::string> cited_in(const std::string& folder) {
  static const std::regex clause("\\bcite +([a-z][a-z0-9]*)");
  std::set<std::string> names;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(folder)) {
    if (entry.path().extension() != ".gpx") continue;
    const std::string text = gpx::test::read_text(entry.path().string());
    for (std::sregex_iterator at(text.begin(), text.end(), clause), end; at != end; ++at)
      names.insert((*at)[1]);
  }
  return names;
}

/// Words alone: lines break elsewhere in a document, and titles are in italics there.
std::string words_of(const std::string& text) {
  std::string words;
  for (const char c : text)
    if (c != '*' && c != '\n' && c != ' ') words += c;
  return words;
}

}  // namespace

TEST_CASE("works_in_full: every work that the library cites has its authors and its title") {
  std::set<std::string> known;
  for (const Work& work : works()) known.emplace(work.name);
  for (const char* folder : {"/experiments", "/stdlib"})
    for (const std::string& name : cited_in(std::string(GPX_SOURCE_DIR) + folder))
      CHECK_MESSAGE(known.contains(name), name);
  const std::string document = words_of(gpx::test::read_text(GPX_SOURCE_DIR "/docs/howto/cite.md"));
  for (const Work& work : works())
    CHECK_MESSAGE(document.find(words_of(std::string(work.text))) != std::string::npos, work.name);
}

TEST_CASE("works_of_runs: by the clause and by the rows next to findings, each once") {
  report::Run run;
  ExperimentResult result = made::kepler();
  run.document.result = made::run_of(result);
  REQUIRE(works_of({run, run}).size() == 1);
  CHECK(works_of({run})[0].name == "lashgar2015");
  run.document.result.experiments[0].experiment.cites.clear();
  CHECK(works_of({run}).size() == 1);  // Its findings stand next to LA9.
  for (Finding& finding : run.document.result.experiments[0].findings) finding.paper.reset();
  CHECK(works_of({run}).empty());
  run.document.result.experiments.clear();
  CHECK(citation(run).empty());
}
