// Rows of the table of fields for one cache. Interface: cache_fields.h.
// Covered by tests/vgpu/device_test.cpp.
#include "runtime/device/vgpu/description/cache_fields.h"

#include <algorithm>

#include "runtime/device/vgpu/policy/policy.h"

namespace gpx::vgpu::timing {
namespace {

using D = Description;
using Kind = FieldKind;
using Lists = std::vector<std::vector<double>>;

// What is said once, of L1.
std::string once(std::string_view section, std::string_view name, std::string_view help) {
  return section == "l1" ? std::string(help) : "see l1." + std::string(name);
}

D::Scope scope_of(const std::string& word) {
  return word == "gpu"   ? D::Scope::gpu
         : word == "gpc" ? D::Scope::gpc
         : word == "tpc" ? D::Scope::tpc
                         : D::Scope::sm;
}

template <class Part, class T>
std::function<void(D&, double)> set(const PartOf<Part>& get, T Part::*member) {
  return [get, member](D& d, double v) { get(d).*member = static_cast<T>(v); };
}

// A field that one policy alone reads.
Field policy_field(std::string_view section, const CacheOf& get, const PolicyField& field) {
  using PolicyKind = PolicyField::Kind;
  const std::string name(field.name);
  Field row{field_path(section, name),
            Kind::reals,
            Need::optional,
            field.low,
            field.high,
            std::string(field.fallback),
            std::string(field.help)};
  row.of_policy = true;
  row.words = field.words;
  if (field.kind == PolicyKind::word) {
    row.kind = Kind::word;
    row.string = [get, name, words = words_of(row)](D& d, const std::string& word) {
      const auto index = std::ranges::find(words, word) - words.begin();
      get(d).policy_settings[name] = {static_cast<double>(index)};
    };
  } else if (field.kind == PolicyKind::count) {
    row.kind = Kind::count;
    row.number = [get, name](D& d, double v) { get(d).policy_settings[name] = {v}; };
  } else {
    row.list = [get, name](D& d, const Lists& lists) {
      for (const auto& value : lists) get(d).policy_settings[name].push_back(value.front());
    };
  }
  return row;
}

std::vector<Field> policy_fields(std::string_view section, const CacheOf& get) {
  std::vector<Field> rows = {{field_path(section, "policy"), Kind::word, Need::optional, 0, 0,
                              "lru", "victim selection in a full set", nullptr,
                              [get](D& d, const std::string& s) { get(d).policy = s; }}};
  for (const Policy* policy : policies()) {
    rows.front().words += (rows.front().words.empty() ? "" : " ") + std::string(policy->name);
    for (const PolicyField& field : policy->fields)
      rows.push_back(policy_field(section, get, field));
  }
  return rows;
}

std::vector<Field> sets_and_policy(std::string_view section, const CacheOf& get) {
  std::vector<Field> rows = {
      {field_path(section, "set_sizes"), Kind::counts, Need::optional, 1, 4096, "all equal",
       once(section, "set_sizes",
            "ways of each set, if they differ, instead of capacity (or entries) and ways. The line "
            "number modulo all lines is a slot; slots are dealt to the sets in turn while they "
            "have room"),
       nullptr, nullptr, "",
       [get](D& d, const Lists& lists) {
         for (const auto& size : lists)
           get(d).set_sizes.push_back(static_cast<std::uint32_t>(size.front()));
       }},
      {field_path(section, "set_bits"), Kind::bits, Need::optional, 0, 47,
       "modulo the number of sets",
       once(section, "set_bits",
            "address bits that form the set number, lowest first; a list in place of a bit is the "
            "exclusive or of its bits"),
       nullptr, nullptr, "",
       [get](D& d, const Lists& lists) {
         for (const auto& bits : lists) get(d).set_bits.push_back(mask_of(bits));
       }},
      {field_path(section, "set_choice"), Kind::word, Need::optional, 0, 0, "bits",
       once(section, "set_choice",
            "bits: set_bits form the set number; modulo: their number modulo the sets, which need "
            "not be a power of two"),
       nullptr, [get](D& d, const std::string& s) { get(d).set_modulo = s == "modulo"; },
       "bits modulo"},
  };
  append(rows, policy_fields(section, get));
  return rows;
}

std::vector<Field> geometry(std::string_view section, const CacheOf& get, double most,
                            const std::string& line) {
  std::vector<Field> rows = {
      {field_path(section, "capacity"), Kind::bytes, Need::optional, 32, most, "by set_sizes",
       "a multiple of line times ways", set(get, &D::Cache::capacity)},
      {field_path(section, "line"), Kind::bytes, Need::section, 32, 4096, "", line,
       set(get, &D::Cache::line)},
      {field_path(section, "ways"), Kind::count, Need::optional, 1, 4096, "by set_sizes",
       "lines of a set", set(get, &D::Cache::ways)},
  };
  append(rows, sets_and_policy(section, get));
  return rows;
}

Field scope(std::string_view section, const CacheOf& get) {
  return {field_path(section, "scope"),
          Kind::word,
          Need::section,
          0,
          0,
          "",
          "sharers of one instance",
          nullptr,
          [get](D& d, const std::string& s) { get(d).scope = scope_of(s); },
          "sm tpc gpc gpu"};
}

}  // namespace

std::string field_path(std::string_view section, std::string_view name) {
  return std::string(section) + "." + std::string(name);
}

std::string level_name(std::string_view hierarchy, std::size_t k) {
  return std::string(hierarchy) + "_l" + std::to_string(k + 1);
}

std::uint64_t mask_of(const std::vector<double>& bits) {
  std::uint64_t mask = 0;
  for (const double bit : bits) mask |= std::uint64_t{1} << static_cast<unsigned>(bit);
  return mask;
}

void append(std::vector<Field>& out, std::vector<Field> rows) {
  out.insert(out.end(), rows.begin(), rows.end());
}

std::vector<Field> data_cache_fields(std::string_view section, const CacheOf& get, double most,
                                     const std::string& line, const std::string& latency) {
  std::vector<Field> rows = geometry(section, get, most, line);
  append(rows,
         {{field_path(section, "sector"), Kind::bytes, Need::optional, 32, 4096, "the line",
           once(section, "sector",
                "bytes that a miss fetches; at least an eighth of the line and coalescer.line"),
           set(get, &D::Cache::sector)},
          {field_path(section, "latency"), Kind::time, Need::section, 1, kMostClocks, "", latency,
           set(get, &D::Cache::latency)}});
  return rows;
}

std::vector<Field> read_only_cache_fields(std::string_view section, const CacheOf& get,
                                          const std::string& latency, double low) {
  std::vector<Field> rows = geometry(section, get, 0x1p30, "a power of two");
  append(rows, {scope(section, get),
                {field_path(section, "latency"), Kind::time, Need::section, low, kMostClocks, "",
                 latency, set(get, &D::Cache::latency)},
                {field_path(section, "bandwidth"), Kind::real, Need::optional, 0.001, 1e6,
                 "no limit", "B/clock to the upper levels", set(get, &D::Cache::bandwidth)},
                {field_path(section, "bandwidth_per_sm"), Kind::real, Need::optional, 0.001, 1e6,
                 "no limit", "B/clock to one SM", set(get, &D::Cache::bandwidth_per_sm)}});
  return rows;
}

std::vector<Field> tlb_fields(std::string_view section, const CacheOf& get) {
  std::vector<Field> rows = {
      {field_path(section, "page"), Kind::bytes, Need::section, 1024, 0x1p40, "",
       "bytes that one entry maps, possibly more than a page of the page tables; a power of two",
       set(get, &D::Cache::line)},
      {field_path(section, "entries"), Kind::count, Need::optional, 1, 1 << 20, "by set_sizes",
       "a multiple of ways",
       [get](D& d, double v) { get(d).capacity = static_cast<std::uint64_t>(v) * get(d).line; }},
      {field_path(section, "ways"), Kind::count, Need::optional, 1, 4096, "fully associative",
       "entries of a set", set(get, &D::Cache::ways)},
  };
  append(rows, sets_and_policy(section, get));
  append(rows, {scope(section, get),
                {field_path(section, "miss"), Kind::time, Need::section, 0, kMostClocks, "",
                 "total additional latency of an access that misses here and hits the next level; "
                 "in the last level, of a page walk",
                 set(get, &D::Cache::miss)},
                {field_path(section, "miss_dram"), Kind::time, Need::optional, 0, kMostClocks,
                 "as miss", "the same for data from DRAM", set(get, &D::Cache::miss_dram)}});
  return rows;
}

std::vector<Field> behind_fields(std::string_view section, const PartOf<D::Behind>& get,
                                 const std::string& latency) {
  return {
      {field_path(section, "latency"), Kind::time,
       section == "constant" ? Need::always : Need::section, 1, kMostClocks, "", latency,
       set(get, &D::Behind::latency)},
      {field_path(section, "l2_latency"), Kind::time, Need::optional, 1, kMostClocks,
       "L2 is passed by", "of an access that misses these caches and hits L2",
       [get](D& d, double v) { get(d).l2_latency = v; }},
  };
}

}  // namespace gpx::vgpu::timing
