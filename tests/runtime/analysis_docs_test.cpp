// The examples of docs/analysis.md: each line of code with `-->`, or the lines of `-->` after it,
// says what is printed.
#include <doctest/doctest.h>
#include <unistd.h>

#include <cmath>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "runtime/analysis.h"

namespace gpx {
namespace {

struct Block {
  std::string language, text;
};

std::vector<Block> blocks_of(const std::string& path) {
  std::ifstream file(path);
  std::vector<Block> blocks;
  bool inside = false;
  for (std::string line; std::getline(file, line);) {
    if (line.starts_with("```")) {
      inside = !inside;
      if (inside) blocks.push_back({line.substr(3), {}});
    } else if (inside) {
      blocks.back().text += line + '\n';
    }
  }
  return blocks;
}

Column::Role role_of(const std::string& name) {
  if (name == "repetition") return Column::Role::repetition;
  if (name == "thread") return Column::Role::record;
  return name == "latency" || name == "outcome" ? Column::Role::observed : Column::Role::axis;
}

std::vector<std::string> cells_of(const std::string& line) {
  std::vector<std::string> cells(1);
  for (const char c : line) {
    if (c == ',') cells.emplace_back();
    if (c != ',') cells.back() += c;
  }
  return cells;
}

Samples samples_of(const std::string& csv) {
  std::istringstream lines(csv);
  std::string line;
  std::getline(lines, line);
  Samples samples;
  for (const std::string& name : cells_of(line)) {
    const bool is_text = name == "op" || name == "measure" || name == "outcome";
    samples.columns.push_back({name, Unit::none, role_of(name), is_text, {}, {}});
  }
  while (std::getline(lines, line)) {
    const auto cells = cells_of(line);
    REQUIRE(cells.size() == samples.columns.size());
    for (std::size_t c = 0; c < cells.size(); ++c) {
      Column& column = samples.columns[c];
      if (column.is_text) column.texts.push_back(cells[c]);
      if (!column.is_text) column.numbers.push_back(cells[c].empty() ? NAN : std::stod(cells[c]));
    }
  }
  return samples;
}

std::vector<std::string> expected_of(const std::string& text) {
  std::vector<std::string> expected;
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) {
    const std::size_t at = line.find("--> ");
    if (at != std::string::npos) expected.push_back(line.substr(at + 4));
  }
  return expected;
}

TEST_CASE("the examples of the documentation print what it says") {
  const auto folder =
      std::filesystem::temp_directory_path() / ("gpx_docs_" + std::to_string(::getpid()));
  std::filesystem::create_directories(folder);
  Samples samples;
  std::size_t run = 0;
  for (const Block& block : blocks_of(GPX_SOURCE_DIR "/docs/analysis.md")) {
    if (block.language == "csv") samples = samples_of(block.text);
    const auto expected = expected_of(block.text);
    if (block.language != "lua" || expected.empty()) continue;
    std::ofstream(folder / "my.lua") << "return function(input)\n" << block.text << "\nend\n";
    Experiment experiment;
    Analyze statement;
    statement.method = "my.lua";
    statement.is_file = true;
    experiment.analyses = {statement};
    const auto result = analyze(experiment, samples, {}, {"", folder.string()});
    REQUIRE_MESSAGE(result, (result ? "" : result.error().diagnostics.front().message));
    std::vector<std::string> printed = result->printed;
    for (std::string& line : printed)  // the sign of NaN is the processor's
      for (std::size_t at = line.find("-nan"); at != std::string::npos; at = line.find("-nan"))
        line.erase(at, 1);
    REQUIRE(printed.size() == expected.size());
    for (std::size_t i = 0; i < printed.size(); ++i) CHECK(printed[i] == expected[i]);
    ++run;
  }
  std::filesystem::remove_all(folder);
  CHECK(run == 2);
}

}  // namespace
}  // namespace gpx
