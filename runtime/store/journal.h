// The journal that SQLite keeps beside a store. Covered by tests/store/journal_test.cpp.
#pragma once

#include <cstdint>
#include <string>

namespace gpx::store {

/// "WAL" on a local file system, where readers do not wait for the writer. Its index is memory that
/// processes share, so that it works within one host only: "TRUNCATE" on file systems that several
/// hosts mount, and on those of unknown reach. `type`: as statfs(2) reports it.
const char* journal_mode(std::uint64_t type);

/// Of the file system that holds a file, or will; 0: unknown.
std::uint64_t file_system_of(const std::string& path);

}  // namespace gpx::store
