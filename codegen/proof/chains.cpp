// Dependence chains in machine code. Interface: codegen/proof/chains.h.
#include "codegen/proof/chains.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "lang/assert.h"
#include "lang/lists.h"

namespace gpx::codegen {
namespace {

/// One alternative of a row: "ISETP+SEL", "MUFU...". The executions are told by the last opcode.
struct SassPattern {
  std::vector<std::string_view> opcodes;
  bool open = false;

  std::string_view last() const { return opcodes.back(); }
  std::uint32_t of(std::string_view opcode) const {
    return static_cast<std::uint32_t>(std::count(opcodes.begin(), opcodes.end(), opcode));
  }
};

std::vector<std::string_view> split(std::string_view text, char separator) {
  std::vector<std::string_view> parts;
  for (;;) {
    const std::size_t at = text.find(separator);
    parts.push_back(text.substr(0, at));
    if (at == std::string_view::npos) return parts;
    text.remove_prefix(at + 1);
  }
}

std::vector<SassPattern> patterns_of(std::string_view sass) {
  std::vector<SassPattern> made;
  for (std::string_view alternative : split(sass, '|')) {
    SassPattern pattern;
    pattern.open = alternative.ends_with("...");
    if (pattern.open) alternative.remove_suffix(3);
    pattern.opcodes = split(alternative, '+');
    made.push_back(pattern);
  }
  return made;
}

/// What one row turned out to be in this region.
struct Row {
  const WantedChains* wanted;
  std::vector<std::string_view> last;   // Opcodes that end an execution.
  std::vector<std::string_view> other;  // What else belongs to one, each as often as it occurs.
  std::uint32_t per_execution = 1;      // Instructions of `last` in one.
  bool open = false;

  std::uint32_t length() const { return wanted->executions * per_execution; }
};

/// Where a value comes from.
struct Origin {
  std::vector<std::pair<int, std::uint32_t>> chains;  // Chain and depth, by chain.
  std::string_view foreign;  // An instruction on the way that belongs to no execution.
  bool outside = false;      // Something loaded, or a clock.
};

void join(Origin& into, const Origin& from) {
  for (const auto& [chain, depth] : from.chains) {
    const auto at = std::find_if(into.chains.begin(), into.chains.end(),
                                 [c = chain](const auto& entry) { return entry.first == c; });
    if (at == into.chains.end()) {
      into.chains.emplace_back(chain, depth);
    } else {
      at->second = std::max(at->second, depth);
    }
  }
  if (into.foreign.empty()) into.foreign = from.foreign;
  into.outside = into.outside || from.outside;
}

struct Chain {
  std::uint32_t length = 0;
  std::vector<std::string_view> opcodes;
  /// Executions behind the first whose number of this source is the chain's value, by source.
  std::map<std::size_t, std::uint32_t> sources;
};

/// Machine instructions whose sources stand in the order of the PTX. An assembler may exchange
/// factors and terms; others it spells in an order of their own.
bool keeps_order(std::string_view kind) {
  static constexpr std::string_view kKeep[] = {"FADD", "FMUL", "FFMA",    "DADD",
                                               "DMUL", "DFMA", "IMAD",    "IMAD.WIDE",
                                               "IDP",  "SEL",  "VABSDIFF"};
  return std::find(std::begin(kKeep), std::end(kKeep), kind) != std::end(kKeep);
}

class Walk {
 public:
  Walk(std::span<const MachineLine> region, std::span<const WantedChains> wanted)
      : region_(region) {
    for (const WantedChains& row : wanted) rows_.push_back(resolve(row));
  }

  ChainReport run() {
    for (at_ = 0; at_ < region_.size() && !report_.refusal; ++at_) step(region_[at_]);
    if (!report_.refusal) match();
    if (!report_.refusal) others();
    return std::move(report_);
  }

 private:
  template <typename... Args>
  void refuse(fmt::format_string<Args...> text, Args&&... args) {
    if (!report_.refusal) report_.refusal = fmt::format(text, std::forward<Args>(args)...);
  }

  std::uint32_t count(std::string_view kind) const {
    return static_cast<std::uint32_t>(std::count_if(
        region_.begin(), region_.end(),
        [&](const MachineLine& line) { return line.kind() == kind && !line.idles(); }));
  }

  // Alternatives of one opcode may mix; of the others the one that the region has enough of holds.
  Row resolve(const WantedChains& wanted) const {
    Row row{&wanted, {}, {}, 1, false};
    const std::vector<SassPattern> patterns = patterns_of(wanted.sass);
    for (const SassPattern& pattern : patterns)
      if (pattern.opcodes.size() == 1 && !pattern.open) row.last.push_back(pattern.last());
    const std::uint32_t needed = wanted.streams * wanted.executions;
    for (const SassPattern& pattern : patterns) {
      if (pattern.opcodes.size() == 1 && !pattern.open) continue;
      // The first stands until another is there in full.
      const bool whole =
          std::all_of(pattern.opcodes.begin(), pattern.opcodes.end(),
                      [&](std::string_view opcode) { return count(opcode) >= needed; });
      if (!row.last.empty() && !whole) continue;
      row.last = {pattern.last()};
      row.per_execution = pattern.of(pattern.last());
      row.open = pattern.open;
      row.other.clear();
      for (std::string_view opcode : pattern.opcodes)
        if (opcode != pattern.last()) row.other.push_back(opcode);
    }
    return row;
  }

