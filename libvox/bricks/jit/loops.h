// The loops that read a volume. Each one is a body that takes one of the accessors: RootedRef, KdRef,
// DenseRef, or the generated JitBricks. An accessor has get<T>(voxel), which returns the word of a voxel,
// and corners<T>(low, high, words), which reads the words of the voxels at the corners of a box, x fastest.
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
  // 4 B: the index of the node of the low side; the high side's node follows it. In a leaf: its type, or kMixed.
  uint32_t next = kMixed;

  VOX_HD uint32_t axis() const { return split & 3; }
  VOX_HD int32_t position() const { return static_cast<int32_t>(split >> 2); }
  VOX_HD bool is_leaf() const { return split == kLeaf; }
};
static_assert(sizeof(KdNode) == 8);

struct KdRef {
  DenseRootRef bricks;
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

// The arguments of all loops. Each loop reads those that it needs.
struct JitTask {
  Int3 size;            // 12 B, the volume's size
  int32_t radius;       // 4 B, the radius of a mean filter
  uint32_t background;  // 4 B, the bits of a value are its word xor these bits
  uint32_t sign;        // 4 B, the sign bit of values that are signed whole numbers, else 0
  uint64_t count;       // 8 B, the number of positions of a gather
  void* out;            // 8 B
  CastView view;        // the view of a picture; it has its own pixels
};

// Access to the same words in a dense array, for comparison with bricks.
struct DenseRef {
  Int3 size;
  const void* words;

  template <class T>
  VOX_HD T get(Int3 v) const {
    return static_cast<const T*>(words)[cell_index(size, v)];
  }
  template <class T>
  VOX_HD void corners(Int3 low, Int3 high, T* found) const {
    corners_one_by_one(*this, low, high, found);
  }
};

// The order of loops over all voxels: cubes of 8³ row by row, and the voxels of each cube in Morton order.
// The 32 threads of a warp then read 4 x 4 x 2 voxels, which lie in one brick. Some voxels of the last cubes
// lie outside of the volume.
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
    const auto code = static_cast<uint32_t>(i & 511);
    return at * 8 + Int3{along(code), along(code >> 1), along(code >> 2)};
  }
  VOX_HD static bool inside(Int3 v, Int3 size) { return v.x < size.x && v.y < size.y && v.z < size.z; }

 private:
  // Returns the place in a cube along the axis whose bits are the first, fourth and seventh of a code.
  VOX_HD static int32_t along(uint32_t code) {
    code &= 0x49;
    return static_cast<int32_t>((code | code >> 2 | code >> 4) & 7);
  }
};

// Copies the words of all voxels, x fastest.
template <class Access, class T>
struct CopyVolume {
  Access access;
  JitTask task;

  VOX_HD void operator()(uint64_t i) const {
    const Int3 at = CubeOrder::voxel(i, task.size);
    if (CubeOrder::inside(at, task.size))
      static_cast<T*>(task.out)[cell_index(task.size, at)] = access.template get<T>(at);
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

// Calls add(word) for the voxels inside the volume that lie in a cube of 2 radius + 1 voxels a side around a voxel. The
// order is the same for every access.
template <class T, class Access, class Add>
VOX_HD void for_each_around(const Access& access, Int3 at, int32_t radius, Int3 size, const Add& add) {
  const FilterCube cube(at, radius, size);
  Int3 v;
  VOX_NOT_UNROLLED for (v.z = cube.low.z; v.z <= cube.high.z; ++v.z)
      VOX_NOT_UNROLLED for (v.y = cube.low.y; v.y <= cube.high.y; ++v.y)
          VOX_NOT_UNROLLED for (v.x = cube.low.x; v.x <= cube.high.x; ++v.x) add(access.template get<T>(v));
}

// Returns the sum of the words in such a cube. Voxels outside of the volume count as 0.
template <class T, class Access>
VOX_HD uint64_t sum_around(const Access& access, Int3 at, int32_t radius, Int3 size) {
  uint64_t sum = 0;
  for_each_around<T>(access, at, radius, size, [&](T word) { sum += word; });
  return sum;
}

VOX_HD inline uint32_t word_of(float value) {
#ifdef __CUDA_ARCH__
  return __float_as_uint(value);
#else
  return std::bit_cast<uint32_t>(value);
#endif
}

// Returns the word of the mean of the numbers in such a cube. Means of whole numbers are rounded down. Words of 32 bits
// are floats, which are summed up in doubles.
template <class T, class Access>
VOX_HD T mean_around(const Access& access, Int3 at, const JitTask& task) {
  const Int3 size = task.size;
  const int32_t radius = task.radius;
  const int64_t side = 2 * static_cast<int64_t>(radius) + 1, voxels = side * side * side;
  if constexpr (sizeof(T) == 1) {
    return static_cast<T>(sum_around<T>(access, at, radius, size) / static_cast<uint64_t>(voxels));
  } else if constexpr (sizeof(T) == 4) {
    double sum = 0;
    for_each_around<T>(access, at, radius, size,
                       [&](T word) { sum += static_cast<double>(float_of_bits(word ^ task.background)); });
    return word_of(static_cast<float>(sum / static_cast<double>(voxels))) ^ task.background;
  } else {
    // The bits of a signed number, with the sign bit flipped, are the number plus 2^15.
    const uint32_t flipped = task.background ^ task.sign;
    int64_t sum = 0;
    for_each_around<T>(access, at, radius, size, [&](T word) {
      sum += static_cast<int64_t>(word ^ flipped) - static_cast<int64_t>(task.sign);
    });
    return static_cast<T>(static_cast<uint32_t>((sum - (sum < 0 ? voxels - 1 : 0)) / voxels) ^
                          task.background);
  }
}

// Writes for each voxel the mean of the values around it.
template <class Access, class T>
struct MeanFilter {
  Access access;
  JitTask task;

  VOX_HD void operator()(uint64_t i) const {
    const Int3 at = CubeOrder::voxel(i, task.size);
    if (!CubeOrder::inside(at, task.size)) return;
    static_cast<T*>(task.out)[cell_index(task.size, at)] = mean_around<T>(access, at, task);
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
