// Any text as a document for gpx report and gpx plot: an error, or pages and pictures in which no
// text of the document is markup, moves a cursor or turns text around.
#include <algorithm>

#include "runtime/report/gnuplot.h"
#include "runtime/report/html.h"
#include "runtime/report/svg.h"
#include "runtime/report/tikz.h"
#include "targets.h"

namespace gpx::fuzz {
namespace {

constexpr std::size_t kMostCurves = 24;

/// What a terminal acts on: a control character, or a mark that turns text around.
bool acts(const std::string& text) {
  bool control = false;  // All of them are looked at: a compiler takes many at once.
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    control |= (byte < 0x20 && c != '\n' && c != '\t') || byte == 0x7f;
  }
  return control || text.find("\u202e") != std::string::npos ||
         text.find("\u009b") != std::string::npos;
}

/// The page or picture as it is; "<fuzz" is in the dictionary, and no element of gpx.
std::string check(const char* what, const std::string& text) {
  if (text.empty()) return std::string(what) + ": nothing";
  if (acts(text)) return std::string(what) + " has what a terminal acts on";
  if (text.find("<fuzz") != std::string::npos)
    return std::string(what) + " takes a text for markup";
  return "";
}

/// Where "<" is a character as any other, but would make a file's name a command: in quotes it is
/// text.
std::string check_script(const std::string& text) {
  if (acts(text)) return "gnuplot has what a terminal acts on";
  for (std::size_t at = text.find("<fuzz"); at != text.npos; at = text.find("<fuzz", at + 1)) {
    const std::size_t line = text.rfind('\n', at) + 1;
    if (std::count(text.begin() + static_cast<std::ptrdiff_t>(line),
                   text.begin() + static_cast<std::ptrdiff_t>(at), '\'') %
            2 ==
        0)
      return "gnuplot has a text outside quotes";
  }
  return "";
}

std::string check_pictures(const std::vector<report::Run>& runs) {
  for (const report::Group& group : report::overlay(runs, kMostCurves))
    for (const report::OverlaidFigure& figure : group.figures) {
      const report::Picture picture = report::picture_of(group, figure);
      std::string wrong = check("an SVG", report::to_svg(picture));
      if (wrong.empty()) wrong = check("TikZ", report::to_tikz(picture));
      if (wrong.empty())
        wrong = check_script(report::to_gnuplot(picture, report::PictureFormat::gnuplot));
      if (!wrong.empty()) return wrong;
    }
  return "";
}

}  // namespace

std::string report(const std::string& input) {
  auto document = report::read_document(input, "input");
  if (!document) return document.error().diagnostics.empty() ? "an error without a diagnostic" : "";
  taken = true;
  const std::string text = report::to_terminal(document->result, {{false, true, 100}, true, true});
  if (acts(text)) return "the report has what a terminal acts on";
  const std::vector<report::Run> two = {{"first", *document}, {"second", *document}};
  const std::vector<report::Run> one = {two.front()};
  for (const auto& runs : {one, two}) {
    if (std::string wrong = check("a page", report::to_html(runs)); !wrong.empty()) return wrong;
    if (std::string wrong = check_pictures(runs); !wrong.empty()) return wrong;
  }
  return "";
}

}  // namespace gpx::fuzz
