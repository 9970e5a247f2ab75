// Clusters of the virtual GPU: addresses of other blocks' shared memory, registers that tell a
// block's place, the barrier, and where the blocks run.
#include "runtime/device/vgpu/timing/cluster.h"

#include <set>

#include "exec_support.h"
#include "runtime/device/vgpu/timing/block_scheduler.h"
#include "virtual_support.h"

using namespace gpx::vgpu;
using namespace gpx::vgpu::exec;
namespace ptx = gpx::ptx;

namespace {

/// A kernel `k(out)` of blocks of 32 threads in clusters; `o` is the address of this thread's word,
/// `s` the shared address of this thread's word of `own`.
std::string kernel(const std::string& body) {
  return ".version 9.0\n.target sm_90\n.address_size 64\n"
         ".visible .entry k(.param .u64 out) .explicitcluster {\n"
         ".reg .pred p; .reg .b32 t, a, b, c, r, n, s; .reg .b64 o, w, x;\n"
         ".shared .align 4 .b32 own[32];\n"
         "ld.param.u64 o, [out]; mov.u32 t, %ctaid.x; mov.u32 a, %tid.x;\n"
         "mad.lo.u32 t, t, 32, a; mad.wide.u32 o, t, 4, o;\n"
         "mov.u32 s, own; mad.lo.u32 s, a, 4, s; st.shared.u32 [s], t;\n"
         "mov.u32 r, %cluster_ctarank; mov.u32 n, %cluster_nctarank; mov.u32 a, 0;\n"
         "barrier.cluster.arrive.release.aligned; barrier.cluster.wait.acquire.aligned;\n" +
         body + "\nbarrier.cluster.arrive; barrier.cluster.wait; st.global.u32 [o], a; ret;\n}\n";
}

Grid clusters_of(std::uint32_t blocks, std::uint32_t size) {
  Grid grid = grid_of(blocks, 32);
  grid.cluster = {size, 1, 1};
  return grid;
}

std::vector<std::uint32_t> run(const std::string& body, std::uint32_t blocks, std::uint32_t size,
                               Model model) {
  Device device(kernel(body));
  device.model = model;
  auto out = device.buffer(std::vector<std::uint32_t>(blocks * 32));
  device.run("k", clusters_of(blocks, size), out);
  return device.read<std::uint32_t>(out, blocks * 32);
}

std::string trap_of(const std::string& body, Grid grid) {
  Device device(kernel(body));
  auto out = device.buffer(std::vector<std::uint32_t>(grid.blocks[0] * 32));
  auto report = device.launch("k", grid, out);
  return report ? "" : report.error().message;
}

// Of the next rank: (r + 1) mod n into b.
const char* kNext = "add.u32 b, r, 1; rem.u32 b, b, n;\n";

}  // namespace

TEST_CASE("each form of an address reaches the next block's memory") {
  const char* forms[] = {
      "mapa.shared::cluster.u32 c, s, b; ld.shared::cluster.u32 a, [c];",
      "cvt.u64.u32 w, s; mapa.shared::cluster.u64 w, w, b; ld.shared::cluster.u32 a, [w];",
      "cvt.u64.u32 w, s; cvta.shared.u64 w, w; mapa.u64 w, w, b; ld.u32 a, [w];",
      "mapa.shared::cluster.u32 c, s, b; cvt.u64.u32 w, c; cvta.shared.u64 w, w; ld.u32 a, [w];",
      "mapa.shared::cluster.u32 c, s, b; atom.shared::cluster.add.u32 a, [c], 1;",
  };
  for (const Model model : kModels)
    for (const char* form : forms) {
      CAPTURE(form);
      const auto out = run(std::string(kNext) + form, 8, 4, model);
      for (std::uint32_t t = 0; t < 8 * 32; ++t) {
        const std::uint32_t block = t / 32, next = block / 4 * 4 + (block + 1) % 4;
        CHECK(out[t] == next * 32 + t % 32);
      }
    }
}

