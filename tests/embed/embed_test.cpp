// The public interface (gpx/gpx.h), used as a program outside gpx uses it: no other header of gpx.
#include <doctest/doctest.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <clocale>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <thread>
#include <utility>

#include "runtime/embed/gpx/gpx.h"

namespace {

const gpx::Places kPlaces = {GPX_SOURCE_DIR, ""};

const gpx::Source kLoads = {"loads.gpx",
                            "experiment loads \"Loads\" {\n"
                            "  cite lashgar2015 LA8\n"
                            "  sweep n 1..2, threads 32..1024 step 32\n"
                            "  repeat 2\n"
                            "  < load unique(128B) x n >\n"
                            "  analyze outstanding(x = threads, loads = n)\n"
                            "  expect outstanding.saturation[n=2] within 641..704\n"
                            "  expect outstanding.saturation[n=2] < 100\n"
                            "  claim \"it saturates\" outstanding.saturation[n=2] is measured LA8\n"
                            "}\n"};

gpx::RunOptions on(const std::string& device) {
  gpx::RunOptions options;
  options.device = device;
  return options;
}

template <typename T>
std::string problem_of(const gpx::Result<T>& result) {
  return result ? "" : result.error().text;
}

/// All numbers of a run's samples, for comparing runs.
std::vector<double> numbers_of(const gpx::Result<std::vector<gpx::Outcome>>& run) {
  std::vector<double> numbers;
  if (!run || run->empty()) return numbers;
  for (const gpx::Column& column : run->front().samples.columns)
    numbers.insert(numbers.end(), column.numbers.begin(), column.numbers.end());
  return numbers;
}

}  // namespace

TEST_CASE("an experiment is checked without a device") {
  const auto checked = gpx::check(kLoads, {{"n", "[3, 5]"}});
  REQUIRE_MESSAGE(checked, problem_of(checked));
  REQUIRE(checked->size() == 1);
  const gpx::Experiment& loads = checked->front();
  CHECK(loads.name == "loads");
  CHECK(loads.title == "Loads");
  CHECK(loads.points == 64);
  REQUIRE(loads.axes.size() == 2);
  CHECK(loads.axes[0].name == "n");
  CHECK(loads.axes[0].values == std::vector<gpx::Value>{3.0, 5.0});
  CHECK(loads.measures == std::vector<std::string>{""});
  CHECK(loads.text.find("unique") != std::string::npos);
}

TEST_CASE("errors are values, all of them, with their places") {
  const gpx::Source wrong = {"w.gpx", "sweep threads 2..4 < load uniqe(128B) >\nwarmpu 3\n"};
  const auto checked = gpx::check(wrong);
  REQUIRE_FALSE(checked);
  CHECK(checked.error().fault == gpx::Fault::input);
  REQUIRE(checked.error().problems.size() == 2);
  const gpx::Problem& problem = checked.error().problems.front();
  REQUIRE(problem.place);
  CHECK(problem.place->file == "w.gpx");
  CHECK(problem.place->line == 1);
  CHECK(problem.place->column == 27);
  CHECK(problem.place->line_text == "sweep threads 2..4 < load uniqe(128B) >");
  CHECK(problem.hint.find("unique") != std::string::npos);
  CHECK(checked.error().problems[1].place->line == 2);
  CHECK(checked.error().text.find("w.gpx:1:27: error: ") != std::string::npos);
  CHECK_FALSE(gpx::format(wrong));
  CHECK_FALSE(gpx::check(kLoads, {{"nothing", "3"}}));

  gpx::Session session(kPlaces);
  const auto run = session.run(wrong, on("k20"));
  REQUIRE_FALSE(run);
  CHECK(run.error().text == checked.error().text);
  const auto unknown = session.run(kLoads, on("k21"));
  REQUIRE_FALSE(unknown);
  CHECK(unknown.error().fault == gpx::Fault::input);
  CHECK_FALSE(session.device("k21"));
  const auto missing = gpx::read_file("/nowhere/x.gpx");
  REQUIRE_FALSE(missing);
  CHECK(missing.error().fault == gpx::Fault::device);
}

TEST_CASE("a text is laid out") {
  const auto formatted = gpx::format({"a", "sweep   threads  2..4   <load unique(128B)>"});
  REQUIRE(formatted);
  CHECK(*formatted == "sweep threads 2..4 < load unique(128B) >\n");
}

