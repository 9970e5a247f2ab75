// Goldens: each tests/lang/golden/NAME.gpx with its AST, experiments and formatted text beside it,
// and each bad-NAME.gpx with its errors. Lines `# --set name=value` are settings.
#include "tests/golden.h"

#include <doctest/doctest.h>
#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <sstream>

#include "lang/language.h"

using namespace gpx;
namespace fs = std::filesystem;

namespace {

const fs::path golden = fs::path(GPX_TESTS_DIR) / "lang/golden";

std::vector<fs::path> cases(bool bad) {
  std::vector<fs::path> paths;
  for (const auto& entry : fs::directory_iterator(golden)) {
    const std::string name = entry.path().filename().string();
    if (entry.path().extension() == ".gpx" && (name.rfind("bad-", 0) == 0) == bad)
      paths.push_back(entry.path());
  }
  std::sort(paths.begin(), paths.end());
  return paths;
}

std::vector<Setting> settings_of(const std::string& text) {
  std::vector<Setting> settings;
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);)
    if (line.rfind("# --set ", 0) == 0) settings.push_back(*parse_setting(line.substr(8)));
  return settings;
}

fs::path beside(fs::path path, const char* extension) {
  return path.replace_extension(extension);
}

std::string print(const std::vector<Experiment>& experiments) {
  std::string out;
  for (const Experiment& experiment : experiments) out += to_string(experiment);
  return out;
}

}  // namespace

TEST_CASE("a good file has the AST, the experiments and the layout of its goldens") {
  REQUIRE(cases(false).size() >= 8);
  for (const fs::path& path : cases(false)) {
    INFO(path.filename().string());
    const Source source(path.filename().string(), test::read_text(path));
    const auto ast = parse(source);
    if (!ast) FAIL(render(ast.error()));
    test::check_golden(beside(path, ".ast"), to_string(*ast));
    test::check_golden(beside(path, ".fmt"), format(*ast, source));
    const auto experiments = check(*ast, source, settings_of(source.text()));
    if (!experiments) FAIL(render(experiments.error()));
    test::check_golden(beside(path, ".experiment"), print(*experiments));
  }
}

TEST_CASE("an experiment's text reads back as the same experiment") {
  for (const fs::path& path : cases(false)) {
    INFO(path.filename().string());
    const Source source(path.filename().string(), test::read_text(path));
    const std::string text = print(*check(*parse(source), source, settings_of(source.text())));
    const Source printed("printed.gpx", text);
    const auto ast = parse(printed);
    if (!ast) FAIL(render(ast.error()));
    const auto again = check(*ast, printed);
    if (!again) FAIL(render(again.error()));
    CHECK(print(*again) == text);
  }
}

TEST_CASE("formatting is stable and does not change what a file means") {
  for (const fs::path& path : cases(false)) {
    INFO(path.filename().string());
    const Source source(path.filename().string(), test::read_text(path));
    const auto settings = settings_of(source.text());
    const auto ast = parse(source);
    const Source formatted(source.name(), format(*ast, source));
    const auto ast2 = parse(formatted);
    if (!ast2) FAIL(render(ast2.error()));
    CHECK(format(*ast2, formatted) == formatted.text());
    CHECK(to_string(*ast2) == to_string(*ast));
    CHECK(print(*check(*ast2, formatted, settings)) == print(*check(*ast, source, settings)));
    CHECK(ast2->comments.size() == ast->comments.size());
  }
}

TEST_CASE("a bad file has the errors of its golden, each with a place") {
  REQUIRE(cases(true).size() >= 40);
  for (const fs::path& path : cases(true)) {
    INFO(path.filename().string());
    const Source source(path.filename().string(), test::read_text(path));
    std::string errors;
    if (const auto ast = parse(source); !ast) {
      errors = render(ast.error());
    } else if (const auto result = check(*ast, source, settings_of(source.text())); !result) {
      errors = render(result.error());
      CHECK(result.error().fault == Fault::input);
      for (const Diagnostic& diagnostic : result.error().diagnostics)
        CHECK(diagnostic.location.has_value());
    }
    CHECK_FALSE(errors.empty());
    test::check_golden(beside(path, ".err"), errors);
  }
}
