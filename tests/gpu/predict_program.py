"""A row of the table of kernels (predict_rows.py) as a program for nvcc: an instance of a template, or
a launch after others, in a loop. It prints the time of the row's launch, of several repetitions, as
gpx run --csv does: from the event before it to the event after it, in a stream that is busy.
"""
import re

UNITS = {"B": 1, "KB": 1 << 10, "MB": 1 << 20, "GB": 1 << 30, "": 1}

HEAD = """#include <cstdio>
#include <cstdlib>
#include <vector>
#define main main_of_the_file
#include "{file}"
#undef main

#define CHECK(call) check(call, #call)
static void check(cudaError_t status, const char* what) {{
  if (status == cudaSuccess) return;
  std::fprintf(stderr, "{name}: %s: %s\\n", what, cudaGetErrorString(status));
  std::exit(1);
}}

struct Buffer {{
  void* address;
  template <typename T>
  operator T*() const {{ return static_cast<T*>(address); }}
}};

static Buffer buffer(size_t bytes, bool zero) {{
  Buffer made{{nullptr}};
  CHECK(cudaMalloc(&made.address, bytes));
  std::vector<float> host(bytes / 4 + 1);
  for (size_t i = 0; !zero && i < host.size(); ++i) host[i] = (i * 2654435761u >> 8) % 65536 / 65536.0f;
  CHECK(cudaMemcpy(made.address, host.data(), bytes, cudaMemcpyHostToDevice));
  return made;
}}

__global__ void keep_busy(long long clocks) {{
  for (const long long begin = clock64(); clock64() - begin < clocks;) {{}}
}}

int main() {{
"""

TAIL = """  cudaEvent_t begin, end;
  CHECK(cudaEventCreate(&begin));
  CHECK(cudaEventCreate(&end));
  std::printf("experiment,repetition,time\\n");
  for (int k = 0; k < 6; ++k) {{
    keep_busy<<<1, 1>>>(1000000);
{earlier}    CHECK(cudaEventRecord(begin));
    {launch};
    CHECK(cudaEventRecord(end));
    CHECK(cudaGetLastError());
    CHECK(cudaDeviceSynchronize());
    float milliseconds = 0;
    CHECK(cudaEventElapsedTime(&milliseconds, begin, end));
    if (k > 0) std::printf("{name},%d,%.9g\\n", k, milliseconds * 1e-3);
  }}
}}
"""


def size(text):
    number, unit = re.fullmatch(r"(\d+)([KMG]?B|)", text).groups()
    return int(number) * UNITS[unit]


def allocation(name, bytes, contents):
    if contents not in ("zero", "") and not contents.startswith("uniform(0, 1)"):
        raise ValueError(f"a program fills no buffer with {contents}")
    return f"  Buffer {name} = buffer({size(bytes)}ull, {'true' if contents == 'zero' else 'false'});\n"


def extents(text):
    return f"dim3({text})"


def earlier_launch(text):
    """The declarations of its own buffers, and the launch."""
    entry, grid, rest = re.fullmatch(r"(\S+?)<<<(.*)>>>\((.*)\)", text).groups()
    declared, arguments = "", []
    for argument in re.split(r", (?![^(]*\))", rest):
        if own := re.fullmatch(r"(\w+)=buffer\((\w+), (\w+)\)", argument):
            declared += allocation(*own.groups())
            argument = own.group(1)
        arguments.append(argument)
    return declared, f"{entry}<<<{grid}>>>({', '.join(arguments)})"


def program(row, folder):
    defines = "".join(f"#define {define.replace('=', ' ', 1)}\n" for define in row.given("--define"))
    declared, arguments, earlier = "", [], ""
    for option, value in zip(row.options[::2], row.options[1::2]):
        name, _, text = value.partition("=")
        if option == "--buffer":
            declared += allocation(name, *(text.split(":", 1) if ":" in text else (text, "")))
            arguments.append(name)
        elif option == "--arg":
            arguments.append(text)
    for text in row.given("--after"):
        own, launch = earlier_launch(text)
        declared += own
        earlier += f"    {launch};\n"
    shared = (row.given("--shared") or ["0"])[0]
    launch = (f"{row.entry}<<<{extents(row.grid)}, {extents(row.block)}, {size(shared)}>>>"
              f"({', '.join(arguments)})")
    return (defines + HEAD.format(file=folder / row.file, name=row.name) + declared +
            TAIL.format(earlier=earlier, launch=launch, name=row.name))
