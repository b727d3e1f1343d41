// VOX_HD marks functions that run on the host and on the device; everything a kernel body calls carries it.
#pragma once

#ifdef __CUDACC__
#define VOX_HD __host__ __device__
#else
#define VOX_HD
#endif
