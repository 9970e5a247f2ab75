// Interface: program_text.h. Covered by tests/codegen/program_text_test.cpp.
#include "codegen/ir/program_text.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <concepts>
#include <iterator>

#include "codegen/ir/convention.h"
#include "codegen/ir/kernel_parse.h"
#include "lang/lists.h"
#include "lang/rules.h"
#include "lang/vocabulary.h"

namespace gpx::codegen {
namespace {

constexpr double kNanosecond = 1e-9;

/// The language has no word for it; the other limits are its rules.
constexpr NumberRule kMetered{"the metered time", Unit::second, 1, 60};

constexpr std::pair<Buffer::Place, std::string_view> kPlaces[] = {
    {Buffer::Place::global, "global"},
    {Buffer::Place::texture, "texture"},
    {Buffer::Place::constant, "constant"},
    {Buffer::Place::peer, "peer"},
    {Buffer::Place::tensor_map, "tensor_map"}};
constexpr std::pair<ResultSlot::Role, std::string_view> kRoles[] = {
    {ResultSlot::Role::sample, "sample"},
    {ResultSlot::Role::checksum, "checksum"},
    {ResultSlot::Role::scratch, "scratch"}};

template <typename Value, std::size_t n>
std::string_view name_in(const std::pair<Value, std::string_view> (&table)[n], Value value) {
  for (const auto& [known, name] : table)
    if (known == value) return name;
  return "?";
}

// ---- printing -----------------------------------------------------------------------------------

class ProgramPrinter {
 public:
  explicit ProgramPrinter(const Program& program) : program_(program) {}

  std::string run(std::string_view measure) {
    if (!program_.user)
      for (const Kernel& kernel : program_.kernels) out_ += to_string(kernel);
    put("program {}{}{{\n", measure, measure.empty() ? "" : " ");
    if (program_.user) put("  user\n");
    put("  repetitions {}", program_.repetitions);
    if (program_.until_percent > 0) put(" until {}%", program_.until_percent);
    put("\n");
    if (program_.outcomes) put("  outcomes\n");
    if (program_.may_hang) put("  may_hang\n");
    for (const Buffer& buffer : program_.buffers)
      put("  buffer {} : {} {}{}{}{}\n", buffer.name, name_in(kPlaces, buffer.place), buffer.bytes,
          buffer.written ? " written" : "", buffer.has_contents ? " contents" : "",
          buffer.has_fill ? " fill" : "");
    for (const ResultSlot& slot : program_.results)
      put("  result {} {}\n", slot.name, name_in(kRoles, slot.role));
    records();
    for (const Launch& launch : program_.launches) line(launch);
    return out_ + "}\n";
  }

 private:
  template <typename... Args>
  void put(fmt::format_string<Args...> text, Args&&... args) {
    fmt::format_to(std::back_inserter(out_), text, std::forward<Args>(args)...);
  }
  void put_if(const char* word, std::uint64_t value) {
    if (value > 0) put(" {} {}", word, value);
  }

  void records() {
    if (program_.records.columns.empty()) return;
    std::vector<std::string_view> keys;
    for (const Records::Key& key : program_.records.keys) keys.push_back(key.name);
    put("  record {} : {}\n", fmt::join(keys, ", "), fmt::join(program_.records.columns, ", "));
  }

  void line(const Launch& launch) {
    put("  launch {} blocks {}", program_.kernels[launch.kernel].name, launch.blocks);
    further(launch.blocks_down, launch.blocks_deep);
    put(" threads {}", launch.threads);
    further(launch.threads_down, launch.threads_deep);
    put_if("cluster", launch.cluster);
    scalars(launch);
    put_if("warmup", launch.warmup);
    if (launch.flush) put(" flush {}", launch.flush_bytes);
    put_if("offset", launch.offset);
    if (!launch.record_extents.empty()) put(" extents {}", fmt::join(launch.record_extents, ", "));
    contents(launch);
    tensors(launch);
    if (launch.watchdog > 0)
      put(" watchdog {}", static_cast<std::uint64_t>(std::llround(launch.watchdog / kNanosecond)));
    if (launch.metered > 0) put(" metered {}", launch.metered);
    put_if("bank_width", launch.bank_width);
    if (launch.carveout) put(" carveout {}", *launch.carveout);
    put_if("placed", launch.placed);
    if (launch.sampled) put(" sampled");
    put_if("shared", launch.shared_bytes);
    for (const Argument& argument : launch.arguments) put(" argument {}", text(argument));
    out_ += '\n';
  }

