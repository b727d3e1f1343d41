// Finds the sides of the voxels of a surface, with the loops of sides.h, and divides parts that lead through a hole.
#pragma once

#include <algorithm>
#include <utility>

#include "libvox/base/progress.h"
#include "libvox/voxelize/sides.h"

namespace vox::voxelize {

// A part that is divided is flooded from its voxels with votes, in rounds. Every round reaches the neighbors of the
// voxels of
// the round before. A voxel takes the side of most voxels that reach it; the order of threads does not matter.

// Sets the previous voxel of each voxel that is a neighbor.
struct SetPrevious {
  NeighborsRef neighbors;
  uint32_t* previous;  // set to kNoNumber before
  VOX_HD void operator()(uint64_t i) const {
    if (neighbors.has(i)) previous[neighbors.next[i]] = static_cast<uint32_t>(i);
  }
};

struct FloodRef {
  const uint32_t* next[3];
  const uint32_t* previous[3];
  const uint32_t* others;
  uint32_t* rounds;  // the round that reached each voxel; kNotReached: none yet
  Side* sides;
  static constexpr uint32_t kNotReached = UINT32_MAX;

  template <class Body>
  VOX_HD void for_each_neighbor(uint32_t voxel, const Body& body) const {
    for (uint32_t axis = 0; axis < 3; ++axis)
      for (const uint32_t neighbor : {next[axis][voxel], previous[axis][voxel]})
        if (neighbor != hash::kNoNumber && neighbor != voxel && others[neighbor] == hash::kNoNumber)
          body(neighbor);
  }
};

struct StartFlood {
  FloodRef flood;
  const uint32_t* roots;
  VotesRef of_parts, of_voxels;
  VOX_HD void operator()(uint64_t i) const {
    const bool votes = of_voxels.inside[i] != of_voxels.outside[i] && of_parts.divided(roots[i]);
    flood.rounds[i] = votes ? 0 : FloodRef::kNotReached;
    if (votes) flood.sides[i] = of_voxels.majority(i);
  }
};

struct HasVotes {
  const uint32_t* rounds;
  VOX_HD bool operator()(uint64_t i) const { return rounds[i] == 0; }
};

struct ReachNeighbors {
  FloodRef flood;
  const uint32_t* front;
  uint32_t round;
  uint32_t* reached;
  uint32_t* count;
  VOX_HD void operator()(uint64_t i) const {
    flood.for_each_neighbor(front[i], [&](uint32_t neighbor) {
      constexpr uint32_t kNot = FloodRef::kNotReached;
      if (device::atomic_exchange_if_relaxed(flood.rounds + neighbor, kNot, round) == kNot)
        reached[device::atomic_count_together(count)] = neighbor;
    });
  }
};

struct TakeSides {
  FloodRef flood;
  const uint32_t* reached;
  uint32_t round;
  VOX_HD void operator()(uint64_t i) const {
    int32_t inside = 0;
    flood.for_each_neighbor(reached[i], [&](uint32_t neighbor) {
      if (flood.rounds[neighbor] == round - 1) inside += flood.sides[neighbor] == Side::Inside ? 1 : -1;
    });
    flood.sides[reached[i]] = inside > 0 ? Side::Inside : Side::Outside;
  }
};

// A surface's triangles, snapped, in the device's memory.
struct ShapesRef {
  const TriangleShape* shapes;
  uint64_t count;
};

struct SidesOfVoxels {
  device::Buffer<Side> sides;  // by the numbers of the index
  SideCounts counts;
};

// Finds the sides of the voxels of a surface.
template <class Device, hash::CellWord Key>
class SideFinder {
 public:
  using Index = hash::KeyIndex<Device, Key>;

  // `normals` belong to the other surface's voxels, by their numbers in `other`. They are read only for common
  // voxels.
  SideFinder(Device& device, uint32_t resolution, const Index& voxels, const Index& other,
             const VoxelNormal* normals, const ShapesRef& other_shapes)
      : device_(device), voxels_(voxels), normals_(normals), other_shapes_(other_shapes), n_(voxels.count()) {
    for (auto* array : {&others_, &roots_, &inside_, &outside_, &chosen_})
      *array = device.template make<uint32_t>(n_);
    other.find(voxels.keys(), n_, others_.data());
    auto keys = device.template make<Key>(n_);
    for (uint32_t axis = 0; axis < 3; ++axis) {
      next_[axis] = device.template make<uint32_t>(n_);
      device.for_each({"find next keys", 2.0 * sizeof(Key)}, n_,
                      NextKeys<Key>{voxels.keys(), axis, static_cast<int32_t>(resolution), keys.data()});
      voxels.find(keys.data(), n_, next_[axis].data());
    }
  }

