// What comes along, by name: experiments that run, topics, templates.
#include "runtime/cli/output/library.h"

#include <doctest/doctest.h>

#include <nlohmann/json.hpp>

#include "captured.h"
#include "lang/language.h"
#include "runtime/analysis/analysis.h"
#include "runtime/cli/output/files.h"

using namespace gpx;
using namespace gpx::cli;

namespace {

std::vector<Experiment> experiments_of(const std::string& name) {
  const auto source = library_experiment(name);
  REQUIRE_MESSAGE(source, name);
  const auto ast = parse(*source);
  REQUIRE(ast);
  const auto all = check(*ast, *source);
  REQUIRE(all);
  return *all;
}

}  // namespace

TEST_CASE("an experiment of the library is found by its name, alone, on the lines of its file") {
  const auto first = experiments_of("kepler_banks"), second = experiments_of("kepler_banks_8");
  REQUIRE(first.size() == 1);
  REQUIRE(second.size() == 1);
  CHECK(second.front().name == "kepler_banks_8");
  const auto whole = read_source(find_paths().experiments + "/kepler_banks.gpx");
  REQUIRE(whole);
  CHECK(whole->locate(second.front().span).line ==
        library_experiment("kepler_banks_8")->locate(second.front().span).line);
  CHECK(experiments_of("modern_operations").size() > 1);  // a file of several, none so named
}

TEST_CASE("a path, a file that is there and an unknown name are none of the library") {
  for (const char* name : {"experiments/kepler_prt.gpx", "kepler_prt.gpx", "no_such", "", "-"})
    CHECK_FALSE(library_experiment(name));
  const Ended wrong = command({"run", "kepler_bnaks"});
  CHECK(wrong.status == 2);
  CHECK(contains(wrong.err, "did you mean 'kepler_banks'?"));
  const TemporaryFolder folder;
  CHECK(command({"new", "kernel", "--into", folder.path("")}).status == 0);
  const Ended code = command({"run", folder.path("kernel.cu")});
  CHECK(code.status == 2);
  CHECK(contains(code.err, "is CUDA, not an experiment"));
  CHECK(contains(command({"run", folder.path("analysis.lua")}).err, "gpx lua "));
  CHECK(contains(command({"run", folder.path("kernel")}).err, "kernel.gpx'?"));
  CHECK(contains(command({"run", folder.path("kernal")}).err, "kernel.gpx'?"));
  CHECK(contains(command({"run", folder.path("kernal.gpx")}).err, "kernel.gpx'?"));
  CHECK(contains(command({"run", "bank-conflict"}).err, "'gpx new bank-conflicts' writes"));
  CHECK(contains(command({"run", "bank-conflicts"}).err, "'gpx new bank-conflicts' writes"));
}

TEST_CASE("every analysis is in a topic, and every topic's analysis is there") {
  const auto methods = analysis_methods(find_paths().stdlib);
  std::set<std::string> listed;
  for (const Topic& topic : topics())
    for (const std::string& method : topic.analyses) {
      CHECK_MESSAGE(std::ranges::find(methods, method) != methods.end(), method);
      CHECK_MESSAGE(listed.insert(method).second, method);
    }
  for (const std::string& method : methods) CHECK_MESSAGE(listed.contains(method), method);
}

TEST_CASE("experiments are listed by topic and by paper") {
  const Ended topic = command({"list", "--by", "topic"}),
              paper = command({"list", "--by", "paper"});
  CHECK(topic.status == 0);
  CHECK(topic.out.find("\nshared memory\n") < topic.out.find("kepler_banks_8"));
  CHECK(paper.out.find("lashgar2015\n") < paper.out.find("kepler_prt"));
  CHECK(contains(paper.out, "\nother\n"));
  const auto json = nlohmann::json::parse(command({"list", "--json"}).out);
  for (const auto& entry : json)
    if (entry["name"] == "kepler_prt") CHECK(entry["topics"][0] == "requests in flight");
  CHECK(command({"list", "--by", "colour"}).status == 2);
}

TEST_CASE("a template is written with its files, and not over others") {
  const TemporaryFolder folder;
  const Ended made = command({"new", "atomics", "--into", folder.path("")});
  CHECK(made.status == 0);
  CHECK(contains(made.out, "next: gpx run"));
  CHECK(folder.listing() == "atomics.cu\natomics.gpx\n");
  const Ended again = command({"new", "atomics", "--into", folder.path("")});
  CHECK(again.status == 2);
  CHECK(contains(again.err, "is there already"));
  CHECK(contains(command({"new", "bandwith"}).err, "did you mean 'bandwidth'?"));
}

TEST_CASE("every template has a question, checks without a warning, and is laid out") {
  CHECK(templates().size() >= 13);
  for (const Template& each : templates()) {
    INFO(each.name);
    CHECK(question_of(each).ends_with("?"));
    if (!each.files.front().ends_with(".gpx")) continue;
    const Ended checked = command({"check", each.files.front()});
    CHECK(checked.status == 0);
    CHECK(checked.err == "");
    CHECK(command({"fmt", "--check", each.files.front()}).status == 0);
  }
  CHECK(contains(command({"new"}).out, "bank-conflicts"));
}
