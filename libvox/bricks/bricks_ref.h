// The types of bricks, and access to bricks of all types in the memory of a host or a device.
#pragma once

#include <array>
#include <string_view>
#include <type_traits>

#include "libvox/bricks/types/indexed_brick.h"
#include "libvox/bricks/types/plain_bricks.h"
#include "libvox/bricks/types/sparse_bricks.h"

namespace vox::bricks {

// The types of bricks. This list is the only place that names them all. A type's number is its place in the
// list.
template <class... Types>
struct BrickTypeList {
  static constexpr uint32_t kCount = sizeof...(Types);
#ifndef __CUDACC_RTC__  // NVRTC has no standard library
  static constexpr std::array<std::string_view, kCount> kNames = {Types::kName...};
#endif
  // Bit t is set if type t can hold any brick.
  static constexpr uint32_t kHoldAll = [] {
    uint32_t mask = 0, bit = 1;
    ((mask |= Types::kHoldsAll ? bit : 0, bit <<= 1), ...);
    return mask;
  }();

  template <class Type>
  static constexpr uint32_t kNumber = [] {
    uint32_t number = 0, at = 0;
    ((number = std::is_same_v<Type, Types> ? at : number, ++at), ...);
    return number;
  }();

  // Calls f.template operator()<Type>() for the type with this number, which must be one of `types`. It runs
  // on the host or the device, wherever f can run. Later types are not tested.
#ifdef __CUDACC__
#pragma nv_exec_check_disable
#endif
  template <uint32_t types = (1u << kCount) - 1, class F>
  VOX_HD static void with(uint32_t number, const F& f) {
    (with_one<types, Types>(number, f) || ...);
  }
  // Calls f.template operator()<Type>(number) for all types.
#ifdef __CUDACC__
#pragma nv_exec_check_disable
#endif
  template <class F>
  VOX_HD static void each(const F& f) {
    uint32_t at = 0;
    (f.template operator()<Types>(at++), ...);
  }

 private:
#ifdef __CUDACC__
#pragma nv_exec_check_disable
#endif
  template <uint32_t types, class Type, class F>
  VOX_HD static bool with_one(uint32_t number, const F& f) {
    constexpr uint32_t from_here = types >> kNumber<Type>;
    if constexpr ((from_here & 1) != 0) {
      // Generated code knows which types occur, so the last of them needs no test.
      constexpr bool is_left_over = from_here == 1 && types != (1u << kCount) - 1;
      if (!is_left_over && number != kNumber<Type>) return false;
      f.template operator()<Type>();
      return true;
    }
    return false;
  }
};

// The list itself. If several types take equally little memory, the first of them is chosen. Files hold the
// names of types, not their numbers, so that the order may change.
using BrickTypes = BrickTypeList<EmptyBrick, DenseBrick, OctreeBrick, ListBrick, HomogeneousBrick,
                                 PaletteBrick, MaskedBrick, HashBrick, IndexedBrick>;

inline constexpr uint32_t kBrickTypeCount = BrickTypes::kCount;

// Sets of types have bit t for type t.
inline constexpr uint32_t kAllBrickTypes = (1u << kBrickTypeCount) - 1;
inline constexpr uint32_t kThesisBrickTypes = 0b1111;  // empty, dense, octree, list
inline constexpr uint32_t kFastBrickTypes = 0b11;      // empty, dense
VOX_HD constexpr uint32_t count_of(uint32_t types) {
  uint32_t count = 0;
  for (; types != 0; types &= types - 1) ++count;
  return count;
}

inline constexpr uint32_t kMostPlaceLog2 = 2;

// Access to bricks in the memory of a host or a device.

// An entry of the root grid holds the brick's type in its low bits, and above them the brick's place: where
// it begins in the data of its type, in words. Entries take one word, or two if the largest place needs them.
inline constexpr uint32_t kRootTypeBits = 4;
inline constexpr uint64_t kMaxShortPlace = (uint64_t{1} << (32 - kRootTypeBits)) - 1;
static_assert(kBrickTypeCount <= 1u << kRootTypeBits);

// Reads the words of the voxels at a box's corners through any accessor, x fastest. If reading a voxel is much code,
// as with all types of bricks, a GPU's code contains it only once: with eight copies, rays take 1.6 times as long.
template <class T, bool is_much_code = false, class Access>
VOX_HD void corners_one_by_one(const Access& access, Int3 low, Int3 high, T* words) {
  const auto corner = [&](uint32_t i) {
    return access.template get<T>(
        {(i & 1) != 0 ? high.x : low.x, (i & 2) != 0 ? high.y : low.y, (i & 4) != 0 ? high.z : low.z});
  };
  if constexpr (is_much_code) {
    VOX_NOT_UNROLLED for (uint32_t i = 0; i < 8; ++i) {
      const T word = corner(i);
#ifdef __CUDA_ARCH__
      VOX_UNROLL for (uint32_t k = 0; k < 8; ++k) {
        if (k == i) words[k] = word;  // keeps `words` in registers
      }
#else
      words[i] = word;
#endif
    }
  } else {
    VOX_UNROLL for (uint32_t i = 0; i < 8; ++i) words[i] = corner(i);
  }
}

// A sparse root has entries only where something is filled. 8³ neighboring bricks form a group, 8³ neighboring groups a
// larger one, and so on. A dense grid has the numbers of the largest groups. A group's number names a block on its
// level. The block says which of its 8³ parts are filled, and where these begin in the list of the level. The list has
// the numbers of smaller groups or, on the last level, the entries of bricks. Equal groups may share a block. Block 0
// of each level stands for groups in which nothing is filled.

// A block of a level of groups.
struct GroupBlock {
  static constexpr uint32_t kLog2 = 3, kParts = 512;

