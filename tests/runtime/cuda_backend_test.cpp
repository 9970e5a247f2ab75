// The CUDA backend on a driver made of host memory: what it queues, in which order, what it reads
// back, and what it makes of the driver's errors.
#include "runtime/device/cuda/cuda_backend.h"

#include <doctest/doctest.h>

#include <cmath>

#include "codegen/toolchain/nvrtc_toolchain.h"
#include "lang/lists.h"
#include "runtime/device/cuda/queue.h"
#include "tests/runtime/cuda_fake.h"

using namespace gpx;
using cuda::fake::gpu;
using cuda::fake::Launched;

namespace {

std::uint64_t& at(std::uint64_t address, std::size_t index = 0) {
  return reinterpret_cast<std::uint64_t*>(address)[index];
}

/// Two kernels of one buffer and one scalar, two results.
codegen::Program make_program(Observe observe) {
  codegen::Program program;
  for (const char* name : {"k1", "k2"}) {
    codegen::Kernel kernel;
    kernel.name = name;
    kernel.parameters = 2;
    kernel.registers = {{"data", codegen::Type::buffer}, {"step", codegen::Type::u64}};
    kernel.observe = observe;
    program.kernels.push_back(kernel);
  }
  program.buffers = {{"data", 40, false}};
  program.results = {{"latency", 7, codegen::ResultSlot::Role::sample},
                     {"checksum", 9, codegen::ResultSlot::Role::checksum}};
  return program;
}

codegen::Launch make_launch(std::uint32_t kernel, std::uint32_t threads, std::uint64_t scalar) {
  codegen::Launch launch;
  launch.kernel = kernel;
  launch.threads = threads;
  launch.scalars = {scalar};
  return launch;
}

struct Rig {
  explicit Rig(Observe observe = Observe::latency, double watchdog_s = 5)
      : state(cuda::fake::reset()), program(make_program(observe)) {
    gpu().kernels = {{"k1", 3}, {"k2", 3}};
    limits.watchdog_s = watchdog_s;
    limits.spin_up_s = 0;
    for (const char* name : {"k1", "k2"}) {
      codegen::Artifact artifact;
      artifact.entry = name;
      artifact.cubin = {1, 2, 3};
      artifacts.push_back(artifact);
    }
  }

  void open() {
    auto opened = cuda::open(state, 0, limits);
    REQUIRE(opened.has_value());
    backend = std::move(*opened);
    const Result<void> loaded = backend->load(program, artifacts);
    REQUIRE(loaded.has_value());
    gpu().calls.clear();
    gpu().waits = 0;
  }

  /// One job for each launch of the program.
  Result<std::vector<JobResult>> run(std::uint32_t repetitions) {
    jobs.clear();
    for (const codegen::Launch& launch : program.launches)
      jobs.push_back({&launch, repetitions, 0});
    return backend->run(jobs, stop);
  }

  cuda::DriverState state;
  codegen::Program program;
  std::vector<codegen::Artifact> artifacts;
  cuda::QueueLimits limits;
  std::unique_ptr<Backend> backend;
  std::vector<Job> jobs;
  std::atomic<bool> stop = false;
};

std::string message_of(const Error& error) {
  return error.diagnostics.front().message;
}
std::string hint_of(const Error& error) {
  return error.diagnostics.front().hint;
}
}  // namespace

TEST_CASE("a peer is given back once a program is loaded that does not use it") {
  Rig rig;
  gpu().count = 2;
  gpu().access = {{40, 41}};
  rig.open();
  CHECK(gpu().contexts == 1);
  codegen::Program far = rig.program;
  far.buffers.push_back({"peer_data", 64, false, codegen::Buffer::Place::peer});
  for (int time = 0; time < 2; ++time) {
    REQUIRE(rig.backend->load(far, rig.artifacts).has_value());
    CHECK(gpu().contexts == 2);
    REQUIRE(rig.backend->load({}, {}).has_value());
    CHECK(gpu().contexts == 1);
  }
  rig.backend.reset();
  CHECK(cuda::fake::leaks() == "");
  CHECK(gpu().misplaced == 0);
}

TEST_CASE("the target is machine code for the compute capability that the driver reports") {
  Rig rig;
  rig.open();
  const auto& toolchain = dynamic_cast<const codegen::NvrtcToolchain&>(rig.backend->toolchain());
  CHECK(toolchain.target() == codegen::Target{codegen::Target::Form::cubin, 90});
  CHECK(rig.backend->info().name == "Fake H100");
  CHECK(rig.backend->info().free_memory_bytes == 1u << 30);
}

