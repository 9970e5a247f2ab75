// Launches that come before the predicted one: what they leave in an L2 whose capacity and policy
// are planted, where all of them run and where some are known by the lines that they touch alone.
#include "runtime/predict/sequence.h"

#include <doctest/doctest.h>

#include <fstream>

#include "codegen/files/files.h"
#include "runtime/predict/predict.h"
#include "tests/codegen/support.h"

using namespace gpx;

namespace {

const Paths kLibrary{GPX_SOURCE_DIR "/stdlib", GPX_SOURCE_DIR "/experiments"};

/// The k20 with an L2 that evicts the least recently used line: 1536 KB, lines of 128 B, 768 sets
/// of 16 ways, over which a range of lines lies evenly.
std::string planted_device() {
  std::string text = file_text(GPX_SOURCE_DIR "/stdlib/devices/k20.lua").value_or("");
  for (const auto& [from, to] : {std::pair{"insertion = { \"lru\"", "insertion = { \"mru\""},
                                 std::pair{"name = \"k20\"", "name = \"planted\""}}) {
    REQUIRE(text.find(from) != std::string::npos);
    text.replace(text.find(from), std::string_view(from).size(), to);
  }
  return text;
}

constexpr double kKilobyte = 1024;

struct Sequence {
  const char* what;
  std::vector<std::string> after;
  double read, written;  ///< KB of DRAM.
};

/// Bytes of DRAM, to a share of them.
void check_bytes(const Simulation& found, const Sequence& each, double within) {
  CHECK(found.counted("dram__bytes_read.sum") ==
        doctest::Approx(each.read * kKilobyte).epsilon(within));
  CHECK(found.counted("dram__bytes_write.sum") ==
        doctest::Approx(each.written * kKilobyte).epsilon(within));
}

class OnPlanted {
 public:
  OnPlanted() : device_(folder_ / "planted.lua") { std::ofstream(device_) << planted_device(); }

  PredictRequest request(const std::string& entry) const {
    PredictRequest request;
    request.file = GPX_TESTS_DIR "/kernels/sequence.cu";
    request.entry = entry;
    request.device = device_;
    request.grid = {"104"};
    request.block = {"256"};
    return request;
  }
  /// Loads 512 KB.
  PredictRequest loads() const {
    PredictRequest made = request("load_all");
    made.arguments = {"n=131072"};
    made.buffers = {"out=4KB:zero", "in=512KB:zero"};
    return made;
  }

 private:
  codegen::test::Folder folder_;
  std::string device_;
};

Simulation simulated(const PredictRequest& request) {
  Session session(kLibrary);
  auto prediction = predict(session, request);
  if (!prediction) FAIL(render(prediction.error()));
  REQUIRE(prediction->simulation.has_value());
  return std::move(*prediction->simulation);
}

std::string why_not(const PredictRequest& request) {
  Session session(kLibrary);
  const auto prediction = predict(session, request);
  return prediction ? "" : prediction.error().diagnostics.front().message;
}

}  // namespace

TEST_CASE("what launches before the predicted one leave in L2, all of them run") {
  const OnPlanted planted;
  // 4 MB drive out all that was there before; 1280 KB leave room for the last 256 KB of 512, which
  // the first half drives out before they are read.
  const Sequence sequences[] = {
      {"alone", {}, 0, 0},
      {"others load 4 MB", {"load_all<<<104, 256>>>(out, y=buffer(4MB, zero), 1048576)"}, 512, 0},
      {"others store 4 MB", {"store_all<<<104, 256>>>(y=buffer(4MB, zero), 1048576)"}, 512, 512},
      {"others load 1280 KB",
       {"load_all<<<104, 256>>>(out, y=buffer(1280KB, zero), 327680)"},
       512,
       0},
      {"others load 768 KB", {"load_all<<<104, 256>>>(out, y=buffer(768KB, zero), 196608)"}, 0, 0},
      {"the last one loads the same",
       {"load_all<<<104, 256>>>(out, y=buffer(4MB, zero), 1048576)",
        "load_all<<<104, 256>>>(out, in, 131072)"},
       0,
       0},
      {"the last one stores it",
       {"load_all<<<104, 256>>>(out, y=buffer(4MB, zero), 1048576)",
        "store_all<<<dim3(52, 2), (16, 16)>>>(in, 131072);"},
       0,
       0}};
  for (const Sequence& each : sequences) {
    PredictRequest request = planted.loads();
    request.after = each.after;
    const Simulation found = simulated(request);
    CAPTURE(each.what);
    CHECK(found.blocks_run == found.blocks);
    check_bytes(found, each, 0.02);
  }
}

