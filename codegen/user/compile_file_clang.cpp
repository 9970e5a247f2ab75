// Kernels from a file, compiled by clang. Interface: codegen/user/user_kernel.h. Covered by
// tests/codegen/compile_file_clang_test.cpp.
//
// The file is expanded first, and what it entered is looked at before any of it is compiled: so
// nothing of a file that it may not include reaches the user, not in a message either.
#include <fmt/format.h>

#include <algorithm>
#include <filesystem>

#include "codegen/compile/clang/clang.h"
#include "codegen/files/files.h"
#include "codegen/user/host_code.h"
#include "codegen/user/user_kernel.h"
#include "lang/try.h"

namespace gpx::codegen {
namespace {

/// The first of the files that is not in the folder and not below it.
std::optional<std::string> outside(const std::vector<std::string>& files,
                                   const std::string& folder) {
  std::error_code code;
  const std::string whole = std::filesystem::canonical(folder, code).string() + "/";
  const auto found = std::ranges::find_if(
      files, [&](const std::string& file) { return code || !file.starts_with(whole); });
  return found == files.end() ? std::nullopt : std::optional(*found);
}

constexpr const char* kOwnFolder =
    "without the CUDA toolkit a kernel's file includes files of its own folder and below";

// What the CUDA toolkit would have had.
Error clang_errors(const Source& file, const std::string& log) {
  Error error = log_errors(file, read_log(log), log, "clang");
  std::string& hint = error.diagnostics.front().hint;
  if (log.find("file '") != std::string::npos && log.find("ermission denied") != std::string::npos)
    hint = kOwnFolder;
  else if (log.find("file not found") != std::string::npos)
    hint =
        "the toolkit's headers need the CUDA toolkit; other files are looked for in the file's "
        "folder";
  else if (log.find("undeclared identifier") != std::string::npos)
    hint = "without the CUDA toolkit a kernel has CUDA's usual functions, not all of them";
  return error;
}

Error cannot_include(const std::string& file) {
  return make_error(Fault::input,
                    fmt::format("the kernel's file includes '{}': cannot open source file", file),
                    kOwnFolder);
}

struct ByClang {
  Clang::Expanded expanded;
  Compiled compiled;
};

Result<ByClang> expand_and_compile(const Source& file, const Clang& clang, const Target& target,
                                   const std::string& text) {
  const std::string folder = folder_of(file);
  auto expanded = GPX_TRY(clang.expand(text, file.name(), folder));
  if (const auto file_outside = outside(expanded.files, folder))
    return tl::unexpected(cannot_include(*file_outside));
  if (!expanded.ok) return tl::unexpected(clang_errors(file, expanded.log));
  auto made = GPX_TRY(clang.compile_expanded(expanded.text, target));
  return ByClang{std::move(expanded), std::move(made)};
}

/// Takes out the file's code for the host where the errors are; false: there is none.
bool cut_errors(HostCode& code, const Source& file, const std::string& log, int lines_before) {
  bool any = false;
  for (const LogError& error : read_log(log))
    if (error.file == file.name()) any = code.cut(error.line + lines_before) || any;
  return any;
}

}  // namespace

Result<CompiledFile> compile_file(const Source& file, const Clang& clang, int sm,
                                  const FileOptions& options) {
  const Target target{Target::Form::ptx, sm};
  const int before = options.defines.empty() ? 0 : static_cast<int>(options.defines.size()) + 1;
  HostCode code(defined_text(file, options.defines));
  auto made = expand_and_compile(file, clang, target, code.text());
  while (made && !made->compiled.ok && cut_errors(code, file, made->compiled.log, before))
    made = expand_and_compile(file, clang, target, code.text());
  if (!made) return tl::unexpected(made.error());
  if (!made->compiled.ok) return tl::unexpected(clang_errors(file, made->compiled.log));
  const Clang::Expanded& expanded = made->expanded;
  CompiledFile out;
  out.artifact.ptx = std::move(made->compiled.ptx);
  out.artifact.cuda = file.text();
  out.artifact.target = target;
  std::vector<std::string> words = clang.options(target);
  std::vector<std::string_view> parts = {"kernel file", expanded.text, clang.identity()};
  parts.insert(parts.end(), words.begin(), words.end());
  out.artifact.hash = content_hash(parts);
  for (const KernelEntry& entry : entries_of(out.artifact.ptx, {}))
    out.registers.emplace_back(entry.symbol, 0);
  for (const std::string& path : expanded.files) {
    out.included.append(file_text(path).value_or("")).append("\n");
  }
  return out;
}

}  // namespace gpx::codegen
