#include "libvox/voxelize/inside.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <span>
#include <utility>
#include <vector>

#include "libvox/base/bits.h"
#include "libvox/base/error.h"
#include "libvox/base/loops.h"
#include "libvox/base/progress.h"
#include "libvox/dag/from_cubes.h"
#include "libvox/dag/walk.h"
#include "libvox/device/cpu_device.h"
#include "libvox/voxelize/joined_sets.h"

namespace vox::voxelize {
namespace {

constexpr double kRounding = 1 + 1e-9;  // of lengths that are whole numbers of voxels
constexpr int32_t kMostReach = 1024;    // voxels

struct ColumnRun {
  int32_t begin, end;
};

// The voxels of a column as bits, from the box's lower end.
class ColumnBits {
 public:
  explicit ColumnBits(const VoxelBox& box)
      : low_(box.min.y), high_(box.max.y), words_(static_cast<size_t>(high_ - low_ + 63) / 64) {}

  void set(int32_t begin, int32_t end) {
    begin = std::max(begin, low_) - low_, end = std::min(end, high_) - low_;
    if (begin >= end) return;
    const auto first = static_cast<size_t>(begin) / 64, last = static_cast<size_t>(end - 1) / 64;
    const uint64_t from = UINT64_MAX << (begin & 63), to = UINT64_MAX >> (63 - ((end - 1) & 63));
    if (first == last) {
      words_[first] |= from & to;
      return;
    }
    words_[first] |= from;
    std::fill(words_.begin() + static_cast<ptrdiff_t>(first) + 1,
              words_.begin() + static_cast<ptrdiff_t>(last), UINT64_MAX);
    words_[last] |= to;
  }
  // Moves the runs out, and clears the bits.
  void take_runs(std::vector<ColumnRun>& runs) {
    bool goes_on = false;  // the last run ends where a word begins
    for (size_t i = 0; i < words_.size(); ++i) {
      const int32_t first = low_ + static_cast<int32_t>(i) * 64;
      const bool joins = std::exchange(goes_on, false);
      for (uint64_t rest = std::exchange(words_[i], 0); rest != 0;) {
        const int begin = lowest_bit(rest);
        const uint64_t others = ~(rest >> begin);
        const int end = others == 0 ? 64 : begin + lowest_bit(others);
        if (joins && begin == 0)
          runs.back().end = first + end;
        else
          runs.push_back({first + begin, first + end});
        goes_on = end == 64;
        rest = goes_on ? 0 : rest >> end << end;
      }
    }
  }

 private:
  int32_t low_, high_;
  std::vector<uint64_t> words_;
};

// A column of a shape: it reaches `reach` voxels up and down.
struct ShapeColumn {
  int32_t x, z, reach;
};
using WalkShape = std::vector<ShapeColumn>;

// The number of voxels of this side within a length.
int32_t steps_within(double length, double side) {
  const double steps = std::floor(length / side * kRounding);
  if (steps > kMostReach)
    throw Error(fmt::format("walls are sealed, or the walker is, over {} voxels, expected at most {}", steps,
                            kMostReach))
        .hint("make voxels larger");
  return static_cast<int32_t>(steps);
}

WalkShape capsule_of(const Walker& walker, const VoxelSize& size) {
  WalkShape shape;
  const int32_t x_reach = steps_within(walker.radius, size.x), z_reach = steps_within(walker.radius, size.z),
                y_reach = steps_within(walker.height / 2, size.y);
  const double straight = walker.height / 2 - walker.radius, most = walker.radius * walker.radius * kRounding;
  for (int32_t z = -z_reach; z <= z_reach; ++z)
    for (int32_t x = -x_reach; x <= x_reach; ++x) {
      const auto is_within = [&](int32_t y) {
        const double along = std::max(0., y * size.y - straight);
        return x * size.x * (x * size.x) + z * size.z * (z * size.z) + along * along <= most;
      };
      if (!is_within(0)) continue;
      int32_t reach = 0;
      while (reach < y_reach && is_within(reach + 1)) ++reach;
      shape.push_back({x, z, reach});
    }
  return shape;
}

VoxelBox box_of(const WalkShape& shape, Int3 at) {
  VoxelBox box = cube_at(at, 1);
  for (const ShapeColumn& column : shape)
    box = hull(box, {at + Int3{column.x, -column.reach, column.z},
                     at + Int3{column.x + 1, column.reach + 1, column.z + 1}});
  return box;
}

// A set of voxels in a box, as runs of columns along y.
class VoxelColumns {
 public:
  VoxelColumns() = default;
  // paint(x, z, ColumnBits&) sets the voxels of a column; it runs on all cores.
  template <class Paint>
  VoxelColumns(const char* what, const VoxelBox& box, uint64_t room, const Paint& paint)
      : box_(box), slabs_(static_cast<size_t>(box.size().z)) {
    const auto columns = static_cast<uint64_t>(box.size().x) + 1;
    if (columns * slabs_.size() * sizeof(uint32_t) > room)
      throw OutOfMemory(columns * slabs_.size() * sizeof(uint32_t), room);
    constexpr size_t kSlabs = 64;  // between two looks at an interrupt
    Progress progress(what, slabs_.size());
    uint64_t bytes = 0;
    for (size_t begin = 0, end = 0; begin < slabs_.size(); begin = end) {
      throw_if_cancelled();
      end = std::min(begin + kSlabs, slabs_.size());
      parallel_for(begin, end, [&](size_t i) {
        Slab& slab = slabs_[i];
        ColumnBits bits(box);
        slab.starts.reserve(columns);
        slab.starts.push_back(0);
        for (int32_t x = box.min.x; x < box.max.x; ++x) {
          paint(x, box.min.z + static_cast<int32_t>(i), bits);
          bits.take_runs(slab.runs);
          slab.starts.push_back(static_cast<uint32_t>(slab.runs.size()));
        }
        slab.runs.shrink_to_fit();
      });
      for (size_t i = begin; i < end; ++i)
        bytes += slabs_[i].runs.size() * sizeof(ColumnRun) + slabs_[i].starts.size() * sizeof(uint32_t);
      if (bytes > room) throw OutOfMemory(bytes, room);
      progress.update(end, "");
    }
  }