TEST_CASE("a buffer starts with the fixed hash of each word's index") {
  Rig rig;
  rig.program.buffers[0].bytes = 42;  // the last word is cut
  rig.open();
  std::vector<unsigned char> seen(42);
  gpu().execute = [&](const Launched& l) {
    std::memcpy(seen.data(), reinterpret_cast<void*>(l.arguments[1]), seen.size());
  };
  rig.program.launches = {make_launch(0, 32, 0)};
  REQUIRE(rig.run(1).has_value());
  for (std::size_t i = 0; i < seen.size(); ++i) {
    CHECK(seen[i] == (codegen::initial_word(i / 4) >> (i % 4 * 8) & 0xff));
  }
}

TEST_CASE("a launch with an offset gets the address of the words there") {
  Rig rig;
  rig.program.buffers[0].bytes = 1024;
  rig.open();
  std::vector<std::uint32_t> seen;
  gpu().execute = [&](const Launched& l) {
    seen.push_back(*reinterpret_cast<const std::uint32_t*>(l.arguments[1]));
  };
  rig.program.launches = {make_launch(0, 32, 0), make_launch(0, 32, 0), make_launch(0, 32, 0)};
  rig.program.launches[1].offset = 64;
  REQUIRE(rig.run(1).has_value());
  const std::uint32_t first = codegen::initial_word(0);
  CHECK(seen == std::vector<std::uint32_t>{first, codegen::initial_word(16), first});
}

TEST_CASE("a buffer longer than the staging memory is filled to its last word") {
  Rig rig;
  const std::uint64_t words = (33u << 20) / 4 + 1;
  rig.program.buffers[0].bytes = words * 4;
  rig.open();
  std::vector<std::uint32_t> seen;
  gpu().execute = [&](const Launched& l) {
    const auto* data = reinterpret_cast<const std::uint32_t*>(l.arguments[1]);
    for (const std::uint64_t i : {words / 2 - 1, words / 2, words - 1}) seen.push_back(data[i]);
  };
  rig.program.launches = {make_launch(0, 32, 0)};
  REQUIRE(rig.run(1).has_value());
  CHECK(seen == std::vector<std::uint32_t>{codegen::initial_word(words / 2 - 1),
                                           codegen::initial_word(words / 2),
                                           codegen::initial_word(words - 1)});
}

TEST_CASE("each repetition has its own result slots, which start as the program says") {
  Rig rig;
  rig.open();
  rig.program.launches = {make_launch(0, 32, 100), make_launch(1, 64, 200)};
  int order = 0;
  gpu().execute = [&](const Launched& l) {
    CHECK(at(l.arguments[0], 1) == 9);
    at(l.arguments[0]) += l.arguments[2] + l.threads * 1000 + static_cast<unsigned>(order++);
    at(l.arguments[0], 1) = l.kernel == "k1" ? 1 : 2;
  };
  const auto results = rig.run(3);
  REQUIRE(results.has_value());
  REQUIRE(results->size() == 2);
  for (std::uint64_t job = 0; job < 2; ++job) {
    REQUIRE((*results)[job].repetitions.size() == 3);
    for (std::uint64_t r = 0; r < 3; ++r) {
      const std::uint64_t sum = 7 + (job + 1) * 100 + (job + 1) * 32000 + job * 3 + r;
      CHECK((*results)[job].repetitions[r].results == std::vector<std::uint64_t>{sum, job + 1});
    }
  }
}

TEST_CASE("warm-up launches come first and leave no result") {
  Rig rig;
  rig.open();
  rig.program.launches = {make_launch(0, 32, 0)};
  rig.program.launches[0].warmup = 2;
  std::vector<std::uint64_t> addresses;
  gpu().execute = [&](const Launched& l) {
    addresses.push_back(l.arguments[0]);
    at(l.arguments[0]) = addresses.size();
  };
  const auto results = rig.run(2);
  REQUIRE(results.has_value());
  REQUIRE(addresses.size() == 4);
  CHECK(addresses[0] == addresses[1]);
  CHECK(addresses[2] == addresses[0] + 16);
  CHECK(addresses[3] == addresses[2] + 16);
  CHECK((*results)[0].repetitions[0].results[0] == 3);
  CHECK((*results)[0].repetitions[1].results[0] == 4);
}

