// What may stand where. Interface: candidates.h; covered by tests/lsp/candidates_test.cpp.
#include "runtime/lsp/candidates.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "codegen/ir/operation.h"
#include "lang/atomics.h"
#include "lang/lists.h"
#include "lang/operations.h"

namespace gpx::lsp {
namespace {

using K = TermKind;
using Level = Place::Level;

/// Clauses that a measure may have of its own (docs/language.md, Measures).
constexpr const char* kOfMeasure[] = {
    "threads",  "blocks",   "cluster",   "shared_bytes", "warmup",     "flush",
    "offset",   "rehearse", "registers", "watchdog",     "bank_width", "carveout",
    "l1_cache", "place",    "beside",    "shared",       "observe"};

bool one_of(std::string_view word, std::initializer_list<std::string_view> words) {
  return contains(words, word);
}

std::string operation_help(const Term& term) {
  const codegen::Operation* row = codegen::find_operation(term.name);
  if (!row) return term.help;
  std::string help =
      fmt::format("{}\n\n- unit: `{}`\n- type: `{}`\n- PTX: `{}`\n- machine code: `{}`", term.help,
                  row->pipe, row->type, row->ptx, row->sass == "?" ? "not recorded" : row->sass);
  const std::string sources = joined(chain_sources(term.name), ", ", [](const ChainSource& source) {
    return fmt::format("`{}`", source.letter);
  });
  if (!sources.empty()) help += fmt::format("\n- a chain runs through {}", sources);
  if (row->sm > 0)
    help += fmt::format("\n- since compute capability {}.{}", row->sm / 10, row->sm % 10);
  return help +
         fmt::format("\n\nFindings: `op.{0}.latency`, `op.{0}.throughput` (analyze pipelines)",
                     term.name);
}

Candidate from_term(const Term& term) {
  using CK = Candidate::Kind;
  switch (term.kind) {
    case K::operation: return {CK::operation, term.name, "operation", operation_help(term)};
    case K::atomic: return {CK::operation, term.name, "atomic", term.help};
    case K::function: return {CK::function, term.name, term.syntax, term.help};
    case K::unit: return {CK::unit, term.name, term.syntax, term.help};
    case K::pattern: return {CK::function, term.name, term.syntax, term.help};
    case K::item:
    case K::statement:
    case K::access:
    case K::control:
    case K::option:
    case K::connective: return {CK::keyword, term.name, term.syntax, term.help};
    default: return {CK::value, term.name, term.syntax, term.help};
  }
}

/// As the vocabulary has them, in its order: the help of an operation takes time to write.
const std::vector<Candidate>& of_terms() {
  static const auto all = [] {
    std::vector<Candidate> made;
    for (const Term& term : vocabulary()) made.push_back(from_term(term));
    return made;
  }();
  return all;
}

Candidate from_declaration(const Declaration& one) {
  const std::string first = one.text.substr(0, one.text.find('\n'));
  return {
      Candidate::Kind::name, one.name, to_string(one.kind),
      fmt::format("```gpx\n{}\n```", one.kind == Declaration::Kind::measure ? first : one.text)};
}

class Collector {
 public:
  Collector(const Place& place, const std::vector<Declaration>& visible, const Library& library,
            std::string_view only)
      : place_(place), visible_(visible), library_(library), only_(only) {}

  std::vector<Candidate> run() {
    if (place_.in_comment || place_.in_text) return {};
    if (place_.before.empty()) {
      starts();
    } else if (place_.bracket != '\0') {
      inside();
    } else {
      following();
    }
    return std::move(found_);
  }

 private:
  using Kind = Declaration::Kind;

  void add(const Candidate& one) {
    if (!only_.empty() && one.name != only_) return;
    if (seen_.insert(one.name).second) found_.push_back(one);
  }
  void add(const Term& term) {
    add(of_terms()[static_cast<std::size_t>(&term - vocabulary().data())]);
  }
  void kinds(std::initializer_list<TermKind> wanted) {
    for (const Term& term : vocabulary())
      if (contains(wanted, term.kind)) add(term);
  }
  /// Words of some kinds among which several have the same name.
  void words(std::initializer_list<std::string_view> names, std::initializer_list<TermKind> of) {
    for (const Term& term : vocabulary())
      if (one_of(term.name, names) && contains(of, term.kind)) add(term);
  }
  void options(std::initializer_list<std::string_view> names) {
    words(names, {K::option, K::connective});
  }
  /// Words that the vocabulary has no row for.
  void plain(std::initializer_list<std::pair<const char*, const char*>> rows) {
    for (const auto& [name, help] : rows) add({Candidate::Kind::keyword, name, name, help});
  }
  void declared(std::initializer_list<Kind> wanted) {
    for (const Declaration& one : visible_)
      if (contains(wanted, one.kind)) add(from_declaration(one));
  }