  const VoxelBox& box() const { return box_; }
  std::span<const ColumnRun> at(int32_t x, int32_t z) const {
    if (x < box_.min.x || x >= box_.max.x || z < box_.min.z || z >= box_.max.z) return {};
    const Slab& slab = slabs_[static_cast<size_t>(z - box_.min.z)];
    const auto column = static_cast<size_t>(x - box_.min.x);
    return std::span(slab.runs).subspan(slab.starts[column], slab.starts[column + 1] - slab.starts[column]);
  }
  bool has(Int3 voxel) const { return run_at(voxel) != nullptr; }

  // Sets the voxels that lie in the shape around one of this set's.
  void paint_around(const WalkShape& shape, int32_t x, int32_t z, ColumnBits& bits) const {
    for (const ShapeColumn& column : shape)
      for (const ColumnRun& run : at(x + column.x, z + column.z))
        bits.set(run.begin - column.reach, run.end + column.reach);
  }
  // Sets the voxels of a column of `box` that are not in this set.
  void paint_others(const VoxelBox& box, int32_t x, int32_t z, ColumnBits& bits) const {
    int32_t from = box.min.y;
    for (const ColumnRun& run : at(x, z)) {
      bits.set(from, run.begin);
      from = run.end;
    }
    bits.set(from, box.max.y);
  }

  // Returns the voxels of this set that a path through faces joins with one of its voxels.
  VoxelColumns joined_with(Int3 voxel, uint64_t room) const {
    std::vector<uint64_t> firsts = {0};
    for (const Slab& slab : slabs_) firsts.push_back(firsts.back() + slab.runs.size());
    if (firsts.back() >= UINT32_MAX || firsts.back() * sizeof(uint32_t) > room)
      throw OutOfMemory(firsts.back() * sizeof(uint32_t), room);
    JoinedSets sets(firsts.back());
    const auto number = [&](const ColumnRun& run, int32_t z) {
      const auto slab = static_cast<size_t>(z - box_.min.z);
      return static_cast<uint32_t>(firsts[slab] + static_cast<uint64_t>(&run - slabs_[slab].runs.data()));
    };
    const auto join = [&](int32_t x, int32_t z, int32_t other_x, int32_t other_z) {
      const std::span<const ColumnRun> a = at(x, z), b = at(other_x, other_z);
      for (size_t i = 0, k = 0; i < a.size() && k < b.size();) {
        if (a[i].begin < b[k].end && b[k].begin < a[i].end) sets.join(number(a[i], z), number(b[k], other_z));
        a[i].end <= b[k].end ? ++i : ++k;
      }
    };
    for (int32_t z = box_.min.z; z < box_.max.z; ++z) {
      throw_if_cancelled();
      for (int32_t x = box_.min.x; x < box_.max.x; ++x) join(x, z, x - 1, z), join(x, z, x, z - 1);
    }
    sets.finish();
    const uint32_t wanted = sets[number(*run_at(voxel), voxel.z)];
    return {"following the walker", box_, room, [&](int32_t x, int32_t z, ColumnBits& bits) {
              for (const ColumnRun& run : at(x, z))
                if (sets[number(run, z)] == wanted) bits.set(run.begin, run.end);
            }};
  }