  void further(std::uint32_t down, std::uint32_t deep) {
    if (down > 1 || deep > 1) put(" by {}", down);
    if (deep > 1) put(" by {}", deep);
  }

  /// "0x7d0", "a"; of a struct its parts: "a+0x7d0"
  std::string text(const Argument& argument) const {
    std::vector<std::string> parts;
    for (const Argument::Part& part : argument.parts)
      parts.push_back(part.buffer < 0
                          ? fmt::format("{:#x}", part.bits)
                          : program_.buffers[static_cast<std::size_t>(part.buffer)].name);
    return fmt::format("{}", fmt::join(parts, "+"));
  }

  void scalars(const Launch& launch) {
    if (program_.user || launch.scalars.empty()) return;
    const std::vector<std::string> names = program_.kernels[launch.kernel].scalars();
    put(" with");
    for (std::size_t i = 0; i < names.size(); ++i) put(" {}={}", names[i], launch.scalars[i]);
  }

  void contents(const Launch& launch) {
    auto next = launch.contents.begin();
    for (const Buffer& buffer : program_.buffers) {
      if (!buffer.has_contents || next == launch.contents.end()) continue;
      put(" contents {}={} {} width {} of {}", buffer.name, gpx::to_string(next->kind), next->bytes,
          next->width, fmt::join(next->args, ", "));
      ++next;
    }
  }

  void tensors(const Launch& launch) {
    auto next = launch.tensors.begin();
    for (const Buffer& buffer : program_.buffers) {
      if (buffer.place != Buffer::Place::tensor_map || next == launch.tensors.end()) continue;
      put(" tensor {}={} width {} of {} box {}", buffer.name, program_.buffers[next->buffer].name,
          next->element, fmt::join(next->extents, ", "), fmt::join(next->box, ", "));
      ++next;
    }
  }

  const Program& program_;
  std::string out_;
};

// ---- reading ------------------------------------------------------------------------------------

class ProgramParser {
 public:
  explicit ProgramParser(const Source& source) : source_(source), reader_(source) {}

  Result<std::vector<NamedProgram>> run() {
    std::vector<NamedProgram> programs;
    while (!reader_.at_end()) programs.push_back(program());
    if (reader_.failed()) return tl::unexpected<Error>(reader_.take_error());
    return programs;
  }

 private:
  NamedProgram program() {
    NamedProgram named;
    program_ = {};
    while (reader_.is("kernel"))
      program_.kernels.push_back(parse_verified_kernel(reader_, source_));
    named.place = reader_.span();
    reader_.expect("program");
    if (!reader_.is("{")) {
      named.place = reader_.span();
      named.measure = reader_.word("a measure's name or '{'");
    }
    reader_.expect("{");
    header();
    while (reader_.accept("buffer")) buffer();
    declared();
    while (reader_.accept("launch")) launch();
    if (program_.launches.empty()) reader_.error("a launch");
    reader_.expect("}");
    named.program = std::move(program_);
    return named;
  }

  void header() {
    if (reader_.is("user"))
      reader_.fail_at(reader_.span(),
                      "a program of kernels from files does not read back: --from=experiment reads "
                      "its experiment");
    reader_.expect("repetitions");
    const Span often = reader_.span();
    program_.repetitions = positive32("a number of repetitions");
    if (reader_.accept("until")) program_.until_percent = percentage();
    if (program_.until_percent > 0 && !rules::at_most.admits(program_.repetitions))
      reader_.fail_at(often, fmt::format("with 'until' it must be {}",
                                         rules::at_most.limits(program_.repetitions)));
    check(often, rules::repeat, program_.repetitions);
    program_.outcomes = reader_.accept("outcomes");
    program_.may_hang = reader_.accept("may_hang");
  }

  void buffer() {
    Buffer made;
    const Span place = reader_.span();
    made.name = reader_.word("a buffer's name");
    if (contains(program_.buffers, made.name, &Buffer::name))
      reader_.fail_at(place, fmt::format("a second buffer {}", made.name));
    reader_.expect(":");
    const auto known = std::ranges::find_if(
        kPlaces, [&](const auto& each) { return reader_.accept(each.second); });
    if (known == std::end(kPlaces))
      return reader_.error("global, texture, constant, peer or tensor_map");
    made.place = known->first;
    made.bytes = positive(rules::buffer_bytes, "a number of bytes");
    made.written = reader_.accept("written");
    made.has_contents = reader_.accept("contents");
    program_.buffers.push_back(std::move(made));
  }

