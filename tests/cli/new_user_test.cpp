// What somebody meets who is new: words that gpx does not know, and files that are not there.
#include <doctest/doctest.h>
#include <sys/stat.h>

#include "captured.h"

using namespace gpx::cli;

namespace {

const std::string kLine =
    "experiment e { sweep threads 32..96 step 32 repeat 2 "
    "< load unique(128B) > }\n";

/// The lines of an analysis, run on samples of kLine.
Ended analysed(const TemporaryFolder& folder, const std::string& lua) {
  folder.write("a.lua", "return function(input)\n" + lua + "\nend\n");
  return command({"run",
                  folder.write("e.gpx",
                               "experiment e { sweep threads 32..96 step 32 "
                               "< load unique(128B) > analyze \"a.lua\"() }\n"),
                  "--device", "k20", "--no-store"});
}

}  // namespace

TEST_CASE("hint_help_operation: a hint names the command of the shell") {
  const TemporaryFolder folder;
  const Ended run = command({"check", folder.write("e.gpx", "threads 32 < zzzzqqqq x4 >\n")});
  CHECK(run.status == 2);
  CHECK(contains(run.err, "gpx help operation"));
}

TEST_CASE("characterize_h100: a device is named by its option") {
  const Ended run = command({"characterize", "h100"});
  CHECK(run.status == 2);
  CHECK(contains(run.err, "--device h100"));
}

TEST_CASE("help_l1: help names what measures a level") {
  for (const char* level : {"l1", "l2", "memory"}) {
    CAPTURE(level);
    const Ended help = command({"help", level});
    CHECK(help.status == 0);
    CHECK(contains(help.out, std::string("--only ") + level));
  }
}

TEST_CASE("only_l1: a level is a name for its groups") {
  for (const char* level : {"l1", "l2", "shared", "dram"}) {
    CAPTURE(level);
    const Ended list = command({"characterize", "--list", "--only", level});
    CHECK(list.status == 0);
    CHECK(contains(list.out, "memory"));
    CHECK_FALSE(contains(list.out, "divergence"));
  }
  CHECK(command({"characterize", "--list", "--only", "l7"}).status == 2);
}

TEST_CASE("diff_one: two runs are needed") {
  const Ended diff = command({"diff", "1"});
  CHECK(diff.status == 2);
  CHECK(contains(diff.err, "'gpx diff' needs 2 of RUN, and got 1"));
}

TEST_CASE("qiut: a command of the REPL is near") {
  const Ended repl = command({"repl", "--device", "k20", "--no-store"}, "qiut\n");
  CHECK(repl.status == 2);
  CHECK(contains(repl.err, "did you mean :quit?"));
}

TEST_CASE("repl_device: a device that is not there is an error at once") {
  const Ended repl = command({"repl", "--device", "foo"});
  CHECK(repl.status == 2);
  CHECK(contains(repl.err, "'foo'"));
}

TEST_CASE("store_in_no_folder: no path is made up") {
  const TemporaryFolder folder;
  const Ended run = command({"run", folder.write("e.gpx", kLine), "--device", "k20", "--store",
                             folder.path("no/such/dir/db")});
  CHECK(run.status == 3);
  CHECK(contains(run.err, "there is no folder"));
  CHECK_FALSE(std::filesystem::exists(folder.path("no")));
}

TEST_CASE("unreadable_file: its hint does not name itself") {
  const TemporaryFolder folder;
  const std::string path = folder.path("e.gpx");
  std::filesystem::create_directory(path);  // Root reads what has no permissions.
  const Ended run = command({"run", path});
  CHECK(run.status == 2);
  CHECK_FALSE(contains(run.err, "did you mean"));
}

TEST_CASE("row_latencyy: a mistyped column of an analysis has a hint") {
  const TemporaryFolder folder;
  const Ended run = analysed(folder,
                             "  for _, row in ipairs(input.samples:rows()) do\n"
                             "    local x = row.latencyy + 1\n  end");
  CHECK(contains(run.err + run.out, "did you mean 'latency'?"));
}

TEST_CASE("out_of_bounds: the buffer and the distance in place of an address, in no warning") {
  const TemporaryFolder folder;
  folder.write("k.cu",
               "extern \"C\" __global__ void k(float* out, const float* in) {\n"
               "  out[threadIdx.x] = in[threadIdx.x + 1];\n}\n");
  const Ended run = command(
      {"run",
       folder.write("e.gpx",
                    "experiment e { kernel k from \"k.cu\" entry k(out = buffer(128B, zero), in = "
                    "buffer(128B, index)) threads 32 blocks 1 < run k > }\n"),
       "--device", "k20", "--no-store"});
  CHECK(run.status == 2);
  CHECK(contains(run.err, "an access 0 B past the end of 'in' (128 B)"));
  CHECK_FALSE(contains(run.out + run.err, "0x"));
  CHECK_FALSE(contains(run.out + run.err, "cannot be counted"));
}

