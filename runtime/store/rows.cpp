#include "runtime/store/rows.h"

#include "codegen/confined/wire.h"
#include "codegen/files/packed.h"
#include "lang/assert.h"

namespace gpx::store {
namespace {

constexpr unsigned long long kMostBytes = 1ull << 32;

template <typename T>
std::vector<T> tail(const std::vector<T>& all, std::size_t first) {
  return {all.begin() + static_cast<std::ptrdiff_t>(first), all.end()};
}

template <typename T>
void append(std::vector<T>& all, std::vector<T>& more) {
  all.insert(all.end(), std::make_move_iterator(more.begin()), std::make_move_iterator(more.end()));
}

tl::unexpected<Error> damaged() {
  return fail(Fault::device, "stored samples cannot be read: the store is damaged");
}

}  // namespace

std::vector<std::uint8_t> pack_rows(const Samples& samples, std::size_t first) {
  wire::Writer writer;
  for (const Column& column : samples.columns) {
    // All columns have a cell for each row: unpack_rows() takes other lengths for damage.
    GPX_ASSERT((column.is_text ? column.texts.size() : column.numbers.size()) == samples.rows(),
               "column %s", column.name.c_str());
    GPX_ASSERT(first <= samples.rows());
    if (column.is_text)
      writer(tail(column.texts, first));
    else
      writer(tail(column.numbers, first));
  }
  return pack(writer.take());
}

Result<void> unpack_rows(Samples& samples, std::span<const std::uint8_t> packed) {
  const auto bytes = unpack(packed, kMostBytes);
  if (!bytes) return damaged();
  wire::Reader reader(*bytes);
  Samples more;
  for (const Column& column : samples.columns) {
    Column& read = more.columns.emplace_back(
        Column{column.name, column.unit, column.role, column.is_text, {}, {}});
    if (column.is_text)
      reader(read.texts);
    else
      reader(read.numbers);
    const std::size_t rows = column.is_text ? read.texts.size() : read.numbers.size();
    if (rows != more.rows()) return damaged();
  }
  if (!reader.complete()) return damaged();
  for (std::size_t c = 0; c < samples.columns.size(); ++c) {
    append(samples.columns[c].texts, more.columns[c].texts);
    append(samples.columns[c].numbers, more.columns[c].numbers);
  }
  return {};
}

}  // namespace gpx::store
