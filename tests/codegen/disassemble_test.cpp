// The disassembler as a child process: codegen/compile/disassemble.h. A script stands in for it.
#include "codegen/compile/disassemble.h"

#include <string>
#include <vector>

#include "support.h"

namespace gpx::codegen::test {
namespace {

const std::vector<std::uint8_t> kCubin = {'c', 'u', 'b', 'i', 'n'};

std::string script(const Folder& folder, const std::string& name, const std::string& body) {
  const std::string path = folder / name;
  std::ofstream(path) << "#!/bin/sh\n" << body;
  std::filesystem::permissions(path, std::filesystem::perms::owner_all);
  return path;
}

std::string complaint_of(const std::string& program, double seconds = 10) {
  const Environment set("GPX_NVDISASM", program);
  const auto text = disassemble(kCubin, seconds);
  return text ? "none" : text.error().diagnostics.front().message;
}

TEST_CASE("the disassembler gets the machine code in a file, which is gone afterwards") {
  const Folder folder;
  const Environment set("GPX_NVDISASM", script(folder, "nvdisasm", "echo \"$*\"; cat \"$3\""));
  const auto text = disassemble(kCubin);
  REQUIRE(text.has_value());
  const std::string options = "-c -ndf ";
  CHECK(text->starts_with(options));
  CHECK(text->ends_with("\ncubin"));
  const std::string path = text->substr(options.size(), text->find('\n') - options.size());
  CHECK_FALSE(std::filesystem::exists(path));
}

TEST_CASE("functions that are listed together begin at address 0 each, their branches too") {
  const Folder folder;
  const std::string listing =
      "\\t.headerflags @\"SM90\"\\n"
      "        /*0000*/                   MOV R1, 0x20 ;\\n"
      "        /*0010*/               @P0 BRA 0x0 ;\\n"
      "        /*0020*/                   IADD3 R1, R1, 0x30, RZ ;\\n"
      "        /*0030*/                   BRA 0x30;\\n";
  const Environment set("GPX_NVDISASM", script(folder, "nvdisasm", "printf '" + listing + "'"));
  const std::vector<std::uint8_t> code(32);
  const auto made = disassemble_together({code, code}, {Target::Form::cubin, 90});
  REQUIRE(made.has_value());
  REQUIRE(made->size() == 2);
  CHECK(made->at(0) ==
        "        /*0000*/                   MOV R1, 0x20 ;\n"
        "        /*0010*/               @P0 BRA 0x0 ;\n");
  CHECK(made->at(1) ==
        "        /*0000*/                   IADD3 R1, R1, 0x30, RZ ;\n"
        "        /*0010*/                   BRA 0x10;\n");
  CHECK_FALSE(disassemble_together({code, {}}, {Target::Form::cubin, 90}).has_value());
  CHECK_FALSE(disassemble_together({code}, {Target::Form::cubin, 90})
                  .has_value());  // the listing is of more
}

TEST_CASE("cuobjdump is asked in its own way") {
  const Folder folder;
  const Environment set("GPX_NVDISASM", script(folder, "cuobjdump", "echo \"$1\""));
  CHECK(disassemble(kCubin).value_or("") == "-sass\n");
  CHECK_FALSE(disassemble_together({kCubin, kCubin}, {Target::Form::cubin, 90}).has_value());
}

TEST_CASE("a long listing comes whole") {
  const Folder folder;
  const Environment set("GPX_NVDISASM",
                        script(folder, "nvdisasm", "head -c 1000000 /dev/zero | tr '\\0' 'x'"));
  CHECK(disassemble(kCubin).value_or("").size() == 1000000);
}

TEST_CASE("a disassembler that fails, hangs or is not there is an error") {
  const Folder folder;
  CHECK(complaint_of(script(folder, "fails", "echo bad cubin >&2; exit 3"))
            .find("failed: bad cubin") != std::string::npos);
  CHECK(complaint_of(script(folder, "hangs", "exec sleep 60"), 0.2).find("took longer than") !=
        std::string::npos);
  CHECK(complaint_of(folder / "nothing").find("is installed") != std::string::npos);
}

}  // namespace
}  // namespace gpx::codegen::test
