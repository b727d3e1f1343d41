// Joins things into sets, one pair after the other.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <numeric>
#include <vector>

namespace vox::voxelize {

// At first each of `count` things is its own set. Only one thread may join things; vox::edit::DisjointSets is for
// many.
class JoinedSets {
 public:
  explicit JoinedSets(size_t count = 0) : above_(count) { std::iota(above_.begin(), above_.end(), 0u); }

  uint32_t size() const { return static_cast<uint32_t>(above_.size()); }

  void join(uint32_t a, uint32_t b) {
    a = first_of(a), b = first_of(b);
    above_[std::max(a, b)] = std::min(a, b);
  }

  // To be called when everything is joined. Then operator[] returns the first thing of the set that a thing is in.
  void finish() {
    for (uint32_t i = 0; i < size(); ++i) above_[i] = first_of(i);
  }
  uint32_t operator[](uint32_t i) const { return above_[i]; }

 private:
  uint32_t first_of(uint32_t i) {
    while (above_[i] != i) i = above_[i] = above_[above_[i]];
    return i;
  }

  std::vector<uint32_t> above_;  // an earlier thing of the set, or the thing itself if it is the first
};

}  // namespace vox::voxelize
