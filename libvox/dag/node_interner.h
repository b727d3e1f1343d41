// Stores the nodes that the host makes, level by level from the leaves up: each node once, on a device of any kind. In
// the end the device returns the DAG that they form.
#pragma once

#include <cstdint>
#include <memory>

#include "libvox/dag/frozen_dag.h"
#include "libvox/device/handle.h"

namespace vox::dag {

class NodeInterner {
 public:
  virtual ~NodeInterner() = default;

  virtual uint64_t available() = 0;  // bytes that are left of the device's memory

  // Takes n nodes or leaves. Node i has sizes[i] words, which begin at words + i * hash::kMaxItemWords. Writes the
  // pointer of each; nodes with equal words have equal pointers.
  virtual void intern(const uint32_t* words, const uint8_t* sizes, uint64_t n, uint32_t* pointers) = 0;

  // Sets the words of all levels and the digest of a DAG from the pointer of its root.
  virtual void freeze(uint32_t root, FrozenDag& dag) = 0;
};

// The device must outlive the result. on_cpu.cpp and on_cuda.cu compile the template for each device.
template <class Device>
std::unique_ptr<NodeInterner> make_node_interner(Device& device);
std::unique_ptr<NodeInterner> make_node_interner(device::DeviceHandle device);

}  // namespace vox::dag
