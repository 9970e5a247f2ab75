#include "runtime/cli/output/picture_file.h"

#include <fmt/format.h>

#include "lang/try.h"
#include "runtime/cli/output/files.h"
#include "runtime/cli/output/filter.h"
#include "runtime/report/gnuplot.h"
#include "runtime/report/svg.h"
#include "runtime/report/tikz.h"

namespace gpx::cli {
namespace {

/// A picture, or a diagram.
template <typename Drawn>
Result<std::string> drawn_as(const Drawn& picture, report::PictureFormat format) {
  switch (format) {
    case report::PictureFormat::svg: return report::to_svg(picture);
    case report::PictureFormat::tikz: return report::to_tikz(picture);
    case report::PictureFormat::gnuplot: return report::to_gnuplot(picture, format);
    case report::PictureFormat::png:
    case report::PictureFormat::pdf: break;
  }
  return filter("gnuplot", "gnuplot-nox", report::to_gnuplot(picture, format));
}

}  // namespace

Result<std::string> draw_picture(const report::Picture& picture, report::PictureFormat format) {
  return drawn_as(picture, format);
}

Result<std::string> draw_picture(const report::Diagram& diagram, report::PictureFormat format) {
  return drawn_as(diagram, format);
}

Result<report::PictureFormat> format_of_file(const std::string& path) {
  if (const auto format = report::picture_format(path)) return *format;
  return fail(Fault::input, fmt::format("'{}' has no ending of a picture format", path),
              report::kPictureEndings);
}

Result<void> write_picture(const std::string& path, const report::Picture& picture) {
  const auto format = GPX_TRY(format_of_file(path));
  const auto text = GPX_TRY(draw_picture(picture, format));
  return write_file(path, text);
}

}  // namespace gpx::cli
