// The memory hierarchy of characterizations: drawn where there is room, a list on a narrow screen.
// Interface: sections.h.

#include "runtime/report/hierarchy.h"
#include "runtime/report/html/sections.h"
#include "runtime/report/html/text.h"

namespace gpx::report::html {
namespace {

std::string level_item(const MemoryLevel& level) {
  std::string facts;
  for (const std::string& fact : level.facts) facts += (facts.empty() ? ": " : " · ") + fact;
  return "<li>" + element("strong", "", level.name) + escape(facts) + "</li>";
}

std::string hierarchy_list(const report::Hierarchy& device) {
  std::string out = element("h3", "", device.device);
  if (!device.facts.empty()) {
    MemoryLevel sm;
    sm.name = "SM";
    sm.facts = device.facts;
    out += "<ul class=\"levels\">" + level_item(sm) + "</ul>";
  }
  for (const MemoryPath& path : device.paths) {
    out += element("h4", "", path.name) + "<ol class=\"levels\">";
    for (const MemoryLevel& level : path.levels) out += level_item(level);
    out += "</ol>\n";
  }
  return out;
}

}  // namespace

std::string memory_hierarchy(const std::vector<Run>& runs) {
  const std::vector<report::Hierarchy> hierarchies = hierarchies_of(runs);
  if (hierarchies.empty()) return {};
  const Diagram diagram = draw(hierarchies);
  std::string lists;
  for (const report::Hierarchy& hierarchy : hierarchies) lists += hierarchy_list(hierarchy);
  return "<section id=\"memory\" aria-labelledby=\"memory-title\">\n"
         "<h2 id=\"memory-title\">Memory hierarchy</h2>\n<div class=\"wide\">" +
         scrolling(diagram.title, to_page_svg(diagram)) + "</div>\n<div class=\"narrow\">" + lists +
         "</div></section>\n";
}

}  // namespace gpx::report::html