  bool ends_execution(const MachineLine& line) const {
    const std::string_view kind = line.kind();
    return std::any_of(rows_.begin(), rows_.end(),
                       [&](const Row& row) { return contains(row.last, kind); });
  }
  bool belongs(const MachineLine& line) const {
    const std::string_view kind = line.kind();
    return std::any_of(rows_.begin(), rows_.end(),
                       [&](const Row& row) { return row.open || contains(row.other, kind); });
  }

  void step(const MachineLine& line) {
    const Effects effects = effects_of(line);
    Origin origin;
    for (int value : effects.reads)
      if (const auto known = values_.find(value); known != values_.end())
        join(origin, known->second);
    const bool waits = line.base() == "STG" || is_barrier(line);
    if (waits && !line.guard.empty()) sink(decider(line));
    const bool execution =
        ends_execution(line) && origin.chains.size() <= 1 && !origin.outside && !line.idles();
    if (execution) {
      execute(line, origin);
    } else {
      pass(line, origin);
    }
    for (int value : effects.writes) values_[value] = origin;
  }

  /// What an instruction's guard was computed from.
  Origin decider(MachineLine line) const {
    line.operands.clear();
    Origin origin;
    for (int value : effects_of(line).reads)
      if (const auto known = values_.find(value); known != values_.end())
        join(origin, known->second);
    return origin;
  }

  // The next of its chain, or the first of one.
  void execute(const MachineLine& line, Origin& origin) {
    if (!origin.foreign.empty())
      return refuse("'{}' stands between two executions", origin.foreign);
    if (origin.chains.empty()) {
      origin.chains.emplace_back(static_cast<int>(chains_.size()), 0);
      chains_.emplace_back();
    }
    auto& [number, depth] = origin.chains.front();
    GPX_ASSERT(static_cast<std::size_t>(number) < chains_.size());
    Chain& chain = chains_[static_cast<std::size_t>(number)];
    ++depth;
    ++chain.length;
    if (chain.length != depth)
      return refuse("'{}' does not wait for the execution before it", line.text);
    add_once(chain.opcodes, line.kind());
    report_.last = at_;
    if (depth > 1) count_sources(line, number, chain);
  }

  // Which of its sources hold what the execution before it gave.
  void count_sources(const MachineLine& line, int number, Chain& chain) const {
    const std::vector<std::vector<int>> sources = sources_of(line);
    const auto is_of_chain = [&](int value) {
      const auto known = values_.find(value);
      return known != values_.end() && !known->second.chains.empty() &&
             known->second.chains.front().first == number;
    };
    for (std::size_t i = 0; i < sources.size(); ++i)
      if (std::any_of(sources[i].begin(), sources[i].end(), is_of_chain)) ++chain.sources[i + 1];
  }

  // Something else: it may continue one chain (then it is foreign to it), join several, or be free.
  void pass(const MachineLine& line, Origin& origin) {
    const bool fetched = line.base().starts_with("LD") && !is_constant(line);
    origin.outside = origin.outside || fetched || reads_clock(line);
    if (origin.chains.size() == 1 && !belongs(line) && origin.foreign.empty())
      origin.foreign = line.text;
    if (!origin.chains.empty()) report_.additions += additions_of(line);
    passed_.push_back(at_);
    const bool free = origin.chains.empty() && !origin.outside && is_arithmetic(line) &&
                      !is_constant(line) && !belongs(line);
    if (free) free_.push_back(at_);
  }

  // Every chain that there is must be in what decides on the barrier or store, in full length.
  void sink(const Origin& origin) {
    report_.sink = at_;
    report_.reach_sink =
        origin.chains.size() == chains_.size() &&
        std::all_of(origin.chains.begin(), origin.chains.end(), [&](const auto& c) {
          return c.second == chains_[static_cast<std::size_t>(c.first)].length;
        });
  }

  static bool fits(const Chain& chain, const Row& row) {
    return chain.length == row.length() &&
           std::all_of(chain.opcodes.begin(), chain.opcodes.end(),
                       [&](std::string_view opcode) { return contains(row.last, opcode); });
  }

  void match() {
    std::vector<bool> taken(chains_.size(), false);
    for (const Row& row : rows_)
      for (std::uint32_t stream = 0; stream < row.wanted->streams; ++stream) {
        std::size_t i = 0;
        while (i < chains_.size() && (taken[i] || !fits(chains_[i], row))) ++i;
        if (i == chains_.size()) return missing(row, taken);
        taken[i] = true;
        if (row.wanted->source) check_source(chains_[i], row.wanted->source);
      }
    const auto extra = std::find(taken.begin(), taken.end(), false);
    if (extra == taken.end()) return;
    const Chain& chain = chains_[static_cast<std::size_t>(extra - taken.begin())];
    refuse("{} executions of {} were not requested", chain.length, fmt::join(chain.opcodes, "|"));
  }

