// The intersection of two moving surfaces on one device.
#pragma once

#include <algorithm>
#include <utility>

#include "libvox/base/progress.h"
#include "libvox/device/pool.h"
#include "libvox/hash/keyed/maps.h"
#include "libvox/measure/intersect_bench.h"
#include "libvox/measure/timing.h"
#include "libvox/voxelize/find_sides.h"
#include "libvox/voxelize/leaf_pairs.h"
#include "libvox/voxelize/triangles_meet.h"

namespace vox::measure {

// Finds the pairs of triangles of two meshes that have a voxel in common, each pair once, and tests if they
// meet.

// A map from a mesh's filled voxels, as Morton codes, to the triangles that fill each.
template <class Device>
using VoxelTriangles = hash::MultiMap<Device, uint32_t>;

struct HasTriangles {
  const hash::KeyRun* runs;
  VOX_HD bool operator()(uint64_t i) const { return runs[i].count > 0; }
};

// The voxels that both meshes fill. Such a voxel gives a pair for each triangle of the first with each of the
// second.
struct CommonVoxelsRef {
  const uint32_t* common;          // numbers of voxels of the second mesh
  const hash::KeyRun* first_runs;  // for each voxel of the second mesh, its run in first_triangles
  const uint32_t* first_triangles;
  const uint32_t* second_starts;  // for each voxel of the second mesh, its start in second_triangles
  const uint32_t* second_triangles;

  VOX_HD uint64_t pairs(uint64_t c) const {
    const uint32_t number = common[c];
    return uint64_t{first_runs[number].count} * (second_starts[number + 1] - second_starts[number]);
  }
  // Returns pair `which` of the voxel's pairs as one word, with the first mesh's triangle in the high
  // half.
  VOX_HD uint64_t pair(uint64_t c, uint64_t which) const {
    const uint32_t number = common[c];
    const hash::KeyRun run = first_runs[number];
    const uint32_t first = first_triangles[run.begin + which % run.count];
    const uint32_t second = second_triangles[second_starts[number] + which / run.count];
    return uint64_t{first} << 32 | second;
  }
};

struct PairsOfVoxel {
  CommonVoxelsRef voxels;
  VOX_HD uint64_t operator()(uint64_t c) const { return voxels.pairs(c); }
};

// Writes one pair per thread, because voxels have very different numbers of pairs. A binary search finds the
// voxel.
struct EmitTrianglePairs {
  CommonVoxelsRef voxels;
  uint64_t count;         // number of common voxels
  const uint64_t* first;  // the number of each voxel's first pair
  uint64_t* pairs;
  VOX_HD void operator()(uint64_t i) const {
    uint64_t low = 0, high = count;  // first[low] <= i < first[high]
    while (high - low > 1) {
      const uint64_t middle = low + (high - low) / 2;
      (first[middle] <= i ? low : high) = middle;
    }
    pairs[i] = voxels.pair(low, i - first[low]);
  }
};

struct PairMeets {
  const voxelize::TriangleShape* first;
  const voxelize::TriangleShape* second;
  const uint64_t* pairs;
  VOX_HD bool operator()(uint64_t i) const {
    return voxelize::triangles_meet(first[pairs[i] >> 32], second[pairs[i] & UINT32_MAX]);
  }
};

// The voxels that both meshes fill.
template <class Device>
struct CommonVoxels {
  device::Buffer<hash::KeyRun> runs;  // for each voxel of the second mesh, the first mesh's triangles there
  device::Buffer<uint32_t> numbers;   // numbers of the common voxels among the second mesh's
  uint64_t count = 0;

