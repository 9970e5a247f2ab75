#include "runtime/cli/output/library.h"

#include <algorithm>
#include <filesystem>
#include <sstream>

#include "codegen/files/files.h"
#include "lang/language.h"
#include "lang/lists.h"
#include "runtime/cli/output/files.h"

namespace gpx::cli {
namespace {

namespace fs = std::filesystem;

std::string text_of(const fs::path& path) {
  return file_text(path.string()).value_or("");
}

/// The blocks of a text; none of one that cannot be read.
std::vector<ast::Block> blocks_of(const Source& source) {
  std::vector<ast::Block> blocks;
  const auto ast = parse(source);
  if (!ast) return blocks;
  for (const ast::Item& item : ast->items)
    if (const auto* block = std::get_if<ast::Block>(&item)) blocks.push_back(*block);
  return blocks;
}

/// Blanks in place of a block.
void blank(std::string& text, Span span) {
  for (std::size_t i = span.begin; i < span.end && i < text.size(); ++i)
    if (text[i] != '\n') text[i] = ' ';
}

/// "# What ...?", "-- What ...?"
std::string first_comment(const std::string& text) {
  const std::string line = text.substr(0, text.find('\n'));
  const std::size_t begin = line.find_first_not_of("#- ");
  return begin == std::string::npos ? "" : line.substr(begin);
}

bool runs(const fs::path& file) {
  return file.extension() == ".gpx";
}

}  // namespace

std::optional<Source> library_experiment(const std::string& name) {
  if (name.empty() || name.find_first_of("/.") != std::string::npos) return std::nullopt;
  std::error_code error;
  if (fs::exists(name, error)) return std::nullopt;
  const fs::path folder = find_paths().experiments;
  if (const fs::path file = folder / (name + ".gpx"); is_file(file.string())) {
    const std::string text = text_of(file);
    const Source whole(display_path(file.string()), text);
    // A file named as one of its experiments is that one, else all of it.
    const auto blocks = blocks_of(whole);
    if (std::ranges::none_of(blocks, [&](const auto& b) { return b.name.text == name; }))
      return whole;
  }
  for (const fs::path file : files_in(folder.string())) {
    std::string text = file.extension() == ".gpx" ? text_of(file) : std::string();
    if (text.find("experiment " + name) == std::string::npos) continue;
    const auto blocks = blocks_of(Source(file.string(), text));
    if (std::ranges::none_of(blocks, [&](const auto& b) { return b.name.text == name; })) continue;
    for (const ast::Block& block : blocks)
      if (block.name.text != name) blank(text, block.span);
    return Source(display_path(file.string()), std::move(text));
  }
  return std::nullopt;
}

std::vector<std::string> library_experiments() {
  std::vector<std::string> names;
  for (const fs::path file : files_in(find_paths().experiments)) {
    if (file.extension() != ".gpx") continue;
    names.push_back(file.stem().string());
    for (const ast::Block& block : blocks_of(Source(file.string(), text_of(file))))
      names.push_back(block.name.text);
  }
  std::sort(names.begin(), names.end());
  names.erase(std::unique(names.begin(), names.end()), names.end());
  return names;
}

std::vector<Topic> topics() {
  std::vector<Topic> all;
  std::istringstream lines(text_of(fs::path(find_paths().stdlib) / "topics.txt"));
  for (std::string line; std::getline(lines, line);) {
    const std::size_t gap = line.find("  ");
    if (line.empty() || line[0] == '#' || gap == std::string::npos) continue;
    Topic topic{line.substr(0, gap), {}};
    std::istringstream names(line.substr(gap));
    for (std::string name; names >> name;) topic.analyses.push_back(name);
    all.push_back(std::move(topic));
  }
  return all;
}

std::vector<std::string> topics_of(const Experiment& experiment, const std::vector<Topic>& topics) {
  std::vector<std::string> names;
  for (const Topic& topic : topics)
    if (std::ranges::any_of(experiment.analyses, [&](const Analyze& analyze) {
          return !analyze.is_file && contains(topic.analyses, analyze.method);
        }))
      names.push_back(topic.name);
  if (names.empty()) names.emplace_back("other");
  return names;
}

std::vector<Template> templates() {
  std::vector<Template> all;
  for (const fs::path file : files_in(find_paths().stdlib + "/templates")) {
    const std::string name = file.stem().string();
    auto at = std::ranges::find(all, name, &Template::name);
    if (at == all.end()) at = all.insert(all.end(), Template{name, {}});
    at->files.insert(runs(file) ? at->files.begin() : at->files.end(), file.string());
  }
  return all;
}

std::string question_of(const Template& made) {
  return first_comment(text_of(made.files.front()));
}

}  // namespace gpx::cli
