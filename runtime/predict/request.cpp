// Interface: request.h. Covered by tests/runtime/predict_test.cpp.
#include "runtime/predict/request.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <set>

#include "codegen/ir/text.h"
#include "lang/quoted.h"
#include "lang/try.h"

namespace gpx {
namespace {

constexpr const char* kAskedName = "gpx predict";

std::string extent(const std::vector<std::string>& values) {
  return values.size() == 1 ? values[0] : fmt::format("({})", fmt::join(values, ", "));
}

/// "data.npy", "bytes.raw", "folder/x": not a number, nor uniform(0, 1).
bool is_file_name(const std::string& contents) {
  return contents.find('/') != std::string::npos || contents.ends_with(".npy") ||
         contents.ends_with(".raw") || contents.ends_with(".bin");
}

/// `--arg p.n=3`: a struct is given as a whole.
Result<void> check_whole(const char* option, const std::string& name) {
  const std::size_t dot = name.find('.');
  if (dot == std::string::npos) return {};
  return fail(
      Fault::input, fmt::format("{} {}: a struct is given as a whole", option, name),
      fmt::format("--arg '{}=struct(i32(2000), f32(0.5), buffer(4MB))', its members in their "
                  "order, each as its type",
                  name.substr(0, dot)));
}

/// `--define REAL=float`, `--define TYPE='unsigned int'`: what is neither a number nor a truth
/// value is a word for the compiler.
std::string define_text(const std::string& value) {
  const bool number = !value.empty() &&
                      std::string_view("+-.0123456789").find(value[0]) != std::string_view::npos &&
                      std::ranges::all_of(value, [](char c) {
                        return codegen::in_word(c) || c == '.' || c == '+' || c == '-';
                      });
  const bool given = value.size() > 1 && value.front() == '"' && value.back() == '"';
  return number || given || value == "true" || value == "false" ? value : gpx::quoted(value);
}

/// " define A = 1, B = 2", or nothing.
Result<std::string> defines_text(const std::vector<std::string>& defines) {
  std::string text;
  for (const std::string& define : defines) {
    const std::size_t equals = define.find('=');
    const std::string name = define.substr(0, equals);
    if (name.empty()) return fail(Fault::input, "--define " + define + ": expected NAME=VALUE");
    text += fmt::format("{} {} = {}", text.empty() ? " define" : ",", name,
                        equals == std::string::npos ? "1" : define_text(define.substr(equals + 1)));
  }
  return text;
}

/// "4MB:hash" is "4MB, hash".
std::string buffer_text(const std::string& value) {
  const std::size_t colon = value.find(':');
  std::string contents = colon == std::string::npos ? "" : value.substr(colon + 1);
  if (is_file_name(contents)) contents = gpx::quoted(contents);
  return value.substr(0, colon) + (contents.empty() ? "" : ", " + contents);
}

/// "a=4MB:hash" is "a = buffer(4MB, hash)".
Result<void> add_arguments(Asked& asked, const PredictRequest& request) {
  std::vector<std::pair<std::string, std::string>> parts;  // an option, an argument of the kernel
  for (const std::string& text : request.arguments) {
    const std::size_t equals = text.find('=');
    if (equals == std::string::npos || equals == 0)
      return fail(Fault::input, fmt::format("--arg {}: expected NAME=VALUE", text));
    if (const Result<void> whole = check_whole("--arg", text.substr(0, equals)); !whole)
      return tl::unexpected(whole.error());
    parts.emplace_back("--arg " + text, fmt::format("{} = {}", text.substr(0, equals),
                                                    argument_text(text.substr(equals + 1))));
  }
  for (const std::string& text : request.buffers) {
    const std::size_t equals = text.find('=');
    if (equals == std::string::npos || equals == 0)
      return fail(Fault::input, fmt::format("--buffer {}: expected NAME=SIZE[:CONTENTS]", text));
    if (const Result<void> whole = check_whole("--buffer", text.substr(0, equals)); !whole)
      return tl::unexpected(whole.error());
    parts.emplace_back("--buffer " + text, fmt::format("{} = buffer({})", text.substr(0, equals),
                                                       buffer_text(text.substr(equals + 1))));
  }
  for (const auto& [option, argument] : parts)
    asked.add(option, argument + (&argument == &parts.back().second ? "" : ","));
  return {};
}

/// `--grid 16x16`: the extents in one word.
Result<void> check_extents(const char* name, const std::vector<std::string>& extents) {
  if (extents.empty() || extents.size() > 3)
    return fail(Fault::input, "a grid and a block have one to three extents",
                "such as --grid 64,64");
  std::string commas = extents.front();
  const bool digits = commas.find_first_not_of("0123456789x") == commas.npos;
  std::ranges::replace(commas, 'x', ',');
  const bool joined = digits && commas != extents.front() && commas.front() != ',' &&
                      commas.back() != ',' && commas.find(",,") == commas.npos;
  if (!joined) return {};
  return fail(Fault::input,
              fmt::format("a comma stands between two extents, in '{} {}'", name, extents.front()),
              fmt::format("{} {}", name, commas));
}

/// The buffers of both kernels are compared one by one.
Result<void> add_reference_expects(Asked& asked, const PredictRequest& request) {
  if (request.reference.empty()) {
    if (request.within.empty()) return {};
    return fail(Fault::input, "--within is the tolerance of --reference, which is missing");
  }
  const std::string within = request.within.empty() ? "" : " within " + request.within;
  for (const std::string& text : request.buffers) {
    const std::string name = text.substr(0, text.find('='));
    asked.add("--reference " + request.reference,
              fmt::format("expect buffer(k.{0}) == buffer(reference.{0}){1}", name, within));
  }
  return {};
}

/// Lines of an experiment, each with the option that it is of.
class Writing {
 public:
  Writing(Asked& asked, const PredictRequest& request) : asked_(asked), request_(request) {}

