// The translation unit of stb_image, kept apart because it is not our code. It includes only the formats that
// we support, because most of the known memory errors are in the decoders of the others.
#include <cstdlib>
#include <cstring>
#include <new>

#include "formats/images/image.h"

namespace vox {
namespace {

thread_local size_t largest_block = SIZE_MAX;

// Returns the block, unless there was no memory for it: a part of stb_image does not look, and another part takes it for
// a damaged image. What it has allocated before stays so.
void* checked_block(void* block) {
  if (block == nullptr) throw std::bad_alloc();
  return block;
}

// stb_image looks whether a block could be enlarged, and frees it if not.
void* enlarged_block(void* block, size_t bytes) {
  return bytes > largest_block ? nullptr : checked_block(std::realloc(block, bytes));
}

}  // namespace

StbBlockLimit::StbBlockLimit(size_t bytes) {
  largest_block = bytes;
}

StbBlockLimit::~StbBlockLimit() {
  largest_block = SIZE_MAX;
}

}  // namespace vox

#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wconversion"
#pragma GCC diagnostic ignored "-Wsign-conversion"
#pragma GCC diagnostic ignored "-Wunused-function"
#pragma GCC diagnostic ignored "-Wunused-value"
#define STBI_ONLY_PNG
#define STBI_ONLY_JPEG
#define STBI_ONLY_TGA
#define STBI_ONLY_BMP
#define STBI_ONLY_HDR
#define STBI_MALLOC(bytes) vox::checked_block(std::malloc(bytes))
#define STBI_REALLOC(block, bytes) vox::enlarged_block(block, bytes)
#define STBI_FREE(block) std::free(block)
#define STBIW_MALLOC(bytes) vox::checked_block(std::malloc(bytes))
#define STBIW_REALLOC(block, bytes) vox::checked_block(std::realloc(block, bytes))
#define STBIW_FREE(block) std::free(block)
// An empty chunk at the beginning of a PNG's pixels is copied to a null pointer, which memcpy() does not take.
#define memcpy(to, from, bytes) ((bytes) == 0 ? static_cast<void*>(to) : memcpy(to, from, bytes))
#define STBI_MAX_DIMENSIONS 32768  // kMaxImageSide
#ifdef __SANITIZE_THREAD__
#define STBI_NO_SIMD  // GCC 12 does not compile its intrinsics without optimization in one source with others
#endif
#define STB_IMAGE_IMPLEMENTATION
#include <stb_image.h>
#define STB_IMAGE_WRITE_IMPLEMENTATION
#include <stb_image_write.h>
#undef memcpy
#pragma GCC diagnostic pop
