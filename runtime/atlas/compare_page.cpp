// Any two boards side by side: the page's script reads the data of both. Interface: pages.h.
#include <fmt/format.h>

#include "runtime/atlas/pages.h"
#include "runtime/report/html/text.h"

namespace gpx::atlas {
namespace {

constexpr const char* kForm = R"(<noscript><p class="note">This page needs JavaScript. The page of
each board does not.</p></noscript>
<form id="choice" class="tools">
<p><label for="first">First board</label>
<input id="first" list="boards" autocomplete="off" spellcheck="false"></p>
<p><label for="second">Second board</label>
<input id="second" list="boards" autocomplete="off" spellcheck="false"></p>
<p><label><input id="different" type="checkbox"> only what differs by more than 1 %</label></p>
<datalist id="boards"></datalist>
</form>
<p id="status" role="status"></p>
<div id="result"></div>
)";

}  // namespace

std::vector<File> compare_files(const Atlas& atlas) {
  SitePage page;
  page.title = "Two boards side by side";
  page.crumbs = {{"Atlas", "index.html"}, {page.title, "compare.html"}};
  page.body = kForm;
  page.script = "atlas.js";
  std::string list = "gpxBoards([";
  for (std::size_t board = 0; board < atlas.fleet->boards.size(); ++board)
    list += fmt::format("{}\n[{},{},{}]", board ? "," : "",
                        report::html::json_text(atlas.board_files[board]),
                        report::html::json_text(atlas.board(board).serial),
                        report::html::json_text(atlas.board(board).device));
  return {{"compare.html", page_text(page)}, {"boards.js", list + "]);\n"}};
}

}  // namespace gpx::atlas
