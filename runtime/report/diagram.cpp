// Interface: diagram.h.
#include "runtime/report/diagram.h"

#include <fmt/format.h>

#include <array>

#include "runtime/report/gnuplot.h"
#include "runtime/report/html/text.h"
#include "runtime/report/style.h"
#include "runtime/report/svg.h"
#include "runtime/report/tikz.h"

namespace gpx::report {
namespace {

struct InkRow {
  std::string_view colour;    ///< On white.
  std::string_view variable;  ///< Of report.css, for light and dark.
};
constexpr std::array<InkRow, 6> kInks = {{{"#1b1f24", "--text"},
                                          {"#57606a", "--quiet"},
                                          {"#d0d7de", "--line"},
                                          {"#f6f8fa", "--panel"},
                                          {"#0868ac", "--c0"},
                                          {"#a40e26", "--poor"}}};

const InkRow& row_of(Ink ink) {
  return kInks[static_cast<std::size_t>(ink)];
}

constexpr double kMeanLetter = 0.53;  ///< Of the size: Helvetica, lower case and digits.

std::string svg_line(const Diagram::Line& line, const std::string& colour) {
  return fmt::format("<path d=\"M{} {}L{} {}\" style=\"stroke:{};stroke-width:{}\"/>\n",
                     svg_number(line.x1), svg_number(line.y1), svg_number(line.x2),
                     svg_number(line.y2), colour, svg_number(line.thick));
}

std::string svg_elements(const Diagram& diagram, bool page) {
  const auto colour = [&](Ink ink) {
    const InkRow& row = row_of(ink);
    return page ? fmt::format("var({})", row.variable) : std::string(row.colour);
  };
  std::string out;
  for (const Diagram::Line& line : diagram.grid) out += svg_line(line, colour(line.ink));
  for (const Diagram::Box& box : diagram.boxes)
    out += fmt::format(
        "<rect x=\"{}\" y=\"{}\" width=\"{}\" height=\"{}\" style=\"fill:{};stroke:{}\"{}/>\n",
        svg_number(box.x), svg_number(box.y), svg_number(box.width), svg_number(box.height),
        box.open ? "none" : colour(box.ink), colour(box.open ? box.ink : Ink::quiet),
        box.open ? " stroke-dasharray=\"4 3\"" : "");
  for (const Diagram::Line& line : diagram.lines) out += svg_line(line, colour(line.ink));
  for (const Diagram::Words& words : diagram.words)
    out += fmt::format("<text x=\"{}\" y=\"{}\" font-size=\"{}\" style=\"fill:{}\"{}{}>{}</text>\n",
                       svg_number(words.x), svg_number(words.y), svg_number(words.size),
                       colour(words.ink), words.bold ? " font-weight=\"700\"" : "",
                       words.centred ? " text-anchor=\"middle\"" : "", html::escape(words.text));
  return out;
}

std::string svg_head(const Diagram& diagram, std::string_view more) {
  return fmt::format(
      "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {0} {1}\" {2} role=\"img\" "
      "aria-label=\"{3}\" font-family=\"Helvetica,Arial,sans-serif\">\n",
      svg_number(diagram.width), svg_number(diagram.height), more, html::escape(diagram.title));
}

/// A line of text of an A4 page.
constexpr double kTikzWidth = 16.5;  // cm
constexpr double kPointsOfCentimetre = 72.27 / 2.54;

std::string tikz_ink(Ink ink) {
  return tikz_colour(row_of(ink).colour);
}

std::string gnuplot_terminal(const Diagram& diagram, PictureFormat format) {
  const std::string font = "noenhanced font 'Helvetica,{}' background '#ffffff'";
  if (format == PictureFormat::png)  // Twice the pixels: a picture for print.
    return fmt::format(fmt::runtime("pngcairo size {},{} fontscale 1 " + font),
                       svg_number(2 * diagram.width), svg_number(2 * diagram.height), 11);
  if (format == PictureFormat::pdf)
    return fmt::format(fmt::runtime("pdfcairo size {:.2f}cm,{:.2f}cm " + font), kTikzWidth,
                       kTikzWidth * diagram.height / diagram.width, 5);
  return fmt::format(fmt::runtime("svg size {},{} dynamic " + font), svg_number(diagram.width),
                     svg_number(diagram.height), 11);
}

/// Points of a text that is `size` pixels high in the diagram.
double gnuplot_points(const Diagram& diagram, PictureFormat format, double size) {
  if (format == PictureFormat::png) return 2 * size * 0.75;  // 96 pixels are 72 points.
  if (format == PictureFormat::pdf) return size * kPointsOfCentimetre * kTikzWidth / diagram.width;
  return size;
}

}  // namespace

double text_width(std::string_view text, double size) {
  return kMeanLetter * size * display_width(text);
}

std::string to_svg(const Diagram& diagram) {
  const std::string size = fmt::format("width=\"{}\" height=\"{}\"", svg_number(diagram.width),
                                       svg_number(diagram.height));
  return svg_head(diagram, size) +
         fmt::format("<rect width=\"{}\" height=\"{}\" fill=\"#ffffff\"/>\n",
                     svg_number(diagram.width), svg_number(diagram.height)) +
         svg_elements(diagram, false) + "</svg>\n";
}

std::string to_page_svg(const Diagram& diagram) {
  return svg_head(diagram, fmt::format("style=\"width:100%;min-width:760px;max-width:{}px\"",
                                       svg_number(diagram.width))) +
         svg_elements(diagram, true) + "</svg>\n";
}

std::string to_tikz(const Diagram& diagram) {
  const double unit = kTikzWidth / diagram.width;  // cm of a pixel
  const double points = unit * kPointsOfCentimetre;
  const auto line_of = [&](const Diagram::Line& line) {
    return fmt::format("\\draw[draw={}, line width={:.2f}pt] ({},{}) -- ({},{});\n",
                       tikz_ink(line.ink), line.thick * points, svg_number(line.x1),
                       svg_number(line.y1), svg_number(line.x2), svg_number(line.y2));
  };
  std::string out = fmt::format(
      "% \\usepackage{{tikz}}\n\\begin{{tikzpicture}}[x={0:.5f}cm, y=-{0:.5f}cm]\n", unit);
  for (const Diagram::Line& line : diagram.grid) out += line_of(line);
  for (const Diagram::Box& box : diagram.boxes)
    out += fmt::format(
        "\\draw[{}] ({},{}) rectangle ({},{});\n",
        box.open ? "dashed, draw=" + tikz_ink(box.ink)
                 : fmt::format("fill={}, draw={}", tikz_ink(box.ink), tikz_ink(Ink::quiet)),
        svg_number(box.x), svg_number(box.y), svg_number(box.x + box.width),
        svg_number(box.y + box.height));
  for (const Diagram::Line& line : diagram.lines) out += line_of(line);
  for (const Diagram::Words& words : diagram.words)
    out += fmt::format(
        "\\node[anchor={}, inner sep=0, text={}, font=\\fontsize{{{:.2f}}}{{{:.2f}}}\\selectfont"
        "{}] at ({},{}) {{{}}};\n",
        words.centred ? "base" : "base west", tikz_ink(words.ink), words.size * points,
        1.2 * words.size * points, words.bold ? "\\bfseries" : "", svg_number(words.x),
        svg_number(words.y), latex_escaped(words.text));
  return out + "\\end{tikzpicture}\n";
}

std::string to_gnuplot(const Diagram& diagram, PictureFormat format) {
  const auto line_of = [](const Diagram::Line& line, std::string_view layer) {
    return fmt::format("set arrow from {},{} to {},{} nohead {} linecolor '{}' linewidth {}\n",
                       svg_number(line.x1), svg_number(line.y1), svg_number(line.x2),
                       svg_number(line.y2), layer, row_of(line.ink).colour, svg_number(line.thick));
  };
  std::string out = fmt::format(
      "set encoding utf8\nset terminal {}\nunset border\nunset tics\nunset key\n"
      "set lmargin 0\nset rmargin 0\nset tmargin 0\nset bmargin 0\n"
      "set xrange [0:{}]\nset yrange [{}:0]\n",
      gnuplot_terminal(diagram, format), svg_number(diagram.width), svg_number(diagram.height));
  for (const Diagram::Line& line : diagram.grid) out += line_of(line, "back");
  for (const Diagram::Box& box : diagram.boxes)
    out += fmt::format(
        "set object rectangle from {},{} to {},{} front fillcolor '{}' fillstyle {} border "
        "linecolor '{}'{}\n",
        svg_number(box.x), svg_number(box.y), svg_number(box.x + box.width),
        svg_number(box.y + box.height), row_of(box.ink).colour, box.open ? "empty" : "solid",
        row_of(box.open ? box.ink : Ink::quiet).colour, box.open ? " dashtype 2" : "");
  for (const Diagram::Line& line : diagram.lines) out += line_of(line, "front");
  for (const Diagram::Words& words : diagram.words)
    out += fmt::format("set label {} at {},{} {} front font '{},{:.1f}' textcolor '{}'\n",
                       gnuplot_quoted(words.text), svg_number(words.x),
                       svg_number(words.y - words.size / 3), words.centred ? "center" : "left",
                       words.bold ? "Helvetica Bold" : "Helvetica",
                       gnuplot_points(diagram, format, words.size), row_of(words.ink).colour);
  return out + "plot NaN\n";
}

}  // namespace gpx::report