  Result<void> kernel(const char* name, const std::string& file, const std::string& entry) {
    GPX_TRY(begin_kernel("--entry " + entry, name, file, entry));
    auto ok = add_arguments(asked_, request_);
    asked_.add("", ")");
    return ok;
  }

  Result<void> kernel(const std::string& name, const EarlierLaunch& of) {
    const std::string& file = of.file.empty() ? request_.file : of.file;
    GPX_TRY(begin_kernel("--after " + of.text, name, file, of.entry));
    for (std::size_t i = 0; i < of.values.size(); ++i)
      asked_.add("--after " + of.text, fmt::format("param_{} = {}{}", i, of.values[i],
                                                   i + 1 < of.values.size() ? "," : ""));
    asked_.add("", ")");
    return {};
  }

  void option(const char* name, const char* clause, const std::string& value) {
    if (!value.empty())
      asked_.add(fmt::format("{} {}", name, value), fmt::format("{} {}", clause, value));
  }

  void shape() {
    extents("--grid", "blocks", request_.grid);
    extents("--block", "threads", request_.block);
    option("--shared", "shared_bytes", request_.shared_bytes);
    option("--registers", "registers", request_.registers);
  }

  void measure(const std::string& name, const EarlierLaunch& of) {
    const std::string shared =
        of.shared_bytes.empty() ? "" : fmt::format(" shared_bytes {}", of.shared_bytes);
    asked_.add("--after " + of.text,
               fmt::format("measure {0} {{ blocks {1} threads {2}{3} < run {0} > }}", name,
                           extent(of.grid), extent(of.block), shared));
  }

 private:
  Result<void> begin_kernel(const std::string& option, const std::string& name,
                            const std::string& file, const std::string& entry) {
    const auto defines = GPX_TRY(defines_text(request_.defines));
    asked_.add(option, fmt::format("kernel {} from {}{} entry {}(", name, gpx::quoted(file),
                                   defines, entry));
    return {};
  }

  void extents(const char* name, const char* clause, const std::vector<std::string>& values) {
    asked_.add(fmt::format("{} {}", name, fmt::join(values, ",")),
               fmt::format("{} {}", clause, extent(values)));
  }