TEST_CASE("a batch is one copy to the GPU, its launches, and one copy back") {
  Rig rig;
  rig.open();
  for (int i = 0; i < 2048; ++i) rig.program.launches.push_back(make_launch(0, 32, 0));
  REQUIRE(rig.run(3).has_value());
  CHECK(gpu().count_calls("htod") == 1);
  CHECK(gpu().count_calls("dtoh") == 1);
  CHECK(gpu().count_calls("launch") == 6144);
  CHECK(gpu().calls.size() == 6146);
  CHECK(gpu().calls.front() == "htod " + std::to_string(6145 * 16));
  CHECK(gpu().calls.back() == "dtoh " + std::to_string(6145 * 16));
  // 1 + 2 + ... + 128 launches, then 256 at a time, then the copy back.
  CHECK(gpu().waits == 8 + (6144 - 255 + 255) / 256 + 1);
}

TEST_CASE("seconds are measured only where the kernel observes them") {
  Rig latency;
  latency.open();
  latency.program.launches = {make_launch(0, 32, 0)};
  auto results = latency.run(2);
  REQUIRE(results.has_value());
  CHECK(gpu().count_calls("event") == 0);
  CHECK(gpu().count_calls("hold") == 0);
  CHECK(std::isnan((*results)[0].repetitions[0].seconds));
  latency.backend.reset();

  Rig time(Observe::time);
  time.open();
  time.program.launches = {make_launch(0, 32, 0)};
  time.program.launches[0].warmup = 1;
  results = time.run(2);
  REQUIRE(results.has_value());
  CHECK((*results)[0].repetitions[1].seconds == doctest::Approx(2.5e-3));
  const std::vector<std::string> expected = {
      "memset 4096",                                              // before the stream is ever held
      "htod 48",     "launch",                                    // the warm-up, waited for alone
      "hold",        "memset 4096", "event",  "launch", "event",  // a repetition
      "memset 4096", "event",       "launch", "event",  "dtoh 48"};
  CHECK(gpu().calls == expected);
}

TEST_CASE("a kernel is never launched for the first time while the stream is held") {
  Rig rig(Observe::time);
  rig.open();
  rig.program.launches = {make_launch(0, 32, 0), make_launch(1, 32, 0)};
  std::set<std::uint64_t> addresses;
  gpu().execute = [&](const Launched& l) { addresses.insert(l.arguments[0]); };
  REQUIRE(rig.run(1).has_value());
  const std::vector<std::string> expected = {
      "memset 4096", "htod 48",
      "launch",                                                  // of k1, read by nobody
      "hold",        "memset 4096", "event", "launch", "event",  // waited for before k2 comes
      "launch",                                                  // of k2, read by nobody
      "hold",        "memset 4096", "event", "launch", "event", "dtoh 48"};
  CHECK(gpu().calls == expected);
  CHECK(addresses.size() == 3);
  gpu().calls.clear();
  REQUIRE(rig.run(1).has_value());
  CHECK(gpu().count_calls("launch") == 2);
}

TEST_CASE("a flush is a memset of the given size, at least twice the L2, before each repetition") {
  Rig rig;
  rig.open();
  rig.program.launches = {make_launch(0, 32, 0)};
  rig.program.launches[0].warmup = 1;
  rig.program.launches[0].flush = true;
  rig.program.launches[0].flush_bytes = 1u << 20;
  REQUIRE(rig.run(2).has_value());
  CHECK(gpu().calls == std::vector<std::string>{"htod 48", "launch", "memset 1048576", "launch",
                                                "memset 1048576", "launch", "dtoh 48"});
  gpu().calls.clear();
  rig.program.launches[0].flush_bytes = 0;
  REQUIRE(rig.run(1).has_value());
  CHECK(gpu().calls ==
        std::vector<std::string>{"htod 32", "launch", "memset 8192", "launch", "dtoh 32"});
}

TEST_CASE("a GPU that has rested is kept busy before the first point, outside the results") {
  Rig rig;
  rig.limits.spin_up_s = 0.02;
  rig.open();
  rig.program.launches = {make_launch(0, 32, 0)};
  std::set<std::uint64_t> addresses;
  gpu().execute = [&](const Launched& l) { addresses.insert(l.arguments[0]); };
  REQUIRE(rig.run(1).has_value());
  CHECK(gpu().launches.size() > 1);
  CHECK(addresses.size() == 2);  // the slot that nobody reads, and the repetition's
  const std::size_t before = gpu().launches.size();
  REQUIRE(rig.run(1).has_value());
  CHECK(gpu().launches.size() == before + 1);
}

