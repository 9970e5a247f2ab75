// Interface: device_protocol.h. Covered by tests/runtime/device_protocol_test.cpp.
#include "runtime/device/isolated/protocol.h"

#include <algorithm>

namespace gpx {

// Each `exchange` takes its type apart into all of its fields: one that is added to a type does not
// compile until it is sent. They lie beside their types, where wire.h finds them.

template <typename Archive, Sent<DeviceInfo> T>
void exchange(Archive& archive, T& value) {
  for_each_fact(value, [&](const Fact&, auto& member) { archive(member); });
}

template <typename Archive, Sent<Metered> T>
void exchange(Archive& archive, T& value) {
  auto& [joules, seconds, idle_watts, clock_hz] = value;
  archive(joules, seconds, idle_watts, clock_hz);
}

template <typename Archive, Sent<Repetition> T>
void exchange(Archive& archive, T& value) {
  auto& [outcome, results, seconds, blocks_run, sample_error, metered] = value;
  archive(outcome, results, seconds, blocks_run, sample_error, metered);
}

namespace codegen {

template <typename Archive, Sent<Register> T>
void exchange(Archive& archive, T& value) {
  auto& [name, type] = value;
  archive(name, type);
}

template <typename Archive, Sent<Buffer> T>
void exchange(Archive& archive, T& value) {
  auto& [name, bytes, written, place, has_contents, has_fill, bare, aligned, typed, is_signed] =
      value;
  archive(name, bytes, written, place, has_contents, has_fill, bare, aligned, typed, is_signed);
}

template <typename Archive, Sent<BufferFill> T>
void exchange(Archive& archive, T& value) {
  auto& [kind, element, bytes, first, second, words, rest] = value;
  archive(kind, element, bytes, first, second, words, rest);
}

template <typename Archive, Sent<Argument::Part> T>
void exchange(Archive& archive, T& value) {
  auto& [buffer, bytes, bits, offset] = value;
  archive(buffer, bytes, bits, offset);
}

template <typename Archive, Sent<Argument> T>
void exchange(Archive& archive, T& value) {
  archive(value.parts);
}

template <typename Archive, Sent<ResultSlot> T>
void exchange(Archive& archive, T& value) {
  auto& [name, initial, role] = value;
  archive(name, initial, role);
}

template <typename Archive, Sent<Records::Key> T>
void exchange(Archive& archive, T& value) {
  auto& [name, labels] = value;
  archive(name, labels);
}

template <typename Archive, Sent<Records> T>
void exchange(Archive& archive, T& value) {
  auto& [keys, columns] = value;
  archive(keys, columns);
}

template <typename Archive, Sent<ChaseContents> T>
void exchange(Archive& archive, T& value) {
  auto& [kind, bytes, width, args] = value;
  archive(kind, bytes, width, args);
}

template <typename Archive, Sent<TensorMap> T>
void exchange(Archive& archive, T& value) {
  auto& [buffer, element, extents, box] = value;
  archive(buffer, element, extents, box);
}

template <typename Archive, Sent<Launch> T>
void exchange(Archive& archive, T& value) {
  auto& [kernel, blocks, threads, cluster, scalars, warmup, flush, flush_bytes, offset, extents,
         contents, tensors, watchdog, metered, bank_width, carveout, placed, sampled, deviation,
         largest, whole_below, most_instructions, blocks_down, threads_down, blocks_deep,
         threads_deep, shared_bytes, arguments, fills] = value;
  archive(kernel, blocks, threads, cluster, scalars, warmup, flush, flush_bytes, offset, extents,
          contents, tensors, watchdog, metered, bank_width, carveout, placed, sampled, deviation,
          largest, whole_below, most_instructions, blocks_down, threads_down, blocks_deep,
          threads_deep, shared_bytes, arguments, fills);
}

/// A backend reads of a kernel what it takes and what is observed.
template <typename Archive, Sent<Kernel> T>
void exchange(Archive& archive, T& value) {
  archive(value.name, value.threads, value.parameters, value.registers, value.observe);
}

/// The launches come one by one.
template <typename Archive, Sent<Program> T>
void exchange(Archive& archive, T& value) {
  auto& [kernels, buffers, results, records, launches, repetitions, until_percent, outcomes,
         may_hang, user] = value;
  archive(kernels, buffers, results, records, repetitions, until_percent, outcomes, may_hang, user);
}

/// What is loaded, without what people read.
template <typename Archive, Sent<Artifact> T>
void exchange(Archive& archive, T& value) {
  archive(value.entry, value.ptx, value.cubin, value.registers, value.target.form, value.target.sm);
}

}  // namespace codegen

namespace protocol {
namespace {

template <typename... Values>
Message pack(Kind kind, const Values&... values) {
  wire::Writer writer;
  writer(values...);
  return {kind, writer.take()};
}

template <typename... Values>
bool unpack(const Message& message, Kind kind, Values&... values) {
  if (message.kind != kind) return false;
  wire::Reader reader(message.body);
  reader(values...);
  return reader.complete();
}

}  // namespace

std::string version() {
  return "gpx device protocol 3, gpx " GPX_VERSION;
}

Message hello(const DeviceInfo& device) {
  return pack(Kind::hello, version(), device);
}

std::optional<Hello> read_hello(const Message& message) {
  Hello hello;
  return unpack(message, Kind::hello, hello.version, hello.device) ? std::optional(hello)
                                                                   : std::nullopt;
}

Message load(const codegen::Program& program, std::span<const codegen::Artifact> artifacts) {
  // A kernel's other registers mean nothing without its instructions.
  std::vector<codegen::Kernel> kernels = program.kernels;
  for (codegen::Kernel& kernel : kernels)
    kernel.registers.resize(std::min<std::size_t>(kernel.parameters, kernel.registers.size()));
  codegen::Program sent = program;
  sent.kernels = std::move(kernels);
  return pack(Kind::load, sent, std::vector<codegen::Artifact>(artifacts.begin(), artifacts.end()));
}

std::optional<LoadRequest> read_load(const Message& message) {
  LoadRequest request;
  const bool ok = unpack(message, Kind::load, request.program, request.artifacts);
  return ok ? std::optional(std::move(request)) : std::nullopt;
}

Message launch(const codegen::Launch& launch, std::uint64_t seed) {
  return pack(Kind::launch, launch, seed);
}

std::optional<LaunchRequest> read_launch(const Message& message) {
  LaunchRequest request;
  const bool ok = unpack(message, Kind::launch, request.launch, request.seed);
  return ok ? std::optional(std::move(request)) : std::nullopt;
}

Message ended(const Repetition& repetition) {
  return pack(Kind::ended, repetition);
}

std::optional<Repetition> read_ended(const Message& message) {
  Repetition repetition;
  const bool ok = unpack(message, Kind::ended, repetition);
  return ok ? std::optional(std::move(repetition)) : std::nullopt;
}

Message error(const Error& error) {
  const Diagnostic& first = error.diagnostics.front();
  return pack(Kind::error, error.fault, first.message, first.hint);
}

std::optional<Error> read_error(const Message& message) {
  Fault fault{};
  std::string text, hint;
  if (!unpack(message, Kind::error, fault, text, hint)) return std::nullopt;
  return make_error(fault == Fault::input ? Fault::input : Fault::device, text, hint);
}

Channel::Got Channel::send(const Message& message, std::optional<Clock::time_point> deadline,
                           const std::atomic<bool>* stop) {
  return channel_.send({static_cast<std::uint64_t>(message.kind), message.body}, deadline, stop);
}

Channel::Got Channel::receive(Message& message, std::optional<Clock::time_point> deadline,
                              const std::atomic<bool>* stop) {
  confined::Frame frame;
  const Got got = channel_.receive(frame, static_cast<std::uint64_t>(Kind::hello),
                                   static_cast<std::uint64_t>(Kind::ended), deadline, stop);
  message.kind = static_cast<Kind>(frame.kind);
  message.body = std::move(frame.body);
  return got;
}

}  // namespace protocol
}  // namespace gpx