  void starts() {
    switch (place_.level) {
      case Level::file: return kinds({K::item, K::statement});
      case Level::experiment: return kinds({K::statement});
      case Level::measure:
        for (const char* name : kOfMeasure) words({name}, {K::statement});
        return;
      case Level::region:
        kinds({K::access, K::control});
        options({"else"});
        declared({Kind::variable, Kind::axis, Kind::parameter});
        return kinds({K::operation, K::atomic});
    }
  }

  /// What an expression may name. Conditions have words of their own.
  void expression(bool condition) {
    declared({Kind::parameter, Kind::axis});
    if (place_.level == Level::region) {
      declared({Kind::variable});
      kinds({K::name});
    }
    words({"threads", "blocks", "cluster"}, {K::name});
    words({"abs", "ceil", "floor", "log2", "max", "min"}, {K::function});
    if (one_of(place_.clause(), {"expect", "claim"})) kinds({K::function});  // Also over points.
    if (condition) options({"and", "or", "not", "within", "is", "true", "false"});
  }

  /// In parentheses or brackets.
  void inside() {
    const std::string& call = place_.call;
    const bool first = one_of(place_.last(), {"(", "["});
    const bool value = place_.last() == "=";
    if (place_.clause() == "(" || place_.clause() == "[") return expression(true);
    if (call == "chase" && first) {
      words({"stride", "random"}, {K::pattern});
      return options({"list", "steps"});
    }
    if (place_.bracket == '[' && one_of(call, {"steps"})) {
      options({"of"});
      return expression(false);
    }
    if (call == "buffer" && place_.last() == ",") return contents();
    if (call == "zip" && (first || place_.last() == ","))
      return words({"threads", "blocks", "cluster"}, {K::name});
    if (in_sweep()) return sweep();
    const LibraryAnalysis* analysis =
        place_.clause() == "analyze" ? library_.analysis(call) : nullptr;
    if (analysis && !value) return arguments(*analysis);
    if (place_.clause() == "kernel" && value) {
      options({"buffer", "struct"});
      plain({{"null", "a pointer to nothing"}});
    }
    if (place_.clause() == "analyze") {
      declared({Kind::measure});
      options({"true", "false"});
    }
    if (place_.bracket == '[') kinds({K::operation, K::atomic});  // A list of values.
    expression(place_.bracket == '(');
  }

  void arguments(const LibraryAnalysis& analysis) {
    for (const auto& one : analysis.parameters)
      add({Candidate::Kind::argument, one.name, fmt::format("{} = {}", one.name, one.example),
           fmt::format("`{}`\n\n{}", analysis.call, analysis.about)});
  }

  void contents() {
    kinds({K::contents});
    expression(false);
  }

  bool in_sweep() const { return place_.clause() == "sweep" && place_.bracket != '['; }

  void sweep() {
    const std::string last = place_.last();
    if (one_of(last, {"sweep", ","})) {
      options({"zip"});
      return words({"threads", "blocks", "cluster"}, {K::name});
    }
    const bool named = one_of(place_.last(1), {"sweep", ",", "("});
    if (named) options({"in"});
    options({"step"});
    expression(false);
  }

  void following() {
    const std::string clause = place_.clause(), last = place_.last();
    if (place_.level == Level::region && timed(clause, last)) return;
    if (last == "is") return kinds({K::verdict});
    if (clause == "device") return devices();
    if (clause == "observe") return observed();
    if (clause == "analyze") return analyses();
    if (clause == "plot") return plot(last);
    if (clause == "sweep") return sweep();
    if (clause == "array") return array(last);
    if (clause == "kernel") return options({"from", "define", "entry"});
    if (clause == "repeat") return repeat(last);
    if (clause == "l1_cache")
      return plain({{"on", "loads of global memory go through L1"},
                    {"off", "loads of global memory pass L1 by"}});
    if (one_of(clause, {"place", "beside"}) && last == clause)
      return plain({{"sm", "sm N: the SM of that number, from 0"}});
    if (one_of(clause, {"flush", "beside"})) options({"if"});
    if (clause == "paper" && last == clause) return findings();
    if (one_of(clause, {"cite", "experiment", "measure", "paper"})) return;
    if (one_of(clause, {"param", "shared", "derive"}) && last == clause) return;
    if (one_of(clause, {"derive", "expect", "claim"})) {
      declared({Kind::column});
      kinds({K::observed, K::column, K::launch_column});
    }
    if (one_of(clause, {"expect", "claim"})) findings();
    if (clause == "expect" && one_of(last, {"expect", "=="}))
      plain({{"buffer", "buffer(NAME) == \"reference.npy\" within 1e-5: what a kernel computed"},
             {"checksum", "checksum(NAME) == 0x...: XXH3 of what a kernel computed"}});
    expression(true);
    if (clause == "param") {
      kinds({K::operation});
      options({"true", "false"});
    }
  }

