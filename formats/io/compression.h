// How large arrays of words are compressed in files.
#pragma once

namespace vox {

// The levels of deflate.
inline constexpr int kFastestDeflate = 1, kSmallestDeflate = 9;

struct Compression {
  enum class Method { None, Deflate, Zstd };
  Method method = Method::Deflate;
  // Of Deflate. Masks, materials and pointers hold few repeats: on words of textured surfaces level 6 makes
  // files 5 % smaller than the fastest and takes six times as long.
  int level = kFastestDeflate;
};

}  // namespace vox
