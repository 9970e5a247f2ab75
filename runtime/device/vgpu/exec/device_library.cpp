// Functions that the driver brings. Interface: device_library.h, builtin_handler in decode.h.
// Covered by tests/vgpu/device_library_test.cpp.
//
// Their effects are those of the CUDA programming guide. Each costs its call: what a GPU spends in
// them is not modelled.
#include "runtime/device/vgpu/exec/device_library.h"

#include <cstdio>
#include <optional>
#include <string_view>

#include "runtime/device/vgpu/exec/access.h"

namespace gpx::vgpu::exec {
namespace {

/// The .param variables of a call, for one lane.
class Passing {
 public:
  Passing(Context& c, const Op& op, unsigned lane)
      : site_(c.machine.program->builtin_calls[static_cast<std::size_t>(op.list)]),
        frame_(c.block().local.data() +
               (std::uint64_t{c.warp.id} * kWarpSize + lane) * c.machine.program->local_bytes +
               c.path().local_base) {}
  std::uint64_t in(std::size_t index) const {
    const Passed& p = site_.parameters[index];
    std::uint64_t value = 0;
    std::memcpy(&value, frame_ + p.from, p.bytes);
    return value;
  }
  void out(std::uint64_t value) const {
    const Passed& p = site_.returns.front();
    std::memcpy(frame_ + p.to, &value, p.bytes);
  }

 private:
  const CallSite& site_;
  std::uint8_t* frame_;
};

/// Memory as a lane's generic addresses reach it.
class LaneMemory {
 public:
  LaneMemory(Context& c, unsigned lane) : access_(c), lane_(lane) {}
  bool read(std::uint64_t address, void* out, unsigned bytes) {
    for (unsigned i = 0; i < bytes; ++i) {
      const std::uint8_t* data = access_(address + i, 1, lane_);
      if (!data) return false;
      static_cast<std::uint8_t*>(out)[i] = *data;
    }
    return true;
  }
  /// Up to its end, or as many bytes.
  std::optional<std::string> string(std::uint64_t address, std::size_t most) {
    std::string text;
    for (char c = 0; text.size() < most; text += c) {
      if (!read(address + text.size(), &c, 1)) return std::nullopt;
      if (c == '\0') break;
    }
    return text;
  }

 private:
  GenericAccess access_;
  unsigned lane_;
};

/// A conversion of printf: "%-8.3lf", its parts.
struct Conversion {
  std::string flags;
  int width = -1, precision = -1;
  bool width_given = false, precision_given = false;  ///< By arguments: *.
  unsigned bytes = 4;                                 ///< Of an integer.
  char letter = 0;                                    ///< 0: the text ends within it.
};

Conversion read_conversion(std::string_view text, std::size_t& at) {
  Conversion made;
  const auto peek = [&] { return at < text.size() ? text[at] : '\0'; };
  const auto number = [&] {
    int value = 0;
    for (; peek() >= '0' && peek() <= '9'; ++at)
      value = std::min(1 << 20, 10 * value + peek() - '0');
    return value;
  };
  const auto extent = [&](int& value, bool& given) {
    given = peek() == '*';
    if (given)
      ++at;
    else
      value = number();
  };
  while (peek() != '\0' && std::string_view("-+ #0").find(peek()) != std::string_view::npos)
    made.flags += text[at++];
  if (peek() == '*' || (peek() >= '1' && peek() <= '9')) extent(made.width, made.width_given);
  if (peek() == '.') ++at, extent(made.precision, made.precision_given);
  for (; peek() != '\0' && std::string_view("hlLqjzt").find(peek()) != std::string_view::npos; ++at)
    if (peek() != 'h' && peek() != 'L') made.bytes = 8;
  made.letter = peek();
  if (made.letter != '\0') ++at;
  return made;
}

/// vprintf of one lane: the format's text with the arguments, which lie one after another, each
/// aligned to its size.
class Formatter {
 public:
  Formatter(LaneMemory& memory, std::uint64_t arguments) : memory_(memory), next_(arguments) {}

