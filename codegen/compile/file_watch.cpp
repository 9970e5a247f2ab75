// Interface: codegen/compile/file_watch.h. Covered by tests/codegen/compile_file_test.cpp.
//
// A call from a shared library to another goes through a slot of its table of jumps, which the
// loader has filled; the slots of the functions below are filled anew.
#include "codegen/compile/file_watch.h"

#include <dlfcn.h>
#include <fcntl.h>
#include <link.h>
#include <linux/magic.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/vfs.h>
#include <unistd.h>

#include <cerrno>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <ctime>
#include <filesystem>
#include <string_view>

#include "codegen/compile/cache.h"

namespace gpx::codegen {
namespace {

namespace fs = std::filesystem;

constexpr off_t kMostHeaderBytes = 16 << 20;

thread_local FileWatch* watching = nullptr;

std::string canonical_of(const std::string& path) {
  std::error_code code;
  const fs::path found = fs::canonical(path, code);
  return code ? std::string() : found.string();
}

/// A file of a disk: what /proc and /sys have is not source, and a pipe would be waited for.
std::optional<std::string> read_regular(const std::string& path) {
  const int file = ::open(path.c_str(), O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
  if (file < 0) return std::nullopt;
  struct stat status {};
  struct statfs system {};
  const bool regular = ::fstat(file, &status) == 0 && S_ISREG(status.st_mode) &&
                       status.st_size <= kMostHeaderBytes && ::fstatfs(file, &system) == 0 &&
                       system.f_type != PROC_SUPER_MAGIC && system.f_type != SYSFS_MAGIC;
  std::optional<std::string> bytes;
  if (regular) bytes.emplace(static_cast<std::size_t>(status.st_size), '\0');
  std::size_t done = 0;
  while (bytes && done < bytes->size()) {
    const ssize_t got = ::read(file, bytes->data() + done, bytes->size() - done);
    if (got <= 0) break;
    done += static_cast<std::size_t>(got);
  }
  if (bytes) bytes->resize(done);
  ::close(file);
  return bytes;
}

/// A file that holds these bytes and has no name.
int file_of(const std::string& bytes) {
  const int file = ::memfd_create("gpx-include", MFD_CLOEXEC);
  if (file < 0) return -1;
  const auto size = static_cast<ssize_t>(bytes.size());
  if (::write(file, bytes.data(), bytes.size()) == size && ::lseek(file, 0, SEEK_SET) == 0)
    return file;
  ::close(file);
  return -1;
}

int open_watched(const char* path) {
  const std::string* bytes = watching->handed(path);
  if (bytes) return file_of(*bytes);
  errno = ENOENT;
  return -1;
}

bool hidden(const char* path) {
  if (!watching || watching->sees(path)) return false;
  errno = ENOENT;
  return true;
}

// ---- What stands in for the C library's functions ----------------------------------------------

std::FILE* bound_fopen(const char* path, const char* mode) {
  if (!watching) return std::fopen(path, mode);
  if (mode[0] != 'r' || std::strchr(mode, '+')) return errno = EACCES, nullptr;
  const int file = open_watched(path);
  return file < 0 ? nullptr : ::fdopen(file, "r");
}

int bound_open(const char* path, int flags, mode_t mode) {
  if (!watching) return ::open(path, flags, mode);
  if ((flags & O_ACCMODE) != O_RDONLY || (flags & O_CREAT) != 0) return errno = EACCES, -1;
  return open_watched(path);
}

int bound_access(const char* path, int mode) {
  return hidden(path) ? -1 : ::access(path, mode);
}
int bound_stat(const char* path, struct stat* status) {
  return hidden(path) ? -1 : ::stat(path, status);
}
int bound_lstat(const char* path, struct stat* status) {
  return hidden(path) ? -1 : ::lstat(path, status);
}
// As libraries of before glibc 2.33 call them.
int bound_xstat(int, const char* path, struct stat* status) {
  return bound_stat(path, status);
}
int bound_lxstat(int, const char* path, struct stat* status) {
  return bound_lstat(path, status);
}

/// What __DATE__ and __TIME__ are made of: the same code on every day.
char* bound_ctime(const time_t* when) {
  static char kept[] = "Thu Jan  1 00:00:00 1970\n";
  return watching ? kept : ::ctime(when);
}

struct Bound {
  std::string_view name;
  void* function;  ///< nullptr: a library that calls it cannot be watched.
};

template <typename Function>
void* address_of(Function* function) {
  return reinterpret_cast<void*>(function);
}

// 64-bit machines: the functions with 64 in their names are the same ones.
const Bound kBound[] = {{"fopen", address_of(bound_fopen)},
                        {"fopen64", address_of(bound_fopen)},
                        {"open", address_of(bound_open)},
                        {"open64", address_of(bound_open)},
                        {"access", address_of(bound_access)},
                        {"stat", address_of(bound_stat)},
                        {"stat64", address_of(bound_stat)},
                        {"lstat", address_of(bound_lstat)},
                        {"lstat64", address_of(bound_lstat)},
                        {"__xstat", address_of(bound_xstat)},
                        {"__xstat64", address_of(bound_xstat)},
                        {"__lxstat", address_of(bound_lxstat)},
                        {"__lxstat64", address_of(bound_lxstat)},
                        {"ctime", address_of(bound_ctime)},
                        {"openat", nullptr},
                        {"openat64", nullptr},
                        {"__open_2", nullptr},
                        {"__open64_2", nullptr},
                        {"freopen", nullptr},
                        {"freopen64", nullptr}};

/// The dynamic section's entries that matter here.
struct Dynamic {
  const ElfW(Sym) * symbols = nullptr;
  const char* names = nullptr;
  const ElfW(Rela) * jumps = nullptr;
  std::size_t count = 0;

  explicit Dynamic(const link_map& map) {
    for (const ElfW(Dyn)* entry = map.l_ld; entry->d_tag != DT_NULL; ++entry) {
      const auto address = entry->d_un.d_ptr;
      if (entry->d_tag == DT_SYMTAB) symbols = reinterpret_cast<const ElfW(Sym)*>(address);
      if (entry->d_tag == DT_STRTAB) names = reinterpret_cast<const char*>(address);
      if (entry->d_tag == DT_JMPREL) jumps = reinterpret_cast<const ElfW(Rela)*>(address);
      if (entry->d_tag == DT_PLTRELSZ) count = entry->d_un.d_val / sizeof(ElfW(Rela));
    }
  }
};

bool set_slot(void* slot, void* function) {
  const auto page = static_cast<std::uintptr_t>(::sysconf(_SC_PAGESIZE));
  const auto begin = reinterpret_cast<std::uintptr_t>(slot) & ~(page - 1);
  if (::mprotect(reinterpret_cast<void*>(begin), page, PROT_READ | PROT_WRITE) != 0) return false;
  *static_cast<void**>(slot) = function;
  return true;
}

}  // namespace

FileWatch::FileWatch(const std::vector<std::string>& folders) {
  for (const std::string& folder : folders)
    if (std::string path = canonical_of(folder.empty() ? "." : folder); !path.empty())
      folders_.push_back(path.ends_with('/') ? path : path + '/');
}

bool FileWatch::inside(const std::string& canonical) const {
  for (const std::string& folder : folders_)
    if (canonical.starts_with(folder)) return true;
  return false;
}

const std::string* FileWatch::read(const std::string& path) {
  asked_ = true;
  auto [file, fresh] = files_.try_emplace(path);
  if (fresh) {
    const std::string canonical = canonical_of(path);
    if (inside(canonical)) file->second = read_regular(canonical);
    if (!canonical.empty() && !file->second) refused_.insert(path);
    lookups_[path] = file->second ? content_hash({*file->second}) : std::string();
  }
  return file->second ? &*file->second : nullptr;
}

const std::string* FileWatch::handed(const std::string& path) {
  const std::string* bytes = read(path);
  if (!bytes || !shown_) return bytes;
  const auto [made, fresh] = handed_.try_emplace(path);
  if (fresh) made->second = shown_(canonical_of(path), *bytes);
  return &made->second;
}

bool FileWatch::sees(const std::string& path) {
  asked_ = true;
  std::error_code code;
  return fs::is_directory(path, code) || read(path) != nullptr;
}

bool FileWatch::still(const Lookups& lookups) {
  for (const auto& [path, hash] : lookups) {
    read(path);
    if (lookups_[path] != hash) return false;
  }
  return true;
}

WatchScope::WatchScope(FileWatch* watch) : before_(watching) {
  watching = watch;
}
WatchScope::~WatchScope() {
  watching = before_;
}

bool bind_file_calls(void* library) {
  link_map* map = nullptr;
  if (dlinfo(library, RTLD_DI_LINKMAP, &map) != 0 || !map) return false;
  const Dynamic dynamic(*map);
  if (!dynamic.symbols || !dynamic.names || !dynamic.jumps) return false;
  bool all = true;
  for (std::size_t i = 0; i < dynamic.count; ++i) {
    const ElfW(Rela)& jump = dynamic.jumps[i];
    const std::string_view name = dynamic.names + dynamic.symbols[jump.r_info >> 32].st_name;
    for (const Bound& bound : kBound)
      if (name == bound.name)
        all = bound.function &&
              set_slot(reinterpret_cast<void*>(map->l_addr + jump.r_offset), bound.function) && all;
  }
  return all;
}

}  // namespace gpx::codegen
