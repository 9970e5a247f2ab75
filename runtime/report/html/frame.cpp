#include "runtime/report/html/frame.h"

#include <fmt/format.h>

#include "runtime/report/html/text.h"

namespace gpx::report::html {

std::string framed(const Frame& frame) {
  return fmt::format(
      "<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
      "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
      "<meta name=\"color-scheme\" content=\"light dark\">\n"
      "<meta name=\"generator\" content=\"gpx {0}\">\n"
      "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; {2}\">\n"
      "<title>{1}</title>\n{3}</head>\n<body>\n{4}<header>\n<h1>{1}</h1>\n{8}</header>\n"
      "<main id=\"main\">\n{5}</main>\n"
      "<footer><p>Made by gpx {0}.{6}</p></footer>\n{7}</body>\n</html>\n",
      GPX_VERSION, escape(frame.title), frame.policy, frame.head, frame.before, frame.body,
      frame.footer, frame.last, frame.lead);
}

}  // namespace gpx::report::html
