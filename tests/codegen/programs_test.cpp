// Ordinary CUDA programs (tests/public/kernels/programs), each as nvcc would take it: with main(),
// streams, classes and headers of the host. A line "// gpx: --entry NAME --grid G ..." of a program
// is what follows `gpx predict FILE`; here the entry compiles and has the parameters that it gives.
#include "codegen/user/user_kernel.h"
#include "support.h"
#include "tests/left_out.h"
#include "tests/thorough.h"

namespace gpx::codegen::test {
namespace {

/// The values of an option on a line: "x=4KB" of `--buffer x=4KB`.
std::vector<std::string> values_of(const std::string& line, const std::string& option) {
  std::vector<std::string> all;
  for (std::size_t at = line.find(option); at != line.npos; at = line.find(option, at + 1)) {
    std::size_t begin = at + option.size() + 1;
    if (line[begin] == '\'') ++begin;
    all.push_back(line.substr(begin, line.find_first_of(" '\r", begin) - begin));
  }
  return all;
}

void run_line(const std::string& file, const std::string& text, const std::string& line) {
  FileOptions options{.entry = values_of(line, "--entry").at(0)};
  CAPTURE(file);
  CAPTURE(options.entry);
  for (std::string define : values_of(line, "--define"))
    options.defines.push_back(define.replace(define.find('='), 1, " "));
  const Source source(file, readable_text(text));
  const auto made =
      compile_file(source, {Target::Form::ptx, 75}, options, ArtifactCache(""), nullptr);
  if (!made) FAIL(render(made.error()));
  const auto entry = find_entry(entries_of(made->artifact.ptx, made->declarations),
                                made->symbol_of(options.entry), file, source, {});
  if (!entry) FAIL(render(entry.error()));
  std::vector<std::string> given = values_of(line, "--arg");
  for (const std::string& buffer : values_of(line, "--buffer")) given.push_back(buffer);
  CHECK(given.size() == entry->parameters.size());
  for (const std::string& each : given) {
    CAPTURE(each);
    CHECK(std::ranges::count(entry->parameters, each.substr(0, each.find('=')),
                             &KernelParameter::name) == 1);
  }
}

void run_programs(std::size_t every) {
  std::vector<std::string> files;
  for (const auto& each :
       std::filesystem::directory_iterator(GPX_TESTS_DIR "/public/kernels/programs"))
    files.push_back(each.path().string());
  std::ranges::sort(files);
  REQUIRE(files.size() >= 60);
  for (std::size_t i = 0; i < files.size(); i += every) {
    const std::string text = read_text(files[i]);
    std::istringstream lines(text);
    for (std::string line; std::getline(lines, line);)
      if (line.find("// gpx: ") != line.npos) run_line(files[i], text, line);
  }
}

}  // namespace

TEST_CASE("ordinary programs compile" * doctest::test_suite(gpx::test::kSamples)) {
  GPX_NEEDS_NVRTC();
  run_programs(gpx::test::sample_size(6u, 1u));
}

}  // namespace gpx::codegen::test
