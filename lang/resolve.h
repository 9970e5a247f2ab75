// Names and types: what each name of an expression means, and whether the parts fit together.
// Covered by tests/lang/check_test.cpp.
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "lang/experiment.h"
#include "lang/problems.h"

namespace gpx {

struct Type {
  enum class Kind { unknown, quantity, truth, word };  ///< A finding's type is not known.
  Kind kind = Kind::unknown;
  Unit unit = Unit::none;
  bool operator==(const Type&) const = default;
};
Type type_of(const Value& value);
/// "bytes", "a word", ... for messages.
std::string phrase(Type type);

/// "did you mean 128B?" where a plain 128 was written; "" otherwise.
std::string unit_hint(const Expr& expr, Unit wanted);

/// `outcome`, `outcome[n=1]`: the finding that says how launches ended.
bool is_outcome(const Expr& expr);

/// A checked expression: names of the language's built-ins are replaced by what they stand for,
/// bare words by words.
struct Typed {
  Expr expr;
  Type type;
};

/// Which names may stand in an expression beside parameters.
struct Allow {
  bool axes = false;
  bool findings = false;
  bool threads = false;    ///< thread, lane, warp, block.
  bool variables = false;  ///< Shared variables of the measure.
  bool columns = false;    ///< Columns of the samples, a value for each row.
  bool samples = false;    ///< One number of a column: max(latency[n=2]).
};

/// What `max(latency[n=2])` is of: "latency"; as in a name, so in a finding's.
std::string_view base_of(const Expr& reference);

/// The names of one experiment.
class Names {
 public:
  void add_parameter(const std::string& name, Value value) { parameters_[name] = std::move(value); }
  void set_sweep(const Sweep& sweep) { sweep_ = &sweep; }
  /// `threads` or `blocks`, where it is not an axis.
  void set_builtin(const std::string& name, Typed value) {
    builtins_.insert_or_assign(name, std::move(value));
  }
  void add_variable(const std::string& name) { variables_.insert(name); }
  void add_column(const std::string& name, Unit unit) { columns_.insert_or_assign(name, unit); }
  /// A column that can be named once all regions are read.
  void add_derived(const std::string& name) { derived_.insert(name); }
  /// A name whose definition is wrong: nothing more is said of it.
  void poison(const std::string& name) { poisoned_.insert(name); }
  /// Parts of the experiment could not be read: unknown names may be defined there.
  void tolerate_unknown() { tolerant_ = true; }

  const Axis* axis(std::string_view name) const;
  const Value* parameter(std::string_view name) const;
  bool is_variable(const std::string& name) const { return variables_.count(name) > 0; }
  const std::set<std::string>& variables() const { return variables_; }
  /// Something that runs depends on the axis: told by resolve(), and by what reads a name itself.
  void use(const std::string& axis) const { used_->insert(axis); }
  bool is_used(const std::string& axis) const { return used_->count(axis) > 0; }
  bool is_poisoned(const std::string& name) const { return poisoned_.count(name) > 0; }
  const std::map<std::string, Value>& parameters() const { return parameters_; }
  const std::map<std::string, Unit, std::less<>>& columns() const { return columns_; }
  bool is_derived(const std::string& name) const { return derived_.count(name) > 0; }
  std::vector<std::string> axis_names() const;
  std::vector<std::string> known(Allow allow) const;

  /// Nothing where there is an error, which then has been reported.
  std::optional<Typed> resolve(const Expr& expr, Allow allow, Problems& problems) const;
  /// The value of an expression of parameters.
  std::optional<Value> constant(const Expr& expr, Problems& problems) const;

 private:
  class Pass;
  std::map<std::string, Value> parameters_;
  const Sweep* sweep_ = nullptr;
  std::map<std::string, Typed> builtins_;
  std::set<std::string> variables_;
  std::map<std::string, Unit, std::less<>> columns_;
  std::set<std::string> derived_;
  std::set<std::string> poisoned_;
  /// Copies, one for each measure, tell one set.
  std::shared_ptr<std::set<std::string>> used_ = std::make_shared<std::set<std::string>>();
  bool tolerant_ = false;
};

}  // namespace gpx
