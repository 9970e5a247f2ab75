// Device files: the shipped ones are sound and sourced, every mistake is reported with its line,
// and the reference has the whole table of fields.
#include <doctest/doctest.h>
#include <fmt/format.h>

#include <fstream>

#include "runtime/device/vgpu/description/fields.h"
#include "runtime/device/vgpu/description/lua_table.h"
#include "tests/golden.h"

using namespace gpx;
using namespace gpx::vgpu::timing;

namespace {

using gpx::test::read_text;

std::string shipped(const std::string& name) {
  return read_text(GPX_SOURCE_DIR "/stdlib/devices/" + name + ".lua");
}

// A device with every section and every field, one a line.
const char* const kWhole = R"(return {
  name = "whole", title = "every field",
  clock = "1 GHz",
  compute_capability = "3.5",
  memory = "4 GB",
  sm = {
    count = 2,
    warp_slots = 64,
    block_slots = 16,
    max_threads_per_block = 1024,
    schedulers = 4,
    shared = "48 KB", issue_interval = "2 clocks", per_tpc = 2, select_ahead = "8 clocks", late_gap = "0.5 clocks",
  },
  op = {
    alu = { latency = "9 clocks", interval = "1 clock" },
    fp64 = { latency = "9 clocks", interval = "1 clock" },
    sfu = { latency = "9 clocks", interval = "1 clock" },
    warp = { latency = "9 clocks", interval = "1 clock" },
    branch = { latency = "9 clocks", interval = "1 clock" },
    ["mul.lo"] = { latency = "18 clocks", interval = "2 clocks" },
  },
  scoreboard = { loads_per_warp = 3 },
  coalescer = { line = "128 B" },
  lsu = {
    pipelines = 3,
    clocks_per_load = 6,
    clocks_per_lane = 0.5,
    writeback_per_lane = 0.5,
  },
  mshr = {
    entries = 128,
    merges = 8,
  },
  l1 = {
    capacity = "16 KB",
    line = "128 B",
    ways = 4,
    latency = "100 clocks",
    insertion = "mru",
  },
  l2 = {
    capacity = "768 KB",
    line = "128 B",
    ways = 16,
    latency = "371 clocks",
    insertion = "lru",
  },
  dram = {
    latency = "570 ns",
    departure = "0.98 clocks", write_departure = "3.5 clocks", turn = "0.5 clocks",
  },
  shared = { latency = "27 clocks" },
  constant = { latency = "48 clocks" },
  barrier = { latency = "20 clocks", per_warp = "0.5 clocks", queue = 4 },
  clock_register = { cost = "22 clocks", granularity = "2 clocks", domain = "tpc" },
  noise = { jitter = "2 clocks", outlier_probability = 0.5, outlier = "60 clocks" },
  watchdog = { instructions = 5000 },
  block_scheduler = { interval = "2.5 clocks" },
  registers = { per_sm = 16384, per_thread_max = 128, per_thread_quantum = 4, thread_quantum = 64 },
  execution = { model = "independent", turn = 32 },
  tlb_l1 = {
    page = "2 MB", entries = 16, scope = "gpu", miss = "27 clocks",
  },
  tlb_l2 = {
    page = "2 MB", set_sizes = { 17, 8, 8, 8, 8, 8, 8 }, scope = "gpu",
    miss = "111 clocks", miss_dram = "606 clocks",
  },
  texture_tlb_l1 = { page = "512 KB", entries = 16, scope = "tpc", miss = "47 clocks" },
  texture_tlb_l2 = { page = "4 KB", entries = 4096, ways = 8, scope = "gpu", miss = "256 clocks" },
  page_window = { size = "512 MB", latency = "629 clocks" },
  interconnect = { offsets = { 4.5 }, slice_bits = { {9, 13} }, distances = { { 0, 12.5 } } },
  constant_l1 = {
    capacity = "2 KB", line = "64 B", ways = 4, scope = "sm", latency = "32 clocks",
  },
  constant_l2 = {
    capacity = "8 KB", line = "256 B", ways = 4, scope = "tpc", latency = "40 clocks",
    policy = "weighted", way_probability = { 1/6, 1/2, 1/6, 1/6 },
  },
  constant_l3 = {
    capacity = "32 KB", line = "256 B", ways = 8, scope = "gpu", latency = "44 clocks",
    policy = "plru", bandwidth = 9.75, bandwidth_per_sm = 1.2,
  },
  instruction = { fetch = "64 B", bytes = "8 B", prefetch = "256 B", latency = "476 clocks", bandwidth = 2.5 },
  instruction_l1 = {
    capacity = "4 KB", line = "256 B", ways = 4, scope = "sm", latency = "0 clocks",
  },
  instruction_l2 = { same_as = "constant_l2", latency = "81 clocks" },
  instruction_l3 = { same_as = "constant_l3", latency = "220 clocks" },
  texture = { latency = "600 clocks", l2_latency = "470 clocks" },
  texture_l1 = {
    capacity = "12 KB", line = "32 B", ways = 96, set_bits = { 7, 8 }, scope = "sm",
    latency = "240 clocks",
  },
  texture_l2 = {
    capacity = "256 KB", line = "256 B", ways = 8, scope = "gpu", latency = "371 clocks",
    set_bits = { {8, 15}, {9, 16}, {10, 17}, {11, 18}, {12, 19}, {13, 20}, {14, 21} },
  },
  memory_queue = { coalesced = "4 clocks", uncoalesced = "10 clocks", bandwidth = 56.9, line = "128 B", returned = 64 },
  l2_partitions = { side_bits = { 14 }, sides = { 1 }, extra = { 0, 200, 210, 5 }, far_hit = "copy", bandwidth = 640 },
  tlb_l3 = { page = "32 MB", entries = 8, scope = "gpc", miss = "700 clocks" },
  texture_tlb_l3 = { page = "32 MB", entries = 8, scope = "gpc", miss = "700 clocks" },
  cluster = {
    most = 8, latency = "180 clocks", positions = { 0, 4.5 }, pairs = "last", own = "30 clocks", atomic = "7 clocks",
    bandwidth = 20.5, request = "1.5 clocks", store_bandwidth = 30, store_request = "2 clocks",
    barrier = "190 clocks", barrier_steps = { 0, 1.5 }, release_steps = { 3 },
    release = "660 clocks",
  },
  wgmma = { column = "0.5 clocks", shared_bandwidth = 128, latency = "32 clocks" },
  async_copy = { extra = "19 clocks" },
  bulk_copy = {
    latency = "300 clocks", bandwidth = 100, store_latency = "40 clocks", store_bandwidth = 32,
    interval = "18.5 clocks",
  },
  mbarrier = { arrive = "31 clocks", test = "36 clocks" },
  atomics = { request = "1.5 clocks", lane = "2 clocks", address = "1.5 clocks" },
  tenant = { duty = 0.5, burst = "5000 clocks", slice = "2000 clocks" },
  launch = { overhead = "3 us" },
  l2_slices = { count = 2, bandwidth = 48, distances = { -3, 4.5 } },
  store_buffer = { entries = 64, interval = "1.5 clocks" },
}
)";

