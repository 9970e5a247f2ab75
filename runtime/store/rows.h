// Rows of samples as bytes: column by column, compressed by zstd.
// Covered by tests/store/rows_test.cpp.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "lang/diagnostic.h"
#include "runtime/measure/samples.h"

namespace gpx::store {

/// The rows from `first` on.
std::vector<std::uint8_t> pack_rows(const Samples& samples, std::size_t first);

/// Appends packed rows to a table with the same columns. An error: they are not such rows; the
/// table is then as before.
Result<void> unpack_rows(Samples& samples, std::span<const std::uint8_t> packed);

}  // namespace gpx::store
