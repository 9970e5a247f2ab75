// A console made of temporary files: what a command reads, and what it wrote.
#pragma once

#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <set>
#include <sstream>
#include <string>
#include <vector>

#include "lang/lists.h"
#include "runtime/cli/command.h"

namespace gpx::cli {

using gpx::contains;

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

/// A folder that is gone after the test.
class TemporaryFolder {
 public:
  TemporaryFolder() {
    std::string name = (std::filesystem::temp_directory_path() / "gpx-test-XXXXXX").string();
    path_ = ::mkdtemp(name.data());
  }
  ~TemporaryFolder() { std::filesystem::remove_all(path_); }
  TemporaryFolder(const TemporaryFolder&) = delete;
  TemporaryFolder& operator=(const TemporaryFolder&) = delete;

  std::string path(const std::string& name) const { return path_ + '/' + name; }
  std::string write(const std::string& name, const std::string& text) const {
    std::filesystem::create_directories(std::filesystem::path(path(name)).parent_path());
    std::ofstream(path(name), std::ios::binary) << text;
    return path(name);
  }
  std::string read(const std::string& name) const {
    std::ifstream file(path(name), std::ios::binary);
    std::stringstream text;
    text << file.rdbuf();
    return text.str();
  }
  /// Names in the folder, sorted, one a line.
  std::string listing() const {
    std::set<std::string> names;
    for (const auto& entry : std::filesystem::directory_iterator(path_))
      names.insert(entry.path().filename().string());
    std::string text;
    for (const std::string& name : names) text += name + '\n';
    return text;
  }

 private:
  std::string path_;
};

}  // namespace gpx::cli