  void devices() {
    add({Candidate::Kind::device, "cuda", "real GPU", "the first GPU of this machine"});
    for (const LibraryDevice& one : library_.devices)
      add({Candidate::Kind::device, one.name, "virtual device", one.about});
  }
  void analyses() {
    for (const LibraryAnalysis& one : library_.analyses)
      add({Candidate::Kind::analysis, one.name, one.call, one.about});
  }
  /// Those of the experiment's own analyses; of all, where none is named yet or it has its own.
  void findings() {
    const auto is_here = [&](const LibraryFinding& one) {
      return contains(place_.analyses, one.analysis);
    };
    const bool any = std::ranges::any_of(library_.findings, is_here);
    for (const LibraryFinding& one : library_.findings)
      if (!any || is_here(one))
        add({Candidate::Kind::value, one.name, "finding of " + one.analysis, one.about});
  }
  void observed() {
    for (const Term& term : vocabulary())  // It is plotted, not observed.
      if (term.kind == K::observed && term.name != std::string_view("neighbour_variance"))
        add(term);
  }
  void plot(const std::string& last) {
    if (!one_of(last, {"plot", ",", "over", "by"})) return options({"over", "by", "logx", "logy"});
    declared({Kind::axis, Kind::column});
    words({"threads", "blocks", "cluster"}, {K::name});
    kinds({K::observed, K::column, K::launch_column});
  }
  void array(const std::string& last) {
    if (last == ":") return kinds({K::space});
    if (one_of(last, {"]", ")"})) return options({"chase", "width"});
    expression(false);
  }
  void repeat(const std::string& last) {
    if (last == "reduce") return kinds({K::reduction});
    if (last == "at") return options({"most"});
    if (last == "%") return options({"at", "reduce"});
    options({last == "repeat" ? "until" : "reduce"});
    expression(false);
  }

  /// In a region, behind the first word. False: an expression follows.
  bool timed(const std::string& clause, const std::string& last) {
    const bool access = one_of(clause, {"load", "store", "copy"}) || find_atomic(clause);
    if (clause == "async" && last == clause) return options({"load", "store"}), true;
    if (clause == "wait") return true;
    if (clause == "run") return declared({Kind::kernel}), true;
    if (clause == "sync" && last == "sync") return options({"cluster"}), true;
    if (clause == "stamp" || clause == "sync") return true;
    if (clause == "keep") return last == "keep";
    if (clause == "diverge" && last != "diverge" && !one_of(last, {"over", ".."}))
      return options({"over"}), true;
    if (access && last == clause) return target(), true;
    if (access && place_.before.size() == 2 && space_of(last)) return patterns(), true;
    if (access && last == "cache") return kinds({K::cache}), true;
    if (access && !one_of(last, {"x", "from", "width", "rank"}))
      return options({"width", "cache", "x", "chain", "each", "from", "on"}), true;
    const bool operation = find_term(clause) ? find_term(clause)->kind == K::operation
                                             : last != "=" && !one_of(clause, {"else"});
    if (operation && !one_of(last, {"x", "streams", "="}))
      return options({"x", "chain", "streams", "data"}), true;
    return false;
  }
  void target() {
    kinds({K::space});
    patterns();
  }
  void patterns() {
    kinds({K::pattern});
    declared({Kind::array});
  }

  const Place& place_;
  const std::vector<Declaration>& visible_;
  const Library& library_;
  const std::string_view only_;
  std::vector<Candidate> found_;
  std::set<std::string> seen_;
};

}  // namespace

std::vector<Candidate> candidates(const Place& place, const std::vector<Declaration>& visible,
                                  const Library& library, std::string_view only) {
  return Collector(place, visible, library, only).run();
}

std::vector<Candidate> meanings(std::string_view word, const std::vector<Declaration>& visible) {
  std::vector<Candidate> found;
  for (const Declaration& one : visible)
    if (one.name == word) return {from_declaration(one)};
  for (const Term& term : vocabulary())
    if (term.name == word) found.push_back(from_term(term));
  return found;
}

}  // namespace gpx::lsp
