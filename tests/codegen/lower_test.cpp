// Lowering: codegen/ir/program.h, and the points that it walks: codegen/lower/points.h.
#include <algorithm>
#include <string>

#include "support.h"

namespace gpx::codegen::test {
namespace {

const Instruction& timed(const Program& program, std::size_t kernel, std::size_t index) {
  return program.kernels[kernel].timed[index];
}

TEST_CASE("one kernel for each number of loads, whatever the number of threads") {
  const Program program =
      program_of("sweep n 1..3, threads 2..1024 step 2 < load unique(128B) x n >");
  CHECK(program.kernels.size() == 3);
  REQUIRE(program.launches.size() == 3 * 512);
  CHECK(program.launches[0].threads == 2);
  CHECK(program.launches[512].threads == 2);
  CHECK(program.launches[512].kernel != program.launches[0].kernel);
  CHECK(program.launches.back().threads == 1024);
}

TEST_CASE("only what changes the code makes another kernel") {
  struct Row {
    const char* text;
    std::size_t kernels;
  };
  const Row rows[] = {
      {"sweep k in [1, 2, 4], threads 2..64 step 2 < load merge(k, 128B) x 2 >", 1},
      {"sweep b 4B..512B step 4B < load unique(b) >", 1},
      {"sweep b 4B..512B step 4B < load broadcast(b) x 3 >", 1},
      {"sweep s in [1KB, 1MB], seed 1..9 < load random(s, seed) >", 1},
      {"sweep k 1..9 blocks k < load unique(4B) >", 1},
      {"sweep w in [1B, 2B, 4B, 8B, 16B] < load unique(16B) width w >", 5},
      {"sweep zip(k in [1, 1, 2], n in [1, 2, 2]) < load merge(k, 4B) x n >", 2},
      {"sweep n 1..3, m 1..4 < load unique(4B) x n; store unique(4B) x m >", 12},
      {"sweep n 1..6 < load unique(4B) x max(1, n / 2 - n / 2) >", 1},
  };
  for (const Row& row : rows) {
    CAPTURE(row.text);
    CHECK(program_of(row.text).kernels.size() == row.kernels);
  }
}

TEST_CASE("the distance between two loads of a thread is that of the sweep's largest grid") {
  const Program small = program_of("threads 64 < load unique(128B) x 2 >");
  CHECK(timed(small, 0, 1).immediate == 64 * 128 - 128 + 256 - 128);
  const Program swept =
      program_of("sweep threads in [32, 1024, 64] blocks 2 < load unique(128B) x 2 >");
  const std::uint64_t span = timed(swept, 0, 1).immediate;
  CHECK(span >= 2047 * 128 + 4);
  CHECK(span % 256 == 0);
  CHECK(swept.buffers[0].bytes == 2 * span);
  for (const Launch& launch : swept.launches) CHECK(launch.kernel == 0);
}

TEST_CASE("a buffer holds the largest point of the sweep") {
  struct Row {
    const char* text;
    std::uint64_t data, target;
  };
  const Row rows[] = {
      {"threads 64 < load unique(128B) >", 63 * 128 + 128, 0},
      {"threads 64 < load merge(2, 128B) x 3 >", 3 * 4096, 0},
      {"threads 64 < load stride(64B) x 4 >", 63 * 64 + 64, 0},
      {"threads 1024 < load broadcast(256B) x 4 >", 1024, 0},
      {"threads 1024 < load random(1MB, 1) x 4 >", 1 << 20, 0},
      {"threads 64 < store unique(4B) x 2 >", 0, 512},
      {"threads 256 blocks 4 observe time < copy unique(8B) width 8B >", 8192, 8192},
      {"sweep b in [4B, 4KB, 8B] threads 2 < load unique(b) >", 4096 + 256, 0},
  };
  for (const Row& row : rows) {
    CAPTURE(row.text);
    std::uint64_t data = 0, target = 0;
    for (const Buffer& buffer : program_of(row.text).buffers) {
      CHECK(buffer.written == (buffer.name == "target"));
      (buffer.name == "data" ? data : target) = buffer.bytes;
    }
    CHECK(data == row.data);
    CHECK(target == row.target);
  }
}

TEST_CASE("loads far apart get an address for each reach of an offset") {
  const Program program = program_of("threads 1024 blocks 100 < load unique(64B) x 3 >");
  const Kernel& kernel = program.kernels[0];
  CHECK(kernel.setup.back().operands.size() == 2);
  const std::uint64_t span = program.buffers[0].bytes / 3;
  CHECK(kernel.timed[1].immediate == span);
  CHECK(kernel.timed[2].immediate == 2 * span - kMaxOffset);
}

TEST_CASE("warm-up, flush and repetitions follow the experiment at each point") {
  const Program program = program_of(
      "experiment x {\n sweep state in [warm, flushed], size 64KB..128KB step 64KB\n"
      "threads 256\n blocks size / (2 * 8B * threads)\n flush 76MB if state == flushed\n"
      "repeat 3\n observe time\n < copy unique(8B) width 8B >\n}");
  REQUIRE(program.launches.size() == 4);
  CHECK(program.repetitions == 3);
  CHECK(program.launches[0].blocks == 16);
  CHECK(program.launches[1].blocks == 32);
  CHECK_FALSE(program.launches[0].flush);
  CHECK(program.launches[2].flush);
  CHECK(program.launches[2].flush_bytes == 76u << 20);
  CHECK(program.kernels.size() == 1);
}

TEST_CASE("what is observed decides the result slots") {
  const Program latency = program_of("< load unique(4B) >");
  REQUIRE(latency.results.size() == 3);
  CHECK(latency.results[0].name == "latency");
  CHECK(latency.results[0].role == ResultSlot::Role::sample);
  CHECK(latency.results[1].role == ResultSlot::Role::checksum);
  const Program time = program_of("observe time < load unique(4B) >");
  REQUIRE(time.results.size() == 2);
  CHECK(time.results[0].name == "checksum");
  CHECK(time.results[1].name == "sink");
  CHECK(time.results[1].role == ResultSlot::Role::scratch);
}

TEST_CASE("an extent that the device has not says what to set in place of its axis") {
  CHECK(complaint("sweep threads in [512, 2048] < load unique(4B) >")
            .find("--set 'threads=[32, 1024]'") != std::string::npos);
  CHECK(complaint("param t = 2048 threads t < load unique(4B) >").find("--set t=1024") !=
        std::string::npos);
  CHECK(complaint("threads 2048 < load unique(4B) >").find("--set") == std::string::npos);
}

TEST_CASE("what a device cannot do is refused at its place in the text") {
  struct Row {
    const char* text;
    const char* place;
    const char* complaint;
  };
  const Row rows[] = {
      {"sweep threads 2..1026 step 2 < load unique(4B) >",
       "test.gpx:1:7:", "1026 threads in a block: the device has 1024"},
      {"threads 1025 < load unique(4B) >",
       "test.gpx:1:9:", "1025 threads in a block: the device has 1024"},
      {"sweep n 1..2 threads 512 * n * n < load unique(4B) >",
       "test.gpx:1:22:", "2048 threads in a block: the device has 1024"},
      {"threads 1024 < load unique(4B) x 100 >", "test.gpx:1:34:",
       "100 accesses of 4B need 111 registers a thread: a block of 1024 threads leaves each "
       "thread"},
      {"threads 64 < store unique(4B) cache nc >",
       "test.gpx:1:14:", "a store cannot have the cache operator nc, only cg and cs"},
      {"blocks 2000000000 threads 1024 < load unique(1GB) >",
       "test.gpx:1:34:", "reach further than 2^48 bytes"},
  };
  for (const Row& row : rows) {
    CAPTURE(row.text);
    const std::string found = complaint(row.text);
    CAPTURE(found);
    CHECK(found.find(row.place) != std::string::npos);
    CHECK(found.find(row.complaint) != std::string::npos);
  }
}

TEST_CASE("lowering does not trust the checker with what would become a wrong address") {
  struct Row {
    void (*change)(Access&);
    const char* complaint;
  };
  const Row rows[] = {
      {[](Access& a) { a.pattern.args = {Expr::number(6, Unit::byte)}; },
       "no multiple of the width 4B"},
      {[](Access& a) { a.pattern.args = {Expr::number(2, Unit::byte)}; },
       "2B is no multiple of the width"},
      {[](Access& a) { a.pattern.args = {Expr::number(4.5, Unit::byte)}; },
       "must be a whole number of bytes"},
      {[](Access& a) { a.pattern.args = {Expr::name_of("missing")}; }, "missing"},
      {[](Access& a) { a.width = Expr::number(3, Unit::byte); },
       "it must be 1B, 2B, 4B, 8B or 16B"},
      {[](Access& a) { a.width = Expr::number(32, Unit::byte); }, "from 1B to 16B"},
      {[](Access& a) { a.count = Expr::number(0); }, "from 1 to 4096"},
      {[](Access& a) { a.count = Expr::number(1e300); }, "from 1 to 4096"},
  };
  const Source source("test.gpx", "< load unique(128B) >");
  const auto ast = parse(source);
  REQUIRE(ast.has_value());
  for (const Row& row : rows) {
    CAPTURE(row.complaint);
    auto experiments = check(*ast, source);
    REQUIRE(experiments.has_value());
    row.change(std::get<Access>(experiments->front().measures[0].body.front().node));
    const auto program = lower(experiments->front(), experiments->front().measures[0], source, {});
    REQUIRE_FALSE(program.has_value());
    const std::string found = render(program.error());
    CAPTURE(found);
    CHECK(found.find(row.complaint) != std::string::npos);
  }
}

TEST_CASE("what the checker tried at the ends of a large sweep is tried at every point") {
  struct Row {
    const char* text;
    const char* complaint;
  };
  // a * b is 1, 300 and 90000 at the ends: there (a * b - 1) % 299 is 0.
  const Row rows[] = {
      {"< load unique(4B) x (1 + a * b % 5000) >", "it must be a whole number from 1 to 4096"},
      {"< load unique(4B * (a * b % 97)) >", "the argument of unique is 0B: it must be"},
      {"< load unique(4B + 1B * ((a * b - 1) % 299)) >", "5B is no multiple of the width 4B"},
      {"< load unique(16B) width (1B * (1 + a * b % 300 % 3)) >", "the width is 3B: it must be 1B"},
      {"rehearse a * b % 5000 < load unique(4B) >", "it must be a whole number from 0 to 1000"},
      {"offset 4B * (1 + a * b % 3) + 1B * ((a * b - 1) % 299) < load unique(4B) >",
       "it is no multiple of the width 4B of 'load'"},
      {"warmup a * b % 20000 < load unique(4B) >", "it must be a whole number from 0 to 10000"},
      {"registers 1 + a * b % 300 < load unique(4B) >", "registers is 256: it must be"},
      {"< add.u32 x (4 + (a * b - 1) % 299) >", "it must be a multiple of the 4 streams"},
      {"array k : global[64KB] chase(stride 8B * (a * b % 97)) < load k x4 chain >",
       "the distance is 0B: it must be"},
      {"array k : global[1KB] chase(list [0B, 4B * (1 + (a * b - 1) % 299)]) < load k x4 chain >",
       "the offset 1KB lies beyond the array's 1KB"},
  };
  for (const Row& row : rows) {
    CAPTURE(row.text);
    const std::string found = complaint(std::string("sweep a 1..300, b 1..300 ") + row.text);
    CAPTURE(found);
    CHECK(found.find(row.complaint) != std::string::npos);
  }
}

TEST_CASE("an offset is the launch's, and the memory of patterns has room for the largest") {
  const std::string body = "< load unique(4B) x2; store unique(4B); load a x4 chain > }";
  const auto made = [&](const std::string& offset) {
    return program_of("experiment e { sweep at in [0, 3, 1] threads 32 " + offset +
                      " array a : global[4KB] chase(stride 128B) " + body);
  };
  const Program moved = made("offset at * 100B"), plain = made("");
  const auto bytes = [](const Program& program) {
    std::vector<std::uint64_t> all;
    for (const Buffer& buffer : program.buffers) all.push_back(buffer.bytes);
    return all;
  };
  CHECK(bytes(plain) == std::vector<std::uint64_t>{512, 256, 4096});
  CHECK(bytes(moved) == std::vector<std::uint64_t>{1024, 768, 4096});
  CHECK(moved.kernels == plain.kernels);
  for (const std::size_t i : {0, 1, 2}) {
    CHECK(plain.launches[i].offset == 0);
    CHECK(moved.launches[i].offset == std::vector<std::uint64_t>{0, 300, 100}[i]);
    CHECK(moved.launches[i].scalars == plain.launches[i].scalars);
  }
  CHECK(moved.launches[1].offset_of(moved.buffers[0]) == 300);
  CHECK(moved.launches[1].offset_of(moved.buffers[1]) == 300);
  CHECK(moved.launches[1].offset_of(moved.buffers[2]) == 0);
}

TEST_CASE("more blocks than the device has are refused") {
  Limits limits;
  limits.blocks = 65535;
  const std::string found = complaint("sweep blocks in [1, 70000] < load unique(4B) >", limits);
  CHECK(found.find("test.gpx:1:7:") != std::string::npos);
  CHECK(found.find("70000 blocks: the device has 65535") != std::string::npos);
}

TEST_CASE("more memory than the device has is refused with both numbers") {
  Limits limits;
  limits.memory_bytes = 1 << 20;
  const std::string found = complaint("threads 1024 < load unique(4KB) >", limits);
  CHECK(found.find("the accesses need 4190464 bytes of memory: the device has 1048576") !=
        std::string::npos);
  CHECK(complaint("threads 256 < load unique(4KB) >", limits).empty());
}

TEST_CASE("a place is blamed once, not once for each point") {
  const std::string found =
      complaint("sweep n 1..2, threads 2..4000 step 2 < load unique(4B) x n >");
  CHECK(std::count(found.begin(), found.end(), '^') >= 1);
  CHECK(found.find("error:") == found.rfind("error:"));
}

TEST_CASE("a sweep of a hundred thousand points lowers to as many launches") {
  const Program program =
      program_of("sweep n 1..2, b 1..100, threads 2..1000 step 2 < load unique(b * 128B) x n >");
  CHECK(program.launches.size() == 100000);
  CHECK(program.kernels.size() == 2);
  CHECK(program.launches[501].scalars.back() == 256);
}

}  // namespace
}  // namespace gpx::codegen::test
