// Every seed and every input that once broke a promise, once through its target.
#include <doctest/doctest.h>

#include <algorithm>

#include "inputs.h"
#include "targets.h"

using namespace gpx::fuzz;

namespace {

void run_all(const std::string& target, std::string (*run)(const std::string&)) {
  std::vector<Input> inputs = corpus(target);
  for (Input& seed : seeds(target)) inputs.push_back(std::move(seed));
  CHECK(inputs.size() >= 5);
  for (const Input& input : inputs) {
    CAPTURE(input.name);
    CHECK(run(input.bytes) == "");
  }
}

}  // namespace

TEST_CASE("experiments keep their promises") {
  run_all("grammar", grammar);
}
TEST_CASE("PTX keeps its promises") {
  run_all("ptx", ptx);
}
TEST_CASE("device files keep their promises") {
  run_all("device", device);
}
TEST_CASE("documents for the store keep their promises") {
  run_all("store", store);
}
TEST_CASE("messages to the language server keep their promises") {
  run_all("lsp", lsp);
}
TEST_CASE("analysis scripts keep their promises") {
  run_all("lua", lua);
}
TEST_CASE("documents for reports keep their promises") {
  run_all("report", report);
}
TEST_CASE("kernels' files keep their promises") {
  run_all("kernel", kernel);
}
TEST_CASE("machine words keep their promises, with each bit changed, too") {
  run_all("sass", sass);
}

TEST_CASE("the dictionaries have the words of the language, of PTX and of devices") {
  const auto has = [](const char* target, const char* word) {
    const auto all = words(target);
    return std::find(all.begin(), all.end(), word) != all.end();
  };
  CHECK(has("grammar", "sweep"));
  CHECK(has("grammar", "add.u32"));
  CHECK(has("ptx", "mad.lo"));
  CHECK(has("device", "warp_slots"));
  CHECK(has("store", "\"experiments\""));
  CHECK(has("lua", "samples:reduce"));
  CHECK(has("report", "<fuzz>"));
  CHECK(has("kernel", "__global__"));
  CHECK(has("lsp", "\"textDocument/hover\""));
}
