#include "libvox/volume/read_pieces.h"

#include <vector>

#include "libvox/base/cancel.h"
#include "libvox/volume/pieces.h"

namespace vox::volume {

void read_pieces(const Volume& volume, uint64_t most_voxels,
                 const std::function<void(const VoxelBox&, const std::byte*)>& f) {
  const Pieces pieces(volume.info.box(), most_voxels);
  std::vector<std::byte> values(pieces[0].voxels() * value_bytes(volume.info.type));
  for (uint64_t piece = 0; piece < pieces.count(); ++piece) {
    throw_if_cancelled();
    volume.read(pieces[piece], values.data());
    f(pieces[piece], values.data());
  }
}

}  // namespace vox::volume
