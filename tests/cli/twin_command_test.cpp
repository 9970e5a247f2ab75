// gpx twin on the command line: from records, the exam by samples, what is missing.
#include <doctest/doctest.h>

#include <fstream>
#include <iterator>

#include "captured.h"

using namespace gpx::cli;

namespace {

const char* const kRecord = GPX_SOURCE_DIR "/docs/results/characterize/h200_memory.json";

std::string twin_text(const std::string& path) {
  std::ifstream file(path);
  return {std::istreambuf_iterator<char>(file), {}};
}

}  // namespace

TEST_CASE("a record makes a device file that runs, and its values are listed with their sources") {
  const TemporaryFolder folder;
  const std::string file = folder.path("mine.lua");
  const Ended made = command({"twin", "--from", kRecord, "-o", file});
  CHECK(made.status == 0);
  CHECK(made.err == "");
  CHECK(contains(made.out, "values from findings and the driver"));
  CHECK(contains(made.out, "not known"));
  CHECK(contains(made.out, "in its place: sm.partitions: not modelled"));
  const Ended shown = command({"devices", file, "--values"});
  CHECK(shown.status == 0);
  CHECK(contains(shown.out, "l1.capacity"));
  CHECK(contains(shown.out, "NVIDIA H200"));
  const std::string told = command({"devices", file}).out;
  CHECK(contains(told, "with a source"));
  CHECK(contains(told, "rate.one_warp"));
  CHECK(contains(told, "in its place: sm.partitions: not modelled"));
}

TEST_CASE("a twin whose file is called as a device of the library has a name of its own") {
  const TemporaryFolder folder;
  const std::string file = folder.path("h200.lua");
  CHECK(command({"twin", "--from", kRecord, "-o", file}).status == 0);
  const Ended shown = command({"devices", file});
  CHECK(shown.status == 0);
  CHECK(contains(shown.out, "my-h200"));
}

TEST_CASE("--like is one device of the same chip, and runs of it") {
  const TemporaryFolder folder;
  const std::string file = folder.path("mine.lua"),
                    own = GPX_SOURCE_DIR "/docs/results/characterize/h100_memory.json";
  const auto twin = [&](std::vector<std::string> words) {
    std::vector<std::string> all = {"twin", "--from", own, "-o", file};
    for (std::string& word : words) all.insert(all.end(), {"--like", word});
    return command(all);
  };
  CHECK(twin({"h200", kRecord}).status == 0);
  const std::string text = twin_text(file);
  CHECK(contains(text, "capacity = { \"256 KB\""));  // the H100's own L1 was inconclusive
  CHECK(contains(text, "; as on the h200\""));
  CHECK(contains(text, "title = \"NVIDIA H100"));
  const Ended none = twin({kRecord}), two = twin({"h200", "k20"}), other = twin({"k20"});
  CHECK(none.status == 2);
  CHECK(contains(none.err, "--like names no device: '"));
  CHECK(contains(two.err, "--like names 2 devices, not one"));
  CHECK(contains(other.err, "'k20' is of compute capability 3.5"));
}

TEST_CASE("--export prints the file that was made") {
  const TemporaryFolder folder;
  const Ended made =
      command({"twin", "--from", kRecord, "-o", folder.path("mine.lua"), "--export", "gpgpusim"});
  CHECK(made.status == 0);
  CHECK(contains(made.out, "-gpgpu_n_clusters 132\n"));
  CHECK(command({"devices", folder.path("mine.lua"), "--export", "gpgpusim"}).out == made.out);
  CHECK(command({"devices", "k20", "--export", "xml"}).status == 2);
  CHECK(command({"devices", "--values"}).status == 2);
}

