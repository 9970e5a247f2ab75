// Whole file: a text replaces a file whole or not at all. Covered by tests/serve/serve_test.py.
#pragma once

#include <string>

#include "lang/diagnostic.h"

namespace gpx::serve {

/// Through a link, with the permissions that the file had.
Result<void> write_whole(const std::string& path, const std::string& text);

}  // namespace gpx::serve
