// Interface: file_compiler.h.
#include "codegen/user/file_compiler.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>

#include "codegen/compile/standard_headers.h"
#include "codegen/ir/text.h"
#include "codegen/ptx/text.h"
#include "codegen/sass/cubin.h"
#include "codegen/user/debug_info.h"
#include "codegen/user/host_code.h"
#include "codegen/user/value_types.h"
#include "lang/try.h"

namespace gpx::codegen {
namespace {

constexpr int kMostAttempts = 40;
constexpr const char* kSyntaxOnly = "-fdevice-syntax-only";

std::string canonical_file(const std::string& path) {
  std::error_code code;
  const auto found = std::filesystem::canonical(path, code);
  return code ? path : found.string();
}

/// "cannot open source file "x.h"": x.h, where it stood in angle brackets.
std::optional<std::string> missing_header(const LogError& error, const std::string& log) {
  constexpr std::string_view kText = "cannot open source file \"";
  const std::size_t at = error.text.find(kText);
  if (at == std::string::npos) return std::nullopt;
  const std::size_t begin = at + kText.size();
  const std::string name = error.text.substr(begin, error.text.find('"', begin) - begin);
  if (log.find("<" + name + ">") == std::string::npos) return std::nullopt;
  return name;
}

bool knows_int128(const Nvrtc& nvrtc) {
  return nvrtc.major() > 11 || (nvrtc.major() == 11 && nvrtc.minor() >= 5);
}

}  // namespace

FileCompiler::FileCompiler(const FileRequest& request, const Nvrtc& nvrtc, FileWatch& watch)
    : request_(request), nvrtc_(nvrtc), watch_(watch) {
  watch_.show([this](const std::string& path, const std::string& bytes) {
    const auto found = way_.cut.find(path);
    return found == way_.cut.end() ? readable_text(bytes) : found->second.text();
  });
}

Result<Compiled> FileCompiler::attempt(const Target& target, const std::vector<std::string>& more) {
  NvrtcRequest with;
  with.options = request_.options;
  with.options.insert(with.options.end(), more.begin(), more.end());
  if (way_.names) with.options.emplace_back(fmt::format("--pre-include={}", kNamesHeader));
  if (way_.standard) with.options.emplace_back("-DGPX_WHOLE_STD");
  if (knows_int128(nvrtc_)) with.options.emplace_back("--device-int128");  // as nvcc without asking
  with.left_out.assign(way_.left_out.begin(), way_.left_out.end());
  with.names = request_.instances;
  with.watch = &watch_;
  watch_.again();
  const auto own = way_.cut.find("");
  return nvrtc_.compile(own == way_.cut.end() ? request_.text : own->second.text(),
                        request_.file.name(), target, with);
}

/// Where the error is, what stands there is cut if it is code for the host.
bool FileCompiler::cut(const LogError& error) {
  const bool own = error.file == request_.file.name();
  if (error.file.find("/thrust/") != std::string::npos && leave_out("thrust/")) return true;
  const std::string path = own ? "" : canonical_file(error.file);
  auto found = way_.cut.find(path);
  if (found == way_.cut.end()) {
    const std::string* text = own ? &request_.text : watch_.read(error.file);
    if (!text) return false;
    found = way_.cut.emplace(path, HostCode(own ? *text : readable_text(*text))).first;
  }
  const int line = error.line + (own ? request_.lines_before : 0);
  return found->second.cut(line, error.column) || found->second.cut(line);
}

/// What was cut and is missed by code for the device comes back.
bool FileCompiler::restore(const LogError& error) {
  constexpr std::string_view kBefore = "identifier \"";
  constexpr std::string_view kBehind = "\" is undefined";
  if (!error.text.starts_with(kBefore) || !error.text.ends_with(kBehind)) return false;
  const std::string_view name =
      std::string_view(error.text)
          .substr(kBefore.size(), error.text.size() - kBefore.size() - kBehind.size());
  bool any = false;
  for (auto& [path, code] : way_.cut) any = code.restore(name) || any;
  return any;
}

/// The library's algorithms are for the host. All of its headers that the file includes.
bool FileCompiler::leave_out(const std::string& library) {
  const std::string include = "<" + library;
  bool any = false;
  for (std::size_t at = request_.text.find(include); at != std::string::npos;
       at = request_.text.find(include, at + 1)) {
    const std::size_t end = request_.text.find('>', at);
    if (end != std::string::npos)
      any = way_.left_out.insert(request_.text.substr(at + 1, end - at - 1)).second || any;
  }
  return any;
}

bool FileCompiler::improve(const std::vector<LogError>& errors) {
  bool better = false;
  for (const LogError& error : errors) better = cut(error) || better;
  if (!better)
    for (const LogError& error : errors) better = restore(error) || better;
  return better;
}

Result<bool> FileCompiler::find_way(const Target& target, Way begin, std::string& log) {
  way_ = std::move(begin);
  for (int i = 0; i < kMostAttempts; ++i) {
    auto made = GPX_TRY(attempt(target, {kSyntaxOnly}));
    if (made.ok) return true;
    log = made.log;
    const std::vector<LogError> errors = read_log(log);
    if (errors.empty()) return false;
    if (const auto header = missing_header(errors.back(), log)) {
      if (!way_.left_out.insert(*header).second) return false;
    } else if (!improve(errors)) {
      const bool of_std = log.find("namespace \"std\"") != std::string::npos ||
                          log.find("namespace \"cuda::std\"") != std::string::npos;
      if (way_.standard || !of_std) return false;
      way_.standard = true;
    }
  }
  return false;
}

/// ptxas counts lines of a PTX that is not handed out where it fails: it is made again, without.
Error FileCompiler::failure(const Target& target, const std::string& log) {
  std::vector<LogError> errors = read_log(log);
  const bool assembler =
      std::ranges::any_of(errors, [](const LogError& each) { return each.ptx_line > 0; });
  if (assembler)
    if (const auto made = attempt({Target::Form::ptx, target.sm, {}, target.specific}, {});
        made && made->ok)
      for (LogError& each : errors)
        if (const auto places = ptx::source_places(made->ptx, each.ptx_line); !places.empty()) {
          const std::string name(places.front().file);  // NVRTC writes whole paths
          const std::string& own = request_.file.name();
          each.file = name == own || name.ends_with("/" + own) ? own : name;
          each.line = places.front().line;
        }
  Error error = log_errors(request_.file, errors, log, "NVRTC", [&](const std::string& path) {
    const std::string* text = watch_.read(path);
    return text ? std::optional(*text) : std::nullopt;
  });
  std::string& hint = error.diagnostics.front().hint;
  if (!watch_.refused().empty())
    hint = fmt::format(
        "a kernel's file includes files of its own folder and below, of folders given by "
        "--include, and the CUDA toolkit's: not '{}'",
        *watch_.refused().begin());
  else if (log.find("cannot open source file") != std::string::npos)
    hint =
        "headers are looked for in the file's folder and below, in the folders of --include, and "
        "in the CUDA toolkit";
  else if (log.find("device-side kernel launch") != std::string::npos)
    hint =
        "gpx runs no kernel that launches kernels: put it between #ifndef __CUDACC_RTC__ and "
        "#endif, and the file's other kernels compile";
  else if (!way_.left_out.empty())
    hint = fmt::format("not found, and left out: {}", fmt::join(way_.left_out, ", "));
  else if (log.find("<<<") != std::string::npos || log.find("\"cuda") != std::string::npos)
    hint = "code for the host can stand between #ifndef __CUDACC_RTC__ and #endif";
  return error;
}

/// Unoptimized code with the names of all parameters; where the compiler cannot make it, none.
std::string FileCompiler::declared(const Target& target) {
  const auto made = attempt({Target::Form::ptx, target.sm, {}, target.specific}, {"-G"});
  if (!made || !made->ok) return "";
  // Debug information of kernels has no enumerations.
  return declarations_of(made->ptx) + enumerations_in(only_code(std::string(request_.file.text())));
}

Result<CompiledFile> FileCompiler::all(const Target& wanted) {
  Target target{Target::Form::cubin, wanted.sm, {}, wanted.specific};
  auto made = attempt(target, {});
  if (!made) return tl::unexpected(made.error());
  const std::string first = made->log;
  const bool by_assembler = !made->ok && first.find("ptxas") != std::string::npos;
  if (by_assembler && first.find("not supported on .target") != std::string::npos) {
    target.specific = true;
    made = attempt(target, {});
  } else if (!made->ok && !by_assembler) {
    // Without nvcc's names first: then nothing but the file is compiled.
    std::string log;
    bool found = false;
    for (const bool names : {false, true}) {
      const auto way = GPX_TRY(find_way(target, {.names = names}, log));
      if (!way) continue;
      made = attempt(target, {});
      if (!made) return tl::unexpected(made.error());
      if ((found = made->ok)) break;
      log = first;  // what was cut is called
    }
    if (!found) return tl::unexpected(failure(target, log));
  }
  if (!made) return tl::unexpected(made.error());
  if (!made->ok) return tl::unexpected(failure(target, made->log));
  CompiledFile out;
  out.artifact.ptx = std::move(made->ptx);
  for (const KernelEntry& entry : entries_of(out.artifact.ptx, {}))
    out.registers.emplace_back(entry.symbol, cubin_registers(made->cubin, entry.symbol));
  if (wanted.form == Target::Form::cubin) out.artifact.cubin = std::move(made->cubin);
  for (std::size_t i = 0; i < std::min(made->names.size(), request_.instances.size()); ++i)
    out.instances.emplace_back(request_.instances[i], made->names[i]);
  out.declarations = declared(target);
  out.left_out.assign(way_.left_out.begin(), way_.left_out.end());
  return out;
}

std::vector<std::string> launched_instances(const std::string& text, const std::string& name) {
  const std::string code = only_code(text);
  const std::size_t scope = name.rfind("::");
  const std::string last = scope == std::string::npos ? name : name.substr(scope + 2);
  std::set<std::string> found;
  for (std::size_t at = code.find(last + "<"); at != std::string::npos;
       at = code.find(last + "<", at + 1)) {
    const std::size_t open = at + last.size();
    const bool begins = at == 0 || !in_word(code[at - 1]);
    const std::size_t launch = code.find("<<<", open + 1);
    const std::size_t end = code.find_first_of(";{}", open);
    if (!begins || launch == std::string::npos || launch > end || launch == open) continue;
    const std::size_t close = code.rfind('>', launch);
    if (close != std::string::npos && close > open)
      found.insert(name + code.substr(open, close + 1 - open));
  }
  return {found.begin(), found.end()};
}

}  // namespace gpx::codegen
