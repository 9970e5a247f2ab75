// Lowering of what a thread computes: conditions, assigned and kept values.
//
// The parts of an expression that are the same for all threads are evaluated here and become
// constants or scalar arguments; the others become ops on unsigned words of 32 bits, which wrap.
// Covered by tests/codegen/body_test.cpp.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "codegen/lower/context.h"
#include "codegen/lower/structure.h"

namespace gpx::codegen {

class ValueLowering {
 public:
  /// `arguments` counts the scalars of all values of a measure: value0, value1, ...
  ValueLowering(LowerContext& context, const Expr& expr, bool condition, unsigned& arguments);

  /// Appends the values of the scalars at a point, in the order of their names. False after blame.
  bool point(const SweepCursor& at, std::vector<std::uint64_t>& scalars);
  void names(std::vector<std::string>& out) const;
  /// After the first point.
  ValueShape shape() const { return shape(root_); }

 private:
  struct Node {
    ValueShape shape;  // Without args.
    std::optional<PointExpr> point;
    std::vector<Node> args;
  };
  bool of_thread(const Expr& expr) const;
  Node word(const Expr& expr);
  Node condition(const Expr& expr);
  Node same_for_all(const Expr& expr);
  Node named(const Expr& expr);
  Node arithmetic(const Expr& expr);
  Node smallest(const Expr& expr);
  Node smallest(const Expr& expr, Op op, std::size_t count);
  Node comparison(const Expr& expr);
  Node refuse(const Expr& expr, const char* what);
  static Node computed(Op op, std::vector<Node> args);
  static Node constant(std::uint32_t number);
  bool point(Node& node, const SweepCursor& at, std::vector<std::uint64_t>& scalars);
  static void names(const Node& node, std::vector<std::string>& out);
  static ValueShape shape(const Node& node);

  LowerContext& context_;
  unsigned& arguments_;
  Node root_;
};

}  // namespace gpx::codegen
