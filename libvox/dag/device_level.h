// A level of a FrozenDag on a device, with the places of its nodes.
#pragma once

#include "libvox/dag/frozen_dag.h"
#include "libvox/device/pool.h"

namespace vox::dag {

struct LevelRef {
  uint32_t* words;
  NodePlacesRef places;
  VOX_HD uint32_t* node(uint64_t number) const { return words + places[number]; }
  VOX_HD uint32_t size(uint64_t number) const {
    return static_cast<uint32_t>(places[number + 1] - places[number]);
  }
};

struct DeviceLevel {
  device::Buffer<uint32_t> words;
  device::Buffer<PlacesBlock> places;
  uint64_t nodes = 0;
  LevelRef ref() const { return {words.data(), {places.data()}}; }
};

template <class Device>
DeviceLevel uploaded_level(Device& device, const DagLevel& level) {
  return {device::uploaded(device, level.words), device::uploaded(device, level.places.blocks()),
          level.places.nodes()};
}

}  // namespace vox::dag
