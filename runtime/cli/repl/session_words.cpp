#include "runtime/cli/repl/session_words.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>

#include "codegen/ir/text.h"

namespace gpx::cli {
namespace {

namespace fs = std::filesystem;

void add_names(const std::vector<ast::Statement>& statements, std::vector<std::string>& names) {
  for (const ast::Statement& statement : statements) {
    if (const auto* param = std::get_if<ast::Param>(&statement.node))
      names.push_back(param->name.text);
    if (const auto* shared = std::get_if<ast::Shared>(&statement.node))
      names.push_back(shared->name.text);
    if (const auto* array = std::get_if<ast::Array>(&statement.node))
      names.push_back(array->name.text);
    if (const auto* kernel = std::get_if<ast::Kernel>(&statement.node))
      names.push_back(kernel->name.text);
    if (const auto* sweep = std::get_if<ast::Sweep>(&statement.node))
      for (const ast::AxisGroup& group : sweep->groups)
        for (const ast::Axis& axis : group.axes) names.push_back(axis.name.text);
    if (const auto* measure = std::get_if<ast::Measure>(&statement.node))
      add_names(measure->statements, names);
  }
}

const ast::Block& only_block(const Ast& ast) {
  return std::get<ast::Block>(ast.items.front());
}

struct Edit {
  Span span;
  std::string text;
};

/// A setting as an axis takes it.
std::string axis_values(const std::string& text) {
  if (text.find("..") != std::string::npos) return text;
  const std::size_t first = text.find_first_not_of(' ');
  if (first != std::string::npos && text[first] == '[') return "in " + text;
  return fmt::format("in [{}]", text);
}

/// What a setting is to replace; whether there was anything.
template <typename Clause>
bool edit_count(const std::vector<ast::Statement>& statements, const std::string& text,
                std::vector<Edit>& edits) {
  bool any = false;
  for (const ast::Statement& statement : statements) {
    if (const auto* clause = std::get_if<Clause>(&statement.node)) {
      edits.push_back({{statement.keyword.end, statement.span.end}, ' ' + text});
      any = true;
    }
    if (const auto* measure = std::get_if<ast::Measure>(&statement.node))
      edit_count<Clause>(measure->statements, text, edits);
  }
  return any;
}

bool edit_value(const ast::Block& block, const Setting& setting, std::vector<Edit>& edits) {
  bool any = false;
  for (const ast::Statement& statement : block.statements) {
    const auto* param = std::get_if<ast::Param>(&statement.node);
    if (param && param->name.text == setting.name) {
      edits.push_back({param->value.span, setting.text});
      any = true;
    }
    const auto* sweep = std::get_if<ast::Sweep>(&statement.node);
    if (!sweep) continue;
    for (const ast::AxisGroup& group : sweep->groups)
      for (const ast::Axis& axis : group.axes) {
        if (axis.name.text != setting.name) continue;
        edits.push_back(
            {{axis.name.span.end, axis.values_span.end}, ' ' + axis_values(setting.text)});
        any = true;
      }
  }
  return any;
}

/// A path as seen from another folder; one that names nothing there (a kernel of the library) stays
/// as it is.
std::string renamed(const std::string& path, const FileNames& files) {
  std::error_code error;
  const fs::path from = fs::absolute(files.from.empty() ? "." : files.from, error) / path;
  const fs::path to = fs::absolute(files.to.empty() ? "." : files.to, error);
  if (fs::path(path).is_absolute() || !fs::exists(from, error)) return path;
  return fs::proximate(from, to, error).string();
}

void edit_file(const ast::Ident& file, const Source& source, const FileNames& files,
               std::vector<Edit>& edits) {
  if (files.from == files.to) return;
  const std::string name = renamed(file.text, files);
  if (name == file.text) return;
  const bool quoted = source.slice(file.span).starts_with('"');
  edits.push_back({file.span, quoted ? '"' + name + '"' : name});
}

std::string edited(std::string text, std::vector<Edit> edits) {
  std::ranges::sort(edits, std::ranges::greater{}, [](const Edit& e) { return e.span.begin; });
  for (const Edit& edit : edits)
    text.replace(edit.span.begin, edit.span.end - edit.span.begin, edit.text);
  return text;
}

bool is_library_device(const std::string& name) {
  return !name.empty() && name != "auto" && name != "cuda" &&
         std::ranges::all_of(name, codegen::in_word);
}

}  // namespace

std::vector<std::string> words_of(const std::string& text) {
  std::vector<std::string> words;
  for (std::size_t i = 0; i < text.size();) {
    const std::size_t begin = i;
    while (i < text.size() && codegen::in_word(text[i])) ++i;
    if (i > begin) words.push_back(text.substr(begin, i - begin));
    if (i == begin) ++i;
  }
  return words;
}

std::vector<std::string> defined_by(const ast::Block& block) {
  std::vector<std::string> names;
  add_names(block.statements, names);
  return names;
}

std::vector<std::string> defined_by(const std::string& block) {
  const Result<Ast> ast = parse(Source("", block));
  return ast ? defined_by(only_block(*ast)) : std::vector<std::string>{};
}

std::string value_with(const std::vector<Setting>& settings, const std::string& name,
                       const std::string& value) {
  const auto found = std::find_if(settings.rbegin(), settings.rend(),
                                  [&](const Setting& setting) { return setting.name == name; });
  return found == settings.rend() ? value : found->text;
}

std::string with_settings(const std::string& block, const std::vector<Setting>& settings,
                          const std::string& clauses, const std::string& device,
                          const FileNames& files) {
  const Source source("", block);
  const Result<Ast> ast = parse(source);
  if (!ast) return block;
  const ast::Block& written = only_block(*ast);
  std::vector<Edit> edits;
  std::string added = clauses;
  bool names_device = false;
  for (const ast::Statement& statement : written.statements) {
    names_device |= std::holds_alternative<ast::Device>(statement.node);
    if (const auto* analyze = std::get_if<ast::Analyze>(&statement.node);
        analyze && analyze->is_file)
      edit_file(analyze->method, source, files, edits);
    if (const auto* kernel = std::get_if<ast::Kernel>(&statement.node))
      edit_file(kernel->file, source, files, edits);
  }
  for (const Setting& setting : settings) {
    if (edit_value(written, setting, edits)) continue;
    if (setting.name == "threads" &&
        !edit_count<ast::Threads>(written.statements, setting.text, edits))
      added += fmt::format("  threads {}\n", setting.text);
    if (setting.name == "blocks" &&
        !edit_count<ast::Blocks>(written.statements, setting.text, edits))
      added += fmt::format("  blocks {}\n", setting.text);
  }
  if (!names_device && is_library_device(device)) added += fmt::format("  device {}\n", device);
  if (!added.empty()) edits.push_back({{written.open.end, written.open.end}, '\n' + added});
  return edited(block, std::move(edits));
}

}  // namespace gpx::cli