TEST_CASE("what is stored in another block's memory is there behind the barrier") {
  const std::string body = std::string(kNext) +
                           "mapa.shared::cluster.u32 c, s, b; st.shared::cluster.u32 [c], r;\n"
                           "barrier.cluster.arrive; barrier.cluster.wait; ld.shared.u32 a, [s];";
  const auto out = run(body, 4, 4, Model::independent);
  for (std::uint32_t t = 0; t < 4 * 32; ++t) CHECK(out[t] == (t / 32 + 3) % 4);
}

TEST_CASE("registers tell the place of a block in its cluster, and of the cluster") {
  const auto value = [](const std::string& name) {
    return run("mov.u32 a, " + name + ";", 6, 2, Model::independent);
  };
  const struct {
    const char* name;
    std::uint32_t of_block[6];
  } rows[] = {{"%cluster_ctarank", {0, 1, 0, 1, 0, 1}},  {"%cluster_nctarank", {2, 2, 2, 2, 2, 2}},
              {"%cluster_ctaid.x", {0, 1, 0, 1, 0, 1}},  {"%cluster_nctaid.x", {2, 2, 2, 2, 2, 2}},
              {"%clusterid.x", {0, 0, 1, 1, 2, 2}},      {"%nclusterid.x", {3, 3, 3, 3, 3, 3}},
              {"%cluster_nctaid.y", {1, 1, 1, 1, 1, 1}}, {"%clusterid.z", {0, 0, 0, 0, 0, 0}}};
  for (const auto& row : rows) {
    CAPTURE(row.name);
    const auto out = value(row.name);
    for (std::uint32_t b = 0; b < 6; ++b) CHECK(out[b * 32] == row.of_block[b]);
  }
}

TEST_CASE("what has no meaning on a cluster traps") {
  CHECK(
      trap_of("mapa.shared::cluster.u32 c, s, 2; ld.shared::cluster.u32 a, [c];", clusters_of(2, 2))
          .find("there is no rank 2 in a cluster of 2") != std::string::npos);
  CHECK(trap_of(std::string(kNext) + "mapa.shared::cluster.u32 c, s, b; ld.shared.u32 a, [c];",
                clusters_of(2, 2))
            .find(".shared::cluster reaches it") != std::string::npos);
  CHECK(trap_of("", grid_of(2, 32)).find("the launch has no clusters") != std::string::npos);
  CHECK(trap_of("setp.eq.u32 p, r, 0; @p bar.sync 0, 64;", clusters_of(2, 2)).find("deadlock") !=
        std::string::npos);
}

TEST_CASE("arriving and waiting may lie apart, and a phase ends once for all") {
  const auto out =
      run("barrier.cluster.arrive.relaxed; add.u32 a, a, 5; barrier.cluster.wait;\n"
          "barrier.cluster.arrive; barrier.cluster.wait; add.u32 a, a, r;",
          4, 2, Model::independent);
  for (std::uint32_t t = 0; t < 4 * 32; ++t) CHECK(out[t] == 5 + t / 32 % 2);
}

TEST_CASE("the blocks of a cluster take an SM each where they can") {
  using timing::places_in_gpc;
  CHECK(places_in_gpc({2, 2, 2}, 2) == std::vector<unsigned>{0, 1});
  CHECK(places_in_gpc({0, 2, 2}, 2) == std::vector<unsigned>{1, 2});
  CHECK(places_in_gpc({2, 1, 0}, 3) == std::vector<unsigned>{0, 1, 0});
  CHECK(places_in_gpc({1, 1, 0}, 3).empty());
}

TEST_CASE("the blocks of a cluster take the emptiest SMs and TPCs") {
  using timing::places_in_gpc, timing::room_left;
  CHECK(places_in_gpc({1, 1, 2, 2, 2}, 2) == std::vector<unsigned>{2, 3});
  CHECK(places_in_gpc({2, 2, 1, 1}, 2, 2, true) == std::vector<unsigned>{0, 1});
  CHECK(places_in_gpc({2, 2, 1, 2}, 2, 2, true) == std::vector<unsigned>{0, 1});
  CHECK(places_in_gpc({2, 2, 2, 1}, 1, 2, true) == std::vector<unsigned>{0});
  CHECK(room_left({2, 5, 1}, {0, 1, 0}) == 0);
  CHECK(room_left({2, 5, 1}, {0, 1}) == 1);
}

