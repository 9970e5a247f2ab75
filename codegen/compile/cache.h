// Artifact cache: compiled kernels on disk, keyed by what they were compiled from.
//
// One file for each artifact, with a checksum, written under another name and renamed: two
// processes may share a folder, and a damaged file is compiled again. Nothing here fails a run:
// what goes wrong becomes a warning. Covered by tests/codegen/cache_test.cpp.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "codegen/compile/artifact.h"

namespace gpx::codegen {

class ArtifactCache {
 public:
  /// An empty folder: no cache.
  explicit ArtifactCache(std::string folder) : folder_(std::move(folder)) {}

  /// GPX_CACHE=off: none. Else GPX_CACHE_DIR, XDG_CACHE_HOME/gpx or ~/.cache/gpx.
  static ArtifactCache from_environment();

  const std::string& folder() const { return folder_; }
  bool enabled() const { return !folder_.empty(); }

  /// The artifact stored under `hash`, without its source text; nothing if it is not there or
  /// damaged (a warning).
  std::optional<Artifact> find(const std::string& hash, std::vector<std::string>* warnings) const;

  /// Stores `artifact` under artifact.hash.
  void store(const Artifact& artifact, std::vector<std::string>* warnings) const;

 private:
  std::string path_of(const std::string& hash) const;
  std::string folder_;
};

/// A warning about the cache's files: of this machine, not of a result, so that no document has it.
bool is_cache_notice(std::string_view warning);

/// 32 hex digits: xxh128 of the parts, each with its length.
std::string content_hash(const std::vector<std::string_view>& parts);

}  // namespace gpx::codegen
