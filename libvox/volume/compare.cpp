#include "libvox/volume/compare.h"

#include <fmt/format.h>

#include <algorithm>
#include <span>
#include <string>
#include <vector>

#include "libvox/base/error.h"

namespace vox::volume {
namespace {

std::string form_text(const VolumeInfo& info) {
  return fmt::format("{} x {} x {} voxels of {}", info.size.x, info.size.y, info.size.z,
                     value_type_name(info.type));
}

}  // namespace

void check_same_values(const Volume& volume, std::string_view name, const Volume& expected,
                       std::string_view expected_name, uint64_t piece_voxels) {
  const ValueType type = volume.info.type;
  if (volume.info.size != expected.info.size || type != expected.info.type)
    throw Error(fmt::format("{} in {}, but {} in {}", form_text(volume.info), name, form_text(expected.info),
                            expected_name));
  std::vector<std::byte> should_be;
  read_pieces(volume, piece_voxels, [&](const VoxelBox& box, const std::byte* is) {
    should_be.resize(box.voxels() * value_bytes(type));
    expected.read(box, should_be.data());
    const auto differs = std::ranges::mismatch(should_be, std::span(is, should_be.size())).in1;
    if (differs == should_be.end()) return;
    const uint64_t i = static_cast<uint64_t>(differs - should_be.begin()) / value_bytes(type);
    const Int3 at = voxel_at(box, i);
    throw Error(fmt::format("voxel ({}, {}, {}) is {} in {}, but {} in {}", at.x, at.y, at.z,
                            value_number(type, bits_at(type, is, i)), name,
                            value_number(type, bits_at(type, should_be.data(), i)), expected_name));
  });
}

}  // namespace vox::volume