TEST_CASE("clusters spread over the SMs of all GPCs as blocks do") {
  const auto gpu = gpx::vgpu::open_text(gpx::vgpu::device_text("hopper"));
  std::string ptx = gpx::vgpu::probe_ptx("  mov.u32 %r3, %smid;\n  cvt.u64.u32 %rd3, %r3;\n" +
                                         gpx::vgpu::store_row(512, "%rd3"));
  const auto sms = [&](std::uint32_t blocks, std::uint32_t cluster) {
    gpx::vgpu::Probe probe;
    probe.keep_row_each(blocks, 512);
    probe.launch().cluster = cluster;
    const gpx::Repetition run = probe.run_or_fail(*gpu, ptx);
    return std::set<std::uint64_t>(run.results.begin(), run.results.end()).size();
  };
  CHECK(sms(64, 0) == 64);
  CHECK(sms(64, 1) == 64);
  CHECK(sms(64, 2) == 64);
  CHECK(sms(132, 2) == 132);
  CHECK(sms(32, 4) == 32);
  CHECK(sms(64, 8) == 64);
}

TEST_CASE("a cluster that a TPC holds takes the first or the last one with room") {
  using timing::places_in_gpc;
  CHECK(places_in_gpc({1, 1, 1, 1}, 2, 2) == std::vector<unsigned>{0, 1});
  CHECK(places_in_gpc({1, 1, 1, 1}, 2, 2, true) == std::vector<unsigned>{2, 3});
  CHECK(places_in_gpc({1, 1, 1, 0}, 2, 2, true) == std::vector<unsigned>{0, 1});
  CHECK(places_in_gpc({1, 0, 0, 2}, 2, 2, true) == std::vector<unsigned>{0, 3});
  CHECK(places_in_gpc({1, 1, 1, 1}, 3, 2, true) == std::vector<unsigned>{0, 1, 2});
}

/// So many bytes of one row.
timing::NearMemory::Sent sent(unsigned bytes) {
  return {bytes, bytes, 1};
}

TEST_CASE("what a load takes is the sum of two places, and half clocks take turns") {
  timing::Description device;
  device.sm.count = 8, device.sm.per_tpc = 2, device.sm.per_gpc = 2;
  device.cluster.emplace();
  device.cluster->latency = 100, device.cluster->positions = {0, 1.5, 20};
  timing::ClusterNetwork network(device);
  const auto load = [&](unsigned from, unsigned to) {
    return network.access({from, to, sent(4), false, false}, 1000) - 1000;
  };
  CHECK(load(0, 1) == 101);
  CHECK(load(0, 1) == 102);
  CHECK(load(2, 3) == 140);
  CHECK(load(6, 7) == 140);  // Beyond the list; SM 4 is the first of its GPC.
  CHECK(load(4, 6) == 120);
}

TEST_CASE("a launch takes over neither parts of clocks nor accesses from the one before") {
  timing::Description device;
  device.sm.count = 2;
  device.cluster.emplace();
  device.cluster->latency = 100.5, device.cluster->bandwidth = 8;
  timing::ClusterNetwork network(device);
  const auto load = [&] { return network.access({0, 1, sent(128), false, false}, 1000); };
  const timing::Clk first = load(), second = load();
  CHECK(second == first + 16 + 1);
  network.start_launch();
  CHECK(load() == first);
  CHECK(load() == second);
}

TEST_CASE("an access takes its bytes and its request, stores their own") {
  timing::Description device;
  device.sm.count = 2;
  device.cluster.emplace();
  device.cluster->latency = 100;
  device.cluster->bandwidth = 16, device.cluster->request = 2;
  device.cluster->store_bandwidth = 32, device.cluster->store_request = 5;
  for (const bool store : {false, true}) {
    timing::ClusterNetwork network(device);
    const auto first = network.access({0, 1, sent(128), store, false}, 1000);
    CHECK(network.access({0, 1, sent(128), store, false}, 1000) == first + (store ? 9 : 10));
  }
}

