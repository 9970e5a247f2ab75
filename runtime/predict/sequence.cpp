// Interface: sequence.h. Covered by tests/runtime/sequence_test.cpp.
#include "runtime/predict/sequence.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>

#include "runtime/predict/request.h"

namespace gpx {
namespace {

constexpr const char* kForm = "such as --after 'fill<<<64, 256>>>(x, 1024)'";

std::string stripped(std::string_view text) {
  const std::size_t begin = text.find_first_not_of(" \t\n");
  if (begin == text.npos) return {};
  return std::string(text.substr(begin, text.find_last_not_of(" \t\n") - begin + 1));
}

/// Between commas that stand in no brackets and in no quotes.
std::vector<std::string> parts_between_commas(std::string_view text) {
  std::vector<std::string> parts;
  int depth = 0;
  bool quoted = false;
  std::size_t begin = 0;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (c == '"') quoted = !quoted;
    if (quoted) continue;
    if (c == '(' || c == '{') ++depth;
    if (c == ')' || c == '}') --depth;
    if (c != ',' || depth > 0) continue;
    parts.push_back(stripped(text.substr(begin, i - begin)));
    begin = i + 1;
  }
  if (const std::string last = stripped(text.substr(begin)); !last.empty() || !parts.empty())
    parts.push_back(last);
  return parts;
}

/// "64", "(16, 16)", "dim3(16, 16)"
std::vector<std::string> extents_of(std::string text) {
  if (text.starts_with("dim3")) text = stripped(std::string_view(text).substr(4));
  if (text.size() > 1 && text.front() == '(' && text.back() == ')')
    return parts_between_commas(std::string_view(text).substr(1, text.size() - 2));
  return {text};
}

/// "fill", or "other.cu:fill": a colon that is not half of "::".
void take_entry(const std::string& text, EarlierLaunch& out) {
  for (std::size_t i = 1; i + 1 < text.size(); ++i) {
    if (text[i] != ':') continue;
    if (text[i + 1] == ':') {
      ++i;
      continue;
    }
    out.file = text.substr(0, i), out.entry = text.substr(i + 1);
    return;
  }
  out.entry = text;
}

bool is_word(std::string_view text) {
  return !text.empty() && std::ranges::all_of(text, [](char c) {
    return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_';
  });
}

/// An argument of the launch: a buffer that has a name, one that gets one, or a value.
void take_argument(const std::string& text, std::map<std::string, std::string>& buffers,
                   EarlierLaunch& out) {
  const std::size_t equals = text.find('=');
  const std::string name = stripped(text.substr(0, equals));
  const std::string value = equals == text.npos ? "" : stripped(text.substr(equals + 1));
  if (is_word(name) && value.starts_with("buffer(") && value.back() == ')')
    buffers[name] = value.substr(7, value.size() - 8);
  if (const auto found = buffers.find(name); found != buffers.end()) {
    out.values.push_back(fmt::format("buffer({})", found->second));
    out.names.push_back(name);
    return;
  }
  out.values.push_back(argument_text(text));
  out.names.emplace_back();
}

/// Of the first launch: "param_1" by place, any other by the name of its parameter.
std::int32_t buffer_of(const codegen::Program& program, const std::string& name) {
  const auto& buffers = program.buffers;
  if (const auto found = std::ranges::find(buffers, name, &codegen::Buffer::name);
      found != buffers.end())
    return static_cast<std::int32_t>(found - buffers.begin());
  constexpr std::string_view kByPlace = "param_";
  const auto& arguments = program.launches.front().arguments;
  if (!name.starts_with(kByPlace)) return -1;
  std::size_t place = arguments.size();
  std::from_chars(name.data() + kByPlace.size(), name.data() + name.size(), place);
  return place < arguments.size() ? arguments[place].parts.front().buffer : -1;
}

class Joining {
 public:
  explicit Joining(LoweredMeasure first) : out_(std::move(first)) {}

