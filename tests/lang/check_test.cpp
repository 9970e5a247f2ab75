// The checker beyond the goldens: lang/language.h.
#include <doctest/doctest.h>
#include <fmt/format.h>

#include "lang/language.h"

using namespace gpx;

namespace {

Result<std::vector<Experiment>> run(const std::string& text,
                                    const std::vector<Setting>& settings = {}) {
  const Source source("t", text);
  const auto ast = parse(source);
  if (!ast) return tl::unexpected<Error>(ast.error());
  return check(*ast, source, settings);
}

Experiment only(const std::string& text, const std::vector<Setting>& settings = {}) {
  auto result = run(text, settings);
  if (!result) FAIL(render(result.error()));
  REQUIRE(result->size() == 1);
  return result->at(0);
}

std::string errors(const std::string& text, const std::vector<Setting>& settings = {}) {
  const auto result = run(text, settings);
  std::string out;
  if (!result)
    for (const Diagnostic& diagnostic : result.error().diagnostics)
      out += diagnostic.message + "\n";
  return out;
}

double number(const Experiment& e, const Expr& expr, std::uint64_t point) {
  const auto values = e.sweep.at(point);
  return std::get<Quantity>(*evaluate(expr, e.scope(values))).value;
}

}  // namespace

TEST_CASE("an experiment of more clauses or axes than can be looked up at once is refused") {
  const auto measures = [](int count) {
    std::string text = "experiment e {\n";
    for (int i = 0; i < count; ++i)
      text += fmt::format("measure m{} {{ < load broadcast > }}\n", i);
    return text + "}";
  };
  const auto axes = [](int count) {
    std::string text = "sweep a0 in [1]";
    for (int i = 1; i < count; ++i) text += fmt::format(", a{} in [1]", i);
    return text + " < load broadcast >";
  };
  CHECK(errors(measures(2000)) == "");
  CHECK(errors(measures(2001)) == "an experiment has at most 2000 clauses, this one has 2001\n");
  CHECK(errors(axes(100)) == "");
  CHECK(errors(axes(101)) == "an experiment has at most 100 axes, this is another one\n");
}

TEST_CASE("the mission's line is a whole experiment") {
  const Experiment e = only("sweep threads 2..1024 step 2 < load unique(128B) x3 >");
  CHECK(e.name == "line1");
  CHECK(e.sweep.points() == 512);
  CHECK(number(e, e.measures[0].threads, 511) == 1024);
  CHECK(e.measures[0].blocks.quantity.value == 1);
  CHECK(e.repeat == 1);
  CHECK(e.measures[0].observe == Observe::latency);
  CHECK_FALSE(e.measures[0].flush.has_value());
  const auto& access = std::get<Access>(e.measures[0].body.at(0).node);
  CHECK(access.kind == Access::Kind::load);
  CHECK(access.pattern.name == "unique");
  CHECK(access.pattern.args.at(0).quantity == Quantity{128, Unit::byte});
  CHECK(access.width.quantity == Quantity{4, Unit::byte});
  CHECK(access.count.quantity.value == 3);
}

TEST_CASE("an axis and a pattern may share a name") {
  const Experiment e = only(
      "sweep zip(merge in [1, 2], n in [1, 3]), threads 2..4 step 2 "
      "< load merge(merge, 128B) x n >");
  const auto& access = std::get<Access>(e.measures[0].body.at(0).node);
  CHECK(access.pattern.name == "merge");
  CHECK(number(e, access.pattern.args.at(0), 3) == 2);
  CHECK(number(e, access.count, 3) == 3);
}

TEST_CASE("bare lines are named by their order, experiments keep their names") {
  const auto result =
      run("< load broadcast >\nexperiment a { < load broadcast > }\n< load broadcast >");
  REQUIRE(result.has_value());
  REQUIRE(result->size() == 3);
  CHECK(result->at(0).name == "line1");
  CHECK(result->at(1).name == "a");
  CHECK(result->at(2).name == "line2");
}

TEST_CASE("threads and blocks stand for what was given, unless an axis shadows them") {
  const Experiment e = only(
      "sweep n 1..4 threads 32 * n blocks threads / 16 "
      "< load merge(threads, 128B) >");
  CHECK(number(e, e.measures[0].blocks, 3) == 8);
  CHECK(number(e, std::get<Access>(e.measures[0].body[0].node).pattern.args[0], 3) == 128);
  const Experiment swept = only("sweep threads 1..4 < load merge(threads, 128B) >");
  CHECK(number(swept, std::get<Access>(swept.measures[0].body[0].node).pattern.args[0], 2) == 3);
}

