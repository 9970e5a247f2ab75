// Structure -> kernel IR: the address of every access, as experiment.h's Pattern defines it.
// Interface: codegen/structure.h.
#include "codegen/structure.h"

#include <fmt/format.h>
#include <xxhash.h>

#include <map>

#include "lang/vocabulary.h"

namespace gpx::codegen {
namespace {

Op load_op(std::uint32_t width) {
  switch (width) {
    case 1:
      return Op::ld_b8;
    case 2:
      return Op::ld_b16;
    case 8:
      return Op::ld_b64;
    case 16:
      return Op::ld_b128;
    default:
      return Op::ld_b32;
  }
}

Op store_op(std::uint32_t width) {
  switch (width) {
    case 1:
      return Op::st_b8;
    case 2:
      return Op::st_b16;
    case 8:
      return Op::st_b64;
    case 16:
      return Op::st_b128;
    default:
      return Op::st_b32;
  }
}

Op word_op(std::uint32_t width) {
  return width == 16 ? Op::word_b128 : width == 8 ? Op::word_b64 : Op::word_b32;
}

// An offset from a buffer's start that every thread computes, and what a load adds to it.
struct Place {
  std::uint32_t offset;  ///< A register.
  std::uint64_t add;
};

class Builder {
 public:
  explicit Builder(const Structure& structure) : structure_(structure) {}

  Kernel run() {
    kernel_.name = structure_name(structure_);
    kernel_.threads = structure_.threads;
    kernel_.observe = structure_.observe;
    for (const std::string& buffer : structure_.buffers) parameter(buffer, Type::buffer);
    parameter("never", Type::u64);
    for (std::size_t i = 0; i < structure_.accesses.size(); ++i)
      for (const std::string& name : scalar_names(structure_.accesses[i]))
        parameter(name + suffix(i), Type::u64);
    thread_ = setup("t", Op::thread, {});
    for (std::size_t i = 0; i < structure_.accesses.size(); ++i) access(structure_.accesses[i], i);
    kernel_.setup.push_back({.op = Op::ready, .operands = ready_});
    kernel_.timed.push_back({.op = Op::await, .operands = loaded_, .line = last_line_});
    renumber();
    return std::move(kernel_);
  }

 private:
  // Registers in the order in which the text defines them, as the parser numbers them.
  void renumber() {
    std::vector<std::uint32_t> number(kernel_.registers.size());
    std::vector<Register> ordered(kernel_.registers.begin(),
                                  kernel_.registers.begin() + kernel_.parameters);
    for (std::uint32_t i = 0; i < kernel_.parameters; ++i) number[i] = i;
    for (auto* region : {&kernel_.setup, &kernel_.timed})
      for (Instruction& instruction : *region) {
        for (std::uint32_t& operand : instruction.operands) operand = number[operand];
        if (instruction.result == kNoRegister) continue;
        number[instruction.result] = static_cast<std::uint32_t>(ordered.size());
        ordered.push_back(std::move(kernel_.registers[instruction.result]));
        instruction.result = number[instruction.result];
      }
    kernel_.registers = std::move(ordered);
  }

  std::string suffix(std::size_t statement) const {
    return structure_.accesses.size() == 1 ? "" : std::to_string(statement);
  }

  std::uint32_t add_register(std::string name, Type type) {
    kernel_.registers.push_back({std::move(name), type});
    return static_cast<std::uint32_t>(kernel_.registers.size() - 1);
  }

  void parameter(const std::string& name, Type type) {
    parameters_[name] = add_register(name, type);
    ++kernel_.parameters;
  }

  std::uint32_t setup(std::string name, Op op, std::vector<std::uint32_t> operands,
                      std::uint64_t immediate = 0) {
    const std::uint32_t result = add_register(std::move(name), static_cast<Type>(info(op).result));
    kernel_.setup.push_back(
        {.op = op, .result = result, .operands = std::move(operands), .immediate = immediate});
    return result;
  }

  std::uint32_t temporary(Op op, std::vector<std::uint32_t> operands, std::uint64_t immediate = 0) {
    return setup(fmt::format("x{}", temporaries_++), op, std::move(operands), immediate);
  }