  CommonVoxelsRef ref(const VoxelTriangles<Device>& first, const VoxelTriangles<Device>& second) const {
    return {numbers.data(), runs.data(), first.values(), second.starts(), second.values()};
  }
};

// Looks up all voxels of the second mesh in the table of the first.
template <class Device>
CommonVoxels<Device> find_common_voxels(Device& device, const VoxelTriangles<Device>& first,
                                        const VoxelTriangles<Device>& second) {
  const uint64_t n = second.index().count();
  CommonVoxels<Device> common = {device.template make<hash::KeyRun>(n), device.template make<uint32_t>(n)};
  first.find(second.index().keys(), n, common.runs.data());
  common.count =
      device.select({"select common voxels", 12}, n, HasTriangles{common.runs.data()}, common.numbers.data());
  return common;
}

// Finds the different pairs of triangles in these voxels. The pairs become keys of a table, so each is kept
// once, even if its triangles share many voxels. Throws Error if there are too many for a table.
template <class Device>
void find_triangle_pairs(Device& device, const CommonVoxelsRef& voxels, uint64_t count,
                         hash::KeyIndex<Device, uint64_t>& pairs) {
  auto first = device.template make<uint64_t>(count + 1);
  const uint64_t n =
      device.exclusive_scan({"places of pairs", 40}, count, PairsOfVoxel{voxels}, first.data());
  if (n >= hash::kNoSlot) throw OutOfMemory(n * sizeof(uint64_t), device.pool().available());
  auto all = device.template make<uint64_t>(n);
  device.for_each({"emit pairs", 40}, n, EmitTrianglePairs{voxels, count, first.data(), all.data()});
  pairs.build(all.data(), n);
}

struct KeptSide {
  const voxelize::Side* sides;
  voxelize::Combination combination;
  bool second;
  VOX_HD bool operator()(uint64_t i) const { return voxelize::keeps(combination, second, sides[i]); }
};

struct TriangleCorners {
  uint32_t position[3];  // 12 B
};
static_assert(sizeof(TriangleCorners) == 12);

struct PlaceTriangles {
  const Vec3d* positions;
  const TriangleCorners* corners;
  MeshPlace place;
  uint32_t resolution;
  voxelize::TriangleShape* shapes;
  VOX_HD void operator()(uint64_t i) const {
    voxelize::TriangleShape shape = {};
    for (int k = 0; k < 3; ++k) {
      const Vec3d p = place(positions[corners[i].position[k]]);
      shape.corner[k] = {voxelize::snap(p.x, resolution), voxelize::snap(p.y, resolution),
                         voxelize::snap(p.z, resolution)};
    }
    shapes[i] = shape;
  }
};

// A mesh in the device's memory, in its own coordinates and in those of the grid.
template <class Device>
class PlacedMesh {
 public:
  PlacedMesh(Device& device, const scene::Scene& scene)
      : device_(device), box_(voxelize::bounding_box(scene)), count_(scene.triangles.size()) {
    if (count_ == 0) throw Error("a mesh without triangles has no surface to intersect");
    std::vector<TriangleCorners> corners;
    corners.reserve(count_);
    for (const scene::Triangle& triangle : scene.triangles)
      corners.push_back({{triangle.position[0], triangle.position[1], triangle.position[2]}});
    positions_ = device::uploaded(device, scene.positions);
    corners_ = device::uploaded(device, corners);
    shapes_ = device.template make<voxelize::TriangleShape>(count_);
  }

  const voxelize::Box& box() const { return box_; }
  uint64_t triangles() const { return count_; }
  const voxelize::TriangleShape* shapes() const { return shapes_.data(); }

  voxelize::VoxelPairs voxelized(const MeshPlace& place, uint32_t resolution) {
    device_.for_each({"place triangles", 130}, count_,
                     PlaceTriangles{positions_.data(), corners_.data(), place, resolution, shapes_.data()});
    const voxelize::TrianglesRef triangles = {.shapes = shapes_.data()};
    return voxelize::make_voxel_pairs(device_, triangles, count_, resolution, scene::Coverage::Conservative);
  }

 private:
  Device& device_;
  voxelize::Box box_;
  uint64_t count_;
  device::Buffer<Vec3d> positions_;
  device::Buffer<TriangleCorners> corners_;
  device::Buffer<voxelize::TriangleShape> shapes_;
};

template <class Device>
class IntersectBench {
 public:
  IntersectBench(Device& device, const scene::Scene& first, const scene::Scene& second,
                 const IntersectOptions& options)
      : device_(device),
        options_(options),
        pair_{options.resolution, options.frames},
        first_(device, first),
        second_(device, second) {}

  IntersectResult run() {
    Stopwatch watch;
    result_.first_triangles = first_.triangles();
    result_.second_triangles = second_.triangles();
    const std::vector<std::string> tables = chosen_names(options_.tables, hash::key_table_names());
    Progress progress("measuring", tables.size() * options_.frames);
    for (const std::string& table : tables) measure_table(table, progress);
    result_.seconds = watch.seconds();
    return std::move(result_);
  }

