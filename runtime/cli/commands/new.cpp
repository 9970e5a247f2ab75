// gpx new: a commented experiment to begin with. Covered by tests/cli/library_test.cpp.
#include <fmt/format.h>

#include <algorithm>
#include <filesystem>

#include "codegen/files/files.h"
#include "lang/try.h"
#include "runtime/cli/command.h"
#include "runtime/cli/output/files.h"
#include "runtime/cli/output/library.h"
#include "runtime/library.h"
#include "runtime/report/table.h"

namespace gpx::cli {
namespace {

namespace fs = std::filesystem;

std::vector<std::string> template_names() {
  std::vector<std::string> names;
  for (const Template& each : templates()) names.push_back(each.name);
  return names;
}

struct NewCommand : Talk {
  std::string name, folder = ".";

  void take(CommandLine& line) {
    line.argument("TEMPLATE", name, "The template; without a name gpx lists them")
        .completes(template_names());
    line.option("--into", folder, "FOLDER", "Where the files go").shows_default();
  }
  Result<int> run(const Console& console) const;
  Result<void> write(const Template& made, const Console& console) const;
};

std::string list(const report::Style& style) {
  report::Table table({"gpx new", "question"});
  for (const Template& each : templates())
    table.add({{each.name, report::Paint::bold}, {question_of(each)}});
  return table.render(style, 0);
}

/// Nothing is written where one of the files is there already.
Result<void> NewCommand::write(const Template& made, const Console& console) const {
  std::error_code error;
  std::vector<fs::path> to;
  for (const std::string& file : made.files) {
    to.push_back((fs::path(folder) / fs::path(file).filename()).lexically_normal());
    if (fs::exists(to.back(), error))
      return fail(Fault::input, fmt::format("'{}' is there already", to.back().string()),
                  "gpx new " + made.name + " --into FOLDER writes elsewhere");
  }
  fs::create_directories(folder, error);
  for (std::size_t i = 0; i < to.size(); ++i) {
    const auto text = file_text(made.files[i]);
    if (!text) return fail(Fault::device, fmt::format("cannot read '{}'", made.files[i]));
    GPX_TRY(write_file(to[i].string(), *text));
    if (!quiet) print(console.out, fmt::format("wrote {}\n", to[i].string()));
  }
  const bool script = to.front().extension() == ".lua";
  if (!quiet)
    print(console.out,
          fmt::format("next: gpx {} {}\n", script ? "lua" : "run", to.front().string()));
  return {};
}

Result<int> NewCommand::run(const Console& console) const {
  GPX_TRY(require_library(find_paths(), LibraryPart::templates));
  if (name.empty()) {
    print(console.out, list(console.out_style));
    return kSuccess;
  }
  const std::vector<Template> all = templates();
  const auto made = std::ranges::find(all, name, &Template::name);
  if (made == all.end()) {
    const auto near = nearest(name, template_names());
    return fail(Fault::input, fmt::format("there is no template '{}'", name),
                near ? fmt::format("did you mean '{}'?", *near) : "gpx new lists them");
  }
  GPX_TRY(write(*made, console));
  return kSuccess;
}

}  // namespace

CommandRow new_command() {
  return command_row<NewCommand>(5, "new", "Write an experiment from a template");
}

}  // namespace gpx::cli
