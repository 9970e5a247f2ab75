// Ordinary CUDA programs (tests/public/kernels/programs), each as nvcc would take it: with main(),
// streams, classes and headers of the host. A line "// gpx: --entry NAME --grid G ..." of a program
// is what follows `gpx predict FILE`.
#include <doctest/doctest.h>

#include <filesystem>
#include <fstream>
#include <set>

#include "runtime/predict/predict.h"
#include "tests/left_out.h"

using namespace gpx;

namespace {

const Paths kPaths{GPX_SOURCE_DIR "/stdlib", GPX_SOURCE_DIR "/experiments"};
const std::string kPrograms = GPX_TESTS_DIR "/public/kernels/programs";

/// Words between blanks; those of 'p=struct(i32(3), f32(2))' are one.
std::vector<std::string> words_of(const std::string& line) {
  std::vector<std::string> words(1);
  bool quoted = false;
  for (const char c : line) {
    if (c == '\'')
      quoted = !quoted;
    else if (c == ' ' && !quoted)
      words.emplace_back();
    else if (c != '\r')
      words.back() += c;
  }
  return words;
}

std::vector<std::string> extents_of(std::string text) {
  std::vector<std::string> all(1);
  for (const char c : text) {
    if (c == ',')
      all.emplace_back();
    else
      all.back() += c;
  }
  return all;
}

PredictRequest request_of(const std::string& file, const std::string& line) {
  PredictRequest request;
  request.file = file;
  request.device = "k20";
  request.machine = {"Mem_LD=252", "Departure_del_uncoal=4", "Departure_del_coal=4",
                     "Issue_cycles=1", "Mem_Bandwidth=170e9"};
  const std::vector<std::string> words = words_of(line);
  for (std::size_t i = 0; i + 1 < words.size(); i += 2) {
    const std::string &option = words[i], &value = words[i + 1];
    if (option == "--entry") request.entry = value;
    if (option == "--grid") request.grid = extents_of(value);
    if (option == "--block") request.block = extents_of(value);
    if (option == "--arg") request.arguments.push_back(value);
    if (option == "--buffer") request.buffers.push_back(value);
    if (option == "--define") request.defines.push_back(value);
    if (option == "--shared") request.shared_bytes = value;
    if (option == "--registers") request.registers = value;
    if (option == "--device") request.device = value;
  }
  return request;
}

/// Every `of`-th program from the `first` on: so ctest runs them beside each other.
void run_programs(std::size_t first, std::size_t of) {
  std::set<std::string> files;
  for (const auto& entry : std::filesystem::directory_iterator(kPrograms))
    if (entry.path().extension() == ".cu") files.insert(entry.path().string());
  REQUIRE(files.size() >= 60);
  std::size_t index = 0;
  for (const std::string& file : files) {
    if (index++ % of != first) continue;
    std::ifstream in(file);
    int runs = 0;
    for (std::string line; std::getline(in, line);) {
      constexpr std::string_view kMark = "// gpx: ";
      const std::size_t at = line.find(kMark);
      if (at == std::string::npos) continue;
      ++runs;
      const PredictRequest request = request_of(file, line.substr(at + kMark.size()));
      CAPTURE(file);
      CAPTURE(request.entry);
      Session session(kPaths);
      const auto prediction = predict(session, request);
      CHECK_MESSAGE(prediction.has_value(),
                    (prediction ? std::string() : render(prediction.error())));
    }
    CHECK(runs > 0);
  }
}

}  // namespace

TEST_CASE("ordinary programs, the first quarter") {
  GPX_NEEDS_NVRTC();
  run_programs(0, 4);
}
TEST_CASE("ordinary programs, the second quarter") {
  GPX_NEEDS_NVRTC();
  run_programs(1, 4);
}
TEST_CASE("ordinary programs, the third quarter") {
  GPX_NEEDS_NVRTC();
  run_programs(2, 4);
}
TEST_CASE("ordinary programs, the last quarter") {
  GPX_NEEDS_NVRTC();
  run_programs(3, 4);
}
