// Interface: notebook.h.
#include "runtime/serve/notebook.h"

#include <fmt/format.h>

#include <algorithm>

#include "codegen/compile/cache.h"
#include "codegen/files/files.h"
#include "lang/lists.h"
#include "lang/try.h"
#include "runtime/exit_status.h"
#include "runtime/serve/whole_file.h"
#include "runtime/store/store.h"

namespace gpx::serve {
namespace {

namespace fs = std::filesystem;
using Phase = Record::Phase;
constexpr std::uint64_t kRunsLookedAt = 40;
constexpr double kFileLook_s = 1;

fs::file_time_type time_of(const std::string& path) {
  std::error_code error;
  const auto time = fs::last_write_time(path, error);
  return error ? fs::file_time_type{} : time;
}

bool is_complete(const std::string& path, std::int64_t number) {
  const auto store = store::Store::open(path, false);
  const auto run = store ? store->load(number) : tl::unexpected(store.error());
  return run && run->origin.status == "complete";
}

/// How a job ended. `own`: its run in the store; one that was complete as it was stopped is done.
Phase phase_of(int status, const FoundRun& own) {
  if (status == kInterrupted) return own.status == "complete" ? Phase::done : Phase::stopped;
  return status == kSuccess || status == kExpectationFailed ? Phase::done : Phase::failed;
}

/// A bare line alone is the first of its file.
std::string name_alone(const Cell& cell) {
  const bool bare =
      cell.name.starts_with("line") && cell.text.find("experiment ") == std::string::npos;
  return bare ? "line1" : cell.name;
}

}  // namespace

const char* to_string(Phase phase) {
  static constexpr const char* names[] = {"queued", "running", "done", "failed", "stopped"};
  return names[static_cast<std::size_t>(phase)];
}

FoundRun find_run(const std::string& path, const RunText& text, const std::string& status) {
  const auto store = store::Store::open(path, false);
  if (!store) return {};
  const auto runs =
      store->runs({.limit = kRunsLookedAt, .device = {}, .experiment = text.experiment});
  if (!runs) return {};
  for (const store::RunEntry& run : *runs) {
    if (run.origin.device != text.device || run.origin.folder != text.folder) continue;
    if (!status.empty() && run.origin.status != status) continue;
    const auto loaded = store->load(run.number);
    if (loaded && loaded->result.sources.size() == 1 &&
        loaded->result.sources.front().text() == text.program)
      return {run.number, run.origin.status, run.origin.started};
  }
  return {};
}

Notebook::Notebook(NotebookSettings settings) : settings_(std::move(settings)), files_(folder()) {
  runs_.emplace(settings_.program, static_cast<RunListener&>(*this));
}

Notebook::~Notebook() {
  ending_ = true;
  if (restorer_.joinable()) restorer_.join();
  runs_.reset();
}

std::string Notebook::folder() const {
  return fs::path(settings_.file).parent_path().string();
}

Result<void> Notebook::open() {
  auto text = read_file_at(settings_.file);
  if (!text && !text.error().missing())
    return fail(Fault::input,
                fmt::format("cannot read '{}': {}", settings_.file, text.error().reason));
  {
    const std::lock_guard lock(mutex_);
    take_text(text ? std::move(*text) : std::string());
    written_ = time_of(settings_.file);
  }
  restorer_ = std::thread([this] { restore(); });
  return {};
}

/// The runs of earlier servers, found by what the cells hold.
void Notebook::restore() {
  std::vector<Cell> cells;
  std::vector<std::string> devices;
  {
    const std::lock_guard lock(mutex_);
    cells = cells_;
    devices = settings_.devices;
  }
  for (const Cell& cell : cells)
    for (const std::string& device : devices) {
      if (ending_) return;
      if (cell.kind != Cell::Kind::experiment) continue;
      const FoundRun found =
          find_run(settings_.store, {cell.program, device, folder(), name_alone(cell)}, "");
      if (found.number == 0) continue;
      const std::lock_guard lock(mutex_);
      Record& record = records_[{cell.name, device}];
      if (record.changed > 0) continue;  // It has run since.
      record.phase = found.status == "complete" ? Phase::done : Phase::stopped;
      if (found.status == "running") record.message = "another process measures it";
      // A kernel that was written since is not the one that ran.
      const bool same = files_.written(cell.program) < found.started;
      record.key = same ? key_of(cell, device) : "";
      record.program = cell.program;
      record.run = found.number;
      touch(record);
    }
}

std::string Notebook::key_of(const Cell& cell, const std::string& device) {
  std::string more = cell.kind == Cell::Kind::experiment ? files_.state_of(cell.program) : "";
  if (cell.kind == Cell::Kind::lua)
    for (const std::string& name : cell.uses)
      if (const auto found = records_.find({name, device}); found != records_.end())
        more += fmt::format(" {}", found->second.run);
  return codegen::content_hash({cell.program, device, more});
}

void Notebook::take_text(std::string text) {
  text_ = std::move(text);
  cells_ = cells_of(text_);
  version_ = ++at_;
  find_again();
  something_.notify_all();
}

/// A cell that is again what the run before measured shows that run: neither what was tried in
/// between nor its error is about this text.
void Notebook::find_again() {
  for (const Cell& cell : cells_)
    for (const std::string& device : settings_.devices) {
      const auto found = records_.find({cell.name, device});
      if (found == records_.end() || cell.kind != Cell::Kind::experiment) continue;
      Record& record = found->second;
      if (record.job > 0 || record.before == 0 || record.before_key.empty()) continue;
      const std::string key = key_of(cell, device);
      if (record.key == key || record.before_key != key) continue;
      std::swap(record.run, record.before);
      std::swap(record.key, record.before_key);
      std::swap(record.phase, record.before_phase);
      record.message.clear();
      record.output.clear();
      touch(record);
    }
}

void Notebook::touch(Record& record) {
  record.changed = ++at_;
  something_.notify_all();
}

void Notebook::look_at_file() {
  if (files_.changed()) {
    files_at_ = ++at_;
    find_again();
    something_.notify_all();
  }
  if (time_of(settings_.file) == written_) return;
  written_ = time_of(settings_.file);
  if (auto text = read_file_at(settings_.file); text && *text != text_) take_text(std::move(*text));
}

NotebookState Notebook::state(std::uint64_t since, double wait_s,
                              const std::atomic<bool>& stopped) {
  std::unique_lock lock(mutex_);
  const auto now = [] { return std::chrono::steady_clock::now(); };
  const auto end = now() + std::chrono::duration<double>(wait_s);
  look_at_file();
  while (at_ <= since && now() < end && !stopped) {
    something_.wait_for(lock, std::chrono::duration<double>(kFileLook_s / 4));
    look_at_file();
  }
  NotebookState state{at_, version_, {}, {}, settings_.devices, {}};
  // A run changes the keys of the Lua that reads it, a file those of the cells that use it.
  const bool files = files_at_ > since;
  bool keys = version_ > since || files;
  for (const auto& [key, record] : records_)
    if (record.changed > since) {
      state.records.emplace(key, record);
      keys = true;
    }
  if (version_ > since) state.text = text_;
  if (keys)
    for (const Cell& cell : cells_) {
      KeyedCell keyed{cell, {}};
      if (cell.can_run())
        for (const std::string& device : settings_.devices)
          keyed.keys.push_back(key_of(cell, device));
      if (version_ > since || cell.kind == Cell::Kind::lua || (files && cell.can_run()))
        state.cells.push_back(std::move(keyed));
    }
  return state;
}

std::string Notebook::text() const {
  const std::lock_guard lock(mutex_);
  return text_;
}

std::vector<std::string> Notebook::devices() const {
  const std::lock_guard lock(mutex_);
  return settings_.devices;
}

std::optional<Cell> Notebook::cell(const std::string& name) const {
  const std::lock_guard lock(mutex_);
  for (const Cell& cell : cells_)
    if (cell.can_run() && cell.name == name) return cell;
  return std::nullopt;
}

Result<bool> Notebook::save(std::uint64_t base, const std::string& text) {
  const std::lock_guard lock(mutex_);
  look_at_file();
  if (base != version_) return false;
  if (text == text_) return true;
  GPX_TRY(write_whole(settings_.file, text));
  written_ = time_of(settings_.file);
  take_text(text);
  return true;
}

Result<void> Notebook::set_devices(std::vector<std::string> devices) {
  constexpr std::size_t kMostDevices = 8;
  if (devices.empty() || devices.size() > kMostDevices)
    return fail(Fault::input, "one to eight devices");
  {
    const std::lock_guard lock(mutex_);
    settings_.devices = std::move(devices);
    version_ = ++at_;
  }
  something_.notify_all();
  const std::lock_guard lock(restoring_);
  if (restorer_.joinable()) restorer_.join();
  restorer_ = std::thread([this] { restore(); });
  return {};
}

/// The runs that it names are variables of theirs.
std::string Notebook::lua_program(const Cell& cell, const std::string& device) const {
  std::string loads;
  for (const std::string& name : cell.uses)
    if (const auto found = records_.find({name, device});
        found != records_.end() && found->second.run > 0)
      loads += fmt::format("local {} = gpx.load(\"{}\") ", name, found->second.run);
  return loads + cell.program;
}

void Notebook::start(const Cell& cell, const std::string& device) {
  Record& record = records_[{cell.name, device}];
  if (record.job > 0) runs_->stop(record.job);
  Record next;
  next.key = key_of(cell, device);
  next.program = cell.program;
  next.before = record.run > 0 ? record.run : record.before;
  next.before_key = record.run > 0 ? record.key : record.before_key;
  next.before_phase = record.run > 0 ? record.phase : record.before_phase;
  next.job = ++jobs_;
  next.replaces = record.job > 0;
  record = std::move(next);
  Job job{record.job, {}, cell.program, folder()};
  if (cell.kind == Cell::Kind::lua) {
    job.input = lua_program(cell, device);
    job.words = {"lua", "--device=" + device, "--store", settings_.store, "--", "-"};
  } else {
    job.words = {kOneOfSeveral, kDocument,       "run", "--device=" + device,
                 "--store",     settings_.store, "--",  "-"};
  }
  runs_->add(std::move(job));
  touch(record);
}

void Notebook::run(const std::vector<std::string>& names) {
  const std::lock_guard lock(mutex_);
  look_at_file();
  for (const Cell& cell : cells_)
    if (cell.can_run() && contains(names, cell.name))
      for (const std::string& device : settings_.devices) start(cell, device);
}

void Notebook::stop(const std::vector<std::string>& names) {
  const std::lock_guard lock(mutex_);
  for (auto& [key, record] : records_)
    if (record.job > 0 && contains(names, key.first)) runs_->stop(record.job);
}

/// A run that ended as it was stopped has nothing left to do.
void Notebook::resume(const std::string& name) {
  const std::lock_guard lock(mutex_);
  for (const std::string& device : settings_.devices) {
    const auto found = records_.find({name, device});
    if (found == records_.end()) continue;
    Record& record = found->second;
    if (record.phase != Phase::stopped || record.run == 0 || record.job > 0) continue;
    record.message.clear();
    if (is_complete(settings_.store, record.run)) {
      record.phase = Phase::done;
    } else {
      record.phase = Phase::queued;
      record.job = ++jobs_;
      runs_->add({record.job,
                  {kOneOfSeveral, kDocument, "resume", "--store", settings_.store, "--",
                   std::to_string(record.run)},
                  "",
                  folder()});
    }
    touch(record);
  }
}

std::vector<std::int64_t> Notebook::shown_runs() const {
  const std::lock_guard lock(mutex_);
  std::vector<std::int64_t> all;
  for (const Cell& cell : cells_)
    for (const std::string& device : settings_.devices)
      if (const auto found = records_.find({cell.name, device});
          found != records_.end() && found->second.run > 0)
        all.push_back(found->second.run);
  return all;
}

Record* Notebook::record_of(std::uint64_t job) {
  for (auto& [key, record] : records_)
    if (record.job == job) return &record;
  return nullptr;  // It began again.
}

void Notebook::job_begins(std::uint64_t id) {
  const std::lock_guard lock(mutex_);
  if (Record* record = record_of(id)) {
    record->phase = Phase::running;
    touch(*record);
  }
}

/// What a job measures, as the store will have it; nothing where it began again.
std::optional<RunText> Notebook::text_of_job(std::uint64_t id) const {
  const auto place =
      std::ranges::find(records_, id, [](const auto& one) { return one.second.job; });
  if (place == records_.end()) return std::nullopt;
  const auto cell = std::ranges::find(cells_, place->first.first, &Cell::name);
  return RunText{place->second.program, place->first.second, folder(),
                 cell == cells_.end() ? place->first.first : name_alone(*cell)};
}

/// A run that goes on is looked for in the store, so that the page shows what it has so far: again
/// and again where the run that it replaces may end later. The store is read without the lock: a
/// page that is open goes on meanwhile.
void Notebook::job_progresses(std::uint64_t id, const std::string& what) {
  std::unique_lock lock(mutex_);
  Record* record = record_of(id);
  if (!record) return;
  record->progress = what;
  touch(*record);
  if (record->run > 0 && !record->replaces) return;
  const auto text = text_of_job(id);
  lock.unlock();
  const FoundRun found = find_run(settings_.store, *text, "running");
  lock.lock();
  record = record_of(id);
  if (!record || found.number == 0 || found.number == record->run) return;
  record->run = found.number;
  touch(*record);
}

void Notebook::job_ends(std::uint64_t id, const JobEnd& end) {
  std::unique_lock lock(mutex_);
  const auto text = text_of_job(id);
  if (!text) return;
  const std::string name =
      std::ranges::find(records_, id, [](const auto& one) { return one.second.job; })->first.first;
  lock.unlock();
  const FoundRun found = find_run(settings_.store, *text, "");
  lock.lock();
  Record* record = record_of(id);
  if (!record) return;
  const FoundRun own = found.number == record->before ? FoundRun{} : found;
  const auto cell = std::ranges::find(cells_, name, &Cell::name);
  const std::string& said = end.process.messages;
  record->job = 0;
  record->progress.clear();
  record->message = end.process.killed + (end.process.killed.empty() ? "" : "\n") +
                    (cell == cells_.end() ? said : in_cell(said, *cell));
  record->output = end.output;
  record->phase = phase_of(end.process.status, own);
  if (own.number > 0) record->run = own.number;
  touch(*record);
}

}  // namespace gpx::serve
