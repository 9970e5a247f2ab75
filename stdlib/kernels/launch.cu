// A kernel that does nothing: what its blocks take is their launch.
//
// Covered by tests/runtime/predict_test.cpp, which fits a device with it.

extern "C" __global__ void launch() {}
