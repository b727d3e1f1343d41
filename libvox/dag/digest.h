// The digest: 128 bits that name the content of a scene. It is computed from the content alone. Version 1,
// stable for ever:
//
//   combine(digest, word)  low  = mix64(low ^ word) + 0x9e3779b97f4a7c15
//                          high = mix64(high + low * 0xc2b2ae3d27d4eb4f) ^ word
//   leaf                   start(1), then each of its words (32 bits each)
//   inner node             start(2), then its child mask, then low and high of each present child's digest
//                          in order
//   scene                  start(3), then resolution, depth (inner levels), material bits (0 or 4), then low
//                          and high of the root's digest (nothing for an empty scene)
//   start(kind)            low = mix64(kind), high = mix64(kind + 0x9e3779b97f4a7c15)
//
// All arithmetic is modulo 2^64. A digest is printed as 32 hexadecimal digits, high first.
#pragma once

#include <cstdint>
#include <string>

#include "libvox/base/hd.h"
#include "libvox/base/mix.h"
#include "libvox/dag/node.h"

namespace vox::dag {

struct Digest {
  uint64_t low = 0, high = 0;  // 16 B
  VOX_HD friend bool operator==(const Digest&, const Digest&) = default;
};

VOX_HD inline Digest start_digest(uint64_t kind) {
  return {mix64(kind), mix64(kind + 0x9e3779b97f4a7c15ull)};
}

VOX_HD inline void combine(Digest& digest, uint64_t word) {
  digest.low = mix64(digest.low ^ word) + 0x9e3779b97f4a7c15ull;
  digest.high = mix64(digest.high + digest.low * 0xc2b2ae3d27d4eb4full) ^ word;
}

VOX_HD inline Digest leaf_digest(const hash::ItemRef& leaf, bool materials) {
  Digest digest = start_digest(1);
  uint32_t words = leaf_words(leaf_mask(leaf), materials);
  for (uint32_t i = 0; i < words; ++i) combine(digest, leaf[i]);
  return digest;
}

// child_digest(i) returns the digest of the i-th present child.
template <class ChildDigest>
VOX_HD Digest node_digest(uint32_t header, ChildDigest child_digest) {
  Digest digest = start_digest(2);
  combine(digest, child_mask(header));
  uint32_t children = node_words(header) - 1;
  for (uint32_t i = 0; i < children; ++i) {
    Digest child = child_digest(i);
    combine(digest, child.low);
    combine(digest, child.high);
  }
  return digest;
}

// Returns the digest of a whole scene. `root` is the root's digest, or nullptr if the scene is empty.
Digest scene_digest(uint32_t resolution, uint32_t depth, bool materials, const Digest* root);

std::string to_string(const Digest& digest);

}  // namespace vox::dag
