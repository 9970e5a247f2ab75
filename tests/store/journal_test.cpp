#include "runtime/store/journal.h"

#include <doctest/doctest.h>

#include <string_view>

using namespace gpx::store;

TEST_CASE("the journal is one that works where the store lies") {
  const struct {
    std::uint64_t type;
    std::string_view mode;
  } rows[] = {{0xef53, "WAL"},            // ext4
              {0x58465342, "WAL"},        // XFS
              {0x9123683e, "WAL"},        // Btrfs
              {0x01021994, "WAL"},        // tmpfs
              {0x794c7630, "WAL"},        // overlayfs
              {0, "WAL"},                 // unknown
              {0x6969, "TRUNCATE"},       // NFS
              {0x0bd00bd0, "TRUNCATE"},   // Lustre
              {0x47504653, "TRUNCATE"},   // GPFS
              {0x00c36400, "TRUNCATE"},   // Ceph
              {0x65735546, "TRUNCATE"}};  // FUSE
  for (const auto& row : rows) {
    INFO(row.type);
    CHECK(journal_mode(row.type) == row.mode);
  }
}

TEST_CASE("a file system is known before the file is there") {
  CHECK(file_system_of("/proc/self/not-there") == file_system_of("/proc/self/status"));
  CHECK(file_system_of("/proc/self/status") == 0x9fa0);
  CHECK(file_system_of("/nowhere/at/all") == 0);
}