TEST_CASE("stop returns the points that are complete and queues no more") {
  Rig rig;
  rig.open();
  for (int i = 0; i < 1000; ++i) {
    rig.program.launches.push_back(make_launch(0, 32, static_cast<std::uint64_t>(i)));
  }
  gpu().execute = [&](const Launched& l) {
    at(l.arguments[0]) = l.arguments[2];
    if (l.arguments[2] == 100) rig.stop = true;
  };
  const auto results = rig.run(1);
  REQUIRE(results.has_value());
  CHECK(results->size() > 100);
  CHECK(results->size() <= 100 + 256);
  CHECK(results->size() == gpu().launches.size());
  for (std::size_t i = 0; i < results->size(); ++i) {
    CHECK((*results)[i].repetitions[0].results[0] == i);
  }
}

TEST_CASE("stop in the middle of a point leaves that point out") {
  Rig rig;
  rig.open();
  rig.program.launches = {make_launch(0, 32, 0), make_launch(0, 32, 0)};
  gpu().execute = [&](const Launched&) { rig.stop = gpu().launches.size() >= 600; };
  const auto results = rig.run(10000);
  REQUIRE(results.has_value());
  CHECK(results->empty());
  CHECK(gpu().launches.size() < 1000);
}

TEST_CASE("stop before the first point runs nothing") {
  Rig rig;
  rig.open();
  rig.program.launches = {make_launch(0, 32, 0)};
  rig.stop = true;
  const auto results = rig.run(1);
  REQUIRE(results.has_value());
  CHECK(results->empty());
  CHECK(gpu().launches.empty());
}

TEST_CASE("everything is given back, also after errors that leave the GPU usable") {
  {
    Rig rig(Observe::time);
    rig.open();
    rig.program.launches = {make_launch(0, 32, 0)};
    rig.program.launches[0].flush = true;
    rig.program.launches[0].flush_bytes = 4096;
    REQUIRE(rig.run(3).has_value());
    REQUIRE(rig.backend->load(rig.program, rig.artifacts).has_value());
    gpu().fail["launch_kernel"] = cuda::CUDA_ERROR_LAUNCH_OUT_OF_RESOURCES;
    REQUIRE(!rig.run(1).has_value());
    gpu().fail.clear();
    REQUIRE(rig.run(1).has_value());
  }
  CHECK(cuda::fake::leaks() == "");
}

TEST_CASE("memory that was given back is taken again, and freed where something else needs it") {
  cuda::DriverState state = cuda::fake::reset();
  auto opened = cuda::Context::open(*state.driver, 40, 0);
  REQUIRE(opened.has_value());
  cuda::Context& context = **opened;
  const auto take = [&](std::uint64_t bytes) {
    cuda::DeviceMemory memory;
    const bool taken = memory.reserve(context, bytes, "it").has_value();
    return taken ? memory.pointer() : 0;
  };
  const cuda::CUdeviceptr first = take(1000);
  CHECK(take(1000) == first);
  CHECK(gpu().used == 1000);
  gpu().memory = 2000;
  CHECK(take(2000) != 0);
  CHECK(gpu().used == 2000);
  CHECK(take(2001) == 0);
  opened->reset();
  CHECK(gpu().device_blocks.empty());
}

TEST_CASE("out of memory names the buffer, what it needs and what is free") {
  Rig rig;
  rig.program.buffers[0].bytes = 3ull << 30;
  auto backend = cuda::open(rig.state, 0, rig.limits);
  REQUIRE(backend.has_value());
  const auto loaded = (*backend)->load(rig.program, rig.artifacts);
  REQUIRE(!loaded.has_value());
  CHECK(loaded.error().fault == Fault::device);
  CHECK(message_of(loaded.error()) ==
        "out of GPU memory: 'data' needs 3.0 GB, 1.0 GB of 1.0 GB are free");
}

TEST_CASE("a module that the driver refuses is reported with the driver's log") {
  Rig rig;
  auto backend = cuda::open(rig.state, 0, rig.limits);
  REQUIRE(backend.has_value());
  gpu().fail["module_load_data_ex"] = cuda::CUDA_ERROR_NO_BINARY_FOR_GPU;
  const auto loaded = (*backend)->load(rig.program, rig.artifacts);
  REQUIRE(!loaded.has_value());
  CHECK(message_of(loaded.error()) ==
        "kernel 'k1' cannot be loaded: CUDA_ERROR_NO_BINARY_FOR_GPU (as the driver puts it)\n"
        "ptxas error: line 3");
  CHECK(hint_of(loaded.error()) == "the machine code was made for another GPU");
}

