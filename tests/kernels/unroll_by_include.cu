// The kernel of another file.
#include "unroll.cu"
