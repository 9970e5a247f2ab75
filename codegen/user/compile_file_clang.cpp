// Kernels from a file, compiled by clang. Interface: codegen/user/user_kernel.h. Covered by
// tests/codegen/compile_file_clang_test.cpp.
//
// The file is expanded first, and what it entered is looked at before any of it is compiled: so
// nothing of a file that it may not include reaches the user, not in a message either.
#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>

#include "codegen/compile/clang/clang.h"
#include "codegen/files/files.h"
#include "codegen/user/user_kernel.h"

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
  Error error = log_errors(file, log, "clang");
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

}  // namespace

Result<CompiledFile> compile_file(const Source& file, const Clang& clang, int sm,
                                  const std::vector<std::string>& defines) {
  const std::string folder = folder_of(file);
  const Target target{Target::Form::ptx, sm};
  auto expanded = clang.expand(defined_text(file, defines), file.name(), folder);
  if (!expanded) return tl::unexpected(expanded.error());
  if (const auto file_outside = outside(expanded->files, folder))
    return tl::unexpected(cannot_include(*file_outside));
  if (!expanded->ok) return tl::unexpected(clang_errors(file, expanded->log));
  auto made = clang.compile_expanded(expanded->text, target);
  if (!made) return tl::unexpected(made.error());
  if (!made->ok) return tl::unexpected(clang_errors(file, made->log));
  CompiledFile out;
  out.artifact.ptx = std::move(made->ptx);
  out.artifact.cuda = file.text();
  out.artifact.target = target;
  std::vector<std::string> options = clang.options(target);
  std::vector<std::string_view> parts = {"kernel file", expanded->text, clang.identity()};
  parts.insert(parts.end(), options.begin(), options.end());
  out.artifact.hash = content_hash(parts);
  for (const KernelEntry& entry : entries_of(out.artifact.ptx, {}))
    out.registers.emplace_back(entry.symbol, 0);
  for (const std::string& path : expanded->files) {
    out.included.append(file_text(path).value_or("")).append("\n");
  }
  return out;
}

}  // namespace gpx::codegen
