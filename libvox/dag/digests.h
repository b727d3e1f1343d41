// The digests of single nodes of a DAG (frozen_dag.h), which all follow from those of the leaves. A DAG that is larger than
// memory may have more digests than memory, too.
#pragma once

#include <cstdint>
#include <vector>

#include "libvox/dag/frozen_dag.h"

namespace vox::dag {

// Returns the digests of these nodes of each level, from the root's on. The DAG must be one that check_structure()
// accepts. The digests of a level that would take more bytes of memory lie in a file without a name, in the folder for
// temporary files, until those of the level above have been computed.
std::vector<std::vector<Digest>> digests_of(const FrozenDag& dag,
                                            const std::vector<std::vector<uint32_t>>& numbers,
                                            uint64_t memory = UINT64_MAX);

// Returns the digest of the whole DAG, as compute_digest() does, with this memory.
Digest digest_of(const FrozenDag& dag, uint64_t memory);

}  // namespace vox::dag
