// VOX_HD marks functions that run on the host and on a GPU. Every function that a kernel's body calls carries
// it.
#pragma once

#ifdef __CUDACC__
#define VOX_HD __host__ __device__
#else
#define VOX_HD
#endif

// VOX_EVERY_STEP marks short functions that a loop calls at every step. On a CPU they must be inlined, because a call takes
// as long as they do. A GPU makes no such calls.
#ifdef __CUDACC__
#define VOX_EVERY_STEP VOX_HD
#else
#define VOX_EVERY_STEP [[gnu::always_inline]]
#endif

// VOX_UNROLL stands before a short loop over an array that a GPU should keep in registers. VOX_NOT_UNROLLED stands
// before a loop whose body is so long that the GPU's code should contain it only once.

#ifdef __CUDA_ARCH__
#define VOX_UNROLL _Pragma("unroll")
#define VOX_NOT_UNROLLED _Pragma("unroll 1")
#else
#define VOX_UNROLL
#define VOX_NOT_UNROLLED
#endif
