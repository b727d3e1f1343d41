// Finds which voxels of a surface lie inside another surface (Alcantara et al. 2009, §6). The surfaces need not
// be closed: their normals decide, at the places where they meet. find_sides.h runs these loops.
//
// Each surface is the set of voxels that its triangles touch, in a table of voxel keys. Voxels of both surfaces
// are common. Two voxels of a surface that share a face, neither of them common, lie on the same side of the
// other surface, which cannot pass between them. So each connected part of a surface without its common voxels
// lies inside or outside as a whole. Where a part borders on a common voxel, it has a vote: the cosine between
// the step from the common voxel to the part and the other surface's normal in the common voxel. If it is
// negative, the part begins inside. Votes near 0 do not count. The majority decides.
//
// A part may lead through a hole of the other surface from one side to the other. Then its votes differ, and it is
// divided: each voxel takes the side of the nearest vote. A part without votes, which meets the other surface nowhere,
// is decided by six rays along the axes from its voxel with the least key. It is inside if on most of them the other
// surface's faces do not cancel out.
//
// The paper floods a surface from single votes, and starts again without votes whose floods meet others. In the end a
// part has one side there too, which is wrong if it leads through a hole. Counting finds the side at once, in any order
// of threads.
#pragma once

#include "libvox/base/morton.h"
#include "libvox/device/atomics.h"
#include "libvox/hash/keyed/maps.h"
#include "libvox/voxelize/combine.h"
#include "libvox/voxelize/coverage.h"
#include "libvox/voxelize/triangle.h"

namespace vox::voxelize {

// A vote counts if the cosine is at least this far from 0.
inline constexpr double kLeastVote = 0.5;
// A part is divided if more than 1/16 of its votes is overruled. Fewer are taken for errors, since voxels are coarse.
inline constexpr uint64_t kDividingShare = 16;

// The sum of the normals of a voxel's triangles, as int32_t in multiples of 1 / kUnit. A triangle's weight is its
// area, but at most that of a voxel's face.
struct VoxelNormal {
  static constexpr double kUnit = 1 << 10;
  uint32_t axis[3];

  VOX_HD Vec3d vector() const {
    return {double(static_cast<int32_t>(axis[0])), double(static_cast<int32_t>(axis[1])),
            double(static_cast<int32_t>(axis[2]))};
  }
};
static_assert(sizeof(VoxelNormal) == 12);

// Adds the normals of (voxel, triangle) pairs. numbers[i] is the voxel's number, or kNoNumber.
struct AddNormals {
  const TriangleShape* shapes;
  const uint32_t* numbers;
  const uint32_t* triangles;
  VoxelNormal* normals;
  VOX_HD void operator()(uint64_t i) const {
    if (numbers[i] == hash::kNoNumber) return;
    const Vec3<int64_t> whole = normal_of(shapes[triangles[i]]);
    constexpr double kFace = 2.0 * kUnitsPerVoxel * kUnitsPerVoxel;  // twice the area
    const Vec3d normal = Vec3d{double(whole.x), double(whole.y), double(whole.z)} * (1 / kFace);
    const double size = length(normal);
    const double scale = VoxelNormal::kUnit / (size > 1 ? size : 1);
    for (uint32_t axis = 0; axis < 3; ++axis)
      device::atomic_add(normals[numbers[i]].axis + axis,
                         static_cast<uint32_t>(static_cast<int32_t>(normal[axis] * scale)));
  }
};

// Writes the key of the voxel's neighbor along an axis, or its own key at the end of the grid.
template <class Key>
struct NextKeys {
  const Key* keys;
  uint32_t axis;
  int32_t resolution;
  Key* next;
  VOX_HD void operator()(uint64_t i) const {
    Int3 place = morton_decode(keys[i]);
    if (place[axis] + 1 < resolution) ++place[axis];
    next[i] = static_cast<Key>(morton_encode(static_cast<uint32_t>(place.x), static_cast<uint32_t>(place.y),
                                             static_cast<uint32_t>(place.z)));
  }
};

// The connected parts as trees: each voxel refers to a voxel of its part whose number is not greater than its own.
struct PartsRef {
  uint32_t* parents;

