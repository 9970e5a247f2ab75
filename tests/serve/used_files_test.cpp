#include "runtime/serve/used_files.h"

#include <doctest/doctest.h>

#include <fstream>

#include "runtime/scratch_folder.h"

using namespace gpx::serve;

TEST_CASE("texts in quotes that may name a file") {
  CHECK(quoted_files(
            "kernel k from \"a.cu\" entry f() # \"b.cu\"\n\"A title. Of two\" \"no\" \"x.npy\"",
            "#") == std::vector<std::string>{"a.cu", "x.npy"});
  CHECK(quoted_files("\"open.cu", "#") == std::vector<std::string>{"open.cu"});
}

TEST_CASE("the state of a program follows its files and what they include") {
  const gpx::ScratchFolder folder("used");
  const auto write = [&](const std::string& name, const std::string& text) {
    std::ofstream(folder.file(name)) << text;
  };
  write("a.cu", "#include \"b.h\"\n#include <vector>\n");
  write("b.h", "#include \"a.cu\"\n#include \"c.h\"\n");
  UsedFiles files(std::filesystem::path(folder.file("a.cu")).parent_path().string());
  const std::string program = "kernel k from \"a.cu\" entry f()";
  const std::string first = files.state_of(program);
  CHECK(files.state_of("load unique(128B)").empty());
  CHECK(files.written("load unique(128B)").empty());
  CHECK(files.written(program) > "2026");
  CHECK_FALSE(files.changed());
  write("c.h", "int c;\n");
  CHECK(files.changed());
  CHECK_FALSE(files.changed());
  const std::string second = files.state_of(program);
  CHECK(second != first);
  write("b.h", "#define NOTHING 1\n");
  CHECK(files.changed());
  CHECK(files.state_of(program) != second);
}
