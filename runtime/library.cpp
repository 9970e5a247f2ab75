// Parts of the standard library. Interface: runtime/library.h.
#include "runtime/library.h"

#include <fmt/format.h>

#include "codegen/compile/cache.h"
#include "codegen/files/files.h"
#include "lang/try.h"

namespace gpx {
namespace {

struct PartRow {
  LibraryPart part;
  const char* what;
  const char* place;   ///< A folder, or a file: "topics.txt".
  const char* ending;  ///< Of what a folder must hold.
};

constexpr PartRow kParts[] = {
    {LibraryPart::devices, "virtual devices", "devices", ".lua"},
    {LibraryPart::analysis, "analyses", "analysis", ".lua"},
    {LibraryPart::characterize, "characterization groups", "characterize", ".gpx"},
    {LibraryPart::templates, "templates", "templates", ""},
    {LibraryPart::help, "list of topics", "topics.txt", nullptr},
    {LibraryPart::help, "list of findings", "findings.txt", nullptr},
};

bool has(const std::string& stdlib, const PartRow& row) {
  const std::string path = stdlib + "/" + row.place;
  return row.ending ? !files_in(path, row.ending).empty() : is_file(path);
}

Error lacks(const std::string& what, const std::string& place) {
  return make_error(Fault::input, fmt::format("no {} in '{}'", what, place),
                    "gpx carries a whole library: GPX_STDLIB, or a folder stdlib next to the "
                    "program, replaces it");
}

}  // namespace

Result<void> require_library(const Paths& paths, LibraryPart part) {
  if (part == LibraryPart::experiments && files_in(paths.experiments, ".gpx").empty())
    return tl::unexpected(lacks("experiments", paths.experiments));
  for (const PartRow& row : kParts)
    if (row.part == part && !has(paths.stdlib, row))
      return tl::unexpected(lacks(row.what, paths.stdlib + "/" + row.place));
  return {};
}

Result<void> require_library(const Paths& paths) {
  for (const PartRow& row : kParts) GPX_TRY(require_library(paths, row.part));
  return {};
}

std::string library_hash(const std::string& stdlib) {
  std::vector<std::string> parts;
  const auto paths = list_files(stdlib, {}, true);
  for (const std::string& path : paths.value_or(std::vector<std::string>{})) {
    parts.push_back(path.substr(stdlib.size()));
    parts.push_back(file_text(path).value_or(""));
  }
  return codegen::content_hash({parts.begin(), parts.end()}).substr(0, 12);
}

}  // namespace gpx
