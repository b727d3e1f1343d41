// Takes nodes out of a level on the host, as they pass through a device. Nodes that are not taken move to the level's
// front, and the memory behind them is freed:
//
//   level    │a b c d e f g h│       a piece: │a b c d│ ─▶ b and c are taken, a and d are put back
//   becomes  │a d e h│               the next: │e f g h│ ─▶ f and g are taken, e and h are put back
//
// A level that is worked on in several portions thus shrinks while its result grows.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "libvox/build/round.h"
#include "libvox/device/pool.h"

namespace vox::build {

// The level must outlive the sieve.
template <class Device>
class NodeSieve {
 public:
  // The bytes that a node takes on the device: as it comes, and packed if it is put back.
  static constexpr uint64_t kBytesPerNode = 2 * kBytesOnTheWay + 8;

  NodeSieve(Device& device, RoundLevel& level)
      : device_(device),
        level_(level),
        stream_(device, level.words.values(), level.sizes.values(), level.nodes()) {}

  bool done() const { return stream_.done(); }
  // Returns the next nodes, at most this many.
  NodePiece next(uint64_t most) {
    NodePiece piece = stream_.next(most);
    level_.rest();
    return piece;
  }

  // Keeps the chosen nodes of the last piece in the level, with the words that they have now.
  void put_back(const NodePiece& piece, const uint32_t* chosen, uint64_t n) {
    auto offsets = device_.template make<uint32_t>(n + 1);
    const uint64_t count = device_.exclusive_scan({"rounds: places", 12}, n,
                                                  SizeOfChosen{piece.offsets.data(), chosen}, offsets.data());
    auto words = device_.template make<uint32_t>(count);
    auto sizes = device_.template make<uint8_t>(n);
    device_.for_each({"rounds: pack nodes", 60}, n,
                     PackNodes{piece.words.data(), piece.offsets.data(), chosen, offsets.data(), words.data(),
                               sizes.data()});
    device_.download(level_.words.data() + words_, words.data(), count);
    device_.download(level_.sizes.data() + nodes_, sizes.data(), n);
    words_ += count;
    nodes_ += n;
  }

  uint64_t nodes_left() const { return nodes_; }  // the number of nodes that were put back

  // Frees the memory of the nodes that were taken. All pieces must have been read.
  void finish() {
    level_.words.shrink(words_);
    level_.sizes.shrink(nodes_);
  }

 private:
  Device& device_;
  RoundLevel& level_;
  NodeStream<Device> stream_;
  uint64_t words_ = 0, nodes_ = 0;  // put back so far
};

// The numbers that the nodes of a round's level get in the merged level: 4 bytes for each node. They lie on the device
// if they take little of its memory, and otherwise where spilled arrays lie.

// The number of a node that has not been merged yet.
inline constexpr uint32_t kNoNumber = UINT32_MAX;

// Numbers on the device: in memory of their own, or as a part of an array that is already there.
struct NumbersOnDevice {
  device::Buffer<uint32_t> own;  // empty if the numbers are those of an array
  uint32_t* data = nullptr;
  uint64_t count = 0;
};

enum class NumbersLie { OnDevice, OnHost };

template <class Device>
class NodeNumbers {
 public:
  NodeNumbers() = default;
  // Makes `size` numbers, all of which are kNoNumber.
  NodeNumbers(Device& device, const SpillPlace& place, uint64_t size, NumbersLie lie) : size_(size) {
    if (lie == NumbersLie::OnDevice) {
      near_ = device.template make<uint32_t>(size);
      device.fill(near_.data(), size, kNoNumber);
    } else {
      far_ = {place, size};
    }
  }

  uint64_t size() const { return size_; }
  bool is_on_device() const { return near_.size() == size_; }

  // Brings the numbers of `count` nodes to the device, if they are not there.
  NumbersOnDevice load(Device& device, uint64_t first, uint64_t count) const {
    if (is_on_device()) return {{}, near_.data() + first, count};
    NumbersOnDevice numbers = {device.template make<uint32_t>(count), nullptr, count};
    numbers.data = numbers.own.data();
    const uint64_t known = std::min(count, far_.size() - std::min(far_.size(), first));
    device.upload(numbers.data, far_.data() + first, known);
    device.fill(numbers.data + known, count - known, kNoNumber);
    return numbers;
  }
  // Keeps the numbers of nodes that load() has brought. Host memory is taken for them when they are kept for the first
  // time, which must happen in the order of the nodes.
  void keep(Device& device, uint64_t first, const NumbersOnDevice& numbers) {
    if (is_on_device()) return;
    if (far_.size() < first + numbers.count) far_.append(first + numbers.count - far_.size());
    device.download(far_.data() + first, numbers.data, numbers.count);
    far_.rest();
  }

  std::vector<uint32_t> on_host(Device& device) const {
    std::vector<uint32_t> values(size_);
    if (is_on_device())
      device.download(values.data(), near_.data(), size_);
    else
      std::ranges::copy(far_.values(), values.begin());
    return values;
  }

 private:
  device::Buffer<uint32_t> near_;
  SpilledArray<uint32_t> far_;
  uint64_t size_ = 0;
};

}  // namespace vox::build
