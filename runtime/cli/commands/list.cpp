// gpx list: which experiments there are, for people or as JSON.
// Covered by tests/cli/text_commands_test.cpp.
#include <algorithm>
#include <set>

#include "codegen/files/files.h"
#include "lang/lists.h"
#include "lang/read.h"
#include "lang/try.h"
#include "runtime/cli/command.h"
#include "runtime/cli/output/files.h"
#include "runtime/cli/output/library.h"
#include "runtime/library.h"
#include "runtime/report/report.h"
#include "runtime/report/table.h"

namespace gpx::cli {
namespace {

/// The .gpx files of a folder and the folders in it, sorted; a file stands for itself.
Result<std::vector<std::string>> files_under(const std::string& path) {
  if (!is_folder(path)) return std::vector<std::string>{path};
  auto files = list_files(path, ".gpx", true);
  if (!files) return fail(Fault::input, "cannot read '" + path + "': " + files.error().reason);
  return std::move(*files);
}

Result<std::vector<report::ListEntry>> entries_of(const std::string& file,
                                                  const std::vector<Topic>& topics) {
  const auto source = GPX_TRY(read_source(file));
  const auto experiments = GPX_TRY(read_experiments(source));
  std::vector<report::ListEntry> entries;
  for (const Experiment& experiment : experiments) {
    report::ListEntry entry{
        display_path(file),           experiment.name, experiment.title, experiment.device, {}, {},
        topics_of(experiment, topics)};
    for (const Cite& cite : experiment.cites) {
      entry.cites.insert(entry.cites.end(), cite.ids.begin(), cite.ids.end());
      entry.works.push_back(cite.work);
    }
    entries.push_back(std::move(entry));
  }
  return entries;
}

constexpr const char* kOther = "other";

/// Each work that is cited, in the order of its name.
std::vector<std::string> works_of(const std::vector<report::ListEntry>& entries) {
  std::set<std::string> works;
  for (const report::ListEntry& entry : entries)
    works.insert(entry.works.begin(), entry.works.end());
  return {works.begin(), works.end()};
}

std::string to_table(const std::vector<report::ListEntry>& entries, const report::Style& style) {
  report::Table table({"experiment", "device", "cites", "title", "file"});
  for (const report::ListEntry& entry : entries) {
    table.add({{entry.name, report::Paint::bold},
               {entry.device},
               {joined(entry.cites, " ")},
               {entry.title},
               {entry.file, report::Paint::dim}});
  }
  return table.render(style, 0);
}

/// A table for each topic, or each work that is cited; an experiment may be in several.
std::string by_heading(const std::vector<report::ListEntry>& entries,
                       const std::vector<std::string>& headings,
                       std::vector<std::string> report::ListEntry::*of,
                       const report::Style& style) {
  std::string text;
  for (const std::string& heading : headings) {
    std::vector<report::ListEntry> part;
    for (const report::ListEntry& entry : entries) {
      const auto& own = entry.*of;
      if (own.empty() ? heading == kOther : contains(own, heading)) part.push_back(entry);
    }
    if (part.empty()) continue;
    text += (text.empty() ? "" : "\n") + paint(style, report::Paint::bold, heading) + "\n" +
            to_table(part, style);
  }
  return text;
}

struct ListCommand : Talk {
  std::vector<std::string> files;
  std::string by;
  bool as_json = false;

  void take(CommandLine& line) {
    line.argument("PATH", files, "Files and folders").completes(Values::experiments);
    line.option("--by", by, "WHAT", "Grouped by topic, or by the paper cited")
        .checked([](const std::string& text) {
          return text == "topic" || text == "paper" ? std::string()
                                                    : "'" + text + "' is neither topic nor paper";
        })
        .completes({"topic", "paper"});
    line.flag("--json", as_json, "As JSON");
  }
  Result<int> run(const Console& console) const;
};

Result<int> ListCommand::run(const Console& console) const {
  int status = kSuccess;
  const std::vector<Topic> all_topics = topics();
  std::vector<report::ListEntry> entries;
  std::vector<std::string> paths = files;
  if (paths.empty()) {
    const Paths library = find_paths();
    GPX_TRY(require_library(library, LibraryPart::experiments));
    paths.push_back(library.experiments);
  }
  for (const std::string& path : paths) {
    const auto under = files_under(path);
    if (!under) status = print_error(console, under.error());
    for (const std::string& file : under.value_or(std::vector<std::string>{})) {
      const auto found = entries_of(file, all_topics);
      if (found)
        entries.insert(entries.end(), found->begin(), found->end());
      else
        status = print_error(console, found.error());
    }
  }
  if (as_json) {
    print(console.out, report::to_json(entries));
  } else if (by.empty()) {
    print(console.out, to_table(entries, console.out_style));
  } else {
    std::vector<std::string> headings;
    for (const Topic& topic : all_topics) headings.push_back(topic.name);
    if (by == "paper") headings = works_of(entries);
    headings.emplace_back(kOther);
    print(console.out,
          by_heading(entries, headings,
                     by == "paper" ? &report::ListEntry::works : &report::ListEntry::topics,
                     console.out_style));
  }
  return status;
}

}  // namespace

CommandRow list_command() {
  return command_row<ListCommand>(90, "list", "List experiments (default: those of the library)");
}

}  // namespace gpx::cli