  /// What the kernels return.
  void declared() {
    const Span place = reader_.span();
    if (program_.kernels.empty()) return reader_.fail_at(place, "a program without a kernel");
    program_.results = results_of(program_.kernels.front());
    program_.records = records_of(program_.kernels.front());
    for (const ResultSlot& slot : program_.results) {
      reader_.expect("result");
      reader_.expect(slot.name);
      reader_.expect(name_in(kRoles, slot.role));
    }
    if (program_.records.columns.empty()) return;
    reader_.expect("record");
    for (std::size_t i = 0; i < program_.records.keys.size(); ++i) {
      if (i > 0) reader_.expect(",");
      reader_.expect(program_.records.keys[i].name);
    }
    reader_.expect(":");
    for (std::size_t i = 0; i < program_.records.columns.size(); ++i) {
      if (i > 0) reader_.expect(",");
      reader_.expect(program_.records.columns[i]);
    }
  }

  void launch() {
    Launch made;
    const Span place = reader_.span();
    const std::string_view name = reader_.word("a kernel's name");
    const auto kernel = std::ranges::find(program_.kernels, name, &Kernel::name);
    if (kernel == program_.kernels.end())
      return reader_.fail_at(place, fmt::format("there is no kernel {} in this program", name));
    made.kernel = static_cast<std::uint32_t>(kernel - program_.kernels.begin());
    reader_.expect("blocks");
    made.blocks = positive32(rules::blocks, "a number of blocks");
    reader_.expect("threads");
    const Span threads = reader_.span();
    made.threads = positive32("a number of threads");
    if (made.threads > kernel->threads)
      reader_.fail_at(threads, fmt::format("{} threads of a kernel that is compiled for {}",
                                           made.threads, kernel->threads));
    if (reader_.accept("cluster")) made.cluster = positive32(rules::cluster, "a number of blocks");
    scalars(*kernel, made);
    settings(made);
    complete(place, *kernel, made);
    program_.launches.push_back(std::move(made));
  }

  void scalars(const Kernel& kernel, Launch& made) {
    const std::vector<std::string> names = kernel.scalars();
    if (!names.empty()) reader_.expect("with");
    for (const std::string& name : names) {
      reader_.expect(name);
      reader_.expect("=");
      const Span place = reader_.span();
      made.scalars.push_back(reader_.number("a whole number"));
      if (name == "rehearse") check(place, rules::rehearse, made.scalars.back());
    }
  }

  void settings(Launch& made) {
    if (reader_.accept("warmup")) made.warmup = number32(rules::warmup, "a number of launches");
    made.flush = reader_.accept("flush");
    if (made.flush) made.flush_bytes = number(rules::flush, "a number of bytes");
    if (reader_.accept("offset")) offset(made);
    if (reader_.accept("extents")) made.record_extents = numbers();
    while (reader_.is("contents")) contents(made);
    while (reader_.is("tensor")) tensor(made);
    if (reader_.accept("watchdog")) {
      const Span place = reader_.span();
      made.watchdog = static_cast<double>(reader_.number("a number of nanoseconds")) * kNanosecond;
      check(place, rules::watchdog, made.watchdog);
    }
    if (reader_.accept("metered"))
      made.metered = static_cast<double>(positive(kMetered, "a number of seconds"));
    if (reader_.accept("bank_width"))
      made.bank_width = number32(rules::bank_width, "a number of bytes");
    if (reader_.accept("carveout")) made.carveout = number(rules::carveout, "a number of bytes");
    if (reader_.accept("placed")) made.placed = number32(rules::blocks, "a number of blocks");
    made.sampled = reader_.accept("sampled");
    if (reader_.accept("shared"))
      made.shared_bytes = number(rules::shared_bytes, "a number of bytes");
  }

  void offset(Launch& made) {
    const Span place = reader_.span();
    made.offset = number(rules::offset, "a number of bytes");
    for (const Buffer& buffer : program_.buffers)
      if (made.offset_of(buffer) >= buffer.bytes)
        reader_.fail_at(place, fmt::format("an offset of {} bytes in {}, which has {}", made.offset,
                                           buffer.name, buffer.bytes));
  }

