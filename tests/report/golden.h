// Goldens of the report: files under golden/ (see tests/golden.h).
#pragma once

#include <string>

#include "tests/golden.h"

inline void check_golden(const std::string& name, const std::string& text) {
  gpx::test::check_golden(GPX_TESTS_DIR "/report/golden/" + name, text);
}