  void add(const LoweredMeasure& measure, const EarlierLaunch& of) {
    codegen::Launch launch = measure.program.launches.front();
    const std::vector<std::int32_t> numbers = numbers_of(measure.program.buffers, launch, of);
    for (codegen::Argument& argument : launch.arguments)
      for (codegen::Argument::Part& part : argument.parts)
        if (part.buffer >= 0) part.buffer = numbers[static_cast<std::size_t>(part.buffer)];
    launch.kernel += static_cast<std::uint32_t>(out_.artifacts.size());
    const std::vector<codegen::Kernel>& kernels = measure.program.kernels;
    program().kernels.insert(program().kernels.end(), kernels.begin(), kernels.end());
    out_.artifacts.insert(out_.artifacts.end(), measure.artifacts.begin(), measure.artifacts.end());
    program().launches.push_back(std::move(launch));
  }

  /// All launches have the same buffers.
  LoweredMeasure take() {
    for (codegen::Launch& launch : program().launches) launch.fills = fills();
    return std::move(out_);
  }

 private:
  codegen::Program& program() { return out_.program; }
  std::vector<codegen::BufferFill>& fills() { return program().launches.front().fills; }
  std::int32_t named(const std::string& name) {
    const auto found = named_.find(name);
    return found != named_.end() ? found->second : buffer_of(program(), name);
  }

  /// Of a launch's buffers among those of all launches. Those that it alone has are added.
  std::vector<std::int32_t> numbers_of(const std::vector<codegen::Buffer>& buffers,
                                       const codegen::Launch& launch, const EarlierLaunch& of) {
    std::vector<std::string> names(buffers.size());
    for (std::size_t i = 0; i < launch.arguments.size(); ++i)
      if (const std::int32_t buffer = launch.arguments[i].parts.front().buffer; buffer >= 0)
        names[static_cast<std::size_t>(buffer)] = of.names[i];
    std::vector<std::int32_t> numbers;
    for (std::size_t i = 0; i < buffers.size(); ++i) {
      const std::int32_t known = names[i].empty() ? -1 : named(names[i]);
      numbers.push_back(known >= 0 ? known : static_cast<std::int32_t>(program().buffers.size()));
      if (known >= 0) continue;
      if (!names[i].empty()) named_[names[i]] = numbers.back();
      program().buffers.push_back(buffers[i]);
      fills().push_back(launch.fills[i]);
    }
    return numbers;
  }

  LoweredMeasure out_;
  std::map<std::string, std::int32_t> named_;  // that other launches than the first have
};

}  // namespace

Result<EarlierLaunch> earlier_launch(const std::string& text,
                                     std::map<std::string, std::string>& buffers) {
  const auto failed = [&](const std::string& why) {
    const std::string given = text.empty() ? "''" : text;
    return fail(Fault::input, fmt::format("--after {}: {}", given, why), kForm);
  };
  const std::size_t open = text.find("<<<"), close = text.find(">>>", open);
  if (open == text.npos || close == text.npos) return failed("expected ENTRY<<<GRID, BLOCK>>>(…)");
  EarlierLaunch made;
  made.text = text;
  take_entry(stripped(text.substr(0, open)), made);
  const auto shape =
      parts_between_commas(std::string_view(text).substr(open + 3, close - open - 3));
  if (made.entry.empty() || shape.size() < 2 || shape.size() > 3)
    return failed("a launch has a kernel, a grid and a block, and perhaps bytes of shared memory");
  made.grid = extents_of(shape[0]), made.block = extents_of(shape[1]);
  if (shape.size() > 2) made.shared_bytes = shape[2];
  std::string rest = stripped(std::string_view(text).substr(close + 3));
  if (rest.ends_with(';')) rest = stripped(std::string_view(rest).substr(0, rest.size() - 1));
  if (rest.size() < 2 || rest.front() != '(' || rest.back() != ')')
    return failed("the arguments stand in parentheses behind '>>>'");
  for (const std::string& each :
       parts_between_commas(std::string_view(rest).substr(1, rest.size() - 2)))
    take_argument(each, buffers, made);
  return made;
}

LoweredMeasure joined(std::span<const LoweredMeasure> measures,
                      std::span<const EarlierLaunch> earlier) {
  Joining joining(measures.front());
  for (std::size_t i = 0; i < earlier.size(); ++i) joining.add(measures[i + 1], earlier[i]);
  return joining.take();
}

}  // namespace gpx
