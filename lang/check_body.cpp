// The statements of a region: barriers, stamps, variables and control flow.
// Interface: check_context.h; covered by tests/lang/check_test.cpp and the goldens.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <set>

#include "lang/check_context.h"
#include "lang/extremes.h"
#include "lang/lists.h"

namespace gpx {
namespace {

constexpr double max_all_operations = 65536;  ///< Written out in one region.
constexpr double max_statements = 65536;      ///< Written out in one region.
constexpr std::size_t max_paths = 1024;       ///< Of one `diverge`.

/// One region on its way from the AST to the IR.
class BodyReader {
 public:
  explicit BodyReader(CheckContext& context) : context_(context) {}

  std::vector<Statement> body(const ast::Body& from) {
    std::vector<Statement> out;
    for (const ast::Timed& one : from.statements) {
      auto statement = std::visit([&](const auto& node) { return read(node, one.span); }, one.node);
      good_ = good_ && statement;
      if (statement) out.push_back(std::move(*statement));
    }
    return out;
  }
  bool good() const { return good_; }

 private:
  using Read = std::optional<Statement>;

  std::nullopt_t wrong(Span span, std::string message, std::string hint = {}) {
    context_.problems.add(span, std::move(message), std::move(hint));
    return std::nullopt;
  }

  Read read(const ast::Access& n, Span span) { return read_access(context_, n, span); }
  Read read(const ast::Operate& n, Span span) {
    auto operate = read_operate(context_, n);
    if (!operate) return std::nullopt;
    return Statement{std::move(*operate), span};
  }
  Read read(const ast::Code& n, Span span) {
    auto bytes = checked_number(context_, n.bytes, rules::code);
    if (!bytes) return std::nullopt;
    return Statement{Code{std::move(*bytes)}, span};
  }
  Read read(const ast::Sync& n, Span span) {
    if (n.cluster && !check_cluster_use(context_, span)) return std::nullopt;
    return Statement{Sync{n.cluster}, span};
  }
  static Read read(const ast::Wait&, Span span) { return Statement{Wait{}, span}; }
  Read read(const ast::Stamp& n, Span span) {
    const std::string label = n.label ? n.label->text : std::to_string(stamps_);
    ++stamps_;
    if (!labels_.insert(label).second)
      return wrong(n.label->span, fmt::format("a second stamp '{}'", label));
    return Statement{Stamp{label}, span};
  }
  Read read(const ast::Assign& n, Span span) {
    const std::string& name = n.variable.text;
    auto value = checked_thread_value(context_, n.value, {"a shared variable"});
    if (!context_.names.is_variable(name)) {
      if (context_.block.broken) return std::nullopt;
      const auto& known = context_.names.variables();
      std::string hint = suggest(name, {known.begin(), known.end()});
      if (hint.empty()) hint = fmt::format("declare it: shared {} = 0", name);
      return wrong(n.variable.span, fmt::format("no shared variable is named '{}'", name), hint);
    }
    if (!value) return std::nullopt;
    return Statement{Assign{name, std::move(*value)}, span};
  }
  Read read(const ast::Keep& n, Span span) {
    const bool free = check_free(n.column, context_.names, context_.problems);
    auto value = checked_thread_value(context_, n.value, {"'keep'"});
    if (!free || !value) return std::nullopt;
    return Statement{Keep{n.column.text, std::move(*value)}, span};
  }
  Read read(const ast::Run& n, Span span) {
    std::vector<std::string> known;
    for (const UserKernel& kernel : context_.experiment.kernels) known.push_back(kernel.name);
    if (contains(known, n.kernel.text)) return Statement{Run{n.kernel.text}, span};
    if (context_.names.is_poisoned(n.kernel.text) || context_.block.broken) return std::nullopt;
    std::string hint = known.empty() ? "" : suggest(n.kernel.text, known, "kernels");
    if (hint.empty())
      hint = fmt::format(
          "declare it in this experiment: kernel {} from \"FILE.cu\" entry FUNCTION(...)",
          n.kernel.text);
    return wrong(n.kernel.span, fmt::format("no kernel is named '{}'", n.kernel.text), hint);
  }
  Read read(const ast::When& n, Span span) {
    auto condition = checked_thread_value(context_, n.condition, {"'when'", Type::Kind::truth});
    When when;
    when.then = body(n.then);
    if (n.otherwise) when.otherwise = body(*n.otherwise);
    if (!condition) return std::nullopt;
    when.condition = std::move(*condition);
    return Statement{std::move(when), span};
  }
  Read read(const ast::While& n, Span span) {
    auto condition = checked_thread_value(context_, n.condition, {"'while'", Type::Kind::truth});
    While loop;
    loop.body = body(n.body);
    if (!condition) return std::nullopt;
    loop.condition = std::move(*condition);
    return Statement{std::move(loop), span};
  }
  Read read(const ast::Diverge& n, Span span) {
    auto selector =
        checked_thread_value(context_, n.selector, {"'diverge'", Type::Kind::quantity, false});
    Diverge diverge;
    const bool values = n.is_list ? read_list(n, diverge.values) : read_range(n, diverge.values);
    diverge.body = body(n.body);
    if (!selector || !values || !check_distinct(n, diverge.values)) return std::nullopt;
    diverge.selector = std::move(*selector);
    return Statement{std::move(diverge), span};
  }

