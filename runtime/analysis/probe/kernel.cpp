// Interface: kernel.h. Covered by tests/runtime/kernel_probe_test.cpp.
#include "runtime/analysis/probe/kernel.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <xxhash.h>

#include <algorithm>
#include <bit>
#include <functional>

#include "lang/try.h"
#include "runtime/analysis/probe/parts.h"

namespace gpx {
namespace {

std::string array_name(std::size_t i) {
  return fmt::format("array{}", i);
}
std::string texture_name(std::size_t i) {
  return fmt::format("texture{}", i);
}
std::string list_name(std::size_t i) {
  return fmt::format("list{}", i);
}

/// The text without comments, and with one blank for any that follow each other.
std::string code_of(const std::string& text) {
  std::string code;
  code.reserve(text.size());
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '/' && text.compare(i, 2, "//") == 0)
      i = std::min(text.find('\n', i), text.size());
    const bool blank = i == text.size() || text[i] == ' ' || text[i] == '\n';
    if (!blank)
      code += text[i];
    else if (!code.empty() && code.back() != ' ')
      code += ' ';
  }
  if (code.ends_with(' ')) code.pop_back();
  return code;
}

}  // namespace

/// In steps, so that requests of about one size share a program.
std::uint64_t KernelRequest::room_for(std::uint64_t words) const {
  return std::max(room, std::bit_ceil(words));
}

Result<void> KernelRequest::check(const DeviceInfo& device) const {
  std::uint64_t bytes = 8 * room_for(results);
  for (const std::uint64_t array : arrays) bytes += array;
  for (const std::uint64_t texture : textures) bytes += texture;
  for (const auto& list : lists) bytes += 8 * room_for(list.size());
  if (device.memory_bytes != 0 && bytes > device.memory_bytes)
    return fail(Fault::input, fmt::format("the probe '{}' needs {} B of memory: the device has {}",
                                          name, bytes, device.memory_bytes));
  if (threads > device.max_threads_per_block)
    return fail(Fault::input,
                fmt::format("the probe '{}' has {} threads: a block of the device has "
                            "{} at most",
                            name, threads, device.max_threads_per_block));
  return {};
}

std::string KernelRequest::question() const {
  const std::string code = code_of(text);
  std::string out = fmt::format("kernel {}#{:016x} arrays={}", name,
                                XXH3_64bits(code.data(), code.size()), fmt::join(arrays, ","));
  if (bare) out += " bare";
  if (!textures.empty()) out += fmt::format(" textures={}", fmt::join(textures, ","));
  out += fmt::format(" grid={}x{}", blocks, threads);
  if (fewer > 0) out += fmt::format(" fewer={}", fewer);
  out += fmt::format(" room={} results={} scalars={}", room, results, fmt::join(scalars, ","));
  for (const auto& list : lists) out += " list=" + list_text(list);
  return out;
}

std::vector<std::uint64_t> KernelRequest::key() const {
  std::vector<std::uint64_t> key = {std::hash<std::string>()(name + '\n' + text), bare,
                                    room_for(results), scalars.size()};
  key.insert(key.end(), arrays.begin(), arrays.end());
  key.push_back(arrays.size());
  key.insert(key.end(), textures.begin(), textures.end());
  for (const auto& list : lists) key.push_back(room_for(list.size()));
  return key;
}

/// What it takes; it has no body that gpx knows.
codegen::Kernel KernelRequest::declaration() const {
  codegen::Kernel kernel;
  kernel.name = name;
  kernel.threads = threads;
  const auto add = [&](std::string parameter, codegen::Type type) {
    kernel.registers.push_back({std::move(parameter), type});
  };
  for (std::size_t i = 0; i < arrays.size(); ++i) add(array_name(i), codegen::Type::buffer);
  for (std::size_t i = 0; i < textures.size(); ++i) add(texture_name(i), codegen::Type::buffer);
  for (std::size_t i = 0; i < lists.size(); ++i) add(list_name(i), codegen::Type::buffer);
  for (std::size_t i = 0; i < scalars.size(); ++i)
    add(fmt::format("scalar{}", i), codegen::Type::u64);
  kernel.parameters = static_cast<std::uint32_t>(kernel.registers.size());
  return kernel;
}

codegen::Program KernelRequest::program() const {
  codegen::Program program;
  program.kernels = {declaration()};
  for (std::size_t i = 0; i < arrays.size(); ++i) {
    codegen::Buffer buffer{array_name(i), arrays[i]};
    buffer.bare = bare;
    buffer.aligned = true;  // large granules of translation begin there, as on real GPUs
    buffer.written = bare;
    program.buffers.push_back(std::move(buffer));
  }
  for (std::size_t i = 0; i < textures.size(); ++i) {
    codegen::Buffer buffer{texture_name(i), textures[i]};
    buffer.place = codegen::Buffer::Place::texture;
    program.buffers.push_back(std::move(buffer));
  }
  for (std::size_t i = 0; i < lists.size(); ++i) {
    codegen::Buffer buffer{list_name(i), 8 * room_for(lists[i].size()), true};
    buffer.has_fill = true;
    program.buffers.push_back(std::move(buffer));
  }
  program.records = {{{"word", {}}}, {"value"}};
  codegen::Launch& launch = program.launches.emplace_back();
  launch.fills.resize(program.buffers.size());
  launch.scalars.resize(scalars.size());
  launch.record_extents = {room_for(results)};
  return program;
}

Result<LoweredMeasure> KernelRequest::prepared(Backend& backend) const {
  auto compiled = GPX_TRY(backend.toolchain().compile_file(Source(file, text), {}, nullptr));
  LoweredMeasure measure{nullptr, program(), {}};
  codegen::Artifact artifact = std::move(compiled.artifact);
  artifact.entry = name;
  measure.artifacts.push_back(std::move(artifact));
  return measure;
}

void KernelRequest::set(codegen::Launch& launch, const codegen::Kernel&) const {
  launch.blocks = blocks;
  launch.threads = threads;
  launch.scalars = scalars;
  launch.carveout = 0;  // L1 gets what it can have of the memory that it shares.
  launch.record_extents = {results};
  for (std::size_t i = 0; i < lists.size(); ++i) {
    codegen::BufferFill& fill = launch.fills[arrays.size() + textures.size() + i];
    fill.words = lists[i];
    if (fill.words.empty()) fill.words = {0};
    fill.bytes = 8 * fill.words.size();
  }
}

Result<std::vector<double>> KernelRequest::read(const codegen::Program&, const codegen::Launch&,
                                                std::span<const Repetition> repetitions) const {
  std::vector<double> answer;
  answer.reserve(results);
  for (std::uint64_t i = 0; i < results; ++i) {
    const std::uint64_t word = repetitions.front().results[i];
    if (word == codegen::kNotKept)
      return fail(Fault::device, fmt::format("the probe '{}' did not write word {}", name, i));
    answer.push_back(static_cast<double>(word));
  }
  return answer;
}

}  // namespace gpx