TEST_CASE("a word of an axis can be compared with") {
  const Experiment e =
      only("sweep state in [cold, warm] flush if state == cold < load broadcast >");
  const auto flushed = [&](std::uint64_t point) {
    const auto values = e.sweep.at(point);
    return std::get<bool>(*evaluate(*e.measures[0].flush->condition, e.scope(values)));
  };
  CHECK(flushed(0));
  CHECK_FALSE(flushed(1));
  CHECK(errors("sweep state in [cold, warm] flush if state == clod < load broadcast >") ==
        "unknown name 'clod'\n");
}

TEST_CASE("a sweep of 10^12 points is refused with the count") {
  CHECK(errors("sweep a 1..1000000, b 1..1000000 < load broadcast >") ==
        "this sweep has 1000000000000 points: at most 10000000 can be run\n");
  CHECK(errors("sweep a 1..1000000000000 < load broadcast >") ==
        "this range has 1000000000000 values: an axis may have at most 1000000\n");
  CHECK(only("sweep a 1..1000000 < load broadcast >").sweep.points() == 1000000);
}

TEST_CASE("a value is checked at every point of a sweep, and at its ends where there are many") {
  CHECK(errors("sweep n 1..10 threads 5 - abs(n - 5) < load broadcast >") ==
        "threads is 0 where n = 10: it must be a whole number, at least 1\n");
  CHECK(errors("sweep n 1..500, m 1..500 threads n - m < load broadcast >").find("threads is") ==
        0);
  CHECK(errors("sweep n 1..10 threads 8 / (n - 7) < load broadcast >").find("threads is") == 0);
}

TEST_CASE("a definition that is wrong is one error, not one for each use") {
  CHECK(errors("param a = 1 + 1B\nparam b = a + 1\nthreads b < load broadcast x a >") ==
        "cannot add a plain number and bytes\n");
  CHECK(errors("sweep n 3..1 threads n < load broadcast x n > plot latency over n") ==
        "the range is empty: 3 is above 1\n");
}

TEST_CASE("settings replace parameters and axes, the last of one name counts") {
  const std::string text = "param b = 64B\nsweep n 1..3 < load unique(b) x n >";
  const Experiment e = only(text, {{"b", "1KB"}, {"n", "1"}, {"n", "[2, 5]"}});
  CHECK(e.parameters.at("b") == Value(Quantity{1024, Unit::byte}));
  CHECK(e.sweep.points() == 2);
  CHECK(only(text, {{"n", "2..8 step x2"}}).sweep.points() == 3);
  CHECK(only(text, {{"n", "7"}}).sweep.points() == 1);
  CHECK(only(text, {{"threads", "n * 32"}}).measures[0].threads.kind == Expr::Kind::binary);
}

TEST_CASE("values of a setting without brackets are told how a list is written") {
  const auto wrong = run("sweep n 1..3 < load broadcast x n >", {{"n", "1,64"}});
  REQUIRE_FALSE(wrong.has_value());
  CHECK(wrong.error().diagnostics.front().hint == "a list has brackets: [1,64]");
}

TEST_CASE("a setting that fits nothing is an error") {
  const std::string text = "param b = 64B\nsweep n 1..3 < load unique(b) x n >";
  CHECK(errors(text, {{"nn", "1"}}) ==
        "no experiment here has a parameter or an axis named 'nn'\n");
  CHECK(errors(text, {{"b", "64"}}) == "'b' is bytes, this is a plain number\n");
  CHECK(errors(text, {{"b", "1KB..2KB step 1KB"}}) == "'b' is a parameter: it takes one value\n");
  CHECK(errors(text, {{"n", "0..1"}}).find("the count is 0") == 0);
  CHECK(errors(text, {{"threads", "1..4"}}) ==
        "'threads' is not swept in 'line1': it takes one value\n");
  CHECK(errors(text, {{"n", ""}}) ==
        "expected a value, a range or a list, found the end of the text\n");
}

TEST_CASE("a scope gives parameters and the axes' values at a point") {
  const Experiment e = only("param p = 5\nsweep n 1..3 < load broadcast x n >");
  const auto point = e.sweep.at(1);
  const Scope scope = e.scope(point);
  REQUIRE(scope("n"));
  CHECK(*scope("n") == Value(Quantity{2, Unit::none}));
  CHECK(*scope("p") == Value(Quantity{5, Unit::none}));
  CHECK(scope("q") == nullptr);
}

