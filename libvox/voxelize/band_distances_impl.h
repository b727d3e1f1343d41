// Runs the kernels of distances.h.
#pragma once

#include <algorithm>
#include <utility>

#include "libvox/base/error.h"
#include "libvox/base/progress.h"
#include "libvox/device/pool.h"
#include "libvox/voxelize/descend.h"
#include "libvox/voxelize/distances.h"

namespace vox::voxelize {

// Returns the pairs of bricks and triangles, sorted by bricks.
template <class Device>
Pairs<uint64_t> band_pairs(Device& device, const BandMesh& mesh, const BandTriangle* triangles,
                           const uint8_t* values, uint64_t count) {
  Pairs<uint64_t> pairs = {device.template make<uint64_t>(count), device.template make<uint32_t>(count), 0};
  pairs.count = device.select("triangles of a band", count, IsInBand{values}, pairs.triangles.data());
  device.fill(pairs.keys.data(), pairs.count, uint64_t{0});
  CoverBand cover = {.triangles = triangles,
                     .sides = mesh.grid.voxel_size.sides() * double{kBandSide},
                     .band = mesh.band,
                     .bricks = static_cast<int32_t>((mesh.grid.resolution + kBandSide - 1) / kBandSide)};
  uint32_t log2_side = 0;
  while (int32_t{1} << log2_side < cover.bricks) log2_side += 2;
  const uint32_t bits = 3 * log2_side;
  do {
    throw_if_cancelled();
    log2_side -= std::min(log2_side, 2u);
    auto masks = device.template make<uint64_t>(pairs.count);
    auto first = device.template make<uint64_t>(pairs.count + 1);
    cover.keys = pairs.keys.data();
    cover.pair_triangles = pairs.triangles.data();
    cover.side = 1 << log2_side;
    cover.masks = masks.data();
    device.for_each({"cells of a band", 124}, pairs.count, cover);
    const uint64_t total = device.exclusive_scan({"places of cells of a band", 24}, pairs.count,
                                                 device::CountBits{masks.data()}, first.data());
    if (total >= UINT32_MAX) throw OutOfMemory(total * 12, device.pool().available());
    Pairs<uint64_t> children = {device.template make<uint64_t>(total), device.template make<uint32_t>(total),
                                total};
    device.for_each({"emit cells of a band", 24}, pairs.count,
                    EmitChildren<uint64_t>{pairs.keys.data(), pairs.triangles.data(), masks.data(),
                                           first.data(), children.keys.data(), children.triangles.data()});
    pairs = std::move(children);
  } while (log2_side > 0);
  device.sort_pairs("sort pairs by brick", pairs.keys, pairs.triangles, pairs.count, std::max(bits, 6u));
  return pairs;
}

template <class Device>
BandDistances measure_band(Device& device, const BandMesh& mesh) {
  const uint64_t count = mesh.values.size();
  auto positions = device.template make<Vec3d>(mesh.positions.size());
  auto corners = device.template make<scene::Triangle>(count);
  device.upload(positions.data(), mesh.positions.data(), mesh.positions.size());
  device.upload(corners.data(), mesh.triangles.data(), count);
  const auto values = device::uploaded(device, mesh.values);
  auto triangles = device.template make<BandTriangle>(count);
  device.for_each({"place triangles in a band", 204}, count,
                  PlaceInBand{positions.data(), corners.data(), mesh.grid.origin,
                              1e-6 * mesh.grid.voxel_size.shortest(), triangles.data()});
  const Pairs<uint64_t> pairs = band_pairs(device, mesh, triangles.data(), values.data(), count);
  const device::Runs bricks = device::find_runs(device, "bricks of a band", pairs.keys.data(), pairs.count);
  auto keys = device.template make<uint64_t>(bricks.count);
  device.for_each("keys of bricks", bricks.count,
                  device::TakeChosen<uint64_t>{pairs.keys.data(), bricks.starts.data(), keys.data()});
  BandDistances result;
  const uint64_t voxels = bricks.count * kBandVoxels, bytes = voxels * (sizeof(float) + 1);
  if (bytes > mesh.room) throw OutOfMemory(bytes, mesh.room);
  result.keys.resize(bricks.count);
  device.download(result.keys.data(), keys.data(), bricks.count);
  result.distances.resize(voxels);
  result.values.resize(voxels);
  constexpr uint64_t kAtOnce = uint64_t{1} << 25;  // voxels
  auto distances = device.template make<float>(std::min(voxels, kAtOnce));
  auto nearest = device.template make<uint8_t>(std::min(voxels, kAtOnce));
  Progress progress("measuring distances", voxels);
  for (uint64_t begin = 0; begin < voxels; begin += kAtOnce) {
    throw_if_cancelled();
    const uint64_t size = std::min(kAtOnce, voxels - begin);
    device.for_each(
        {"measure distances", 5}, size,
        MeasureBand{triangles.data(), values.data(), keys.data(), bricks.ref(), pairs.triangles.data(),
                    mesh.grid.voxel_size.sides(), mesh.band, begin, distances.data(), nearest.data()});
    device.download(result.distances.data() + begin, distances.data(), size);
    device.download(result.values.data() + begin, nearest.data(), size);
    progress.update(begin + size, "");
  }
  return result;
}

}  // namespace vox::voxelize