TEST_CASE("a launch that the driver refuses names the point, the kernel and its needs") {
  Rig rig;
  rig.open();
  rig.program.launches = {make_launch(0, 1024, 0)};
  gpu().fail["launch_kernel"] = cuda::CUDA_ERROR_LAUNCH_OUT_OF_RESOURCES;
  const auto results = rig.run(1);
  REQUIRE(!results.has_value());
  CHECK(message_of(results.error()) ==
        "point 1 of this batch (kernel 'k1', 1 x 1024 threads): the launch failed: "
        "CUDA_ERROR_OTHER (as the driver puts it)");
  CHECK(hint_of(results.error()) == "it uses 90 registers a thread: at most 640 threads a block");
}

TEST_CASE(
    "a launch that the GPU lacks the registers for is a result where outcomes are asked for") {
  for (const Observe observe : {Observe::latency, Observe::time}) {
    Rig rig(observe);
    rig.program.outcomes = true;
    rig.limits.spin_up_s = 0.001;
    rig.open();
    rig.program.launches = {make_launch(0, 32, 0), make_launch(0, 1024, 0), make_launch(0, 32, 0)};
    for (codegen::Launch& launch : rig.program.launches) launch.warmup = 1;
    gpu().most_threads = 640;
    const auto results = rig.run(2);
    REQUIRE(results.has_value());
    REQUIRE(results->size() == 3);
    for (std::size_t job = 0; job < 3; ++job) {
      for (const Repetition& repetition : (*results)[job].repetitions) {
        CHECK(repetition.outcome == (job == 1 ? Outcome::launch_failure : Outcome::completed));
        CHECK(repetition.results.size() == (job == 1 ? 0 : 2));
      }
    }
  }
}

TEST_CASE("other failures of a launch are errors also where outcomes are asked for") {
  Rig rig;
  rig.program.outcomes = true;
  rig.open();
  rig.program.launches = {make_launch(0, 32, 0)};
  gpu().fail["launch_kernel"] = cuda::CUDA_ERROR_INVALID_VALUE;
  CHECK(!rig.run(1).has_value());
}

TEST_CASE("a launch in clusters is one; more than 8 blocks are allowed first") {
  for (const std::uint32_t cluster : {2u, 8u, 16u}) {
    Rig rig;
    rig.open();
    rig.program.launches = {make_launch(0, 32, 0)};
    rig.program.launches[0].blocks = 32;
    rig.program.launches[0].cluster = cluster;
    REQUIRE(rig.run(1).has_value());
    CHECK(gpu().launches.back().cluster == cluster);
    CHECK(gpu().launches.back().blocks == 32);
    CHECK(gpu().non_portable == (cluster > 8));
  }
}

TEST_CASE("clusters that the driver refuses are named") {
  Rig rig;
  rig.open();
  rig.program.launches = {make_launch(0, 32, 0)};
  rig.program.launches[0].cluster = 2;
  gpu().fail["launch_kernel_ex"] = cuda::CUDA_ERROR_INVALID_CLUSTER_SIZE;
  const auto results = rig.run(1);
  REQUIRE(!results.has_value());
  CHECK(message_of(results.error()).find("the launch in clusters of 2 blocks failed") !=
        std::string::npos);
}

TEST_CASE("records lie behind the result slots of their own launch and start as not kept") {
  Rig rig;
  rig.program.records = {{{"thread", {}}}, {"clock", "sm"}};
  rig.open();
  rig.program.launches = {make_launch(0, 32, 0), make_launch(0, 64, 0), make_launch(0, 96, 0)};
  rig.program.launches[0].record_extents = {1};
  rig.program.launches[1].record_extents = {3};
  rig.program.launches[2].record_extents = {2};
  for (codegen::Launch& launch : rig.program.launches) launch.warmup = 1;
  std::map<std::uint32_t, std::size_t> rows = {{32, 1}, {64, 3}, {96, 2}};
  gpu().execute = [&](const Launched& l) {
    for (std::size_t row = 0; row < rows[l.threads]; ++row)
      at(l.arguments[0], 2 + 2 * row) = l.threads + row;
  };
  const auto results = rig.run(2);
  REQUIRE(results.has_value());
  const std::uint64_t none = codegen::kNotKept;
  for (std::size_t r = 0; r < 2; ++r) {
    CHECK((*results)[0].repetitions[r].results == std::vector<std::uint64_t>{7, 9, 32, none});
    CHECK((*results)[1].repetitions[r].results ==
          std::vector<std::uint64_t>{7, 9, 64, none, 65, none, 66, none});
    CHECK((*results)[2].repetitions[r].results ==
          std::vector<std::uint64_t>{7, 9, 96, none, 97, none});
  }
}

