// The loops that read a volume. Each one is a body that takes one of the accessors: BricksRef, KdRef,
// DenseRef, or the generated JitBricks. An accessor has get<T>(voxel), which returns the word of a voxel of
// the volume, and corners<T>(low, high, words), which reads those at the corners of a box, x fastest.
#pragma once

#include "libvox/base/bits.h"
#include "libvox/base/morton.h"
#include "libvox/bricks/bricks_ref.h"
#include "libvox/bricks/volume_cast.h"

namespace vox::bricks {

// A node of the kd tree over bricks, and access to bricks through such a tree in host or device memory.

struct KdNode {
  static constexpr uint32_t kLeaf = 3, kMixed = kBrickTypeCount;

  // 4 B: the axis, 0 to 2, or kLeaf, in the low two bits; above them the first brick of the high side.
  uint32_t split = kLeaf;
  // 4 B: the node of the low side, which is followed by that of the high side; in a leaf its type, or kMixed.
  uint32_t next = kMixed;

  VOX_HD uint32_t axis() const { return split & 3; }
  VOX_HD int32_t position() const { return static_cast<int32_t>(split >> 2); }
  VOX_HD bool is_leaf() const { return split == kLeaf; }
};
static_assert(sizeof(KdNode) == 8);

struct KdRef {
  BricksRef bricks;
  const KdNode* nodes;

  VOX_HD KdNode leaf(Int3 place) const {
    KdNode node = nodes[0];
    while (!node.is_leaf()) {
      const int32_t along = node.axis() == 0 ? place.x : node.axis() == 1 ? place.y : place.z;
      node = nodes[node.next + (along < node.position() ? 0 : 1)];
    }
    return node;
  }

  // Returns the entry of a brick. It reads the root grid only if the brick is not empty.
  VOX_HD BricksRef::Entry find(Int3 place) const {
    const uint32_t type = leaf(place).next;
    if (type == BrickTypes::kNumber<EmptyBrick>) return {type, 0};
    BricksRef::Entry entry = bricks.find(place);
    if (type != KdNode::kMixed) entry.type = type;
    return entry;
  }

  // Returns the word of a voxel of the volume.
  template <class T>
  VOX_HD T get(Int3 voxel) const {
    return bricks.get<T>(find(bricks.place_of(voxel)), voxel);
  }
  template <class T>
  VOX_HD void corners(Int3 low, Int3 high, T* words) const {
    corners_by<T>(*this, bricks, low, high, words);
  }
};

}  // namespace vox::bricks

// This macro stands before loops whose body may contain the code of a whole tree, so that the body is not
// copied.
#ifdef __CUDA_ARCH__
#define VOX_NOT_UNROLLED _Pragma("unroll 1")
#else
#define VOX_NOT_UNROLLED
#endif

namespace vox::bricks {

// The arguments of all loops. Each loop reads those that it needs.
struct JitTask {
  Int3 size;       // 12 B, the volume's size
  int32_t radius;  // 4 B, the radius of a mean filter
  uint64_t count;  // 8 B, the number of positions of a gather
  void* out;       // 8 B
  CastView view;   // the view of a picture, which has its own pixels
};

// Access to the same words as a dense array, with which bricks are compared.
struct DenseRef {
  Int3 size;
  const void* words;

  template <class T>
  VOX_HD T get(Int3 v) const {
    return static_cast<const T*>(words)[index(size, v)];
  }
  template <class T>
  VOX_HD void corners(Int3 low, Int3 high, T* found) const {
    corners_one_by_one(*this, low, high, found);
  }
  VOX_HD static uint64_t index(Int3 size, Int3 v) {
    return (static_cast<uint64_t>(v.z) * static_cast<uint64_t>(size.y) + static_cast<uint64_t>(v.y)) *
               static_cast<uint64_t>(size.x) +
           static_cast<uint64_t>(v.x);
  }
};

// The order of loops over all voxels: cubes of 8³ row by row, and inside of each cube its voxels in Morton
// order. The 32 threads of a warp then read 4 x 4 x 2 voxels, which lie in one brick. Some voxels of the last
// cubes lie outside of the volume.
struct CubeOrder {
  VOX_HD static Int3 cubes(Int3 size) { return {(size.x + 7) >> 3, (size.y + 7) >> 3, (size.z + 7) >> 3}; }
  VOX_HD static uint64_t count(Int3 size) {
    const Int3 n = cubes(size);
    return static_cast<uint64_t>(n.x) * static_cast<uint64_t>(n.y) * static_cast<uint64_t>(n.z) << 9;
  }
  // Returns the i-th voxel, in volumes with less than 2^41 voxels.
  VOX_HD static Int3 voxel(uint64_t i, Int3 size) {
    const Int3 n = cubes(size);
    const uint32_t cube = static_cast<uint32_t>(i >> 9), row = cube / static_cast<uint32_t>(n.x);
    const Int3 at = {static_cast<int32_t>(cube % static_cast<uint32_t>(n.x)),
                     static_cast<int32_t>(row % static_cast<uint32_t>(n.y)),
                     static_cast<int32_t>(row / static_cast<uint32_t>(n.y))};
    return at * 8 + brick_voxel(static_cast<uint32_t>(i & 511));
  }
  VOX_HD static bool inside(Int3 v, Int3 size) { return v.x < size.x && v.y < size.y && v.z < size.z; }
};

// Copies the words of all voxels, x fastest.
template <class Access, class T>
struct CopyVolume {
  Access access;
  JitTask task;

