// Programs that may hang, in processes that do.
#include "runtime/device/isolated/isolated_backend.h"

#include <doctest/doctest.h>
#include <signal.h>
#include <sys/types.h>
#include <unistd.h>

#include <chrono>
#include <fstream>
#include <thread>

#include "codegen/toolchain/nvrtc_toolchain.h"
#include "lang/language.h"
#include "runtime/device/isolated/child_process.h"
#include "runtime/device/own_processes.h"
#include "runtime/device/vgpu/virtual_gpu.h"
#include "tests/runtime/device_child.h"

namespace gpx {
namespace {

/// The device for programs that end.
class Direct : public Backend {
 public:
  Direct(int& loads, const bool& fails) : loads_(loads), fails_(fails) {}
  const DeviceInfo& info() const override { return info_; }
  const codegen::Toolchain& toolchain() const override { return toolchain_; }
  Result<void> load(const codegen::Program& program, std::span<const codegen::Artifact>) override {
    loads_ += program.kernels.empty() ? 0 : 1;
    return {};
  }
  /// Once it has failed it always does, as the driver of a process whose kernel went astray.
  Result<std::vector<JobResult>> run(std::span<const Job> jobs, const std::atomic<bool>&) override {
    if (failed_ |= fails_) return fail(Fault::device, "an illegal address");
    return std::vector<JobResult>(jobs.size());
  }

 private:
  DeviceInfo info_;
  codegen::NvrtcToolchain toolchain_{{}};
  int& loads_;
  const bool& fails_;
  bool failed_ = false;
};

struct Rig {
  explicit Rig(std::vector<std::string> child = {"scripted"}) {
    options.command = {GPX_TEST_CHILD};
    options.command.insert(options.command.end(), child.begin(), child.end());
    options.open_s = 20;
    options.margin_s = 0.1;
    program.kernels.resize(1);
    program.outcomes = true;
    program.may_hang = true;
  }
  Result<void> load() {
    auto inner = std::make_unique<Direct>(direct_loads, direct_fails);
    direct = inner.get();
    backend = isolate(std::move(inner), options);
    return backend->load(program, {});
  }
  /// One job of so many repetitions for each number of threads.
  Result<std::vector<JobResult>> run(const std::vector<unsigned>& threads,
                                     std::uint32_t repetitions = 1, std::uint32_t warmup = 0) {
    launches.clear();
    jobs.clear();
    launches.resize(threads.size());
    for (std::size_t i = 0; i < threads.size(); ++i) {
      launches[i].threads = threads[i];
      launches[i].warmup = warmup;
      launches[i].watchdog = 0.1;
      launches[i].scalars = {i};
      jobs.push_back({&launches[i], repetitions, 1});
    }
    return backend->run(jobs, stop);
  }