TEST_CASE("a load takes the rows of the banks that it reads, a store what it stores") {
  timing::Description device;
  device.sm.count = 2;
  device.cluster.emplace();
  device.cluster->latency = 100, device.cluster->line = 3;
  device.cluster->bandwidth = device.cluster->store_bandwidth = 32;
  for (const bool store : {false, true}) {
    timing::ClusterNetwork network(device);
    const auto first = network.access({0, 1, {1024, 512, 32}, store, false}, 1000);
    CHECK(network.access({0, 1, {1024, 512, 32}, store, false}, 1000) ==
          first + (store ? 512 / 32 : 1024 / 32 + 3 * 32));
  }
}

TEST_CASE("costs go by the blocks of a cluster") {
  using timing::step_of;
  const std::vector<double> steps = {0, 1, 5};
  CHECK(step_of({}, 4) == 0);
  CHECK(step_of(steps, 1) == 0);
  CHECK(step_of(steps, 2) == 1);
  for (const std::size_t blocks : {3u, 4u, 8u, 16u}) CHECK(step_of(steps, blocks) == 5);
}

TEST_CASE("blocks are handed out cluster by cluster") {
  Grid grid = grid_of(4, 32);
  grid.blocks = {4, 2, 1};
  grid.cluster = {2, 2, 1};
  timing::BlockScheduler blocks(grid, 0);
  std::vector<std::uint64_t> numbers;
  while (!blocks.empty(0)) numbers.push_back(blocks.take(0).number);
  CHECK(numbers == std::vector<std::uint64_t>{0, 1, 4, 5, 2, 3, 6, 7});
}

TEST_CASE("the network keeps sender and receiver busy for the bytes that they move") {
  timing::Description device;
  device.sm.count = 8;
  device.sm.per_tpc = 2;
  device.cluster.emplace();
  device.cluster->latency = 100;
  device.cluster->positions = {0, 10, 20};
  device.cluster->own = 30;
  device.cluster->bandwidth = device.cluster->store_bandwidth = 8;
  timing::ClusterNetwork network(device);
  const auto load = [&](unsigned from, unsigned to, unsigned lanes, timing::Clk clk) {
    return network.access({from, to, sent(4 * lanes), false, false}, clk);
  };
  CHECK(load(0, 1, 1, 0) == 110);
  CHECK(load(2, 4, 1, 0) == 140);  // The last position stands for those beyond.
  CHECK(load(5, 5, 32, 0) == 30);  // Its own: over no network.
  CHECK(load(6, 0, 1, 0) == 120);
  CHECK(load(3, 7, 32, 1000) == 1000 + 140 + (128 - 32) / 8);
  CHECK(load(3, 7, 1, 1000) == 1016 + 140);  // Behind the 128 B before it.
  CHECK(network.access({1, 3, sent(128), true, false}, 2000) == 2000 + 130 + 12);
  CHECK(network.access({1, 0, sent(4), true, false}, 2000) == 2016 + 110);  // It sends one by one.
}

TEST_CASE(
    "an atomic on another block's memory keeps the network as a load and what comes back do") {
  timing::Description device;
  device.sm.count = 2;
  device.cluster.emplace();
  device.cluster->latency = 100;
  device.cluster->bandwidth = 8, device.cluster->request = 2;
  device.cluster->store_bandwidth = 16, device.cluster->store_request = 3;
  timing::ClusterNetwork network(device);
  CHECK(network.access({0, 1, sent(128), false, true}, 0) == 100 + 12);
  CHECK(network.access({0, 1, sent(4), false, false}, 0) == 2 + 16 + 8 + 100);

  // Lanes of one word, which the banks there do one by one: the next one waits for the later of
  // the banks and the network.
  timing::ClusterNetwork banks(device);
  CHECK(banks.access({0, 1, sent(128), false, true, 31}, 0) == 100 + 12 + 31);
  CHECK(banks.access({0, 1, sent(4), false, false}, 0) == 31 + 100);
}
