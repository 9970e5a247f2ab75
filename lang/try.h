// GPX_TRY: the value of a Result; where it is an error, the function that stands around returns it.
//
//   const auto place = GPX_TRY(find_nvrtc());
//
// Statement expressions are an extension that g++ and clang++ have. Covered by
// tests/lang/try_test.cpp.
#pragma once

#include <tl/expected.hpp>
#include <type_traits>
#include <utility>

namespace gpx {

template <class T, class E>
T taken_value(tl::expected<T, E>&& result) {
  if constexpr (!std::is_void_v<T>) return *std::move(result);
}

}  // namespace gpx

#define GPX_TRY(...)                                                       \
  ({                                                                       \
    auto gpx_result = (__VA_ARGS__);                                       \
    if (!gpx_result) return tl::unexpected(std::move(gpx_result.error())); \
    ::gpx::taken_value(std::move(gpx_result));                             \
  })
