#include "runtime/atlas/site.h"

#include <algorithm>

#include "lang/try.h"
#include "runtime/atlas/assets.h"
#include "runtime/atlas/pages.h"
#include "runtime/report/html/assets.h"

namespace gpx::atlas {
namespace {

namespace report_assets = report::html::assets;

std::vector<File> asset_files(const Atlas& atlas) {
  const bool maps = std::ranges::any_of(
      atlas.fleet->boards, [](const fleet::Board& board) { return !board.maps.empty(); });
  std::vector<File> files = {{"report.css", std::string(report_assets::css)},
                             {"atlas.css", std::string(assets::css)},
                             {"atlas.js", std::string(assets::js)}};
  if (!maps) return files;
  files.push_back({"uplot.css", std::string(report_assets::uplot_css)});
  files.push_back({"report.js", std::string(report_assets::js)});
  files.push_back({"uplot.js", "/* uPlot\n" + std::string(report_assets::uplot_license) + "*/\n" +
                                   std::string(report_assets::uplot_js)});
  return files;
}

/// Hands files on and counts them.
class Counted {
 public:
  explicit Counted(const WriteFile& write) : write_(write) {}

  Result<void> take(const std::vector<File>& files) {
    for (const File& file : files) {
      GPX_TRY(write_(file.path, file.text));
      ++size_.files;
      size_.bytes += file.text.size();
      if (file.path.ends_with(".html"))
        size_.largest_page = std::max(size_.largest_page, file.text.size());
    }
    return {};
  }
  const SiteSize& size() const { return size_; }

 private:
  const WriteFile& write_;
  SiteSize size_;
};

}  // namespace

Result<SiteSize> write_site(const fleet::Fleet& fleet,
                            const std::vector<fleet::Likeness>& likenesses,
                            const WriteFile& write) {
  const Atlas atlas = atlas_of(fleet, likenesses);
  Counted out(write);
  for (const auto& files : {asset_files(atlas), index_files(atlas), compare_files(atlas)})
    GPX_TRY(out.take(files));
  for (std::size_t device = 0; device < atlas.devices.size(); ++device)
    GPX_TRY(out.take(device_files(atlas, device)));
  for (std::size_t finding = 0; finding < fleet.findings.size(); ++finding)
    GPX_TRY(out.take(finding_files(atlas, finding)));
  for (std::size_t board = 0; board < fleet.boards.size(); ++board) {
    const auto files = GPX_TRY(board_files(atlas, board));
    GPX_TRY(out.take(files));
  }
  return out.size();
}

}  // namespace gpx::atlas