  IsolationOptions options;
  codegen::Program program;
  int direct_loads = 0;
  bool direct_fails = false;
  Backend* direct = nullptr;  ///< Of the backend.
  std::unique_ptr<Backend> backend;
  std::vector<codegen::Launch> launches;
  std::vector<Job> jobs;
  std::atomic<bool> stop{false};
};

std::string message_of(const Error& error) {
  return error.diagnostics.front().message;
}

bool is_gone(pid_t process) {
  std::ifstream file("/proc/" + std::to_string(process) + "/stat");
  std::string number, name, state;
  return !(file >> number >> name >> state) || state == "Z";
}

TEST_CASE("a program that cannot hang runs directly, and no process is started") {
  Rig rig({"garbage"});
  rig.program.may_hang = false;
  REQUIRE(rig.load().has_value());
  CHECK(rig.direct_loads == 1);
  CHECK(&rig.backend->toolchain() == &rig.direct->toolchain());
  CHECK(rig.run({32, 64})->size() == 2);
}

TEST_CASE("after a failed launch the next programs run in a fresh process") {
  Rig rig;
  rig.program.may_hang = rig.program.outcomes = false;
  REQUIRE(rig.load().has_value());
  CHECK(rig.run({32})->size() == 1);
  rig.direct_fails = true;
  const auto failed = rig.run({32});
  REQUIRE_FALSE(failed.has_value());
  CHECK(message_of(failed.error()) == "an illegal address");
  rig.direct_fails = false;
  REQUIRE(rig.backend->load(rig.program, {}).has_value());
  const auto fresh = rig.run({32, 64}, 2);
  REQUIRE(fresh.has_value());
  REQUIRE(fresh->size() == 2);
  CHECK(fresh->front().repetitions[0].results[0] != static_cast<std::uint64_t>(::getpid()));
  CHECK(fresh->front().repetitions[0].outcome == Outcome::completed);
  // And a process that has failed is not used again.
  REQUIRE_FALSE(rig.run({child::kFails}).has_value());
  REQUIRE(rig.backend->load(rig.program, {}).has_value());
  const auto again = rig.run({32});
  REQUIRE(again.has_value());
  CHECK(again->front().repetitions[0].results[0] != fresh->front().repetitions[0].results[0]);
}

TEST_CASE("own_process_is_no_tenant: processes that this one started are counted while they run") {
  REQUIRE(own_processes() == 0);
  {
    Rig rig;
    REQUIRE(rig.load().has_value());
    REQUIRE(rig.run({32}).has_value());
    CHECK(own_processes() == 1);
    REQUIRE(rig.run({child::kHangs, 64}).has_value());  // The first process is killed.
    CHECK(own_processes() == 1);
  }
  CHECK(own_processes() == 0);
}

TEST_CASE("launches run one by one in another process, the warm-up first") {
  Rig rig;
  REQUIRE(rig.load().has_value());
  const auto results = rig.run({32, 64}, 2, 3);
  REQUIRE(results.has_value());
  REQUIRE(results->size() == 2);
  const auto& first = (*results)[0].repetitions;
  const auto& second = (*results)[1].repetitions;
  REQUIRE(first.size() == 2);
  REQUIRE(second.size() == 2);
  CHECK(first[0].results[0] != static_cast<std::uint64_t>(::getpid()));
  CHECK(first[0].results[0] == second[1].results[0]);
  CHECK(first[0].results[1] == 4);
  CHECK(second[1].results[1] == 10);
  CHECK(first[0].results[2] == 1);   // repetitions of a launch
  CHECK(first[0].results[3] == 0);   // its warm-up
  CHECK(second[0].results[4] == 1);  // its scalar
  CHECK(second[0].seconds == 0.5);
}

TEST_CASE("a launch that does not end is a deadlock, and the next one gets a fresh process") {
  Rig rig;
  REQUIRE(rig.load().has_value());
  const auto results = rig.run({32, child::kHangs, 64}, 2, 1);
  REQUIRE(results.has_value());
  REQUIRE(results->size() == 3);
  for (const Repetition& repetition : (*results)[1].repetitions) {
    CHECK(repetition.outcome == Outcome::deadlock);
    CHECK(repetition.results.empty());
  }
  const auto& before = (*results)[0].repetitions[0];
  const auto& after = (*results)[2].repetitions[0];
  CHECK(after.outcome == Outcome::completed);
  CHECK(after.results[0] != before.results[0]);
  CHECK(after.results[1] == 2);  // a warm-up, then this
  CHECK(is_gone(static_cast<pid_t>(before.results[0])));
}

TEST_CASE("a launch that does not end is an error where no outcomes are asked for") {
  Rig rig;
  rig.program.outcomes = false;
  REQUIRE(rig.load().has_value());
  const auto results = rig.run({child::kHangs});
  REQUIRE(!results.has_value());
  CHECK(message_of(results.error()) == "the kernel did not end within 0.1 s");
}

TEST_CASE("an outcome that the device itself tells is passed on") {
  Rig rig;
  REQUIRE(rig.load().has_value());
  const auto results = rig.run({child::kRefused}, 2, 1);
  REQUIRE(results.has_value());
  REQUIRE((*results)[0].repetitions.size() == 2);
  CHECK((*results)[0].repetitions[1].outcome == Outcome::launch_failure);
}

TEST_CASE("what goes wrong in the other process is an error, and the next run starts another") {
  struct Case {
    unsigned threads;
    const char* error;
  };
  const std::vector<Case> cases = {
      {child::kCrashes,
       "the process that runs the GPU was killed by signal 6 (Aborted) while it ran a launch"},
      {child::kFails, "an illegal address"},
      {child::kGarbage, "the process that runs the GPU gave an answer that is none"}};
  for (const Case& one : cases) {
    Rig rig;
    REQUIRE(rig.load().has_value());
    const auto results = rig.run({32, one.threads, 64});
    REQUIRE(!results.has_value());
    CHECK(message_of(results.error()) == one.error);
    CHECK(rig.run({32}).has_value());
  }
}

TEST_CASE("a process that never becomes a server is an error") {
  struct Case {
    const char* child;
    const char* error;
  };
  const std::vector<Case> cases = {
      {"nothing", "the process that runs the GPU ended with status 7 while it opened the device"},
      {"garbage", "the process that runs the GPU gave an answer that is none"},
      {"missing", "no such GPU"},
      {"hang", "the process that runs the GPU gave no answer while it opened the device"}};
  for (const Case& one : cases) {
    Rig rig({one.child});
    if (rig.options.command[1] == "hang") rig.options.open_s = 0.2;
    const auto loaded = rig.load();
    REQUIRE(!loaded.has_value());
    CHECK(message_of(loaded.error()) == one.error);
  }
  Rig absent;
  absent.options.command = {"/no/such/program"};
  CHECK(message_of(absent.load().error()) ==
        "'/no/such/program' cannot be started: No such file or directory");
  Rig none;
  none.options.command.clear();
  CHECK(message_of(none.load().error()) == "there is no program to run kernels in that may hang");
}

TEST_CASE("the next program that may hang goes to the same process, one that cannot ends it") {
  Rig rig;
  REQUIRE(rig.load().has_value());
  const auto first = rig.run({32});
  REQUIRE(first.has_value());
  REQUIRE(rig.backend->load(rig.program, {}).has_value());
  const auto second = rig.run({32});
  REQUIRE(second.has_value());
  const std::uint64_t process = (*first)[0].repetitions[0].results[0];
  CHECK((*second)[0].repetitions[0].results[0] == process);
  rig.program.may_hang = false;
  REQUIRE(rig.backend->load(rig.program, {}).has_value());
  CHECK(is_gone(static_cast<pid_t>(process)));
}

TEST_CASE("a program that the other process refuses keeps its words") {
  Rig rig;
  rig.program.kernels.clear();
  const auto loaded = rig.load();
  REQUIRE(!loaded.has_value());
  CHECK(message_of(loaded.error()) == "no kernels");
  CHECK(loaded.error().diagnostics[0].hint == "bring some");
}

TEST_CASE("stop cuts off a launch that hangs and keeps the points before it") {
  Rig rig;
  REQUIRE(rig.load().has_value());
  std::thread stopper([&] {
    std::this_thread::sleep_for(std::chrono::milliseconds(300));
    rig.stop = true;
  });
  rig.launches.resize(2);
  rig.launches[0].threads = 32;
  rig.launches[1].threads = child::kHangs;
  rig.launches[1].watchdog = 600;
  rig.jobs = {{&rig.launches[0], 1, 1}, {&rig.launches[1], 1, 1}};
  const auto results = rig.backend->run(rig.jobs, rig.stop);
  stopper.join();
  REQUIRE(results.has_value());
  CHECK(results->size() == 1);
}

TEST_CASE("the process is not in this one's group, and is gone with the backend") {
  Rig rig;
  REQUIRE(rig.load().has_value());
  const auto results = rig.run({32});
  REQUIRE(results.has_value());
  const auto process = static_cast<pid_t>((*results)[0].repetitions[0].results[0]);
  CHECK(::getpgid(process) == process);
  rig.backend.reset();
  CHECK(::kill(process, 0) != 0);  // not even a zombie is left
}

TEST_CASE("the process dies with its parent") {
  auto outer = ChildProcess::start({GPX_TEST_CHILD, "nest"});
  REQUIRE(outer.has_value());
  protocol::Message message;
  REQUIRE((*outer)->channel().receive(message) == protocol::Channel::Got::message);
  const auto inner = protocol::read_error(message);
  REQUIRE(inner.has_value());
  const pid_t process = std::stoi(message_of(*inner));
  std::this_thread::sleep_for(std::chrono::milliseconds(100));  // it asks for the signal first
  CHECK_FALSE(is_gone(process));
  ::kill((*outer)->process(), SIGKILL);
  for (int i = 0; i < 500 && !is_gone(process); ++i)
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
  CHECK(is_gone(process));
}

TEST_CASE("a virtual GPU gives the same values in another process as in this one") {
  const std::string device = GPX_SOURCE_DIR "/stdlib/devices/k20.lua";
  const Source source("line", "sweep threads 32..64 step 32 < load unique(128B) x 2 >");
  const auto ast = parse(source);
  REQUIRE(ast.has_value());
  const auto experiments = check(*ast, source, {});
  REQUIRE(experiments.has_value());
  const Experiment& experiment = experiments->front();
  auto program = codegen::lower(experiment, experiment.measures.front(), source, {});
  REQUIRE(program.has_value());
  auto here = vgpu::open(device);
  REQUIRE(here.has_value());
  const auto artifacts = (*here)->toolchain().compile(program->kernels, source, nullptr);
  REQUIRE(artifacts.has_value());
  program->may_hang = true;
  REQUIRE((*here)->load(*program, *artifacts).has_value());

  Rig rig({"vgpu", device});
  rig.backend = isolate(std::make_unique<Direct>(rig.direct_loads, rig.direct_fails), rig.options);
  REQUIRE(rig.backend->load(*program, *artifacts).has_value());
  std::vector<Job> jobs;
  for (const codegen::Launch& launch : program->launches) jobs.push_back({&launch, 1, 5});
  const auto direct = (*here)->run(jobs, rig.stop);
  const auto isolated = rig.backend->run(jobs, rig.stop);
  REQUIRE(direct.has_value());
  REQUIRE(isolated.has_value());
  REQUIRE(isolated->size() == 2);
  for (std::size_t i = 0; i < 2; ++i) {
    const auto& a = (*direct)[i].repetitions[0].results;
    const auto& b = (*isolated)[i].repetitions[0].results;
    REQUIRE(a.size() == b.size());
    for (std::size_t slot = 0; slot < a.size(); ++slot)
      if (program->results[slot].role == codegen::ResultSlot::Role::checksum)
        CHECK(a[slot] == b[slot]);
  }
}

}  // namespace
}  // namespace gpx