  /// nullopt: an argument cannot be read.
  std::optional<std::string> text(std::string_view format) {
    std::string out;
    for (std::size_t at = 0; at < format.size() && out.size() < DeviceOutput::kMostText;) {
      if (format[at] != '%') {
        out += format[at++];
        continue;
      }
      const std::size_t begin = at++;
      const Conversion conversion = read_conversion(format, at);
      if (conversion.letter == '%')
        out += '%';
      else if (!convert(conversion, format.substr(begin, at - begin), out))
        return std::nullopt;
    }
    out.resize(std::min(out.size(), DeviceOutput::kMostText));
    return out;
  }
  int arguments() const { return count_; }

 private:
  bool take(void* value, unsigned bytes) {
    next_ = (next_ + bytes - 1) / bytes * bytes;
    ++count_;
    const bool ok = memory_.read(next_, value, bytes);
    next_ += bytes;
    return ok;
  }

  bool convert(Conversion c, std::string_view written, std::string& out) {
    if (c.width_given && !take(&c.width, 4)) return false;
    if (c.precision_given && !take(&c.precision, 4)) return false;
    if (c.width_given && c.width < 0) c.flags += '-', c.width = -c.width;
    constexpr int kMost = static_cast<int>(DeviceOutput::kMostText);
    c.width = std::min(c.width, kMost);
    c.precision = std::min(c.precision, kMost);
    std::string spec = "%" + c.flags;
    if (c.width >= 0) spec += std::to_string(c.width);
    if (c.precision >= 0) spec += "." + std::to_string(c.precision);
    switch (c.letter) {
      case 'd':
      case 'i': return integer(c, spec + "lld", true, out);
      case 'u':
      case 'x':
      case 'X':
      case 'o': return integer(c, spec + "ll" + c.letter, false, out);
      case 'c': c.bytes = 4; return integer(c, spec + "c", true, out);
      case 'p': return pointer(spec, out);
      case 's': return string(c, out);
      case 'e':
      case 'E':
      case 'f':
      case 'F':
      case 'g':
      case 'G':
      case 'a':
      case 'A': {
        double value = 0;
        return take(&value, 8) && (print(spec + c.letter, out, value), true);
      }
      default:
        out += written;  // As the device's printf shows what it does not know.
        return true;
    }
  }

  bool integer(const Conversion& c, const std::string& spec, bool is_signed, std::string& out) {
    std::int64_t value = 0;
    if (!take(&value, c.bytes)) return false;
    if (c.bytes == 4 && is_signed) value = static_cast<std::int32_t>(value);
    if (c.letter == 'c')
      print(spec, out, static_cast<int>(value));
    else
      print(spec, out, static_cast<long long>(value));
    return true;
  }
  bool pointer(const std::string& spec, std::string& out) {
    std::uint64_t value = 0;
    if (!take(&value, 8)) return false;
    print(spec + "s", out, fmt::format("0x{:x}", value).c_str());
    return true;
  }
  bool string(const Conversion& c, std::string& out) {
    std::uint64_t address = 0;
    if (!take(&address, 8)) return false;
    const auto most =
        c.precision >= 0 ? static_cast<std::size_t>(c.precision) : DeviceOutput::kMostText;
    const auto text = address == 0 ? std::string("(null)") : memory_.string(address, most);
    if (!text) return false;
    std::string spec = "%" + c.flags;
    if (c.width >= 0) spec += std::to_string(c.width);
    print(spec + "s", out, text->c_str());
    return true;
  }

  // The conversion was put together here, by the kind of the value.
  template <class T>
  static void print(const std::string& spec, std::string& out, T value) {
    char text[2 * DeviceOutput::kMostText];
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wformat-nonliteral"
    const int size = std::snprintf(text, sizeof text, spec.c_str(), value);
#pragma GCC diagnostic pop
    if (size > 0)
      out.append(text, std::min<std::size_t>(static_cast<std::size_t>(size), sizeof text - 1));
  }

