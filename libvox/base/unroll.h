// VOX_UNROLL stands before a loop of few iterations over an array that a GPU should keep in registers.
#pragma once

#ifdef __CUDA_ARCH__
#define VOX_UNROLL _Pragma("unroll")
#else
#define VOX_UNROLL
#endif
