// A small library, and texts with the cursor at a `|`.
#pragma once

#include <doctest/doctest.h>

#include <string>
#include <utility>

#include "runtime/lsp/library.h"

namespace gpx::lsp {

inline Library small_library() {
  Library library;
  library.paths.stdlib = GPX_SOURCE_DIR "/stdlib";
  library.devices = {{"k20", "/lib/devices/k20.lua", "a Kepler"},
                     {"m2070", "/lib/devices/m2070.lua", "a Fermi"}};
  library.analyses = {
      read_head("outstanding", "/lib/analysis/outstanding.lua",
                "-- outstanding(x = threads, loads = n): what limits requests.\n--\n"
                "-- Reads curves. Covered by tests/x.cpp.\n\nlocal M = {}\n")};
  library.findings = read_findings(
      "outstanding  outstanding.{kind,entries}  what limits requests\ntlb  tlb.l1.page  bytes of a "
      "page\n");
  return library;
}

/// The text without the `|`, and where it was.
inline std::pair<std::string, std::size_t> with_cursor(std::string text) {
  const std::size_t at = text.find('|');
  REQUIRE(at != std::string::npos);
  text.erase(at, 1);
  return {text, at};
}

}  // namespace gpx::lsp
