// A kernel without a result: its blocks begin and end.
__global__ void nothing() {}
