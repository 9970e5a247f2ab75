// Interface: isolated_backend.h. Covered by tests/runtime/isolated_backend_test.cpp.
#include "runtime/device/isolated/isolated_backend.h"

#include <fmt/format.h>

#include <optional>

#include "lang/try.h"
#include "runtime/device/isolated/child_process.h"
#include "runtime/device/isolated/protocol.h"

namespace gpx {
namespace {

using protocol::Channel;
using protocol::Message;
using Got = Channel::Got;

Channel::Clock::time_point after(double seconds) {
  return Channel::Clock::now() + std::chrono::duration_cast<Channel::Clock::duration>(
                                     std::chrono::duration<double>(seconds));
}

class IsolatedBackend final : public Backend {
 public:
  IsolatedBackend(std::unique_ptr<Backend> direct, IsolationOptions options)
      : direct_(std::move(direct)), options_(std::move(options)) {}

  const DeviceInfo& info() const override { return direct_->info(); }
  const codegen::Toolchain& toolchain() const override { return direct_->toolchain(); }
  std::string definition() const override { return direct_->definition(); }
  Telemetry telemetry() const override { return direct_->telemetry(); }
  std::unique_ptr<Backend> beside() const override { return direct_->beside(); }
  double now() const override { return direct_->now(); }
  void rest(double seconds) override { direct_->rest(seconds); }
  std::uint64_t free_memory() const override { return direct_->free_memory(); }
  Result<void> load(const codegen::Program& program,
                    std::span<const codegen::Artifact> artifacts) override;
  /// Not of a program that runs in the server.
  Result<std::uint32_t> resident_blocks(const codegen::Launch& launch) override {
    return program_ ? Result<std::uint32_t>(0) : direct_->resident_blocks(launch);
  }
  Result<std::vector<JobResult>> run(std::span<const Job> jobs,
                                     const std::atomic<bool>& stop) override;

 private:
  Result<void> ensure_server(const std::atomic<bool>* stop);
  Result<void> send_program(const std::atomic<bool>* stop);
  Result<std::optional<JobResult>> run_job(const Job& job, const std::atomic<bool>& stop);
  Result<std::optional<Repetition>> run_launch(const codegen::Launch& launch, std::uint64_t seed,
                                               const std::atomic<bool>& stop);
  Result<std::optional<Repetition>> not_ended(Got got, const Message& message, double watchdog);
  tl::unexpected<Error> failed(Got got, const Message& message, const std::string& while_what);

