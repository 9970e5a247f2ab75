// Interface: turn.h.
#include "runtime/device/turn.h"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cctype>
#include <chrono>
#include <filesystem>
#include <thread>
#include <utility>

namespace gpx {
namespace {

constexpr std::chrono::milliseconds kLookAgain{50};

std::string lock_path(const std::string& uuid) {
  std::string name = "gpx-" + uuid + ".lock";
  std::ranges::replace_if(
      name, [](unsigned char c) { return !std::isalnum(c) && c != '-' && c != '.'; }, '_');
  std::error_code error;
  const auto folder = std::filesystem::temp_directory_path(error);
  return ((error ? "/tmp" : folder) / name).string();
}

/// Another user's file is opened as it is: in /tmp nobody may create what another one has.
int lock_file(const std::string& path) {
  int file = ::open(path.c_str(), O_RDONLY | O_NOFOLLOW | O_CLOEXEC);
  if (file >= 0) return file;
  file = ::open(path.c_str(), O_RDONLY | O_CREAT | O_NOFOLLOW | O_CLOEXEC, 0644);
  if (file >= 0) (void)::fchmod(file, 0644);
  return file;
}

}  // namespace

Turn& Turn::operator=(Turn&& other) noexcept {
  if (this != &other) release();
  file_ = std::exchange(other.file_, -1);
  return *this;
}

void Turn::release() {
  if (file_ >= 0) ::close(file_);
  file_ = -1;
}

Turn Turn::wait(const std::string& uuid, const std::atomic<bool>* stop,
                const std::function<void()>& on_wait) {
  Turn turn(lock_file(lock_path(uuid)));
  if (!turn.held()) return turn;
  for (bool told = false; ::flock(turn.file_, LOCK_EX | LOCK_NB) != 0;) {
    if (stop && *stop) return {};
    if (!std::exchange(told, true) && on_wait) on_wait();
    std::this_thread::sleep_for(kLookAgain);
  }
  return turn;
}

std::vector<Turn> Turn::wait(std::vector<std::string> uuids, const std::atomic<bool>* stop,
                             const std::function<void()>& on_wait) {
  std::ranges::sort(uuids);
  const auto twice = std::ranges::unique(uuids);
  uuids.erase(twice.begin(), twice.end());
  std::vector<Turn> turns;
  for (const std::string& uuid : uuids) {
    turns.push_back(wait(uuid, stop, on_wait));
    if (stop && *stop) return {};
  }
  return turns;
}

bool Turn::taken(const std::string& uuid) {
  const Turn turn(lock_file(lock_path(uuid)));
  return turn.held() && ::flock(turn.file_, LOCK_EX | LOCK_NB) != 0;
}

}  // namespace gpx
