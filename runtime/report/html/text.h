// Text made safe for a page: nothing that an experiment or a document says can become markup.
// Covered by tests/report/html_test.cpp.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace gpx::report::html {

/// For text and attribute values: & < > " ' escaped, control characters replaced, lines kept.
std::string escape(std::string_view text);

/// A JSON string with its quotes, fit to stand in a <script>: no '<' in it.
std::string json_text(std::string_view text);

/// A JSON number to six significant digits, whole numbers whole; null where it is not finite.
std::string json_number(double value);

/// "<td class="c">escaped</td>"; the class is left out where it is empty.
std::string element(std::string_view tag, std::string_view css, std::string_view text);

/// "<thead><tr><th scope="col">escaped</th>...</tr></thead>"
std::string table_head(const std::vector<std::string>& names);

/// A table that scrolls by itself on a narrow page and can be reached by keyboard.
std::string scrolling(std::string_view label, const std::string& table);

/// A closed <details>.
std::string folded(std::string_view summary, const std::string& content);

}  // namespace gpx::report::html
