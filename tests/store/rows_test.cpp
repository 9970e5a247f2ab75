#include "runtime/store/rows.h"

#include <limits>

#include "runtime/measure/columns.h"
#include "runtime/store/place.h"
#include "support.h"

using namespace gpx;
using namespace gpx::store;
using gpx::cli::contains;
using gpx::cli::TemporaryFolder;

namespace {

Samples made() {
  using Role = Column::Role;
  constexpr double nan = std::numeric_limits<double>::quiet_NaN();
  Samples samples;
  samples.columns = {{"size", Unit::byte, Role::axis, false, {16384, 32768, 65536}, {}},
                     {"op", Unit::none, Role::axis, true, {}, {"add", "", "a \"text\"\n, of\ttwo"}},
                     {"latency", Unit::clock, Role::observed, false, {0.1, nan, 1e300}, {}}};
  return samples;
}

Samples without_rows(Samples samples) {
  for (Column& column : samples.columns) {
    column.numbers.clear();
    column.texts.clear();
  }
  return samples;
}

}  // namespace

TEST_CASE("rows in pieces are the rows, to the last bit") {
  const Samples samples = made();
  Samples read = without_rows(samples);
  Samples first = samples;
  for (Column& column : first.columns) {
    if (column.is_text) column.texts.resize(1);
    if (!column.is_text) column.numbers.resize(1);
  }
  CHECK(unpack_rows(read, pack_rows(first, 0)).has_value());
  CHECK(unpack_rows(read, pack_rows(samples, 1)).has_value());
  CHECK(unpack_rows(read, pack_rows(samples, 3)).has_value());
  CHECK(to_csv(read) == to_csv(samples));
  CHECK(read.columns[1].texts == samples.columns[1].texts);
}

TEST_CASE("bytes that are no rows of these columns leave the table as it was") {
  const std::vector<std::uint8_t> good = pack_rows(made(), 0);
  Samples fewer = without_rows(made());
  fewer.columns.pop_back();
  CHECK_FALSE(unpack_rows(fewer, good).has_value());
  for (std::size_t size = 0; size < good.size(); ++size) {
    Samples samples = without_rows(made());
    CHECK_FALSE(unpack_rows(samples, std::span(good).first(size)).has_value());
    CHECK(samples.rows() == 0);
  }
  for (std::size_t at = 0; at < good.size(); ++at) {
    std::vector<std::uint8_t> bad = good;
    bad[at] ^= 0x11;
    Samples samples = without_rows(made());
    const bool read = unpack_rows(samples, bad).has_value();
    CHECK((!read || to_csv(samples) == to_csv(made())));
  }
}

TEST_CASE("columns read back as they were written") {
  const Samples samples = made();
  const std::string text = columns_text(samples);
  CHECK(text == "size\tB\taxis\tnumber\nop\t\taxis\ttext\nlatency\tclocks\tobserved\tnumber\n");
  CHECK(columns_text(columns_from(text).value()) == text);
  for (const char* wrong : {"size", "size\tB\taxis\n", "size\tfoot\taxis\tnumber\n",
                            "size\tB\tking\tnumber\n", "size\tB\taxis\tpicture\n", "\n"})
    CHECK_MESSAGE(!columns_from(wrong).has_value(), std::string(wrong));
}

TEST_CASE("the store lies where the user says, then here, then at home") {
  const auto set = [](const char* name, const char* to) {
    to ? ::setenv(name, to, 1) : ::unsetenv(name);
  };
  const TemporaryFolder folder;
  const auto before = std::filesystem::current_path();
  std::filesystem::current_path(folder.path("."));
  set("GPX_STORE", "/some/where.db");
  CHECK(find_place("mine.db").path == "mine.db");
  CHECK(find_place("").path == "/some/where.db");
  CHECK(find_place("").named);
  set("GPX_STORE", nullptr);
  set("XDG_DATA_HOME", "/data");
  CHECK(find_place("").path == "/data/gpx/gpx.db");
  CHECK_FALSE(find_place("").named);
  set("XDG_DATA_HOME", "relative");
  set("HOME", "/home/me");
  CHECK(find_place("").path == "/home/me/.local/share/gpx/gpx.db");
  folder.write("gpx.db", "");
  CHECK(find_place("").path == "/home/me/.local/share/gpx/gpx.db");
  std::filesystem::remove("gpx.db");
  set("HOME", "");
  CHECK(find_place("").path == "");
  set("XDG_DATA_HOME", nullptr);
  set("GPX_STORE", "");
  CHECK(find_place("").path == "");
  set("GPX_STORE", "off");
  CHECK(find_place("").path == "");
  std::filesystem::current_path(before);
}
