// Clang: CUDA C++ to PTX by an installed clang, as a process of its own. It needs nothing of the
// CUDA toolkit: what CUDA C++ has without an #include is declared in device.cuh, beside this file.
//
// Which clang: GPX_CLANG (a path), else clang-14 (with which it is tested), else clang, in PATH.
// Covered by tests/codegen/clang_test.cpp.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "codegen/compile/compiler.h"

namespace gpx::codegen {

class Clang final : public Compiler {
 public:
  Clang(std::string path, std::string identity)
      : path_(std::move(path)), identity_(std::move(identity)) {}

  std::string title() const override { return "clang"; }
  std::string name() const override;
  const std::string& identity() const override { return identity_; }
  const std::string& path() const { return path_; }
  std::vector<std::string> options(const Target& target) const override;
  std::string note(const Target& target) const override;
  Result<Compiled> compile(const std::string& source, const std::string& name,
                           const Target& target) const override;

  /// The newest architecture up to that one which this clang knows: 86 of 90 with clang 14.
  int newest(int sm) const;

  /// What a source is with all that it includes, which is looked for in `folder` and nowhere else.
  struct Expanded {
    bool ok = false;
    std::string text;                ///< With a line marker wherever a file begins or goes on.
    std::vector<std::string> files;  ///< Other files that it entered, as canonical paths.
    std::string log;
  };
  Result<Expanded> expand(const std::string& source, const std::string& name,
                          const std::string& folder) const;

  /// Compiles the text of an Expanded.
  Result<Compiled> compile_expanded(const std::string& text, const Target& target) const;

 private:
  std::string path_;
  std::string identity_;
};

/// An error (Fault::device) says where it was looked for. It is not started.
Result<std::shared_ptr<const Clang>> find_clang();

}  // namespace gpx::codegen