  // One source throughout; of instructions that keep the order, the one that was asked for.
  void check_source(const Chain& chain, char source) {
    const auto asked = static_cast<std::size_t>(source - 'a' + 1);
    const bool ordered = std::all_of(chain.opcodes.begin(), chain.opcodes.end(), keeps_order);
    const bool one = chain.sources.size() == 1;
    if (chain.length < 2 || (one && (!ordered || chain.sources.count(asked) > 0))) return;
    std::vector<std::string> found;
    for (const auto& [number, times] : chain.sources)
      found.push_back(fmt::format("{} in {}", number, times));
    report_.elsewhere = fmt::format(
        "the assembler exchanged sources of {}: source '{}' was requested, the chain runs through "
        "machine source {} executions",
        fmt::join(chain.opcodes, "|"), source, fmt::join(found, ", "));
  }

  void missing(const Row& row, const std::vector<bool>& taken) {
    std::vector<std::string> found;
    for (std::size_t i = 0; i < chains_.size(); ++i)
      if (!taken[i]) found.push_back(std::to_string(chains_[i].length));
    refuse("{} chain{} of {} executions of {} ({}): found {}", row.wanted->streams,
           row.wanted->streams == 1 ? "" : "s", row.length(), row.wanted->operation,
           fmt::join(row.last, "|"),
           found.empty() ? std::string("none") : fmt::format("{}", fmt::join(found, ", ")));
  }

  void others() {
    std::map<std::string_view, std::uint32_t> needed;
    for (const Row& row : rows_)
      for (std::string_view opcode : row.other)
        needed[opcode] += row.wanted->streams * row.wanted->executions;
    for (const auto& [opcode, least] : needed)
      if (count(opcode) < least)
        return refuse("{} of {} instead of {}", count(opcode), opcode, least);
    const bool open =
        std::any_of(rows_.begin(), rows_.end(), [](const Row& row) { return row.open; });
    std::map<std::string_view, std::uint32_t> found;
    for (std::size_t at : passed_) {
      const MachineLine& line = region_[at];
      if (at > report_.last && line.base() == "ISETP") {
        ++report_.comparisons;
      } else if (!line.idles()) {
        ++found[line.kind()];
      }
    }
    for (const auto& [opcode, exactly] : needed)
      if (!open && found[opcode] != exactly && !report_.excess)
        report_.excess = fmt::format("{} of {} instead of {}", found[opcode], opcode, exactly);
    constexpr std::size_t kShown = 3;
    for (std::size_t at : free_) {
      if (at > report_.last) continue;
      if (named_++ < kShown)
        report_.among += fmt::format("{}'{}'", report_.among.empty() ? "" : ", ", region_[at].text);
    }
    if (named_ > kShown) report_.among += fmt::format(" and {} more", named_ - kShown);
  }

  std::span<const MachineLine> region_;
  std::vector<Row> rows_;
  std::map<int, Origin> values_;
  std::vector<Chain> chains_;
  std::vector<std::size_t> passed_;  // What is no execution, and of it what no chain leads to.
  std::vector<std::size_t> free_;
  std::size_t at_ = 0, named_ = 0;
  ChainReport report_;
};

}  // namespace

ChainReport check_chains(std::span<const MachineLine> region,
                         std::span<const WantedChains> wanted) {
  return Walk(region, wanted).run();
}

std::string infer_opcodes(std::span<const MachineLine> region,
                          std::span<const WantedChains> wanted) {
  std::vector<WantedChains> tried(wanted.begin(), wanted.end());
  const auto is_unknown = [](const WantedChains& row) { return row.sass == kUnknownOpcodes; };
  const auto unknown = std::find_if(tried.begin(), tried.end(), is_unknown);
  if (std::count_if(tried.begin(), tried.end(), is_unknown) != 1) return {};
  std::vector<std::string_view> kinds;
  for (const MachineLine& line : region)
    if (!line.idles() && !contains(kinds, line.kind())) kinds.push_back(line.kind());
  for (const char* suffix : {"", "..."})
    for (std::string_view kind : kinds) {
      std::string sass = fmt::format("{}{}", kind, suffix);
      unknown->sass = sass;
      const ChainReport report = check_chains(region, tried);
      if (!report.refusal && !report.excess && report.reach_sink && report.among.empty())
        return sass;
    }
  return {};
}

bool is_open(std::string_view sass) {
  return sass.find("...") != std::string_view::npos;
}

bool names_opcode(std::string_view sass, const MachineLine& line) {
  for (const SassPattern& pattern : patterns_of(sass))
    if (pattern.of(line.kind()) > 0) return true;
  return false;
}

}  // namespace gpx::codegen
