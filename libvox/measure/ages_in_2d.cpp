#include "libvox/measure/ages_in_2d.h"

#include <algorithm>
#include <cmath>
#include <optional>
#include <utility>

#include "libvox/base/error.h"
#include "libvox/hash/keyed/probes.h"

namespace vox::measure {
namespace {

struct Pixel {
  uint32_t x, y;
};

// A Robin Hood table of pixels: of two keys at a slot, the one with the lower age goes on.
template <hash::ProbeSequence Sequence>
class Table2d {
 public:
  Table2d(uint32_t side, uint64_t seed)
      : side_(side),
        along_x_(side, seed),
        along_y_(side, seed + Sequence::kMostAge),
        slots_(uint64_t{side} * side) {}

  bool insert(Pixel key) {
    for (uint32_t age = 1; age <= Sequence::kMostAge; ++age) {
      Slot& slot = slots_[place(key, age)];
      if (slot.age == 0) {
        slot = {key, age};
        return true;
      }
      if (slot.age < age) {
        std::swap(slot.key, key);
        std::swap(slot.age, age);
      }
    }
    return false;
  }

  std::vector<uint8_t> maximum_ages() const {
    std::vector<uint8_t> ages(slots_.size());
    for (const Slot& slot : slots_) {
      if (slot.age == 0) continue;
      uint8_t& most = ages[place(slot.key, 1)];
      most = std::max(most, static_cast<uint8_t>(slot.age));
    }
    return ages;
  }

 private:
  struct Slot {
    Pixel key;
    uint32_t age = 0;  // 0: free
  };

  uint64_t place(Pixel key, uint32_t age) const {
    return along_y_.place(along_y_.start(key.y), age) * side_ + along_x_.place(along_x_.start(key.x), age);
  }

  uint64_t side_;
  Sequence along_x_, along_y_;
  std::vector<Slot> slots_;
};

template <class Sequence>
std::vector<uint8_t> ages_of(const std::vector<Pixel>& keys, uint32_t side) {
  constexpr uint64_t kAttempts = 16, kSeeds = 1000;
  for (uint64_t attempt = 0; attempt < kAttempts; ++attempt) {
    Table2d<Sequence> table(side, attempt * kSeeds);
    if (std::ranges::all_of(keys, [&](const Pixel& key) { return table.insert(key); }))
      return table.maximum_ages();
  }
  throw Error("the picture could not be hashed in 2D").hint("a lower load factor leaves more slots free");
}

}  // namespace

AgesIn2d maximum_ages_in_2d(const SparsePicture& picture, double load_factor, Probes2d probes) {
  std::vector<Pixel> keys;
  for (uint32_t y = 0; y < picture.height; ++y)
    for (uint32_t x = 0; x < picture.width; ++x)
      if (picture.color(x, y) != kWhite) keys.push_back({x, y});
  const double side = std::sqrt(static_cast<double>(keys.size()) / load_factor);
  AgesIn2d result = {.side = static_cast<uint32_t>(next_prime(std::max(
                         hash::CoherentProbes::kMostAge + 6u, static_cast<uint32_t>(std::ceil(side))))),
                     .ages = {},
                     .keys = keys.size()};
  result.ages = probes == Probes2d::Coherent ? ages_of<hash::CoherentProbes>(keys, result.side)
                                             : ages_of<hash::RandomProbes>(keys, result.side);
  return result;
}

}  // namespace vox::measure
