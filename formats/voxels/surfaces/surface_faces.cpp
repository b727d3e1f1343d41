#include "formats/voxels/surfaces/surface_faces.h"

#include <bit>

#include "libvox/base/bits.h"

namespace vox {
namespace {

// Returns `count` ones, 1 to 64, from bit `first` on.
uint64_t ones(int32_t first, int32_t count) {
  return ~uint64_t{0} >> (64 - count) << first;
}

}  // namespace

void FaceFinder::read(const dag::FrozenDag& dag, const VoxelBox& region, Int3 corner) {
  cube_.read(dag, region, corner);
  for (auto& rectangles : rectangles_) rectangles.clear();
  find_along_x();
  find_along_y();
  find_along_z();
}

// The bits of a row are voxels along x, so the faces along x are moved from rows to slices bit by bit.
void FaceFinder::find_along_x() {
  std::vector<Slice> down(kSide, Slice{}), up(kSide, Slice{});
  for (int32_t z = 0; z < kSide; ++z)
    for (int32_t y = 0; y < kSide; ++y) {
      const uint64_t row = cube_.row(y, z);
      if (row == 0) continue;
      const auto put = [&](std::vector<Slice>& slices, uint64_t faces) {
        for (; faces != 0; faces &= faces - 1)
          slices[static_cast<size_t>(lowest_bit(faces))][static_cast<size_t>(z)] |= uint64_t{1} << y;
      };
      put(down, row & ~cube_.row_before(y, z));
      put(up, row & ~cube_.row_behind(y, z));
    }
  for (int32_t x = 0; x < kSide; ++x) {
    merge(down[static_cast<size_t>(x)], 0, x, FaceRectangle::Looks::Down);
    merge(up[static_cast<size_t>(x)], 0, x, FaceRectangle::Looks::Up);
  }
}

void FaceFinder::find_along_y() {
  for (int32_t y = 0; y < kSide; ++y) {
    Slice down, up;
    for (int32_t z = 0; z < kSide; ++z) {
      down[static_cast<size_t>(z)] = cube_.row(y, z) & ~cube_.row(y - 1, z);
      up[static_cast<size_t>(z)] = cube_.row(y, z) & ~cube_.row(y + 1, z);
    }
    merge(down, 1, y, FaceRectangle::Looks::Down);
    merge(up, 1, y, FaceRectangle::Looks::Up);
  }
}

void FaceFinder::find_along_z() {
  for (int32_t z = 0; z < kSide; ++z) {
    Slice down, up;
    for (int32_t y = 0; y < kSide; ++y) {
      down[static_cast<size_t>(y)] = cube_.row(y, z) & ~cube_.row(y, z - 1);
      up[static_cast<size_t>(y)] = cube_.row(y, z) & ~cube_.row(y, z + 1);
    }
    merge(down, 2, z, FaceRectangle::Looks::Down);
    merge(up, 2, z, FaceRectangle::Looks::Up);
  }
}

// Each rectangle begins at the first remaining face. It is as wide as faces of its material continue, and
// then as high as complete rows of them do.
void FaceFinder::merge(Slice& faces, uint32_t axis, int32_t layer, FaceRectangle::Looks looks) {
  const auto row = [&](int32_t v) -> uint64_t& { return faces[static_cast<size_t>(v)]; };
  const auto value = [&](int32_t u, int32_t v) { return cube_.value(in_layer(axis, layer, u, v)); };
  for (int32_t v = 0; v < kSide; ++v)
    while (row(v) != 0) {
      const int32_t u = lowest_bit(row(v));
      const uint8_t of = value(u, v);
      const int32_t most = std::countr_one(row(v) >> u);
      int32_t width = 1, height = 1;
      while (width < most && value(u + width, v) == of) ++width;
      const uint64_t bits = ones(u, width);
      const auto goes_on = [&](int32_t next) {
        if ((row(next) & bits) != bits) return false;
        for (int32_t i = u; i < u + width; ++i)
          if (value(i, next) != of) return false;
        return true;
      };
      while (v + height < kSide && goes_on(v + height)) ++height;
      for (int32_t i = v; i < v + height; ++i) row(i) &= ~bits;
      const Int3 corner = in_layer(axis, looks == FaceRectangle::Looks::Up ? layer + 1 : layer, u, v);
      rectangles_[of].push_back({.corner = {static_cast<uint8_t>(corner.x), static_cast<uint8_t>(corner.y),
                                            static_cast<uint8_t>(corner.z)},
                                 .axis = static_cast<uint8_t>(axis),
                                 .looks = looks,
                                 .width = static_cast<uint8_t>(width),
                                 .height = static_cast<uint8_t>(height)});
    }
}

}  // namespace vox