  std::unique_ptr<Backend> direct_;
  IsolationOptions options_;
  std::unique_ptr<ChildProcess> server_;  ///< None: the next launch starts one.
  std::optional<Message> program_;        ///< The request to load it; none: it runs directly.
  bool outcomes_ = false;
  /// A launch failed in this process: the driver takes no more of it.
  bool lost_ = false;
};

Result<void> IsolatedBackend::load(const codegen::Program& program,
                                   std::span<const codegen::Artifact> artifacts) {
  program_.reset();
  if (!program.may_hang && !lost_) {
    server_.reset();
    return direct_->load(program, artifacts);
  }
  // What the direct one holds may be what the server needs.
  if (auto ok = direct_->load(codegen::Program{}, {}); !ok && !lost_) return ok;
  program_ = protocol::load(program, artifacts);
  outcomes_ = program.outcomes;
  return server_ ? send_program(nullptr) : ensure_server(nullptr);
}

Result<void> IsolatedBackend::ensure_server(const std::atomic<bool>* stop) {
  if (server_) return {};
  if (options_.command.empty())
    return fail(Fault::device, "there is no program to run kernels in that may hang");
  server_ = GPX_TRY(ChildProcess::start(options_.command));
  Message answer;
  const Got got = server_->channel().receive(answer, after(options_.open_s), stop);
  const auto hello = protocol::read_hello(answer);
  if (got != Got::message || !hello || hello->version != protocol::version())
    return failed(got, answer, "opened the device");
  if (hello->device.uuid != info().uuid)
    return fail(Fault::device, fmt::format("the process that runs the GPU has another one: {} {}",
                                           hello->device.name, hello->device.uuid));
  return send_program(stop);
}

Result<void> IsolatedBackend::send_program(const std::atomic<bool>* stop) {
  const auto deadline = after(options_.open_s);
  Message answer;
  Got got = server_->channel().send(*program_, deadline, stop);
  if (got == Got::message) got = server_->channel().receive(answer, deadline, stop);
  if (got != Got::message || answer.kind != protocol::Kind::loaded)
    return failed(got, answer, "loaded the program");
  return {};
}

/// Why the server gave no answer that fits. It is of no further use.
tl::unexpected<Error> IsolatedBackend::failed(Got got, const Message& message,
                                              const std::string& while_what) {
  const std::string end = server_->kill();
  server_.reset();
  if (got == Got::message) {
    if (auto error = protocol::read_error(message)) return tl::unexpected(std::move(*error));
    got = Got::garbage;
  }
  const std::string who = "the process that runs the GPU";
  switch (got) {
    case Got::closed:
      return fail(Fault::device, fmt::format("{} {} while it {}", who, end, while_what));
    case Got::late:
      return fail(Fault::device, fmt::format("{} gave no answer while it {}", who, while_what));
    case Got::stopped:
      return fail(Fault::device, fmt::format("stopped while {} {}", who, while_what));
    default:
      return fail(Fault::device, fmt::format("{} gave an answer that is none", who),
                  "gpx was replaced while it ran, or something else writes to its sockets");
  }
}

Result<std::vector<JobResult>> IsolatedBackend::run(std::span<const Job> jobs,
                                                    const std::atomic<bool>& stop) {
  if (!program_) {
    auto results = direct_->run(jobs, stop);
    const bool failed = !results && results.error().fault == Fault::device && !stop;
    lost_ |= failed && !options_.command.empty();
    return results;
  }
  for (const Job& job : jobs)
    if (!job.read.empty())
      return fail(Fault::input,
                  "results of a kernel that may hang are not read back: it has a watchdog",
                  "check them in an experiment without 'watchdog'");
  std::vector<JobResult> results;
  for (const Job& job : jobs) {
    auto result = GPX_TRY(run_job(job, stop));
    if (!result) break;
    results.push_back(std::move(*result));
  }
  return results;
}

/// Nothing where it was told to stop.
Result<std::optional<JobResult>> IsolatedBackend::run_job(const Job& job,
                                                          const std::atomic<bool>& stop) {
  codegen::Launch launch = *job.launch;
  launch.warmup = 0;
  JobResult result;
  std::uint64_t seed = job.seed;
  std::uint32_t warmup = job.launch->warmup;  // launches that are still due
  while (result.repetitions.size() < job.repetitions) {
    if (!server_) warmup = job.launch->warmup;  // a fresh one is cold
    auto ended = GPX_TRY(run_launch(launch, seed++, stop));
    if (!ended) return std::nullopt;
    if (warmup > 0 && ended->outcome == Outcome::completed) {
      --warmup;
      continue;
    }
    result.repetitions.push_back(std::move(*ended));
  }
  return result;
}

/// Nothing where it was told to stop.
Result<std::optional<Repetition>> IsolatedBackend::run_launch(const codegen::Launch& launch,
                                                              std::uint64_t seed,
                                                              const std::atomic<bool>& stop) {
  if (stop) return std::nullopt;
  if (auto ok = ensure_server(&stop); !ok) {
    if (stop) return std::nullopt;
    return tl::unexpected(ok.error());
  }
  const double watchdog = launch.watchdog > 0 ? launch.watchdog : options_.watchdog_s;
  Channel& channel = server_->channel();
  Message answer;
  Got got = channel.send(protocol::launch(launch, seed), after(options_.open_s), &stop);
  if (got == Got::message) got = channel.receive(answer, after(options_.open_s), &stop);
  if (got != Got::message || answer.kind != protocol::Kind::began) {
    if (got == Got::stopped) return std::nullopt;
    return failed(got, answer, "took a launch");
  }
  got = channel.receive(answer, after(watchdog + launch.metered + options_.margin_s), &stop);
  if (got != Got::message) return not_ended(got, answer, watchdog);
  auto repetition = protocol::read_ended(answer);
  if (!repetition) return failed(got, answer, "ran a launch");
  return repetition;
}

Result<std::optional<Repetition>> IsolatedBackend::not_ended(Got got, const Message& message,
                                                             double watchdog) {
  if (got != Got::late && got != Got::stopped) return failed(got, message, "ran a launch");
  server_->kill(true);  // and with it the kernel
  server_.reset();
  if (got == Got::stopped) return std::nullopt;
  if (!outcomes_)
    return fail(Fault::device, fmt::format("the kernel did not end within {} s", watchdog),
                "'watchdog 10ms' in the experiment makes this a result");
  Repetition repetition;
  repetition.outcome = Outcome::deadlock;
  return repetition;
}

}  // namespace

std::unique_ptr<Backend> isolate(std::unique_ptr<Backend> direct, IsolationOptions options) {
  return std::make_unique<IsolatedBackend>(std::move(direct), std::move(options));
}

}  // namespace gpx
