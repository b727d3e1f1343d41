#include "formats/mesh/gltf_meshopt.h"

#include <fmt/format.h>

#include "formats/mesh/gltf_extensions.h"
#include "libvox/base/error.h"

#ifdef VOX_HAS_MESHOPT
#include <meshoptimizer.h>
#endif

namespace vox {
namespace {

// An attribute codec takes at least 2 bits for 16 equal bytes, an index codec at least a byte for a triangle.
constexpr uint64_t kMaxBytesPerByte = 64;

#ifdef VOX_HAS_MESHOPT

// Checks the arguments, for which the library itself only has asserts.
void check_shape(const GltfMeshopt& packed) {
  bool attributes = packed.mode == MeshoptMode::Attributes;
  bool fits = attributes ? packed.stride >= 4 && packed.stride <= 256 && packed.stride % 4 == 0
                         : packed.stride == 2 || packed.stride == 4;
  if (packed.filter == MeshoptFilter::Octahedral) fits = fits && (packed.stride == 4 || packed.stride == 8);
  if (packed.filter == MeshoptFilter::Quaternion) fits = fits && packed.stride == 8;
  if (!fits)
    throw Error(fmt::format("'byteStride' is {}, which its mode or filter does not allow", packed.stride));
  if (packed.filter != MeshoptFilter::None && !attributes)
    throw Error("it has a filter, but its mode is not ATTRIBUTES");
  if (packed.mode == MeshoptMode::Triangles && packed.count % 3 != 0)
    throw Error(fmt::format("'count' is {}, but must be a multiple of 3", packed.count));
}

int decode(const GltfMeshopt& packed, std::span<const std::byte> compressed, std::byte* to) {
  const auto* from = reinterpret_cast<const unsigned char*>(compressed.data());
  switch (packed.mode) {
    case MeshoptMode::Attributes:
      return meshopt_decodeVertexBuffer(to, packed.count, packed.stride, from, compressed.size());
    case MeshoptMode::Triangles:
      return meshopt_decodeIndexBuffer(to, packed.count, packed.stride, from, compressed.size());
    case MeshoptMode::Indices:
      return meshopt_decodeIndexSequence(to, packed.count, packed.stride, from, compressed.size());
  }
  return -1;
}

void apply_filter(const GltfMeshopt& packed, std::byte* bytes) {
  if (packed.filter == MeshoptFilter::Octahedral)
    meshopt_decodeFilterOct(bytes, packed.count, packed.stride);
  else if (packed.filter == MeshoptFilter::Quaternion)
    meshopt_decodeFilterQuat(bytes, packed.count, packed.stride);
  else if (packed.filter == MeshoptFilter::Exponential)
    meshopt_decodeFilterExp(bytes, packed.count, packed.stride);
}

#endif

}  // namespace

uint64_t decoded_size(const GltfMeshopt& packed) {
  if (packed.stride == 0 || packed.size > UINT64_MAX / kMaxBytesPerByte ||
      packed.count > kMaxBytesPerByte * packed.size / packed.stride)
    throw Error(
        fmt::format("{} bytes cannot hold {} elements of {} bytes", packed.size, packed.count, packed.stride))
        .hint("is the file damaged?");
  return packed.count * packed.stride;
}

#ifdef VOX_HAS_MESHOPT

bool can_read_meshopt() {
  return true;
}

std::vector<std::byte> decode_meshopt(const GltfMeshopt& packed, uint64_t size,
                                      std::span<const std::byte> compressed) {
  check_shape(packed);
  std::vector<std::byte> bytes(decoded_size(packed));
  if (bytes.size() < size)
    throw Error(fmt::format("{} elements of {} bytes are fewer than the {} bytes of the view", packed.count,
                            packed.stride, size));
  if (decode(packed, compressed, bytes.data()) != 0)
    throw Error("its EXT_meshopt_compression data cannot be decoded").hint("is the file damaged?");
  apply_filter(packed, bytes.data());
  return bytes;
}

#else

bool can_read_meshopt() {
  return false;
}

std::vector<std::byte> decode_meshopt(const GltfMeshopt&, uint64_t, std::span<const std::byte>) {
  throw Error("compressed by EXT_meshopt_compression, but this build was made without meshoptimizer")
      .hint("build vox where that library is installed, or export without the extension");
}

#endif

}  // namespace vox
