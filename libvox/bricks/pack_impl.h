// Chooses a type for each of many bricks whose voxels lie in a device's memory, and writes the bricks of each type.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "libvox/bricks/bodies.h"
#include "libvox/bricks/frozen_bricks.h"
#include "libvox/device/pool.h"

namespace vox::bricks {

// The types and sizes of bricks.
struct BrickChoice {
  uint64_t count = 0;
  device::Buffer<BrickCounts> counts;
  device::Buffer<uint8_t> types;  // kOutside for bricks that are not to be written
  device::Buffer<uint32_t> bytes;
};

template <class Device, class T>
class BrickPacker {
 public:
  // Bricks begin at multiples of 2^place_log2 words. This is the unit of places in entries.
  BrickPacker(Device& device, uint32_t types, uint32_t place_log2 = 0)
      : device_(device), allowed_(types), place_log2_(place_log2) {}

  // Makes room for this many voxels: their words, brick by brick and in Morton order inside each, and a mask of filled
  // voxels for each block of 4³. The caller writes both before it calls choose().
  void make_room(uint64_t voxels) {
    if (words_.size() >= voxels) return;
    release();
    words_ = device_.template make<T>(voxels);
    masks_ = device_.template make<uint64_t>(voxels >> 6);
  }
  T* words() { return words_.data(); }
  uint64_t* masks() { return masks_.data(); }
  void release() {
    words_.reset();
    masks_.reset();
  }

  // Chooses for each brick the allowed type that takes the least memory.
  BrickChoice choose(uint64_t count, const PieceBricks& places) {
    const BrickShape shape = places.shape;
    BrickChoice choice = {count, device_.template make<BrickCounts>(count),
                          device_.template make<uint8_t>(count), device_.template make<uint32_t>(count)};
    device_.for_each({"bricks: count", static_cast<double>(shape.voxels() * sizeof(T))}, count,
                     CountBrick<T>{words_.data(), masks_.data(), shape, choice.counts.data()});
    device_.for_each({"bricks: choose types", 25}, count,
                     ChooseType<T>{choice.counts.data(), places, shape, allowed_, choice.types.data(),
                                   choice.bytes.data()});
    return choice;
  }

  // Builds the bricks and appends them to others in host memory, and their entries to `entries`.
  void append(const BrickChoice& choice, BrickShape shape, FrozenBricks& to, std::vector<uint64_t>& entries) {
    auto roots = device_.template make<uint64_t>(choice.count);
    device_.fill(roots.data(), choice.count, uint64_t{BrickTypes::kNumber<EmptyBrick>});
    write(choice, shape, roots.data(),
          [&](uint32_t type, uint64_t bricks, uint64_t words, const auto& write_to) {
            auto data = device_.template make<uint32_t>(words);
            device_.fill(data.data(), words, 0u);
            Words& all = to.data[type];
            write_to(data.data(), all.size());
            all.resize(all.size() + words);
            device_.download(all.data() + all.size() - words, data.data(), words);
            to.counts[type] += bricks;
          });
    entries.resize(entries.size() + choice.count);
    device_.download(entries.data() + entries.size() - choice.count, roots.data(), choice.count);
  }

  // Writes the bricks, type by type, and the entry of each to `entries`. For each type that occurs it calls place(type,
  // bricks, words, write). That function makes room for this many words, sets them to zero, and calls write(to, before)
  // with their place in the device's memory and the number of words of this type before them.
  template <class Place>
  void write(const BrickChoice& choice, BrickShape shape, uint64_t* entries, const Place& place) {
    auto chosen = device_.template make<uint32_t>(choice.count);
    auto places = device_.template make<uint64_t>(choice.count + 1);
    BrickTypes::each([&]<class Type>(uint32_t type) {
      const uint64_t count =
          device_.select("bricks: of a type", choice.count, IsType{choice.types.data(), type}, chosen.data());
      if (count == 0) return;
      const uint64_t words = device_.exclusive_scan(
          "bricks: places", count, WordsOfChosen{chosen.data(), choice.bytes.data(), place_log2_},
          places.data());
      static const std::string name = std::string("bricks: build ") + Type::kName;
      place(type, count, words, [&](uint32_t* to, uint64_t before) {
        device_.for_each(
            name.c_str(), count,
            BuildBricks<T, Type>{words_.data(), masks_.data(), choice.counts.data(), shape, chosen.data(),
                                 places.data(), type, before, place_log2_, to, entries});
      });
    });
  }

 private:
  Device& device_;
  uint32_t allowed_, place_log2_;
  device::Buffer<T> words_;
  device::Buffer<uint64_t> masks_;
};

}  // namespace vox::bricks
