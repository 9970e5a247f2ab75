// The words of the language, in one table: completion, `:help`, the nearest name of a message and
// the reserved words all come from it. Covered by tests/lang/vocabulary_test.cpp.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "lang/experiment.h"

namespace gpx {

enum class TermKind {
  item,       ///< What a file holds: experiment.
  statement,  ///< A clause of an experiment: sweep, device, …
  access,     ///< What is timed: load, store, copy.
  atomic,     ///< atom.add.u32, … of lang/atomics.h.
  control,    ///< What else may stand among it: sync, stamp, when, …
  operation,  ///< add.u32, … of lang/operations.def.
  pattern,    ///< unique, merge, …
  option,     ///< Of an access, an operation or an array: width, cache, x, chain, …
  space,      ///< global, shared, …
  cache,      ///< ca, cg, …
  function,   ///< min, max, …
  name,       ///< Built-in names: threads, blocks; of a thread: thread, lane, warp, block.
  observed,   ///< What can be observed: latency, time, each, …; neighbour_variance is plotted.
  column,     ///< Other columns of the samples: measure, outcome, index, …
  launch_column,  ///< Columns that describe the launches of a kernel from a file.
  reduction,      ///< harmonic_mean, …
  verdict,        ///< measured, not_observed, inconclusive.
  connective,     ///< Words inside clauses: in, step, over, within, …
  contents,       ///< Of a buffer of a kernel from a file: hash, uniform, …
  unit,           ///< B, KB, ms, …
};

/// "statement", "pattern", ... for headings.
std::string_view to_string(TermKind kind);

struct Term {
  TermKind kind;
  const char* name;
  const char* syntax;
  const char* help;  ///< One line.
};

const std::vector<Term>& vocabulary();
std::vector<std::string> names_of(TermKind kind);
/// nullptr if the language has no such word.
const Term* find_term(std::string_view name);
/// A statement begins with it.
bool is_statement(std::string_view word);
/// Words that cannot name an axis or a parameter.
bool is_reserved(std::string_view word);
/// A word that begins a statement of a region: load, sync, when, ...
bool is_timed_word(std::string_view word);
/// thread, lane, warp, block: what differs among the threads of a launch.
bool is_thread_name(std::string_view word);
/// A column that samples may have without an axis of that name: latency, index, outcome, ...
bool is_column(std::string_view word);

/// A column that describes a launch: the same in all its repetitions. `clocks` is none: it is the
/// time.
bool describes_launch(std::string_view column);

/// Spellings of the IR's enumerations, the same in text and in messages.
std::string_view to_string(Space space);
std::string_view to_string(CacheOp cache);  ///< "" where unspecified.
std::string_view to_string(Access::Kind kind);
std::string_view to_string(Observe observe);
std::string_view to_string(Reduce reduce);
std::string_view to_string(BufferContents::Kind contents);  ///< "value" where it is a number.
std::optional<BufferContents::Kind> contents_of(std::string_view name);
std::vector<std::string> contents_names();
std::string_view to_string(Array::Layout::Kind layout);  ///< "" for none.
std::optional<Space> space_of(std::string_view name);
std::optional<CacheOp> cache_of(std::string_view name);
std::optional<Access::Kind> access_of(std::string_view name);
std::optional<Observe> observe_of(std::string_view name);
std::optional<Reduce> reduce_of(std::string_view name);
std::optional<Array::Layout::Kind> layout_of(std::string_view name);

/// One row for each unit: how it is written, what it stands for.
struct UnitRow {
  const char* name;
  Unit unit;
  double scale;  ///< Of the base unit.
  bool divide;   ///< The number is divided by `scale`: 10ms is 10 / 1e3 s, exactly rounded.
};
const std::vector<UnitRow>& units();

}  // namespace gpx
