// Interface: walls.h. Covered by tests/codegen/confined_test.cpp.
#include "codegen/confined/walls.h"

#include <fcntl.h>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/landlock.h>
#include <linux/seccomp.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cmath>
#include <cstddef>
#include <cstdio>
#include <cstring>

namespace gpx::confined {
namespace {

#if defined(__x86_64__)
constexpr std::uint32_t kMachine = AUDIT_ARCH_X86_64;
#elif defined(__aarch64__)
constexpr std::uint32_t kMachine = AUDIT_ARCH_AARCH64;
#else
constexpr std::uint32_t kMachine = 0;
#endif

/// Address space of the process now.
std::uint64_t mapped_bytes() {
  unsigned long pages = 0;
  if (std::FILE* file = std::fopen("/proc/self/statm", "re")) {
    if (std::fscanf(file, "%lu", &pages) != 1) pages = 0;
    std::fclose(file);
  }
  return std::uint64_t{pages} * static_cast<std::uint64_t>(::sysconf(_SC_PAGESIZE));
}

void limit(int what, std::uint64_t most) {
  rlimit now{};
  if (::getrlimit(static_cast<__rlimit_resource_t>(what), &now) != 0) return;
  now.rlim_cur = now.rlim_max = std::min<rlim_t>(now.rlim_max, most);
  ::setrlimit(static_cast<__rlimit_resource_t>(what), &now);
}

// ---- Landlock: https://docs.kernel.org/userspace-api/landlock.html ------------------------------

constexpr std::uint64_t kReading = LANDLOCK_ACCESS_FS_READ_FILE | LANDLOCK_ACCESS_FS_READ_DIR;
/// All that its first version knows: what is not handled would be allowed.
constexpr std::uint64_t kHandled = (LANDLOCK_ACCESS_FS_MAKE_SYM << 1) - 1;

int landlock_version() {
  return static_cast<int>(
      ::syscall(SYS_landlock_create_ruleset, nullptr, 0, LANDLOCK_CREATE_RULESET_VERSION));
}

void allow(int rules, const std::string& path, std::uint64_t more) {
  const int place = ::open(path.c_str(), O_PATH | O_CLOEXEC);
  if (place < 0) return;
  struct stat status {};
  const bool folder = ::fstat(place, &status) == 0 && S_ISDIR(status.st_mode);
  landlock_path_beneath_attr rule{};
  rule.allowed_access = (folder ? kReading : std::uint64_t{LANDLOCK_ACCESS_FS_READ_FILE}) | more;
  rule.parent_fd = place;
  ::syscall(SYS_landlock_add_rule, rules, LANDLOCK_RULE_PATH_BENEATH, &rule, 0);
  ::close(place);
}

void restrict_files(const WallPlan& plan) {
  landlock_ruleset_attr all{};
  all.handled_access_fs = kHandled;
  const int rules = static_cast<int>(::syscall(SYS_landlock_create_ruleset, &all, sizeof all, 0));
  if (rules < 0) return;
  for (const std::string& path : plan.readable) allow(rules, path, 0);
  for (const std::string& path : plan.runnable) allow(rules, path, LANDLOCK_ACCESS_FS_EXECUTE);
  ::syscall(SYS_landlock_restrict_self, rules, 0);
  ::close(rules);
}

// ---- seccomp ------------------------------------------------------------------------------------

/// Memory, time, what is open already, files to be read, and the way out.
constexpr int kCalls[] = {
    SYS_read,
    SYS_write,
    SYS_readv,
    SYS_writev,
    SYS_pread64,
    SYS_close,
    SYS_lseek,
    SYS_fstat,
    SYS_newfstatat,
    SYS_statx,
    SYS_fstatfs,
    SYS_faccessat,
    SYS_faccessat2,
    SYS_readlinkat,
    SYS_getdents64,
    SYS_getcwd,
    SYS_fcntl,
    SYS_ppoll,
    SYS_recvfrom,
    SYS_sendto,
    SYS_brk,
    SYS_mmap,
    SYS_munmap,
    SYS_mremap,
    SYS_mprotect,
    SYS_madvise,
    SYS_futex,
    SYS_sched_yield,
    SYS_sched_getaffinity,
    SYS_sysinfo,
    SYS_uname,
    SYS_clock_gettime,
    SYS_clock_getres,
    SYS_clock_nanosleep,
    SYS_gettimeofday,
    SYS_getrandom,
    SYS_getpid,
    SYS_gettid,
    SYS_getuid,
    SYS_geteuid,
    SYS_getrusage,
    SYS_times,
    SYS_rt_sigaction,
    SYS_rt_sigprocmask,
    SYS_rt_sigreturn,
    SYS_sigaltstack,
    SYS_setitimer,
    SYS_restart_syscall,
    SYS_memfd_create,
    SYS_rseq,
    SYS_set_robust_list,
    SYS_exit,
    SYS_exit_group,
#ifdef __x86_64__
    SYS_stat,
    SYS_lstat,
    SYS_access,
    SYS_readlink,
    SYS_poll,
    SYS_time,
    SYS_arch_prctl,
#endif
};

constexpr sock_filter statement(std::uint16_t code, std::uint32_t value) {
  return {code, 0, 0, value};
}
constexpr sock_filter jump_if(std::uint32_t value, std::uint8_t equal, std::uint8_t other) {
  return {BPF_JMP | BPF_JEQ | BPF_K, equal, other, value};
}

/// A file may be opened to be read alone; other calls than the list's fail as not permitted.
std::vector<sock_filter> call_filter() {
  constexpr std::uint32_t kRefused = SECCOMP_RET_ERRNO | EPERM;
  constexpr std::uint32_t kWriting = O_WRONLY | O_RDWR | O_CREAT | O_TRUNC;
  const auto load = [](std::size_t offset) {
    return statement(BPF_LD | BPF_W | BPF_ABS, static_cast<std::uint32_t>(offset));
  };
  const auto open_rule = [&](std::vector<sock_filter>& filter, int call, std::size_t flags) {
    filter.push_back(jump_if(static_cast<std::uint32_t>(call), 0, 4));
    filter.push_back(load(offsetof(seccomp_data, args) + flags * sizeof(std::uint64_t)));
    filter.push_back({BPF_JMP | BPF_JSET | BPF_K, 0, 1, kWriting});
    filter.push_back(statement(BPF_RET | BPF_K, kRefused));
    filter.push_back(statement(BPF_RET | BPF_K, SECCOMP_RET_ALLOW));
  };
  std::vector<sock_filter> filter = {load(offsetof(seccomp_data, arch)), jump_if(kMachine, 1, 0),
                                     statement(BPF_RET | BPF_K, SECCOMP_RET_KILL_PROCESS),
                                     load(offsetof(seccomp_data, nr))};
  open_rule(filter, SYS_openat, 2);
#ifdef __x86_64__
  open_rule(filter, SYS_open, 1);
#endif
  for (const int call : kCalls) {
    filter.push_back(jump_if(static_cast<std::uint32_t>(call), 0, 1));
    filter.push_back(statement(BPF_RET | BPF_K, SECCOMP_RET_ALLOW));
  }
  filter.push_back(statement(BPF_RET | BPF_K, kRefused));
  return filter;
}

void restrict_calls() {
  if (kMachine == 0) return;
  std::vector<sock_filter> filter = call_filter();
  const sock_fprog program{static_cast<unsigned short>(filter.size()), filter.data()};
  ::prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program, 0, 0);
}

}  // namespace

void raise_walls(const WallPlan& plan) {
  limit(RLIMIT_CORE, 0);
  limit(RLIMIT_FSIZE, plan.file_bytes);
  limit(RLIMIT_NOFILE, 64);
  limit(RLIMIT_CPU, static_cast<std::uint64_t>(std::ceil(plan.cpu_seconds)) + 1);
  limit(RLIMIT_AS, mapped_bytes() + plan.memory_bytes);
  if (::prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0) return;
  restrict_files(plan);
  if (plan.runnable.empty()) restrict_calls();
}

std::string landlock_missing() {
  if (landlock_version() >= 1) return {};
  return errno == EOPNOTSUPP ? "Landlock is switched off in this kernel"
                             : "this kernel has no Landlock (Linux 5.13 has)";
}

std::string seccomp_missing() {
  if (kMachine == 0) return "gpx has no list of calls for this machine";
  std::uint32_t action = SECCOMP_RET_ERRNO;
  return ::syscall(SYS_seccomp, SECCOMP_GET_ACTION_AVAIL, 0, &action) == 0
             ? std::string()
             : std::string("this kernel has no seccomp filters: ") + std::strerror(errno);
}

}  // namespace gpx::confined