 private:
  // If a table cannot be built for a reason other than lack of memory, its summary holds the reason.
  void measure_table(const std::string& table, Progress& progress) {
    IntersectSummary summary = {.table = table, .combines = options_.combination.has_value()};
    const size_t begin = result_.rows.size();
    try {
      const auto measure = [&](uint32_t frame) {
        return options_.combination ? combine_frame(summary, frame) : measure_frame(summary, frame);
      };
      measure(0);  // warms up and is not counted
      for (uint32_t frame = 0; frame < options_.frames; ++frame) {
        throw_if_cancelled();
        result_.rows.push_back(measure(frame));
        progress.update(++done_, table);
      }
      summarize_rows(summary, begin);
    } catch (const Cancelled&) {
      throw;
    } catch (const OutOfMemory&) {
      throw;
    } catch (const Error& error) {
      result_.rows.resize(begin);
      summary.error = error.what();
    }
    result_.summaries.push_back(std::move(summary));
    check_rows(begin);
  }

  // Returns the pairs of both meshes in the row's frame.
  std::pair<voxelize::VoxelPairs, voxelize::VoxelPairs> voxelized(IntersectRow& row) {
    std::pair<voxelize::VoxelPairs, voxelize::VoxelPairs> pairs;
    time(row, IntersectPhase::Voxelize, [&] {
      pairs.first = first_.voxelized(pair_.resting(first_.box()), options_.resolution);
      pairs.second = second_.voxelized(pair_.moving(second_.box(), row.frame), options_.resolution);
    });
    return pairs;
  }

  IntersectRow measure_frame(IntersectSummary& summary, uint32_t frame) {
    IntersectRow row = {summary.table, frame, pair_.turn(frame), pair_.shift(frame), {}, {}};
    const hash::KeyTableOptions options = {.table = summary.table};
    // The counts do not depend on the order of a voxel's triangles.
    VoxelTriangles<Device> first(device_, options, hash::RunOrder::kAny),
        second(device_, options, hash::RunOrder::kAny);
    hash::KeyIndex<Device, uint64_t> pairs(device_, options);
    CommonVoxels<Device> common;
    IntersectCounts& counts = row.counts;
    const auto pairs_of_both = voxelized(row);
    const voxelize::VoxelPairs &first_pairs = pairs_of_both.first, &second_pairs = pairs_of_both.second;
    time(row, IntersectPhase::Build, [&] {
      first.build(first_pairs.voxels.data(), first_pairs.triangles.data(), first_pairs.count);
      second.build(second_pairs.voxels.data(), second_pairs.triangles.data(), second_pairs.count);
    });
    counts.first_voxels = first.index().count();
    counts.second_voxels = second.index().count();
    time(row, IntersectPhase::Search, [&] { common = find_common_voxels(device_, first, second); });
    counts.common_voxels = common.count;
    time(row, IntersectPhase::Pairs, [&] {
      if (common.count == 0) return;
      find_triangle_pairs(device_, common.ref(first, second), common.count, pairs);
      counts.candidates = pairs.count();
      counts.meeting = device_.sum({"test pairs", 88}, pairs.count(),
                                   PairMeets{first_.shapes(), second_.shapes(), pairs.keys()});
    });
    const uint64_t bytes = first.bytes() + second.bytes() + (common.count > 0 ? pairs.bytes() : 0);
    summary.bytes = std::max(summary.bytes, bytes);
    return row;
  }

  using VoxelIndex = hash::KeyIndex<Device, uint32_t>;

