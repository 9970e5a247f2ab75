// Lowering of a measure's body: every statement at every point, and the code that follows from it.
//
// A point of the sweep gives two lists of numbers: those that decide the code (equal lists share a
// kernel) and those that the kernel gets as arguments. Both are in the order of the text.
// Covered by tests/codegen/body_test.cpp.
#pragma once

#include <cstdint>
#include <deque>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "codegen/lower/access.h"
#include "codegen/lower/array.h"
#include "codegen/lower/structure.h"
#include "codegen/lower/value.h"

namespace gpx::codegen {

/// How many of each a measure's bodies have so far: its own comes first.
struct Numbering {
  unsigned arguments = 0;
  std::size_t chases = 0;
};

class BodyLowering {
 public:
  /// `variables`: the body has the measure's shared variables.
  BodyLowering(LowerContext& context, const std::vector<gpx::Statement>& body, Numbering& numbers,
               bool variables);

  bool point(const SweepCursor& at, std::uint64_t threads, std::vector<std::uint64_t>& shape,
             std::vector<std::uint64_t>& scalars);

  /// After the walk: the code of a point whose numbers these are. Fills body, shared, scalars,
  /// stamps, keeps and arrays.
  /// `next` is moved beyond what belongs to this body.
  void structure(const std::uint64_t*& next, Structure& made) const;
  void scalar_names(std::vector<std::string>& out) const;

  std::deque<AccessLowering>& accesses() { return accesses_; }
  const std::deque<ArrayLowering>& arrays() const { return arrays_; }
  const std::vector<std::string>& stamps() const { return stamps_; }
  const std::vector<std::string>& keeps() const { return keeps_; }
  bool may_hang() const { return may_hang_; }
  /// Where the body is one chase: its accesses at the last point, the most over the sweep, and the
  /// bytes of a link. `observe each` and `observe average` ask.
  bool is_one_chase() const;
  bool only_chases() const;
  std::uint64_t chase_accesses() const { return last_count_; }
  std::uint64_t most_chase_accesses() const { return most_count_; }

 private:
  // A statement, and what of it depends on the point.
  struct Node {
    const gpx::Statement* statement = nullptr;
    std::uint32_t line = 0;
    AccessLowering* access = nullptr;
    ArrayLowering* array = nullptr;
    std::optional<PointExpr> operation, count, streams, code;
    std::optional<ValueLowering> value, from;
    std::vector<PointExpr> values;
    std::string name;
    std::size_t number = 0;  // Of a chase.
    std::vector<std::unique_ptr<Node>> then, otherwise;
  };
  using Nodes = std::vector<std::unique_ptr<Node>>;
  using Numbers = std::vector<std::uint64_t>;

  Nodes nodes(const std::vector<gpx::Statement>& statements, int depth);
  void fill(Node& node, int depth);
  void add(Node& node, const Access& access, int depth);
  void add(Node& node, const Chase& chase, int depth);
  void add(Node& node, const Operate& operate, int depth);
  void add(Node& node, const Code& code, int depth);
  void add(Node& node, const Sync& sync, int depth);
  void add(Node& node, const Stamp& stamp, int depth);
  void add(Node& node, const Assign& assign, int depth);
  void add(Node& node, const Keep& keep, int depth);
  void add(Node& node, const Run& run, int depth);
  void add(Node& node, const When& when, int depth);
  void add(Node& node, const While& loop, int depth);
  void add(Node& node, const Diverge& diverge, int depth);
  ArrayLowering* find_array(const std::string& name, Span span);

  bool point(Nodes& list, const SweepCursor& at, std::uint64_t threads, Numbers& shape,
             Numbers& scalars);
  bool point(Node& node, const SweepCursor& at, std::uint64_t threads, Numbers& shape,
             Numbers& scalars);
  bool chase(Node& node, const SweepCursor& at, Numbers& shape, Numbers& scalars);
  bool operate(Node& node, const SweepCursor& at, Numbers& shape);
  bool code(Node& node, const SweepCursor& at, Numbers& shape);
  bool diverge(Node& node, const SweepCursor& at, Numbers& shape);
  std::optional<std::uint64_t> operation(Node& node, const SweepCursor& at);

  std::vector<StatementShape> shapes(const Nodes& list, const std::uint64_t*& next) const;
  StatementShape shape(const Node& node, const std::uint64_t*& next) const;
  void names(const Nodes& list, std::vector<std::string>& out, std::size_t& access) const;

  LowerContext& context_;
  Numbering& numbers_;
  std::deque<AccessLowering> accesses_;
  std::deque<ArrayLowering> arrays_;
  std::vector<std::string> stamps_, keeps_;
  bool may_hang_ = false;
  std::uint64_t last_count_ = 0, most_count_ = 0;
  std::vector<ValueLowering> initial_;  // Of the measure's shared variables.
  Nodes body_;
};

}  // namespace gpx::codegen