TEST_CASE("an experiment's clauses stand for every measure that does not say otherwise") {
  const Experiment e = only(
      "experiment a {\n  threads 32; warmup 0; watchdog 1ms; shared a = 1; shared b = 2\n"
      "  measure m { < sync > }\n  measure n { threads 64; blocks threads; watchdog 2ms\n"
      "    shared b = 3; rehearse 5; < a = b > }\n}");
  REQUIRE(e.measures.size() == 2);
  const Measure &m = e.measures[0], &n = e.measures[1];
  CHECK(m.name == "m");
  CHECK(m.threads.quantity.value == 32);
  CHECK(n.threads.quantity.value == 64);
  CHECK(n.blocks.quantity.value == 64);
  CHECK(m.warmup.quantity.value == 0);
  CHECK(m.watchdog->quantity == Quantity{0.001, Unit::second});
  CHECK(n.watchdog->quantity == Quantity{0.002, Unit::second});
  CHECK(m.rehearse.quantity.value == 1);
  CHECK(n.rehearse.quantity.value == 5);
  REQUIRE(m.shared.size() == 2);
  CHECK(m.shared[1].initial.quantity.value == 2);
  REQUIRE(n.shared.size() == 2);
  CHECK(n.shared[1].name == "b");
  CHECK(n.shared[1].initial.quantity.value == 3);
}

TEST_CASE("a region of operations and barriers is rehearsed once, any other never") {
  const auto rehearsals = [](const std::string& region) {
    return only("array a : global[1KB] chase(stride 64B) shared s = 0 watchdog 1s " + region)
        .measures[0]
        .rehearse.quantity.value;
  };
  CHECK(rehearsals("< add.u32 x8; sync >") == 1);
  CHECK(rehearsals("< >") == 1);
  CHECK(rehearsals("< add.u32 x8; s = 1 >") == 0);
  CHECK(rehearsals("< load a x8 chain >") == 0);
  CHECK(rehearsals("< when lane == 0 { sync } >") == 0);
  CHECK(rehearsals("< load unique(4B) > rehearse 2") == 2);
}

TEST_CASE("an operation is a word, or the name of an axis or a parameter of such words") {
  const auto operate = [](const std::string& text) {
    return std::get<Operate>(only(text).measures[0].body.at(0).node);
  };
  const Operate plain = operate("< add.u32 x256 >");
  CHECK(plain.operation.kind == Expr::Kind::word);
  CHECK(plain.operation.text == "add.u32");
  CHECK(plain.count.quantity.value == 256);
  CHECK(plain.streams.quantity.value == 4);
  CHECK(operate("< add.u32 x256 chain >").streams.quantity.value == 1);
  CHECK(operate("< add.u32 x256 streams 8 >").streams.quantity.value == 8);
  CHECK(operate("< add.u32 >").streams.quantity.value == 1);
  CHECK(operate("sweep op in [add.u32, add.f32] < op x4 >").operation.kind == Expr::Kind::name);
  CHECK(operate("param op = add.u32 < op x4 >").operation.kind == Expr::Kind::name);
  CHECK(only("sweep op in [add.u32] < op x4 >", {{"op", "[add.f32]"}}).sweep.points() == 1);
}

TEST_CASE("a chain names the source that it runs through") {
  const auto source = [](const std::string& text) {
    return std::get<Operate>(only(text).measures[0].body.at(0).node).source;
  };
  CHECK_FALSE(source("< fma.rn.f32 x4 chain >"));
  CHECK(source("< fma.rn.f32 x4 chain c >")->text == "c");
  CHECK(source("< fma.rn.f32 chain b x4 >")->kind == Expr::Kind::word);
  CHECK(source("sweep operand in [a, b, c] < fma.rn.f32 x4 chain operand >")->kind ==
        Expr::Kind::name);
  const Experiment e = only("sweep op in [fma.rn.f32, mad.lo.u32], k in [a, c] < op x4 chain k >");
  CHECK(only(to_string(e)).sweep.points() == 4);
}

TEST_CASE("reserved words may begin the name of an operation") {
  const Source source("t", "sweep op in [and.b32, not.b32, or.b32] < op x4; and.b32 x4 >");
  const auto ast = parse(source);
  REQUIRE(ast.has_value());
  const auto& line = std::get<ast::Block>(ast->items.at(0));
  const auto& axis = std::get<ast::Sweep>(line.statements.at(0).node).groups.at(0).axes.at(0);
  REQUIRE(axis.list.size() == 3);
  CHECK(axis.list[1].text == "not.b32");
  const auto& region = std::get<ast::Region>(line.statements.at(1).node);
  CHECK(std::get<ast::Operate>(region.body.statements.at(1).node).operation.text == "and.b32");
}

