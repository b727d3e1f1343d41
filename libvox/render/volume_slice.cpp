#include "libvox/render/volume_slice.h"

#include <algorithm>

#include "libvox/bricks/volume_cast.h"
#include "libvox/volume/read_pieces.h"

namespace vox::render {
namespace {

// The values of one layer of voxels.
class Layer {
 public:
  Layer(const volume::Volume& volume, const SliceFrame& frame) : frame_(frame), type_(volume.info.type) {
    box_ = volume.info.box();
    const auto at = static_cast<int32_t>(frame.at);
    (frame.axis == 0 ? box_.min.x : frame.axis == 1 ? box_.min.y : box_.min.z) = at;
    (frame.axis == 0 ? box_.max.x : frame.axis == 1 ? box_.max.y : box_.max.z) = at + 1;
    bytes_.resize(box_.voxels() * volume::value_bytes(type_));
    volume.read(box_, bytes_.data());
  }

  uint32_t bits(size_t index) const { return volume::bits_at(type_, bytes_.data(), index); }

  // Returns the bits of the first voxel of a cell that is not empty, or the background if there is none.
  uint32_t of_cell(uint32_t x, uint32_t y, uint32_t background) const {
    const int32_t side = 1 << frame_.log2_cell;
    const int32_t across = frame_.first[0] + static_cast<int32_t>(x) * side * frame_.step[0],
                  along = frame_.first[1] + static_cast<int32_t>(y) * side * frame_.step[1];
    for (int32_t v = along; v < along + side; ++v)
      for (int32_t u = across; u < across + side; ++u)
        if (const uint32_t found = at(u, v, background); found != background) return found;
    return background;
  }

 private:
  uint32_t at(int32_t across, int32_t along, uint32_t background) const {
    const auto part = [&](uint32_t axis) {
      return axis == frame_.axis ? static_cast<int32_t>(frame_.at) : axis == frame_.across ? across : along;
    };
    const Int3 voxel = {part(0), part(1), part(2)}, size = box_.size();
    if (voxel.x >= box_.max.x || voxel.y >= box_.max.y || voxel.z >= box_.max.z) return background;
    const Int3 from = voxel - box_.min;
    return bits((static_cast<size_t>(from.z) * static_cast<size_t>(size.y) + static_cast<size_t>(from.y)) *
                    static_cast<size_t>(size.x) +
                static_cast<size_t>(from.x));
  }

  SliceFrame frame_;
  volume::ValueType type_;
  VoxelBox box_;
  std::vector<std::byte> bytes_;
};

}  // namespace

scene::Rgb8 ValueColors::color(volume::ValueType type, uint32_t bits) const {
  if (!labels.empty()) return labels[bricks::label_slot(bits)];
  return scale_color(scale, (volume::value_number(type, bits) - range.low) / (range.high - range.low));
}

Picture slice_volume(const volume::Volume& volume, uint32_t background, const ValueColors& colors,
                     const SliceOptions& options) {
  const SliceFrame frame = slice_frame(options, volume.info.box(), volume.info.box());
  const Layer layer(volume, frame);
  Picture picture;
  picture.low = colors.range.low;
  picture.high = colors.range.high;
  const auto [width, height] = frame.size();
  picture.image = {"", width, height, std::vector<scene::Rgba8>(size_t{width} * height)};
  for (uint32_t y = 0; y < frame.height; ++y)
    for (uint32_t x = 0; x < frame.width; ++x) {
      const uint32_t bits = layer.of_cell(x, y, background);
      const scene::Rgb8 color = bits == background ? options.empty : colors.color(volume.info.type, bits);
      for (uint32_t py = 0; py < frame.pixels_per_cell; ++py)
        std::fill_n(
            &picture.image
                 .pixels[size_t{y * frame.pixels_per_cell + py} * width + size_t{x} * frame.pixels_per_cell],
            frame.pixels_per_cell, scene::Rgba8{color.r, color.g, color.b, 255});
    }
  return picture;
}

}  // namespace vox::render
