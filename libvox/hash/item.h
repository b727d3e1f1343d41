// Items, the 2 to 10 words of a leaf or a node: code to read, hash and compare them.
#pragma once

#include <cstdint>

#include "libvox/base/hd.h"
#include "libvox/base/mix.h"

namespace vox::hash {

inline constexpr uint32_t kMinItemWords = 2;
inline constexpr uint32_t kMaxItemWords = 10;  // a full leaf with materials

// The words of an item in memory. They lie in one array, or in two if a table keeps the first two words of
// its items apart from the others. Both pointers point to where word 0 would be.
class ItemRef {
 public:
  VOX_HD ItemRef(const uint32_t* words) : head_(words), tail_(words) {}
  VOX_HD ItemRef(const uint32_t* head, const uint32_t* tail) : head_(head), tail_(tail) {}

  VOX_HD uint32_t operator[](uint32_t word) const { return (word < 2 ? head_ : tail_)[word]; }
  VOX_HD const uint32_t* head() const { return head_; }
  VOX_HD const uint32_t* tail() const { return tail_; }

 private:
  const uint32_t* head_;
  const uint32_t* tail_;
};

VOX_HD inline uint64_t start_hash(uint32_t count) {
  return 0x9e3779b97f4a7c15ull * count;
}
VOX_HD inline uint64_t hash_word(uint64_t hash, uint32_t word) {
  hash = (hash ^ word) * 0xff51afd7ed558ccdull;
  return hash ^ hash >> 32;
}
VOX_HD inline uint64_t hash_words(const uint32_t* words, uint32_t count) {
  uint64_t hash = start_hash(count);
  for (uint32_t i = 0; i < count; ++i) hash = hash_word(hash, words[i]);
  return mix64(hash);
}

VOX_HD inline bool same_words(const ItemRef& a, const uint32_t* b, uint32_t count) {
  for (uint32_t i = 0; i < count; ++i)
    if (a[i] != b[i]) return false;
  return true;
}

}  // namespace vox::hash