TEST_CASE("a stamp without a label has its number") {
  const Experiment e = only("observe timeline < stamp; stamp a; when lane == 0 { stamp } >");
  const auto& body = e.measures[0].body;
  CHECK(std::get<Stamp>(body.at(0).node).label == "0");
  CHECK(std::get<Stamp>(body.at(1).node).label == "a");
  CHECK(std::get<Stamp>(std::get<When>(body.at(2).node).then.at(0).node).label == "2");
}

TEST_CASE("each after an array's name observes each access") {
  const std::string array = "array a : global[1KB] chase(stride 64B) ";
  CHECK(only(array + "< load a each x8 >").measures[0].observe == Observe::each);
  CHECK(only(array + "observe each < load a x8 chain >").measures[0].observe == Observe::each);
  CHECK(only(array + "observe average < load a x8 chain >").measures[0].observe ==
        Observe::average);
}

TEST_CASE("the values of a diverge descend, or are expressions of each point") {
  const auto diverge = [](const Experiment& e) {
    return std::get<Diverge>(e.measures[0].body.at(0).node);
  };
  const Diverge down = diverge(only("< diverge lane over 3..1 { sync } >"));
  REQUIRE(down.values.size() == 3);
  CHECK(down.values[0].quantity.value == 3);
  CHECK(down.values[2].quantity.value == 1);
  const Experiment e = only("sweep c 1..2 < diverge lane % 8 over [c, c + 2] { sync } >");
  CHECK(number(e, diverge(e).values.at(1), 1) == 4);
}

TEST_CASE("an outcome is compared with its words") {
  const Experiment e = only("watchdog 1ms expect outcome == deadlock < sync >");
  const Expr& condition = e.expects.at(0).condition;
  CHECK(condition.args.at(0).kind == Expr::Kind::finding);
  CHECK(condition.args.at(1).kind == Expr::Kind::word);
  CHECK(condition.args.at(1).text == "deadlock");
}

TEST_CASE("what a measure observes can be plotted and handed to an analysis") {
  CHECK(errors("experiment a { array a : global[1KB] chase(stride 64B)\n< load a each x8 >\n"
               "plot latency, index over access; analyze c(x = access, y = index) }") == "");
  CHECK(errors("observe timeline plot clock, sm over stamp by block, thread < stamp >") == "");
  CHECK(errors("plot seen over n sweep n 1..2 < keep seen = lane >") == "");
  CHECK(errors("observe timeline plot latency over stamp < stamp >") ==
        "'latency' is not observed here\n");
  CHECK(errors("plot latency over access < sync >") == "no axis is named 'access'\n");
}

TEST_CASE("a setting of threads stands for every measure") {
  const Experiment e =
      only("experiment a {\n  measure m { < sync > }\n  measure n { threads 64; < sync > }\n}",
           {{"threads", "96"}});
  CHECK(e.measures[0].threads.quantity.value == 96);
  CHECK(e.measures[1].threads.quantity.value == 96);
}

TEST_CASE("a canonical finding has its keys as given, without spaces") {
  CHECK(canonical_finding("a.b", {}) == "a.b");
  CHECK(canonical_finding("a.b", {{"merge", Quantity{2}}, {"n", Quantity{1}}}) ==
        "a.b[merge=2,n=1]");
  CHECK(canonical_finding("a.b", {{"", Quantity{6}}}) == "a.b[6]");
  CHECK(canonical_finding("a", {{"op", std::string("add.u32")}}) == "a[op=add.u32]");
  CHECK(canonical_finding("a", {{"size", Quantity{1024, Unit::byte}},
                                {"op", std::string("add")}}) == "a[size=1KB,op=add]");
}

TEST_CASE("a target has a cap of its own, and parameters may give both") {
  const std::string load = " < load unique(128B) >";
  const Experiment open = only("repeat until 2.5%" + load);
  CHECK(open.until_percent == 2.5);
  CHECK(open.repeat == 1000);
  const Experiment given =
      only("experiment e { param p = 1; param n = 50; repeat until p% at most n" + load + " }",
           {{"p", "0.5"}});
  CHECK(given.until_percent == 0.5);
  CHECK(given.repeat == 50);
  CHECK(only("repeat 3" + load).until_percent == 0);
  CHECK(given.warnings.empty());
  const Experiment mean = only("repeat until 1% reduce mean" + load);
  REQUIRE(mean.warnings.size() == 1);
  CHECK(mean.warnings[0].message.find("the interval of a mean misses") == 0);
}

