// gpx_chaos GPX PRELOAD [--minutes N] [--kills N] [--seed S]: runs, resumes, imports and
// characterizations that are stopped, interrupted and killed at random, on slow and on full disks.
//
// Each round has a folder and a store of its own. It holds: what a reader of the store saw before a
// kill is there afterwards; a run that is resumed until it ends has the document of an undisturbed
// one; an import is there whole or not at all; a result file is whole or absent; no file and no
// process is left behind. The first round that breaks this is kept and named; status 1.
#include <sys/mount.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <map>
#include <nlohmann/json.hpp>
#include <set>
#include <sstream>
#include <stdexcept>
#include <thread>

#include "process.h"
#include "runtime/report/report.h"
#include "runtime/store/sqlite.h"
#include "runtime/store/store.h"

namespace gpx::chaos {
namespace {

namespace fs = std::filesystem;
using Arguments = std::vector<std::string>;
using store::Store;

/// 513 points of two experiments; findings of the first need all of its points.
constexpr const char* kText =
    "experiment prt {\n  device k20\n  sweep n 2..3, threads 4..1024 step 4\n"
    "  < load unique(128B) x n >\n  analyze outstanding(x = threads, loads = n)\n}\n"
    "experiment one { threads 32 repeat 3 < load unique(128B) > }\n";
constexpr unsigned kBothered = 6;  ///< Resumes of a run that may be killed; then it may end.

[[noreturn]] void broken(const std::string& what) {
  throw std::runtime_error(what);
}

template <typename T>
T value(Result<T> result, const std::string& what) {
  if (!result) broken(what + ": " + render(result.error()));
  return std::move(*result);
}

std::string read(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  std::stringstream text;
  text << file.rdbuf();
  return text.str();
}

void write(const std::string& path, const std::string& text) {
  std::ofstream(path, std::ios::binary) << text;
}

/// What undisturbed commands gave.
struct Reference {
  std::string document, exported, characterized;
  std::vector<std::string> rows;  ///< Of each experiment, as CSV.
  double run_seconds = 0, characterize_seconds = 0, import_seconds = 0;
};

/// Without what is a clock's.
std::string untimed(const std::string& document) {
  auto json = nlohmann::ordered_json::parse(document, nullptr, false);
  if (json.is_discarded()) broken("a result file is not whole: " + document.substr(0, 80));
  json.erase("seconds");
  if (json.contains("experiments"))
    for (auto& experiment : json["experiments"])
      for (const char* time : {"seconds", "ended"})
        if (experiment.contains("group")) experiment["group"].erase(time);
  return json.dump();
}

class Round {
 public:
  Round(const Surroundings& place, const Reference& whole, Random random, Counts& counts)
      : place_(place), whole_(whole), random_(random), counts_(counts) {}

  void run() {
    fs::create_directories(place_.folder + "/tmp");
    write(place_.folder + "/two.gpx", kText);
    const unsigned kind = static_cast<unsigned>(random_() % 8);
    if (kind == 0) {
      ++counts_.imports;
      imports();
    } else if (kind == 1) {
      ++counts_.tables;
      characterizes();
    } else if (kind == 2 && ::geteuid() == 0) {
      ++counts_.full;
      full_disk();
    } else {
      runs(1 + static_cast<unsigned>(random_() % 2));
    }
    nothing_left();
  }

 private:
  std::string file(const std::string& name) const { return place_.folder + '/' + name; }
  Store open() const { return value(Store::open(store_, false), "the store cannot be opened"); }

  Ended bothered(const Arguments& arguments, double seconds, Random& random, Counts& counts) {
    return run_bothered(place_, arguments, 1.2 * seconds, random, counts);
  }

