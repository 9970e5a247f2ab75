// docs/papers.md against the catalogue and the experiments: tests/docs/catalogue.txt. What the
// values are is ./dev papers' to find out.
#include <doctest/doctest.h>

#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>
#include <set>

#include "lang/language.h"
#include "tests/docs/catalogue.h"

namespace gpx::docs {
namespace {

std::string read(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

/// The files of experiments/ that cite each row.
std::map<std::string, std::set<std::string>> citing_files() {
  std::map<std::string, std::set<std::string>> files;
  for (const auto& entry : std::filesystem::directory_iterator(GPX_SOURCE_DIR "/experiments")) {
    if (entry.path().extension() != ".gpx") continue;
    const Source source(entry.path().string(), read(entry.path().string()));
    const auto checked = parse(source).and_then([&](const Ast& ast) { return check(ast, source); });
    REQUIRE(checked);
    for (const Experiment& experiment : *checked)
      for (const Cite& cite : experiment.cites)
        for (const std::string& id : cite.ids)
          files[id].insert("experiments/" + entry.path().filename().string());
  }
  return files;
}

TEST_CASE("an experiment cites rows of the catalogue only") {
  std::set<std::string> ids;
  for (const Work& work : parse_catalogue(read(GPX_TESTS_DIR "/docs/catalogue.txt")))
    for (const CatalogueRow& row : work.rows) CHECK(ids.insert(row.id).second);
  CHECK(ids.size() == 12 + 26 + 11 + 8);
  // Rows HO are published values of recent GPUs, which experiments are compared with: no paper is
  // reproduced, and docs/papers.md has none of them.
  for (const auto& [id, files] : citing_files())
    CHECK_MESSAGE((ids.count(id) || id.starts_with("HO")), *files.begin() << " cites " << id);
}

TEST_CASE("the papers' table has every row, with the command that reproduces it") {
  const std::string table = read(GPX_SOURCE_DIR "/docs/papers.md");
  const auto files = citing_files();
  for (const Work& work : parse_catalogue(read(GPX_TESTS_DIR "/docs/catalogue.txt")))
    for (const CatalogueRow& row : work.rows) {
      CAPTURE(row.id);
      const std::size_t at = table.find("\n| " + row.id + " | " + row.what + " | ");
      REQUIRE(at != std::string::npos);
      const std::string line = table.substr(at + 1, table.find('\n', at + 1) - at - 1);
      if (!row.command.empty()) {
        CHECK(line.find(row.command) != std::string::npos);
      } else if (files.count(row.id)) {
        for (const std::string& file : files.at(row.id))
          CHECK_MESSAGE(line.find("`gpx run " + file + "`") != std::string::npos,
                        "./dev papers makes the table anew");
      } else {
        CHECK(line.find("**missing**") != std::string::npos);
      }
    }
}

}  // namespace
}  // namespace gpx::docs
