#include "runtime/analysis/analysis.h"

#include <doctest/doctest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>

#include "inference_model.h"
#include "lang/lists.h"
#include "runtime/analysis/prober.h"

using namespace gpx;
using namespace gpx::testing;

namespace {

namespace fs = std::filesystem;

/// A folder of its own for each test, removed at its end.
struct Folder {
  fs::path path = fs::temp_directory_path() / ("gpx_analysis_" + std::to_string(::getpid()));
  Folder() {
    fs::create_directories(path / "stdlib/analysis/parts");
    fs::create_directories(path / "user");
  }
  ~Folder() { fs::remove_all(path); }
  void write(const std::string& name, const std::string& text) const {
    std::ofstream(path / name) << text;
  }
  AnalysisPaths paths() const { return {(path / "stdlib").string(), (path / "user").string()}; }
};

Samples samples() {
  Samples made;
  made.columns = {
      {"state", Unit::none, Column::Role::axis, true, {}, {"warm", "warm", "cold", "cold"}},
      {"size", Unit::byte, Column::Role::axis, false, {64, 64, 32, 32}, {}},
      {"repetition", Unit::none, Column::Role::repetition, false, {0, 1, 0, 1}, {}},
      {"latency", Unit::clock, Column::Role::observed, false, {100, 300, 7, 7}, {}}};
  return made;
}

Experiment with(std::vector<Analyze> statements) {
  Experiment experiment;
  experiment.reduce = Reduce::harmonic_mean;
  experiment.analyses = std::move(statements);
  return experiment;
}

Analyze method(const std::string& name) {
  Analyze statement;
  statement.method = name;
  return statement;
}

Analyze script(const std::string& file) {
  Analyze statement = method(file);
  statement.is_file = true;
  return statement;
}

struct Ran : Result<AnalysisResult> {
  std::vector<std::string> printed;
};

Ran run(const std::string& text) {
  const Folder folder;
  folder.write("user/my.lua", text);
  DeviceInfo device = plain_device();
  device.clock_hz = 1e9;
  std::vector<std::string> printed;
  auto result =
      analyze(with({script("my.lua")}), samples(), device, folder.paths(), nullptr, nullptr,
              nullptr, [&](const std::string& line) { printed.push_back(line); });
  return {std::move(result), std::move(printed)};
}

std::string message(const Result<AnalysisResult>& result) {
  return result ? "no error" : result.error().diagnostics.front().message;
}

}  // namespace

TEST_CASE("verdicts have the names of the JSON contract") {
  CHECK(to_string(Verdict::measured) == "measured");
  CHECK(to_string(Verdict::not_observed) == "not_observed");
  CHECK(to_string(Verdict::inconclusive) == "inconclusive");
}

