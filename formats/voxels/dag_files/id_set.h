// A set of numbers below a bound, stored as one bit each, that also gives each member's index in the set.
#pragma once

#include <atomic>
#include <bit>
#include <cstdint>
#include <vector>

namespace vox {

class IdSet {
 public:
  explicit IdSet(uint64_t bound) : bits_(bound / 64 + 1) {}
  IdSet(uint64_t bound, const std::vector<uint64_t>& ids) : IdSet(bound) {
    for (const uint64_t id : ids) add(id);
    number();
  }

  // Several threads may add numbers at once.
  void add(uint64_t id) {
    const std::atomic_ref<uint64_t> word(bits_[id / 64]);
    const uint64_t bit = uint64_t{1} << id % 64;
    if ((word.load(std::memory_order_relaxed) & bit) == 0) word.fetch_or(bit, std::memory_order_relaxed);
  }

  // Numbers the members; index_of() and count() may be called afterwards.
  void number() {
    before_.resize(bits_.size());
    count_ = 0;
    for (size_t i = 0; i < bits_.size(); ++i) {
      before_[i] = count_;
      count_ += static_cast<uint64_t>(std::popcount(bits_[i]));
    }
  }

  uint64_t count() const { return count_; }
  uint64_t index_of(uint64_t id) const {
    const uint64_t lower = bits_[id / 64] & ((uint64_t{1} << id % 64) - 1);
    return before_[id / 64] + static_cast<uint64_t>(std::popcount(lower));
  }

  std::vector<uint64_t> ascending() const {
    std::vector<uint64_t> ids;
    ids.reserve(count_);
    for (size_t i = 0; i < bits_.size(); ++i)
      for (uint64_t bits = bits_[i]; bits != 0; bits &= bits - 1)
        ids.push_back(i * 64 + static_cast<uint64_t>(std::countr_zero(bits)));
    return ids;
  }

 private:
  std::vector<uint64_t> bits_, before_;
  uint64_t count_ = 0;
};

}  // namespace vox