TEST_CASE("launches that take too long are known by the lines that they touch") {
  const OnPlanted planted;
  const std::string loads = "load_all<<<1040, 256>>>(out, y=buffer(64MB, zero), 16777216)",
                    stores = "store_all<<<1040, 256>>>(y=buffer(64MB, zero), 16777216)";
  const Sequence sequences[] = {{"others load 64 MB", {loads}, 512, 0},
                                {"others store 64 MB", {stores}, 512, 512},
                                {"half of the lines are loaded again",
                                 {stores, "tools::load_some<64><<<8, 256>>>(out, in, 131072)"},
                                 256,
                                 256}};
  for (const Sequence& each : sequences) {
    PredictRequest request = planted.loads();
    request.after = each.after;
    const Simulation found = simulated(request);
    CAPTURE(each.what);
    check_bytes(found, each, 0.05);
  }
}

TEST_CASE("a part of a grid finds in L2 what the grid would") {
  const OnPlanted planted;
  PredictRequest request = planted.request("work_on");
  request.grid = {"1024"};  // 1 MB
  request.arguments = {"rounds=200"};
  request.buffers = {"out=4KB:zero", "in=1MB:zero"};
  const std::string others = "load_all<<<1040, 256>>>(out, y=buffer(64MB, zero), 16777216)";
  request.after = {others};
  const Simulation cold = simulated(request);
  CHECK(cold.blocks_run < cold.blocks);
  CHECK(cold.counted("dram__bytes_read.sum") == doctest::Approx(1024 * kKilobyte).epsilon(0.05));
  request.after = {others, "load_all<<<104, 256>>>(out, in, 131072)"};  // the first half
  const Simulation half = simulated(request);
  CHECK(half.counted("dram__bytes_read.sum") == doctest::Approx(512 * kKilobyte).epsilon(0.1));
  request.after.push_back("load_all<<<104, 256>>>(out, in, 262144)");
  CHECK(simulated(request).counted("dram__bytes_read.sum") < 64 * kKilobyte);
}

TEST_CASE("what is no launch, and what runs a kernel alone") {
  const OnPlanted planted;
  const auto why = [&](const std::string& after) {
    PredictRequest request = planted.loads();
    request.after = {after};
    return why_not(request);
  };
  CHECK(why("load_all(out, in, 4)").find("expected ENTRY<<<GRID, BLOCK>>>") != std::string::npos);
  CHECK(why("").find("--after '': expected ENTRY") !=
        std::string::npos);  // One blank, as elsewhere.
  CHECK(why("load_all<<<4>>>(out, in, 4)").find("a grid and a block") != std::string::npos);
  CHECK(why("load_all<<<4, 64>>> out").find("parentheses") != std::string::npos);
  CHECK(why("lod_all<<<4, 64>>>(out, in, 4)").find("lod_all") != std::string::npos);
  CHECK(why("load_all<<<4, 64>>>(out, in)").find("no argument gives it") != std::string::npos);
  CHECK(why("load_all<<<4, 64>>>(out, nowhere, 4)").find("'in' is a pointer") != std::string::npos);
  PredictRequest request = planted.loads();
  request.after = {"store_all<<<4, 64>>>(in, 4)"};
  request.measure = true;
  CHECK(why_not(request).find("run the kernel alone") != std::string::npos);
  request.measure = false;
  request.model = "mwp_cwp";
  CHECK(why_not(request).find("only --model simulation") != std::string::npos);
}
