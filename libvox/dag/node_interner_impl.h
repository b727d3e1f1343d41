// The interner on one device.
#pragma once

#include "libvox/dag/freeze.h"
#include "libvox/dag/node_interner.h"
#include "libvox/dag/store.h"

namespace vox::dag {

template <class Device>
class DeviceNodeInterner final : public NodeInterner {
 public:
  explicit DeviceNodeInterner(Device& device)
      : device_(device), store_(device), is_host_(device.name() == "cpu") {}

  uint64_t available() override { return device_.pool().available(); }

  void intern(const uint32_t* words, const uint8_t* sizes, uint64_t n, uint32_t* pointers) override {
    constexpr uint32_t kWords = hash::kMaxItemWords;
    if (is_host_) {  // its memory is the host's
      store_.intern(hash::BatchRef{words, nullptr, nullptr, kWords, sizes}, n, pointers);
      return;
    }
    make_room(n);
    device_.upload(words_.data(), words, n * kWords);
    device_.upload(sizes_.data(), sizes, n);
    store_.intern(hash::BatchRef{words_.data(), nullptr, nullptr, kWords, sizes_.data()}, n,
                  pointers_.data());
    device_.download(pointers, pointers_.data(), n);
    device_.sync();
  }

  void freeze(uint32_t root, FrozenDag& dag) override {
    words_.reset();
    sizes_.reset();
    pointers_.reset();
    device_.pool().trim();
    Freezer(device_, store_, dag).run(root);
  }

 private:
  void make_room(uint64_t n) {
    if (sizes_.size() >= n) return;
    words_ = device_.template make<uint32_t>(n * hash::kMaxItemWords);
    sizes_ = device_.template make<uint8_t>(n);
    pointers_ = device_.template make<uint32_t>(n);
  }

  Device& device_;
  DagStore<Device> store_;
  const bool is_host_;
  device::Buffer<uint32_t> words_, pointers_;
  device::Buffer<uint8_t> sizes_;
};

template <class Device>
std::unique_ptr<NodeInterner> make_node_interner(Device& device) {
  return std::make_unique<DeviceNodeInterner<Device>>(device);
}

}  // namespace vox::dag
