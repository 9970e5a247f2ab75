// What analyses and the process that asked for them say to each other comes back as it was.
#include "runtime/analysis/analysis_wire.h"

#include <doctest/doctest.h>

#include "runtime/analysis/probe/chase.h"
#include "runtime/analysis/probe/code.h"
#include "runtime/analysis/probe/kernel.h"

using namespace gpx;

TEST_CASE("findings, printed lines and refusals") {
  AnalysisResult made;
  Finding full;
  full.name = "l1.capacity[n=2]";
  full.value = 16384.0;
  full.unit = "B";
  full.low = 16000;
  full.high = 17000;
  full.confidence = 0.9;
  full.verdict = Verdict::measured;
  full.note = "two\nlines";
  full.evidence = {{{"threads", Quantity{32, Unit::none}}, {"kind", std::string("a")}},
                   {{"on", true}}};
  full.probes = {{"what", 3, 7, "x", "y", {{1, 0.5}, {2, 0.25}}}, {"more", 9, 9, {}, {}, {}}};
  full.proof = "verified";
  full.paper = PaperReading{Quantity{16384, Unit::byte}, 20000, "LA8"};
  made.findings.push_back(full);
  for (const decltype(Finding::value)& value : std::vector<decltype(Finding::value)>{
           std::monostate{}, std::string("PRT"), true, std::vector<double>{1, 2.5}}) {
    Finding& each = made.findings.emplace_back();
    each.name = "f" + std::to_string(made.findings.size());
    each.value = value;
  }
  made.refusals = {"too large"};
  const auto back = analysis_from(to_bytes(Result<AnalysisResult>(made)));
  REQUIRE(back.has_value());
  CHECK(back->refusals == made.refusals);
  REQUIRE(back->findings.size() == made.findings.size());
  for (std::size_t i = 0; i < made.findings.size(); ++i) {
    CHECK(back->findings[i].value == made.findings[i].value);
    CHECK(to_string(back->findings[i]) == to_string(made.findings[i]));
  }
  const Finding& first = back->findings.front();
  CHECK(first.evidence == full.evidence);
  CHECK(first.probes == full.probes);
  CHECK(first.proof == full.proof);
  CHECK(first.confidence == full.confidence);
  REQUIRE(first.paper.has_value());
  CHECK(first.paper->value == full.paper->value);
  CHECK(first.paper->high == full.paper->high);
  CHECK(first.paper->cite == "LA8");
}

TEST_CASE("requests of each kind have the same key and numbers") {
  ChaseRequest chase;
  chase.space = Space::texture;
  chase.width = 8;
  chase.array_bytes = 4096;
  chase.offsets = {0, 128, 64};
  chase.observed_passes = 3;
  chase.average = true;
  chase.copies = 3;
  chase.copy = 2;
  chase.place.sm = 2;
  chase.place.beside = {{1, 0, 512, {0, 64}}, {3, 8192, 0, {}}};
  CodeRequest code;
  code.bytes = 8192;
  code.runs = 5;
  code.place.sm = 1;
  KernelRequest kernel;
  kernel.name = "unified";
  kernel.file = "/x/unified.cu";
  kernel.text = "text";
  kernel.arrays = {4096};
  kernel.lists = {{1, 2}, {}};
  kernel.scalars = {7};
  kernel.blocks = 3;
  kernel.fewer = 1;
  for (const ProbeRequest* request :
       std::initializer_list<const ProbeRequest*>{&chase, &code, &kernel}) {
    const auto back = request_from(to_bytes(*request));
    REQUIRE(back);
    CHECK(back->key() == request->key());
    CHECK(back->repetitions() == request->repetitions());
    CHECK(back->fewer_blocks() == request->fewer_blocks());
    CHECK(to_bytes(*back) == to_bytes(*request));
  }
  wire::Bytes cut = to_bytes(chase);
  cut.pop_back();
  CHECK_FALSE(request_from(cut));
  CHECK_FALSE(request_from({9}));
}

TEST_CASE("answers and refusals of probes") {
  const auto numbers = answer_from(to_bytes(Result<std::vector<double>>({1, 2.5})));
  REQUIRE(numbers.has_value());
  CHECK(*numbers == std::vector<double>{1, 2.5});
  const Result<std::vector<double>> refused = fail(Fault::input, "too large");
  const auto back = answer_from(to_bytes(refused));
  REQUIRE_FALSE(back.has_value());
  CHECK(back.error().fault == Fault::input);
  CHECK(back.error().diagnostics.front().message == "too large");
}
