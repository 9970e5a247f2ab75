// Causes: what points rest on that a model misses, with planted mistakes.
#include "runtime/twin/causes.h"

#include "tests/twin/planted.h"

namespace gpx::test {
namespace {

Source exam_of_barriers() {
  return Source("exam.gpx",
                "experiment held_barriers \"Barriers\" {\n  sweep n in [8, 24]\n"
                "  threads 32\n  < bar.sync x n chain >\n}\n");
}

RunResult run_exam(const std::string& device) {
  Session session(source_paths());
  auto run = twin::run_each(session, device, exam_of_barriers(), {});
  if (!run) FAIL(render(run.error()));
  return std::move(*run);
}

/// The causes of a model whose barriers take 14 clocks, of a device whose barriers take so many.
std::vector<twin::Cause> causes_of_barriers(const std::string& clocks, const std::string& note) {
  std::string device = device_with(7, ""), model = device;
  const std::string planted = "latency = { \"14 clocks\", assumed = \"planted\" }";
  const std::size_t at = device.find(planted);
  device.replace(at, planted.size(), "latency = { \"" + clocks + "\", assumed = \"planted\" }");
  model.replace(at, planted.size(), "latency = { \"14 clocks\", " + note + " }");
  const std::string first = planted_file(device);
  const RunResult measured = run_exam(first);
  const std::string second = planted_file(model);
  const twin::Exam exam = twin::compare(measured, run_exam(second));
  const auto contents = vgpu::read_device_file(second);
  REQUIRE(contents);
  auto causes = twin::causes_of(source_paths(), exam, exam_of_barriers(), second, *contents);
  std::filesystem::remove(second);
  return causes;
}

}  // namespace

TEST_CASE("points that are far off rest on the number that is wrong, and say if it is assumed") {
  const auto causes = causes_of_barriers("30 clocks", "assumed = \"not measured\"");
  REQUIRE(causes.size() == 1);
  CHECK(causes.front().points.size() == 2);
  REQUIRE_FALSE(causes.front().rests.empty());
  CHECK(causes.front().rests.front().value.path == "barrier.latency");
  CHECK(causes.front().rests.front().elasticity == doctest::Approx(1).epsilon(0.3));
  const std::string text = causes.front().text();
  CAPTURE(text);
  CHECK(text.find("held_barriers, 2 points: 0.4") != std::string::npos);
  CHECK(text.find("rests on barrier.latency (") != std::string::npos);
  CHECK(text.find(", assumed)") != std::string::npos);
}

TEST_CASE("a measured number that would have to leave its interval means a missing mechanism") {
  const auto causes =
      causes_of_barriers("30 clocks", "source = \"rate.row 14 clocks (13.5 to 14.5); a GPU\"");
  REQUIRE(causes.size() == 1);
  const std::string text = causes.front().text();
  CAPTURE(text);
  CHECK(text.find("barrier.latency would have to be 28") != std::string::npos);
  CHECK(text.find("which 13.5 to 14.5 excludes: the model lacks a mechanism") != std::string::npos);
  const auto wide =
      causes_of_barriers("30 clocks", "source = \"rate.row 14 clocks (10 to 40); a GPU\"");
  REQUIRE(wide.size() == 1);
  CHECK(wide.front().text().find("which its interval holds") != std::string::npos);
}

TEST_CASE("what is near needs no cause, and what no number moves lacks a mechanism") {
  CHECK(causes_of_barriers("15 clocks", "assumed = \"not measured\"").empty());
  const twin::Cause none{"held_x", {{"held_x", "n=1", 100, 50}}, {}};
  CHECK(none.text() ==
        "held_x, n=1: 0.50 of the device's time; no number of the file moves it: the "
        "model lacks a mechanism");
}

}  // namespace gpx::test
