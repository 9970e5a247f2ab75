// Interface: analysis_wire.h. Covered by tests/runtime/analysis_wire_test.cpp.
#include "runtime/analysis/analysis_wire.h"

#include <string>

#include "codegen/confined/error_wire.h"
#include "runtime/analysis/probe/chase.h"
#include "runtime/analysis/probe/code.h"
#include "runtime/analysis/probe/kernel.h"

namespace gpx {

// Beside their types, where wire.h finds them.

template <typename Archive, Sent<Quantity> T>
void exchange(Archive& archive, T& value) {
  auto& [number, unit, rest] = value;
  archive(number, unit, rest);
}

template <typename Archive, Sent<PaperReading> T>
void exchange(Archive& archive, T& value) {
  auto& [reading, high, cite] = value;
  archive(reading, high, cite);
}

template <typename Archive, Sent<ProbeEvidence> T>
void exchange(Archive& archive, T& value) {
  auto& [what, first, last, x, y, points] = value;
  archive(what, first, last, x, y, points);
}

template <typename Archive, Sent<Finding> T>
void exchange(Archive& archive, T& value) {
  auto& [name, held, unit, low, high, confidence, verdict, note, evidence, probes, steps, proof,
         paper, modelled] = value;
  archive(name, held, unit, low, high, confidence, verdict, note, evidence, probes, steps, proof,
          paper, modelled);
}

template <typename Archive, Sent<AnalysisResult> T>
void exchange(Archive& archive, T& value) {
  auto& [findings, refusals] = value;
  archive(findings, refusals);
}

template <typename Archive, Sent<ProbeBeside> T>
void exchange(Archive& archive, T& value) {
  auto& [sm, code_bytes, array_bytes, offsets] = value;
  archive(sm, code_bytes, array_bytes, offsets);
}

template <typename Archive, Sent<ProbePlace> T>
void exchange(Archive& archive, T& value) {
  auto& [sm, beside] = value;
  archive(sm, beside);
}

template <typename Archive, Sent<ChaseRequest> T>
void exchange(Archive& archive, T& v) {
  archive(v.space, v.cache, v.width, v.array_bytes, v.offsets, v.warm_passes, v.observed_passes,
          v.average, v.flush, v.place, v.copies, v.copy);
}

template <typename Archive, Sent<CodeRequest> T>
void exchange(Archive& archive, T& v) {
  archive(v.bytes, v.warm_passes, v.runs, v.place);
}

template <typename Archive, Sent<KernelRequest> T>
void exchange(Archive& archive, T& v) {
  archive(v.name, v.file, v.text, v.arrays, v.bare, v.textures, v.lists, v.scalars, v.results,
          v.room, v.blocks, v.threads, v.fewer);
}

namespace {

enum class RequestKind : std::uint8_t { chase, code, kernel, print };

template <typename Request>
std::unique_ptr<ProbeRequest> read_request(wire::Reader& reader) {
  auto request = std::make_unique<Request>();
  reader(*request);
  if (!reader.complete()) return nullptr;
  return request;
}

}  // namespace

wire::Bytes to_bytes(const Result<AnalysisResult>& result) {
  return confined::to_bytes(result);
}
Result<AnalysisResult> analysis_from(const wire::Bytes& bytes) {
  return confined::result_from<AnalysisResult>(bytes);
}

wire::Bytes to_bytes(const Result<std::vector<double>>& answer) {
  return confined::to_bytes(answer);
}
Result<std::vector<double>> answer_from(const wire::Bytes& bytes) {
  return confined::result_from<std::vector<double>>(bytes);
}

wire::Bytes to_bytes(const ProbeRequest& request) {
  wire::Writer writer;
  if (const auto* chase = dynamic_cast<const ChaseRequest*>(&request))
    writer(RequestKind::chase, *chase);
  else if (const auto* code = dynamic_cast<const CodeRequest*>(&request))
    writer(RequestKind::code, *code);
  else if (const auto* kernel = dynamic_cast<const KernelRequest*>(&request))
    writer(RequestKind::kernel, *kernel);
  return writer.take();
}

wire::Bytes printed_bytes(const std::string& line) {
  wire::Writer writer;
  writer(RequestKind::print, line);
  return writer.take();
}

std::optional<std::string> printed_from(const wire::Bytes& bytes) {
  wire::Reader reader(bytes);
  RequestKind kind{};
  reader(kind);
  if (kind != RequestKind::print) return std::nullopt;
  std::string line;
  reader(line);
  if (!reader.complete()) return std::nullopt;
  return line;
}

std::unique_ptr<ProbeRequest> request_from(const wire::Bytes& bytes) {
  wire::Reader reader(bytes);
  RequestKind kind{};
  reader(kind);
  switch (kind) {
    case RequestKind::chase: return read_request<ChaseRequest>(reader);
    case RequestKind::code: return read_request<CodeRequest>(reader);
    case RequestKind::kernel: return read_request<KernelRequest>(reader);
    case RequestKind::print: break;
  }
  return nullptr;
}

}  // namespace gpx