  /// So many writers at once, watched by a reader, each killed or not.
  void write_at_once(unsigned writers) {
    std::atomic<unsigned> alive{writers};
    std::vector<std::thread> threads;
    std::vector<Counts> counts(writers);
    for (unsigned i = 0; i < writers; ++i)
      threads.emplace_back([&, i, random = Random(random_())]() mutable {
        const std::string json = "r" + std::to_string(i) + ".json";
        bothered({"run", "two.gpx", "-q", "--store", store_, "--json", json}, whole_.run_seconds,
                 random, counts[i]);
        --alive;
      });
    std::string problem;
    while (alive > 0) {
      std::this_thread::sleep_for(std::chrono::milliseconds(15));
      if (problem.empty() && fs::exists(store_)) problem = acknowledge();
      if (full_) problem.clear();  // a reader needs some bytes of the disk, too
    }
    for (std::thread& thread : threads) thread.join();
    for (const Counts& each : counts) counts_ += each;
    if (!problem.empty()) broken(problem);
    for (unsigned i = 0; i < writers; ++i) check_result("r" + std::to_string(i) + ".json");
  }

  /// Remembers what a reader sees now; a problem in words. (A store that is being made has no
  /// tables yet.)
  std::string acknowledge() {
    const auto store = Store::open(store_, false);
    if (!store) return acknowledged_.empty() ? "" : render(store.error());
    const auto runs = store->runs({});
    if (!runs) return render(runs.error());
    for (const auto& run : *runs) {
      auto& points = acknowledged_[run.origin.id];
      if (run.points < points) return "points of a run became fewer";
      counts_.points += run.points - points;
      points = run.points;
    }
    return {};
  }

  void check_result(const std::string& name) const {
    if (!fs::exists(file(name))) return;
    const std::string text = read(file(name));
    const auto json = nlohmann::json::parse(text, nullptr, false);
    if (json.is_discarded()) broken(name + " is not whole");
    if (!json.value("interrupted", false) && text != whole_.document)
      broken(name + " is not what an undisturbed run writes");
  }

  void check_prefix(const store::StoredRun& run) const {
    for (std::size_t i = 0; i < run.result.experiments.size(); ++i) {
      const std::string rows = to_csv(run.result.experiments[i].samples);
      if (!whole_.rows[i].starts_with(rows)) broken("rows differ from those of an undisturbed run");
    }
  }

  /// Nothing that was acknowledged is gone, and all of it is right.
  void check_store() {
    const auto database = value(store::Database::open(store_, false), "no database");
    auto check = value(database.prepare("PRAGMA integrity_check"), "integrity");
    if (!value(check.step(), "integrity") || check.text(0) != "ok") broken("the store is damaged");
    const Store store = open();
    for (const auto& [id, points] : acknowledged_) {
      const auto number = value(store.find(id), "an acknowledged run is gone");
      const auto run = value(store.load(number), "a run cannot be read");
      std::uint64_t there = 0;
      for (const auto& experiment : run.result.experiments) there += experiment.points;
      if (there < points) broken("points that were acknowledged are gone");
      check_prefix(run);
    }
  }

  /// Until each run is whole; then each is what an undisturbed one is.
  void resume_all() {
    for (const auto& entry : value(open().runs({}), "runs")) {
      const std::string id = entry.origin.id;
      for (unsigned i = 0; status_of(id) != "complete"; ++i) {
        if (i > kBothered + 1) broken("a run cannot be resumed: " + read(file("out.txt")));
        const Arguments resume = {"resume", id, "-q", "--store", store_};
        if (i < kBothered) {
          bothered(resume, whole_.run_seconds, random_, counts_);
        } else {
          run_plain(place_, resume);
        }
        if (const std::string problem = acknowledge(); !problem.empty()) broken(problem);
        check_store();
      }
      const Store store = open();
      const auto number = value(store.find(id), "a run is gone");
      if (value(store.document(number), "document") != whole_.document)
        broken("a resumed run differs from an undisturbed one");
      ++counts_.runs;
    }
  }
  std::string status_of(const std::string& id) const {
    const Store store = open();
    const auto number = value(store.find(id), "a run is gone");
    return value(store.load(number), "a run cannot be read").origin.status;
  }

  void runs(unsigned writers) {
    write_at_once(writers);
    if (!fs::exists(store_)) return;  // killed before
    check_store();
    resume_all();
  }

