// Interface: guess.h. Covered by tests/runtime/trial_test.cpp.
#include "runtime/trial/guess.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>

namespace gpx {
namespace {

using codegen::Element;
using codegen::KernelParameter;
using codegen::StructMember;
using codegen::ValueType;

constexpr std::uint64_t kBufferBytes = 4 << 20;
constexpr const char* kSharedBytes = "16KB";

/// Blocks and threads, and the extent that a side of the data has.
struct Shape {
  std::vector<std::string> grid, block;
  int threads, side;
};
const Shape& shape_of(int extents) {
  static const std::array<Shape, 3> kShapes = {Shape{{"4"}, {"128"}, 512, 512},
                                               Shape{{"2", "2"}, {"16", "16"}, 1024, 32},
                                               Shape{{"2", "2", "2"}, {"8", "8", "4"}, 2048, 8}};
  return kShapes[static_cast<std::size_t>(std::clamp(extents, 1, 3) - 1)];
}

/// Numbers of steps and the like: a name that has one of these words in it.
constexpr std::array<std::string_view, 18> kSmall = {
    "iter", "step", "round", "time",  "loop",    "radius", "offset", "shift", "seed",
    "mode", "flag", "depth", "level", "channel", "axis",   "dim",    "index", "start"};

bool is_small(const std::string& name) {
  std::string lower = name;
  std::ranges::transform(lower, lower.begin(), [](unsigned char c) { return std::tolower(c); });
  return std::ranges::any_of(
      kSmall, [&](std::string_view word) { return lower.find(word) != std::string::npos; });
}

std::string number_text(const ValueType& type, const std::string& name, const Shape& shape,
                        Counts counts) {
  if (codegen::is_real(type.element)) return "0.5";
  if (type.is_truth) return "true";
  if (codegen::bytes_of(type.element) < 4 || counts == Counts::ones || is_small(name)) return "1";
  return fmt::format("{}", shape.side);
}

std::string lanes_text(const ValueType& type, const std::string& number) {
  if (type.lanes == 1) return number;
  std::string text = "(" + number;
  for (std::uint32_t lane = 1; lane < type.lanes; ++lane) text += ", " + number;
  return text + ")";
}

/// "i32(512)", "buffer(4MB, zero)"; where the file does not say what the struct holds, zeros.
std::string struct_text(const KernelParameter& parameter, const Shape& shape, Counts counts) {
  std::string text;
  const auto add = [&](const std::string& member) { text += (text.empty() ? "" : ", ") + member; };
  for (const StructMember& member : parameter.declared.members) {
    const bool real = member.kind == StructMember::Kind::real;
    const std::string type = fmt::format("{}{}", real ? 'f' : 'i', 8 * member.bytes);
    const std::string name = member.text.substr(member.text.find_last_of(" *") + 1);
    if (member.kind == StructMember::Kind::pointer)
      add(fmt::format("buffer({}B, zero)", kBufferBytes));
    else
      add(fmt::format("{}({})", type,
                      number_text(*codegen::value_type(type), name, shape, counts)));
  }
  for (std::uint32_t i = 0; text.empty() && i < parameter.bytes; ++i)
    text = i == 0 ? "u8(0)" : text;
  if (parameter.declared.members.empty())
    for (std::uint32_t i = 1; i < parameter.bytes; ++i) add("u8(0)");
  return "struct(" + text + ")";
}

/// Real numbers lie between 0 and 1; integers are 0, which is an index of every array.
std::string buffer_text(const KernelParameter& parameter) {
  const bool real = parameter.element && codegen::is_real(*parameter.element);
  return fmt::format("{}B:{}", kBufferBytes, real ? "uniform(0, 1)" : "zero");
}

}  // namespace

PredictRequest guess(const FoundKernel& kernel, const codegen::KernelEntry& entry, Counts counts) {
  const Shape& shape = shape_of(kernel.extents);
  PredictRequest request;
  request.file = kernel.file;
  request.entry = entry.symbol;
  request.grid = shape.grid;
  request.block = shape.block;
  for (const KernelParameter& parameter : entry.parameters) {
    if (parameter.kind == KernelParameter::Kind::pointer) {
      request.buffers.push_back(parameter.name + "=" + buffer_text(parameter));
      continue;
    }
    const std::string value =
        parameter.value ? lanes_text(*parameter.value,
                                     number_text(*parameter.value, parameter.name, shape, counts))
                        : struct_text(parameter, shape, counts);
    request.arguments.push_back(parameter.name + "=" + value);
  }
  if (!entry.dynamic_shared.empty()) request.shared_bytes = kSharedBytes;
  return request;
}

}  // namespace gpx
