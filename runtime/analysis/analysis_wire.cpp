// Interface: analysis_wire.h. Covered by tests/runtime/analysis_wire_test.cpp.
#include "runtime/analysis/analysis_wire.h"

#include <string>
#include <utility>
#include <variant>

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

/// Which of the types it has, then the value.
template <typename Archive, typename... Types>
void exchange_variant(Archive& archive, const std::variant<Types...>& value) {
  archive(static_cast<std::uint64_t>(value.index()));
  std::visit(
      [&](const auto& held) {
        if constexpr (!std::is_same_v<std::decay_t<decltype(held)>, std::monostate>) archive(held);
      },
      value);
}
template <typename Archive, typename... Types>
void exchange_variant(Archive& archive, std::variant<Types...>& value) {
  std::uint64_t index = 0, at = 0;
  archive(index);
  const auto take = [&]<typename Held>(std::type_identity<Held>) {
    if (at++ != index) return;
    Held& held = value.template emplace<Held>();
    if constexpr (!std::is_same_v<Held, std::monostate>) archive(held);
  };
  (take(std::type_identity<Types>{}), ...);
}

template <typename Archive, typename T>
requires std::same_as<std::remove_const_t<T>, std::pair<std::string, Value>>
void exchange(Archive& archive, T& value) {
  archive(value.first);
  exchange_variant(archive, value.second);
}

template <typename Archive, Sent<PaperReading> T>
void exchange(Archive& archive, T& value) {
  auto& [reading, high, cite] = value;
  exchange_variant(archive, reading);
  exchange_optional(archive, high);
  archive(cite);
}

template <typename Archive, Sent<ProbeEvidence> T>
void exchange(Archive& archive, T& value) {
  auto& [what, first, last, x, y, points] = value;
  archive(what, first, last, x, y);
  std::vector<double> at, shown;  // A pair of the standard library has no exchange() of its own.
  for (const auto& [point, number] : points) at.push_back(point), shown.push_back(number);
  archive(at, shown);
  if constexpr (!std::is_const_v<T>)
    for (std::size_t i = 0; i < std::min(at.size(), shown.size()); ++i)
      points.emplace_back(at[i], shown[i]);
}

template <typename Archive, Sent<Finding> T>
void exchange(Archive& archive, T& value) {
  auto& [name, held, unit, low, high, confidence, verdict, note, evidence, probes, steps, proof,
         paper, modelled] = value;
  archive(name, unit, verdict, note, steps, modelled, probes);
  exchange_variant(archive, held);
  exchange_optional(archive, low);
  exchange_optional(archive, high);
  exchange_optional(archive, confidence);
  exchange_optional(archive, proof);
  exchange_optional(archive, paper);
  // A point is a list of pairs of the standard library, whose exchange() is not found by itself.
  std::uint64_t points = evidence.size();
  archive(points);
  if constexpr (!std::is_const_v<T>) evidence.resize(std::min<std::uint64_t>(points, 1 << 24));
  for (auto& point : evidence) {
    std::uint64_t pairs = point.size();
    archive(pairs);
    if constexpr (!std::is_const_v<T>) point.resize(std::min<std::uint64_t>(pairs, 1 << 16));
    for (auto& pair : point) exchange(archive, pair);
  }
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
  exchange_optional(archive, sm);
  archive(beside);
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