  void full_disk() {
    const std::string disk = file("disk");
    fs::create_directories(disk);
    const std::string size = "size=" + std::to_string(64 + random_() % 400) + "k";
    if (::mount("chaos", disk.c_str(), "tmpfs", 0, size.c_str()) != 0)
      broken(std::string("cannot mount a small disk: ") + std::strerror(errno));
    store_ = disk + "/gpx.db";
    full_ = true;
    try {
      write_at_once(1);
      full_ = false;
      if (::mount("chaos", disk.c_str(), "tmpfs", MS_REMOUNT, "size=64m") != 0)
        broken("the disk does not grow");
      if (fs::exists(store_) && fs::file_size(store_) > 0 && Store::open(store_, false)) {
        check_store();
        resume_all();
      } else if (!acknowledged_.empty()) {
        broken("a store with points cannot be opened after its disk was full");
      }
    } catch (...) {
      std::error_code ignored;  // what the disk held is to be looked at
      fs::copy(disk, file("disk-kept"), ignored);
      ::umount2(disk.c_str(), MNT_DETACH);
      throw;
    }
    ::umount2(disk.c_str(), MNT_DETACH);
    fs::remove_all(disk);
  }

  void imports() {
    write(file("d.json"), whole_.exported);
    const Arguments import = {"import", "d.json", "-q", "--store", store_};
    for (unsigned i = 0; i < 4; ++i)
      if (!bothered(import, whole_.import_seconds, random_, counts_).killed()) break;
    run_plain(place_, import);  // refused where it is there
    if (value(open().runs({}), "runs").size() != 1) broken("an import is not there once");
    if (value(open().export_document(1), "export") != whole_.exported)
      broken("an imported run differs from what was exported");
  }

  void characterizes() {
    const Arguments command = {"characterize", "--device", "fig4",   "--only",
                               "control",      "-q",       "--json", "c.json"};
    for (unsigned i = 0; i < 4; ++i) {
      bothered(command, whole_.characterize_seconds, random_, counts_);
      if (fs::exists(file("c.json")) && untimed(read(file("c.json"))) != whole_.characterized &&
          !nlohmann::json::parse(read(file("c.json"))).value("interrupted", false))
        broken("a characterization differs from an undisturbed one");
      fs::remove(file("c.json"));
    }
  }

  /// After the last reader has closed the store.
  void nothing_left() {
    const std::set<std::string> expected = {"two.gpx",     "tmp",    "out.txt", "gpx.db",
                                            "gpx.db-live", "d.json", "r0.json", "r1.json"};
    for (const auto& entry : fs::directory_iterator(place_.folder))
      if (!expected.contains(entry.path().filename()))
        broken("a stray file: " + entry.path().filename().string());
    if (!fs::is_empty(place_.folder + "/tmp")) broken("a stray file in TMPDIR");
    if (fs::exists(place_.cache))
      for (const auto& entry : fs::directory_iterator(place_.cache))
        if (entry.path().extension() != ".artifact")
          broken("a stray file of the cache: " + entry.path().filename().string());
    for (int i = 0; !processes_in(place_.folder).empty(); ++i) {
      if (i > 50) broken("a process is left behind");
      std::this_thread::sleep_for(std::chrono::milliseconds(20));
    }
  }

