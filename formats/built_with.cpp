#include "formats/built_with.h"

#include <fmt/format.h>
#include <hdf5.h>

namespace vox {
namespace {

#ifdef VOX_HAS_WEBP
constexpr bool kHasWebp = true;
#else
constexpr bool kHasWebp = false;
#endif
#ifdef VOX_HAS_MESHOPT
constexpr bool kHasMeshopt = true;
#else
constexpr bool kHasMeshopt = false;
#endif
#ifdef VOX_HAS_DRACO
constexpr bool kHasDraco = true;
#else
constexpr bool kHasDraco = false;
#endif
#ifdef VOX_HAS_ISAL
constexpr bool kHasIsal = true;
#else
constexpr bool kHasIsal = false;
#endif
#ifdef VOX_HAS_ZSTD
constexpr bool kHasZstd = true;
#else
constexpr bool kHasZstd = false;
#endif

}  // namespace

std::vector<OptionalPart> optional_parts() {
  return {{.key = "webp", .name = "WebP images", .built = kHasWebp},
          {.key = "meshopt", .name = "glTF of meshoptimizer", .built = kHasMeshopt},
          {.key = "draco", .name = "glTF of Draco", .built = kHasDraco},
          {.key = "isal", .name = "ISA-L's compression", .built = kHasIsal},
          {.key = "zstd", .name = "sizes after Zstandard", .built = kHasZstd}};
}

std::string hdf5_version() {
  unsigned major = 0, minor = 0, release = 0;
  H5get_libversion(&major, &minor, &release);
  return fmt::format("{}.{}.{}", major, minor, release);
}

}  // namespace vox
