// Programs as text: codegen/ir/program_text.h.
#include "codegen/ir/program_text.h"

#include "codegen/ir/convention.h"
#include "support.h"

namespace gpx::codegen::test {
namespace {

/// One of everything that a launch can have.
const char* const kTexts[] = {
    "threads 32 repeat until 2.5% at most 40 reduce mean < load unique(4B) >",
    "sweep n 1..3, threads 32..64 step 32 < load unique(128B) x n; store merge(2, 64B) >",
    "experiment e { repeat 3; threads 1; array a : texture[64KB] chase(stride 128B); observe each; "
    "< load a x 4096 chain > }",
    "experiment e { threads 1; array a : constant[4KB] chase(list [0B, 64B, 8B]); observe average; "
    "place sm 0; beside sm 1 { load a x 8 chain }; rehearse 2; < load a x 64 chain > }",
    "experiment e { threads 64; shared count = 0; watchdog 10ms; observe timeline; blocks 2;"
    " < stamp go; when warp == 0 { count = 1 } else { while count == 0 { } }; stamp after > }",
    "experiment e { threads 96; registers 40; flush 1MB; < load random(4KB) x 2; keep seen = lane "
    "> "
    "}",
    "experiment e { sweep n in [1, 2] offset 16B * n flush 1MB array a : global[4KB] chase(stride "
    "64B) < load unique(16B) width 16B; async load tensor(64, 4); wait; load a x4 chain > }",
    "experiment e { blocks 2; threads 64 observe issue < add.u32 x4; load unique(4B); sync > }",
    "experiment e { sweep n in [4, 8] threads 32 < async load tensor(64, n) x2; async store "
    "tensor(16, 2, 2) width 8B; wait > }"};

Limits two_sms() {
  Limits limits;
  limits.sm_count = 2;
  return limits;
}

std::string complaint_of(const std::string& text) {
  const auto read = parse_programs(Source("p", text));
  return read ? std::string("it reads") : render(read.error());
}

/// A whole program's text with a part in place of another one.
std::string with(const std::string& from, const std::string& to) {
  std::string text = to_string(program_of("threads 32 < load unique(4B) >"));
  const std::size_t at = text.find(from);
  REQUIRE_MESSAGE(at != std::string::npos, from);
  return text.replace(at, from.size(), to);
}

}  // namespace

TEST_CASE("every program that lowering makes reads back as it was") {
  for (const char* text : kTexts) {
    CAPTURE(text);
    const Program program = program_of(text, two_sms());
    const std::string printed = to_string(program, "m");
    const auto read = parse_programs(Source("p", printed));
    if (!read) FAIL(render(read.error()));
    REQUIRE(read->size() == 1);
    CHECK(read->front().measure == "m");
    CHECK(read->front().program.kernels == program.kernels);
    CHECK(to_string(read->front().program, "m") == printed);
    CHECK(read->front().program.launches.size() == program.launches.size());
    CHECK(read->front().program.launches.back().scalars == program.launches.back().scalars);
    CHECK(read->front().program.launches.back().contents == program.launches.back().contents);
    CHECK(read->front().program.launches.back().tensors == program.launches.back().tensors);
    CHECK(read->front().program.launches.back().offset == program.launches.back().offset);
    CHECK(read->front().program.launches.back().watchdog == program.launches.back().watchdog);
  }
}

TEST_CASE("what a launch returns follows from its kernel") {
  const auto names = [](const std::vector<ResultSlot>& slots) {
    std::vector<std::string> all;
    for (const ResultSlot& slot : slots) all.push_back(slot.name);
    return all;
  };
  for (const char* text : kTexts) {
    CAPTURE(text);
    const Program program = program_of(text, two_sms());
    const Kernel& kernel = program.kernels.front();
    CHECK(names(results_of(kernel)) == names(program.results));
    CHECK(results_of(kernel).size() == kernel.result_slots());
    CHECK(records_of(kernel).columns == program.records.columns);
    REQUIRE(records_of(kernel).keys.size() == program.records.keys.size());
    for (std::size_t i = 0; i < program.records.keys.size(); ++i)
      CHECK(records_of(kernel).keys[i].labels == program.records.keys[i].labels);
    const auto scalars = kernel.scalars();
    const auto never = std::find(scalars.begin(), scalars.end(), "never") - scalars.begin();
    CHECK(program.launches.front().scalars[static_cast<std::size_t>(never)] == kNeverWord);
  }
}

// ctrl_c_deaf: a program once warmed up for ever.
TEST_CASE("a limit of the language is a limit of a program's text") {
  struct Row {
    const char* from;
    const char* to;
    const char* complaint;
  };
  const Row rows[] = {
      {"repetitions 1", "repetitions 10001", "repeat must be a whole number from 1 to 10000"},
      {"warmup 1", "warmup 2147483648", "warmup must be a whole number from 0 to 10000"},
      {"warmup 1", "warmup 18446744073709551615", "warmup must be"},
      {"blocks 1", "blocks 2147483648", "blocks must be"},
      {"threads 32 with", "threads 32 cluster 17 with", "cluster must be"},
      {"warmup 1", "warmup 1 flush 9007199254740994", "the amount to flush must be"},
      {"warmup 1", "warmup 1 offset 1073741825", "the offset must be"},
      {"warmup 1", "warmup 1 watchdog 60000000001", "the watchdog must be a time"},
      {"warmup 1", "warmup 1 watchdog 999", "the watchdog must be a time"},
      {"warmup 1", "warmup 1 metered 61", "the metered time must be"},
      {"warmup 1", "warmup 1 bank_width 16", "the bank width must be"},
      {"warmup 1", "warmup 1 carveout 1073741825", "the carveout must be"},
      {"warmup 1", "warmup 1 placed 4294967295", "blocks must be"},
      {"buffer data : global ", "buffer data : global 9007199254740993", "the size of a buffer"},
  };
  for (const Row& row : rows) {
    const std::string found = complaint_of(with(row.from, row.to));
    CAPTURE(row.to);
    CAPTURE(found);
    CHECK(found.find(row.complaint) != std::string::npos);
  }
  const char* const chase =
      "experiment e { threads 1; array a : global[64KB] chase(stride 128B); observe each; "
      "< load a x 64 chain > }";
  const std::string text = to_string(program_of(chase));
  for (const auto& [from, to, complaint] :
       {std::array{"extents 64", "extents 67108865", "more than 67108864 records of one launch"},
        std::array{"width 4 of 128", "width 4 of 0", "must be"},
        std::array{"width 4 of 128", "width 3 of 128", "the width is 3B: a link has 4B or 8B"}}) {
    std::string changed = text;
    const std::size_t at = changed.find(from);
    REQUIRE(at != std::string::npos);
    const std::string found = complaint_of(changed.replace(at, std::string(from).size(), to));
    CAPTURE(found);
    CHECK(found.find(complaint) != std::string::npos);
  }
  const std::string stamped = to_string(
      program_of("experiment e { blocks 2; threads 64; observe timeline; < stamp go > }"));
  std::string fewer = stamped;
  fewer.replace(fewer.find("extents 2, 64"), 13, "extents 1, 64");
  CHECK(complaint_of(fewer) == "it reads");  // blocks beside the timed ones keep no records
}

TEST_CASE("a broken program is refused at its place") {
  struct Row {
    const char* from;
    const char* to;
    const char* complaint;
  };
  const Row rows[] = {
      {"repetitions 1", "repetitions 0", "expected a number of repetitions, found 0"},
      {"repetitions 1", "repetitions 9 until 1%", "it must be a whole number from 10 to 10000"},
      {"repetitions 1", "repetitions 20 until 1", "expected a share such as 1%"},
      {"repetitions 1", "repetitions 20 until 0%", "expected a share such as 1%"},
      {"buffer data : global", "buffer data : paper",
       "expected global, texture, constant, peer or tensor_map"},
      {"result latency sample", "result latency scratch", "expected 'sample', found 'scratch'"},
      {"launch load", "launch loud", "there is no kernel loud"},
      {"threads 32 with", "threads 320000 with", "320000 threads of a kernel that is compiled for"},
      {"with never=", "with nver=", "expected 'never', found 'nver'"},
      {"warmup 1", "warmup 1 offset 256", "an offset of 256 bytes in data, which has 256"},
      {"  buffer data", "  buffer date", "takes the buffers data: the program has date"},
      {"await %v0", "await %a0",
       ":14:11: error: kernel load_unique_4B_x1: await cannot take %a0, a address"},
      {"ready %a0", "ready", "%a0"},
      {"}\nprogram", "}\nprogramme", "expected 'program', found 'programme'"},
      {"repetitions 1", "user", "does not read back: --from=experiment"},
  };
  for (const Row& row : rows) {
    const std::string found = complaint_of(with(row.from, row.to));
    CAPTURE(row.to);
    CAPTURE(found);
    CHECK(found.find(row.complaint) != std::string::npos);
    CHECK(found.starts_with("p:"));
  }
  CHECK(complaint_of("program { repetitions 1 launch k }").find("without a kernel") !=
        std::string::npos);
}

}  // namespace gpx::codegen::test
