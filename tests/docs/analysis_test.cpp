// The examples of docs/analysis.md: each line of code with `-->`, or the lines of `-->` after it,
// says what is printed; after those of `print`, the findings.
#include "runtime/analysis/analysis.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <fstream>

#include "runtime/pipeline.h"
#include "runtime/report/finding_text.h"
#include "tests/docs/document.h"
#include "tests/folder.h"

namespace gpx::docs {
namespace {

Column::Role role_of(const std::string& name) {
  if (name == "repetition") return Column::Role::repetition;
  if (name == "thread") return Column::Role::record;
  return name == "latency" || name == "outcome" ? Column::Role::observed : Column::Role::axis;
}

Lines cells_of(const std::string& line) {
  Lines cells(1);
  for (const char c : line) {
    if (c == ',') cells.emplace_back();
    if (c != ',') cells.back() += c;
  }
  return cells;
}

Samples samples_of(const Lines& lines) {
  Samples samples;
  for (const std::string& name : cells_of(lines.front())) {
    const bool is_text = name == "op" || name == "measure" || name == "outcome";
    samples.columns.push_back({name, Unit::none, role_of(name), is_text, {}, {}});
  }
  for (std::size_t i = 1; i < lines.size(); ++i) {
    const auto cells = cells_of(lines[i]);
    REQUIRE(cells.size() == samples.columns.size());
    for (std::size_t c = 0; c < cells.size(); ++c) {
      Column& column = samples.columns[c];
      if (column.is_text) column.texts.push_back(cells[c]);
      if (!column.is_text) column.numbers.push_back(cells[c].empty() ? NAN : std::stod(cells[c]));
    }
  }
  return samples;
}

Lines expected_of(const Block& block) {
  Lines expected;
  for (const std::string& line : block.lines) {
    const std::size_t at = line.find("--> ");
    if (at != std::string::npos) expected.push_back(line.substr(at + 4));
  }
  return expected;
}

struct Said {
  Lines printed;
  std::vector<Finding> findings;
};

Said run_example(const Block& block, const Samples& samples, const std::string& folder) {
  std::ofstream script(folder + "/my.lua");
  script << "return function(input)\n";
  for (const std::string& line : block.lines) script << line << '\n';
  script << "end\n";
  script.close();
  Experiment experiment;
  Analyze statement;
  statement.method = "my.lua";
  statement.is_file = true;
  experiment.analyses = {statement};
  Said said;
  const auto result =
      analyze(experiment, samples, {}, {GPX_SOURCE_DIR "/stdlib", folder}, nullptr, nullptr,
              nullptr, [&](const std::string& line) { said.printed.push_back(line); });
  REQUIRE_MESSAGE(result, (result ? "" : result.error().diagnostics.front().message));
  said.findings = result->findings;
  return said;
}

TEST_CASE("the examples of the documentation print what it says") {
  const test::TemporaryFolder folder;
  Samples samples;
  std::size_t run = 0;
  for (const Block& block : read_document(GPX_SOURCE_DIR "/docs/analysis.md").blocks) {
    if (block.language == "csv") samples = samples_of(block.lines);
    const Lines expected = expected_of(block);
    if (block.language != "lua" || expected.empty()) continue;
    CAPTURE(block.line);
    const Said result = run_example(block, samples, folder.path());
    Lines said = result.printed;
    for (const Finding& finding : result.findings) said.push_back(report::short_text(finding));
    for (std::string& line : said)  // the sign of NaN is the processor's
      for (std::size_t at = line.find("-nan"); at != std::string::npos; at = line.find("-nan"))
        line.erase(at, 1);
    REQUIRE(said.size() == expected.size());
    for (std::size_t i = 0; i < said.size(); ++i) CHECK(said[i] == expected[i]);
    ++run;
  }
  CHECK(run == 4);
}

TEST_CASE("every function of the statistics is in the table, and in an example") {
  Block script;
  script.lines = {"for name in pairs(stats) do print('stats.' .. name .. '(') end"};
  const test::TemporaryFolder folder;
  std::string table, examples;
  const Document document = read_document(GPX_SOURCE_DIR "/docs/analysis.md");
  for (const std::string& line : document.lines)
    if (line.starts_with("| `")) table += line;
  for (const Block& block : document.blocks)
    for (const std::string& line : block.lines) examples += line + '\n';
  const Said result = run_example(script, {}, folder.path());
  CHECK(result.printed.size() >= 12);
  for (const std::string& call : result.printed) {
    CAPTURE(call);
    CHECK(table.find(call) != std::string::npos);
    CHECK(examples.find(call.substr(0, call.size() - 1)) != std::string::npos);
  }
}

/// What scripts are given by name, as they name it: `stats.mean`, `probe.chase`, `samples:where`.
Lines given_to_scripts() {
  const test::TemporaryFolder folder;
  folder.write("api.lua", R"(return function()
    local lua = { string = true, table = true, math = true, _G = true, _VERSION = true }
    for _, name in ipairs { "assert", "error", "ipairs", "next", "pairs", "pcall", "rawequal", "rawget",
                            "rawlen", "rawset", "select", "tonumber", "tostring", "type" } do
      lua[name] = true
    end
    for name, value in pairs(_G) do
      if lua[name] then goto continue end
      if type(value) == "function" then print(name) end
      if type(value) == "table" then for field in pairs(value) do print(name .. "." .. field) end end
      ::continue::
    end
  end)");
  const std::string text = "< load unique(128B) > device fig4 analyze \"api.lua\"()\n";
  Session session({GPX_SOURCE_DIR "/stdlib", GPX_SOURCE_DIR "/experiments"});
  const auto result = session.run(Source(folder.write("api.gpx", text), text), {});
  REQUIRE_MESSAGE(result, (result ? "" : result.error().diagnostics.front().message));
  return result->experiments.front().printed;
}

TEST_CASE("whatever a script is given by name, the documents describe") {
  std::string text;
  for (const std::string& line : read_document(GPX_SOURCE_DIR "/docs/analysis.md").lines)
    text += line + '\n';
  const Lines names = given_to_scripts();
  CHECK(names.size() >= 18);
  for (const char* one : {"finding", "fit_line", "print", "use", "probe.chase", "probe.code"})
    CHECK_MESSAGE(std::ranges::count(names, one) == 1, one);
  for (const std::string& name : names) {
    CAPTURE(name);
    const bool is_called = text.find("`" + name + "(") != std::string::npos ||
                           text.find("`" + name + " ") != std::string::npos;
    CHECK(is_called);
  }
}

TEST_CASE("every analysis of the library has a heading in its document") {
  std::string headings;
  for (const std::string& line : read_document(GPX_SOURCE_DIR "/docs/analysis.md").lines)
    if (line.starts_with("### ")) headings += line + "\n";
  for (const std::string& name : analysis_methods(GPX_SOURCE_DIR "/stdlib"))
    CHECK_MESSAGE(headings.find("`" + name + "(") != std::string::npos, name);
}

}  // namespace
}  // namespace gpx::docs