  VOX_HD uint32_t root(uint32_t voxel) const {
    uint32_t parent = device::atomic_load_relaxed(parents + voxel);
    while (parent != voxel) {
      voxel = parent;
      parent = device::atomic_load_relaxed(parents + voxel);
    }
    return voxel;
  }
  VOX_HD void join(uint32_t a, uint32_t b) const {
    for (a = root(a), b = root(b); a != b; a = root(a), b = root(b)) {
      if (a < b) {
        const uint32_t other = a;
        a = b;
        b = other;
      }
      if (device::atomic_exchange_if_relaxed(parents + a, a, b) == a) return;
    }
  }
};

struct StartParts {
  uint32_t* parents;
  VOX_HD void operator()(uint64_t i) const { parents[i] = static_cast<uint32_t>(i); }
};

// The voxels of a surface with their neighbors along one axis. The number of a voxel in the other surface is
// kNoNumber unless it is common.
struct NeighborsRef {
  const uint32_t* next;
  const uint32_t* others;

  VOX_HD bool has(uint64_t i) const { return next[i] != hash::kNoNumber && next[i] != i; }
  VOX_HD bool common(uint64_t i) const { return others[i] != hash::kNoNumber; }
};

struct JoinNeighbors {
  NeighborsRef neighbors;
  PartsRef parts;
  VOX_HD void operator()(uint64_t i) const {
    if (!neighbors.has(i) || neighbors.common(i) || neighbors.common(neighbors.next[i])) return;
    parts.join(static_cast<uint32_t>(i), neighbors.next[i]);
  }
};

struct FindRoots {
  PartsRef parts;
  uint32_t* roots;
  VOX_HD void operator()(uint64_t i) const { roots[i] = parts.root(static_cast<uint32_t>(i)); }
};

// The votes of the parts, at their roots.
struct VotesRef {
  uint32_t* inside;
  uint32_t* outside;

  VOX_HD uint32_t overruled(uint64_t i) const { return inside[i] < outside[i] ? inside[i] : outside[i]; }
  VOX_HD uint32_t all(uint64_t i) const { return inside[i] + outside[i]; }
  VOX_HD bool divided(uint64_t i) const { return overruled(i) * kDividingShare > all(i); }
  VOX_HD Side majority(uint64_t i) const { return inside[i] > outside[i] ? Side::Inside : Side::Outside; }
};

struct CountVotes {
  NeighborsRef neighbors;
  uint32_t axis;
  const uint32_t* roots;       // or nullptr, to count the votes of each voxel
  const VoxelNormal* normals;  // the other surface's
  VotesRef votes;
  VOX_HD void operator()(uint64_t i) const {
    if (!neighbors.has(i)) return;
    const uint32_t next = neighbors.next[i];
    if (neighbors.common(i) == neighbors.common(next)) return;
    const auto from = neighbors.common(i) ? static_cast<uint32_t>(i) : next;
    const uint32_t to = neighbors.common(i) ? next : static_cast<uint32_t>(i);
    const Vec3d normal = normals[neighbors.others[from]].vector();
    const double along = from == i ? normal[axis] : -normal[axis], size = length(normal);
    const uint32_t at = roots ? roots[to] : to;
    if (along < 0 && along <= -kLeastVote * size) device::atomic_add(votes.inside + at, 1);
    if (along > 0 && along >= kLeastVote * size) device::atomic_add(votes.outside + at, 1);
  }
};

template <class Key>
struct LeastKeys {
  NeighborsRef neighbors;
  const Key* keys;
  const uint32_t* roots;
  Key* least;  // the least key of each part, at its root
  VOX_HD void operator()(uint64_t i) const {
    if (!neighbors.common(i)) device::atomic_min(least + roots[i], keys[i]);
  }
};

struct IsPart {
  NeighborsRef neighbors;
  const uint32_t* roots;
  VOX_HD bool operator()(uint64_t i) const { return roots[i] == i && !neighbors.common(i); }
};

struct IsUndecided {
  IsPart part;
  VotesRef votes;
  VOX_HD bool operator()(uint64_t i) const { return part(i) && votes.all(i) == 0; }
};

struct IsDivided {
  IsPart part;
  VotesRef votes;
  VOX_HD bool operator()(uint64_t i) const { return part(i) && votes.divided(i); }
};

// Counts where the rays of some parts cross some of the other surface's triangles.
template <class Key>
struct CrossFaces {
  static constexpr uint64_t kTriangles = 1024;  // the number of triangles for each call

