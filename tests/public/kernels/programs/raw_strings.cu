// gpx: --entry k --grid 1 --block 32 --buffer o=128B
#include <string>
static const std::string usage = R"(usage: app { [--x] "quoted" }
  // not a comment { { {
)";
static const char *json = R"json({"a": [1, 2)", "}"]})json";
static const int big = 1'000'000; char quote = '"', brace = '{', back = '\\';
__global__ void k(int *o) { o[threadIdx.x] = 1'000 + '{'; }
int main(int argc, char **argv) { if (argc > 1) { throw usage; } return json[0] == brace; }