TEST_CASE("an exam by stored samples states errors by family and keeps them in the file") {
  const TemporaryFolder folder;
  const std::string exam = folder.path("exam.gpx"), file = folder.path("k20.lua");
  std::ofstream(exam) << "experiment held_barriers \"Barriers\" {\n  sweep n in [1, 4, 16]\n"
                         "  threads 32\n  < bar.sync x n chain >\n}\n";
  std::string device = twin_text(GPX_SOURCE_DIR "/stdlib/devices/k20.lua");
  device.replace(device.find("\"k20\""), 5, "\"my-k20\"");
  std::ofstream(file) << device;
  REQUIRE(
      command({"run", exam, "--device", "k20", "--csv", folder.path("k20.csv"), "-q", "--no-store"})
          .status == 0);
  const Ended judged =
      command({"twin", "--validate", file, "--samples", folder.path("k20.csv"), "--exam", exam});
  CHECK(judged.status == 0);
  CHECK(judged.err == "");
  CHECK(contains(judged.out, "held_barriers"));
  CHECK(contains(judged.out, "3 points: mean error 0.0 %"));
  CHECK(contains(twin_text(file), "  record = {\n"));
  CHECK(contains(command({"devices", file}).out, "3 points, mean error 0.0 %"));
}

TEST_CASE("a twin needs a file to write, and a file to validate that is one") {
  const Ended nowhere = command({"twin", "--from", kRecord});
  CHECK(nowhere.status == 2);
  CHECK(contains(nowhere.err, "a twin needs a file to write"));
  CHECK(command({"twin", "--validate", "/nowhere.lua", "--device", "k20"}).status == 2);
}

TEST_CASE("a fit is of groups that there are, from a file that a fit made") {
  const TemporaryFolder folder;
  const std::string file = folder.path("mine.lua");
  struct Row {
    std::vector<std::string> words;
    std::vector<const char*> said;
  };
  for (const Row& row :
       {Row{{"--groups", "stores,memry"},
            {"there is no group 'memry' of a fit", "did you mean 'memory'?",
             "barriers, registers"}},
        Row{{"--start", "/nowhere.lua"}, {"cannot read the device file '/nowhere.lua'"}},
        Row{{"--start", GPX_SOURCE_DIR "/stdlib/devices/k20.lua"},
            {"the file to start from is no twin of this compute capability"}}}) {
    std::vector<std::string> words = {"twin", "--from", kRecord, "-o", file};
    words.insert(words.end(), row.words.begin(), row.words.end());
    const Ended ended = command(words);
    CHECK(ended.status == 2);
    for (const char* part : row.said) CHECK_MESSAGE(contains(ended.err, part), ended.err);
    CHECK_FALSE(std::ifstream(file).good());
  }
  const Ended some = command({"twin", "--from", kRecord, "-o", file, "--groups", "stores,memory",
                              "--start", GPX_SOURCE_DIR "/stdlib/devices/h200.lua"});
  CHECK(some.err == "");
  CHECK(some.status == 0);
  CHECK(contains(some.out, "h200.lua: no value changed"));
  // Of groups that were not chosen, too; but not of parts that the record does not show.
  CHECK(contains(twin_text(file), "operand_reads = { 2, source = \"fitted: "));
  CHECK_FALSE(contains(twin_text(file), "\n  launch = {\n"));
}

TEST_CASE("twins of two devices: a process and a file of each, one status") {
  const TemporaryFolder folder;
  const std::string twins = folder.path("twins");
  Captured captured;
  captured.console.program = GPX_PROGRAM;
  const auto twin = [&](const std::string& devices, const std::string& only) {
    return gpx_main({"twin", "--device", devices, "--only", only, "-o", twins}, captured.console);
  };
  CHECK(twin("k20,gtx780", "clock") == 0);
  CHECK(contains(captured.out(), "gtx780  " + twins + "/gtx780.lua"));
  CHECK(contains(twin_text(twins + "/k20.lua"), "name = \"my-k20\""));
  CHECK(contains(twin_text(twins + "/gtx780.lua"), "name = \"my-gtx780\""));
  CHECK(twin("k20,gtx780", "clocks") == 2);
  CHECK(contains(captured.out(), "k20: there is no group 'clocks'"));
  const Ended exam = command({"twin", "--validate", twins + "/k20.lua", "--device", "k20,gtx780"});
  CHECK(exam.status == 2);
  CHECK(contains(exam.err, "an exam is of one device"));
}
