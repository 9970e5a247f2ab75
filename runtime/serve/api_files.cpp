// Files beside the document and the gallery. Interface: api.h.
#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <filesystem>

#include "codegen/compile/cache.h"
#include "codegen/files/files.h"
#include "runtime/serve/api.h"
#include "runtime/serve/guard.h"
#include "runtime/serve/whole_file.h"

namespace gpx::serve {
namespace {

namespace fs = std::filesystem;
using lsp::text_field;

constexpr std::uintmax_t kMostFileBytes = 1u << 20;

/// Where the first sentence ends; npos: it goes on. "Figs. 8" is no end.
std::size_t sentence_end(const std::string& text) {
  for (std::size_t at = 0; at < text.size(); ++at) {
    if (text[at] != '.' && text[at] != '?') continue;
    const bool last = at + 1 == text.size();
    if (last || (text[at + 1] == ' ' && at + 2 < text.size() &&
                 std::isupper(static_cast<unsigned char>(text[at + 2])) != 0))
      return at + (text[at] == '?');
  }
  return std::string::npos;
}

/// "What does ... cost?": the first sentence of the comment, or the title of the first experiment.
std::string title_of(const std::string& text) {
  std::string title;
  for (std::size_t at = 0; text.compare(at, 2, "# ") == 0;) {
    const std::size_t end = std::min(text.find('\n', at), text.size());
    title += (title.empty() ? "" : " ") + text.substr(at + 2, end - at - 2);
    if (const std::size_t stop = sentence_end(title); stop != std::string::npos)
      return title.substr(0, stop);
    at = std::min(end + 1, text.size());
  }
  if (!title.empty()) return title;
  const std::size_t open = text.find('"');
  if (open == std::string::npos) return {};
  return text.substr(open + 1, text.find('"', open + 1) - open - 1);
}

struct Shelf {
  const char *name, *title;
  std::string folder;
};

std::vector<Shelf> shelves(const Paths& paths) {
  return {{"templates", "Cookbook", paths.stdlib + "/templates"},
          {"experiments", "Experiments of papers", paths.experiments}};
}

/// "templates/cache": the files that have its name, the .gpx first.
std::vector<std::string> gallery_files(const Paths& paths, const std::string& name) {
  for (const Shelf& shelf : shelves(paths)) {
    const std::string prefix = std::string(shelf.name) + '/';
    if (!name.starts_with(prefix)) continue;
    std::vector<std::string> files;
    for (const std::string& file : files_in(shelf.folder))
      if (fs::path(file).stem() == name.substr(prefix.size()))
        files.insert(file.ends_with(".gpx") ? files.begin() : files.end(), file);
    if (!files.empty() && files.front().ends_with(".gpx")) return files;
  }
  return {};
}

}  // namespace

Result<std::string> editable_path(const std::string& folder, const std::string& path) {
  const std::string ending = fs::path(path).extension().string();
  if (ending != ".cu" && ending != ".cuh" && ending != ".lua")
    return fail(Fault::input, fmt::format("'{}' is no kernel and no script", path),
                ".cu, .cuh or .lua");
  return path_inside(folder, path);
}

Response Api::file(const Request& request) {
  const auto path = request.query.find("path");
  const auto whole =
      editable_path(notebook_.folder(), path == request.query.end() ? "" : path->second);
  if (!whole) return error_response(whole.error());
  const auto text = read_file_at(*whole, kMostFileBytes);
  if (!text)
    return error_response(make_error(
        Fault::input, fmt::format("cannot read '{}': {}", path->second, text.error().reason)));
  return json_response({{"text", *text}, {"hash", codegen::content_hash({*text})}});
}

/// `hash`: of the text that was changed; of another program's text nothing is overwritten.
Response Api::save_file(const Json& body) {
  const std::string path = text_field(body, "path"), text = text_field(body, "text");
  const auto whole = editable_path(notebook_.folder(), path);
  if (!whole) return error_response(whole.error());
  const auto before = read_file_at(*whole, kMostFileBytes);
  const std::string known = before ? codegen::content_hash({*before}) : "";
  if (known != text_field(body, "hash"))
    return json_response({{"saved", false}, {"hash", known}}, 409);
  if (const auto written = write_whole(*whole, text); !written)
    return error_response(written.error());
  return json_response({{"saved", true}, {"hash", codegen::content_hash({text})}});
}

Response Api::gallery(const Request&) {
  Json all = Json::array();
  for (const Shelf& shelf : shelves(paths_)) {
    Json entries = Json::array();
    for (const std::string& file : files_in(shelf.folder, ".gpx"))
      entries.push_back({{"name", fmt::format("{}/{}", shelf.name, fs::path(file).stem().string())},
                         {"title", title_of(file_text(file).value_or(""))}});
    all.push_back({{"title", shelf.title}, {"entries", std::move(entries)}});
  }
  return json_response({{"shelves", std::move(all)}});
}

/// The text, for the page to put where it is wanted; the kernels and scripts that belong to it are
/// written beside the document, unless they are there.
Response Api::take_from_gallery(const Json& body) {
  const std::string name = text_field(body, "name");
  const auto files = gallery_files(paths_, name);
  if (files.empty())
    return error_response(make_error(Fault::input, fmt::format("nothing is called '{}'", name)));
  Json written = Json::array();
  for (std::size_t i = 1; i < files.size(); ++i) {
    const std::string beside = fs::path(files[i]).filename().string();
    const auto to = editable_path(notebook_.folder(), beside);
    if (!to || is_file(*to)) continue;
    if (const auto done = write_whole(*to, file_text(files[i]).value_or("")); !done)
      return error_response(done.error());
    written.push_back(beside);
  }
  return json_response({{"text", file_text(files.front()).value_or("")}, {"written", written}});
}

}  // namespace gpx::serve