 private:
  struct Slab {
    std::vector<uint32_t> starts;
    std::vector<ColumnRun> runs;
  };
  const ColumnRun* run_at(Int3 voxel) const {
    for (const ColumnRun& run : at(voxel.x, voxel.z))
      if (voxel.y >= run.begin && voxel.y < run.end) return &run;
    return nullptr;
  }

  VoxelBox box_ = {};
  std::vector<Slab> slabs_;  // for each z
};

class UnreachableSpace {
 public:
  UnreachableSpace(const dag::FrozenDag& dag, const WalkSpace& space)
      : dag_(dag), space_(space), room_(device::CpuDevice(space.memory_limit, false).pool().available() / 4) {
    const VoxelBox grid = cube_at({0, 0, 0}, dag.resolution);
    for (uint32_t k = 0; k < 3; ++k)
      seed_[k] = static_cast<int32_t>(std::clamp(std::floor(space.seed[k]), -1., double(dag.resolution)));
    if (intersection(cube_at(seed_, 1), grid).empty())
      throw Error("the seed lies outside of the scene's grid").about("seed");
    if (space.walker) capsule_ = capsule_of(*space.walker, space.voxel_size);
    box_ = intersection(hull(dag::filled_box(dag), box_of(capsule_, seed_)), grid);
  }

  // Returns all voxels of the box that are filled in the end.
  VoxelColumns find() const {
    VoxelColumns filled("finding columns", box_, room_, [&](int32_t x, int32_t z, ColumnBits& bits) {
      dag::for_each_leaf(dag_, {{x, box_.min.y, z}, {x + 1, box_.max.y, z + 1}},
                         [&](Int3 corner, uint64_t mask, const uint32_t*) {
                           dag::visit_bits(mask, [&](uint32_t bit) {
                             const int32_t y = corner.y + cube_place(bit).y;
                             bits.set(y, y + 1);
                           });
                         });
    });
    if (filled.has(seed_)) throw Error("a filled voxel is at the seed").about("seed");
    if (space_.seal) filled = with_outside(filled);
    if (space_.walker) filled = without_way(filled);
    return filled;
  }

 private:
  VoxelColumns with_outside(const VoxelColumns& filled) const {
    Int3 reach;
    for (uint32_t k = 0; k < 3; ++k) reach[k] = steps_within(*space_.seal, space_.voxel_size[k]);
    WalkShape along_x, along_z;
    for (int32_t x = -reach.x; x <= reach.x; ++x) along_x.push_back({x, 0, reach.y});
    for (int32_t z = -reach.z; z <= reach.z; ++z) along_z.push_back({0, z, 0});
    const auto grown = [&](const VoxelColumns& set, const VoxelBox& box) {
      const VoxelColumns wide("sealing gaps", box, room_, [&](int32_t x, int32_t z, ColumnBits& bits) {
        set.paint_around(along_x, x, z, bits);
      });
      return VoxelColumns("sealing gaps", box, room_, [&](int32_t x, int32_t z, ColumnBits& bits) {
        wide.paint_around(along_z, x, z, bits);
      });
    };
    const Int3 around = reach + Int3{1, 1, 1};
    const VoxelBox wide = {box_.min - around, box_.max + around};
    const VoxelColumns near = grown(filled, wide);
    const VoxelColumns far(
        "looking at empty space", wide, room_,
        [&](int32_t x, int32_t z, ColumnBits& bits) { near.paint_others(wide, x, z, bits); });
    const VoxelColumns outside = grown(far.joined_with(wide.min, room_), box_);
    if (outside.has(seed_))
      throw Error("the seed can be reached from outside of the scene")
          .about("seed")
          .hint("seal wider gaps, or carve alone");
    return {"filling what is outside", box_, room_, [&](int32_t x, int32_t z, ColumnBits& bits) {
              for (const VoxelColumns* set : {&filled, &outside})
                for (const ColumnRun& run : set->at(x, z)) bits.set(run.begin, run.end);
            }};
  }

