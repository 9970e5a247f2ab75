// Requests on a backend: prepared once for each key, loaded when the key changes.
// Interface: prober.h. Covered by tests/runtime/prober_test.cpp.
#include "runtime/analysis/prober.h"

#include <algorithm>
#include <map>
#include <typeindex>
#include <utility>

#include "lang/assert.h"
#include "lang/try.h"
#include "runtime/analysis/probe/parts.h"
#include "runtime/measure/placement.h"

namespace gpx {
namespace {

constexpr std::uint64_t kConstantBytes = 64 << 10;
constexpr std::uint64_t kTextureBytes = 4ull << 27;

using ProbeKey = std::pair<std::type_index, std::vector<std::uint64_t>>;

class BackendProber final : public Prober {
 public:
  BackendProber(Backend& backend, const std::atomic<bool>& stop, std::uint64_t seed)
      : backend_(backend), stop_(stop), seed_(seed) {}

  Result<std::vector<double>> ask(const ProbeRequest& request) override;
  std::uint64_t most_bytes(Space space) const override;

 private:
  Result<const LoweredMeasure*> prepared(const ProbeKey& key, const ProbeRequest& request);
  Result<const codegen::Program*> load(const ProbeRequest& request);
  Result<std::vector<double>> answer(const codegen::Program& program, const codegen::Launch& launch,
                                     const ProbeRequest& request);
  Result<std::vector<Repetition>> run(const codegen::Program& program,
                                      const codegen::Launch& launch, std::uint32_t repetitions);

  Backend& backend_;
  const std::atomic<bool>& stop_;
  std::uint64_t seed_;
  std::map<ProbeKey, LoweredMeasure> prepared_;
  const LoweredMeasure* loaded_ = nullptr;
  bool fewer_do_ = true;  // until few blocks did not reach the SM that a kernel asked for
};

bool out_of_memory(const Error& error) {
  return !error.diagnostics.empty() && error.diagnostics.front().message.starts_with("out of ");
}

/// The same kernel and artifact once more for each further copy: a backend loads each by itself.
void add_copies(LoweredMeasure& measure, std::uint32_t kernels) {
  GPX_ASSERT(measure.program.kernels.size() == 1 && measure.artifacts.size() == 1);
  measure.program.kernels.resize(kernels, codegen::Kernel(measure.program.kernels.front()));
  measure.artifacts.resize(kernels, codegen::Artifact(measure.artifacts.front()));
}

Result<const LoweredMeasure*> BackendProber::prepared(const ProbeKey& key,
                                                      const ProbeRequest& request) {
  if (const auto known = prepared_.find(key); known != prepared_.end()) return &known->second;
  auto made = GPX_TRY(request.prepared(backend_));
  if (request.kernels() > 1) add_copies(made, request.kernels());
  return &(prepared_[key] = std::move(made));
}

Result<const codegen::Program*> BackendProber::load(const ProbeRequest& request) {
  auto measure = GPX_TRY(prepared({typeid(request), request.key()}, request));
  if (measure != loaded_) {
    loaded_ = nullptr;
    auto ok = backend_.load(measure->program, measure->artifacts);
    if (!ok && out_of_memory(ok.error())) ok.error().fault = Fault::input;  // a refusal
    if (!ok) return tl::unexpected(ok.error());
    loaded_ = measure;
  }
  return &loaded_->program;
}

/// Whole repetitions, every block of them where it was placed.
Result<std::vector<Repetition>> BackendProber::run(const codegen::Program& program,
                                                   const codegen::Launch& launch,
                                                   std::uint32_t repetitions) {
  const Job job{&launch, repetitions, seed_++};
  auto results = GPX_TRY(backend_.run({&job, 1}, stop_));
  if (results.size() != 1 || results.front().repetitions.size() != repetitions)
    return fail(Fault::device, "interrupted");
  for (const Repetition& repetition : results.front().repetitions) {
    if (repetition.results.size() < result_words(program, launch))
      return fail(Fault::device, "a probe returned fewer results than it has");
    GPX_TRY(check_placed(program, launch, repetition));
  }
  return std::move(results.front().repetitions);
}

Result<std::vector<double>> BackendProber::ask(const ProbeRequest& request) {
  if (stop_) return fail(Fault::device, "interrupted");
  GPX_TRY(request.check(backend_.info()));
  const auto program = GPX_TRY(load(request));
  codegen::Launch launch = program->launches.front();
  request.set(launch, program->kernels.front());
  GPX_ASSERT(launch.record_extents.size() == program->records.keys.size());
  GPX_ASSERT(launch.record_rows() <= program->launches.front().record_rows());
  if (request.fewer_blocks() != 0 && fewer_do_) {
    codegen::Launch fewer = launch;
    fewer.blocks = request.fewer_blocks();
    if (auto words = answer(*program, fewer, request); words || stop_) return words;
    fewer_do_ = false;
  }
  return answer(*program, launch, request);
}

Result<std::vector<double>> BackendProber::answer(const codegen::Program& program,
                                                  const codegen::Launch& launch,
                                                  const ProbeRequest& request) {
  const auto repetitions = GPX_TRY(run(program, launch, request.repetitions()));
  return request.read(program, launch, repetitions);
}

std::uint64_t BackendProber::most_bytes(Space space) const {
  const std::uint64_t memory = backend_.info().memory_bytes;
  switch (space) {
    case Space::constant: return kConstantBytes;
    case Space::texture: return std::min(kTextureBytes, memory / 2);
    case Space::shared: return kProbeSharedBytes / 2;
    case Space::peer: return backend_.info().peer_memory_bytes / 2;
    default: return memory / 2;
  }
}

}  // namespace

std::unique_ptr<Prober> make_prober(Backend& backend, const std::atomic<bool>& stop,
                                    std::uint64_t seed) {
  return std::make_unique<BackendProber>(backend, stop, seed);
}

}  // namespace gpx
