// Chases on a backend: three kernels for each kind of chase, compiled once, loaded when the kind
// changes. Interface: prober.h. Covered by tests/runtime/prober_test.cpp.
#include "runtime/analysis/prober.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <numeric>
#include <tuple>

#include "codegen/ir/program.h"
#include "lang/language.h"
#include "runtime/device/backend.h"
#include "runtime/device/limits.h"
#include "runtime/measure/placement.h"

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
  bool streamed;                 ///< More accesses are observed than shared memory holds.
  std::uint64_t code_bytes = 0;  ///< 0: a chase.
  bool placed = false;
  struct Beside {
    std::uint64_t code_bytes, array_bytes;
    auto operator<=>(const Beside&) const = default;
  };
  std::vector<Beside> beside = {};
  auto operator<=>(const Kind&) const = default;
};

struct Prepared {
  codegen::Program program;  ///< One launch: the pattern of every request.
  std::vector<codegen::Artifact> artifacts;
};

void add_place(const ProbePlace& place, Kind& kind) {
  kind.placed = place.sm.has_value() || !place.beside.empty();
  for (const ProbeBeside& one : place.beside)
    kind.beside.push_back({one.code_bytes, one.array_bytes});
}

void set_scalar(codegen::Launch& launch, const codegen::Kernel& kernel, std::string_view name,
                std::uint64_t value) {
  const std::vector<std::string> names = kernel.scalars();
  const auto at = std::ranges::find(names, name);
  if (at != names.end()) launch.scalars[static_cast<std::size_t>(at - names.begin())] = value;
}

/// `chases`: how many chases the observed block has; those beside it are numbered after them.
void set_place(codegen::Launch& launch, const codegen::Kernel& kernel, const ProbePlace& place,
               std::uint32_t width, std::size_t chases) {
  if (place.sm) set_scalar(launch, kernel, "sm0", *place.sm);
  if (chases == 0) launch.contents.clear();
  for (std::size_t i = 0; i < place.beside.size(); ++i) {
    const ProbeBeside& one = place.beside[i];
    set_scalar(launch, kernel, fmt::format("sm{}", i + 1), one.sm);
    if (one.code_bytes > 0) continue;
    set_scalar(launch, kernel, fmt::format("first{}", chases), one.offsets.front());
    set_scalar(launch, kernel, fmt::format("accesses{}", chases), one.offsets.size());
    ++chases;
    launch.contents.push_back({Array::Layout::Kind::list, one.array_bytes, width, one.offsets});
  }
}

/// Links through a list that holds an offset twice lead round a part of it for ever.
Result<void> check_distinct(std::vector<std::uint64_t> offsets) {
  std::ranges::sort(offsets);
  if (const auto twice = std::ranges::adjacent_find(offsets); twice != offsets.end())
    return fail(Fault::device, fmt::format("the list of a chase holds offset {} twice", *twice));
  return {};
}

/// Accesses whose latency and index shared memory holds.
std::uint64_t kept_accesses(std::uint32_t width) {
  return kKept / (4 + width);
}

/// The chase as an experiment: everything after this is the pipeline's own way.
std::string text_of(const Kind& kind) {
  std::string arrays, places = kind.placed ? "  place sm 0\n" : "";
  for (std::size_t i = 0; i < kind.beside.size(); ++i) {
    const Kind::Beside& one = kind.beside[i];
    if (one.code_bytes > 0) {
      places += fmt::format("  beside sm 0 {{ code {}B }}\n", one.code_bytes);
      continue;
    }
    arrays += fmt::format("  array b{} : {}[{}B] chase(list [0B]) width {}B\n", i,
                          to_string(kind.space), one.array_bytes, kind.width);
    places += fmt::format("  beside sm 0 {{ load b{} x1 chain }}\n", i);
  }
  if (kind.code_bytes > 0)
    return fmt::format("experiment probe {{\n{}  rehearse 1\n{}  < code {}B >\n}}\n", arrays,
                       places, kind.code_bytes);
  const std::string_view cache = to_string(kind.cache);
  const std::uint64_t accesses = kind.streamed ? kMostStreamed : kept_accesses(kind.width);
  return fmt::format(
      "experiment probe {{\n  array a : {}[{}B] chase(list [0B]) width {}B\n{}  rehearse 1\n"
      "{}  observe {}\n  < load a {}{} x{} chain >\n}}\n",
      to_string(kind.space), kind.bytes, kind.width, arrays, places,
      kind.average ? "average" : "each", cache.empty() ? "" : "cache ", cache, accesses);
}

class BackendProber final : public Prober {
 public:
  BackendProber(Backend& backend, const std::atomic<bool>& stop, std::uint64_t seed)
      : backend_(backend), stop_(stop), seed_(seed) {}

