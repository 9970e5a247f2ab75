#include "runtime/store/each_result.h"

#include "lang/try.h"
#include "runtime/store/schema.h"

namespace gpx::store {
namespace {

constexpr const char* kResults =
    "SELECT r.number, r.id, r.status, r.started, r.ended, r.host, r.command, r.folder, r.device, "
    "r.seed, e.result, e.columns FROM run r JOIN experiment e ON e.run = r.number "
    "ORDER BY r.number, e.ordinal";

StoredResult result_of(const Statement& row) {
  return {row.integer(0),
          {row.text(1), row.text(2), row.text(3), row.text(4), row.text(5), row.text(6),
           row.text(7), row.text(8), static_cast<std::uint64_t>(row.integer(9))},
          row.text(10),
          row.text(11)};
}

}  // namespace

Result<void> each_result(const std::string& path, const VisitResult& visit) {
  const auto database = GPX_TRY(open_store(path, false));
  auto select = GPX_TRY(database.prepare(kResults));
  auto row = select.step();
  for (; row && *row; row = select.step()) GPX_TRY(visit(result_of(select)));
  if (!row) return tl::unexpected(row.error());
  return {};
}

}  // namespace gpx::store