TEST_CASE("a run gives samples, findings, expectations and claims") {
  gpx::Session session(kPlaces);
  std::uint64_t done = 0, total = 0;
  gpx::RunOptions options = on("k20");
  options.progress = [&](std::uint64_t now, std::uint64_t all) { done = now, total = all; };
  const auto run = session.run(kLoads, options);
  REQUIRE_MESSAGE(run, problem_of(run));
  REQUIRE(run->size() == 1);
  const gpx::Outcome& outcome = run->front();
  CHECK(outcome.whole());
  CHECK(outcome.device.name == "k20");
  CHECK(outcome.device.is_virtual);
  CHECK(outcome.points == 64);
  CHECK(done == 64);
  CHECK(total == 64);

  CHECK(outcome.samples.rows() == 128);
  CHECK(outcome.curves.rows() == 64);
  const gpx::Column* threads = outcome.samples.find("threads");
  const gpx::Column* latency = outcome.samples.find("latency");
  REQUIRE(threads);
  REQUIRE(latency);
  CHECK(threads->role == gpx::Column::Role::axis);
  CHECK(threads->numbers.back() == 1024);
  CHECK(latency->role == gpx::Column::Role::observed);
  CHECK(latency->unit == "clocks");
  CHECK(outcome.samples.find("nothing") == nullptr);

  // 42 warp loads fit, which are 21 warps of two loads: 672 threads.
  const gpx::Finding* found = outcome.find("outstanding.saturation[n=2]");
  REQUIRE(found);
  CHECK(found->verdict == gpx::Verdict::measured);
  CHECK(std::get<double>(found->value) >= 641);
  CHECK(std::get<double>(found->value) <= 704);
  CHECK(found->unit == "threads");
  CHECK_FALSE(found->evidence.empty());
  CHECK(found->modelled);  // k20 is a virtual device.
  CHECK(gpx::verdict_text(*found) == std::string("modelled"));
  CHECK(found->proof == "verified");

  REQUIRE(outcome.expectations.size() == 2);
  CHECK(outcome.expectations[0].pass);
  CHECK_FALSE(outcome.expectations[1].pass);
  CHECK_FALSE(outcome.expectations[1].reason.empty());
  REQUIRE(outcome.claims.size() == 1);
  CHECK(outcome.claims[0].supported);
}

TEST_CASE("a device may be a file, and a setting replaces an axis") {
  gpx::Session session(kPlaces);
  gpx::RunOptions options = on(GPX_SOURCE_DIR "/stdlib/devices/k20.lua");
  options.settings = {{"threads", "32..64 step 32"}};
  const auto run = session.run(kLoads, options);
  REQUIRE_MESSAGE(run, problem_of(run));
  CHECK(run->front().points == 4);
  CHECK(run->front().device.name == "k20");
  const auto& facts = run->front().device.facts;
  const auto l2 = std::ranges::find(facts, "l2_bytes", &gpx::Fact::name);
  REQUIRE(l2 != facts.end());
  CHECK(std::get<double>(l2->value) == 1536 * 1024);
  CHECK(l2->unit == "B");
  const auto names = session.virtual_devices();
  CHECK(std::ranges::count(names, "k20") == 1);
}

TEST_CASE("a run that is stopped says so, and judges nothing") {
  gpx::Session session(kPlaces);
  const std::atomic<bool> stop{true};
  gpx::RunOptions options = on("k20");
  options.stop = &stop;
  const auto run = session.run(kLoads, options);
  REQUIRE_MESSAGE(run, problem_of(run));
  CHECK(run->front().interrupted);
  CHECK_FALSE(run->front().whole());
  CHECK(run->front().findings.empty());
  CHECK(run->front().points < 64);
}

TEST_CASE("what a user's function throws becomes an error") {
  gpx::Session session(kPlaces);
  gpx::RunOptions options = on("k20");
  options.progress = [](std::uint64_t, std::uint64_t) { throw std::runtime_error("enough"); };
  const auto run = session.run(kLoads, options);
  REQUIRE_FALSE(run);
  CHECK(run.error().fault == gpx::Fault::device);
  CHECK(run.error().text.find("enough") != std::string::npos);
}