TEST_CASE("a chase is written before its point's warm-up, and once for equal points") {
  Rig rig;
  rig.program.buffers = {{"data", 64, false, codegen::Buffer::Place::global, true}};
  rig.open();
  rig.program.launches = {make_launch(0, 32, 0), make_launch(0, 32, 0), make_launch(0, 32, 0)};
  for (codegen::Launch& launch : rig.program.launches) launch.warmup = 1;
  const auto list = Array::Layout::Kind::list;
  rig.program.launches[0].contents = {{list, 64, 4, {0, 8}}};
  rig.program.launches[1].contents = {{list, 64, 4, {0, 8}}};
  rig.program.launches[2].contents = {{list, 64, 4, {0, 16}}};
  std::vector<std::uint32_t> seen;
  gpu().execute = [&](const Launched& l) {
    seen.push_back(*reinterpret_cast<const std::uint32_t*>(l.arguments[1]));
  };
  REQUIRE(rig.run(1).has_value());
  CHECK(seen == std::vector<std::uint32_t>{8, 8, 8, 8, 16, 16});
  CHECK(gpu().count_calls("htod") == 3);  // the results' initial values, and two chases
}

TEST_CASE("a program that may hang is not launched to wake the GPU") {
  Rig rig;
  rig.program.may_hang = true;
  rig.limits.spin_up_s = 0.02;
  rig.open();
  rig.program.launches = {make_launch(0, 32, 0)};
  REQUIRE(rig.run(1).has_value());
  CHECK(gpu().launches.size() == 1);
}

TEST_CASE("a kernel that fails while it runs is named by its points, and the GPU is lost") {
  Rig rig;
  rig.open();
  for (int i = 0; i < 12; ++i) rig.program.launches.push_back(make_launch(0, 32, 0));
  gpu().fail_launch = 9;  // in the group of points 8 to 12, queued after groups of 1, 2 and 4
  const auto results = rig.run(1);
  REQUIRE(!results.has_value());
  CHECK(message_of(results.error()) ==
        "one of the points 8 to 12 of this batch: a launch failed: CUDA_ERROR_ILLEGAL_ADDRESS "
        "(as the driver puts it)");
  CHECK(contains(hint_of(results.error()), "start gpx anew"));
  const auto again = rig.run(1);
  REQUIRE(!again.has_value());
  CHECK(contains(message_of(again.error()), "the GPU was lost earlier: a launch failed"));
}

TEST_CASE("a kernel that does not end is given up, and nothing waits for it afterwards") {
  Rig rig(Observe::latency, 0.02);
  rig.open();
  rig.program.launches = {make_launch(0, 32, 0), make_launch(0, 32, 0)};
  gpu().hang_launch = 1;
  const auto results = rig.run(1);
  REQUIRE(!results.has_value());
  CHECK(message_of(results.error()) ==
        "point 2 of this batch: the kernel did not end within 0.02 s");
  const std::set<void*> held = gpu().device_blocks;
  rig.backend.reset();  // freeing would wait for the kernel
  CHECK(gpu().device_blocks == held);
  CHECK(gpu().streams == 1);
  for (void* block : gpu().device_blocks) std::free(block);
  for (void* block : gpu().host_blocks) std::free(block);
}

TEST_CASE("an entry that the module lacks, and a launch with too few scalars, are errors") {
  Rig rig;
  rig.artifacts[1].entry = "k3";
  auto backend = cuda::open(rig.state, 0, rig.limits);
  REQUIRE(backend.has_value());
  const auto loaded = (*backend)->load(rig.program, rig.artifacts);
  REQUIRE(!loaded.has_value());
  CHECK(contains(message_of(loaded.error()), "the module has no kernel 'k3'"));
  backend->reset();

  Rig other;
  other.open();
  other.program.launches = {make_launch(0, 32, 0)};
  other.program.launches[0].scalars.clear();
  const auto results = other.run(1);
  REQUIRE(!results.has_value());
  CHECK(message_of(results.error()) == "kernel 'k1' takes 1 scalars, the launch has 0");
}

TEST_CASE("a run without a loaded program is an error") {
  Rig rig;
  auto backend = cuda::open(rig.state, 0, rig.limits);
  REQUIRE(backend.has_value());
  const std::atomic<bool> stop = false;
  const auto results = (*backend)->run({}, stop);
  REQUIRE(!results.has_value());
  CHECK(message_of(results.error()) == "no program is loaded on the GPU");
}

