// The parts of build.cpp: a parse tree's expressions, what is timed, and (in build.cpp) the
// clauses. Covered by the goldens in tests/lang/golden/ (*.ast).
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "lang/ast.h"
#include "lang/grammar.h"
#include "lang/problems.h"

namespace gpx {

/// Names, texts and expressions.
class ExprBuilder {
 public:
  explicit ExprBuilder(Problems& problems) : problems_(problems), source_(problems.source()) {}

  /// An expression of its own, not part of a larger one.
  Expr operand(const grammar::Tree& tree);

 protected:
  std::string_view text(const grammar::Tree& tree) const { return source_.slice(tree.span); }
  ast::Ident ident(const grammar::Tree& tree) const;
  std::vector<ast::Ident> idents(const grammar::Tree& tree) const;

  /// What may stand once: `what` is "width for one access".
  template <typename T>
  void set_once(std::optional<T>& slot, T value, const grammar::Tree& at, const char* what) {
    if (slot)
      problems_.add(at.span, std::string("a second ") + what);
    else
      slot = std::move(value);
  }

  Problems& problems_;
  const Source& source_;

 private:
  Expr expr(const grammar::Tree& tree);
  Expr number(const grammar::Tree& tree);
  Expr chain(const grammar::Tree& tree);
  Expr joined(Expr::Op op, const grammar::Tree& tree);
  Expr comparison(const grammar::Tree& tree);
  Expr reference(const grammar::Tree& tree);
  Value key_value(const grammar::Tree& tree);

  std::size_t nodes_ = 0;  ///< Of the operand that is being built.
};

/// What stands in a region.
class TimedBuilder : public ExprBuilder {
 public:
  using ExprBuilder::ExprBuilder;

 protected:
  /// A region or a block; both are closed by one character.
  ast::Body body(const grammar::Tree& tree);

 private:
  ast::Timed timed(const grammar::Tree& tree);
  ast::Access access(const grammar::Tree& tree);
  ast::Operate operate(const grammar::Tree& tree);
  ast::When when(const grammar::Tree& tree);
  ast::Diverge diverge(const grammar::Tree& tree);
};

}  // namespace gpx