  uint32_t masks[16];  // 64 B, a bit for each part, x fastest
  uint16_t before[8];  // 16 B, the number of filled parts before each 64 bits
  uint32_t first;      //  4 B, the place of the first filled part in the level's list
  uint32_t unused[3];  // 12 B, so that blocks begin at sectors

  VOX_HD static uint32_t part(Int3 place) {
    return static_cast<uint32_t>((place.x & 7) | (place.y & 7) << kLog2 | (place.z & 7) << 2 * kLog2);
  }
  VOX_HD static Int3 place(uint32_t part) {
    return {static_cast<int32_t>(part & 7), static_cast<int32_t>(part >> kLog2 & 7),
            static_cast<int32_t>(part >> 2 * kLog2)};
  }
  VOX_HD uint64_t mask(uint32_t row) const { return masks[2 * row] | uint64_t{masks[2 * row + 1]} << 32; }
  // Returns the number of filled parts.
  VOX_HD uint32_t count() const { return before[7] + static_cast<uint32_t>(popcount(mask(7))); }
  // Returns a part's place in the list, or kNever if nothing in it is filled.
  VOX_HD uint32_t find(uint32_t part) const {
    const uint64_t bits = mask(part / 64), bit = uint64_t{1} << part % 64;
    if ((bits & bit) == 0) return kNever;
    return first + before[part / 64] + static_cast<uint32_t>(popcount(bits & (bit - 1)));
  }
};
static_assert(sizeof(GroupBlock) == 96);

struct GroupsRef {
  static constexpr uint32_t kMostLevels = 5;

  uint32_t levels = 0;                         // 0: the root is dense
  Int3 grid = {};                              // the grid of the largest groups
  const uint32_t* top = nullptr;               // the numbers of the largest groups, x fastest
  const GroupBlock* blocks[kMostLevels] = {};  // for each level, that of the largest groups first
  const uint32_t* lists[kMostLevels] = {};     // for each level except the last

  struct Found {
    uint32_t place;       // the entry's place in the root; kNever if nothing is filled
    uint32_t empty_log2;  // if nothing is filled: log2 of the side, in bricks, of the cube known to be empty
  };

  VOX_HD Found find(Int3 brick) const {
    uint32_t shift = GroupBlock::kLog2 * levels;
    uint32_t place = top[cell_index(grid, {brick.x >> shift, brick.y >> shift, brick.z >> shift})];
    if (place == 0) return {kNever, shift};
    for (uint32_t level = 0; level < levels; ++level) {
      if (level > 0) place = lists[level - 1][place];
      shift -= GroupBlock::kLog2;
      const Int3 at = {brick.x >> shift, brick.y >> shift, brick.z >> shift};
      place = blocks[level][place].find(GroupBlock::part(at));
      if (place == kNever) return {kNever, shift};
    }
    return {place, 0};
  }
};

// Bricks in the memory of a host or a device, found by the numbers of their entries.
struct BricksRef {
  Int3 size, grid;
  BrickShape shape;
  uint32_t entry_words;
  uint32_t place_log2;  // entries hold places in units of 2^place_log2 words; 0 if the root is dense
  const uint32_t* root;
  GroupsRef groups;  // the groups of a sparse root
  const uint32_t* data[kBrickTypeCount];

  struct Entry {
    uint32_t type;
    uint64_t place;

    VOX_HD bool is_empty() const { return type == BrickTypes::kNumber<EmptyBrick>; }
  };

  VOX_HD Entry entry(uint64_t brick) const {
    Entry found = unpack(bits_of(brick));
    found.place <<= place_log2;
    return found;
  }
  // Returns an entry as it stands in the root.
  VOX_HD uint64_t bits_of(uint64_t brick) const {
    const uint64_t low = root[brick * entry_words];
    return entry_words == 2 ? low | uint64_t{root[2 * brick + 1]} << 32 : low;
  }
  VOX_HD static Entry unpack(uint64_t bits) {
    return {static_cast<uint32_t>(bits & ((1u << kRootTypeBits) - 1)), bits >> kRootTypeBits};
  }

