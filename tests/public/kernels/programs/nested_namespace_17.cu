// gpx: --entry a::b::c::k --grid 1 --block 32 --buffer o=128B
#include <optional>
#include <variant>
#include <string_view>
namespace a::b::c {
namespace { inline int local() { return 7; } std::optional<int> parse(std::string_view s) { if (s.empty()) return std::nullopt; return 3; } }
inline namespace v1 { enum Kind : unsigned char { X, Y }; }
using Value = std::variant<int, float>;
__global__ void k(int *o) { o[threadIdx.x] = local() + Y; }
}
namespace abc = a::b::c;
int main() { if (auto v = abc::parse("x"); v) { auto [p, q] = std::pair{1, 2}; return *v + p + q; } }