TEST_CASE("a time that holds the filling of shared memory is warned of, once") {
  const auto warnings = [](const std::string& observe, const std::string& body) {
    return only(
               "experiment e { array a : shared[8KB] chase(stride 4B)\n array g : global[8KB] "
               "chase(stride 4B)\n threads 32; observe " +
               observe + "\n measure one { < " + body + " > }\n measure two { < " + body + " > } }")
        .warnings;
  };
  for (const char* body :
       {"load a x2048 chain", "load shared unique(4B) x4",
        "when lane == 0 { store shared unique(4B) }", "async load unique(16B) width 16B; wait",
        "async load bulk(2KB) x4; wait"}) {
    CAPTURE(body);
    const auto told = warnings("time", body);
    REQUIRE(told.size() == 1);
    CHECK(told[0].message ==
          "'time' is the whole kernel's, which fills shared memory first: only its slope over the "
          "count of accesses is the region's");
    CHECK(told[0].location->line == 4);
  }
  CHECK(warnings("latency", "load a x2048 chain").empty());
  CHECK(warnings("latency", "load shared unique(4B) x4").empty());
  CHECK(warnings("latency", "async load bulk(2KB) x4; wait").empty());
  CHECK(warnings("time", "load unique(4B) x4").empty());
  CHECK(warnings("time", "load g x2048 chain").empty());
  CHECK(warnings("time", "add.u32 x4").empty());
}

TEST_CASE("passes that warm caches are refused where the time holds them, too") {
  const auto told = [](const std::string& clauses) {
    return errors("experiment e { array a : global[4KB] chase(stride 128B); " + clauses + " }");
  };
  const std::string wrong =
      "'observe time' is of whole launches: no pass of 'rehearse' can be left out of it\n";
  const std::string load = "< load a x32 chain >";
  CHECK(told("rehearse 1; observe time; " + load) == wrong);
  CHECK(told("sweep n in [0, 1]; rehearse n; observe time; " + load) == wrong);
  CHECK(told("rehearse 1; measure m { observe time; " + load + " }") == wrong);
  CHECK(told("kernel k from \"k.cu\" entry k(); rehearse 2; < run k >") == wrong);
  CHECK(told("rehearse 0; observe time; " + load) == "");
  CHECK(told("rehearse 1; observe latency; " + load) == "");
  CHECK(told("rehearse 1; measure m { rehearse 0; observe time; " + load + " }") == "");
  CHECK(told("observe time; < add.u32 x8 >") == "");
}

TEST_CASE("the latency of reductions and stores, for which nothing waits, is warned of, once") {
  const auto warnings = [](const std::string& observe, const std::string& body) {
    const std::string axis =
        body.starts_with("how") ? "sweep how in [atom.add.u32, red.add.u32];" : "";
    const std::string cluster =
        body.find("cluster") != std::string::npos ? "cluster 2; blocks 2;" : "";
    return only("experiment e { " + axis + cluster + " observe " + observe + "\n measure one { < " +
                body + " > }\n measure two { < " + body + " > } }")
        .warnings;
  };
  for (const char* body : {"red.add.u32 global same x4", "how global same x4",
                           "when lane == 0 { red.add.u32 shared same }"}) {
    CAPTURE(body);
    const auto told = warnings("latency", body);
    REQUIRE(told.size() == 1);
    CHECK(
        told[0].message ==
        "red.add.u32 returns no value to wait for: 'latency' is the time of its issue alone; take "
        "atom, or the slope of 'time'");
    CHECK(told[0].location->line == 2);
  }
  for (const char* body : {"store unique(4B) x4", "when lane == 0 { store shared unique(4B) }",
                           "sync cluster; store unique(4B)"}) {
    CAPTURE(body);
    const auto told = warnings("latency", body);
    REQUIRE(told.size() == 1);
    CHECK(told[0].message ==
          "store returns no value to wait for: 'latency' is the time of its issue alone; take the "
          "slope of 'time'");
  }
  CHECK(warnings("time", "store unique(4B) x4").empty());
  CHECK(warnings("latency", "store unique(4B); sync cluster").empty());
  CHECK(warnings("latency", "async store bulk(1KB); wait").empty());
  CHECK(warnings("latency", "copy unique(4B) x4").empty());
  CHECK(warnings("time", "red.add.u32 global same x4").empty());
  CHECK(warnings("latency", "atom.add.u32 global same x4").empty());
  CHECK(warnings("latency", "load unique(4B) x4").empty());
}

