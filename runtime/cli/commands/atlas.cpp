// gpx atlas: a static site of boards. Covered by tests/cli/fleet_compare_test.cpp.
#include <fmt/format.h>

#include <filesystem>

#include "lang/try.h"
#include "runtime/atlas/site.h"
#include "runtime/cli/command.h"
#include "runtime/cli/fleet/boards.h"
#include "runtime/cli/output/files.h"

namespace gpx::cli {
namespace {

struct AtlasCommand : Talk {
  std::vector<std::string> names;
  std::string output;
  StoreOptions store;

  void take(CommandLine& line) {
    take_boards(line, names);
    line.option("--output,-o", output, "FOLDER", "The folder of the site, created if missing")
        .required();
    store.take(line);
  }
  Result<int> run(const Console& console) const;
};

/// Folders are made as they come; nothing that lies there is removed.
Result<void> write_below(const std::string& root, const std::string& path,
                         const std::string& text) {
  const std::filesystem::path whole = std::filesystem::path(root) / path;
  std::error_code error;
  std::filesystem::create_directories(whole.parent_path(), error);
  if (error)
    return fail(Fault::device, fmt::format("cannot make the folder '{}': {}",
                                           whole.parent_path().string(), error.message()));
  return write_file(whole.string(), text);
}

Result<int> AtlasCommand::run(const Console& console) const {
  const auto fleet = GPX_TRY(gather(names, store));
  const auto likenesses = fleet::compare(fleet, {});
  const auto size = GPX_TRY(
      atlas::write_site(fleet, likenesses, [&](const std::string& path, const std::string& text) {
        return write_below(output, path, text);
      }));
  if (!quiet)
    print(
        console.out,
        fmt::format("{}: {} boards, {} findings, {} files, {:.1f} MB; the largest page has {} KB\n",
                    (std::filesystem::path(output) / "index.html").string(), fleet.boards.size(),
                    fleet.findings.size(), size.files, static_cast<double>(size.bytes) / 1e6,
                    (size.largest_page + 999) / 1000));
  return kSuccess;
}

}  // namespace

CommandRow atlas_command() {
  return command_row<AtlasCommand>(134, "atlas", "Make a site of pages of boards and findings");
}

}  // namespace gpx::cli
