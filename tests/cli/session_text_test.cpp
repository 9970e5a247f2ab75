#include "runtime/cli/repl/session_text.h"

#include <doctest/doctest.h>

#include <filesystem>

#include "captured.h"

using namespace gpx;
using namespace gpx::cli;

namespace {

/// Types a text as the REPL does, with settings, on a device.
struct Typist {
  SessionText session;
  std::vector<Setting> settings;
  std::string device;

  std::vector<Experiment> type(const std::string& text, const std::string& name = "<repl>") {
    const auto typed = session.compose(Source(name, text));
    REQUIRE(typed);
    const auto ast = parse(typed->source);
    REQUIRE(ast);
    const auto checked = check(*ast, typed->source, settings);
    REQUIRE(checked);
    session.keep_parameters(*typed);
    session.keep_experiments(*typed, settings, device, *checked);
    return *checked;
  }
  std::string saved(const std::string& folder = "") {
    const auto text = session.file("", folder);
    INFO((text ? "" : render(text.error())));
    REQUIRE(text);
    return *text;
  }
};

const std::string kTyped = "sweep threads 32..64 step 32 < load unique(128B) x n >";

std::vector<Experiment> checked(const std::string& text) {
  const Source source("saved", text);
  const auto ast = parse(source);
  REQUIRE(ast);
  const auto experiments = check(*ast, source);
  REQUIRE(experiments);
  return *experiments;
}

}  // namespace

TEST_CASE("bare lines are numbered over the session, and parameters hold for later lines") {
  Typist typist;
  typist.type("param n = 2");
  CHECK(typist.type(kTyped)[0].name == "line1");
  CHECK(typist.type(kTyped)[0].name == "line2");
  typist.type("param n = 3");
  CHECK(typist.type("experiment line3 { " + kTyped + " }")[0].name == "line3");
  CHECK(typist.type(kTyped)[0].name == "line4");
  CHECK(typist.session.parameters().size() == 1);
}

TEST_CASE("what a text names itself hides a parameter of the session") {
  Typist typist;
  typist.type("param n = 2");
  CHECK(typist.type("sweep n 1..3 < load unique(128B) x n >")[0].sweep.points() == 3);
  CHECK(typist.type("experiment e { param n = 9 " + kTyped + " }")[0].sweep.points() == 2);
}

TEST_CASE("a saved session has the settings in its text, and means what ran") {
  const struct {
    const char* text;
    std::vector<Setting> settings;
    const char* holds;
  } rows[] = {
      {"sweep threads 2..8 < load unique(128B) >", {{"threads", "[4, 6]"}}, "threads in [4, 6]"},
      {"sweep threads 2..8 < load unique(128B) >", {{"threads", "4"}}, "threads in [4]"},
      {"sweep threads 2..8 < load unique(128B) >", {{"threads", "4..6"}}, "threads 4..6"},
      {"sweep a in [cold, hot] threads 1 < load unique(128B) >", {{"a", "cold"}}, "a in [cold]"},
      {"sweep a in [1, 2], size 1KB..8KB step x2 threads a < load unique(128B) >",
       {{"a", "1..4"}, {"size", "4KB"}},
       "a 1..4, size in [4KB]"},
      {"sweep zip(a in [1, 2], b 2..6 step 4) threads a < load unique(128B) x b >",
       {{"a", "[2, 4]"}, {"b", "[4, 8]"}},
       "zip(a in [2, 4], b in [4, 8])"},
      {"threads 64 < load unique(128B) >", {{"threads", "32"}}, "threads 32"},
      {"threads 64 < load unique(128B) >", {{"blocks", "3"}}, "blocks  3"},
      {"experiment e {\n measure a { threads 1 < sync > }\n measure b { < sync > }\n}",
       {{"threads", "2"}},
       "threads 2"},
      {"experiment e { param k = 3 # why\n threads 1 < load unique(128B) x k > }",
       {{"k", "5"}},
       "k = 5"},
      {"threads 1 < load unique(128B) x n >", {{"n", "7"}}, "n = 7"},
      {"threads 1 < load unique(128B) x m >", {{"n", "7"}}, "m = n * 2"},
  };
  for (const auto& row : rows) {
    INFO(row.text);
    Typist typist;
    typist.type("param n = 1");
    typist.type("param m = n * 2");
    typist.settings = row.settings;
    const std::vector<Experiment> ran = typist.type(row.text);
    const std::string saved = typist.saved();
    CHECK_MESSAGE(contains(saved, row.holds), saved);
    std::vector<Experiment> again = checked(saved);
    REQUIRE(again.size() == 1);
    std::erase_if(again[0].parameters, [&](const auto& each) {
      return !ran[0].parameters.contains(each.first);  // Of the file, and not used.
    });
    CHECK(to_string(again[0]) == to_string(ran[0]));
  }
}