  std::uint32_t scalar(const char* name, std::size_t statement) {
    return parameters_.at(name + suffix(statement));
  }

  // The address of a place in a buffer. Places whose offsets lie within reach of one address share
  // it, so that a thread needs as few registers as it can.
  std::pair<std::uint32_t, std::uint64_t> address(const std::string& buffer, const Place& place) {
    const std::uint64_t window = place.add / kMaxOffset;
    auto [it, is_new] = addresses_.try_emplace({buffer, place.offset, window}, 0);
    if (is_new) {
      std::uint32_t offset = place.offset;
      if (window > 0) {
        const std::uint32_t base = temporary(Op::const_u64, {}, window * kMaxOffset);
        offset = temporary(Op::add_u64, {offset, base});
      }
      it->second = setup(fmt::format("a{}", addresses_.size() - 1), Op::at,
                         {parameters_.at(buffer), offset});
      ready_.push_back(it->second);
    }
    return {it->second, place.add % kMaxOffset};
  }

  std::vector<Place> places(const AccessShape& shape, std::size_t statement) {
    switch (shape.pattern) {
      case Pattern::Kind::unique: {
        const auto offset = temporary(Op::mul_u64, {thread_, scalar("pitch", statement)});
        return apart(offset, shape.count, shape.span);
      }
      case Pattern::Kind::merge: {
        // t / k as the high half of 2t * ceil(2^63 / k): a division is a subroutine, and a kernel
        // that has run one meets a colder instruction cache in its timed region (on an H100, 60
        // clocks more wherever a scheduler holds a second warp).
        const auto twice = temporary(Op::add_u64, {thread_, thread_});
        const auto block = temporary(Op::mulhi_u64, {twice, scalar("reciprocal", statement)});
        const auto offset = temporary(Op::mul_u64, {block, scalar("pitch", statement)});
        return apart(offset, shape.count, shape.span);
      }
      case Pattern::Kind::stride: {
        const auto offset = temporary(Op::mul_u64, {thread_, scalar("pitch", statement)});
        return apart(offset, shape.count, shape.width);
      }
      case Pattern::Kind::broadcast:
        return broadcast(shape, statement);
      case Pattern::Kind::random:
        return random(shape, statement);
    }
    return {};
  }

  static std::vector<Place> apart(std::uint32_t offset, std::uint32_t count, std::uint64_t by) {
    std::vector<Place> made;
    for (std::uint32_t i = 0; i < count; ++i) made.push_back({offset, i * by});
    return made;
  }

  std::vector<Place> broadcast(const AccessShape& shape, std::size_t statement) {
    if (shape.pitch) return apart(temporary(Op::const_u64, {}, 0), shape.count, *shape.pitch);
    std::vector<Place> made;
    for (std::uint32_t i = 0; i < shape.count; ++i) {
      const auto index = temporary(Op::const_u64, {}, i);
      made.push_back({temporary(Op::mul_u64, {index, scalar("pitch", statement)}), 0});
    }
    return made;
  }

  // splitmix64 of (seed, i, t), scaled to the number of words by the high half of a product.
  std::vector<Place> random(const AccessShape& shape, std::size_t statement) {
    const auto width = temporary(Op::const_u64, {}, shape.width);
    const auto weyl = temporary(Op::const_u64, {}, 0x9e3779b97f4a7c15ull);
    const auto first = temporary(Op::const_u64, {}, 0xbf58476d1ce4e5b9ull);
    const auto second = temporary(Op::const_u64, {}, 0x94d049bb133111ebull);
    const auto seed = temporary(Op::mul_u64, {scalar("seed", statement), second});
    const auto thread = temporary(Op::mul_u64, {thread_, weyl});
    const auto key = temporary(Op::add_u64, {thread, seed});
    std::vector<Place> made;
    for (std::uint32_t i = 0; i < shape.count; ++i) {
      const auto index = temporary(Op::const_u64, {}, std::uint64_t{i} << 40);
      auto x = temporary(Op::xor_u64, {key, index});
      x = temporary(Op::mul_u64, {temporary(Op::xor_u64, {x, shifted(x, 30)}), first});
      x = temporary(Op::mul_u64, {temporary(Op::xor_u64, {x, shifted(x, 27)}), second});
      x = temporary(Op::xor_u64, {x, shifted(x, 31)});
      const auto word = temporary(Op::mulhi_u64, {x, scalar("words", statement)});
      made.push_back({temporary(Op::mul_u64, {word, width}), 0});
    }
    return made;
  }

