// What the parts of the checker share while they turn one block of the AST into an Experiment.
// Each part reports through `problems` and leaves defaults where something is wrong.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "lang/ast.h"
#include "lang/language.h"
#include "lang/problems.h"
#include "lang/resolve.h"
#include "lang/rules.h"

namespace gpx {

/// One `--set`, read once, applied to every experiment that has the name.
struct Override {
  explicit Override(const Setting& setting);
  std::string name;
  Source source;
  Problems problems;
  ast::Axis value;  ///< A single value is a list of one.
  bool is_single = false;
  bool is_valid = false;
  bool is_used = false;
};

class Overrides {
 public:
  explicit Overrides(const std::vector<Setting>& settings);
  /// The setting of that name, marked as used; nullptr if there is none that can be read.
  Override* find(const std::string& name);
  /// Each setting that nothing used is an error; `names` are what it could have meant.
  void report(Problems& problems, const std::vector<std::string>& names);

 private:
  std::vector<std::unique_ptr<Override>> all_;
};

struct CheckContext {
  const ast::Block& block;
  Problems& problems;
  Overrides& overrides;
  Experiment& experiment;
  Names& names;
  const ast::Measure* written = nullptr;  ///< The `measure` block that is being checked, if any.

  /// The measure that is being checked: the last one so far.
  Measure& measure() const { return experiment.measures.back(); }
};

/// The expression with its names resolved, if it gives a whole number within the rule's limits at
/// every point.
std::optional<Expr> checked_number(CheckContext& context, const Expr& expr, const NumberRule& rule);
/// The number of a checked expression at one point.
double number_at(const Expr& expr, const Scope& scope);

/// What an expression over the threads of a launch must give.
struct ThreadRule {
  std::string what;                        ///< "'when'"
  Type::Kind kind = Type::Kind::quantity;  ///< Or truth: a condition.
  bool variables = true;                   ///< Shared variables may stand in it.
};
/// The expression with its names resolved, if a thread can compute it: whole numbers of 32 bits.
std::optional<Expr> checked_thread_value(CheckContext& context, const Expr& expr,
                                         const ThreadRule& rule);

/// Statements of one kind, in order.
template <typename T>
std::vector<std::pair<const ast::Statement*, const T*>> statements_of(
    const std::vector<ast::Statement>& statements) {
  std::vector<std::pair<const ast::Statement*, const T*>> found;
  for (const ast::Statement& statement : statements)
    if (const T* node = std::get_if<T>(&statement.node)) found.emplace_back(&statement, node);
  return found;
}

/// The only statement of its kind; a second one is an error.
template <typename T>
const T* single(CheckContext& context, const std::vector<ast::Statement>& statements,
                std::string_view what) {
  const auto found = statements_of<T>(statements);
  for (std::size_t i = 1; i < found.size(); ++i) {
    const Location first = context.problems.source().locate(found[0].first->span);
    context.problems.add(
        found[i].first->span,
        "a second " + std::string(what) + "; the first is on line " + std::to_string(first.line));
  }
  return found.empty() ? nullptr : found[0].second;
}

/// The measure's own clause, or else the experiment's.
template <typename T>
const T* clause(CheckContext& context, std::string_view what) {
  const T* common = single<T>(context, context.block.statements, what);
  const T* own = context.written ? single<T>(context, context.written->statements, what) : nullptr;
  return own ? own : common;
}

/// The axis of this name as it is written; nullptr: no sweep has it.
const ast::Axis* written_axis(const CheckContext& context, const std::string& name);

/// The axis of `place sm all`.
inline constexpr std::string_view kSmAxis = "sm";
/// `place sm all`: `all` is no name of the experiment's own.
bool is_every_sm(const Expr& sm, const Names& names);

/// What `threads` stands for where it is `(X, Y, Z)`: the product.
Expr extents_product(const Expr& across, const std::optional<Expr>& down,
                     const std::optional<Expr>& deep);

/// True for a name that an axis, a parameter, a variable or an array may have; else an error.
bool check_free(const ast::Ident& name, const Names& names, Problems& problems);

/// What can be said of a file that has syntax errors.
void check_partial(const Ast& ast, Problems& problems);

void check_parameter(const ast::Statement& statement, Names& names, Overrides& overrides,
                     Problems& problems);
void check_sweep(CheckContext& context);
/// Of axes that nothing depends on, once all is checked.
void warn_of_unused(CheckContext& context);
void warn_of_short_chases(CheckContext& context);
/// Of a time that holds more than the region, once.
void warn_of_setup_time(CheckContext& context);
/// Of a latency that does not hold what a store or a reduction does.
void warn_of_unseen_writes(CheckContext& context);
void check_repeat(CheckContext& context);
void check_measures(CheckContext& context);
/// Whether some point runs the region before the pass that counts.
bool ever_rehearses(const Experiment& experiment, const Measure& measure);
void check_launch(CheckContext& context);
void check_arrays(CheckContext& context);
void check_kernels(CheckContext& context);
/// What a measure says must fit a region that runs a kernel from a file, or one that does not.
void check_run(CheckContext& context, const ast::Region& region);
/// The statements of a region into the measure; false where one is wrong.
bool check_body(CheckContext& context, const ast::Statement& region);
/// The statements of a body; nothing where one is wrong, or where they are too many.
std::optional<std::vector<Statement>> read_body(CheckContext& context, const ast::Body& from);
/// After the body, which `whole` says to be read without an error: `offset`.
void check_offset(CheckContext& context, bool whole);
/// After the body: `bank_width`, `carveout`, `l1_cache`, `place`, `beside`.
void check_place(CheckContext& context);
/// `async`: what it copies is written; a copy by each thread has the widths of the instruction.
bool check_async(CheckContext& context, const ast::Access& from, const Access& access);
/// Every asynchronous copy is waited for: nothing else says when it is done.
void check_waits(CheckContext& context, const std::vector<Statement>& body);
std::optional<Statement> read_access(CheckContext& context, const ast::Access& from, Span span);
/// True where the measure has clusters; else an error at what needs them.
bool check_cluster_use(CheckContext& context, Span span);
std::optional<Operate> read_operate(CheckContext& context, const ast::Operate& from);
/// Before the measures: the names of derived columns are free, and none stands in a region.
void check_derived_names(CheckContext& context);
/// After them: the columns of the samples that expressions can name, and what is derived of them.
void check_derived(CheckContext& context);
/// The numbers of samples that a checked condition names, into the experiment.
void check_sample_values(CheckContext& context, const Expr& condition);
/// `expect buffer(out) == ...`; `text` is the condition as it is shown.
void check_result(CheckContext& context, const ast::ResultCheck& from, std::string text);
void check_report(CheckContext& context);

}  // namespace gpx
