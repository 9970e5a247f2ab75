// Interface: kernel_launch.h.
#include "runtime/serve/kernel_launch.h"

#include <fmt/format.h>

#include <algorithm>

#include "lang/expr.h"
#include "lang/lists.h"

namespace gpx::serve {
namespace {

using lsp::Json;

/// Texts of the values of one point.
class LaunchTexts {
 public:
  explicit LaunchTexts(const Scope& scope) : scope_(scope) {}

  std::string of(const Expr& expr) const {
    const auto value = evaluate(expr, scope_);
    return value ? to_string(*value) : "";
  }
  std::string of(const std::optional<Expr>& expr) const { return expr ? of(*expr) : ""; }
  std::vector<std::string> of(const std::vector<Expr>& all) const {
    std::vector<std::string> texts;
    for (const Expr& one : all) texts.push_back(of(one));
    return texts;
  }

  /// "64,2" of the extents that are given.
  std::string extents(const Expr& first, const std::optional<Expr>& second,
                      const std::optional<Expr>& third) const {
    std::vector<std::string> all = {of(first)};
    for (const auto& more : {second, third})
      if (more) all.push_back(of(more));
    return joined(all, ",");
  }

  /// "uniform(0,1)", "3", "in.npy"; "" where the text names none.
  std::string contents(const BufferContents& buffer) const {
    using Kind = BufferContents::Kind;
    static constexpr const char* kWords[] = {"hash",  "zero",        "index", "uniform",
                                             "value", "permutation", "file"};
    if (!buffer.given) return "";
    if (buffer.kind == Kind::file) return buffer.file;
    const std::string args = joined(of(buffer.args), ",");
    if (buffer.kind == Kind::value) return args;
    const std::string word = kWords[static_cast<std::size_t>(buffer.kind)];
    return args.empty() ? word : fmt::format("{}({})", word, args);
  }

  /// "2000", "(1,2)", "struct(i32(2000),buffer(64KB,zero))"
  std::string value(const KernelArgument& argument) const {
    using Form = KernelArgument::Form;
    std::vector<std::string> fields;
    for (const KernelArgument& field : argument.fields)
      fields.push_back(field.parameter.empty() || field.form == Form::buffer
                           ? value(field)
                           : fmt::format("{}({})", field.parameter, value(field)));
    if (argument.form == Form::vector) return fmt::format("({})", joined(fields, ","));
    if (argument.form == Form::structure) return fmt::format("struct({})", joined(fields, ","));
    if (!argument.buffer) return of(argument.value);
    const std::string filled = contents(*argument.buffer);
    return fmt::format("buffer({}{}{})", of(argument.value), filled.empty() ? "" : ",", filled);
  }

  std::string buffer(const KernelArgument& argument) const {
    const std::string filled = contents(*argument.buffer);
    return fmt::format("{}={}{}{}", argument.parameter, of(argument.value),
                       filled.empty() ? "" : ":", filled);
  }

 private:
  const Scope& scope_;
};

Json launch_json(const UserKernel& kernel, const Measure& measure, const LaunchTexts& texts) {
  Json arg = Json::array(), buffer = Json::array(), define = Json::array();
  for (const KernelArgument& one : kernel.arguments)
    if (one.form == KernelArgument::Form::buffer)
      buffer.push_back(texts.buffer(one));
    else
      arg.push_back(one.parameter + "=" + texts.value(one));
  for (const KernelDefine& one : kernel.defines)
    define.push_back(one.name + "=" + texts.of(one.value));
  return {{"entry", kernel.entry},
          {"grid", texts.extents(measure.blocks, measure.blocks_down, measure.blocks_deep)},
          {"block", texts.extents(measure.threads, measure.threads_down, measure.threads_deep)},
          {"registers", texts.of(measure.registers)},
          {"shared", texts.of(measure.shared_bytes)},
          {"arg", std::move(arg)},
          {"buffer", std::move(buffer)},
          {"define", std::move(define)}};
}

}  // namespace

Json kernel_launch(const Experiment& experiment, const std::string& file) {
  const std::vector<Value> point = experiment.sweep.at(0);
  const Scope scope = experiment.scope(point);
  for (const Measure& measure : experiment.measures) {
    if (!measure.run()) continue;
    const auto kernel =
        std::ranges::find(experiment.kernels, measure.run()->kernel, &UserKernel::name);
    if (kernel != experiment.kernels.end() && kernel->file == file)
      return launch_json(*kernel, measure, LaunchTexts(scope));
  }
  return nullptr;
}

}  // namespace gpx::serve