TEST_CASE("a parameter that changed stands where it was used, one that did not before all") {
  Typist typist;
  typist.type("param n = 1");
  typist.type("param same = 4");
  typist.type("threads same < load unique(128B) x n >");
  typist.type("param n = 2");
  typist.type("threads same < load unique(128B) x n >");
  const std::string saved = typist.saved();
  CHECK(saved.starts_with("param same = 4\n"));
  CHECK(contains(saved, "n = 1"));
  CHECK(contains(saved, "n = 2"));
  CHECK(saved.find("same = ") == saved.rfind("same = "));
}

TEST_CASE("the last text of a name counts, and a device is written where the text names none") {
  Typist typist;
  typist.device = "gtx280";
  typist.type("experiment e { threads 32 < load unique(128B) > }");
  typist.type("experiment e { device k20 threads 64 < load unique(128B) > }");
  typist.type("threads 32 < load unique(128B) >");
  const std::vector<Experiment> saved = checked(typist.saved());
  REQUIRE(saved.size() == 2);
  CHECK(saved[0].device == "k20");
  CHECK(saved[1].device == "gtx280");
  Typist file;
  file.device = "./mine.lua";
  file.type("threads 32 < load unique(128B) >");
  CHECK(checked(file.saved())[0].device == "");
}

TEST_CASE("a saved session loads to the same session") {
  Typist typist;
  typist.device = "k20";
  typist.type("param n = 2");
  typist.settings = {{"n", "3"}};
  typist.type(kTyped);
  typist.type("experiment e \"Title\" { " + kTyped +
              " analyze outstanding(x = threads, loads = n) }");
  const std::string first = typist.saved();
  Typist again;
  again.type(first, "saved.gpx");
  CHECK(again.saved() == first);
}

TEST_CASE("files that a text names are named as seen from where it is saved") {
  const TemporaryFolder folder;
  folder.write("a/mine.lua", "");
  folder.write("b/x", "");
  Typist typist;
  typist.type("threads 32 < load unique(128B) > analyze \"mine.lua\"(x = 3)",
              folder.path("a/f.gpx"));
  CHECK(contains(typist.saved(folder.path("a")), "\"mine.lua\""));
  CHECK(contains(typist.saved(folder.path("b")), "\"../a/mine.lua\""));
}

TEST_CASE("a message points into what was typed") {
  Typist typist;
  typist.type("param n = 2");
  const auto line_of = [&](const std::string& text) {
    const auto typed = typist.session.compose(Source("<repl>", text));
    Error error;
    if (typed) {
      const auto result = check(*parse(typed->source), typed->source);
      REQUIRE_FALSE(result);
      error = typed->as_typed(result.error());
    } else {
      error = typed.error();
    }
    REQUIRE(error.diagnostics.size() == 1);
    return render(error);
  };
  CHECK(contains(line_of("threads n < laod unique(128B) >"), "<repl>:1:13: "));
  CHECK(contains(line_of("threads n < load unique(128B) x q >"), "<repl>:1:33: "));
  CHECK(contains(line_of("experiment e {\n  threads n\n  < load unique(128B) x q >\n}"),
                 "<repl>:3:25: "));
}

TEST_CASE("bare lines beside other things keep their columns") {
  Typist typist;
  const auto ran =
      typist.type("param k = 2; threads k < load unique(128B) > # why\nthreads 3 < sync >");
  REQUIRE(ran.size() == 2);
  CHECK(ran[0].name == "line1");
  CHECK(ran[1].name == "line2");
  CHECK(contains(typist.saved(), "param k = 2"));
}
