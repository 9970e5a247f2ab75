// Accesses to the memory of a peer: the instructions of global memory, on buffers that lie
// elsewhere.
#include <algorithm>
#include <string>

#include "codegen/compile/compile.h"
#include "codegen/ir/program_text.h"
#include "codegen/proof/timed_region.h"
#include "support.h"
#include "tests/left_out.h"

namespace gpx::codegen::test {
namespace {

Limits with_peer() {
  Limits limits;
  limits.peer_bytes = 1 << 30;
  limits.peer_atomics = true;
  return limits;
}

std::string replaced(std::string text, const std::string& from, const std::string& to) {
  for (std::size_t at = 0; (at = text.find(from, at)) != std::string::npos; at += to.size())
    text.replace(at, from.size(), to);
  return text;
}

/// `SPACE` stands for either memory.
constexpr const char* kTexts[] = {
    "threads 64 < load SPACE unique(16B) width 16B x4 >",
    "threads 64 < load SPACE unique(4B) cache ca x4 >",
    "threads 64 < load SPACE unique(4B) cache cv x4 >",
    "threads 64 < store SPACE stride(16B) width 16B x4 >",
    "threads 64 observe time < copy SPACE unique(8B) width 8B cache cs x4 >",
    "threads 64 < atom.add.u32 SPACE same x8 chain >",
    "threads 64 observe time < red.add.f32 SPACE stride(128B) x8 >",
    "experiment e { array a : SPACE[64KB] chase(random 128B) observe average\n"
    "< load a cache cg x512 chain > }",
    "experiment e { array a : SPACE[64KB] chase(stride 128B) width 8B < load a each x512 > }",
};

TEST_CASE("the peer's memory is accessed by the instructions of global memory") {
  for (const char* text : kTexts) {
    CAPTURE(text);
    const Kernel own = program_of(replaced(text, "SPACE", "global")).kernels.at(0);
    const Kernel far = program_of(replaced(text, "SPACE", "peer"), with_peer()).kernels.at(0);
    std::string expected = replaced(to_string(far), "peer_data", "data");
    expected = replaced(expected, "peer_target", "target");
    expected = replaced(expected, "_peer_", "_");
    expected = replaced(expected, ": peer ", ": global ");
    CHECK(expected == to_string(own));
  }
}

TEST_CASE("the peer's memory has room for the largest offset, too") {
  const Program program = program_of(
      "sweep at in [0, 1] threads 32 offset at * 1KB < load peer unique(4B) >", with_peer());
  CHECK(program.buffers.at(0).bytes == 1024 + 256);
  CHECK(program.launches.at(1).offset_of(program.buffers.at(0)) == 1024);
}

TEST_CASE("what an access to the peer reaches lies there, and nothing else does") {
  const Program program = program_of(
      "experiment e { sweep where in [global, peer, shared], n in [2, 4]\n threads 32 array a : "
      "peer[64KB] chase(stride 128B) < load where stride(4B) x n; store where stride(4B) x n; load "
      "a "
      "x4 chain > }",
      with_peer());
  const auto place = [&](const char* name) {
    const auto found = std::ranges::find(program.buffers, name, &Buffer::name);
    CAPTURE(name);
    REQUIRE(found != program.buffers.end());
    return found->place;
  };
  CHECK(program.buffers.size() == 5);
  CHECK(place("data") == Buffer::Place::global);
  CHECK(place("target") == Buffer::Place::global);
  CHECK(place("peer_data") == Buffer::Place::peer);
  CHECK(place("peer_target") == Buffer::Place::peer);
  CHECK(place("array_a") == Buffer::Place::peer);
  CHECK(program.buffers[3].written);
  CHECK(program.kernels.size() == 6);
  const std::string text = to_string(program);
  const auto again = parse_programs(Source("text", text));
  if (!again) FAIL(render(again.error()));
  CHECK(to_string(again->at(0).program) == text);
}

TEST_CASE("a device without a peer refuses at the line that needs one") {
  for (const char* text : kTexts) {
    CAPTURE(text);
    const std::string said = complaint(replaced(text, "SPACE", "peer"));
    CHECK(said.find("this device has no peer, whose memory this would access") !=
          std::string::npos);
    CHECK(said.find("two GPUs of one host") != std::string::npos);
    CHECK(complaint(replaced(text, "SPACE", "global")).empty());
  }
  CHECK(
      complaint("sweep where in [global, peer] < load where unique(4B) >").find("test.gpx:1:33") ==
      0);
}

TEST_CASE("what the peer or the link to it lacks is refused") {
  Limits plain = with_peer();
  plain.peer_atomics = false;
  CHECK(complaint("< atom.add.u32 peer same >", plain)
            .find("the link to the peer has no atomics of its own") != std::string::npos);
  CHECK(complaint("< load peer unique(4B) >", plain).empty());
  Limits small = with_peer();
  small.memory_bytes = 1ull << 40;
  CHECK(complaint("threads 1024 blocks 1048576 < load peer unique(4B) >", small)
            .find("the peer has 1073741824") != std::string::npos);
  CHECK(complaint("threads 1024 blocks 1048576 < load unique(4B) >", small).empty());
}

TEST_CASE("accesses to the peer compile, and their PTX is proven") {
  GPX_NEEDS_NVRTC();
  std::vector<Kernel> kernels;
  for (const char* text : kTexts)
    kernels.push_back(program_of(replaced(text, "SPACE", "peer"), with_peer()).kernels.at(0));
  CompileOptions options;
  options.cache = ArtifactCache("");
  const auto made = compile(kernels, {Target::Form::cubin, 90}, options, nullptr);
  if (!made) FAIL(render(made.error()));
  for (std::size_t i = 0; i < kernels.size(); ++i) {
    CAPTURE(kernels[i].name);
    Artifact ptx = made->at(i);
    ptx.cubin.clear();
    const RegionReport report = check_timed_region(kernels[i], ptx);
    CAPTURE(report.reason);
    const bool timed = kernels[i].clocked();
    CHECK((report.verdict == RegionReport::Verdict::verified || !timed));
  }
}

}  // namespace
}  // namespace gpx::codegen::test