TEST_CASE("sessions in several threads at once give what each gives alone") {
  const std::vector<std::string> devices = {"k20", "m2070", "k20", "gtx780"};
  std::vector<std::vector<double>> alone, together(devices.size());
  for (const std::string& device : devices)
    alone.push_back(numbers_of(gpx::Session(kPlaces).run(kLoads, on(device))));
  std::vector<std::thread> threads;
  for (std::size_t i = 0; i < devices.size(); ++i)
    threads.emplace_back(
        [&, i] { together[i] = numbers_of(gpx::Session(kPlaces).run(kLoads, on(devices[i]))); });
  for (std::thread& thread : threads) thread.join();
  CHECK_FALSE(alone[0].empty());
  CHECK(alone[0] != alone[1]);
  CHECK(together == alone);
}

TEST_CASE("sessions that do different things at once do not meet") {
  // Chases that an analysis asks for, branches, a barrier of several warps, a text with a mistake.
  const std::vector<std::array<std::string, 2>> work = {
      {"experiments/fermi_l1.gpx", "gtx560ti"},
      {"experiments/gt200_divergence.gpx", "gtx280"},
      {"experiments/gt200_barrier.gpx", "gtx280"},
      {"tests/lang/golden/bad-alignment.gpx", "k20"}};
  const auto answer = [](const std::array<std::string, 2>& what) {
    const auto source = gpx::read_file(GPX_SOURCE_DIR "/" + what[0]);
    if (!source) return source.error().text;
    const auto run = gpx::Session(kPlaces).run(*source, on(what[1]));
    if (!run) return run.error().text;
    std::string text;
    for (const gpx::Outcome& outcome : *run)
      for (const gpx::Finding& finding : outcome.findings)
        text += finding.name + ": " + finding.note + '\n';
    for (const double number : numbers_of(run)) text += std::to_string(number) + '\n';
    return text;
  };
  std::vector<std::string> alone, together(work.size());
  for (const auto& what : work) alone.push_back(answer(what));
  std::vector<std::thread> threads;
  for (std::size_t i = 0; i < work.size(); ++i)
    threads.emplace_back([&, i] { together[i] = answer(work[i]); });
  for (std::thread& thread : threads) thread.join();
  CHECK(together == alone);
  CHECK(alone[0].find("l1.capacity: ") != std::string::npos);
  CHECK(alone[1].find("divergence.") != std::string::npos);
  CHECK(alone[2].find("barrier.") != std::string::npos);
  CHECK(alone[3].find("error: ") != std::string::npos);
}

TEST_CASE("a program whose numbers have commas gets the same run") {
  if (!std::filesystem::exists("/usr/share/i18n/locales/de_DE")) {
    MESSAGE("left out: it needs the sources of locales");
    return;
  }
  const auto outcome = [] {
    const auto source = gpx::read_file(GPX_SOURCE_DIR "/experiments/hk_example.gpx");
    REQUIRE(source);
    auto run = gpx::Session(kPlaces).run(*source, on("fx5600"));
    REQUIRE_MESSAGE(run, problem_of(run));
    std::string findings;
    for (const gpx::Finding& finding : run->front().findings)
      findings += finding.name + ": " + finding.note + '\n';
    return std::pair(findings, numbers_of(run));
  };
  std::string folder = (std::filesystem::temp_directory_path() / "gpx-locale-XXXXXX").string();
  REQUIRE(::mkdtemp(folder.data()));
  const std::string made = "localedef -i de_DE -f UTF-8 " + folder + "/de_DE.UTF-8";
  REQUIRE(std::system(made.c_str()) == 0);
  const auto plain = outcome();
  ::setenv("LOCPATH", folder.c_str(), 1);
  REQUIRE(std::setlocale(LC_ALL, "de_DE.UTF-8"));
  const auto german = outcome();
  CHECK(std::strtod("0,5", nullptr) == 0.5);  // the program's locale is as it was
  std::setlocale(LC_ALL, "C");
  ::unsetenv("LOCPATH");
  std::filesystem::remove_all(folder);
  CHECK(german == plain);
}

TEST_CASE("a session without places uses the library that libgpx carries") {
  gpx::Session session;
  CHECK(session.virtual_devices() == gpx::Session(kPlaces).virtual_devices());
  const auto run = session.run(kLoads, on("k20"));
  REQUIRE_MESSAGE(run, problem_of(run));
  CHECK(run->front().find("outstanding.kind") != nullptr);
}
