// Logs of probes: their text, what records them and what answers from them.
#include "runtime/analysis/probe_log.h"

#include <doctest/doctest.h>
#include <fmt/format.h>

#include <cmath>
#include <set>

#include "runtime/analysis/probe/chase.h"
#include "runtime/analysis/probe/code.h"
#include "runtime/analysis/probe/kernel.h"
#include "runtime/analysis/probe/parts.h"
#include "runtime/analysis/recorded_prober.h"

using namespace gpx;

namespace {

/// Answers with the number of the request; a chase of more than four lines is refused.
class CountingProber final : public Prober {
 public:
  Result<std::vector<double>> ask(const ProbeRequest& request) override {
    ++asked;
    const auto* chase = dynamic_cast<const ChaseRequest*>(&request);
    if (chase && chase->offsets.size() > 4) return fail(Fault::input, "too many lines");
    return std::vector<double>{asked, 0.1, 7, 7, 7};
  }
  std::uint64_t most_bytes(Space space) const override {
    return space == Space::constant ? 65536 : 1 << 20;
  }
  double asked = 0;
};

ChaseRequest chase_of(std::vector<std::uint64_t> offsets) {
  ChaseRequest request;
  request.array_bytes = 4096;
  request.offsets = std::move(offsets);
  return request;
}

std::string message(const Result<std::vector<double>>& answer) {
  REQUIRE_FALSE(answer);
  return answer.error().diagnostics.front().message;
}

}  // namespace

TEST_CASE("numbers as text and back") {
  struct Row {
    std::vector<double> numbers;
    const char* text;
  };
  const Row rows[] = {
      {{}, ""},
      {{1}, "1"},
      {{7, 7, 7}, "7*3"},
      {{1, 7, 7, 0.1}, "1 7*2 0.1"},
      {{1e18, -0.5, 1.0 / 3}, "1e+18 -0.5 0.3333333333333333"},
  };
  for (const Row& row : rows) {
    CHECK(numbers_text(row.numbers) == row.text);
    CHECK(numbers_from(row.text) == row.numbers);
  }
  const std::vector<double> missing(2, std::nan(""));
  CHECK(numbers_text(missing) == "nan*2");
  CHECK(std::isnan(numbers_from("nan*2").value().at(1)));
  for (const char* wrong : {"x", "1*0", "1*", "1*-2", "1*9999999999", "1,2"})
    CHECK_MESSAGE(!numbers_from(wrong), wrong);
}

TEST_CASE("a list is written by its items, as equally distant ones, or by a digest") {
  std::vector<std::uint64_t> equal, many;
  for (std::uint64_t i = 0; i < 100; ++i) equal.push_back(128 * i), many.push_back(i * i);
  const std::vector<std::uint64_t> few = {5, 3, 9};
  CHECK(list_text(few) == "5,3,9");
  CHECK(list_text(equal) == "0..12672/128");
  const std::string digest = list_text(many);
  CHECK(digest.starts_with("100:0..9801#"));
  ++many[50];
  CHECK(list_text(many) != digest);
}

TEST_CASE("requests that differ in anything are different questions") {
  std::vector<ChaseRequest> chases(14, chase_of({0, 128}));
  chases[1].space = Space::constant;
  chases[2].cache = CacheOp::cg;
  chases[3].width = 8;
  chases[4].array_bytes = 8192;
  chases[5].offsets = {128, 0};
  chases[6].warm_passes = 3;
  chases[7].observed_passes = 2;
  chases[8].average = true;
  chases[9].flush = true;
  chases[10].place.sm = 0;
  chases[11].place.beside = {{1, 0, 4096, {0, 128}}};
  chases[12].copies = 2;
  chases[13].copies = 2, chases[13].copy = 1;
  std::set<std::string> questions;
  for (const ChaseRequest& chase : chases) questions.insert(chase.question());
  CHECK(questions.size() == chases.size());

  KernelRequest kernel;
  kernel.name = "walk";
  kernel.text = "int a; // comment\nint  b;";
  std::vector<KernelRequest> kernels(11, kernel);
  kernels[1].text = "int a; int c;";
  kernels[2].arrays = {4096};
  kernels[3].bare = true;
  kernels[4].textures = {4096};
  kernels[5].lists = {{1}};
  kernels[6].scalars = {1};
  kernels[7].results = 2;
  kernels[8].room = 8192;
  kernels[9].blocks = 2;
  kernels[10].fewer = 1;
  for (const KernelRequest& each : kernels) questions.insert(each.question());
  CHECK(questions.size() == chases.size() + kernels.size());
  kernel.text = "int a;\nint b; // another comment";
  CHECK(questions.contains(kernel.question()));
}

TEST_CASE("a replayed log answers as the device did, also with its refusals") {
  CountingProber device;
  ProbeLog log;
  const std::vector<ChaseRequest> asked = {chase_of({0}), chase_of({0, 128}), chase_of({0}),
                                           chase_of({0, 1, 2, 3, 4})};
  std::vector<Result<std::vector<double>>> answers;
  RecordingProber recorder(device, log);
  for (const ChaseRequest& request : asked) answers.push_back(recorder.ask(request));
  CHECK(log.records.size() == 4);

  const auto read = probe_log_from(to_string(log));
  REQUIRE(read);
  CHECK(to_string(*read) == to_string(log));
  ReplayProber replay(*read);
  // In another order: the same requests keep theirs.
  for (const std::size_t i : {1, 0, 2, 3}) {
    const auto answer = replay.ask(asked[i]);
    REQUIRE(answer.has_value() == answers[i].has_value());
    if (answer) CHECK(*answer == *answers[i]);
  }
  CHECK(replay.most_bytes(Space::constant) == 65536);
  CHECK_FALSE(replay.lacked());
}

TEST_CASE("a request that the log lacks is an error that names it") {
  CountingProber device;
  ProbeLog log;
  RecordingProber recorder(device, log);
  CHECK(recorder.ask(chase_of({0, 128})));
  ReplayProber replay(log);
  CHECK(message(replay.ask(chase_of({0, 256}))) ==
        "the log of probes lacks a request: chase global width=4 bytes=4096 warm=2 passes=1 "
        "list=0,256");
  REQUIRE(replay.ask(chase_of({0, 128})));
  const auto again = replay.ask(chase_of({0, 128}));
  REQUIRE_FALSE(again);
  CHECK(again.error().fault == Fault::device);
  CHECK(again.error().diagnostics.front().hint ==
        "it has fewer records of this request than are needed");
  REQUIRE(replay.lacked());
  CHECK(render(*replay.lacked()).find("list=0,256") != std::string::npos);
}

TEST_CASE("a text that is no log is refused by its line") {
  const char* wrong[] = {"memory x\n",
                         "room nowhere 1\n",
                         "ask 2 chase\ngot 1\n",
                         "ask 1 chase\n",
                         "got 1\n",
                         "ask 1 chase\ngot one\n",
                         "ask 1 chase\nnot perhaps why\n",
                         "ask 1 a\nask 2 b\n",
                         "something\n"};
  for (const char* text : wrong) CHECK_MESSAGE(!probe_log_from(text), std::string(text));
  const auto log = probe_log_from("memory 5\nask 1 a\nnot failed why so\nfinding f = 1 measured\n");
  REQUIRE(log);
  CHECK(log->records.at(0).why == "why so");
  CHECK(log->findings == std::vector<std::string>{"f = 1 measured"});
}
