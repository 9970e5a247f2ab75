// Lowering of a measure's body: every statement at every point.
//
// One walk over the experiment's statements makes the shapes of a point, which decide the code, and
// adds the point's scalars, each with its name.
// Covered by tests/codegen/body_test.cpp.
#pragma once

#include <cstdint>
#include <deque>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "codegen/lower/access.h"
#include "codegen/lower/array.h"
#include "codegen/lower/structure.h"
#include "codegen/lower/value.h"

namespace gpx::codegen {

/// What the bodies of a measure number together: its own comes first.
struct Numbering {
  unsigned arguments = 0;  ///< Of all values, over the whole sweep.
  std::size_t chases = 0;  ///< At this point.
};

class BodyLowering {
 public:
  /// `variables`: the body has the measure's shared variables.
  BodyLowering(LowerContext& context, const std::vector<gpx::Statement>& body, Numbering& numbers,
               bool variables);

  Shapes point(AccessThreads threads);
  /// After the walk: fills arrays, shared, stamps, keeps and accesses.
  void frame(Frame& made);

  std::deque<AccessLowering>& accesses() { return accesses_; }
  const std::deque<ArrayLowering>& arrays() const { return arrays_; }
  const std::vector<std::string>& stamps() const { return stamps_; }
  const std::vector<std::string>& keeps() const { return keeps_; }
  bool may_hang() const { return may_hang_; }
  /// Of the last chase: its accesses at this point, and the most over the sweep.
  std::uint64_t chase_accesses() const { return last_count_; }
  std::uint64_t most_chase_accesses() const { return most_count_; }

 private:
  void collect(const std::vector<gpx::Statement>& list, int depth);
  void collect(const Chase& chase, Span span);
  void collect(const Operate& operate);
  void check(const Array& array, CacheOp cache, Span span);
  bool check(const Operate& operate, char source);

  Shapes shapes(const std::vector<gpx::Statement>& list);
  Shapes with_stamps(Shapes list);
  AccessShape shape(const Access& access);
  ChaseShape shape(const Chase& chase);
  OperateShape shape(const Operate& operate);
  OperateShape shape(const Code& code);
  PlainShape shape(const Sync& sync);
  static PlainShape shape(const Wait&) { return {Op::copy_wait}; }
  PlainShape shape(const Stamp& stamp);
  PlainShape shape(const Assign& assign);
  PlainShape shape(const Keep& keep);
  PlainShape shape(const Run& run);
  BranchShape shape(const When& when);
  BranchShape shape(const While& loop);
  BranchShape shape(const Diverge& diverge);
  std::string_view operation(const Expr& expr);
  char source(const Expr& expr);
  CacheOp cache(const Chase& chase);
  OperandData data(const Expr& expr);
  void check_warpgroup(const Operate& operate, std::string_view name);
  const ThreadValue* value(const Expr& expr, bool condition = false);

  LowerContext& context_;
  const std::vector<gpx::Statement>& body_;
  Numbering& numbers_;
  bool variables_;
  bool issues_ = false;                  // What is observed is the issue of each statement.
  std::deque<AccessLowering> accesses_;  // In the order of the walk.
  std::deque<ArrayLowering> arrays_;
  std::map<const Array*, bool> ranked_;  // Whether chases of it are on a rank.
  std::map<const Expr*, ValueLowering> values_;
  std::vector<std::string> stamps_, keeps_;
  bool may_hang_ = false;
  // Of the walk over a point: its threads, the next access, the next stamp.
  AccessThreads threads_;
  std::size_t access_ = 0, stamp_ = 0;
  std::uint64_t last_count_ = 0, most_count_ = 0;
};

}  // namespace gpx::codegen
