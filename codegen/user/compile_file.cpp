// Kernels from a file: compiling, through the cache. Interface: codegen/user/user_kernel.h.
// Covered by tests/codegen/compile_file_test.cpp.
//
// What a file includes is known only to the compiler. The cache keeps, by the file's own text and
// the options, an artifact with the look-ups that the compiler made; it is taken where each of them
// would give the same today. The artifact's hash covers all of it. What is not in the cache is
// compiled in a process of its own (codegen/confined/confined.h).
#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>
#include <sstream>

#include "codegen/compile/cubin.h"
#include "codegen/compile/nvrtc.h"
#include "codegen/compile/standard_headers.h"
#include "codegen/confined/error_wire.h"
#include "codegen/files/files.h"
#include "codegen/ir/text.h"
#include "codegen/user/user_kernel.h"

namespace gpx::codegen {
namespace {

constexpr double kCompileSeconds = 30;
constexpr std::uint64_t kCompileMemory = std::uint64_t{4} << 30;
constexpr std::uint64_t kCompileFile =
    64 << 20;  ///< Of an included file, which it is handed a copy of.

std::vector<std::string> file_options(const std::vector<std::string>& folders,
                                      std::uint32_t most_registers) {
  std::vector<std::string> options = {"-lineinfo"};
  for (const std::string& folder : folders) options.push_back("--include-path=" + folder);
  if (most_registers > 0) options.push_back(fmt::format("--maxrregcount={}", most_registers));
  return options;
}

// ---- What the cache keeps beside the code -------------------------------------------------------

/// "register 12 _Z1kPi" and "file HASH PATH" ("-": there was none), a line each.
std::string notes_text(const CompiledFile& made, const FileWatch::Lookups& lookups) {
  std::string out;
  for (const auto& [symbol, count] : made.registers)
    out += fmt::format("register {} {}\n", count, symbol);
  for (const auto& [path, hash] : lookups)
    out += fmt::format("file {} {}\n", hash.empty() ? "-" : hash, path);
  return out;
}

FileWatch::Lookups read_notes(const std::string& text, CompiledFile& out) {
  FileWatch::Lookups lookups;
  std::istringstream lines(text);
  for (std::string kind, value, name;
       lines >> kind >> value && std::getline(lines >> std::ws, name);) {
    if (kind == "file") lookups[name] = value == "-" ? "" : value;
    std::uint32_t count = 0;
    std::from_chars(value.data(), value.data() + value.size(), count);
    if (kind == "register") out.registers.emplace_back(name, count);
  }
  return lookups;
}

/// A path with a line's end in it would be read back as two.
bool can_be_noted(const FileWatch::Lookups& lookups) {
  return std::ranges::none_of(
      lookups, [](const auto& lookup) { return lookup.first.find('\n') != std::string::npos; });
}

/// Of all that the code depends on; the same from whatever folder gpx is run.
std::string whole_hash(std::vector<std::string_view> parts, const FileWatch::Lookups& lookups,
                       const std::string& folder) {
  std::error_code code;
  const std::string whole = std::filesystem::canonical(folder, code).string();
  std::map<std::string_view, std::string_view> from_folder;
  for (const auto& [path, hash] : lookups) {
    std::string_view name = path;
    for (const std::string& before : {whole + '/', folder + '/'})
      if (before.size() > 1 && name.starts_with(before)) name.remove_prefix(before.size());
    from_folder[name] = hash;
  }
  for (const auto& [name, hash] : from_folder) parts.insert(parts.end(), {name, hash});
  return content_hash(parts);
}

/// What was included of the file's own folder and below, one text. Neither the toolkit's nor the
/// file itself, which a compiler may look up, too.
std::string included_text(const FileWatch::Lookups& lookups, const Source& file) {
  std::error_code code;
  const std::string folder = folder_of(file);
  const std::string whole = std::filesystem::canonical(folder, code).string();
  std::string text;
  for (const auto& [path, hash] : lookups) {
    const bool own =
        path.starts_with(folder + '/') || (!whole.empty() && path.starts_with(whole + '/'));
    if (hash.empty() || !own || std::filesystem::equivalent(path, file.name(), code)) continue;
    text.append(file_text(path).value_or("")).append("\n");
  }
  return text;
}

// ---- Compiling ----------------------------------------------------------------------------------

/// One file under one set of options: the same bytes of what it includes for each target.
class FileCompiler {
 public:
  FileCompiler(const Source& file, const std::string& text, const Nvrtc& nvrtc,
               const std::vector<std::string>& options, FileWatch& watch)
      : file_(file), text_(text), nvrtc_(nvrtc), options_(options), watch_(watch) {}