std::string replaced(std::string text, const std::string& what, const std::string& with) {
  const std::size_t at = text.find(what);
  REQUIRE_MESSAGE(at != std::string::npos, what);
  return text.replace(at, what.size(), with);
}

// "line: message" of each mistake.
std::vector<std::string> mistakes(const std::string& text) {
  const auto device = parse_description("my.lua", text);
  if (device) return {};
  CHECK(device.error().fault == Fault::input);
  std::vector<std::string> result;
  for (const Diagnostic& diagnostic : device.error().diagnostics) {
    REQUIRE(diagnostic.location);
    CHECK(diagnostic.location->file == "my.lua");
    result.push_back(fmt::format("{}: {}", diagnostic.location->line, diagnostic.message));
  }
  return result;
}

}  // namespace

TEST_CASE("a device file with every field is read into base units") {
  const auto device = parse_description("my.lua", kWhole);
  REQUIRE(device);
  CHECK(device->name == "whole");
  CHECK(device->clock_hz == 1e9);
  CHECK(device->memory_bytes == std::uint64_t{4} << 30);
  CHECK(device->sm.shared_bytes == 48 * 1024);
  CHECK(device->ops.at("mul.lo").latency == 18);
  CHECK(device->loads_per_warp == 3);
  CHECK(device->sm.issue_interval == 2);
  REQUIRE(device->memory_queue);
  CHECK(device->memory_queue->uncoalesced == 10);
  CHECK(device->memory_queue->bandwidth == 56.9);
  CHECK(device->memory_queue->line == 128);
  CHECK(device->memory_queue->returned == 64);
  CHECK(device->launch_overhead == 3000);
  CHECK(device->slices->distances == std::vector<double>{-3, 4.5});
  CHECK(device->store_buffer->interval == 1.5);
  CHECK(device->partitions->bandwidth == 640);
  CHECK(device->dram.write_departure == 3.5);
  CHECK(device->dram.turn == 0.5);
  CHECK(device->barrier.queue == 4);
  CHECK(device->instruction->bandwidth == 2.5);
  CHECK(device->lsu.clocks_per_lane == 0.5);
  CHECK(device->mshr->entries == 128);
  CHECK(device->mshr->merges == 8);
  CHECK_FALSE(device->prt);
  CHECK(device->l1->capacity == 16 * 1024);
  CHECK(device->l2->policy_settings == PolicySettings{{"insertion", {1}}});
  CHECK(device->dram.latency == doctest::Approx(570));  // ns at 1 GHz
  CHECK(device->clock_register.granularity == 2);
  CHECK(device->noise.outlier_probability == 0.5);
  CHECK(device->watchdog_instructions == 5000);
  CHECK(device->block_interval == 2.5);
  CHECK(device->sm.per_tpc == 2);
  CHECK(device->sm.late_gap == 0.5);
  CHECK(device->registers->of_block(86, 130) == 88 * 192);
  CHECK(device->execution.model == gpx::vgpu::exec::Model::independent);
  CHECK(device->execution.turn == 32);
  CHECK(device->barrier.per_warp == 0.5);
  CHECK(device->clock_register.domain == Description::ClockRegister::Domain::tpc);
}

