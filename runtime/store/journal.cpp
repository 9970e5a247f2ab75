// Interface: journal.h. Covered by tests/store/journal_test.cpp.
#include "runtime/store/journal.h"

#include <sys/vfs.h>

#include <filesystem>

#include "lang/lists.h"

namespace gpx::store {

const char* journal_mode(std::uint64_t type) {
  // Of linux/magic.h and of the file systems' own headers.
  constexpr std::uint64_t kShared[] = {
      0x6969,      // NFS
      0x517b,      // SMB
      0xff534d42,  // CIFS
      0xfe534d42,  // SMB2
      0x0bd00bd0,  // Lustre
      0x47504653,  // GPFS
      0x19830326,  // BeeGFS
      0x00c36400,  // Ceph
      0x5346414f,  // AFS
      0x20030528,  // OrangeFS
      0xaad7aaea,  // PanFS
      0x01021997,  // 9P
      0x65735546,  // FUSE: sshfs, GlusterFS and others
  };
  return !contains(kShared, type) ? "WAL" : "TRUNCATE";
}

std::uint64_t file_system_of(const std::string& path) {
  struct statfs found {};
  std::error_code error;
  const std::string folder = std::filesystem::absolute(path, error).parent_path().string();
  if (::statfs(path.c_str(), &found) != 0 && ::statfs(folder.c_str(), &found) != 0) return 0;
  return static_cast<std::uint32_t>(found.f_type);
}

}  // namespace gpx::store
