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
#include <map>
#include <set>
#include <sstream>

#include "codegen/compile/nvrtc.h"
#include "codegen/compile/standard_headers.h"
#include "codegen/confined/error_wire.h"
#include "codegen/files/files.h"
#include "codegen/ir/text.h"
#include "codegen/user/file_compiler.h"
#include "lang/try.h"

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

/// "register 12 _Z1kPi", "file HASH PATH" ("-": there was none), "instance _Z1kIfEvPT_ k<float>",
/// "header - opencv2/core.hpp" and "declared - struct P { int n; };", a line each.
std::string notes_text(const CompiledFile& made, const FileWatch::Lookups& lookups) {
  std::string out;
  for (const auto& [name, symbol] : made.instances)
    out += fmt::format("instance {} {}\n", symbol, name);
  for (const std::string& header : made.left_out) out += fmt::format("header - {}\n", header);
  std::istringstream declared(made.declarations);
  for (std::string line; std::getline(declared, line);) out += fmt::format("declared - {}\n", line);
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
    if (kind == "instance") out.instances.emplace_back(name, value);
    if (kind == "header") out.left_out.push_back(name);
    if (kind == "declared") out.declarations += name + "\n";
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

/// What a compilation gives, with what it looked up.
struct Made {
  CompiledFile file;
  FileWatch::Lookups lookups;
};

template <typename Archive, Sent<Made> T>
void exchange(Archive& archive, T& value) {
  std::string notes;
  if constexpr (std::is_const_v<T>) notes = notes_text(value.file, value.lookups);
  archive(value.file.artifact.ptx, value.file.artifact.cubin, notes);
  if constexpr (!std::is_const_v<T>) value.lookups = read_notes(notes, value.file);
}

/// In a process of its own: a text of a few lines can keep a compiler busy for hours, and the
/// kernel's walls keep files from it that are none of its business.
Result<Made> compile_confined(const FileRequest& request, const NvrtcPlace& place,
                              const Target& target) {
  using How = confined::Outcome::How;
  const auto nvrtc = Nvrtc::open(place);  // here: each process that follows has it open
  if (!nvrtc) return tl::unexpected(nvrtc.error());
  confined::Limits limits{kCompileSeconds, kCompileMemory, request.folders, kCompileFile};
  std::error_code error;
  limits.readable.push_back(std::filesystem::canonical(place.path, error).parent_path().string());
  limits.quiet = &Nvrtc::compiling();
  const auto outcome = confined::run(limits, [&](confined::Asker&) {
    FileWatch watch(request.folders);
    auto made = FileCompiler(request, **nvrtc, watch).all(target);
    return confined::to_bytes(std::move(made).map([&](CompiledFile compiled) {
      return Made{std::move(compiled), watch.lookups()};
    }));
  });
  if (outcome.how == How::done) return confined::result_from<Made>(outcome.result);
  if (outcome.how == How::stopped) return fail(Fault::device, "interrupted");
  return fail(
      Fault::input, request.file, {},
      outcome.how == How::late
          ? fmt::format("compiling it takes more than {} s of a processor", kCompileSeconds)
          : fmt::format("the compiler failed: its process {}", outcome.why),
      fmt::format("a compilation may take {} s and {} GB; a fault in NVRTC may be absent from "
                  "another version of it (GPX_NVRTC)",
                  kCompileSeconds, kCompileMemory >> 30));
}

/// What the compiler is to instantiate: the entry, where it names an instance, or the instances of
/// the template of that name that the file launches.
std::vector<std::string> instances_of(const Source& file, const std::string& entry) {
  if (entry.find('<') != std::string::npos) return {entry};
  return entry.empty() ? std::vector<std::string>{} : launched_instances(file.text(), entry);
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

std::string CompiledFile::symbol_of(const std::string& entry) const {
  std::set<std::string> symbols;
  for (const auto& [name, symbol] : instances)
    if (name == entry || name.starts_with(entry + "<")) symbols.insert(symbol);
  return symbols.size() == 1 && !symbols.begin()->empty() ? *symbols.begin() : entry;
}

Result<CompiledFile> compile_file(const Source& file, const Target& target,
                                  const FileOptions& options, const ArtifactCache& cache,
                                  std::vector<std::string>* warnings) {
  const auto place = GPX_TRY(find_nvrtc());
  const std::string folder = folder_of(file);
  std::vector<std::string> folders;
  if (!is_embedded(folder)) folders.push_back(folder);
  folders.insert(folders.end(), options.includes.begin(), options.includes.end());
  for (std::string& each : toolkit_includes(place)) folders.push_back(std::move(each));
  const FileRequest request{
      file,
      defined_text(file, options.defines),
      options.defines.empty() ? 0 : static_cast<int>(options.defines.size()) + 1,
      file_options(folders, options.registers),
      instances_of(file, options.entry),
      folders};
  const std::vector<std::string> target_options = nvrtc_options(target);
  std::vector<std::string_view> parts = {"kernel file", request.text, place.identity};
  for (const StandardHeader& header : standard_headers()) parts.emplace_back(header.text);
  parts.insert(parts.end(), target_options.begin(), target_options.end());
  parts.insert(parts.end(), request.instances.begin(), request.instances.end());
  const auto registers_option = fmt::format("registers {}", options.registers);
  parts.push_back(registers_option);
  std::vector<std::string_view> key = parts;
  key.push_back(file.name());
  key.insert(key.end(), request.options.begin(), request.options.end());
  const std::string cache_key = content_hash(key);

  FileWatch watch(folders);
  CompiledFile out;
  FileWatch::Lookups lookups;
  if (auto cached = cache.find(cache_key, warnings)) {
    lookups = read_notes(cached->log, out);
    if (watch.still(lookups))
      out.artifact = std::move(*cached);
    else
      out = {};
  }
  if (out.artifact.ptx.empty()) {
    auto made = GPX_TRY(compile_confined(request, place, target));
    out = std::move(made.file);
    lookups = std::move(made.lookups);
    out.artifact.log = notes_text(out, lookups);
    out.artifact.hash = cache_key;
    if (can_be_noted(lookups)) cache.store(out.artifact, warnings);
  }
  if (warnings && !out.left_out.empty())
    warnings->push_back(
        fmt::format("'{}' includes headers that are not there, which count as empty: {}",
                    file.name(), fmt::join(out.left_out, ", ")));
  out.artifact.cuda = file.text();
  out.artifact.hash = whole_hash(std::move(parts), lookups, folder);
  out.artifact.target = target;
  out.registers_sm = target.sm;  // registers are of machine code
  out.included = included_text(lookups, file);
  return out;
}

}  // namespace gpx::codegen
