/* tools/c/vox_chunks.h as a program of C99 compiles it; chunks_header_test.cpp calls it. */
#define VOX_CHUNKS_IMPLEMENTATION
#include "tools/c/vox_chunks.h"
