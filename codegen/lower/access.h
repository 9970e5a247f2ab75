// Lowering of one access statement: its addresses at every point, and what they reach.
// Covered by tests/codegen/lower_test.cpp.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "codegen/ir/program.h"
#include "codegen/lower/context.h"
#include "codegen/lower/structure.h"

namespace gpx::codegen {

/// Threads of a launch: what a pattern numbers them by.
struct AccessThreads {
  std::uint64_t grid = 1, block = 1;
};

class AccessLowering {
 public:
  /// `number`: of the accesses of its body.
  AccessLowering(LowerContext& context, const Access& access, std::size_t number);

  /// At a point. `numbered`: its scalars' names end with its number, because it is not the body's
  /// only access.
  AccessShape point(AccessThreads threads, bool numbered);

  const Access& access() const { return access_; }
  std::size_t number() const { return number_; }
  /// Of a tensor copy, as of the last point, but for the buffer.
  const TensorMap& tensor() const { return tensor_; }
  /// The place to blame for the number of accesses.
  Span count_span() const;

  /// The access with the words that it has at some points, and how its addresses lie there.
  struct Form {
    Access words;             ///< Of an access whose words are written: as it is.
    std::uint64_t reach = 0;  ///< The largest of PatternCode::reach.
    std::uint64_t count = 1;  ///< The largest.
  };
  /// After the walk: every form that a point has. AccessShape::access leads into them.
  const std::map<std::string, Form>& forms() const { return forms_; }
  /// Of the whole sweep: bytes from the start of the memory; 0 after blame.
  std::uint64_t reach(const Form& form);
  AccessSpread spread(const Form& form);

 private:
  Form& form();
  const std::string& word(std::string_view axis);
  void check(const Access& words);
  AccessPoint numbers(const Form& form, AccessThreads threads);
  void check_offset(const Access& words, std::uint32_t width);
  void extend(Form& form, const AccessPoint& point);
  void scalars(const Form& form, const AccessPoint& point, bool numbered);
  bool folds(const Form& form) const;
  static TensorMap tensor_of(const AccessPoint& point);

  LowerContext& context_;
  const Access& access_;
  std::size_t number_;
  std::array<Expr, 4> axes_;               ///< Whose values are words of it.
  std::vector<const PatternCode*> codes_;  ///< Of all patterns that it has somewhere.
  TensorMap tensor_;
  std::map<std::string, Form> forms_;  ///< By the words that are axes.
};

}  // namespace gpx::codegen