  /// Of the buffers that want them, in their order.
  void contents(Launch& made) {
    reader_.expect("contents");
    std::size_t passed = made.contents.size();
    const auto wants = [&](const Buffer& each) { return each.has_contents && passed-- == 0; };
    const auto next = std::ranges::find_if(program_.buffers, wants);
    if (next == program_.buffers.end()) return reader_.error("no further contents");
    reader_.expect(next->name);
    reader_.expect("=");
    ChaseContents links;
    const Span place = reader_.span();
    const auto kind = layout_of(reader_.word("a layout"));
    if (!kind) return reader_.fail_at(place, "expected stride, random, list or steps");
    links.kind = *kind;
    const Span size = reader_.span();
    links.bytes = positive("a number of bytes");
    if (links.bytes > next->bytes)
      reader_.fail_at(size, fmt::format("{} bytes of a buffer of {}", links.bytes, next->bytes));
    reader_.expect("width");
    links.width = reader_.number32("4 or 8");
    reader_.expect("of");
    const Span layout = reader_.span();
    links.args = numbers();
    for (std::size_t i = 0; i < links.args.size(); ++i)
      check(layout, layout_rule(*kind, i), links.args[i]);
    if (reader_.failed()) return;
    const KernelArray* array = program_.kernels[made.kernel].find_array(next->name);
    const std::vector<double> args(links.args.begin(), links.args.end());
    if (const std::string fault = array_fault(*kind, array ? array->space : Space::global,
                                              static_cast<double>(links.bytes), links.width, args);
        !fault.empty())
      reader_.fail_at(layout, fault);
    made.contents.push_back(std::move(links));
  }

  /// Likewise.
  void tensor(Launch& made) {
    reader_.expect("tensor");
    std::size_t passed = made.tensors.size();
    const auto next = std::ranges::find_if(program_.buffers, [&](const Buffer& each) {
      return each.place == Buffer::Place::tensor_map && passed-- == 0;
    });
    if (next == program_.buffers.end()) return reader_.error("no further tensor");
    reader_.expect(next->name);
    reader_.expect("=");
    TensorMap map;
    const Span place = reader_.span();
    const auto buffer =
        std::ranges::find(program_.buffers, reader_.word("a buffer"), &Buffer::name);
    if (buffer == program_.buffers.end() || buffer->place != Buffer::Place::global)
      return reader_.fail_at(place, "expected a buffer in global memory");
    map.buffer = static_cast<std::uint32_t>(buffer - program_.buffers.begin());
    reader_.expect("width");
    map.element = reader_.number32("1, 2, 4 or 8");
    reader_.expect("of");
    map.extents = numbers();
    reader_.expect("box");
    for (const std::uint64_t side : numbers())
      map.box.push_back(static_cast<std::uint32_t>(std::min<std::uint64_t>(side, 0xffffffff)));
    if (const std::string wrong = fault_of(map, buffer->bytes - made.offset_of(*buffer));
        !wrong.empty())
      reader_.fail_at(place, wrong);
    made.tensors.push_back(std::move(map));
  }

  static std::string fault_of(const TensorMap& map, std::uint64_t bytes) {
    constexpr std::uint64_t kMostSides = 5, kLongestBox = 256, kUnit = 16;
    if (map.element > 8 || !std::has_single_bit(map.element))
      return fmt::format("elements of {} bytes", map.element);
    if (map.box.size() != map.extents.size() || map.box.size() < 2 || map.box.size() > kMostSides)
      return "a tensor and its box have the same 2 to 5 sides";
    std::uint64_t left = bytes / map.element;
    for (std::size_t i = 0; i < map.box.size(); ++i) {
      if (map.box[i] == 0 || map.box[i] > kLongestBox || map.extents[i] == 0)
        return fmt::format("a box with a side of {}: 1 to {}", map.box[i], kLongestBox);
      left /= map.extents[i];
    }
    if (left == 0) return fmt::format("the tensor does not fit into {} bytes", bytes);
    if (map.stride(1) % kUnit != 0 || map.box[0] * map.element % kUnit != 0)
      return "rows of a tensor and of its box are multiples of 16 bytes";
    return {};
  }

  /// How many values of a key the launch has; 0: the kernel alone knows.
  static std::uint64_t extent_of(Extent extent, const Kernel& kernel, const Launch& made) {
    switch (extent) {
      case Extent::blocks: return made.placed > 0 ? made.placed : made.blocks;
      case Extent::threads: return made.threads;
      case Extent::stamps: return kernel.stamps.size();
      default: return 0;
    }
  }

  void check_extents(Span place, const Kernel& kernel, const Launch& made) {
    const std::vector<ObservedKey>& keys = traits_of(kernel.observe).keys;
    std::uint64_t rows = 1;
    for (std::size_t i = 0; i < std::min(keys.size(), made.record_extents.size()); ++i) {
      const std::uint64_t found = made.record_extents[i];
      const std::uint64_t wanted = extent_of(keys[i].extent, kernel, made);
      // Blocks that run beside the timed ones keep no records.
      const bool fits = keys[i].extent == Extent::blocks ? found <= wanted : found == wanted;
      if (wanted != 0 && !fits)
        reader_.fail_at(place, fmt::format("records of {} {}s: the launch has {}", found,
                                           keys[i].name, wanted));
      rows = found > kMostRecords ? found : rows * found;
      if (rows > kMostRecords)
        return reader_.fail_at(place,
                               fmt::format("more than {} records of one launch", kMostRecords));
    }
  }

