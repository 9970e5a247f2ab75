// Interface: script.h. Covered by tests/cli/fleet_test.cpp.
#include "runtime/cli/fleet/script.h"

#include <fmt/format.h>

#include <cctype>
#include <filesystem>

#include "runtime/cli/stored.h"

namespace gpx::cli {
namespace {

constexpr const char* kScript = R"sh(#!/bin/bash
# A fleet of gpx. Each task of this job array measures line N of tasks.txt into task/N.db.
# To change an option, edit this file; gpx fleet retry submits it again.
#SBATCH --job-name={name}
#SBATCH --array=1-{tasks}
#SBATCH --output={quoted_folder}/task/%a.log
#SBATCH --open-mode=append
#SBATCH --requeue
#SBATCH --signal=B:USR1@60
{options}
folder={folder}
task=$SLURM_ARRAY_TASK_ID
read -r shard device < <(sed -n "${{task}}p" "$folder/tasks.txt")
echo "task $task: shard $shard on $device, host $(hostname), job $SLURM_JOB_ID"
rm -f "$folder/task/$task.status"

# --continue: a try after an interrupted one measures only the points that its store lacks.
{gpx} {command} --continue --quiet --store "$folder/task/$task.db" \
  --device "$device"{what} &
gpx=$!

# Slurm sends USR1 a minute before the time limit: save, and go on in another try. TERM, as scancel
# sends it: save, and end.
again=
trap 'again=yes; kill -TERM $gpx' USR1
trap 'kill -TERM $gpx' TERM
while wait $gpx; status=$?; kill -0 $gpx 2>/dev/null; do :; done

echo "$status $(hostname) $(date -u +%FT%TZ)" > "$folder/task/$task.status"
if [[ $again && $status -gt 3 ]]; then scontrol requeue "$SLURM_JOB_ID"; fi
exit $status
)sh";

/// Slurm reads an option's line as a shell does, but knows no dollar.
std::string sbatch_word(const std::string& word) {
  return word.find_first_of(" \t\"'#") == std::string::npos ? word : shell_word(word);
}

/// "gpx-kepler_prt"
std::string job_name(const ScriptParts& parts) {
  if (parts.files.empty()) return "gpx-characterize";
  std::string name = "gpx-" + std::filesystem::path(parts.files.front()).stem().string();
  for (char& c : name)
    if (!std::isalnum(static_cast<unsigned char>(c)) && c != '.' && c != '_') c = '-';
  return name;
}

/// What the command takes behind the device.
std::string words_behind(const ScriptParts& parts) {
  std::string text = parts.files.empty() ? "" : " --shard \"$shard\"";
  for (const std::string& word : parts.options) text += ' ' + shell_word(word);
  if (!parts.files.empty()) text += " --";
  for (const std::string& file : parts.files) text += ' ' + shell_word(file);
  return text;
}

}  // namespace

std::vector<std::string> option_lines(const std::vector<std::string>& words) {
  std::vector<std::string> lines;
  for (const std::string& word : words) {
    if (lines.empty() || word.starts_with('-'))
      lines.push_back(sbatch_word(word));
    else
      lines.back() += ' ' + sbatch_word(word);
  }
  return lines;
}

std::string job_script(const ScriptParts& parts) {
  std::string options;
  for (const std::string& line : option_lines(parts.sbatch)) options += "#SBATCH " + line + '\n';
  return fmt::format(kScript, fmt::arg("name", job_name(parts)), fmt::arg("tasks", parts.tasks),
                     fmt::arg("quoted_folder", sbatch_word(parts.folder)),
                     fmt::arg("options", options), fmt::arg("folder", shell_word(parts.folder)),
                     fmt::arg("gpx", shell_word(parts.program)),
                     fmt::arg("command", parts.files.empty() ? "characterize" : "run"),
                     fmt::arg("what", words_behind(parts)));
}

}  // namespace gpx::cli
