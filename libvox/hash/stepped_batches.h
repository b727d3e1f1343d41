// LinkedBatches for tables that need the host for each batch: each batch is finished before the next one
// starts.
#pragma once

#include "libvox/hash/find_or_insert.h"

namespace vox::hash {

template <class Device>
class SteppedBatches final : public LinkedBatches {
 public:
  SteppedBatches(Device& device, TableSet<Device>& tables, size_t batches)
      : LinkedBatches(batches), device_(device), tables_(tables), word_(device.template make<uint32_t>(1)) {}

  BatchStart start(size_t, const BatchItems& items) const override { return {.items = items}; }
  bool has_leaders() const override { return false; }
  void intern(size_t number, const BatchItems& items) override {
    work_[number] = find_or_insert(device_, tables_, items.ref(), items.n, items.pointers);
  }
  uint32_t* word() const override { return word_.data(); }
  BatchesResult finish() override {
    BatchesResult result;
    device_.download(&result.word, word_.data(), 1);
    return result;
  }

 private:
  Device& device_;
  TableSet<Device>& tables_;
  device::Buffer<uint32_t> word_;
};

}  // namespace vox::hash