  Asked& asked_;
  const PredictRequest& request_;
};

/// "after1" is the first.
std::string name_of_earlier(std::size_t number) {
  return fmt::format("after{}", number + 1);
}

Result<void> add_reference(Writing& writing, const PredictRequest& request) {
  if (request.reference.empty()) return {};
  const std::size_t colon = request.reference.rfind(':');
  if (colon == std::string::npos || colon == 0 || colon + 1 == request.reference.size())
    return fail(Fault::input,
                fmt::format("--reference {}: expected FILE:ENTRY", request.reference));
  return writing.kernel("reference", request.reference.substr(0, colon),
                        request.reference.substr(colon + 1));
}

}  // namespace

std::string argument_text(const std::string& value) {
  if (value.size() == 3 && value.front() == '\'' && value.back() == '\'')
    return gpx::quoted(value.substr(1, 1));
  static const std::set<std::string> kLanguage = {"true", "false",   "inf",   "nan",
                                                  "null", "threads", "blocks"};
  const bool letter = !value.empty() &&
                      (std::isalpha(static_cast<unsigned char>(value[0])) != 0 || value[0] == '_');
  const bool word =
      letter && std::ranges::all_of(value, [](char c) {
        return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_' || c == ':';
      });
  return word && !kLanguage.contains(value) ? gpx::quoted(value) : value;
}

Result<std::vector<EarlierLaunch>> earlier_launches(const PredictRequest& request) {
  const bool runs = request.measure || !request.reference.empty() || !request.expects.empty() ||
                    !request.saved.empty();
  if (runs && !request.after.empty())
    return fail(Fault::input,
                "--after is part of a prediction: --measure, --reference, --expect and --save run "
                "the kernel alone");
  std::map<std::string, std::string> buffers;
  for (const std::string& text : request.buffers)
    if (const std::size_t equals = text.find('='); equals != std::string::npos)
      buffers[text.substr(0, equals)] = buffer_text(text.substr(equals + 1));
  std::vector<EarlierLaunch> made;
  for (const std::string& text : request.after) {
    auto launch = GPX_TRY(earlier_launch(text, buffers));
    for (const auto* extents : {&launch.grid, &launch.block})
      GPX_TRY(check_extents("--after", *extents));
    made.push_back(std::move(launch));
  }
  return made;
}

void Asked::add(std::string option, const std::string& line) {
  options_.push_back(std::move(option));
  text_ += line + '\n';
}

Source Asked::source() const {
  return Source(kAskedName, text_);
}

Error Asked::in_options(Error error) const {
  for (Diagnostic& diagnostic : error.diagnostics) {
    if (!diagnostic.location || diagnostic.location->file != kAskedName) continue;
    const auto line = static_cast<std::size_t>(diagnostic.location->line);
    diagnostic.location.reset();
    if (line >= 1 && line <= options_.size() && !options_[line - 1].empty())
      diagnostic.message = options_[line - 1] + ": " + diagnostic.message;
    if (diagnostic.message.find("unknown name") != std::string::npos)  // No option has clauses.
      diagnostic.hint = "a value is a number with its unit, such as 1024, 0.5 or 4MB";
  }
  return error;
}

Result<Asked> experiment_of(const PredictRequest& request, int repeat) {
  GPX_TRY(check_extents("--grid", request.grid));
  GPX_TRY(check_extents("--block", request.block));
  const auto earlier = GPX_TRY(earlier_launches(request));
  Asked asked("experiment predict {");
  Writing writing(asked, request);
  GPX_TRY(writing.kernel("k", request.file, request.entry));
  GPX_TRY(add_reference(writing, request));
  for (std::size_t i = 0; i < earlier.size(); ++i)
    GPX_TRY(writing.kernel(name_of_earlier(i), earlier[i]));
  asked.add("", fmt::format("repeat {}{}", repeat, repeat == 1 ? "; warmup 0" : ""));
  const bool several = !request.reference.empty() || !earlier.empty();
  if (several) asked.add("", "measure predicted {");
  writing.shape();
  asked.add("", several ? "< run k > }" : "< run k >");
  if (!request.reference.empty()) {
    asked.add("", "measure compared {");
    writing.shape();
    asked.add("", "< run reference > }");
  }
  for (std::size_t i = 0; i < earlier.size(); ++i) writing.measure(name_of_earlier(i), earlier[i]);
  for (const std::string& expect : request.expects)
    asked.add("--expect " + expect, "expect " + expect);
  GPX_TRY(add_reference_expects(asked, request));
  asked.add("", "}");
  return asked;
}

}  // namespace gpx