  Result<Compiled> compile(const Target& target) {
    auto made = nvrtc_.compile(text_, file_.name(), target, options_, &watch_);
    if (!made || made->ok) return made;
    Error error = log_errors(file_, made->log, "NVRTC");
    if (!watch_.refused().empty())
      error.diagnostics.front().hint = fmt::format(
          "a kernel's file includes files of its own folder and below and the CUDA "
          "toolkit's: not '{}'",
          *watch_.refused().begin());
    else if (made->log.find("cannot open source file") != std::string::npos)
      error.diagnostics.front().hint =
          "there are the toolkit's headers, those of the file's folder and below, and C's "
          "(<stdint.h>, <cmath>, ...); what includes others, such as <vector>, is code for the "
          "host";
    return tl::unexpected(std::move(error));
  }

  Result<CompiledFile> all(const Target& target) {
    auto made = compile(target);
    if (!made) return tl::unexpected(made.error());
    CompiledFile out;
    out.artifact.ptx = std::move(made->ptx);
    std::vector<std::uint8_t> code = std::move(made->cubin);
    if (target.form == Target::Form::ptx) {
      auto machine_code = compile({Target::Form::cubin, target.sm});
      if (!machine_code) return tl::unexpected(machine_code.error());
      code = std::move(machine_code->cubin);
    } else {
      out.artifact.cubin = code;
    }
    for (const KernelEntry& entry : entries_of(out.artifact.ptx, {}))
      out.registers.emplace_back(entry.symbol, cubin_registers(code, entry.symbol));
    return out;
  }