TEST_CASE("opening says why there is no GPU, or which there are") {
  Rig rig;
  const auto second = cuda::open(rig.state, 1, rig.limits);
  REQUIRE(!second.has_value());
  CHECK(message_of(second.error()) == "there is no GPU cuda:1");
  CHECK(hint_of(second.error()) == "this machine has one GPU: cuda:0");

  gpu().fail["primary_ctx_retain"] = cuda::CUDA_ERROR_DEVICE_UNAVAILABLE;
  const auto busy = cuda::open(rig.state, 0, rig.limits);
  REQUIRE(!busy.has_value());
  CHECK(contains(hint_of(busy.error()), "another process may hold the GPU"));

  const auto none =
      cuda::open(cuda::DriverState{nullptr, "libcuda.so.1", 0, "no CUDA driver"}, 0, rig.limits);
  REQUIRE(!none.has_value());
  CHECK(none.error().fault == Fault::device);
  CHECK(message_of(none.error()) == "no CUDA driver");
}

namespace {

/// A user's kernel of two buffers and a 32-bit number, in two dimensions.
codegen::Program user_program() {
  codegen::Program program;
  codegen::Kernel kernel;
  kernel.name = "k1";
  kernel.observe = Observe::time;
  program.kernels = {kernel};
  program.user = true;
  for (const char* name : {"in", "out"}) {
    codegen::Buffer buffer{name, 64, true};
    buffer.has_fill = true;
    program.buffers.push_back(buffer);
  }
  codegen::Launch launch;
  launch.blocks = 3, launch.blocks_down = 2;
  launch.threads = 16, launch.threads_down = 8;
  launch.shared_bytes = 60000;
  launch.arguments = {{{{1, 8, 0}}}, {{{-1, 4, 77}}}, {{{0, 8, 0}}}};
  launch.fills = {{BufferContents::Kind::index, codegen::Element::i32, 64, 3, 0},
                  {BufferContents::Kind::zero, codegen::Element::f32, 32, 0, 0}};
  program.launches = {launch, launch};
  return program;
}

}  // namespace

TEST_CASE("48 KB of dynamic shared memory are asked for where the code has some of its own") {
  for (const int own : {0, 8}) {
    CAPTURE(own);
    Rig rig;
    gpu().own_shared = own;
    rig.program = user_program();
    for (codegen::Launch& launch : rig.program.launches) launch.shared_bytes = 48 << 10;
    rig.artifacts.resize(1);
    rig.open();
    CHECK(gpu().dynamic_shared == (own == 0 ? 0 : 48 << 10));
  }
}

TEST_CASE("a user's kernel gets its own arguments, extents, shared memory and contents") {
  Rig rig;
  rig.program = user_program();
  rig.artifacts.resize(1);
  rig.open();
  CHECK(gpu().dynamic_shared == 60000);
  bool good = true;
  gpu().execute = [&](const Launched& launched) {
    auto* out = reinterpret_cast<std::uint32_t*>(launched.arguments.at(0));
    const auto* in = reinterpret_cast<const std::uint32_t*>(launched.arguments.at(2));
    good = good && static_cast<std::uint32_t>(launched.arguments.at(1)) == 77;
    for (std::uint32_t i = 0; i < 16; ++i) good = good && in[i] == 3 * i;
    out[0] += 1;
  };
  const auto results = rig.run(2);
  REQUIRE(results.has_value());
  CHECK(good);
  REQUIRE(!gpu().launches.empty());
  const Launched& first = gpu().launches.front();
  CHECK(first.blocks == 3);
  CHECK(first.blocks_down == 2);
  CHECK(first.threads == 16);
  CHECK(first.threads_down == 8);
  CHECK(first.shared_bytes == 60000);
  CHECK(results->at(0).repetitions.at(0).seconds == doctest::Approx(0.0025));
  CHECK(results->at(0).repetitions.at(0).results.empty());
}

TEST_CASE("contents are written anew before each point, not between its repetitions") {
  // Zeros before a flush are written by the GPU, others are copied.
  for (const bool flush : {false, true}) {
    CAPTURE(flush);
    Rig rig;
    rig.program = user_program();
    for (codegen::Launch& launch : rig.program.launches) launch.flush = flush;
    rig.artifacts.resize(1);
    rig.open();
    std::vector<std::uint32_t> seen;
    gpu().execute = [&](const Launched& launched) {
      auto* out = reinterpret_cast<std::uint32_t*>(launched.arguments.at(0));
      seen.push_back((*out)++);
    };
    REQUIRE(rig.run(2).has_value());
    // The first point's kernel is launched once more, to load its code.
    CHECK(seen == std::vector<std::uint32_t>{0, 0, 1, 0, 1});
    CHECK((std::ranges::count(gpu().calls, "memset 32") > 0) == flush);
    CHECK((std::ranges::count(gpu().calls, "htod 32") > 0) != flush);
    CHECK(std::ranges::count(gpu().calls, "htod 64") > 0);
  }
}

