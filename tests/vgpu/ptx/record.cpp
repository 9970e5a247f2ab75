// Records on a real GPU what exec_hardware_test.cpp expects of the interpreter.
//
//   g++ -std=c++20 -I$CUDA_HOME/include record.cpp -ldl -o record
//   ./record ptx instructions.txt > all.ptx && ptxas -arch=sm_90 all.ptx -o all.cubin
//   ./record run instructions.txt all.cubin [values.bin] > instructions.h100
//
// The output: a digest of its values before each line of instructions.txt. values.bin gets every
// value, for a closer look.
#include <cuda.h>
#include <dlfcn.h>

#include <cstdio>
#include <cstdlib>

#include "exec_cases.h"

namespace {

void* library;
template <class F>
F symbol(const char* name) {
  auto f = reinterpret_cast<F>(dlsym(library, name));
  if (!f) std::fprintf(stderr, "no %s\n", name), std::exit(3);
  return f;
}
void check(CUresult result, const char* what) {
  if (result != CUDA_SUCCESS) std::fprintf(stderr, "%s: error %d\n", what, result), std::exit(3);
}

int run(const std::vector<cases::Case>& list, const char* cubin, const char* values_path) {
  library = dlopen("libcuda.so.1", RTLD_NOW);
  if (!library) return std::fprintf(stderr, "no driver\n"), 3;
  CUdevice device;
  CUcontext context;
  CUmodule module;
  CUdeviceptr in, out;
  check(symbol<CUresult (*)(unsigned)>("cuInit")(0), "cuInit");
  check(symbol<CUresult (*)(CUdevice*, int)>("cuDeviceGet")(&device, 0), "cuDeviceGet");
  check(symbol<CUresult (*)(CUcontext*, CUdevice)>("cuDevicePrimaryCtxRetain")(&context, device),
        "context");
  check(symbol<CUresult (*)(CUcontext)>("cuCtxSetCurrent")(context), "cuCtxSetCurrent");
  check(symbol<CUresult (*)(CUmodule*, const char*)>("cuModuleLoad")(&module, cubin), "load");
  auto allocate = symbol<CUresult (*)(CUdeviceptr*, std::size_t)>("cuMemAlloc_v2");
  auto to_device = symbol<CUresult (*)(CUdeviceptr, const void*, std::size_t)>("cuMemcpyHtoD_v2");
  auto to_host = symbol<CUresult (*)(void*, CUdeviceptr, std::size_t)>("cuMemcpyDtoH_v2");
  auto find = symbol<CUresult (*)(CUfunction*, CUmodule, const char*)>("cuModuleGetFunction");
  auto launch =
      symbol<CUresult (*)(CUfunction, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned,
                          unsigned, CUstream, void**, void**)>("cuLaunchKernel");
  check(allocate(&in, cases::kTuples * 24), "cuMemAlloc");
  check(allocate(&out, cases::kTuples * 8), "cuMemAlloc");
  std::FILE* values_file = values_path ? std::fopen(values_path, "wb") : nullptr;
  for (std::size_t i = 0; i < list.size(); ++i) {
    auto operands = cases::operands(list[i]);
    std::vector<std::uint64_t> values(cases::kTuples);
    CUfunction function;
    check(find(&function, module, ("case_" + std::to_string(i)).c_str()), "cuModuleGetFunction");
    check(to_device(in, operands.data(), operands.size() * 8), "cuMemcpyHtoD");
    void* arguments[] = {&in, &out};
    check(launch(function, cases::kBlocks, 1, 1, cases::kThreads, 1, 1, 0, nullptr, arguments,
                 nullptr),
          "cuLaunchKernel");
    check(to_host(values.data(), out, values.size() * 8), list[i].text.c_str());
    std::printf("%016lx %s\n", cases::digest(values), list[i].line.c_str());
    if (values_file) std::fwrite(values.data(), 8, values.size(), values_file);
  }
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 3) return std::fprintf(stderr, "usage: record ptx|run CASES [CUBIN [VALUES]]\n"), 2;
  auto list = cases::read(argv[2]);
  if (std::string(argv[1]) == "run" && argc > 3) {
    return run(list, argv[3], argc > 4 ? argv[4] : nullptr);
  }
  std::fputs(cases::header().c_str(), stdout);
  for (std::size_t i = 0; i < list.size(); ++i)
    std::fputs(cases::kernel(list[i], i).c_str(), stdout);
}
