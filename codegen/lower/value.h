// Lowering of what a thread computes: conditions, assigned and kept values.
//
// The parts of an expression that are the same for all threads are evaluated here and become
// constants or scalar arguments; the others become ops on unsigned words of 32 bits, which wrap.
// Covered by tests/codegen/body_test.cpp.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "codegen/lower/context.h"
#include "codegen/lower/structure.h"

namespace gpx::codegen {

class ValueLowering {
 public:
  /// `arguments` counts the scalars of all values of a measure: value0, value1, ...
  ValueLowering(LowerContext& context, const Expr& expr, bool condition, unsigned& arguments);
  ValueLowering(const ValueLowering&) = delete;
  ValueLowering& operator=(const ValueLowering&) = delete;

  /// Adds the scalars of the point.
  void point();
  /// The same at every point, at the same address.
  const ThreadValue& value() const { return value_; }

 private:
  struct Argument {
    std::string name;
    const Expr* expr;
  };
  bool of_thread(const Expr& expr) const;
  ThreadValue word(const Expr& expr);
  ThreadValue condition(const Expr& expr);
  ThreadValue same_for_all(const Expr& expr);
  ThreadValue arithmetic(const Expr& expr);
  ThreadValue smallest(const Expr& expr, Op op, std::size_t count);
  ThreadValue comparison(const Expr& expr);
  std::uint32_t number(const Expr& expr);
  void add_arguments(const ThreadValue& value, const std::vector<Argument>& made);

  LowerContext& context_;
  unsigned& numbers_;
  std::vector<Argument> arguments_;  // In the order in which the value has them, each once.
  ThreadValue value_;
};

}  // namespace gpx::codegen
