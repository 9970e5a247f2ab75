// Notebook: the document of a page, and what became of its cells.
//
// The document is the file: every change is written at once, and a change by another program is
// read. Results are in the store; a record only says which run belongs to a cell, so that another
// server finds them by the cell's text. All functions may be called by several threads.
// Covered by tests/serve/serve_test.py.
#pragma once

#include <condition_variable>
#include <filesystem>
#include <map>
#include <mutex>
#include <optional>
#include <thread>

#include "lang/diagnostic.h"
#include "runtime/serve/cells.h"
#include "runtime/serve/runs.h"
#include "runtime/serve/used_files.h"

namespace gpx::serve {

struct NotebookSettings {
  std::string file;     ///< Absolute; it need not exist.
  std::string store;    ///< A path.
  std::string program;  ///< gpx itself.
  std::vector<std::string> devices = {"auto"};
};

/// Of a cell on a device.
struct Record {
  enum class Phase { queued, running, done, failed, stopped };
  Phase phase = Phase::queued;
  std::string key;          ///< Of what ran; another than the cell's: stale.
  std::string program;      ///< The same as text.
  std::string progress;     ///< "128 of 512 points, 3 s left"
  std::string message;      ///< What it printed on standard error.
  std::string output;       ///< Of Lua.
  std::int64_t run = 0;     ///< In the store; 0: none yet.
  std::int64_t before = 0;  ///< The run that was shown before it.
  std::string before_key;   ///< Of what that run ran; "": it is not known.
  Phase before_phase = Phase::done;
  std::uint64_t changed = 0;
  std::uint64_t job = 0;  ///< 0: it does not run.
  bool replaces = false;  ///< It began while another one of the same cell ran.
};
const char* to_string(Record::Phase phase);

/// A cell with the key of what would run on each device now.
struct KeyedCell {
  Cell cell;
  std::vector<std::string> keys;
};

/// What changed after a moment.
struct NotebookState {
  std::uint64_t at = 0, version = 0;  ///< Of all; of the document alone.
  std::optional<std::string> text;    ///< Where the document changed.
  std::vector<KeyedCell> cells;       ///< The same.
  std::vector<std::string> devices;
  std::map<std::pair<std::string, std::string>, Record> records;  ///< By cell and device.
};

/// What a run is found by.
struct RunText {
  std::string program, device, folder;
  std::string experiment;  ///< A name in it.
};
/// The newest run of this text in a store; 0: none. `status`: "running", "": any.
struct FoundRun {
  std::int64_t number = 0;
  std::string status;
  std::string started;  ///< "2026-01-31T12:00:00Z"
};
FoundRun find_run(const std::string& store, const RunText& text, const std::string& status);

class Notebook : private RunListener {
 public:
  explicit Notebook(NotebookSettings settings);
  ~Notebook() override;

  /// Errors: the file is there and cannot be read.
  Result<void> open();

  /// Waits up to `wait_s` for something after `since`; with `since` 0 all of it, at once.
  NotebookState state(std::uint64_t since, double wait_s, const std::atomic<bool>& stopped);
  std::string text() const;
  std::vector<std::string> devices() const;
  std::optional<Cell> cell(const std::string& name) const;
  const NotebookSettings& settings() const { return settings_; }
  std::string folder() const;

  /// False: the document is no longer that of version `base`. Errors: the file cannot be written.
  Result<bool> save(std::uint64_t base, const std::string& text);
  Result<void> set_devices(std::vector<std::string> devices);
  /// Those cells on all devices; a cell that runs begins again.
  void run(const std::vector<std::string>& cells);
  void stop(const std::vector<std::string>& cells);
  /// Goes on with the stopped runs of a cell.
  void resume(const std::string& cell);
  /// The runs in the store that are shown, in the order of the cells.
  std::vector<std::int64_t> shown_runs() const;

 private:
  using Key = std::pair<std::string, std::string>;

  void job_begins(std::uint64_t id) override;
  void job_progresses(std::uint64_t id, const std::string& what) override;
  void job_ends(std::uint64_t id, const JobEnd& end) override;

  void take_text(std::string text);
  void look_at_file();
  void find_again();
  void restore();
  void start(const Cell& cell, const std::string& device);
  std::string key_of(const Cell& cell, const std::string& device);
  std::string lua_program(const Cell& cell, const std::string& device) const;
  Record* record_of(std::uint64_t job);
  std::optional<RunText> text_of_job(std::uint64_t job) const;
  void touch(Record& record);

  NotebookSettings settings_;
  mutable std::mutex mutex_;
  std::condition_variable something_;
  std::string text_;
  std::filesystem::file_time_type written_{};
  std::vector<Cell> cells_;
  std::map<Key, Record> records_;
  UsedFiles files_;
  std::uint64_t at_ = 1, version_ = 1, files_at_ = 1, jobs_ = 0;
  std::atomic<bool> ending_{false};
  std::mutex restoring_;  ///< Of the thread below.
  std::thread restorer_;
  std::optional<Runs> runs_;
};

}  // namespace gpx::serve
