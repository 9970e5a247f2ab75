// CLocale: while it lives this thread reads and writes numbers with a point, whatever locale the
// program around gpx has set. strtod, printf and Lua ask the thread's locale, and "0.5" is no
// number where a comma stands between digits. Covered by tests/embed/embed_test.cpp.
#pragma once

#include <clocale>

namespace gpx {

class CLocale {
 public:
  CLocale() : before_(::uselocale(plain())) {}
  ~CLocale() { ::uselocale(before_); }
  CLocale(const CLocale&) = delete;
  CLocale& operator=(const CLocale&) = delete;

 private:
  /// Made once, never freed: a thread may use it until the end.
  static locale_t plain() {
    static const locale_t locale = ::newlocale(LC_ALL_MASK, "C", nullptr);
    return locale;
  }
  locale_t before_;
};

}  // namespace gpx