TEST_CASE("a chase that ends before its list, whose size is swept, is likely a slip") {
  const auto warnings = [](const std::string& sizes, const std::string& loads) {
    return only("experiment e { sweep size " + sizes +
                "; array a : global[size] chase(random 128B); observe average\n"
                "measure ca { < load a cache ca " +
                loads + " chain > }\n measure cg { < load a cache cg " + loads + " chain > } }")
        .warnings;
  };
  const auto told = warnings("4KB..4MB step x2", "x1024");
  REQUIRE(told.size() == 1);  // once for both measures
  CHECK(told[0].message == "1024 loads reach 128KB of the 4MB of 'a' where size = 4MB");
  CHECK(told[0].hint == "'x (size / 128B)' follows every link once");
  CHECK(warnings("4KB..4MB step x2", "x (size / 128B)").empty());
  CHECK(warnings("4KB..128KB step x2", "x1024").empty());
}

TEST_CASE("a chase of one size that visits less than half of its list is warned of, if warm") {
  struct Row {
    const char* clauses;
    const char* array;
    const char* loads;
    bool warned;
  };
  const Row rows[] = {
      {"", "global[64MB] chase(random 128B)", "x256", true},
      {"rehearse 1;", "global[64MB] chase(random 128B)", "x256", true},
      {"warmup 0; rehearse 2;", "global[64MB] chase(stride 128B)", "x256", true},
      {"flush; rehearse 1;", "global[64MB] chase(random 128B)", "x256", true},
      {"flush;", "global[64MB] chase(random 128B)", "x256", false},
      {"", "shared[32KB] chase(random 128B)", "x64", false},
      {"", "global[64KB] chase(random 128B)", "x256", true},
      {"", "global[64KB] chase(random 128B)", "x257", false},
      {"sweep n in [256, 512];", "global[64KB] chase(random 128B)", "x n", false},
      {"sweep n in [64, 128];", "global[64KB] chase(random 128B)", "x n", true},
  };
  for (const Row& row : rows) {
    CAPTURE(row.clauses);
    CAPTURE(row.array);
    CAPTURE(row.loads);
    const auto told =
        only(std::string("experiment e { ") + row.clauses + " array a : " + row.array +
             "; observe average\n< load a " + row.loads + " chain > }")
            .warnings;
    CHECK((told.size() == 1) == row.warned);
  }
  const auto told = only(
                        "experiment e { array a : global[64MB] chase(random 128B)\n"
                        "< load a x256 chain > }")
                        .warnings;
  REQUIRE(told.size() == 1);
  CHECK(told[0].message ==
        "256 loads reach 32KB of the 64MB of 'a': every pass follows these again, which a cache "
        "may hold");
  CHECK(told[0].hint ==
        "'x (64MB / 128B)' follows every link once; 'flush' without 'rehearse' makes every link "
        "come from memory");
}

TEST_CASE("a text of an earlier version may plot the variance of neighbours by its old name") {
  const Experiment old = only(
      "experiment e { sweep n 1..4\n < load unique(128B) x n >\n plot latency, variance over n }");
  CHECK(old.plots.at(0).y == std::vector<std::string>{"latency", "neighbour_variance"});
  REQUIRE(old.warnings.size() == 1);
  CHECK(old.warnings[0].message == "'variance' is called 'neighbour_variance' now");
  const Experiment own = only(
      "experiment e { sweep variance 1..4\n < load unique(128B) x variance >\n"
      " plot latency over variance }");
  CHECK(own.warnings.empty());
}

TEST_CASE("the cache operator of a chase may be an axis, whose words are checked") {
  const auto text = [](const char* second) {
    return fmt::format(
        "sweep op in [ca, {}] array a : global[64KB] chase(random 128B)"
        " l1_cache off rehearse 1 < load a cache op x 512 chain >",
        second);
  };
  const Experiment good = only(text("cg"));
  CHECK(good.warnings.empty());
  CHECK(to_string(good).find("load a cache op x512 chain") != std::string::npos);
  const auto wrong = run(text("cq"));
  REQUIRE_FALSE(wrong.has_value());
  CHECK(wrong.error().diagnostics.front().message == "unknown cache operator 'cq'");
}
