// The compression of large arrays of words in files.
#pragma once

namespace vox {

// The levels of deflate.
inline constexpr int kFastestDeflate = 1, kSmallestDeflate = 9;

struct Compression {
  enum class Method { None, Deflate, Zstd };
  Method method = Method::Deflate;
  // For Deflate. Masks, materials and pointers repeat little: for words of textured surfaces, level 6 makes
  // files 5 % smaller than the fastest level and takes six times as long.
  int level = kFastestDeflate;
};

}  // namespace vox
