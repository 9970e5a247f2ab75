// The site of made boards.
#include <doctest/doctest.h>

#include <map>
#include <nlohmann/json.hpp>
#include <regex>

#include "made_boards.h"
#include "runtime/atlas/site.h"
#include "runtime/atlas/spread.h"

using namespace gpx;

namespace {

using Site = std::map<std::string, std::string>;

Site site_of(const fleet::Fleet& fleet, atlas::SiteSize* size = nullptr) {
  Site site;
  const auto likenesses = fleet::compare(fleet, {});
  const auto made =
      atlas::write_site(fleet, likenesses, [&](const std::string& path, const std::string& text) {
        CHECK_MESSAGE(site.emplace(path, text).second, path);
        return Result<void>();
      });
  REQUIRE(made);
  if (size) *size = *made;
  return site;
}

fleet::Fleet made_fleet(int boards, const std::string& first = "GPU-0") {
  static const test::BoardModel model(GPX_SOURCE_DIR);
  test::BoardMaker maker(model, 3);
  fleet::Gathering gathering;
  maker.add(gathering, first, 2, {test::Plant::walks, 0.3, "", ""});
  for (int board = 1; board < boards; ++board)
    maker.add(gathering, "GPU-" + std::to_string(board), 2, {});
  return gathering.take();
}

/// A path from a page's folder, from the root.
std::string resolved(const std::string& page, std::string to) {
  std::string folder = page.substr(0, page.rfind('/') + 1);
  while (to.starts_with("../")) {
    to = to.substr(3);
    folder = folder.substr(0, folder.rfind('/', folder.size() - 2) + 1);
  }
  return folder + to.substr(0, to.find('#'));
}

}  // namespace

TEST_CASE("every link of an atlas leads to a file of it, and nothing to a network") {
  const Site site = site_of(made_fleet(3));
  const std::regex address("(href|src)=\"([^\"]*)\"");
  std::size_t links = 0;
  for (const auto& [path, text] : site) {
    if (!path.ends_with(".html")) continue;
    for (std::sregex_iterator at(text.begin(), text.end(), address), end; at != end; ++at) {
      const std::string to = (*at)[2];
      if (to.starts_with("#")) continue;
      CHECK_MESSAGE(site.contains(resolved(path, to)), path << " leads to " << to);
      ++links;
    }
    CHECK(text.find("http") == text.find("http-equiv"));
    CHECK(text.size() <= atlas::kMostPageBytes);
  }
  CHECK(links > 1000);
}

TEST_CASE("a board's page shows what differs, and JSON and CSV stand beside it") {
  const Site site = site_of(made_fleet(3));
  const std::string& page = site.at("boards/GPU-0.html");
  CHECK(page.find("Likely cause: page walks.") != std::string::npos);
  CHECK(page.find("Memory hierarchy") != std::string::npos);
  CHECK(page.find("<svg") != std::string::npos);
  const auto json = nlohmann::json::parse(site.at("boards/GPU-0.json"));
  CHECK(json["serial"] == "GPU-0");
  CHECK(json["verdict"] == "differs from its peers");
  CHECK(json["findings"].size() > 700);
  const std::string& csv = site.at("boards/GPU-0.csv");
  CHECK(static_cast<std::size_t>(std::count(csv.begin(), csv.end(), '\n')) ==
        json["findings"].size() + 1);
  CHECK(site.at("boards/GPU-1.html").find("What differs from its peers") == std::string::npos);
}

TEST_CASE("a finding's page has all boards, those that differ first") {
  const Site site = site_of(made_fleet(4));
  const std::string& page = site.at("findings/tlb.tlb.miss.latency.html");
  CHECK(page.find("4 boards: median") != std::string::npos);
  CHECK(page.find("class=\"odd\"") != std::string::npos);
  CHECK(page.find("boards/GPU-0.html") < page.find("boards/GPU-1.html"));
  const auto json = nlohmann::json::parse(site.at("findings/tlb.tlb.miss.latency.json"));
  REQUIRE(json["boards"].size() == 4);
  CHECK(json["boards"][0]["serial"] == "GPU-0");
  CHECK(json["boards"][0]["compared"] == "slower");
}

TEST_CASE("what a store says makes no markup, no script and no path") {
  const std::string hostile = "../../<script>alert(1)</script>\"';";
  const Site site = site_of(made_fleet(2, hostile));
  for (const auto& [path, text] : site) {
    CHECK(path.find("..") == std::string::npos);
    if (path.ends_with(".html") || path.ends_with(".js"))
      CHECK_MESSAGE(text.find("<script>") == std::string::npos, path);
  }
  CHECK(site.contains("boards/script-alert-1-script.html"));
}

TEST_CASE("names of files are unique and plain") {
  atlas::FileNames names;
  CHECK(names.of("shared.conflict[stride=2]") == "shared.conflict-stride-2");
  CHECK(names.of("shared.conflict(stride=2)") == "shared.conflict-stride-2_2");
  CHECK(names.of("..") == "board");
  CHECK(names.of(std::string(300, 'x')) == std::string(100, 'x'));
  CHECK(names.of(std::string(301, 'x')) != std::string(100, 'x'));
}

TEST_CASE("many rows become several pages") {
  const std::vector<std::string> rows(10, std::string(100, 'x'));
  const auto pages = atlas::paged(rows, 300, "devices/", "k20");
  REQUIRE(pages.size() == 4);
  CHECK(pages[0].path == "devices/k20.html");
  CHECK(pages[3].path == "devices/k20-4.html");
  CHECK(pages[1].links.find("href=\"k20.html\"") != std::string::npos);
  CHECK(pages[1].links.find("href=\"k20-3.html\"") != std::string::npos);
}

TEST_CASE("a spread is of the numbers, words are counted") {
  atlas::Cell a, b, c;
  a.value = 1;
  b.value = 3;
  c.value = std::nan("");
  c.text = "LRU";
  const std::vector<const atlas::Cell*> cells = {&a, &b, &c};
  const atlas::Spread spread = atlas::spread_of(cells);
  CHECK(spread.count == 2);
  CHECK(spread.median == 2);
  CHECK(spread.sd == doctest::Approx(std::sqrt(2.0)));
  CHECK(atlas::words_of(cells).at("LRU") == 1);
}