  VOX_HD void operator()(uint64_t i) const {
    const Int3 at = CubeOrder::voxel(i, task.size);
    if (CubeOrder::inside(at, task.size))
      static_cast<T*>(task.out)[DenseRef::index(task.size, at)] = access.template get<T>(at);
  }
};

// The cube of 2 radius + 1 voxels a side around a voxel, as far as it lies inside the volume.
struct FilterCube {
  Int3 low, high;  // 24 B, `high` is included

  VOX_HD FilterCube(Int3 at, int32_t radius, Int3 size)
      : low{first(at.x, radius), first(at.y, radius), first(at.z, radius)},
        high{last(at.x, radius, size.x), last(at.y, radius, size.y), last(at.z, radius, size.z)} {}

 private:
  VOX_HD static int32_t first(int32_t at, int32_t radius) { return at < radius ? 0 : at - radius; }
  VOX_HD static int32_t last(int32_t at, int32_t radius, int32_t size) {
    return at + radius < size ? at + radius : size - 1;
  }
};

// Returns the sum of the words in a cube of 2 radius + 1 voxels a side around a voxel. Voxels outside of the
// volume count as 0.
template <class T, class Access>
VOX_HD uint64_t sum_around(const Access& access, Int3 at, int32_t radius, Int3 size) {
  const FilterCube cube(at, radius, size);
  uint64_t sum = 0;
  Int3 v;
  VOX_NOT_UNROLLED for (v.z = cube.low.z; v.z <= cube.high.z; ++v.z)
      VOX_NOT_UNROLLED for (v.y = cube.low.y; v.y <= cube.high.y; ++v.y)
          VOX_NOT_UNROLLED for (v.x = cube.low.x; v.x <= cube.high.x; ++v.x) sum += access.template get<T>(v);
  return sum;
}

// Writes for each voxel the mean of the words around it, rounded down.
template <class Access, class T>
struct MeanFilter {
  Access access;
  JitTask task;

  VOX_HD void operator()(uint64_t i) const {
    const Int3 at = CubeOrder::voxel(i, task.size);
    if (!CubeOrder::inside(at, task.size)) return;
    const uint64_t sum = sum_around<T>(access, at, task.radius, task.size);
    const uint64_t side = 2 * static_cast<uint64_t>(task.radius) + 1;
    static_cast<T*>(task.out)[DenseRef::index(task.size, at)] = static_cast<T>(sum / (side * side * side));
  }
};

// Reads the words of random voxels, independently of each other.
template <class Access, class T>
struct RandomGather {
  Access access;
  JitTask task;

  VOX_HD void operator()(uint64_t i) const {
    static_cast<T*>(task.out)[i] = access.template get<T>(voxel(i, task.size));
  }
  VOX_HD static Int3 voxel(uint64_t i, Int3 size) {
    const uint64_t bits = mix64(i + 1);
    return {part(bits, size.x), part(bits >> 21, size.y), part(bits >> 42, size.z)};
  }
  VOX_HD static int32_t part(uint64_t bits, int32_t size) {
    return static_cast<int32_t>((bits & 0x1fffff) * static_cast<uint64_t>(size) >> 21);
  }
};

// Reads the words of random voxels in the order of the voxels' Morton codes.
template <class Access, class T>
struct MortonGather {
  Access access;
  JitTask task;

  VOX_HD void operator()(uint64_t i) const {
    static_cast<T*>(task.out)[i] = access.template get<T>(voxel(i, task.count, task.size));
  }
  VOX_HD static Int3 voxel(uint64_t i, uint64_t count, Int3 size) {
    const uint64_t step = (uint64_t{1} << 60) / count;  // a code has 20 bits per axis
    const Int3 at = morton_decode(i * step + mix64(i + 1) % step);
    return {part(at.x, size.x), part(at.y, size.y), part(at.z, size.z)};
  }
  VOX_HD static int32_t part(int32_t at, int32_t size) {
    return static_cast<int32_t>(static_cast<int64_t>(at) * size >> 20);
  }
};

// Computes the pixels of a picture.
template <class Access, class T>
struct CastPicture {
  Access access;
  JitTask task;

  VOX_HD void operator()(uint64_t i) const { CastVolume<Access, T>{access, task.view}(i); }
};

// The list of all loops. ReadLoop::Copy is the body CopyVolume, and in generated code the entry point
// copy_volume.
#define VOX_READ_LOOPS(LOOP)                      \
  LOOP(Copy, copy_volume, CopyVolume)             \
  LOOP(Mean, mean_filter, MeanFilter)             \
  LOOP(RandomGather, random_gather, RandomGather) \
  LOOP(MortonGather, morton_gather, MortonGather) \
  LOOP(Cast, cast_picture, CastPicture)

#define VOX_READ_LOOP(loop, entry, Body) loop,
enum class ReadLoop : uint32_t { VOX_READ_LOOPS(VOX_READ_LOOP) };
#undef VOX_READ_LOOP

}  // namespace vox::bricks
