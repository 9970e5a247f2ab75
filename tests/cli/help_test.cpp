// gpx help of what the library holds: runtime/cli/help/library_help.h.
#include <doctest/doctest.h>

#include <algorithm>

#include "captured.h"
#include "runtime/analysis/analysis.h"
#include "runtime/cli/help/library_help.h"
#include "runtime/cli/output/files.h"

using namespace gpx;
using namespace gpx::cli;

TEST_CASE("a topic that is no word is looked for in the help of the words") {
  const Ended noise = command({"help", "noise"});
  CHECK(noise.status == 0);
  CHECK(contains(noise.out, "no word is called 'noise'; the help of these has it:"));
  CHECK(contains(noise.out, "repeat N|until P%"));
  CHECK(contains(command({"help", "GB/s"}).out, "10^9 bytes a second"));
  CHECK(command({"help", "nosuchthing"}).status == 2);
}

TEST_CASE("help of a name of the library says what it is") {
  const struct {
    const char* topic;
    std::vector<const char*> parts;
  } rows[] = {
      {"shared_banks", {"analyze shared_banks(words = words, count = count", "shared.conflict"}},
      {"kernel_counts", {"analyze kernel_counts()", "ptx.count.comp"}},
      {"wgmma",
       {"analyze wgmma(op = op", "wgmma.latency", "wgmma.m64n8k16.f32.f16.ss",
        " more: gpx help wgmma.m64n8k16"}},
      {"wgmma.sp", {"wgmma.sp: ", "wgmma.sp.m64n8k"}},
      {"fma.rn", {"fma.rn: 2 operations", "fma.rn.f32"}},
      {"atom", {"atom.add.u32"}},
      {"red.add", {"red.add.u32"}},
      {"shared.conflict", {"finding", "shared_banks"}},
      {"shared.conflict[ways=2]", {"finding", "shared_banks"}},
      {"gpx.plot", {"format = \"svg\"", "curves = {"}},
      {"gpx", {"gpx.run_file", "gpx.load"}},
      {"stats", {"stats.quantile(LIST, 0.9)"}},
      {"samples:reduce", {"one row for each point"}},
      {"finding", {"verdict = \"measured\""}},
      {"kepler_banks", {"gpx run kepler_banks"}},
      {"bank-conflicts", {"What does a bank conflict in shared memory cost? gpx new"}},
      {"gtx780", {"gpx devices gtx780"}},
  };
  for (const auto& row : rows) {
    CAPTURE(row.topic);
    const Ended ended = command({"help", row.topic});
    CHECK(ended.status == 0);
    for (const char* part : row.parts) CHECK_MESSAGE(contains(ended.out, part), part);
  }
}

TEST_CASE("every analysis has help with its call and its findings") {
  for (const std::string& name : analysis_methods(find_paths().stdlib)) {
    CAPTURE(name);
    const std::string text = library_help(name, {false, true, 100});
    CHECK(contains(text, "what it finds"));
    CHECK(contains(text, "\n      analyze " + name + "("));
    CHECK(contains(text, "meaning"));
  }
}

TEST_CASE("the word for analyses lists them") {
  for (const char* topic : {"analyses", "analysis", "analyze"}) {
    CAPTURE(topic);
    const std::string text = topic_help(topic, {false, true, 100});
    for (const char* name : {"\n  bandwidth ", "\n  shared_banks ", "gpx help NAME has the call"})
      CHECK(contains(text, name));
  }
}

TEST_CASE("a table of hundreds of words is one of families") {
  const Ended operations = command({"help", "operation"});
  CHECK(std::ranges::count(operations.out, '\n') < 200);
  CHECK(contains(operations.out, "\n  wgmma "));
  CHECK(contains(operations.out, "gpx help FAMILY"));
  CHECK(contains(operations.out, "gpx operations --only FAMILY"));
  CHECK(contains(command({"help", "expect"}).out, "FINDING within 90/clk..128/clk"));
}

TEST_CASE("a name nearly of the library is told") {
  CHECK(contains(command({"help", "ops"}).err, "did you mean 'operations'?"));
  CHECK(contains(command({"help", "shared_bank"}).err, "did you mean 'shared_banks'?"));
  CHECK(contains(command({"help", "kernel_count"}).err, "did you mean 'kernel_counts'?"));
  CHECK(command({"help", "no_such_thing_at_all"}).status == 2);
}
