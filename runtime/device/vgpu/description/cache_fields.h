// Fields that every cache, TLB or read-only hierarchy of a device file has, for the table of
// fields. Covered by tests/vgpu/device_test.cpp.
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "runtime/device/vgpu/description/fields.h"

namespace gpx::vgpu::timing {

inline constexpr double kMostClocks = 1e9;  ///< Far beyond any latency.

/// Finds a part of a description.
template <class Part>
using PartOf = std::function<Part&(Description&)>;
using CacheOf = PartOf<Description::Cache>;

/// "l1.line": section, then name.
std::string field_path(std::string_view section, std::string_view name);
/// "tlb_l1": the levels of a hierarchy, from 0.
std::string level_name(std::string_view hierarchy, std::size_t k);
void append(std::vector<Field>& out, std::vector<Field> rows);
/// Address bits as a mask.
std::uint64_t mask_of(const std::vector<double>& bits);

/// `line`, `latency`: what is said of these fields; `most`: the largest capacity, in bytes.
std::vector<Field> data_cache_fields(std::string_view section, const CacheOf& get, double most,
                                     const std::string& line, const std::string& latency);
/// A level of constants, code or textures. `low`: the least latency.
std::vector<Field> read_only_cache_fields(std::string_view section, const CacheOf& get,
                                          const std::string& latency, double low);
std::vector<Field> tlb_fields(std::string_view section, const CacheOf& get);
/// What lies behind the caches of a read-only space.
std::vector<Field> behind_fields(std::string_view section, const PartOf<Description::Behind>& get,
                                 const std::string& latency);

}  // namespace gpx::vgpu::timing