  VoxelColumns without_way(const VoxelColumns& filled) const {
    const VoxelColumns blocked(
        "finding places for the walker", box_, room_,
        [&](int32_t x, int32_t z, ColumnBits& bits) { filled.paint_around(capsule_, x, z, bits); });
    if (blocked.has(seed_))
      throw Error("the walker does not fit at the seed").about("seed").hint("its middle is there");
    const VoxelColumns places(
        "looking at empty space", box_, room_,
        [&](int32_t x, int32_t z, ColumnBits& bits) { blocked.paint_others(box_, x, z, bits); });
    const VoxelColumns reached = places.joined_with(seed_, room_);
    const VoxelColumns way("carving", box_, room_, [&](int32_t x, int32_t z, ColumnBits& bits) {
      reached.paint_around(capsule_, x, z, bits);
    });
    return {"filling the rest", box_, room_,
            [&](int32_t x, int32_t z, ColumnBits& bits) { way.paint_others(box_, x, z, bits); }};
  }

  const dag::FrozenDag& dag_;
  const WalkSpace& space_;
  uint64_t room_;
  Int3 seed_;
  WalkShape capsule_;
  VoxelBox box_;
};

// Puts the voxels of a set into a cube.
void put_columns(const VoxelColumns& set, Int3 corner, uint32_t material, dag::VoxelCube& cube) {
  constexpr int32_t kSide = dag::VoxelCube::kSide;
  bool is_full = true;
  const auto for_each_run = [&](const auto& visit) {
    for (int32_t z = 0; z < kSide; ++z)
      for (int32_t x = 0; x < kSide; ++x) {
        const std::span<const ColumnRun> runs = set.at(corner.x + x, corner.z + z);
        auto run = std::ranges::upper_bound(runs, corner.y, {}, &ColumnRun::end);
        if (run == runs.end() || run->begin > corner.y || run->end < corner.y + kSide) is_full = false;
        for (; run != runs.end() && run->begin < corner.y + kSide; ++run)
          visit(x, z, std::max(run->begin - corner.y, 0), std::min(run->end - corner.y, kSide));
      }
  };
  for_each_run([](int32_t, int32_t, int32_t, int32_t) {});
  if (is_full) return cube.fill(material);
  for_each_run([&](int32_t x, int32_t z, int32_t begin, int32_t end) {
    for (int32_t y = begin; y < end; ++y) cube.put({x, y, z}, material);
  });
}

}  // namespace

FloodedScene unreachable_filled(const dag::FrozenDag& dag, uint8_t material, const WalkSpace& space) {
  if (dag.empty()) throw Error("has no voxel, and so no walls");
  const VoxelColumns filled = UnreachableSpace(dag, space).find();
  dag::CubeSource source = {
      .resolution = dag.resolution, .materials = dag.materials, .cubes = {}, .read = {}};
  constexpr int32_t kSide = dag::VoxelCube::kSide;
  const VoxelBox& box = filled.box();
  for (int32_t z = box.min.z / kSide; z * kSide < box.max.z; ++z)
    for (int32_t y = box.min.y / kSide; y * kSide < box.max.y; ++y)
      for (int32_t x = box.min.x / kSide; x * kSide < box.max.x; ++x)
        source.cubes.push_back(dag::cube_key({x * kSide, y * kSide, z * kSide}));
  std::ranges::sort(source.cubes);
  source.read = [&](size_t i, dag::VoxelCube& cube) {
    const Int3 corner = dag::cube_corner(source.cubes[i]);
    put_columns(filled, corner, material, cube);
    if (!dag.materials) return;
    dag::for_each_leaf(dag, cube_at(corner, kSide), [&](Int3 leaf, uint64_t mask, const uint32_t* words) {
      dag::visit_bits(mask, [&](uint32_t bit) {
        cube.put(leaf - corner + cube_place(bit), dag::leaf_material(words, bit));
      });
    });
  };
  FloodedScene result = {.dag = dag::dag_of_cubes(source, space.memory_limit).dag};
  result.filled = result.dag.voxels - dag.voxels;
  return result;
}

}  // namespace vox::voxelize