  SidesOfVoxels find() {
    SidesOfVoxels found;
    SideCounts& counts = found.counts;
    find_parts();
    count_votes(roots_.data(), votes());
    counts.votes = device_.sum({"sum votes", 8}, n_, VotesOf{votes(), false});
    counts.overruled = device_.sum({"sum overruled votes", 8}, n_, VotesOf{votes(), true});
    counts.parts = device_.select({"select parts", 8}, n_, part(), chosen_.data());
    counts.divided_parts =
        device_.select({"select divided", 12}, n_, IsDivided{part(), votes()}, chosen_.data());
    counts.parts_by_rays =
        device_.select({"select undecided", 12}, n_, IsUndecided{part(), votes()}, chosen_.data());
    if (counts.parts_by_rays > 0) decide_by_rays(counts.parts_by_rays);
    found.sides = device_.template make<Side>(n_);
    device_.for_each({"set sides", kEach}, n_,
                     SetSides{along(0), roots_.data(), votes(), found.sides.data()});
    if (counts.divided_parts > 0) divide_parts(found.sides.data());
    const auto on = [&](Side side) {
      return device_.select({"count sides", 5}, n_, IsOn{found.sides.data(), side}, chosen_.data());
    };
    counts.outside = on(Side::Outside);
    counts.inside = on(Side::Inside);
    counts.common = n_ - counts.outside - counts.inside;
    return found;
  }

 private:
  static constexpr double kEach = 16;  // bytes that most loops move for each voxel, roughly

  NeighborsRef along(uint32_t axis) const { return {next_[axis].data(), others_.data()}; }
  VotesRef votes() { return {inside_.data(), outside_.data()}; }
  IsPart part() const { return {along(0), roots_.data()}; }

  void find_parts() {
    auto parents = device_.template make<uint32_t>(n_);
    const PartsRef parts = {parents.data()};
    device_.for_each({"start parts", 4}, n_, StartParts{parents.data()});
    for (uint32_t axis = 0; axis < 3; ++axis)
      device_.for_each({"join neighbors", kEach}, n_, JoinNeighbors{along(axis), parts});
    device_.for_each({"find roots", 8}, n_, FindRoots{parts, roots_.data()});
  }

  void count_votes(const uint32_t* roots, VotesRef counted) {
    device_.fill(counted.inside, n_, 0u);
    device_.fill(counted.outside, n_, 0u);
    for (uint32_t axis = 0; axis < 3; ++axis)
      device_.for_each({"count votes", kEach}, n_, CountVotes{along(axis), axis, roots, normals_, counted});
  }

  // Decides the sides of this many parts, which are listed in chosen_.
  void decide_by_rays(uint64_t parts) {
    auto least = device_.template make<Key>(n_);
    device_.fill(least.data(), n_, static_cast<Key>(~Key{0}));
    device_.for_each({"find least keys", kEach}, n_,
                     LeastKeys<Key>{along(0), voxels_.keys(), roots_.data(), least.data()});
    constexpr uint64_t kAtOnce = 1024, kTriangles = CrossFaces<Key>::kTriangles;
    const uint64_t blocks = (other_shapes_.count + kTriangles - 1) / kTriangles;
    auto crossings = device_.template make<uint32_t>(6 * kAtOnce);
    for (uint64_t begin = 0; begin < parts; begin += kAtOnce) {
      throw_if_cancelled();
      const uint64_t count = std::min(kAtOnce, parts - begin);
      device_.fill(crossings.data(), 6 * count, 0u);
      device_.for_each({"follow rays", 40.0 * kTriangles}, count * blocks,
                       CrossFaces<Key>{chosen_.data() + begin, least.data(), other_shapes_.shapes,
                                       other_shapes_.count, blocks, crossings.data()});
      device_.for_each({"decide by rays", 24}, count,
                       DecideByRays{chosen_.data() + begin, crossings.data(), votes()});
    }
  }

  void divide_parts(Side* sides) {
    auto rounds = device_.template make<uint32_t>(n_), inside = device_.template make<uint32_t>(n_),
         outside = device_.template make<uint32_t>(n_), count = device_.template make<uint32_t>(1);
    device::Buffer<uint32_t> previous[3];
    FloodRef flood = {{}, {}, others_.data(), rounds.data(), sides};
    for (uint32_t axis = 0; axis < 3; ++axis) {
      previous[axis] = device_.template make<uint32_t>(n_);
      device_.fill(previous[axis].data(), n_, hash::kNoNumber);
      device_.for_each({"set previous", 8}, n_, SetPrevious{along(axis), previous[axis].data()});
      flood.next[axis] = next_[axis].data();
      flood.previous[axis] = previous[axis].data();
    }
    const VotesRef of_voxels = {inside.data(), outside.data()};
    count_votes(nullptr, of_voxels);
    device_.for_each({"start flood", kEach}, n_, StartFlood{flood, roots_.data(), votes(), of_voxels});
    // The voxels' votes are no longer needed, so their arrays hold the voxels that are reached.
    uint32_t *front = inside.data(), *reached = outside.data();
    uint64_t in_front = device_.select({"select votes", 4}, n_, HasVotes{rounds.data()}, front);
    for (uint32_t round = 1; in_front > 0; ++round) {
      throw_if_cancelled();
      device_.fill(count.data(), 1, 0u);
      device_.for_each({"reach neighbors", 32}, in_front,
                       ReachNeighbors{flood, front, round, reached, count.data()});
      uint32_t found = 0;
      device_.download(&found, count.data(), 1);
      in_front = found;
      device_.for_each({"take sides", 40}, in_front, TakeSides{flood, reached, round});
      std::swap(front, reached);
    }
  }

  Device& device_;
  const Index& voxels_;
  const VoxelNormal* const normals_;
  const ShapesRef other_shapes_;
  const uint64_t n_;
  device::Buffer<uint32_t> others_, roots_, inside_, outside_, chosen_, next_[3];
};

}  // namespace vox::voxelize
