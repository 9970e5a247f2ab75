// The rows of the papers, as tests/docs/catalogue.txt lists them. Covered by
// tests/docs/papers_test.cpp.
#pragma once

#include <sstream>
#include <string>
#include <vector>

namespace gpx::docs {

struct CatalogueRow {
  std::string id, what, paper;
  std::string command;  ///< Empty: that of the experiments that cite the row.
};

struct Work {
  std::string name, title;  ///< "wong2010"
  std::vector<CatalogueRow> rows;
};

inline std::vector<std::string> fields_of(const std::string& line) {
  std::vector<std::string> fields;
  for (std::size_t from = 0;;) {
    const std::size_t to = line.find(" | ", from);
    fields.push_back(line.substr(from, to - from));
    if (to == std::string::npos) return fields;
    from = to + 3;
  }
}

inline std::vector<Work> parse_catalogue(const std::string& text) {
  std::vector<Work> works;
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) {
    if (line.empty() || line[0] == '#') continue;
    auto fields = fields_of(line);
    if (fields.size() == 1) {
      const std::size_t space = line.find(' ');
      works.push_back({line.substr(0, space), line.substr(space + 1), {}});
      continue;
    }
    fields.resize(4);
    works.back().rows.push_back({fields[0], fields[1], fields[2], fields[3]});
  }
  return works;
}

}  // namespace gpx::docs