  LaneMemory& memory_;
  std::uint64_t next_;
  int count_ = 0;
};

std::array<std::uint32_t, 3> thread_of(const Context& c, unsigned lane) {
  const auto& size = c.machine.grid.threads;
  const std::uint64_t thread = std::uint64_t{c.warp.id} * kWarpSize + lane;
  return {static_cast<std::uint32_t>(thread % size[0]),
          static_cast<std::uint32_t>(thread / size[0] % size[1]),
          static_cast<std::uint32_t>(thread / (std::uint64_t{size[0]} * size[1]))};
}

void vprintf(Context& c, const Op& op) {
  DeviceOutput& output = c.machine.output;
  ++c.machine.changes;
  for (Mask m = c.mask; m; m &= m - 1) {
    const auto lane = static_cast<unsigned>(std::countr_zero(m));
    const Passing passing(c, op, lane);
    LaneMemory memory(c, lane);
    if (passing.in(0) == 0) {
      passing.out(static_cast<std::uint64_t>(-1));
      continue;
    }
    const auto format = memory.string(passing.in(0), DeviceOutput::kMostText);
    Formatter formatter(memory, passing.in(1));
    const auto text = format ? formatter.text(*format) : std::nullopt;
    if (!text) {
      c.trap = "printf reads its format or an argument outside of every buffer";
      return;
    }
    ++output.prints;
    if (output.lines.size() < DeviceOutput::kMostLines)
      output.lines.push_back({c.block().index, thread_of(c, lane), *text});
    passing.out(static_cast<std::uint64_t>(formatter.arguments()));
  }
}

void assertfail(Context& c, const Op& op) {
  const auto lane = static_cast<unsigned>(std::countr_zero(c.mask));
  const Passing passing(c, op, lane);
  LaneMemory memory(c, lane);
  const auto text = [&](std::size_t index) {
    return memory.string(passing.in(index), DeviceOutput::kMostText).value_or("?");
  };
  const auto &block = c.block().index, thread = thread_of(c, lane);
  c.trap = fmt::format("{}:{}: {}: block ({}, {}, {}), thread ({}, {}, {}): assertion '{}' failed",
                       text(1), passing.in(2), text(3), block[0], block[1], block[2], thread[0],
                       thread[1], thread[2], text(0));
}

void malloc(Context& c, const Op& op) {
  ++c.machine.changes;
  for (Mask m = c.mask; m; m &= m - 1) {
    const Passing passing(c, op, static_cast<unsigned>(std::countr_zero(m)));
    passing.out(c.machine.memory->heap_take(passing.in(0)));
    ++c.machine.output.allocations;
  }
}

void free(Context& c, const Op& op) {
  ++c.machine.changes;
  for (Mask m = c.mask; m; m &= m - 1) {
    const std::uint64_t address = Passing(c, op, static_cast<unsigned>(std::countr_zero(m))).in(0);
    ++c.machine.output.allocations;
    if (address == 0 || c.machine.memory->heap_give_back(address)) continue;
    c.trap =
        fmt::format("free of 0x{:x}, which malloc did not give or which has been freed", address);
    return;
  }
}

std::string place(const char* what, const std::array<std::uint32_t, 3>& at) {
  if (at[1] == 0 && at[2] == 0) return fmt::format("{} {}", what, at[0]);
  return fmt::format("{} ({}, {}, {})", what, at[0], at[1], at[2]);
}

}  // namespace

std::string DeviceOutput::text() const {
  std::string out;
  for (const Line& line : lines) {
    std::string_view text = line.text;
    if (text.ends_with('\n')) text.remove_suffix(1);
    out += fmt::format("\n  {}, {}: {}", place("block", line.block), place("thread", line.thread),
                       text);
  }
  if (prints > lines.size()) out += fmt::format("\n  and {} more", prints - lines.size());
  return out;
}

Handler builtin_handler(ptx::Builtin builtin) {
  switch (builtin) {
    case ptx::Builtin::vprintf: return &vprintf;
    case ptx::Builtin::assertfail: return &assertfail;
    case ptx::Builtin::malloc: return &malloc;
    case ptx::Builtin::free: return &free;
    default: return nullptr;
  }
}

}  // namespace gpx::vgpu::exec
