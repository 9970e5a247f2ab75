// Chases on a backend: three kernels for each kind of chase, compiled once, loaded when the kind
// changes. Interface: prober.h. Covered by tests/experiments/catalogue_test.cpp.
#include "runtime/prober.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <numeric>
#include <tuple>

#include "codegen/compile.h"
#include "codegen/program.h"
#include "codegen/timed_region.h"
#include "lang/language.h"
#include "runtime/backend.h"

namespace gpx {
namespace {

// Shared memory that the smallest device has for what a chase keeps, less what a launch takes.
constexpr std::uint64_t kKept = 15 << 10;
constexpr std::uint64_t kMostStreamed = 1 << 20;
constexpr std::uint64_t kConstantBytes = 64 << 10;
constexpr std::uint64_t kTextureBytes = 4ull << 27;

/// What decides a chase's kernel and the memory that it needs.
struct Kind {
  Space space;
  CacheOp cache;
  std::uint32_t width;
  std::uint64_t bytes;
  bool average;
  bool streamed;  ///< More accesses are observed than shared memory holds.
  auto operator<=>(const Kind&) const = default;
};

struct Prepared {
  codegen::Program program;  ///< One launch: the pattern of every request.
  std::vector<codegen::Artifact> artifacts;
};

/// Accesses whose latency and index shared memory holds.
std::uint64_t kept_accesses(std::uint32_t width) {
  return kKept / (4 + width);
}

/// The chase as an experiment: everything after this is the pipeline's own way.
std::string text_of(const Kind& kind) {
  const std::string_view cache = to_string(kind.cache);
  const std::uint64_t accesses = kind.streamed ? kMostStreamed : kept_accesses(kind.width);
  return fmt::format(
      "experiment probe {{\n  array a : {}[{}B] chase(list [0B]) width {}B\n  rehearse 1\n"
      "  observe {}\n  < load a {}{} x{} chain >\n}}\n",
      to_string(kind.space), kind.bytes, kind.width, kind.average ? "average" : "each",
      cache.empty() ? "" : "cache ", cache, accesses);
}

class BackendProber final : public Prober {
 public:
  BackendProber(Backend& backend, const std::atomic<bool>& stop, std::uint64_t seed)
      : backend_(backend), stop_(stop), seed_(seed) {}

  Result<ChaseLatencies> chase(const ChaseRequest& request) override;
  std::uint64_t most_bytes(Space space) const override;

 private:
  Result<const Prepared*> prepare(const Kind& kind);
  Result<void> load(const Kind& kind);
  Result<ChaseLatencies> read(const codegen::Launch& launch, const ChaseRequest& request,
                              const Repetition& repetition) const;

