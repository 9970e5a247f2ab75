// Where the store lies. Covered by tests/store/rows_test.cpp.
#pragma once

#include <string>

namespace gpx::store {

struct Place {
  std::string path;    ///< Empty: runs are not kept.
  bool named = false;  ///< The user named it: that it cannot be used is an error, not a warning.
};

/// In this order: `option` (--store); the environment's GPX_STORE, where an empty one means that
/// runs are not kept; gpx/gpx.db in XDG_DATA_HOME, else in ~/.local/share. Never a file that
/// happens to lie in the working directory: who made it is not known.
Place find_place(const std::string& option);

}  // namespace gpx::store