  Surroundings place_;
  const Reference& whole_;
  Random random_;
  Counts& counts_;
  std::string store_ = file("gpx.db");
  bool full_ = false;                                  ///< The store's disk may have no byte left.
  std::map<std::string, std::uint64_t> acknowledged_;  ///< Points of each run.
};

double seconds_of(const std::function<Ended()>& work) {
  const auto begin = std::chrono::steady_clock::now();
  if (const Ended ended = work(); ended.status != 0) broken("an undisturbed command failed");
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
}

Reference undisturbed(const Surroundings& place) {
  fs::create_directories(place.folder + "/tmp");
  write(place.folder + "/two.gpx", kText);
  Reference whole;
  const std::string path = place.folder + "/gpx.db";
  // The first one compiles.
  run_plain(place, {"run", "two.gpx", "-q"});
  whole.run_seconds = seconds_of([&] {
    return run_plain(place, {"run", "two.gpx", "-q", "--store", path});
  });
  whole.characterize_seconds = seconds_of([&] {
    return run_plain(
        place, {"characterize", "--device", "fig4", "--only", "control", "-q", "--json", "c.json"});
  });
  whole.characterized = untimed(read(place.folder + "/c.json"));
  const Store store = value(Store::open(path, false), "no store");
  whole.document = value(store.document(1), "document");
  whole.exported = value(store.export_document(1), "export");
  for (const auto& experiment : value(store.load(1), "load").result.experiments)
    whole.rows.push_back(to_csv(experiment.samples));
  write(place.folder + "/d.json", whole.exported);
  whole.import_seconds = seconds_of([&] {
    return run_plain(place, {"import", "d.json", "--store", place.folder + "/i.db"});
  });
  return whole;
}

struct Options {
  std::string gpx, preload;
  double minutes = 1;
  unsigned long kills = ~0ul;
  std::uint64_t seed = 1;
};

int torment(const Options& options) {
  std::string base = (fs::temp_directory_path() / "gpx-chaos-XXXXXX").string();
  if (!::mkdtemp(base.data())) broken("no folder in " + fs::temp_directory_path().string());
  const auto begin = std::chrono::steady_clock::now();
  const auto minutes = [&] {
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count() / 60;
  };
  if (::geteuid() != 0) std::printf("not root: no full disks\n");
  Surroundings place{options.gpx, options.preload, base + "/reference", base + "/cache"};
  const Reference whole = undisturbed(place);
  Random random(options.seed);
  Counts counts;
  unsigned long rounds = 0;
  for (; minutes() < options.minutes && counts.kills < options.kills; ++rounds) {
    place.folder = base + "/" + std::to_string(rounds);
    // Every eighth round compiles.
    place.cache = rounds % 8 == 7 ? base + "/fresh" : base + "/cache";
    try {
      Round(place, whole, Random(random()), counts).run();
    } catch (const std::exception& error) {
      std::printf("round %lu of seed %lu, in %s: %s\n", rounds,
                  static_cast<unsigned long>(options.seed), place.folder.c_str(), error.what());
      return 1;
    }
    fs::remove_all(place.folder);
    fs::remove_all(base + "/fresh");
  }
  fs::remove_all(base);
  std::printf(
      "%lu rounds in %.1f minutes, %lu on full disks, %lu of imports, %lu of characterizations\n"
      "%lu kills, %lu stops, %lu signals, %lu slow disks, %lu clocks that jump\n"
      "%lu points were acknowledged, %lu runs went on to their end; nothing lost, nothing left\n",
      rounds, minutes(), counts.full, counts.imports, counts.tables, counts.kills, counts.stops,
      counts.signals, counts.slow, counts.jumps, counts.points, counts.runs);
  return 0;
}

}  // namespace
}  // namespace gpx::chaos

int main(int count, char** arguments) {
  gpx::chaos::Options options;
  for (int i = 3; i + 1 < count; i += 2) {
    const std::string name = arguments[i];
    if (name == "--minutes") options.minutes = std::atof(arguments[i + 1]);
    if (name == "--kills") options.kills = std::strtoul(arguments[i + 1], nullptr, 10);
    if (name == "--seed") options.seed = std::strtoul(arguments[i + 1], nullptr, 10);
  }
  if (count < 3 || count % 2 == 0) {
    std::fprintf(stderr, "usage: gpx_chaos GPX PRELOAD [--minutes N] [--kills N] [--seed S]\n");
    return 2;
  }
  options.gpx = std::filesystem::absolute(arguments[1]);
  options.preload = std::filesystem::absolute(arguments[2]);
  try {
    return gpx::chaos::torment(options);
  } catch (const std::exception& error) {
    std::fprintf(stderr, "gpx_chaos: %s\n", error.what());
    return 3;
  }
}
