// Where one kind of result goes: nowhere, standard output, or a file.
// Covered by tests/cli/run_command_test.cpp.
#pragma once

#include <cstdio>
#include <optional>
#include <string>

#include "lang/try.h"
#include "runtime/cli/console.h"
#include "runtime/cli/output/files.h"

namespace gpx::cli {

class Output {
 public:
  static Result<Output> open(const std::string& path) {
    Output output;
    output.to_stdout_ = path == "-";
    if (path.empty() || output.to_stdout_) return output;
    auto file = GPX_TRY(AtomicFile::open(path));
    output.file_.emplace(std::move(file));
    return output;
  }
  bool to_stdout() const { return to_stdout_; }
  bool wanted() const { return to_stdout_ || file_; }
  Result<void> write(const std::string& text, std::FILE* standard_output) {
    if (file_) return file_->commit(text);
    print(standard_output, text);
    return {};
  }

 private:
  bool to_stdout_ = false;
  std::optional<AtomicFile> file_;
};

}  // namespace gpx::cli