  // Returns the place of a voxel's brick in the grid of bricks.
  VOX_HD Int3 place_of(Int3 voxel) const {
    const uint32_t shift = shape.log2_side;
    return {voxel.x >> shift, voxel.y >> shift, voxel.z >> shift};
  }
  // Returns the number of a brick's entry in a dense root.
  VOX_HD uint64_t index(Int3 place) const { return cell_index(grid, place); }

  VOX_HD Int3 inside(Int3 voxel) const {
    const int32_t mask = static_cast<int32_t>(shape.side()) - 1;
    return {voxel.x & mask, voxel.y & mask, voxel.z & mask};
  }

  // Returns the words of a brick of this type. The type is a constant, so that `data` stays in registers or parameters.
  // An index that is known only at run time would move it to a GPU's local memory.
  template <class Type>
  VOX_HD const uint32_t* words_of(Entry at) const {
    return data[BrickTypes::kNumber<Type>] + at.place;
  }

  // Returns the word of a voxel whose brick has this entry. The entry's type must be one of `types`.
  template <class T, uint32_t types = kAllBrickTypes>
  VOX_HD T get(Entry at, Int3 voxel) const {
    T word = 0;
    BrickTypes::with<types>(at.type, [&]<class Type>() {
      word = Type::template get<T>(words_of<Type>(at), shape, inside(voxel));
    });
    return word;
  }

  // Reads the words of this voxel and of its neighbors above it, all in the brick with this entry: the cube
  // of 2³ voxels, x fastest. The entry's type must be one of `types`.
  template <class T, uint32_t types = kAllBrickTypes>
  VOX_HD void cube(Entry at, Int3 voxel, T* words) const {
    BrickTypes::with<types>(at.type, [&]<class Type>() {
      Type::template cube<T>(words_of<Type>(at), shape, inside(voxel), words);
    });
  }

  // Reads the words of `count` voxels of the brick with this entry, from this one on along x.
  template <class T>
  VOX_HD void neighbors(Entry at, Int3 voxel, uint32_t count, T* row) const {
    BrickTypes::with(at.type, [&]<class Type>() {
      Type::template neighbors<T>(words_of<Type>(at), shape, inside(voxel), count, row);
    });
  }
};

// Implements corners() for accessors that find entries of `bricks`. If the corners are a cube of 2³ voxels in
// one brick, they share its entry.
template <class T, uint32_t types = kAllBrickTypes, class Access>
VOX_HD void corners_by(const Access& access, const BricksRef& bricks, Int3 low, Int3 high, T* words) {
  const Int3 place = bricks.place_of(low);
  if (high - low == Int3{1, 1, 1} && bricks.place_of(high) == place) {
    bricks.cube<T, types>(access.find(place), low, words);
  } else {
    constexpr bool is_much_code = count_of(types) > 4;
    corners_one_by_one<T, is_much_code>(access, low, high, words);
  }
}

// Access to the voxels of bricks through their root. Kernels are compiled for each kind of root, because the code for
// groups costs a GPU registers and local memory even if it never runs.
template <bool sparse>
struct RootedRef : BricksRef {
  static constexpr bool kIsSparse = sparse;

  // A brick's entry. If the brick is empty, also log2 of the side, in bricks, of an empty cube around it.
  struct Known {
    Entry entry;
    uint32_t empty_log2;
  };
  VOX_HD Known look(Int3 place) const {
    if constexpr (sparse) {
      const GroupsRef::Found found = groups.find(place);
      if (found.place == kNever) return {Entry{BrickTypes::kNumber<EmptyBrick>, 0}, found.empty_log2};
      return {entry(found.place), 0};
    } else {
      return {unpack(bits_of(index(place))), 0};
    }
  }
  VOX_HD Entry find(Int3 place) const { return look(place).entry; }

  using BricksRef::get;
  // Returns the word of a voxel of the volume.
  template <class T>
  VOX_HD T get(Int3 voxel) const {
    return get<T>(find(place_of(voxel)), voxel);
  }
  // Reads the words of the voxels at the corners of a box, x fastest.
  template <class T>
  VOX_HD void corners(Int3 low, Int3 high, T* words) const {
    corners_by<T>(*this, *this, low, high, words);
  }
};
using DenseRootRef = RootedRef<false>;
using SparseRootRef = RootedRef<true>;

// Calls f(access) with the RootedRef for the root that these bricks have.
template <class F>
decltype(auto) with_root(const BricksRef& bricks, const F& f) {
  return bricks.groups.levels == 0 ? f(DenseRootRef{bricks}) : f(SparseRootRef{bricks});
}

}  // namespace vox::bricks