  bool read_list(const ast::Diverge& n, std::vector<Expr>& values) {
    if (n.list.empty() || n.list.size() > max_paths) {
      wrong(n.values_span, n.list.empty() ? "the list is empty" : too_many(n.list.size()));
      return false;
    }
    bool good = true;
    for (const Expr& item : n.list) {
      auto value = checked_number(context_, item, rules::tested);
      good = good && value;
      if (value) values.push_back(std::move(*value));
    }
    return good;
  }

  /// 31..0 counts down. The number of paths is fixed: the ends are expressions of parameters.
  bool read_range(const ast::Diverge& n, std::vector<Expr>& values) {
    double ends[2] = {0, 0};
    const Expr* written[2] = {&n.from, &n.to};
    for (int i = 0; i < 2; ++i) {
      if (!context_.names.constant(*written[i], context_.problems)) return false;
      const auto end = checked_number(context_, *written[i], rules::tested);
      if (!end) return false;
      ends[i] = number_at(*end, context_.experiment.scope({}));
    }
    const double paths = std::abs(ends[1] - ends[0]) + 1;
    if (paths > max_paths) {
      wrong(n.values_span, too_many(paths));
      return false;
    }
    for (double k = 0; k < paths; ++k)
      values.push_back(Expr::number(ends[0] < ends[1] ? ends[0] + k : ends[0] - k));
    return true;
  }

  static std::string too_many(double paths) {
    return fmt::format("{:.0f} values: at most {} can be tested", paths, max_paths);
  }

  /// A value that was tested before is never reached.
  bool check_distinct(const ast::Diverge& n, const std::vector<Expr>& values) {
    const Experiment& e = context_.experiment;
    std::vector<const Expr*> exprs;
    for (const Expr& value : values) exprs.push_back(&value);
    bool good = true;
    for_each_point(e.sweep, exprs, [&](const std::vector<Value>& point) {
      const Scope scope = e.scope(point);
      std::set<double> seen;
      for (const Expr& value : values) {
        const double number = number_at(value, scope);
        if (seen.insert(number).second) continue;
        wrong(n.values_span, fmt::format("{} is tested twice{}: the second path is never taken",
                                         number, where(e.sweep, exprs, point)));
        return good = false;
      }
      return true;
    });
    return good;
  }

  CheckContext& context_;
  bool good_ = true;
  std::size_t stamps_ = 0;
  std::set<std::string> labels_;
};

/// What a region becomes when it is written out: `diverge` copies its body for each path.
struct WrittenOut {
  struct Count {
    const Expr* count;
    double copies;
  };
  std::vector<Count> accesses, operations;
  double statements = 0;

  void add(const std::vector<Statement>& body, double copies) {
    for (const Statement& one : body) {
      statements += copies;
      if (const auto* access = std::get_if<Access>(&one.node)) {
        accesses.push_back({&access->count, copies});
      } else if (const auto* operate = std::get_if<Operate>(&one.node)) {
        operations.push_back({&operate->count, copies});
      } else if (const auto* when = std::get_if<When>(&one.node)) {
        add(when->then, copies);
        add(when->otherwise, copies);
      } else if (const auto* loop = std::get_if<While>(&one.node)) {
        add(loop->body, copies);
      } else if (const auto* diverge = std::get_if<Diverge>(&one.node)) {
        const double paths = copies * static_cast<double>(diverge->values.size());
        statements += paths;
        add(diverge->body, paths);
      }
    }
  }
};

/// Each of them is an instruction: their number is limited.
void check_total(CheckContext& context, Span region, const std::vector<WrittenOut::Count>& counts,
                 const char* what, double most) {
  const Experiment& e = context.experiment;
  std::vector<const Expr*> exprs;
  for (const auto& [count, copies] : counts) exprs.push_back(count);
  for_each_point(e.sweep, exprs, [&](const std::vector<Value>& point) {
    double total = 0;
    const Scope scope = e.scope(point);
    for (const auto& [count, copies] : counts) total += number_at(*count, scope) * copies;
    if (total <= most) return true;
    context.problems.add(
        region, fmt::format("the region holds {:.0f} {}: at most {:.0f} fit", total, what, most));
    return false;
  });
}

}  // namespace

bool check_body(CheckContext& context, const ast::Statement& region) {
  Measure& measure = context.measure();
  measure.body_span = region.span;
  auto body = read_body(context, std::get<ast::Region>(region.node).body);
  if (body) measure.body = std::move(*body);
  return body.has_value();
}

std::optional<std::vector<Statement>> read_body(CheckContext& context, const ast::Body& from) {
  BodyReader reader(context);
  std::vector<Statement> body = reader.body(from);
  if (!reader.good()) return std::nullopt;
  const Span place{from.open.begin, from.close.end};
  WrittenOut written;
  written.add(body, 1);
  if (written.statements > max_statements)
    context.problems.add(place,
                         fmt::format("the region holds {:.0f} statements, each path of a diverge "
                                     "counted: at most {:.0f} fit",
                                     written.statements, max_statements));
  check_waits(context, body);
  check_total(context, place, written.accesses, "accesses", rules::count.high);
  check_total(context, place, written.operations, "operations", max_all_operations);
  return body;
}

}  // namespace gpx
