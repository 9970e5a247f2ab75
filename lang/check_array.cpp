// Arrays: where they lie, how large they are, and the links of their chases.
// Interface: check_context.h; covered by tests/lang/check_test.cpp and the goldens.
#include <fmt/format.h>

#include <cmath>
#include <numeric>
#include <set>

#include "lang/check_context.h"
#include "lang/extremes.h"
#include "lang/patterns.h"

namespace gpx {
namespace {

using LayoutKind = Array::Layout::Kind;

constexpr double max_elements = 268435456;    ///< Of one chase: 2^28.
constexpr double max_offset = 4294967295;     ///< Bytes that a link of 4 bytes can tell apart.
constexpr std::size_t max_arguments = 65536;  ///< Of a list or of steps.

std::string bytes_text(double bytes) {
  return to_string(Quantity{bytes, Unit::byte});
}

/// The rule of argument `i` of a layout.
NumberRule rule_of(LayoutKind kind, std::size_t i) {
  if (kind == LayoutKind::random && i == 1) return {"the seed", Unit::none, 0, max_bytes};
  if (kind == LayoutKind::steps && i % 2 == 0)
    return {"the number of steps", Unit::none, 1, max_elements};
  if (kind == LayoutKind::list) return {"an offset", Unit::byte, 0, max_bytes};
  return {"the distance", Unit::byte, 1, max_bytes};
}

/// One array at one point of the sweep.
class PointCheck {
 public:
  PointCheck(const Array& array, const Scope& scope)
      : kind_(array.layout.kind),
        narrow_(array.space == Space::constant || array.space == Space::texture),
        bytes_(number_at(array.bytes, scope)),
        width_(number_at(array.width, scope)) {
    for (const Expr& arg : array.layout.args) args_.push_back(number_at(arg, scope));
  }

  /// What is wrong; "" if nothing is.
  std::string fault() const {
    if (width_ != 4 && width_ != 8)
      return fmt::format("the width is {}: a link has 4B or 8B", bytes_text(width_));
    if (kind_ == LayoutKind::none) return {};
    if (narrow_ && width_ != 4) return "a link in constant or texture memory has 4B";
    if (bytes_ < width_)
      return fmt::format("{} hold no link of {}", bytes_text(bytes_), bytes_text(width_));
    if (width_ == 4 && bytes_ > max_offset)
      return fmt::format("links of 4B reach less than 4GB, the array has {}: write 'width 8B'",
                         bytes_text(bytes_));
    for (std::size_t i = 0; i < args_.size(); ++i)
      if (rule_of(kind_, i).unit == Unit::byte && std::fmod(args_[i], width_) != 0)
        return fmt::format("{} is no multiple of the width {}", bytes_text(args_[i]),
                           bytes_text(width_));
    if (kind_ == LayoutKind::list) return list_fault();
    return kind_ == LayoutKind::steps ? steps_fault()
                                      : elements_fault(std::floor(bytes_ / args_[0]));
  }

 private:
  std::string elements_fault(double elements) const {
    if (elements <= max_elements) return {};
    return fmt::format("the chase has {:.0f} elements: at most {:.0f} can be laid out", elements,
                       max_elements);
  }
  std::string list_fault() const {
    std::set<double> seen;
    for (double offset : args_) {
      if (offset + width_ > bytes_)
        return fmt::format("the offset {} lies beyond the array's {}", bytes_text(offset),
                           bytes_text(bytes_));
      if (!seen.insert(offset).second)
        return fmt::format("the offset {} is visited twice: it has one link", bytes_text(offset));
    }
    return {};
  }
  std::string steps_fault() const {
    double end = width_, elements = 1;
    for (std::size_t i = 0; i + 1 < args_.size(); i += 2) {
      end += args_[i] * args_[i + 1];
      elements += args_[i];
    }
    if (end > bytes_)
      return fmt::format("the steps end at {}, beyond the array's {}", bytes_text(end - width_),
                         bytes_text(bytes_));
    return elements_fault(elements);
  }

  LayoutKind kind_;
  bool narrow_;
  double bytes_, width_;
  std::vector<double> args_;
};

bool check_points(CheckContext& context, const ast::Array& from, const Array& array) {
  const Experiment& e = context.experiment;
  std::vector<const Expr*> exprs = {&array.bytes, &array.width};
  for (const Expr& arg : array.layout.args) exprs.push_back(&arg);
  const Span place = from.chase   ? from.chase->order.span
                     : from.width ? from.width->span
                                  : from.name.span;
  bool good = true;
  for_each_point(e.sweep, exprs, [&](const std::vector<Value>& point) {
    const std::string fault = PointCheck(array, e.scope(point)).fault();
    if (fault.empty()) return true;
    context.problems.add(place, fault + where(e.sweep, exprs, point));
    return good = false;
  });
  return good;
}

bool read_layout(CheckContext& context, const ast::Chase& from, Array& array) {
  array.layout.kind = *layout_of(from.order.text);
  bool good = !from.args.empty() && from.args.size() <= max_arguments;
  if (!good)
    context.problems.add(from.order.span, from.args.empty()
                                              ? "the list is empty"
                                              : "the list is too long: at most 65536 numbers");
  for (std::size_t i = 0; good && i < from.args.size(); ++i) {
    auto arg = checked_number(context, from.args[i], rule_of(array.layout.kind, i));
    if (!arg) return false;
    array.layout.args.push_back(std::move(*arg));
  }
  if (array.layout.kind == LayoutKind::random && array.layout.args.size() == 1)
    array.layout.args.push_back(Expr::number(1));
  return good;
}

bool check_array_name(CheckContext& context, const ast::Ident& name) {
  if (!check_free(name, context.names, context.problems)) return false;
  if (find_pattern(name.text)) {
    context.problems.add(name.span, fmt::format("'{}' is a pattern", name.text),
                         "choose another name");
    return false;
  }
  for (const Array& other : context.experiment.arrays) {
    if (other.name != name.text) continue;
    context.problems.add(name.span, fmt::format("a second array '{}'", name.text));
    return false;
  }
  return true;
}

std::optional<Array> read_array(CheckContext& context, const ast::Array& from, Span span) {
  Array array;
  array.name = from.name.text;
  array.span = span;
  bool good = check_array_name(context, from.name);
  if (const auto space = space_of(from.space.text)) {
    array.space = *space;
  } else {
    context.problems.add(from.space.span, fmt::format("unknown space '{}'", from.space.text),
                         suggest(from.space.text, names_of(TermKind::space), "spaces"));
    good = false;
  }
  const NumberRule size{"the size of the array", Unit::byte, 1, max_bytes};
  auto bytes = checked_number(context, from.bytes, size);
  std::optional<Expr> width = array.width;
  if (from.width)
    width = checked_number(context, *from.width, {"the width", Unit::byte, 1, max_bytes});
  if (!bytes || !width) return std::nullopt;
  array.bytes = std::move(*bytes);
  array.width = std::move(*width);
  if (from.chase && !read_layout(context, *from.chase, array)) return std::nullopt;
  if (!good || !check_points(context, from, array)) return std::nullopt;
  return array;
}

}  // namespace

void check_arrays(CheckContext& context) {
  for (const auto& [statement, node] : statements_of<ast::Array>(context.block.statements)) {
    if (auto array = read_array(context, *node, statement->span))
      context.experiment.arrays.push_back(std::move(*array));
    else
      context.names.poison(node->name.text);
  }
}

}  // namespace gpx
