#include "support.h"

using namespace gpx;
using namespace gpx::script;
using gpx::cli::contains;
using gpx::cli::TemporaryFolder;

TEST_CASE("a script runs an experiment and sees its samples and findings") {
  const Ran ran = run(R"lua(
    local r = gpx.run [[
      experiment prt {
        sweep n 2..3, threads 4..1024 step 4
        < load unique(128B) x n >
        analyze outstanding(x = threads, loads = n)
        expect outstanding.kind is measured
      }]]
    print(r.name, r.device.name, r.device.kind, r.whole, #r.experiments)
    print(#r.samples, #r.samples:where { n = 2, threads = 64 }, r.curves:has "neighbour_variance")
    local f = r.findings["outstanding.saturation[n=2]"]
    print(f.verdict, f.unit, f.value >= 672 and f.value <= 704, f.low <= f.value, f.confidence == nil)
    print(r.findings[1].name, #r.expectations, r.expectations[1].text)
    print(stats.median(r.samples:column "latency") > 100, fit_line({1, 2}, {3, 5}).slope)
  )lua");
  CHECK(ran.error == "");
  CHECK(
      contains(ran.printed,
               "prt\tk20\tvirtual\ttrue\t1\n512\t1\ttrue\nmeasured\tthreads\ttrue\ttrue\ttrue\n"));
  CHECK(contains(ran.printed, "\t1\toutstanding.kind is measured\ntrue\t2.0\n"));
}

TEST_CASE("a finding in Lua has all fields, and a model's value says so") {
  const Ran ran = run(R"lua(
    local r = gpx.run [[
      experiment prt {
        cite work X1
        device k20
        sweep n 2..3, threads 4..1024 step 4
        < load unique(128B) x n >
        analyze outstanding(x = threads, loads = n)
        paper outstanding.saturation[n=2] = 680 X1
      }]]
    local f = r.findings["outstanding.saturation[n=2]"]
    print(f.modelled, f.proof, #f.evidence > 0, f.evidence[1].n, f.paper.value, f.paper.cite)
    print(type(f.steps), type(f.note))
  )lua");
  CHECK(ran.error == "");
  CHECK(ran.printed == "true\tverified\ttrue\t2.0\t680.0\tX1\ntable\tstring\n");
}

TEST_CASE("devices are compared, with settings and seeds") {
  const Ran ran = run(R"lua(
    local text = "param n = 1\nexperiment e { threads 64 < load unique(128B) x n > }"
    local latency = {}
    for _, device in ipairs { "k20", "m2070" } do
      local r = gpx.run(text, { device = device, set = { n = 4 }, seed = 3 })
      latency[device] = r.samples:column("latency")[1]
      print(r.device.name)
    end
    print(latency.k20 ~= latency.m2070)
    print(gpx.run(text).samples:column("latency")[1] < latency.k20)
  )lua");
  CHECK(ran.error == "");
  CHECK(ran.printed == "k20\nm2070\ntrue\ntrue\n");
  CHECK(ran.runs == 3);
}

TEST_CASE("a script draws curves and lays out samples, and is told what it got wrong") {
  const Ran ran = run(R"lua(
    local r = gpx.run "sweep n 1..2, threads in [32, 64] repeat 2 < load unique(128B) x n >"
    local grid = r.curves:pivot("n", "threads", "latency")
    print(#grid.rows, #grid.columns, grid.cells[2][1] > grid.cells[1][1])
    print(pcall(r.samples.pivot, r.samples, "n", "threads", "latency"))
    print(pcall(r.samples.pivot, r.samples, "n", "threads", "lateny"))
    local drawn = gpx.plot { x = "n", y = "latency", curves = {
      { label = "up", x = { 2, 1 }, y = { 20, 10 } }, { label = "flat", x = { 1, 2 }, y = { 5, 5 } } } }
    print(drawn:find("latency", 1, true) ~= nil, drawn:find("up", 1, true) ~= nil)
    print(pcall(gpx.plot, { curves = {} }))
    print(pcall(gpx.plot, { curves = { { x = { 1 }, y = { 1, 2 } } } }))
    print(pcall(gpx.plot, { x = 3, curves = { { x = { 1 }, y = { 1 } } } }))
  )lua");
  CHECK(ran.error == "");
  CHECK(contains(ran.printed, "2\t2\ttrue\nfalse\tpivot: two rows have one place"));
  CHECK(contains(ran.printed, "no column 'lateny'"));
  CHECK(contains(ran.printed, "true\ttrue\nfalse\tplot: 1 to 24 curves can be drawn\n"));
  CHECK(contains(ran.printed, "x and y differ in length"));
  CHECK(contains(ran.printed, "plot: 'x' must be a text"));
}

TEST_CASE("files beside the script are run, and stored runs are read") {
  const TemporaryFolder folder;
  folder.write("sub/a.gpx", "threads 32 < load unique(128B) > device m2070");
  const Ran ran = run(R"lua(
    print(#gpx.run_file("sub/a.gpx").samples)
    local all = gpx.runs { experiment = "prt" }
    print(#all, all[1].number, all[1].experiments[1], #gpx.load(7).samples)
    print(pcall(gpx.load, "x"))
  )lua",
                      {}, folder.path("mine.lua"));
  CHECK(ran.error == "");
  CHECK(ran.printed == "1\n1\t7.0\tprt\t1\nfalse\tthere is no run 'x'\n");
}

TEST_CASE("what is wrong is said at the script's line, with the place in the experiment's text") {
  const std::string wrong = run("\n  gpx.run [[\nsweep threads 2..4 < laod unique(128B) >]]").error;
  CHECK(contains(wrong, "mine.lua:2:"));
  CHECK(contains(wrong, "gpx.run:1:22: "));
  CHECK(contains(run("gpx.run('threads 32 < load unique(128B) >', {device = 'k2'})").error,
                 "no device is called 'k2'"));
  CHECK(contains(run("gpx.run('threads 32 < load unique(128B) >', {devise = 'k20'})").error,
                 "options of a run: unknown field 'devise'; did you mean 'device'?"));
  CHECK(contains(run("gpx.run('threads 32 < load unique(128B) >', {set = {1}})").error,
                 "names as its keys"));
  CHECK(contains(run("gpx.run('# nothing')").error, "there is no experiment"));
  CHECK(contains(run("gpx.run()").error, "string expected"));
  CHECK(contains(run("local x = nil + 1").error, "mine.lua:1:"));
  CHECK(contains(run("print(").error, "mine.lua:1:"));
}

TEST_CASE("a trusted script has all of Lua") {
  const TemporaryFolder folder;
  Options trusted;
  trusted.trusted = true;
  trusted.budget = LuaBudget::unlimited();
  const Ran ran = run("local f = io.open('" + folder.path("out") +
                          "', 'w') f:write('written') f:close()\n"
                          "print(os.time() > 0, require ~= nil, coroutine.wrap(function() "
                          "coroutine.yield(5) end)())",
                      trusted);
  CHECK(ran.error == "");
  CHECK(ran.printed == "true\ttrue\t5\n");
  CHECK(folder.read("out") == "written");
}

TEST_CASE("a script that ends with what it was told of a device fails as the device does") {
  const auto fault = [](const std::string& text) {
    TestHost host;
    const auto ran = run_script(Source("folder/mine.lua", text), host, kPaths, {});
    REQUIRE_FALSE(ran);
    return ran.error().fault;
  };
  const std::string missing = "gpx.run('< load unique(128B) >', { device = 'cuda:99' })";
  CHECK(fault(missing) == Fault::device);
  CHECK(fault("pcall(function() " + missing + " end) error('mine')") == Fault::input);
  CHECK(fault("gpx.run('< laod unique(128B) >', { device = 'k20' })") == Fault::input);
}

TEST_CASE("a library that only a trusted script has is named with how to trust it") {
  CHECK(contains(run("io.open('x')").error, "gpx lua --trust"));
  CHECK(contains(run("local m = require 'lfs'").error, "gpx lua --trust"));
  CHECK(contains(run("local os = os; os.exit()").error, "gpx lua --trust"));
  CHECK(contains(run("setmetatable({}, {})").error, "gpx lua --trust"));
  CHECK_FALSE(contains(run("local x = nil; x.y = 1").error, "--trust"));
}

TEST_CASE("a plot of a script is text, or the text of a picture") {
  const std::string curves = "curves = { { label = 'a', x = { 1, 2 }, y = { 3, 4 } } }";
  const auto printed = [&](const std::string& format) {
    return run("print(gpx.plot { x = 'n', y = 'latency', format = '" + format + "', title = 'T', " +
               curves + " })");
  };
  CHECK(contains(printed("svg").printed, "<svg "));
  CHECK(contains(printed("tikz").printed, "begin{tikzpicture}"));
  CHECK(contains(printed("gnuplot").printed, "set terminal svg"));
  CHECK(contains(printed("text").printed, "latency"));
  CHECK(contains(printed("jpeg").error, "'format' is text, svg, gnuplot or tikz"));
}

TEST_CASE("a field that a call does not have is an error, with the one that was meant") {
  const struct {
    const char* call;
    const char* error;
  } rows[] = {
      {"gpx.plot { xunit = 'B', curves = { { x = { 1 }, y = { 1 } } } }",
       "plot: unknown field 'xunit'; did you mean 'x_unit'?"},
      {"gpx.plot { file = 'a.svg', curves = { { x = { 1 }, y = { 1 } } } }",
       "plot: unknown field 'file'; there are x, y, x_unit, y_unit, logx, logy, curves, format, "
       "title"},
      {"gpx.plot { curves = { { lable = 'a', x = { 1 }, y = { 1 } } } }",
       "plot: a curve: unknown field 'lable'; did you mean 'label'?"},
      {"gpx.plot { 'x', curves = {} }", "plot: fields have names"},
      {"gpx.runs { limits = 3 }", "runs: unknown field 'limits'; did you mean 'limit'?"},
      {"gpx.run('threads 32 < load unique(128B) >', { divice = 'k20' })",
       "options of a run: unknown field 'divice'; did you mean 'device'?"},
  };
  for (const auto& row : rows) {
    CAPTURE(row.call);
    const std::string error = run(row.call).error;
    CAPTURE(error);
    CHECK(contains(error, row.error));
  }
}