  Result<ChaseLatencies> chase(const ChaseRequest& request) override;
  Result<std::vector<double>> code(const CodeRequest& request) override;
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
  codegen::Limits limits = limits_of(backend_.info());
  limits.shared_per_block = kKept;
  auto program = codegen::lower(experiment, experiment.measures.front(), source, limits);
  if (!program) return tl::unexpected(program.error());
  const codegen::Toolchain& toolchain = backend_.toolchain();
  auto artifacts = toolchain.compile(program->kernels, source, nullptr);
  if (!artifacts) return tl::unexpected(artifacts.error());
  for (std::size_t i = 0; i < artifacts->size(); ++i) {
    const auto region = toolchain.prove(program->kernels[i], (*artifacts)[i]);
    if (region.verdict == codegen::RegionReport::Verdict::refused)
      return fail(Fault::device, codegen::refusal("the chase", region));
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
  if (auto distinct = check_distinct(request.offsets); !distinct)
    return tl::unexpected(distinct.error());
  const std::uint64_t accesses = request.offsets.size() * std::uint64_t{request.observed_passes};
  const bool streamed = !request.average && accesses > kept_accesses(request.width);
  if (streamed && accesses > kMostStreamed)
    return fail(Fault::device, fmt::format("a chase of {} observed accesses: at most {}", accesses,
                                           kMostStreamed));
  Kind kind{request.space,       request.cache,   request.width,
            request.array_bytes, request.average, streamed};
  add_place(request.place, kind);
  if (auto loaded = load(kind); !loaded) return tl::unexpected(loaded.error());
  const codegen::Program& program = prepared_.at(kind).program;
  codegen::Launch launch = program.launches.front();
  const std::uint64_t rehearse =
      (request.warm_passes + request.observed_passes - 1) / request.observed_passes;
  const codegen::Kernel& kernel = program.kernels.front();
  set_scalar(launch, kernel, "rehearse", rehearse);
  set_scalar(launch, kernel, "first0", request.offsets.front());
  set_scalar(launch, kernel, "accesses0", accesses);
  launch.warmup = 0;
  launch.contents = {
      {Array::Layout::Kind::list, request.array_bytes, request.width, request.offsets}};
  set_place(launch, kernel, request.place, request.width, 1);
  if (!request.average) launch.record_extents = {accesses};
  const Job job{&launch, 1, seed_++};
  auto results = backend_.run({&job, 1}, stop_);
  if (!results) return tl::unexpected(results.error());
  if (results->size() != 1 || results->front().repetitions.size() != 1)
    return fail(Fault::device, "interrupted");
  if (auto met = check_placed(program, launch, results->front().repetitions.front()); !met)
    return tl::unexpected(met.error());
  return read(launch, request, results->front().repetitions.front());
}

Result<std::vector<double>> BackendProber::code(const CodeRequest& request) {
  if (stop_) return fail(Fault::device, "interrupted");
  Kind kind{Space::constant, CacheOp::unspecified, 4, 0, false, false, request.bytes};
  add_place(request.place, kind);
  if (auto loaded = load(kind); !loaded) return tl::unexpected(loaded.error());
  const codegen::Program& program = prepared_.at(kind).program;
  codegen::Launch launch = program.launches.front();
  set_scalar(launch, program.kernels.front(), "rehearse", request.warm_passes);
  set_place(launch, program.kernels.front(), request.place, 4, 0);
  launch.warmup = 0;
  const Job job{&launch, request.repetitions, seed_++};
  auto results = backend_.run({&job, 1}, stop_);
  if (!results) return tl::unexpected(results.error());
  if (results->size() != 1 || results->front().repetitions.size() != request.repetitions)
    return fail(Fault::device, "interrupted");
  std::vector<double> clocks;
  for (const Repetition& repetition : results->front().repetitions) {
    if (auto met = check_placed(program, launch, repetition); !met)
      return tl::unexpected(met.error());
    if (repetition.results.empty()) return fail(Fault::device, "the code returned nothing");
    clocks.push_back(static_cast<double>(repetition.results.front()));
  }
  return clocks;
}

// Every index must be the one that the list has there: then the chase went where it was sent.
Result<ChaseLatencies> BackendProber::read(const codegen::Launch& launch,
                                           const ChaseRequest& request,
                                           const Repetition& repetition) const {
  const std::size_t slots = prepared_.at(*loaded_).program.results.size();
  const auto& words = repetition.results;
  if (request.average) {
    if (words.empty()) return fail(Fault::device, "the chase returned nothing");
    const std::uint64_t accesses = request.offsets.size() * std::uint64_t{request.observed_passes};
    return ChaseLatencies{static_cast<double>(words.front()) / static_cast<double>(accesses)};
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
