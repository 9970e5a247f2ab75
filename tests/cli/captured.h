// A console made of temporary files: what a command reads, and what it wrote.
#pragma once

#include <cstdio>
#include <sstream>
#include <string>
#include <vector>

#include "lang/lists.h"
#include "runtime/cli/command.h"
#include "tests/folder.h"

namespace gpx::cli {

using gpx::contains;
using gpx::test::TemporaryFolder;

class Captured {
 public:
  explicit Captured(const std::string& input = {}) {
    console = make_console(std::tmpfile(), std::tmpfile(), std::tmpfile());
    console.out_style = console.err_style = {false, true, 100};
    std::fwrite(input.data(), 1, input.size(), console.in);
    std::rewind(console.in);
  }
  ~Captured() {
    for (std::FILE* file : {console.in, console.out, console.err}) std::fclose(file);
  }
  Captured(const Captured&) = delete;
  Captured& operator=(const Captured&) = delete;

  std::string out() const { return text(console.out); }
  std::string err() const { return text(console.err); }

  Console console;

 private:
  static std::string text(std::FILE* file) {
    std::fflush(file);
    std::rewind(file);
    std::string all;
    char buffer[4096];
    for (std::size_t got; (got = std::fread(buffer, 1, sizeof buffer, file)) > 0;)
      all.append(buffer, got);
    return all;
  }
};

/// What a command left: its exit status, and what it wrote.
struct Ended {
  int status;
  std::string out, err;
};

inline Ended command(const std::vector<std::string>& arguments, const std::string& input = {}) {
  Captured captured(input);
  const int status = gpx_main(arguments, captured.console);
  return {status, captured.out(), captured.err()};
}

}  // namespace gpx::cli
