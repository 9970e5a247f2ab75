// The tables of a store, and how a file becomes one. docs/store.md describes the tables.
#pragma once

#include "runtime/store/sqlite.h"

namespace gpx::store {

/// Opens the file, makes the tables where it is empty. Errors: a file that is no SQLite file, that
/// another program made, that is damaged, or that a newer gpx made.
Result<Database> open_store(const std::string& path, bool create);

}  // namespace gpx::store
