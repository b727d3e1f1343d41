#include "formats/points/voxel_sums.h"

#include "libvox/scene/oklab.h"

namespace vox {
namespace {

// Returns the sRGB codes of linear light in steps of 1 / 65535.
const std::vector<uint8_t>& light_codes() {
  static const std::vector<uint8_t> codes = [] {
    std::vector<uint8_t> all(1 << 16);
    for (size_t i = 0; i < all.size(); ++i) all[i] = scene::linear_to_srgb(static_cast<double>(i) / 65535);
    return all;
  }();
  return codes;
}

}  // namespace

scene::Rgb8 ColorSum::mean() const {
  static const std::vector<uint8_t>& codes = light_codes();
  const auto of = [&](uint64_t sum) { return codes[(sum + points / 2) / points]; };
  return {of(r), of(g), of(b)};
}

}  // namespace vox
