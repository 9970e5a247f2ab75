// The frame of a page without figures: head, heading, body, footer.
// Covered by tests/report/operations_test.cpp and tests/fleet/atlas_test.cpp.
#pragma once

#include <string>

namespace gpx::report::html {

struct Frame {
  std::string title;   ///< A text: it is escaped.
  std::string policy;  ///< Of the page's content, after "default-src 'none'; ".
  std::string head;    ///< Markup: styles.
  std::string before;  ///< Markup above the heading.
  std::string lead;    ///< Markup beneath the heading.
  std::string body;    ///< Markup.
  std::string footer;  ///< Markup, after "Made by gpx VERSION.".
  std::string last;    ///< Markup before the end of the body: scripts.
};

std::string framed(const Frame& frame);

}  // namespace gpx::report::html
