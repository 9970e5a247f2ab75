// What the tests of codegen share: experiments from text, goldens, a folder of their own.
#pragma once

#include <doctest/doctest.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <optional>
#include <sstream>
#include <string>
#include <vector>

#include "codegen/compile/compile.h"
#include "codegen/compile/nvrtc.h"
#include "codegen/ir/program.h"
#include "codegen/proof/timed_region.h"
#include "lang/language.h"
#include "tests/golden.h"

namespace gpx::codegen::test {

/// The first experiment of a text, lowered. A text that does not check fails the test.
inline Result<Program> lower_text(const Source& source, const Limits& limits = {}) {
  const auto ast = parse(source);
  if (!ast) FAIL(render(ast.error()));
  const auto experiments = check(*ast, source);
  if (!experiments) FAIL(render(experiments.error()));
  return lower(experiments->front(), experiments->front().measures[0], source, limits);
}

inline Program program_of(const std::string& text, const Limits& limits = {}) {
  const Source source("test.gpx", text);
  auto program = lower_text(source, limits);
  if (!program) FAIL(render(program.error()));
  return *program;
}

/// What lowering says about a text; empty if nothing.
inline std::string complaint(const std::string& text, const Limits& limits = {}) {
  const Source source("test.gpx", text);
  const auto program = lower_text(source, limits);
  return program ? std::string() : render(program.error());
}

inline std::string golden_path(const std::string& name) {
  return std::string(GPX_TESTS_DIR) + "/codegen/golden/" + name;
}

using gpx::test::read_text;

/// Compares with a file under golden/.
inline void check_golden(const std::string& name, const std::string& text) {
  gpx::test::check_golden(golden_path(name), text);
}

/// What the proof says of the kernel's machine code for sm_90.
inline RegionReport proof_of_cubin(const Kernel& kernel) {
  CompileOptions options;
  options.cache = ArtifactCache("");
  const auto made = compile(std::span(&kernel, 1), {Target::Form::cubin, 90}, options, nullptr);
  if (!made) FAIL(render(made.error()));
  return check_timed_region(kernel, made->front());
}

inline void check_proven(const Kernel& kernel) {
  const RegionReport report = proof_of_cubin(kernel);
  CAPTURE(report.listing);
  INFO("reason: ", report.reason);
  CHECK(to_string(report.verdict) == "verified");
}

/// PTX, and machine code where there is what makes it.
inline std::vector<Target> targets() {
  std::vector<Target> all = {{Target::Form::ptx, 75}};
  if (find_nvrtc()) all.push_back({Target::Form::cubin, 90});
  return all;
}

/// An empty folder that goes away with the test.
class Folder {
 public:
  Folder() {
    std::string name = (std::filesystem::temp_directory_path() / "gpx-test-XXXXXX").string();
    REQUIRE(::mkdtemp(name.data()) != nullptr);
    path_ = name;
  }
  ~Folder() {
    std::error_code code;
    std::filesystem::permissions(path_, std::filesystem::perms::owner_all, code);
    std::filesystem::remove_all(path_, code);
  }
  Folder(const Folder&) = delete;
  Folder& operator=(const Folder&) = delete;
  std::string operator/(const std::string& name) const { return (path_ / name).string(); }
  std::string string() const { return path_.string(); }

 private:
  std::filesystem::path path_;
};

/// Sets an environment variable for the length of a test.
class Environment {
 public:
  Environment(const char* name, const std::string& value) : name_(name) {
    if (const char* old = std::getenv(name)) old_ = old;
    ::setenv(name, value.c_str(), 1);
  }
  ~Environment() {
    if (old_) {
      ::setenv(name_, old_->c_str(), 1);
    } else {
      ::unsetenv(name_);
    }
  }
  Environment(const Environment&) = delete;
  Environment& operator=(const Environment&) = delete;

 private:
  const char* name_;
  std::optional<std::string> old_;
};

}  // namespace gpx::codegen::test