  void complete(Span place, const Kernel& kernel, const Launch& made) {
    check_extents(place, kernel, made);
    if (made.record_extents.size() != program_.records.keys.size())
      reader_.fail_at(place, fmt::format("{} extents of records with {} keys",
                                         made.record_extents.size(), program_.records.keys.size()));
    const auto wanted = std::ranges::count_if(program_.buffers, &Buffer::has_contents);
    if (made.contents.size() != static_cast<std::size_t>(wanted))
      reader_.fail_at(
          place, fmt::format("contents of {} buffers: {} have them", made.contents.size(), wanted));
    const auto maps =
        std::ranges::count(program_.buffers, Buffer::Place::tensor_map, &Buffer::place);
    if (made.tensors.size() != static_cast<std::size_t>(maps))
      reader_.fail_at(place, fmt::format("{} tensors of {} maps", made.tensors.size(), maps));
    std::vector<std::string> taken;
    for (const Buffer& buffer : program_.buffers)
      if (buffer.place != Buffer::Place::constant) taken.push_back(buffer.name);
    if (taken != kernel.buffers())
      reader_.fail_at(place,
                      fmt::format("{} takes the buffers {}: the program has {}", kernel.name,
                                  fmt::join(kernel.buffers(), ", "), fmt::join(taken, ", ")));
  }

  std::vector<std::uint64_t> numbers() {
    std::vector<std::uint64_t> all;
    do {
      all.push_back(reader_.number("a number"));
    } while (reader_.accept(","));
    return all;
  }

  double percentage() {
    constexpr const char* what = "a share such as 1%";
    const Span place = reader_.span();
    const std::string_view text = reader_.word(what);
    double value = 0;
    const auto [end, code] = std::from_chars(text.data(), text.data() + text.size(), value);
    const bool percent = code == std::errc{} && end + 1 == text.data() + text.size() && *end == '%';
    if (!percent || !(value > 0)) reader_.fail_at(place, fmt::format("expected {}", what));
    return value;
  }

  /// The limits of the language are those of a program's text.
  void check(Span place, const NumberRule& rule, double value) {
    if (!rule.admits(value))
      reader_.fail_at(place, fmt::format("{} must be {}", rule.what, rule.limits(value)));
  }
  template <std::integral Whole>
  void check(Span place, const NumberRule& rule, Whole value) {
    check(place, rule, static_cast<double>(value));
  }

  std::uint64_t number(const NumberRule& rule, std::string_view what) {
    const Span place = reader_.span();
    const std::uint64_t value = reader_.number(what);
    check(place, rule, value);
    return value;
  }
  std::uint32_t number32(const NumberRule& rule, std::string_view what) {
    return static_cast<std::uint32_t>(std::min<std::uint64_t>(number(rule, what), 0xffffffff));
  }
  std::uint64_t positive(const NumberRule& rule, std::string_view what) {
    const Span place = reader_.span();
    const std::uint64_t value = positive(what);
    if (value != 0) check(place, rule, value);
    return value;
  }
  std::uint32_t positive32(const NumberRule& rule, std::string_view what) {
    return static_cast<std::uint32_t>(std::min<std::uint64_t>(positive(rule, what), 0xffffffff));
  }

  std::uint64_t positive(std::string_view what) {
    const Span place = reader_.span();
    const std::uint64_t value = reader_.number(what);
    if (value == 0) reader_.fail_at(place, fmt::format("expected {}, found 0", what));
    return value;
  }
  std::uint32_t positive32(std::string_view what) {
    const Span place = reader_.span();
    const std::uint64_t value = positive(what);
    if (value > 0xffffffff) reader_.fail_at(place, fmt::format("{} is too large", value));
    return static_cast<std::uint32_t>(value);
  }

  const Source& source_;
  IrReader reader_;
  Program program_;
};

}  // namespace

std::string to_string(const Program& program, std::string_view measure) {
  return ProgramPrinter(program).run(measure);
}

Result<std::vector<NamedProgram>> parse_programs(const Source& source) {
  return ProgramParser(source).run();
}

}  // namespace gpx::codegen