  std::uint32_t shifted(std::uint32_t x, std::uint64_t by) {
    return temporary(Op::shr_u64, {x}, by);
  }

  void access(const AccessShape& shape, std::size_t statement) {
    last_line_ = shape.line;
    const std::vector<Place> where = places(shape, statement);
    std::vector<std::uint32_t> values;
    if (shape.kind != Access::Kind::store)
      for (const Place& place : where) values.push_back(load(shape, place));
    if (shape.kind == Access::Kind::load) return;
    if (values.empty()) values.assign(where.size(), stored_value(shape.width));
    for (std::size_t i = 0; i < where.size(); ++i) store(shape, where[i], values[i]);
  }

  std::uint32_t load(const AccessShape& shape, const Place& place) {
    const auto [base, offset] = address("data", place);
    const Op op = load_op(shape.width);
    const auto value =
        add_register(fmt::format("v{}", loaded_.size()), static_cast<Type>(info(op).result));
    kernel_.timed.push_back({.op = op,
                             .result = value,
                             .operands = {base},
                             .immediate = offset,
                             .cache = shape.cache,
                             .line = shape.line});
    loaded_.push_back(value);
    return value;
  }

  void store(const AccessShape& shape, const Place& place, std::uint32_t value) {
    const auto [base, offset] = address("target", place);
    const bool copy = shape.kind == Access::Kind::copy;  // its operator belongs to the load
    kernel_.timed.push_back({.op = store_op(shape.width),
                             .operands = {base, value},
                             .immediate = offset,
                             .cache = copy ? CacheOp::unspecified : shape.cache,
                             .line = shape.line});
  }

  // What a store writes: the thread's number, the same register for all stores of a width.
  std::uint32_t stored_value(std::uint32_t width) {
    auto [it, is_new] = stored_.try_emplace(word_op(width), 0);
    if (is_new) {
      it->second = setup(fmt::format("w{}", stored_.size() - 1), it->first, {thread_});
      ready_.push_back(it->second);
    }
    return it->second;
  }

  const Structure& structure_;
  Kernel kernel_;
  std::map<std::string, std::uint32_t> parameters_;
  std::map<std::tuple<std::string, std::uint32_t, std::uint64_t>, std::uint32_t> addresses_;
  std::map<Op, std::uint32_t> stored_;
  std::vector<std::uint32_t> ready_, loaded_;
  std::uint32_t thread_ = 0;
  std::uint32_t temporaries_ = 0;
  std::uint32_t last_line_ = 0;
};

}  // namespace

std::vector<std::string> scalar_names(const AccessShape& shape) {
  switch (shape.pattern) {
    case Pattern::Kind::unique:
      return {"pitch"};
    case Pattern::Kind::merge:
      return {"reciprocal", "pitch"};
    case Pattern::Kind::stride:
      return {"pitch"};
    case Pattern::Kind::broadcast:
      return shape.pitch ? std::vector<std::string>{} : std::vector<std::string>{"pitch"};
    case Pattern::Kind::random:
      return {"words", "seed"};
  }
  return {};
}

std::string structure_name(const Structure& structure) {
  std::string name;
  for (const AccessShape& shape : structure.accesses) {
    if (!name.empty()) name += "_then_";
    name += fmt::format("{}_{}_{}B", gpx::to_string(shape.kind), gpx::to_string(shape.pattern),
                        shape.width);
    if (shape.cache != CacheOp::unspecified)
      name += fmt::format("_{}", gpx::to_string(shape.cache));
    name += fmt::format("_x{}", shape.count);
  }
  if (structure.observe == Observe::time) name = "time_" + name;
  constexpr std::size_t kLongest = 100;
  if (name.size() > kLongest)
    name = fmt::format("region_{:016x}", XXH3_64bits(name.data(), name.size()));
  return name;
}

Kernel build_kernel(const Structure& structure) {
  return Builder(structure).run();
}

}  // namespace gpx::codegen