TEST_CASE("a hierarchy is read: sizes of sets, bits of set numbers, probabilities, shared levels") {
  const auto read = parse_description("my.lua", kWhole);
  REQUIRE(read);
  const Description& device = *read;
  const auto& tlb = device.translation.tlb;
  CHECK(tlb[0]->lines() == 16);
  CHECK(tlb[0]->ways == 16);  // fully associative
  CHECK(tlb[1]->set_sizes == std::vector<std::uint32_t>{17, 8, 8, 8, 8, 8, 8});
  CHECK(tlb[1]->lines() == 65);
  CHECK(tlb[1]->scope == Description::Scope::gpu);
  CHECK(tlb[1]->miss_dram == 606);
  CHECK(tlb[0]->miss_dram < 0);
  CHECK(tlb[2]->scope == Description::Scope::gpc);
  CHECK(device.texture_translation.tlb[1]->sets() == 512);
  CHECK(device.page_window.bytes == 512 << 20);
  CHECK(device.interconnect_offsets == std::vector<double>{4.5});
  CHECK(device.slice_bits == std::vector<std::uint64_t>{1 << 9 | 1 << 13});
  CHECK(device.slice_distances == std::vector<std::vector<double>>{{0, 12.5}});
  CHECK(device.l2->side_bits == 1 << 14);
  REQUIRE(device.partitions);
  CHECK(device.partitions->sides == std::vector<std::uint32_t>{1});
  CHECK(device.partitions->extra == std::array<double, 4>{0, 200, 210, 5});
  CHECK(device.partitions->copies);
  CHECK(device.constant.level[1]->shape().list("way_probability").size() == 4);
  CHECK(device.constant.level[2]->policy == "plru");
  CHECK(device.instruction->level[1]->capacity == 8 * 1024);
  CHECK(device.instruction->level[1]->latency == 81);
  CHECK(device.constant.level[1]->latency == 40);
  CHECK(device.instruction->same_as == std::array<int, 3>{-1, 1, 2});
  CHECK(device.texture->level[0]->set_bits == std::vector<std::uint64_t>{1 << 7, 1 << 8});
  CHECK(device.texture->level[1]->set_bits[1] == (1 << 9 | 1 << 16));
  CHECK(*device.texture->l2_latency == 470);
}