TEST_CASE("launches that keep a GPU awake leave nothing in a kernel's buffers") {
  Rig rig;
  rig.limits.spin_up_s = 0.02;
  rig.program = user_program();
  rig.program.launches.resize(1);
  rig.artifacts.resize(1);
  rig.open();
  std::vector<std::uint32_t> seen;
  gpu().execute = [&](const Launched& launched) {
    auto* out = reinterpret_cast<std::uint32_t*>(launched.arguments.at(0));
    seen.push_back((*out)++);
  };
  REQUIRE(rig.run(2).has_value());
  REQUIRE(seen.size() > 3);
  CHECK(seen.back() == 1);  // Of the repetitions the second.
  seen.pop_back();
  CHECK(std::ranges::count(seen, 0u) == static_cast<std::ptrdiff_t>(seen.size()));
}

TEST_CASE("a kernel that waits for its whole grid is launched cooperatively, others are not") {
  const std::string waits = "mov.u32 %r1, %envreg2;\n", calls = "call.uni f, ();\n";
  const struct {
    std::string kernel, function;
    bool cooperative;
  } rows[] = {{waits, "", true}, {"", "", false}, {"", waits, false}, {calls, waits, true}};
  for (const auto& row : rows) {
    CAPTURE(row.kernel);
    CAPTURE(row.function);
    Rig rig;
    rig.artifacts[0].ptx = ".version 8.8\n.target sm_90\n.address_size 64\n.func f() {\n" +
                           row.function + "ret;\n}\n.visible .entry k1() {\n" + row.kernel +
                           "ret;\n}\n.visible .entry k2() {\n" + waits + "ret;\n}\n";
    rig.open();
    rig.program.launches = {make_launch(0, 32, 0)};
    REQUIRE(rig.run(1).has_value());
    CHECK(gpu().launches.back().cooperative == row.cooperative);
    if (!row.cooperative) continue;
    gpu().fail["launch_kernel_ex"] = cuda::CUDA_ERROR_COOPERATIVE_LAUNCH_TOO_LARGE;
    const auto results = rig.run(1);
    REQUIRE(!results.has_value());
    CHECK(message_of(results.error()).find("the kernel waits for its whole grid") !=
          std::string::npos);
  }
}

TEST_CASE("variables of a module begin anew before the launch whose buffers are read") {
  Rig rig;
  rig.program = user_program();
  rig.program.launches.resize(1);
  rig.artifacts.resize(1);
  rig.open();
  std::vector<int> modules;
  gpu().execute = [&](const Launched&) { modules.push_back(gpu().module_loads); };
  std::vector<Job> jobs = {{&rig.program.launches[0], 1, 0, {1}}};
  const std::atomic<bool> stop = false;
  const auto results = rig.backend->run(jobs, stop);
  REQUIRE(results.has_value());
  REQUIRE(modules.size() >= 2);
  CHECK(modules.front() == 1);
  CHECK(modules.back() == 2);
  CHECK(results->at(0).buffers.size() == 1);
}

TEST_CASE("the driver is asked how many blocks an SM holds") {
  Rig rig;
  rig.program = user_program();
  rig.program.launches[0].shared_bytes = 0;
  rig.artifacts.resize(1);
  rig.open();
  CHECK(*rig.backend->resident_blocks(rig.program.launches[0]) == 2048 / 128);
  CHECK(*rig.backend->resident_blocks(rig.program.launches[1]) == 1);
  gpu().fail["occupancy_blocks"] = cuda::CUDA_ERROR_INVALID_VALUE;
  CHECK(!rig.backend->resident_blocks(rig.program.launches[0]).has_value());
}

TEST_CASE("a launch that lacks a buffer's contents is refused") {
  Rig rig;
  rig.program = user_program();
  rig.program.launches[1].fills.pop_back();
  rig.artifacts.resize(1);
  rig.open();
  CHECK(!rig.run(1).has_value());
}

TEST_CASE(
    "no launch of a user's kernel sees buffers without their contents, not even to wake the "
    "GPU") {
  Rig rig;
  rig.program = user_program();
  rig.artifacts.resize(1);
  rig.limits.spin_up_s = 0.001;
  rig.open();
  bool good = true;
  gpu().execute = [&](const Launched& launched) {
    const auto* in = reinterpret_cast<const std::uint32_t*>(launched.arguments.at(2));
    for (std::uint32_t i = 0; i < 16; ++i) good = good && in[i] == 3 * i;
  };
  REQUIRE(rig.run(1).has_value());
  CHECK(gpu().launches.size() > 5);
  CHECK(good);
}