  Backend& backend_;
  const std::atomic<bool>& stop_;
  std::uint64_t seed_;
  std::map<Kind, Prepared> prepared_;
  std::optional<Kind> loaded_;
};

Result<const Prepared*> BackendProber::prepare(const Kind& kind) {
  if (const auto known = prepared_.find(kind); known != prepared_.end()) return &known->second;
  const Source source("probe", text_of(kind));
  auto ast = parse(source);
  if (!ast) return tl::unexpected(ast.error());
  auto experiments = check(*ast, source);
  if (!experiments) return tl::unexpected(experiments.error());
  const Experiment& experiment = experiments->front();
  codegen::Limits limits;
  limits.threads_per_block = backend_.info().max_threads_per_block;
  limits.memory_bytes = backend_.info().memory_bytes;
  limits.shared_per_block = kKept;
  auto program = codegen::lower(experiment, experiment.measures.front(), source, limits);
  if (!program) return tl::unexpected(program.error());
  codegen::CompileOptions options;
  options.source = &source;
  auto artifacts = codegen::compile(program->kernels, backend_.target(), options, nullptr);
  if (!artifacts) return tl::unexpected(artifacts.error());
  for (std::size_t i = 0; i < artifacts->size(); ++i) {
    const auto region = codegen::check_timed_region(program->kernels[i], (*artifacts)[i]);
    if (region.verdict == codegen::RegionReport::Verdict::refused)
      return fail(Fault::device,
                  fmt::format("the chase's timed region is not what was asked for: {}\n{}",
                              region.reason, region.listing));
  }
  return &(prepared_[kind] = {std::move(*program), std::move(*artifacts)});
}

Result<void> BackendProber::load(const Kind& kind) {
  auto prepared = prepare(kind);
  if (!prepared) return tl::unexpected(prepared.error());
  if (loaded_ == kind) return {};
  loaded_.reset();
  if (auto loaded = backend_.load((*prepared)->program, (*prepared)->artifacts); !loaded)
    return loaded;
  loaded_ = kind;
  return {};
}

// The region is run `rehearse` times before the pass that counts: as many whole observations as
// make up the warm passes.
Result<ChaseLatencies> BackendProber::chase(const ChaseRequest& request) {
  if (stop_) return fail(Fault::device, "interrupted");
  const std::uint64_t accesses = request.offsets.size() * std::uint64_t{request.observed_passes};
  const bool streamed = !request.average && accesses > kept_accesses(request.width);
  if (streamed && accesses > kMostStreamed)
    return fail(Fault::device, fmt::format("a chase of {} observed accesses: at most {}", accesses,
                                           kMostStreamed));
  const Kind kind{request.space,   request.cache, request.width, request.array_bytes,
                  request.average, streamed};
  if (auto loaded = load(kind); !loaded) return tl::unexpected(loaded.error());
  const codegen::Program& program = prepared_.at(kind).program;
  codegen::Launch launch = program.launches.front();
  const std::uint64_t rehearse =
      (request.warm_passes + request.observed_passes - 1) / request.observed_passes;
  launch.scalars = {launch.scalars.front(), rehearse, request.offsets.front(), accesses};
  launch.warmup = 0;
  launch.contents = {
      {Array::Layout::Kind::list, request.array_bytes, request.width, request.offsets}};
  if (!request.average) launch.record_extents = {accesses};
  const Job job{&launch, 1, seed_++};
  auto results = backend_.run({&job, 1}, stop_);
  if (!results) return tl::unexpected(results.error());
  if (results->size() != 1 || results->front().repetitions.size() != 1)
    return fail(Fault::device, "interrupted");
  return read(launch, request, results->front().repetitions.front());
}

// Every index must be the one that the list has there: then the chase went where it was sent.
Result<ChaseLatencies> BackendProber::read(const codegen::Launch& launch,
                                           const ChaseRequest& request,
                                           const Repetition& repetition) const {
  const std::size_t slots = prepared_.at(*loaded_).program.results.size();
  const auto& words = repetition.results;
  if (request.average) {
    if (words.empty()) return fail(Fault::device, "the chase returned nothing");
    return ChaseLatencies{static_cast<double>(words.front()) /
                          static_cast<double>(launch.scalars.back())};
  }
  const std::size_t rows = launch.record_extents.front();
  if (words.size() < slots + 2 * rows)
    return fail(Fault::device, "the chase returned fewer rows than it made");
  ChaseLatencies latencies(rows);
  for (std::size_t i = 0; i < rows; ++i) {
    const std::uint64_t index = words[slots + 2 * i + 1];
    if (index != request.offsets[i % request.offsets.size()])
      return fail(Fault::device,
                  fmt::format("access {} of the chase read at {} B instead of {} B", i, index,
                              request.offsets[i % request.offsets.size()]));
    latencies[i] = static_cast<double>(words[slots + 2 * i]);
  }
  return latencies;
}

std::uint64_t BackendProber::most_bytes(Space space) const {
  const std::uint64_t memory = backend_.info().memory_bytes;
  switch (space) {
    case Space::constant:
      return kConstantBytes;
    case Space::texture:
      return std::min(kTextureBytes, memory / 2);
    case Space::shared:
      return kKept / 2;
    default:
      return memory / 2;
  }
}

}  // namespace

std::unique_ptr<Prober> make_prober(Backend& backend, const std::atomic<bool>& stop,
                                    std::uint64_t seed) {
  return std::make_unique<BackendProber>(backend, stop, seed);
}

}  // namespace gpx