 private:
  const Source& file_;
  const std::string& text_;
  const Nvrtc& nvrtc_;
  const std::vector<std::string>& options_;
  FileWatch& watch_;
};

/// What a compilation gives, with what it looked up.
struct Made {
  CompiledFile file;
  FileWatch::Lookups lookups;
};

template <typename Archive, Sent<Made> T>
void exchange(Archive& archive, T& value) {
  archive(value.file.artifact.ptx, value.file.artifact.cubin);
  std::vector<std::string> symbols, paths, hashes;
  std::vector<std::uint32_t> registers;
  for (const auto& [symbol, count] : value.file.registers) {
    symbols.push_back(symbol);
    registers.push_back(count);
  }
  for (const auto& [path, hash] : value.lookups) {
    paths.push_back(path);
    hashes.push_back(hash);
  }
  archive(symbols, registers, paths, hashes);
  if constexpr (!std::is_const_v<T>) {
    for (std::size_t i = 0; i < std::min(symbols.size(), registers.size()); ++i)
      value.file.registers.emplace_back(symbols[i], registers[i]);
    for (std::size_t i = 0; i < std::min(paths.size(), hashes.size()); ++i)
      value.lookups[paths[i]] = hashes[i];
  }
}

/// In a process of its own: a text of a few lines can keep a compiler busy for hours, and the
/// kernel's walls keep files from it that are none of its business.
Result<Made> compile_confined(const Source& file, const std::string& text, const NvrtcPlace& place,
                              const std::vector<std::string>& folders,
                              const std::vector<std::string>& options, const Target& target) {
  using How = confined::Outcome::How;
  const auto nvrtc = Nvrtc::open(place);  // here: each process that follows has it open
  if (!nvrtc) return tl::unexpected(nvrtc.error());
  confined::Limits limits{kCompileSeconds, kCompileMemory, folders, kCompileFile};
  std::error_code error;
  limits.readable.push_back(std::filesystem::canonical(place.path, error).parent_path().string());
  limits.quiet = &Nvrtc::compiling();
  const auto outcome = confined::run(limits, [&](confined::Asker&) {
    FileWatch watch(folders);
    auto made = FileCompiler(file, text, **nvrtc, options, watch).all(target);
    return confined::to_bytes(std::move(made).map([&](CompiledFile compiled) {
      return Made{std::move(compiled), watch.lookups()};
    }));
  });
  if (outcome.how == How::done) return confined::result_from<Made>(outcome.result);
  if (outcome.how == How::stopped) return fail(Fault::device, "interrupted");
  return fail(
      Fault::input, file, {},
      outcome.how == How::late ? fmt::format("compiling it takes more than {} s", kCompileSeconds)
                               : fmt::format("the process that compiled it {}", outcome.why),
      fmt::format("a compilation may take {} s and {} GB", kCompileSeconds, kCompileMemory >> 30));
}

}  // namespace

std::string defined_text(const Source& file, const std::vector<std::string>& defines) {
  std::string text;
  for (const std::string& define : defines) text += fmt::format("#define {}\n", define);
  return defines.empty() ? file.text() : text + "#line 1\n" + file.text();
}

std::uint32_t CompiledFile::registers_of(std::string_view symbol) const {
  for (const auto& [name, count] : registers)
    if (name == symbol) return count;
  return 0;
}

Result<CompiledFile> compile_file(const Source& file, const Target& target,
                                  std::uint32_t most_registers, const ArtifactCache& cache,
                                  std::vector<std::string>* warnings,
                                  const std::vector<std::string>& defines) {
  const auto place = find_nvrtc();
  if (!place) return tl::unexpected(place.error());
  const std::string folder = folder_of(file);
  std::vector<std::string> folders = toolkit_includes(*place);
  if (!is_embedded(folder)) folders.insert(folders.begin(), folder);
  const std::vector<std::string> options = file_options(folders, most_registers);
  const std::vector<std::string> target_options = nvrtc_options(target);
  const std::string text = defined_text(file, defines);
  std::vector<std::string_view> parts = {"kernel file", text, place->identity};
  for (const StandardHeader& header : standard_headers()) parts.emplace_back(header.text);
  parts.insert(parts.end(), target_options.begin(), target_options.end());
  const auto registers_option = fmt::format("registers {}", most_registers);
  parts.push_back(registers_option);
  std::vector<std::string_view> key = parts;
  key.push_back(file.name());
  key.insert(key.end(), options.begin(), options.end());
  const std::string cache_key = content_hash(key);

  FileWatch watch(folders);
  CompiledFile out;
  FileWatch::Lookups lookups;
  if (auto cached = cache.find(cache_key, warnings)) {
    lookups = read_notes(cached->log, out);
    if (watch.still(lookups))
      out.artifact = std::move(*cached);
    else
      out.registers.clear();
  }
  if (out.artifact.ptx.empty()) {
    auto made = compile_confined(file, text, *place, folders, options, target);
    if (!made) return tl::unexpected(made.error());
    out = std::move(made->file);
    lookups = std::move(made->lookups);
    out.artifact.log = notes_text(out, lookups);
    out.artifact.hash = cache_key;
    if (can_be_noted(lookups)) cache.store(out.artifact, warnings);
  }
  out.artifact.cuda = file.text();
  out.artifact.hash = whole_hash(std::move(parts), lookups, folder);
  out.artifact.target = target;
  out.registers_sm = target.sm;  // registers are of machine code
  out.included = included_text(lookups, file);
  return out;
}

}  // namespace gpx::codegen
