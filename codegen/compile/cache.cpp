// Artifact cache. Interface: codegen/compile/cache.h. Covered by tests/codegen/cache_test.cpp.
//
// A file: "gpxart4\n", xxh128 of the rest (16 bytes), then as (u64 length, bytes): entry, PTX,
// cubin, SASS, log, registers. Little endian, as every machine that CUDA runs on.
#include "codegen/compile/cache.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>
#include <xxhash.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <charconv>
#include <cstring>
#include <filesystem>
#include <iterator>

#include "codegen/files/files.h"
#include "codegen/ir/text.h"

namespace gpx::codegen {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kMagic = "gpxart4\n";
constexpr std::string_view kCacheNotice = "artifact cache: ";
constexpr std::uintmax_t kMostEntryBytes = 512u << 20;

void warn(std::vector<std::string>* warnings, std::string text) {
  if (warnings && std::find(warnings->begin(), warnings->end(), text) == warnings->end())
    warnings->push_back(std::move(text));
}

std::string digest(std::string_view bytes) {
  XXH128_canonical_t canonical;
  XXH128_canonicalFromHash(&canonical, XXH3_128bits(bytes.data(), bytes.size()));
  return std::string(reinterpret_cast<const char*>(canonical.digest), sizeof canonical.digest);
}

void append(std::string& out, std::string_view part) {
  const std::uint64_t length = part.size();
  out.append(reinterpret_cast<const char*>(&length), sizeof length);
  out.append(part);
}

// Takes a part off the front; false where the text is too short for it.
bool take(std::string_view& rest, std::string_view& part) {
  std::uint64_t length = 0;
  if (rest.size() < sizeof length) return false;
  std::memcpy(&length, rest.data(), sizeof length);
  rest.remove_prefix(sizeof length);
  if (length > rest.size()) return false;
  part = rest.substr(0, length);
  rest.remove_prefix(length);
  return true;
}

std::string encode(const Artifact& artifact) {
  std::string body;
  append(body, artifact.entry);
  append(body, artifact.ptx);
  append(body, {reinterpret_cast<const char*>(artifact.cubin.data()), artifact.cubin.size()});
  append(body, artifact.log);
  append(body, std::to_string(artifact.registers));
  return std::string(kMagic) + digest(body) + body;
}

std::optional<Artifact> decode(std::string_view bytes) {
  constexpr std::size_t kDigest = 16;
  if (bytes.size() < kMagic.size() + kDigest || !bytes.starts_with(kMagic)) return std::nullopt;
  bytes.remove_prefix(kMagic.size());
  const std::string_view expected = bytes.substr(0, kDigest);
  bytes.remove_prefix(kDigest);
  if (digest(bytes) != expected) return std::nullopt;
  std::string_view entry, ptx, cubin, log, registers;
  if (!take(bytes, entry) || !take(bytes, ptx) || !take(bytes, cubin) || !take(bytes, log) ||
      !take(bytes, registers))
    return std::nullopt;
  Artifact made;
  made.entry = entry;
  made.ptx = ptx;
  made.cubin.assign(cubin.begin(), cubin.end());
  made.log = log;
  std::from_chars(registers.data(), registers.data() + registers.size(), made.registers);
  return made;
}

// Empty where all was written, else what the system says.
std::string write_file(const std::string& path, std::string_view bytes) {
  const int file = ::open(path.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0644);
  if (file < 0) return std::strerror(errno);
  std::string error;
  while (!bytes.empty() && error.empty()) {
    const ssize_t written = ::write(file, bytes.data(), bytes.size());
    if (written >= 0) {
      bytes.remove_prefix(static_cast<std::size_t>(written));
    } else if (errno != EINTR) {
      error = std::strerror(errno);
    }
  }
  if (::close(file) != 0 && error.empty()) error = std::strerror(errno);
  return error;
}

}  // namespace

bool is_cache_notice(std::string_view warning) {
  return warning.starts_with(kCacheNotice);
}

ArtifactCache ArtifactCache::from_environment() {
  if (environment("GPX_CACHE") == "off") return ArtifactCache("");
  if (const std::string given = environment("GPX_CACHE_DIR"); !given.empty())
    return ArtifactCache(given);
  if (const std::string xdg = environment("XDG_CACHE_HOME"); !xdg.empty())
    return ArtifactCache(xdg + "/gpx");
  const std::string home = environment("HOME");
  return ArtifactCache(home.empty() ? "" : home + "/.cache/gpx");
}

std::string ArtifactCache::path_of(const std::string& hash) const {
  return fmt::format("{}/{}.artifact", folder_, hash);
}

std::optional<Artifact> ArtifactCache::find(const std::string& hash,
                                            std::vector<std::string>* warnings) const {
  if (!enabled()) return std::nullopt;
  const auto bytes = read_file_at(path_of(hash), kMostEntryBytes);
  if (!bytes) {
    if (!bytes.error().missing())
      warn(warnings, fmt::format("{}{} is no entry: {}; the kernel is compiled again", kCacheNotice,
                                 path_of(hash), bytes.error().reason));
    return std::nullopt;
  }
  auto made = decode(*bytes);
  if (!made) {
    warn(warnings,
         fmt::format("{}{} is damaged; the kernel is compiled again", kCacheNotice, path_of(hash)));
    return std::nullopt;
  }
  made->hash = hash;
  made->from_cache = true;
  return made;
}

void ArtifactCache::store(const Artifact& artifact, std::vector<std::string>* warnings) const {
  if (!enabled()) return;
  const auto give_up = [&](const std::string& why) {
    warn(warnings, fmt::format("{}cannot write to {}: {}; compiled kernels are not kept",
                               kCacheNotice, folder_, why));
  };
  std::error_code code;
  fs::create_directories(folder_, code);
  if (code) return give_up(code.message());
  static std::atomic<unsigned> counter{0};
  const std::string temporary =
      fmt::format("{}.{}.{}.tmp", path_of(artifact.hash), ::getpid(), counter++);
  const std::string error = write_file(temporary, encode(artifact));
  if (error.empty()) fs::rename(temporary, path_of(artifact.hash), code);
  if (error.empty() && !code) return;
  give_up(error.empty() ? code.message() : error);
  fs::remove(temporary, code);
}

std::string content_hash(const std::vector<std::string_view>& parts) {
  std::string all;
  for (std::string_view part : parts) append(all, part);
  std::string hex;
  for (unsigned char byte : digest(all)) fmt::format_to(std::back_inserter(hex), "{:02x}", byte);
  return hex;
}

}  // namespace gpx::codegen
