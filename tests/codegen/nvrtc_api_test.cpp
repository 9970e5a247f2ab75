// codegen/compile/nvrtc_api.h against the toolkit's own header, where there is one.
#include "codegen/compile/nvrtc_api.h"

#include <doctest/doctest.h>

#if __has_include(<nvrtc.h>)
#include <nvrtc.h>

#include <type_traits>

namespace {

/// The result and the arguments of a function, with the names that are declared twice made one.
template <typename T>
struct Plain {
  using type = T;
};
template <>
struct Plain<::nvrtcResult> {
  using type = gpx::codegen::nvrtcResult;
};
template <>
struct Plain<::nvrtcProgram> {
  using type = gpx::codegen::nvrtcProgram;
};
template <>
struct Plain<::nvrtcProgram*> {
  using type = gpx::codegen::nvrtcProgram*;
};
template <typename Result, typename... Arguments>
auto plain(Result (*)(Arguments...)) ->
    typename Plain<Result>::type (*)(typename Plain<Arguments>::type...);

static_assert(sizeof(::nvrtcResult) == sizeof(gpx::codegen::nvrtcResult));
#define GPX_SAME(field, result, symbol, ...) \
  static_assert(std::is_same_v<result (*)(__VA_ARGS__), decltype(plain(&::symbol))>, #symbol);
namespace ours {
using gpx::codegen::nvrtcProgram;
using gpx::codegen::nvrtcResult;
GPX_NVRTC_FUNCTIONS(GPX_SAME)
}  // namespace ours

TEST_CASE("NVRTC's functions are declared as its header declares them") {
  CHECK(static_cast<int>(gpx::codegen::NVRTC_SUCCESS) == ::NVRTC_SUCCESS);
  CHECK(static_cast<int>(gpx::codegen::NVRTC_ERROR_COMPILATION) == ::NVRTC_ERROR_COMPILATION);
}

}  // namespace
#else
TEST_CASE("NVRTC's functions are declared as its header declares them") {
  MESSAGE("left out: it needs NVRTC");
}
#endif