TEST_CASE("set_word: a value that is no number is not taken for a sweep's") {
  const TemporaryFolder folder;
  const Ended run =
      command({"run", folder.write("e.gpx", "experiment e { param n = 4 < add.u32 x n chain > }\n"),
               "--device", "k20", "--no-store", "--set", "n=abc"});
  CHECK(run.status == 2);
  CHECK(contains(run.err, "--set n"));
  CHECK_FALSE(contains(run.err, "sweep"));
}

TEST_CASE("text_as_file: an experiment typed in place of a file has a hint") {
  const Ended run = command({"run", "sweep n 1..4 < load unique(128B) x n >", "--device", "k20"});
  CHECK(run.status == 2);
  CHECK(contains(run.err, "gpx run -"));
}

TEST_CASE("clocks_with_seconds: the hint says what gives which") {
  const TemporaryFolder folder;
  const Ended run = command({"check", folder.write("e.gpx",
                                                   "experiment e { threads 32 < load broadcast > "
                                                   "expect max(latency) < 3us }\n")});
  CHECK(run.status == 2);
  CHECK(contains(run.err, "clocks"));
  CHECK(contains(run.err, "'observe time' seconds"));
}

TEST_CASE("dump_sass: a virtual device says that it shows PTX") {
  const TemporaryFolder folder;
  const Ended run = command(
      {"run", folder.write("e.gpx", kLine), "--device", "k20", "--no-store", "--dump", "sass"});
  CHECK(run.status == 0);
  CHECK(contains(run.out, "executes PTX: there is no SASS"));
  folder.write("k.cu", "__global__ void fill(int* out) { out[threadIdx.x] = 1; }\n");
  const std::string file = folder.write(
      "k.gpx",
      "experiment k { kernel mine from \"k.cu\" entry fill(out = buffer(4KB, zero)) threads 32 "
      "< run mine > }\n");
  const Ended own = command({"run", file, "--device", "k20", "--no-store", "--dump", "sass", "-q"});
  CHECK(own.status == 0);
  CHECK(contains(own.out, "gpx sass FILE.cu shows its machine code"));
}

TEST_CASE("export_document: a document is exported as what help promises") {
  const TemporaryFolder folder;
  const std::string document = folder.path("a.json");
  REQUIRE(command({"run", folder.write("e.gpx", kLine), "--device", "k20", "--no-store", "-q",
                   "--json", document})
              .status == 0);
  const Ended json = command({"export", document, "--json"});
  CHECK(json.status == 0);
  CHECK(json.out == folder.read("a.json"));
  CHECK(command({"export", document}).out == json.out);
  const Ended table = command({"export", document, "--samples", "md"});
  CHECK(table.status == 0);
  CHECK(contains(table.out, "| threads |"));
  const Ended diff = command({"diff", document, document, "--json"});
  CHECK(diff.status == 0);
  CHECK(contains(diff.out, "\"different\": 0"));
  CHECK(contains(command({"diff", document, document, "--markdown"}).out, "| experiment |"));
  CHECK(contains(command({"diff", document, document, "--tex"}).out, "\\begin{tabular}"));
}

TEST_CASE("a flag of export is not given a file, and other exports take one run") {
  const Ended csv = command({"export", "last", "--csv", "x.csv"});
  CHECK(csv.status == 2);
  CHECK(contains(csv.err, "--csv takes no value: --csv --output x.csv"));
  CHECK(
      contains(command({"export", "1", "2", "--samples", "md"}).err, "--findings csv, md or tex"));
}

TEST_CASE("number_beyond_double: 1e400 has a message of gpx") {
  const TemporaryFolder folder;
  for (const char* text : {"{\"schema\": 1e400}", "{\"schema\": 1, \"x\": 1e400}"}) {
    const Ended read = command({"report", folder.write("a.json", text), "-o", "-"});
    CHECK(read.status == 2);
    CHECK_FALSE(contains(read.err, "json.exception"));
    CHECK(contains(read.err, "1e400"));
  }
}

TEST_CASE("operations_csv: a virtual device is named, and its values are modelled") {
  const Ended table =
      command({"operations", "--device", "k20", "--only", "add.u32", "--csv", "-", "-q"});
  CHECK(table.status == 0);
  CHECK(contains(table.out, ",device,measured_on_hardware\n"));
  CHECK(contains(table.out, ",modelled,"));
  CHECK(contains(table.out, ",k20,false\n"));
}

TEST_CASE("repl_open_block: a long open block is read in linear time, up to a limit") {
  std::string text = "experiment e {\n  threads 32\n";
  for (int i = 0; i < 16000; ++i) text += i % 7 == 0 ? "\n" : "  # a comment with { in it\n";
  const Ended whole = command({"repl", "--device", "k20", "--no-store", "-q"},
                              text + "  < load broadcast >\n}\n:findings\n");
  CHECK(whole.status == 0);
  const std::string wide(1 << 20, 'x');
  std::string large = "experiment e {\n";
  for (int i = 0; i < 20; ++i) large += "# " + wide + '\n';
  const Ended refused = command({"repl", "--device", "k20", "--no-store"}, large);
  CHECK(refused.status == 2);
  CHECK(contains(refused.err, "larger than 16 MB"));
}
