// The implementation of build.h for any device. build_cpu.cpp and build_cuda.cu include this file and only
// name the device.
#pragma once

#include "libvox/base/stopwatch.h"
#include "libvox/dag/octree_counts.h"
#include "libvox/hash/keyed/lines.h"
#include "libvox/spatial/build.h"
#include "libvox/spatial/octree_cells.h"

namespace vox::spatial {

template <class Device>
HashResult build_hash(Device& device, const dag::FrozenDag& dag, const HashOptions& options) {
  const Stopwatch watch;
  // A file's counts of its DAG may be wrong, so the counts that memory depends on are computed from the
  // nodes.
  const dag::OctreeCounts counts = dag::octree_counts(dag);
  check_hash_fits(counts.voxels, counts.nodes.back(), options, device.pool().available());
  HashResult result;
  FrozenHash& hash = result.hash;
  hash.keys = {options.layout, dag.resolution};
  hash.materials = dag.materials;
  hash.load_factor = options.load_factor;
  hash.voxels = counts.voxels;
  auto cells = octree_cells(device, dag, hash.keys);
  hash::LinesTable<Device, uint64_t> table(
      device, {.table = "lines", .load_factor = options.load_factor, .value_bits = kMaterialBits});
  result.attempts = table.build(cells.data(), hash.voxels).attempts;
  cells.reset();
  result.peak_device_bytes = device.pool().peak();
  device.pool().trim();
  const hash::LinesRef<uint64_t> lines = table.ref().ref;
  hash.lines = lines.lines;
  hash.seed = lines.seed;
  hash.probes = lines.probes;
  hash.apart = table.holds_apart() ? 1 : 0;
  hash.cells.resize(table.slots() + 1);
  device.download(hash.cells.data(), table.cells(), hash.cells.size());
  result.seconds = watch.seconds();
  return result;
}

}  // namespace vox::spatial