  const uint32_t* undecided;
  const Key* least;
  const TriangleShape* shapes;
  uint64_t triangles, blocks;
  uint32_t* crossings;  // for each undecided part and ray: faces hit from behind minus from the front
  VOX_HD void operator()(uint64_t i) const {
    const uint64_t which = i / blocks, begin = i % blocks * kTriangles;
    const uint64_t end = begin + kTriangles < triangles ? begin + kTriangles : triangles;
    const Int3 center = morton_decode(least[undecided[which]]) * kUnitsPerVoxel +
                        Int3{kUnitsPerVoxel / 2, kUnitsPerVoxel / 2, kUnitsPerVoxel / 2};
    int32_t sums[6] = {};
    for (uint64_t t = begin; t < end; ++t)
      for (uint32_t axis = 0; axis < 3; ++axis) cross(shapes[t], center, axis, sums + 2 * axis);
    for (uint32_t ray = 0; ray < 6; ++ray)
      if (sums[ray] != 0) device::atomic_add(crossings + which * 6 + ray, static_cast<uint32_t>(sums[ray]));
  }

 private:
  // Turns the axes until the ray lies along x.
  VOX_HD static Int3 turned(const Int3& p, uint32_t axis) {
    return {p[axis], p[(axis + 1) % 3], p[(axis + 2) % 3]};
  }
  VOX_HD static void cross(const TriangleShape& shape, const Int3& center, uint32_t axis, int32_t* sums) {
    TriangleShape triangle = shape;
    for (Int3& corner : triangle.corner) corner = turned(corner, axis);
    const Int3 from = turned(center, axis);
    const Vec3<int64_t> normal = normal_of(triangle);
    if (normal.x == 0) return;
    const int64_t sign = normal.x < 0 ? -1 : 1;
    if (!ray_meets(triangle, sign, from.y, from.z)) return;
    const bool ahead = behind_plane<__int128>(triangle, normal, sign, from.x, from.y, from.z) < 0;
    sums[ahead ? 1 : 0] += static_cast<int32_t>(ahead ? sign : -sign);
  }
};

struct DecideByRays {
  const uint32_t* undecided;
  const uint32_t* crossings;
  VotesRef votes;
  VOX_HD void operator()(uint64_t i) const {
    uint32_t crossed = 0;
    for (uint32_t ray = 0; ray < 6; ++ray) crossed += crossings[i * 6 + ray] != 0;
    (crossed > 3 ? votes.inside : votes.outside)[undecided[i]] += 1;
  }
};

struct SetSides {
  NeighborsRef neighbors;
  const uint32_t* roots;
  VotesRef votes;
  Side* sides;
  VOX_HD void operator()(uint64_t i) const {
    sides[i] = neighbors.common(i) ? Side::Common : votes.majority(roots[i]);
  }
};

struct IsOn {
  const Side* sides;
  Side side;
  VOX_HD bool operator()(uint64_t i) const { return sides[i] == side; }
};

struct VotesOf {
  VotesRef votes;
  bool overruled;
  VOX_HD uint32_t operator()(uint64_t i) const { return overruled ? votes.overruled(i) : votes.all(i); }
};

}  // namespace vox::voxelize
