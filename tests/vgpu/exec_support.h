// What the interpreter's tests share: a launch of a kernel over typed buffers.
#pragma once

#include <doctest/doctest.h>
#include <fmt/format.h>

#include <cstring>
#include <fstream>
#include <sstream>
#include <string>
#include <vector>

#include "runtime/device/vgpu/exec/run.h"

namespace gpx::vgpu::exec {

inline std::string read_text(const std::string& path) {
  std::ifstream in(path);
  std::stringstream out;
  out << in.rdbuf();
  return out.str();
}

inline ptx::Module parse_or_fail(const std::string& text) {
  auto module = ptx::parse("ptx", text);
  if (!module) FAIL(render(module.error()));
  return std::move(*module);
}

/// A module with its own memory. Buffers are made, kernels launched, buffers read back.
class Device {
 public:
  explicit Device(const std::string& text) : module(parse_or_fail(text)) {}

  template <class T>
  std::uint64_t buffer(const std::vector<T>& data) {
    std::uint64_t address = memory.allocate(data.size() * sizeof(T), nullptr);
    REQUIRE(memory.write(address, data.data(), static_cast<unsigned>(data.size() * sizeof(T))));
    return address;
  }
  template <class T>
  std::vector<T> read(std::uint64_t address, std::size_t count) {
    std::vector<T> out(count);
    REQUIRE(memory.read(address, out.data(), static_cast<unsigned>(count * sizeof(T))));
    return out;
  }

  template <class... Args>
  tl::expected<RunReport, Trap> launch(const std::string& name, Grid grid, Args... args) {
    const ptx::Function* entry = module.find(name);
    REQUIRE(entry);
    std::vector<std::uint8_t> block;
    std::size_t next = 0;
    [[maybe_unused]] auto put = [&](auto arg) {
      const ptx::Variable& v = entry->parameters.at(next++);
      REQUIRE(v.bytes == sizeof(arg));
      block.resize(v.address + v.bytes);
      std::memcpy(block.data() + v.address, &arg, sizeof(arg));
    };
    (put(args), ...);
    Executor executor(module, *entry, grid, block, memory);
    executor.set_model(model, turn);
    if (constants) executor.set_constants(constants);
    return exec::run(executor, limits);
  }
  template <class... Args>
  RunReport run(const std::string& name, Grid grid, Args... args) {
    auto report = launch(name, grid, args...);
    if (!report) FAIL(fmt::format("{}:{}: {}", name, report.error().line, report.error().message));
    return *report;
  }

  ptx::Module module;
  GlobalMemory memory;
  RunLimits limits;
  Model model = Model::stack;
  std::uint32_t turn = 16;
  std::shared_ptr<const std::vector<std::uint8_t>> constants;
};

inline constexpr Model kModels[] = {Model::stack, Model::independent};

inline Grid grid_of(std::uint32_t blocks, std::uint32_t threads, std::uint32_t shared = 0) {
  return {{blocks, 1, 1}, {threads, 1, 1}, shared};
}

/// A small generator of numbers, the same on every host.
class Numbers {
 public:
  explicit Numbers(std::uint64_t seed) : state_(seed * 2654435761u + 88172645463325252ull) {}
  std::uint64_t operator()() {
    state_ ^= state_ << 13;
    state_ ^= state_ >> 7;
    state_ ^= state_ << 17;
    return state_ * 0x2545f4914f6cdd1dull;
  }
  double unit() { return static_cast<double>((*this)() >> 11) * 0x1p-53; }

 private:
  std::uint64_t state_;
};

}  // namespace gpx::vgpu::exec
