// VOX_HD marks functions that run on the host and on a GPU. Every function that a kernel's body calls carries
// it.
#pragma once

#ifdef __CUDACC__
#define VOX_HD __host__ __device__
#else
#define VOX_HD
#endif

// VOX_UNROLL stands before a loop of few iterations over an array that a GPU should keep in registers.

#ifdef __CUDA_ARCH__
#define VOX_UNROLL _Pragma("unroll")
#else
#define VOX_UNROLL
#endif