TEST_CASE("a script sees samples, arguments, the reduction and the driver's facts, nothing else") {
  const auto result = run(R"(return function(input)
    local names = {}
    for name in pairs(input) do names[#names + 1] = name end
    table.sort(names)
    print(table.concat(names, " "))
    names = {}
    for name in pairs(input.device) do names[#names + 1] = name end
    table.sort(names)
    print(table.concat(names, " "))
    print(input.reduce, #input.samples, input.device.name, input.device.clock_hz)
  end)");
  REQUIRE_MESSAGE(result, message(result));
  CHECK(result.printed ==
        std::vector<std::string>{
            "args device reduce samples",
            "clock_hz cluster_launch code cooperative_launch instruction_bytes kind "
            "max_threads_per_block max_threads_per_sm memory_bus_bits memory_bytes "
            "memory_clock_hz name sm_count sm_major sm_minor warp_size",
            "harmonic_mean\t4\tplanted\t1000000000.0"});
}

TEST_CASE("the samples' methods") {
  const auto result = run(R"(return function(input)
    local s = input.samples
    print(table.concat(s:column("latency"), " "), table.concat(s:column("state"), " "))
    print(s:has("latency"), s:has("time"), s:count())
    for _, c in ipairs(s:columns()) do print(c.name, c.unit, c.role, c.is_text) end
    local reduced = s:reduce(input.reduce)
    for _, row in ipairs(reduced:rows()) do print(row.state, row.size, row.latency) end
    for _, g in ipairs(s:group("state")) do print(g.key.state, g.samples:count()) end
    print(s:filter(function(row) return row.size < 50 end):count(), #s:group())
  end)");
  REQUIRE_MESSAGE(result, message(result));
  CHECK(result.printed ==
        std::vector<std::string>{"100.0 300.0 7.0 7.0\twarm warm cold cold", "true\tfalse\t4",
                                 "state\t\taxis\ttrue", "size\tB\taxis\tfalse",
                                 "repetition\t\trepetition\tfalse",
                                 "latency\tclocks\tobserved\tfalse", "warm\t64.0\t150.0",
                                 "cold\t32.0\t7.0", "warm\t2", "cold\t2", "2\t1"});
}

TEST_CASE("the statistics follow their definitions") {
  const auto result = run(R"(return function()
    local v = {4, 1, 3, 2}
    print(stats.mean(v), stats.median(v), stats.min(v), stats.max(v), stats.harmonic_mean{1, 2, 4})
    print(stats.quantile(v, 0), stats.quantile(v, 0.25), stats.quantile(v, 1), stats.mad(v))
    print(stats.variance{2, 4, 6}, stats.variance3({10, 12, 17})[2], stats.variance3{1, 2, 3}[1])
    local line = fit_line({1, 2, 3, 4}, {3, 5, 7, 9})
    print(line.slope, line.intercept, line.sigma, line.squares, line.slope_error)
    print(stats.jitter{1, 2, 3, 4, 5})
    local heights, slopes = stats.shifts({1, 2, 3, 4, 5, 6, 7, 8}, {1, 2, 3, 4, 15, 16, 17, 18}, 3)
    print(heights[4], slopes[4], heights[1])
  end)");
  REQUIRE_MESSAGE(result, message(result));
  CHECK(result.printed ==
        std::vector<std::string>{
            "2.5\t2.5\t1.0\t4.0\t1.7142857142857", "1.0\t1.75\t4.0\t1.0",
            "4.0\t13.0\t" + std::string(std::signbit(std::nan("")) ? "-nan" : "nan"),
            "2.0\t1.0\t0.0\t0.0\t0.0", "0.0", "10.0\t1.0\t0.0"});
}

TEST_CASE("a finding keeps every field") {
  const auto result = run(R"(return {
    describe = function() return "a test" end,
    run = function(input)
      finding { name = "a", value = 3, unit = "B", low = 2, high = 4, confidence = 0.5,
                note = "so", evidence = { { size = 64, state = "warm" } } }
      finding { name = "b", value = "MSHR" }
      finding { name = "c", value = true, verdict = "inconclusive" }
      finding { name = "d", value = { 1, 2 } }
      finding { name = "e", verdict = "not_observed" }
    end })");
  REQUIRE_MESSAGE(result, message(result));
  const auto& found = result->findings;
  REQUIRE(found.size() == 5);
  CHECK(std::get<double>(found[0].value) == 3);
  CHECK(found[0].unit == "B");
  CHECK(found[0].low == 2.0);
  CHECK(found[0].high == 4.0);
  CHECK(found[0].confidence == 0.5);
  CHECK(found[0].verdict == Verdict::measured);
  CHECK(found[0].note == "so");
  REQUIRE(found[0].evidence.size() == 1);
  CHECK(found[0].evidence[0][0] == std::pair<std::string, Value>("state", std::string("warm")));
  CHECK(found[0].evidence[0][1] == std::pair<std::string, Value>("size", Quantity{64, Unit::byte}));
  CHECK(std::get<std::string>(found[1].value) == "MSHR");
  CHECK(found[2].verdict == Verdict::inconclusive);
  CHECK(std::get<std::vector<double>>(found[3].value) == std::vector<double>{1, 2});
  CHECK(found[4].verdict == Verdict::not_observed);
}

TEST_CASE("what a script does wrong is an error at its line") {
  struct Case {
    const char* text;
    int line;
    const char* error;
  };
  const std::vector<Case> cases = {
      {"return function()\n finding { value = 1 } end", 2, "a name is missing"},
      {"return function()\n finding { name = 'x', valeu = 1 } end", 2, "did you mean 'value'"},
      {"return function()\n finding { name = 'x' } end", 2, "without a value"},
      {"return function()\n finding { name = 'x', value = 0/0 } end", 2, "not a finite number"},
      {"return function()\n finding { name = 'x', value = print } end", 2, "not a function"},
      {"return function()\n finding { name = 'x', value = 5, high = 4 } end", 2, "between low and"},
      {"return function()\n finding { name = 'x', value = 1, confidence = 2 } end", 2, "0 and 1"},
      {"return function()\n finding { name = 'x', value = 1, verdict = 'yes' } end", 2, "'yes'"},
      {"return function()\n finding { name = 'x', verdict = 'measured' } end", 2, "have a value"},
      {"return function()\n finding { name = 'x', value = 1, verdict = 'not_observed' } end", 2,
       "has no value"},
      {"return function()\n finding { name = 'x', value = 1, evidence = {{ sise = 1 }} } end", 2,
       "column that the samples don't have"},
      {"return function()\n finding { name = 'x', value = 1 }\n finding { name = 'x', value = 2 } "
       "end",
       3, "made twice"},
      {"return function(input)\n return input.samples:column('time') end", 2, "there are: state"},
      {"return function(input)\n return input.samples:reduce('mode') end", 2, "harmonic_mean"},
      {"return function(input)\n return input.samples:where{ size = 'x' } end", 2,
       "the column 'size' holds numbers, not a string"},
      {"return function(input)\n return input.samples:where{ sise = 64 } end", 2,
       "there are: state"},
      {"return function(input)\n return input.samples:having('time') end", 2, "there are: state"},
      {"return function(input)\n return input.samples:columns('key') end", 2, "is no role"},
      {"return function()\n finding { name = 'outcome[n=1]', value = 1 } end", 2, "itself"},
      {"return function(input)\n return input.samples.column({}, 'x') end", 2, "samples expected"},
      {"return function()\n return stats.mean({}) end", 2, "at least 1"},
      {"return function()\n return stats.mean({1, 'x'}) end", 2, "element 2 is a string"},
      {"return function()\n return stats.quantile({1}, 2) end", 2, "between 0 and 1"},
      {"return function()\n return fit_line({1, 2}, {1, 2, 3}) end", 2, "differ in length"},
      {"local x = \n", 2, "unexpected symbol"},
      {"return function()\n while true do end end", 2, "instructions"},
      {"return function()\n return ('x'):rep(1 << 30) end", 2, "memory budget"},
      {"return function()\n use 'nothing' end", 2, "no analysis is named 'nothing'"},
      {"return function()\n use '../../etc/passwd' end", 2, "no analysis is named"}};
  for (const Case& one : cases) {
    const auto result = run(one.text);
    CHECK_MESSAGE(contains(message(result), one.error),
                  (std::string(one.text) + ": " + message(result)));
    if (result) continue;
    CHECK(result.error().fault == Fault::input);
    REQUIRE(result.error().diagnostics.front().location);
    CHECK_MESSAGE(result.error().diagnostics.front().location->line == one.line,
                  std::string(one.text));
  }
}

TEST_CASE("a script that returns no function is an error, and so is a missing file") {
  CHECK(contains(message(run("return 3")), "must return a function"));
  CHECK(contains(message(run("")), "must return a function"));
  const Folder folder;
  const Source source("e.gpx", "analyze \"gone.lua\"");
  Analyze gone = script("gone.lua");
  gone.span = {8, 18};
  const auto result = analyze(with({gone}), samples(), {}, folder.paths(), &source);
  REQUIRE_FALSE(result);
  CHECK(contains(message(result), "cannot read the analysis script"));
  CHECK(result.error().diagnostics.front().location->column == 9);
}

TEST_CASE("a user's script extends a module, which runs once") {
  const Folder folder;
  folder.write("stdlib/analysis/parts/base.lua", "print('loaded') return {two = 2}");
  folder.write("stdlib/analysis/known.lua",
               "local base = use 'parts/base'\n"
               "return {run = function() finding {name = 'known', value = base.two} end}");
  folder.write("user/my.lua",
               "local known, base = use 'known', use 'parts/base'\n"
               "return function(input) known.run(input)\n"
               "finding {name = 'more', value = base.two + 1} end");
  std::vector<std::string> printed;
  const auto result =
      analyze(with({script("my.lua")}), samples(), {}, folder.paths(), nullptr, nullptr, nullptr,
              [&](const std::string& line) { printed.push_back(line); });
  REQUIRE_MESSAGE(result, message(result));
  REQUIRE(result->findings.size() == 2);
  CHECK(result->findings[0].name == "known");
  CHECK(std::get<double>(result->findings[1].value) == 3);
  CHECK(printed == std::vector<std::string>{"loaded"});
}

TEST_CASE(
    "an error in a module names the module's file, and a module that uses itself is an error") {
  const Folder folder;
  folder.write("stdlib/analysis/bad.lua", "\nerror('broken')");
  folder.write("stdlib/analysis/circle.lua", "return use 'circle'");
  folder.write("user/my.lua", "return function() use 'bad' end");
  folder.write("user/round.lua", "return function() use 'circle' end");
  const auto bad = analyze(with({script("my.lua")}), samples(), {}, folder.paths());
  REQUIRE_FALSE(bad);
  CHECK(fs::path(bad.error().diagnostics.front().location->file).filename() == "bad.lua");
  CHECK(bad.error().diagnostics.front().location->line == 2);
  CHECK(contains(message(analyze(with({script("round.lua")}), samples(), {}, folder.paths())),
                 "uses itself"));
}

TEST_CASE("what a module complains of is said of its statement, and where it said so") {
  const Folder folder;
  folder.write("stdlib/analysis/strict.lua",
               "return function(input)\n  error('most must be 1 or more', 0) end");
  const Source source("e.gpx", "sweep n 1..2 < sync > analyze strict(most = 0)");
  Analyze strict = method("strict");
  strict.span = {22, 46};
  const auto result = analyze(with({strict}), samples(), {}, folder.paths(), &source);
  REQUIRE_FALSE(result);
  const Diagnostic& diagnostic = result.error().diagnostics.front();
  CHECK(diagnostic.message == "most must be 1 or more");
  REQUIRE(diagnostic.location);
  CHECK(diagnostic.location->file == "e.gpx");
  CHECK(diagnostic.location->column == 23);
  CHECK(contains(diagnostic.hint, "strict.lua:2"));
}

TEST_CASE("a script that fails for want of an argument or of a library says so") {
  const char* absent = "the clause does not give factor: analyze \"my.lua\"(factor = VALUE)";
  const char* confined =
      "an analysis has no 'io': it reads input.samples, input.args and "
      "input.device; gpx lua --trust runs a script with all of Lua";
  const struct {
    const char *body, *hint;
  } rows[] = {
      {"print(input.args.factor * 2)", absent},
      {"local f = input.args.factor; print(f * 2)", absent},
      {"if not input.args.factor then error('the argument factor is missing', 0) end", absent},
      {"local f = input.args.factor or 1; error('no good')", ""},
      {"local t = {}; print(t.factor * 2)", ""},
      {"io.open('x')", confined},
      {"local io = io; io.open('x')", confined},
      {"foo.bar()", ""},
  };
  for (const auto& row : rows) {
    CAPTURE(row.body);
    const auto result = run(std::string("return function(input) ") + row.body + " end");
    REQUIRE_FALSE(result);
    CHECK(result.error().diagnostics.front().hint == row.hint);
  }
}

TEST_CASE("an argument that a module of the library wants is shown as its head has it") {
  const Folder folder;
  folder.write("stdlib/analysis/strict.lua",
               "-- strict(x = threads, most = 4): nothing.\nreturn function(input)\n"
               "  if not input.args.x then error('the argument x must name an axis', 0) end end");
  const auto result = analyze(with({method("strict")}), samples(), {}, folder.paths());
  REQUIRE_FALSE(result);
  CHECK(result.error().diagnostics.front().hint ==
        "the clause does not give x: analyze strict(x = threads)");
}

TEST_CASE("what a prober refuses ends a script, what fails fails it") {
  struct Refusing : Prober {
    Fault fault = Fault::input;
    Result<std::vector<double>> ask(const ProbeRequest&) override {
      return fail(fault, "at most 5 accesses");
    }
    std::uint64_t most_bytes(Space) const override { return 1 << 20; }
  };
  const Folder folder;
  const std::string ask = "probe.chase { bytes = 64, offsets = { 0 } }\n";
  folder.write("user/ask.lua",
               "return function() finding { name = 'first', value = 1 }\n" + ask + "end\n");
  folder.write("user/after.lua", "return function() pcall(function() " + ask +
                                     " end) finding { name = 'second', value = 2 } end\n");
  folder.write("user/own.lua",
               "return function() pcall(function() " + ask + " end) error('mine') end\n");
  Refusing prober;
  const auto run = [&](const char* first, const char* second) {
    return analyze(with({script(first), script(second)}), samples(), {}, folder.paths(), nullptr,
                   &prober);
  };
  const auto ended = run("ask.lua", "after.lua");
  REQUIRE(ended.has_value());
  REQUIRE(ended->findings.size() == 2);
  CHECK(ended->findings[1].name == "second");
  CHECK(ended->refusals ==
        std::vector<std::string>{"ask.lua is inconclusive in part: at most 5 accesses"});
  CHECK_FALSE(run("ask.lua", "own.lua").has_value());
  prober.fault = Fault::device;
  CHECK_FALSE(run("ask.lua", "after.lua").has_value());
}

TEST_CASE("an unknown method is an error at its place with the nearest name and the others") {
  const Source source("e.gpx", "analyze outstandin(x = threads)");
  Analyze wrong = method("outstandin");
  wrong.span = {8, 18};
  const auto result =
      analyze(with({wrong}), samples(), {}, {GPX_SOURCE_DIR "/stdlib", ""}, &source);
  REQUIRE_FALSE(result);
  const Diagnostic& diagnostic = result.error().diagnostics.front();
  CHECK(diagnostic.message == "no analysis is named 'outstandin'");
  CHECK(contains(diagnostic.hint, "did you mean 'outstanding'?"));
  CHECK(contains(diagnostic.hint, "outcomes, outstanding"));
  CHECK_FALSE(contains(diagnostic.hint, "parts"));
  REQUIRE(diagnostic.location);
  CHECK(diagnostic.location->column == 9);
}

TEST_CASE("several statements run in order, and their findings may not share a name") {
  const Folder folder;
  folder.write("user/a.lua", "return function() finding {name = 'a', value = 1} end");
  folder.write("user/b.lua", "x = 1 return function() finding {name = 'b', value = 2} end");
  folder.write("user/c.lua",
               "return function() assert(x == nil) finding {name = 'a', value = 3} end");
  const auto both =
      analyze(with({script("b.lua"), script("a.lua")}), samples(), {}, folder.paths());
  REQUIRE(both);
  CHECK(both->findings[0].name == "b");
  CHECK(both->findings[1].name == "a");
  const auto twice = analyze(with({script("a.lua"), script("b.lua"), script("c.lua")}), samples(),
                             {}, folder.paths());
  CHECK(contains(message(twice), "made twice"));
}

TEST_CASE("a sweep that the inference does not know is an error, not a guess") {
  Samples strange = thread_latency_columns();
  strange.columns.push_back({"stride", Unit::byte, Column::Role::axis, false, {}, {}});
  add_row(strange, {1, 1, 2, 0, 400, 128});
  const auto result =
      analyze(outstanding_experiment(), strange, plain_device(), {GPX_SOURCE_DIR "/stdlib", ""});
  CHECK(contains(message(result), "also varies 'stride'"));
  Experiment missing = outstanding_experiment();
  missing.analyses[0].args[0].value = std::string("thread");
  CHECK(contains(message(analyze(missing, thread_latency_columns(), plain_device(),
                                 {GPX_SOURCE_DIR "/stdlib", ""})),
                 "no axis 'thread'"));
}

TEST_CASE("loads and merge may be left out or be plain numbers") {
  Planted device{Planted::Kind::mshr, 64, 32, 0, 500, 0.05, 8, 0, 0, 1, 0};
  std::mt19937 random(8);
  Samples measured = measure_planted(device, {{1, 2}}, random);
  measured.columns.erase(measured.columns.begin(), measured.columns.begin() + 2);
  Experiment experiment = outstanding_experiment();
  experiment.analyses[0].args = {{"x", true, std::string("threads")},
                                 {"loads", false, Quantity{2, Unit::none}}};
  const auto result = analyze(experiment, measured, plain_device(), {GPX_SOURCE_DIR "/stdlib", ""});
  REQUIRE_MESSAGE(result, message(result));
  const Finding* step = find(result->findings, "outstanding.saturation[n=2]");
  REQUIRE(step);
  CHECK(std::get<double>(step->value) == 32);
}

TEST_CASE("a sweep of too few points is inconclusive") {
  Samples few = thread_latency_columns();
  for (int t = 2; t < 8; t += 2) add_row(few, {1, 1, double(t), 0, 400});
  const auto result =
      analyze(outstanding_experiment(), few, plain_device(), {GPX_SOURCE_DIR "/stdlib", ""});
  REQUIRE_MESSAGE(result, message(result));
  CHECK(find(result->findings, "outstanding.kind")->verdict == Verdict::inconclusive);
}