TEST_CASE("a device without mshr and prt has no such limit, nor other optional sections") {
  std::string text = kWhole;
  for (const char* section :
       {"scoreboard = { loads_per_warp = 3 },", "noise", "watchdog", "block_scheduler"}) {
    const std::size_t begin = text.find(section);
    text.erase(begin, text.find('\n', begin) - begin);
  }
  text = replaced(text, "mshr = {\n    entries = 128,\n    merges = 8,\n  },", "");
  const std::size_t l1 = text.find("l1 = {");
  text.erase(l1, text.find("},", l1) + 2 - l1);
  const auto device = parse_description("my.lua", text);
  REQUIRE(device);
  CHECK_FALSE(device->mshr);
  CHECK_FALSE(device->prt);
  CHECK_FALSE(device->l1);
  CHECK(device->loads_per_warp == 0);
  CHECK(device->noise.jitter == 0);
  CHECK(device->watchdog_instructions == 1'000'000'000);
}

TEST_CASE("each bad value is reported with its line, by name") {
  struct Row {
    const char* good;
    const char* bad;
    const char* mistake;
  };
  const Row rows[] = {
      {"name = \"whole\"", "name = 7", "2: \"name\" is a text, not the number 7"},
      {"name = \"whole\"", "name = \"\"", "2: \"name\" is a text, not \"\""},
      {"name = \"whole\"", "name = \"a b\"", "2: \"name\" is a word: no spaces, quotes or slashes"},
      {"title = \"every field\"", "title = false", "2: \"title\" is a text, not false"},
      {"clock = \"1 GHz\"", "clock = 706",
       "3: \"clock\" is a frequency, such as \"706 MHz\", not the number 706"},
      {"clock = \"1 GHz\"", "clock = \"706\"",
       "3: \"clock\": \"706\" lacks its unit: one of Hz, kHz, MHz, GHz"},
      {"clock = \"1 GHz\"", "clock = \"706 KB\"",
       "3: \"clock\": the unit \"KB\" does not fit here: one of Hz, kHz, MHz, GHz"},
      {"clock = \"1 GHz\"", "clock = \"fast\"",
       "3: \"clock\": \"fast\" does not begin with a number"},
      {"clock = \"1 GHz\"", "clock = \"0 GHz\"", "3: \"clock\" is 0 Hz, outside 1 MHz to 100 GHz"},
      {"\"3.5\"", "\"3,5\"",
       "4: \"compute_capability\" is \"3,5\", not two numbers such as \"3.5\""},
      {"\"3.5\"", "3.5", "4: \"compute_capability\" is a text, not the number 3.5"},
      {"memory = \"4 GB\"", "memory = \"4 B\"", "5: \"memory\" is 4 B, outside 1 MB to 16384 GB"},
      {"count = 2", "count = 0", "7: \"sm.count\" is 0, outside 1 to 1023"},
      {"count = 2", "count = 2.5", "7: \"sm.count\" is a whole number, not the number 2.5"},
      {"count = 2", "count = \"2\"", "7: \"sm.count\" is a whole number, not \"2\""},
      {"count = 2", "count = {2, source = 3}",
       "7: next to its value, \"sm.count\" can have source = \"...\" or assumed = \"...\", not "
       "\"source\""},
      {"count = 2", "count = {2, 3}", "7: \"sm.count\" is one value, not a table"},
      {"warp_slots = 64", "warp_slots = 0", "8: \"sm.warp_slots\" is 0, outside 1 to 256"},
      {"warp_slots = 64", "warp_slots = 16",
       "10: a block of 1024 threads does not fit into 16 warp slots of 32 threads"},
      {"block_slots = 16", "block_slots = -1", "9: \"sm.block_slots\" is -1, outside 1 to 256"},
      {"max_threads_per_block = 1024", "max_threads_per_block = 4096",
       "10: a block of 4096 threads does not fit into 64 warp slots of 32 threads"},
      {"max_threads_per_block = 1024", "max_threads_per_block = 0",
       "10: \"sm.max_threads_per_block\" is 0, outside 1 to 8192"},
      {"schedulers = 4", "schedulers = 0", "11: \"sm.schedulers\" is 0, outside 1 to 32"},
      {"shared = \"48 KB\"", "shared = \"48 clocks\"",
       "12: \"sm.shared\": the unit \"clocks\" does not fit here: one of B, KB, MB, GB"},
      {"alu = { latency = \"9 clocks\"", "alu = { latency = 9",
       "15: \"op.alu.latency\" is a time, such as \"230 clocks\" or \"12 ns\", not the number 9"},
      {"alu = { latency = \"9 clocks\"", "alu = { latency = \"0 clocks\"",
       "15: \"op.alu.latency\" is 0 clocks, outside 1 clock to 1000000 clocks"},
      {"alu = { latency = \"9 clocks\", interval = \"1 clock\" }",
       "alu = { latency = \"9 clocks\" }", "15: \"op.alu.interval\" is missing"},
      {"alu = { latency", "alu = { delay = 1, latency", "15: field \"op.alu.delay\" is not known"},
      {"alu = { latency = \"9 clocks\", interval = \"1 clock\" }", "alu = 9",
       "15: \"op.alu\" is a table with latency and interval, not the number 9"},
      {"[\"mul.lo\"]", "[\"mul.low\"]", "20: unit or instruction \"op.mul.low\" is not known"},
      {"loads_per_warp = 3", "loads_per_warp = 0",
       "22: \"scoreboard.loads_per_warp\" is 0, outside 1 to 1024"},
      {"coalescer = { line = \"128 B\" }", "coalescer = { line = \"100 B\" }",
       "23: \"coalescer.line\" is 100 B, not a power of two"},
      {"coalescer = { line = \"128 B\" }", "coalescer = 128",
       "23: \"coalescer\" is a table of fields, not the number 128"},
      {"pipelines = 3", "pipelines = 0", "25: \"lsu.pipelines\" is 0, outside 1 to 64"},
      {"clocks_per_load = 6", "clocks_per_load = \"6 clocks\"",
       "26: \"lsu.clocks_per_load\" is a number, not \"6 clocks\""},
      {"clocks_per_load = 6", "clocks_per_load = 0/0",
       "26: \"lsu.clocks_per_load\" is a number, not the number "},
      {"clocks_per_lane = 0.5", "clocks_per_lane = -0.5",
       "27: \"lsu.clocks_per_lane\" is -0.5, outside 0 to 1000"},
      {"writeback_per_lane = 0.5", "writeback_per_lane = 1001",
       "28: \"lsu.writeback_per_lane\" is 1001, outside 0 to 1000"},
      {"entries = 128", "entries = 0", "31: \"mshr.entries\" is 0, outside 1 to 65536"},
      {"entries = 128", "entires = 128", "31: field \"mshr.entires\" is not known"},
      {"merges = 8", "merges = 0", "32: \"mshr.merges\" is 0, outside 1 to 1024"},
      {"mshr = {\n    entries = 128,\n    merges = 8,\n  }", "prt = { entries = 0 }",
       "30: \"prt.entries\" is 0, outside 1 to 65536"},
      {"mshr = {\n    entries = 128,\n    merges = 8,\n  }",
       "prt = { entries = 1, overflow_requests = -1 }",
       "30: \"prt.overflow_requests\" is -1, outside 0 to 65536"},
      {"mshr = {", "prt = { entries = 42 }, mshr = {",
       "30: a device has \"mshr\" or \"prt\", not both"},
      {"capacity = \"16 KB\"", "capacity = \"16.3 KB\"",
       "35: \"l1.capacity\" is 16.3 KB, not a whole number of bytes"},
      {"capacity = \"16 KB\"", "capacity = \"16500 B\"",
       "35: \"l1.capacity\" is 16500 B, not a multiple of line times ways (512 B)"},
      {"line = \"128 B\",\n    ways = 4", "line = \"64 B\",\n    ways = 4",
       "36: \"l1.line\" is 64 B, smaller than coalescer.line (128 B)"},
      {"ways = 4", "ways = 0", "37: \"l1.ways\" is 0, outside 1 to 4096"},
      {"latency = \"100 clocks\"", "latency = \"5 clocks\"",
       "38: \"l1.latency\" is 5 clocks, not more than what lsu takes for one lane (8 clocks)"},
      {"insertion = \"mru\"", "insertion = \"fifo\"",
       "39: \"l1.insertion\" is \"mru\" or \"lru\", not \"fifo\""},
      {"capacity = \"768 KB\"", "capacity = \"1001 KB\"",
       "42: \"l2.capacity\" is 1025024 B, not a multiple of line times ways (2048 B)"},
      {"capacity = \"768 KB\"", "capacity = \"1 GB\"",
       "42: \"l2.capacity\" makes 8388608 lines over the device; the most is 4000000"},
      {"line = \"128 B\",\n    ways = 16", "line = \"96 B\",\n    ways = 16",
       "43: \"l2.line\" is 96 B, not a power of two"},
      {"line = \"128 B\",\n    ways = 16", "line = \"64 B\",\n    ways = 16",
       "43: \"l2.line\" is 64 B, smaller than coalescer.line (128 B)"},
      {"ways = 16", "ways = true", "44: \"l2.ways\" is a whole number, not true"},
      {"latency = \"371 clocks\"", "latency = \"100 clocks\"",
       "45: \"l2.latency\" is 100 clocks, not more than l1.latency (100 clocks)"},
      {"latency = \"371 clocks\"", "latency = \"371\"",
       "45: \"l2.latency\": \"371\" lacks its unit: one of clocks, ns, us"},
      {"insertion = \"lru\"", "insertion = 1", "46: \"l2.insertion\" is a word, not the number 1"},
      {"latency = \"570 ns\"", "latency = \"0.1 us\"",
       "49: \"dram.latency\" is 100 clocks, not more than l2.latency (371 clocks)"},
      {"departure = \"0.98 clocks\"", "departure = \"-1 clocks\"",
       "50: \"dram.departure\" is -1 clocks, outside 0 clocks to 1000000000 clocks"},
      {"departure = \"0.98 clocks\"", "refresh = \"500 clocks\", refresh_every = \"400 clocks\"",
       "50: \"dram.refresh_every\" is 400 clocks, not more than dram.refresh (500 clocks)"},
      {"departure = \"0.98 clocks\"", "refresh = \"900 clocks\", refresh_every = \"1000 clocks\"",
       "50: \"dram.refresh\" is 405 clocks of the 570 clocks of dram.latency in the mean; the rest "
       "is "
       "not more than l2.latency (371 clocks)"},
      {"shared = { latency = \"27 clocks\" }", "shared = { latency = \"0 clocks\" }",
       "52: \"shared.latency\" is 0 clocks, outside 1 clock to 1000000000 clocks"},
      {"constant = { latency = \"48 clocks\" }", "constant = {}",
       "53: \"constant.latency\" is missing"},
      {"barrier = { latency = \"20 clocks\"", "barrier = { latency = \"20 MHz\"",
       "54: \"barrier.latency\": the unit \"MHz\" does not fit here: one of clocks, ns, us"},
      {"cost = \"22 clocks\"", "cost = nil", "55: \"clock_register.cost\" is missing"},
      {"granularity = \"2 clocks\"", "granularity = \"0 clocks\"",
       "55: \"clock_register.granularity\" is 0 clocks, outside 1 clock to 1000000000 clocks"},
      {"jitter = \"2 clocks\"", "jitter = \"-2 clocks\"",
       "56: \"noise.jitter\" is -2 clocks, outside 0 clocks to 1000000 clocks"},
      {"outlier_probability = 0.5", "outlier_probability = 2",
       "56: \"noise.outlier_probability\" is 2, outside 0 to 1"},
      {", outlier = \"60 clocks\"", "",
       "56: \"noise.outlier_probability\" needs \"noise.outlier\", too"},
      {"outlier = \"60 clocks\"", "outlier = \"2000000 clocks\"",
       "56: \"noise.outlier\" is 2000000 clocks, outside 0 clocks to 1000000 clocks"},
      {"instructions = 5000", "instructions = 0",
       "57: \"watchdog.instructions\" is 0, outside 1 to 1e+15"},
      {"interval = \"2.5 clocks\"", "interval = 2.5",
       "58: \"block_scheduler.interval\" is a time, such as \"230 clocks\" or \"12 ns\", not the "
       "number 2.5"},
      {"[\"mul.lo\"]", "[\"mul.lo.f32\"]",
       "20: unit or instruction \"op.mul.lo.f32\" is not known"},
      {"[\"mul.lo\"]", "[\"bar.sync\"]", "20: unit or instruction \"op.bar.sync\" is not known"},
      {"per_tpc = 2", "per_tpc = 0", "12: \"sm.per_tpc\" is 0, outside 1 to 1023"},
      {"domain = \"tpc\"", "domain = \"block\"",
       "55: \"clock_register.domain\" is \"sm\" or \"tpc\" or \"gpu\", not \"block\""},
      {"model = \"independent\"", "model = \"volta\"",
       "60: \"execution.model\" is \"stack\" or \"independent\", not \"volta\""},
      {"watchdog = {", "wachdog = {", "57: field \"wachdog\" is not known"},
      {"capacity = \"16 KB\",", "", "34: \"l1.capacity\" is missing"},
      {"capacity = \"16 KB\",", "set_sizes = {4, 3},",
       "35: \"l1.set_sizes\" takes the place of capacity and ways"},
      {"insertion = \"mru\"", "policy = \"weighted\"",
       "39: the policy weighted needs \"l1.way_probability\""},
      {"insertion = \"mru\"", "policy = \"fifo\", way_probability = {0.5, 0.5}",
       "39: \"l1.way_probability\" is for the policy weighted"},
      {"insertion = \"mru\"", "policy = \"weighted\", way_probability = {0.5, 0.5}",
       "39: \"l1.way_probability\" has 2 values for 4 ways"},
      {"insertion = \"mru\"", "policy = \"weighted\", way_probability = {0.5, 0.1, 0.1, 0.1}",
       "39: the values of \"l1.way_probability\" add up to 0.8, not 1"},
      {"insertion = \"mru\"", "policy = \"weighted\", way_probability = {1, 1, -1, 0}",
       "39: \"l1.way_probability\" has -1, outside 0 to 1"},
      {"insertion = \"mru\"", "policy = \"fifo\", insertion = \"lru\"",
       "39: \"l1.insertion\" is for the policy lru"},
      {"insertion = \"mru\"", "policy = \"srrip\", rrpv_bits = 3, rrpv_insertion = 8",
       "39: \"l1.rrpv_insertion\" is 8, more than the largest RRPV of 3 bits (7)"},
      {"insertion = \"mru\"", "policy = \"lru\", rrpv_bits = 3",
       "39: \"l1.rrpv_bits\" is for the policy srrip"},
      {"insertion = \"mru\"", "policy = \"qlru\", qlru_update = \"U2\"",
       "39: \"l1.qlru_update\" may leave a set without a line of age 3: U2 and U3 need "
       "\"l1.qlru_replacement\" R1"},
      {"insertion = \"mru\"", "policy = \"qlru\", qlru_hit = \"H12\"",
       "39: \"l1.qlru_hit\" is \"H11\" or \"H00\" or \"H10\" or \"H20\" or \"H21\", not \"H12\""},
      {"insertion = \"mru\"", "qlru_insertion = \"M2\"",
       "39: \"l1.qlru_insertion\" is for the policy qlru"},
      {"insertion = \"mru\"", "set_choice = \"modulo\"",
       "39: \"l1.set_choice\" needs \"l1.set_bits\""},
      {"insertion = \"mru\"", "set_choice = \"modulo\", set_bits = {7, 8, 9}",
       "39: \"l1.set_bits\" has 3 bits for 32 sets"},
      {"extra = { 0, 200, 210, 5 }", "extra = { 0, 200, 210 }",
       "99: \"l2_partitions.extra\" has 3 values, not 4"},
      {"side_bits = { 14 }", "side_bits = { 6 }",
       "99: \"l2_partitions.side_bits\" has bit 6, which lies inside a line of 128 B"},
      {"sides = { 1 }", "sides = { 1, 0 }", "99: \"l2_partitions.sides\" has 2 values for 1 TPCs"},
      {"turn = \"0.5 clocks\"", "row = \"512 B\"",
       "50: \"dram.row\" and \"dram.activate\" need each other"},
      {"turn = \"0.5 clocks\"", "activate = \"1 clocks\"",
       "50: \"dram.row\" and \"dram.activate\" need each other"},
      {"turn = \"0.5 clocks\"", "row = \"500 B\", activate = \"1 clocks\"",
       "50: \"dram.row\" is 500 B, not a power of two"},
      {"turn = \"0.5 clocks\"", "row = \"128 B\", activate = \"2 clocks\"",
       "50: \"dram.activate\" is 2 clocks for 128 B, 2 clocks of each fill: more than "
       "dram.departure"},
      {"turn = \"0.5 clocks\"", "bank = \"50 clocks\"", "50: \"dram.bank\" needs \"dram.banks\""},
      {"turn = \"0.5 clocks\"", "gather = 8", "50: \"dram.gather\" needs \"dram.banks\""},
      {"turn = \"0.5 clocks\"", "banks = 0", "50: \"dram.banks\" is 0, outside 1 to 65536"},
      {"overhead = \"3 us\"", "overhead = \"3 us\", after_accesses = \"4 us\"",
       "117: \"launch.after_accesses\" is 4000 clocks, more than launch.overhead (3000 clocks)"},
      {"overhead = \"3 us\"", "overhead = \"3 us\", drains = \"1 us\"",
       "117: field \"launch.drains\" is not known"},
      {"insertion = \"lru\"", "part_stores = \"filled\"",
       "46: \"l2.part_stores\" needs \"l2.sector\""},
      {"turn = \"0.5 clocks\"", "rows = \"512 B\", activate = \"1 clocks\"",
       "50: field \"dram.rows\" is not known"},
      {"far_hit = \"copy\"", "far_hit = \"line\"",
       "99: \"l2_partitions.far_hit\" is \"nothing\" or \"copy\" or \"kept\", not \"line\""},
      {"capacity = \"768 KB\"", "capacity = \"770 KB\"",
       "42: \"l2\" has 385 sets, which make no two partitions"},
      {"slice_bits = { {9, 13} }, ", "",
       "71: \"interconnect.slice_bits\" and \"interconnect.distances\" belong together"},
      {"distances = { { 0, 12.5 } }", "distances = { {0, 1}, {1, 0} }",
       "71: \"interconnect.distances\" has 2 lists for 1 TPCs"},
      {"distances = { { 0, 12.5 } }", "distances = { {0, 1, 2} }",
       "71: \"interconnect.slice_bits\" has 1 bits for 3 slices"},
      {"insertion = \"mru\"", "texture_extra = \"15 clocks\"",
       "39: \"l1.texture_extra\" reads textures through L1: there is no section \"texture\" then"},
      {"insertion = \"mru\"", "set_bits = {7, 8}", "39: \"l1.set_bits\" has 2 bits for 32 sets"},
      {"insertion = \"mru\"", "set_bits = {6, 7, 8, 9, 10}",
       "39: \"l1.set_bits\" has bit 6, which lies inside a line of 128 B"},
      {"insertion = \"mru\"", "set_bits = 7",
       "39: \"l1.set_bits\" is a list of address bits, such as { 7, 8 } or { {7, 13}, {8, 14} }, "
       "not the number 7"},
      {"insertion = \"mru\"", "set_bits = {7, what = 1}",
       "39: next to its values, \"l1.set_bits\" can have source = \"...\" or assumed = \"...\", "
       "not \"what\""},
      {"insertion = \"mru\"", "sector = \"48 B\"", "39: \"l1.sector\" is 48 B, not a power of two"},
      {"insertion = \"mru\"", "sector = \"64 B\"",
       "39: \"l1.sector\" is 64 B, outside coalescer.line (128 B) to the line (128 B)"},
      {"ways = 16,\n    latency", "ways = 3,\n    policy = \"plru\",\n    latency",
       "45: \"l2.policy\" is plru: a set has 1, 2, 4, ... 64 ways, not 3"},
      {"entries = 16, scope = \"gpu\"", "entries = 16, ways = 5, scope = \"gpu\"",
       "62: \"tlb_l1.entries\" is 16, not a multiple of ways (5)"},
      {"scope = \"gpu\", miss = \"27", "scope = \"device\", miss = \"27",
       "62: \"tlb_l1.scope\" is \"sm\" or \"tpc\" or \"gpc\" or \"gpu\", not \"device\""},
      {"{ 17, 8, 8, 8, 8, 8, 8 }", "{ 17, 8.5 }",
       "65: \"tlb_l2.set_sizes\" is a list of whole numbers, such as { 17, 8, 8 }, not that table"},
      {"  tlb_l1 = {", "  tlb_x = {", "61: field \"tlb_x\" is not known"},
      {"  tlb_l1 = {", "  noise2 = nil, tlb_x = {", "64: \"tlb_l2\" needs \"tlb_l1\" before it"},
      {"line = \"128 B\", returned", "line = \"96 B\", returned",
       "98: \"memory_queue.line\" is 96 B, not a power of two"},
      {"line = \"128 B\", returned", "line = \"64 B\", returned",
       "98: \"memory_queue.line\" is 64 B, less than coalescer.line (128 B)"},
      {"distances = { -3, 4.5 }", "distances = { 4.5 }",
       "118: \"l2_slices.distances\" has 1 values for 2 slices"},
      {"offsets = { 4.5 }", "offsets = { 4.5, -3 }",
       "71: \"interconnect.offsets\" has 2 values for 1 TPCs"},
      {"offsets = { 4.5 }", "offsets = { -364 }",
       "71: \"interconnect.offsets\" has -364, more than the 363 clocks of an access that leaves "
       "the TPC"},
      {"latency = \"40 clocks\",", "latency = \"32 clocks\",",
       "76: \"constant_l2.latency\" is 32 clocks, not more than constant_l1.latency (32 clocks)"},
      {"same_as = \"constant_l2\"", "same_as = \"constant_l2\", ways = 4",
       "87: \"instruction_l2.ways\" is given by constant_l2, which \"instruction_l2\" is"},
      {"same_as = \"constant_l2\", latency", "latency", "87: \"instruction_l2.line\" is missing"},
      {"fetch = \"64 B\"", "fetch = \"60 B\"",
       "83: \"instruction.fetch\" is 60 B, not a power of two"},
      {"  texture = {", "  textures = {", "90: \"texture_l1\" needs \"texture\""},
  };
  for (const Row& row : rows) {
    CAPTURE(std::string(row.bad));
    const auto found = mistakes(replaced(kWhole, row.good, row.bad));
    REQUIRE_FALSE(found.empty());
    CHECK_MESSAGE(
        std::any_of(found.begin(), found.end(),
                    [&](const std::string& line) { return line.starts_with(row.mistake); }),
        fmt::format("{}", fmt::join(found, "\n")));
  }
}

TEST_CASE("l1_splits: a division of L1 and shared memory that is none is an error") {
  const auto found = [](const std::string& shared, const std::string& l1) {
    const std::string text = replaced(kWhole, "shared = { latency = \"27 clocks\" }",
                                      "shared = { latency = \"27 clocks\"" + shared + " }");
    return fmt::format(
        "{}",
        fmt::join(mistakes(replaced(text, "capacity = \"16 KB\",", l1 + " capacity = \"16 KB\",")),
                  "\n"));
  };
  const std::string splits = ", splits = { 16384, 49152 }";
  CHECK(found(splits, "unified = \"64 KB\",") == "");
  CHECK(found("", "unified = \"64 KB\",").find("\"l1.unified\" needs \"shared.splits\"") !=
        std::string::npos);
  CHECK(found(", splits = { 16384 }", "unified = \"64 KB\",")
            .find("the largest of \"shared.splits\" is 16384 B, but an SM has 49152 B") !=
        std::string::npos);
  CHECK(found(splits, "unified = \"48 KB\",").find("no line of L1 is left") != std::string::npos);
}

TEST_CASE("each required field that is left out is reported by its name") {
  for (const Field& field : fields()) {
    if (field.need == Need::optional) continue;
    const std::string path(field.path);
    const std::size_t dot = path.find('.');
    const std::string section = dot == std::string::npos ? "" : path.substr(0, dot);
    if (section == "prt") continue;  // the file has the mshr
    CAPTURE(path);
    std::string text = kWhole;
    const std::size_t from = section.empty() ? 0 : text.find("\n  " + section + " = {");
    REQUIRE(from != std::string::npos);
    const std::string name = path.substr(dot + 1);
    std::size_t at = text.find(" " + name + " = ", from);
    REQUIRE(at != std::string::npos);
    text.replace(at + 1, name.size(), "x.y = nil --[[");  // not Lua: must not pass by accident
    CHECK_FALSE(mistakes(text).empty());
    text = kWhole;
    std::size_t end = at;
    if (text[at + name.size() + 4] == '{') end = text.find('}', at) + 1;  // a list
    while (text[end] != ',' && text[end] != '}' && text[end] != '\n') ++end;
    text.erase(at, end - at + (text[end] == ',' ? 1 : 0));
    const auto found = mistakes(text);
    REQUIRE_FALSE(found.empty());
    CHECK_MESSAGE(std::any_of(found.begin(), found.end(),
                              [&](const std::string& line) {
                                return line.ends_with(": \"" + path + "\" is missing");
                              }),
                  fmt::format("{}", fmt::join(found, "\n")));
  }
}

TEST_CASE("all mistakes of a file are reported at once, in the order of the text") {
  std::string text = replaced(kWhole, "clock = \"1 GHz\"", "clock = \"1 GB\"");
  text = replaced(text, "entries = 128", "entries = 0");
  text = replaced(text, "ways = 16", "wasy = 16");
  CHECK(mistakes(text) ==
        std::vector<std::string>{
            "3: \"clock\": the unit \"GB\" does not fit here: one of Hz, kHz, MHz, GHz",
            "31: \"mshr.entries\" is 0, outside 1 to 65536",
            "41: \"l2.ways\" is missing",
            "44: field \"l2.wasy\" is not known",
        });
}

TEST_CASE("a misspelt field gets the nearest name as a hint") {
  const auto device =
      parse_description("my.lua", replaced(kWhole, "entries = 128", "entires = 128"));
  REQUIRE_FALSE(device);
  bool hinted = false;
  for (const Diagnostic& diagnostic : device.error().diagnostics)
    hinted |= diagnostic.hint == "did you mean \"entries\"?";
  CHECK(hinted);
}

TEST_CASE("what is not a table of Lua data is an error with its line, whatever it does") {
  struct Row {
    const char* text;
    const char* mistake;
  };
  const Row rows[] = {
      {"", "1: a device file returns a table, not nil"},
      {"return 7", "1: a device file returns a table, not number"},
      {"return {\n  name = = 3\n}", "2: unexpected symbol near '='"},
      {"\n\nlocal x = nil + 1", "3: attempt to perform arithmetic on a nil value"},
      {"\nwhile true do end", "2: it runs for more than 1000000 instructions"},
      {"return string.rep('x', 1000)", "1: attempt to index a nil value (global 'string')"},
      {"return require('os')", "1: attempt to call a nil value (global 'require')"},
      {"local s = 'x'\nwhile true do s = s .. s end", "1: not enough memory"},
      {"local t = {} t.t = t return t", "1: the table is nested deeper than 8"},
      {"\x1bLua", "1: attempt to load a binary chunk"},
      {"return {1, 2}", "1: a device file has named fields only"},
  };
  for (const Row& row : rows) {
    CAPTURE(std::string(row.text));
    const auto found = mistakes(row.text);
    REQUIRE_FALSE(found.empty());
    CHECK_MESSAGE(found[0].starts_with(row.mistake), found[0]);
  }
}

TEST_CASE("a device file may compute its values") {
  const std::string text =
      "local entries = 2 * 64\n" + replaced(kWhole, "entries = 128", "entries = entries");
  const auto device = parse_description("my.lua", text);
  REQUIRE(device);
  CHECK(device->mshr->entries == 128);
}

TEST_CASE("comments and long strings do not move the places of mistakes") {
  std::string text =
      replaced(kWhole, "entries = 128",
               "-- entries = { }, merges = 8 }\n --[[ entries = 1\n }]] entries = 0");
  CHECK(mistakes(text) ==
        std::vector<std::string>{"33: \"mshr.entries\" is 0, outside 1 to 65536"});
}

TEST_CASE(
    "the shipped devices are read, are named after their files, and give a source for each "
    "number") {
  for (const std::string name :
       {"k20", "m2070", "gtx280", "gtx560ti", "gtx780", "fig4", "fx5600", "8800gtx", "8800gt"}) {
    CAPTURE(name);
    const auto device =
        parse_description(GPX_SOURCE_DIR "/stdlib/devices/" + name + ".lua", shipped(name));
    if (!device) FAIL(render(device.error()));
    CHECK(device->name == name);
    CHECK_MESSAGE(device->without_source.empty(),
                  fmt::format("{}", fmt::join(device->without_source, " ")));
  }
}

TEST_CASE("a policy that is not known is told which ones are") {
  const auto device =
      parse_description("my.lua", replaced(kWhole, "insertion = \"mru\"", "policy = \"mru\""));
  REQUIRE_FALSE(device);
  const std::string message = render(device.error());
  for (const Policy* policy : policies())
    CHECK(message.find(fmt::format("\"{}\"", policy->name)) != std::string::npos);
}

TEST_CASE("a number without source or assumption is known as such") {
  const auto device = parse_description(
      "my.lua", replaced(kWhole, "entries = 128", "entries = {128, source = \"a paper\"}"));
  REQUIRE(device);
  const auto& bare = device->without_source;
  CHECK(std::find(bare.begin(), bare.end(), "mshr.entries") == bare.end());
  CHECK(std::find(bare.begin(), bare.end(), "mshr.merges") != bare.end());
}

TEST_CASE("the reference has each section, field and policy with type, range and meaning") {
  const std::string reference = gpx::vgpu::timing::field_reference();
  for (const Section& section : sections())
    CHECK_MESSAGE(reference.find("`" + section.name + "`") != std::string::npos, section.name);
  for (const Field& field : fields()) {
    const std::string row = "| `" + field.path.substr(field.path.find('.') + 1) + "` | ";
    CHECK_MESSAGE(reference.find(row) != std::string::npos, field.path);
    CHECK_MESSAGE(reference.find(field.help) != std::string::npos, field.path);
  }
  CHECK(reference.find("| `entries` | whole number | 1 to 65536 | required | lines that an SM may "
                       "have in flight |") != std::string::npos);
  CHECK(reference.find("| `srrip` | ") != std::string::npos);
}

TEST_CASE("the example in docs/devices.md is a device") {
  const std::string text = read_text(GPX_SOURCE_DIR "/docs/devices.md");
  constexpr std::string_view kFence = "```lua mine.lua\n";
  const std::size_t fence = text.find(kFence);
  REQUIRE(fence != std::string::npos);
  const std::size_t from = fence + kFence.size(), to = text.find("\n```\n", from);
  const auto device = parse_description("example.lua", text.substr(from, to - from));
  if (!device) FAIL(render(device.error()));
}
