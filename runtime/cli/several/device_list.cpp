#include "runtime/cli/several/device_list.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <iterator>
#include <map>

#include "lang/try.h"
#include "runtime/device/select.h"

namespace gpx::cli {
namespace {

/// A name of the list, and where it stands.
struct Listed {
  std::string name;
  Span span;
};

constexpr std::string_view kEvery = ":*";

bool is_number(const std::string& text) {
  return !text.empty() && text.find_first_not_of("0123456789") == std::string::npos;
}

/// "cuda:0,2" as cuda:0 and cuda:2.
std::vector<Listed> split(const std::string& text) {
  std::vector<Listed> parts;
  std::string kind;
  for (std::size_t begin = 0; begin <= text.size();) {
    const std::size_t end = std::min(text.find(',', begin), text.size());
    std::string name = text.substr(begin, end - begin);
    if (is_number(name) && !kind.empty()) name.insert(0, kind);
    const std::size_t colon = name.rfind(':');
    kind = colon == std::string::npos ? std::string() : name.substr(0, colon + 1);
    parts.push_back({name, {static_cast<std::uint32_t>(begin), static_cast<std::uint32_t>(end)}});
    begin = end + 1;
  }
  return parts;
}

Error placed_at(const Source& source, Span span, Error error) {
  for (Diagnostic& diagnostic : error.diagnostics)
    if (!diagnostic.location) diagnostic.location = source.locate(span);
  return error;
}

/// All devices of a kind: those of "cuda:*" begin with "cuda:".
Result<std::vector<Listed>> every(const Listed& part, const Paths& paths) {
  const std::string prefix = part.name.substr(0, part.name.size() - 1);
  std::vector<Listed> all;
  std::string reason;
  for (const BackendKind& kind : backend_kinds()) {
    if (!kind.measured) continue;
    std::string why;
    for (std::string& name : kind.list(paths, &why))
      if (name.starts_with(prefix)) all.push_back({std::move(name), part.span});
    if (prefix.starts_with(kind.name)) reason = why;
  }
  if (!all.empty()) return all;
  return fail(reason.empty() ? Fault::input : Fault::device,
              fmt::format("'{}' names no device{}", part.name, reason.empty() ? "" : ": " + reason),
              "gpx devices lists those of this machine");
}

Result<std::vector<Listed>> expand(const Listed& part, const Paths& paths) {
  if (part.name.empty())
    return fail(Fault::input, "a device's name is missing", "such as --device k20,h100");
  if (part.name.ends_with(kEvery)) return every(part, paths);
  return std::vector<Listed>{part};
}

/// Refuses a device that cannot be described, and one that `known` has by another name.
Result<void> check_listed(const Listed& part, std::map<std::string, std::string>& known,
                          const Paths& paths) {
  const auto resolved = GPX_TRY(resolve_device(part.name, {}, paths));
  const auto [first, fresh] = known.emplace(resolved, part.name);
  if (!fresh)
    return fail(Fault::input, fmt::format("'{}' is named twice", part.name),
                first->second == part.name ? "name each device once"
                                           : fmt::format("'{}' is the same device", first->second));
  return describe_device(resolved).map([](const auto&) {});
}

void append_errors(Error& all, Error more) {
  all.fault = std::max(all.fault, more.fault);
  std::ranges::move(more.diagnostics, std::back_inserter(all.diagnostics));
}

}  // namespace

Result<std::vector<std::string>> several_devices(const std::string& text, const Paths& paths) {
  std::vector<std::string> names;
  std::error_code ignored;
  const bool several = text.find(',') != std::string::npos || text.ends_with(kEvery);
  if (!several || std::filesystem::exists(text, ignored)) return names;
  const Source source("--device", text);
  std::map<std::string, std::string> known;
  Error wrong{Fault::input, {}};
  for (const Listed& part : split(text)) {
    const auto listed = expand(part, paths);
    if (!listed) {
      append_errors(wrong, placed_at(source, part.span, listed.error()));
      continue;
    }
    for (const Listed& one : *listed) {
      if (const auto ok = check_listed(one, known, paths); !ok)
        append_errors(wrong, placed_at(source, one.span, ok.error()));
      names.push_back(one.name);
    }
  }
  if (!wrong.diagnostics.empty()) return tl::unexpected(std::move(wrong));
  return names;
}

}  // namespace gpx::cli
