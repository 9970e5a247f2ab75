// FileCompiler: NVRTC, as nvcc would take a file.
//
// A file that does not compile as it is gets what nvcc gives it: the names that the host's headers
// declare (codegen/compile/names.cuh), and a compilation that does not see code for the host
// (host_code.h). Headers of the host are empty. All of it happens in the process that calls.
// Covered by tests/codegen/host_code_test.cpp and tests/codegen/compile_file_test.cpp.
#pragma once

#include <map>
#include <set>
#include <string>
#include <vector>

#include "codegen/compile/nvrtc.h"
#include "codegen/user/host_code.h"
#include "codegen/user/user_kernel.h"

namespace gpx::codegen {

struct FileRequest {
  const Source& file;
  std::string text;      ///< Of the file, with its macros.
  int lines_before = 0;  ///< The text's first line is the file's, but for so many.
  std::vector<std::string> options;
  std::vector<std::string> instances;  ///< Of templates: "k<float, 3>".
  std::vector<std::string> folders;    ///< That it may include from.
};

class FileCompiler {
 public:
  FileCompiler(const FileRequest& request, const Nvrtc& nvrtc, FileWatch& watch);

  /// A target of PTX is compiled to machine code, too: it says how many registers a thread takes.
  Result<CompiledFile> all(const Target& target);

 private:
  /// How a file is compiled.
  struct Way {
    bool names = false;                        ///< With those of nvcc.
    bool standard = false;                     ///< With the toolkit's library for namespace std.
    std::set<std::string> left_out = {};       ///< Headers that are nowhere.
    std::map<std::string, HostCode> cut = {};  ///< Files without code for the host, by their paths.
  };

  Result<Compiled> attempt(const Target& target, const std::vector<std::string>& more);
  /// A way by which the file's code for the device compiles; false: none was found, and `log` is
  /// what the compiler said of the last one.
  Result<bool> find_way(const Target& target, Way begin, std::string& log);
  bool improve(const std::vector<LogError>& errors);
  bool cut(const LogError& error);
  bool restore(const LogError& error);
  bool leave_out(const std::string& library);
  Error failure(const Target& target, const std::string& log);
  std::string declared(const Target& target);

  const FileRequest& request_;
  const Nvrtc& nvrtc_;
  FileWatch& watch_;
  Way way_;
};

/// Instances of the template `name` that the text launches: "k<float, 3>" of `k<float, 3><<<`.
std::vector<std::string> launched_instances(const std::string& text, const std::string& name);

}  // namespace gpx::codegen