  IntersectRow combine_frame(IntersectSummary& summary, uint32_t frame) {
    IntersectRow row = {summary.table, frame, pair_.turn(frame), pair_.shift(frame), {}, {}, true};
    const hash::KeyTableOptions options = {.table = summary.table};
    VoxelIndex first(device_, options), second(device_, options);
    IntersectCounts& counts = row.counts;
    const auto pairs_of_both = voxelized(row);
    const voxelize::VoxelPairs &first_pairs = pairs_of_both.first, &second_pairs = pairs_of_both.second;
    time(row, IntersectPhase::Build, [&] {
      first.build(first_pairs.voxels.data(), first_pairs.count);
      second.build(second_pairs.voxels.data(), second_pairs.count);
    });
    counts.first_voxels = first.count();
    counts.second_voxels = second.count();
    time(row, IntersectPhase::Sides, [&] {
      const auto first_normals = normals(first, first_, first_pairs),
                 second_normals = normals(second, second_, second_pairs);
      counts.first_sides = sides(first, second, second_normals, second_, false, counts.kept_voxels);
      counts.second_sides = sides(second, first, first_normals, first_, true, counts.kept_voxels);
    });
    counts.common_voxels = counts.first_sides.common;
    summary.bytes = std::max(summary.bytes, first.bytes() + second.bytes());
    return row;
  }

  device::Buffer<voxelize::VoxelNormal> normals(const VoxelIndex& index, const PlacedMesh<Device>& mesh,
                                                const voxelize::VoxelPairs& pairs) {
    auto numbers = device_.template make<uint32_t>(pairs.count);
    index.find(pairs.voxels.data(), pairs.count, numbers.data());
    auto normals = device_.template make<voxelize::VoxelNormal>(index.count());
    device_.fill(normals.data(), index.count(), voxelize::VoxelNormal{});
    device_.for_each(
        {"add normals", 60}, pairs.count,
        voxelize::AddNormals{mesh.shapes(), numbers.data(), pairs.triangles.data(), normals.data()});
    return normals;
  }

  // Makes an array of the keys of the voxels that remain, and adds their number to `kept`.
  voxelize::SideCounts sides(const VoxelIndex& index, const VoxelIndex& other,
                             const device::Buffer<voxelize::VoxelNormal>& other_normals,
                             const PlacedMesh<Device>& other_mesh, bool second, uint64_t& kept) {
    const voxelize::SidesOfVoxels found =
        voxelize::SideFinder(device_, options_.resolution, index, other, other_normals.data(),
                             {other_mesh.shapes(), other_mesh.triangles()})
            .find();
    auto chosen = device_.template make<uint32_t>(index.count()),
         keys = device_.template make<uint32_t>(index.count());
    const uint64_t count =
        device_.select({"select kept voxels", 5}, index.count(),
                       KeptSide{found.sides.data(), *options_.combination, second}, chosen.data());
    device_.for_each({"take kept voxels", 12}, count,
                     device::TakeChosen<uint32_t>{index.keys(), chosen.data(), keys.data()});
    kept += count;
    return found.counts;
  }

  template <class F>
  void time(IntersectRow& row, IntersectPhase phase, const F& f) {
    row.seconds[static_cast<size_t>(phase)] = device_.seconds(f);
  }

  void summarize_rows(IntersectSummary& summary, size_t begin) const {
    const auto timing = [&](const auto& seconds_of) {
      std::vector<double> seconds;
      for (size_t i = begin; i < result_.rows.size(); ++i) seconds.push_back(seconds_of(result_.rows[i]));
      return summarize(std::move(seconds));
    };
    summary.frame = timing([](const IntersectRow& row) { return row.total_seconds(); });
    for (size_t phase = 0; phase < kIntersectPhases; ++phase)
      summary.phases[phase] = timing([&](const IntersectRow& row) { return row.seconds[phase]; });
  }

  // Throws Error unless all tables give the same counts.
  void check_rows(size_t begin) const {
    for (size_t i = begin; i < result_.rows.size(); ++i) {
      const IntersectRow &row = result_.rows[i], &expected = result_.rows[row.frame];
      if (row.counts != expected.counts)
        throw Error("in frame " + std::to_string(row.frame) + " the table " + row.table +
                    " finds different voxels or pairs than " + expected.table);
    }
  }

  Device& device_;
  const IntersectOptions& options_;
  const MovingPair pair_;
  PlacedMesh<Device> first_, second_;
  IntersectResult result_;
  uint64_t done_ = 0;
};

template <class Device>
IntersectResult bench_intersect_on(Device& device, const scene::Scene& first, const scene::Scene& second,
                                   const IntersectOptions& options) {
  check(options);
  try {
    return IntersectBench<Device>(device, first, second, options).run();
  } catch (OutOfMemory& error) {
    error.hint("allow more memory or lower the resolution");
    throw;
  }
}

}  // namespace vox::measure
