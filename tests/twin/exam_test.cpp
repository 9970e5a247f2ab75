// Exams: errors of points, samples from CSV, records in device files.
#include "runtime/twin/exam.h"

#include <doctest/doctest.h>
#include <fmt/format.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>

#include "runtime/device/vgpu/device_file.h"
#include "runtime/twin/report.h"
#include "tests/experiments/support.h"

namespace gpx::test {
namespace {

namespace fs = std::filesystem;

const char* const kTable =
    "experiment,n,threads,measure,repetition,latency,time\n"
    "held_a,1,32,,0,100,\n"
    "held_a,1,32,,1,104,\n"
    "held_a,1,32,,2,102,\n"
    "held_a,2,32,,0,200,\n"
    "held_b,,,large,0,,0.5\n";

RunResult table(const std::string& text) {
  auto run = twin::run_from_csv(text, "held.csv", "real.csv");
  if (!run) FAIL(render(run.error()));
  return *run;
}

std::string changed(std::string text, const std::string& from, const std::string& to) {
  return text.replace(text.find(from), from.size(), to);
}

}  // namespace

TEST_CASE("samples of a table are points: medians over repetitions by the axes that a row has") {
  const twin::Exam exam = twin::compare(table(kTable), table(kTable));
  REQUIRE(exam.points.size() == 3);
  CHECK(exam.points[0].place == "n=1, threads=32");
  CHECK(exam.points[0].measured == 102);
  CHECK(exam.points[2].place == "measure=large");
  CHECK(exam.points[2].measured == 0.5);
  CHECK(twin::errors_of(exam.points).mean == 0);
  CHECK(twin::errors_of(exam.points).within == 1);
}

TEST_CASE("the error of a point is how far the model is off, and the worst is named") {
  const twin::Exam exam = twin::compare(
      table(kTable), table(changed(changed(kTable, "0,200", "0,150"), "0.5", "0.525")));
  const twin::Errors errors = twin::errors_of(exam.points);
  CHECK(errors.points == 3);
  CHECK(errors.mean == doctest::Approx((0 + 0.25 + 0.05) / 3));
  CHECK(errors.median == doctest::Approx(0.05));
  CHECK(errors.p90 == doctest::Approx(0.25));
  CHECK(errors.within == doctest::Approx(2.0 / 3));
  CHECK(errors.worst.place == "n=2, threads=32");
  REQUIRE(twin::families_of(exam).size() == 2);
  CHECK(twin::worst_of(exam, 1).front().modelled == 150);
  const std::string text = twin::exam_text(exam, {}, "a GPU", {});
  CHECK(text.find("against a GPU, 3 points: mean error 10.0 %, median 5.0 %, 90 % within 25.0 %; "
                  "66.7 % of the points within 10 %") != std::string::npos);
}

TEST_CASE("experiments that one of the two has not run are left out with the reason") {
  RunResult model = table(kTable);
  model.experiments[1].failure = make_error(Fault::input, "it has no such copies");
  const twin::Exam exam = twin::compare(table(kTable), model);
  REQUIRE(exam.left_out.size() == 1);
  CHECK(exam.left_out[0].family == "held_b");
  CHECK(exam.left_out[0].why == "the model: it has no such copies");
  RunResult device = table(kTable);
  device.experiments.erase(device.experiments.begin());
  CHECK(twin::compare(device, table(kTable)).left_out[0].why == "the device: it has not run it");
}

TEST_CASE("axes of later experiments stand behind what the first one observes") {
  const RunResult device = table(
      "experiment,n,repetition,latency,k,each,time\n"
      "held_a,1,0,100,,50,\n"
      "held_a,1,1,104,,52,\n"
      "held_b,,0,10,2,5,\n"
      "held_b,,0,30,4,7,\n"
      "held_c,,0,,8,,0.5\n");
  RunResult model = table(
      "experiment,n,repetition,latency,k,time\n"
      "held_a,1,0,102,,\n"
      "held_b,,0,11,2,\n"
      "held_b,,0,30,4,\n"
      "held_c,,0,,8,0.5\n");
  const twin::Exam exam = twin::compare(device, model);
  CHECK(exam.left_out.empty());
  REQUIRE(exam.points.size() == 4);
  CHECK(exam.points[0].error() == 0);
  CHECK(exam.points[1].place == "k=2");
  CHECK(exam.points[1].error() == doctest::Approx(0.1));
  CHECK(exam.points[3].measured == 0.5);
}

TEST_CASE("no table of samples is an error with its line") {
  CHECK_FALSE(twin::run_from_csv("", "a.csv", "d"));
  CHECK_FALSE(twin::run_from_csv("finding,value\n", "a.csv", "d"));
  const auto short_row = twin::run_from_csv("experiment,n,latency\nx,1\n", "a.csv", "d");
  REQUIRE_FALSE(short_row);
  CHECK(short_row.error().diagnostics.front().message == "line 2 of 'a.csv' has 2 cells, not 3");
}

TEST_CASE("a record goes into a device file, is read back, and is replaced for the same device") {
  const twin::Exam exam = twin::compare(table(kTable), table(changed(kTable, "0,200", "0,150")));
  std::string text = own_description("fig4");
  const fs::path path = fs::temp_directory_path() / fmt::format("gpx-exam-{}.lua", ::getpid());
  std::vector<vgpu::FileRecord> records;
  for (const char* device : {"board \"A\"", "board B", "board \"A\""}) {
    vgpu::FileRecord record = twin::record_of(exam, device, "2026-01-31", "held.gpx");
    record.causes = {"held_a: rests on \"x\""};
    const auto kept = twin::with_record(text, records, record);
    REQUIRE(kept);
    text = *kept;
    std::ofstream(path) << text;
    const auto file = vgpu::read_device_file(path.string());
    if (!file) FAIL(render(file.error()));
    records = file->records;
  }
  fs::remove(path);
  REQUIRE(records.size() == 2);
  CHECK(records[1].device == "board \"A\"");
  CHECK(records[1].points == 3);
  CHECK(records[1].mean == doctest::Approx(0.25 / 3).epsilon(0.001));
  CHECK(records[1].families.size() == 2);
  CHECK(records[1].worst.front() == "held_a, n=2, threads=32: 200 measured, 150 modelled");
  CHECK(records[1].causes == std::vector<std::string>{"held_a: rests on \"x\""});
  CHECK(twin::records_text(records, {}).find("board B") != std::string::npos);
  CHECK(twin::records_text(records, {}).find("cause: held_a") != std::string::npos);
  CHECK_FALSE(twin::with_record("return 1", {}, records[0]));
}

}  // namespace gpx::test
