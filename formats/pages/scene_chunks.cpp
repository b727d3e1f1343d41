#include "formats/pages/scene_chunks.h"

#include <tbb/parallel_for.h>

#include <algorithm>
#include <atomic>
#include <memory>
#include <mutex>

#include "formats/pages/chunk_builder.h"
#include "libvox/base/progress.h"
#include "libvox/base/units.h"

namespace vox {

// The version of names, which is the kind of their digests (libvox/dag/frozen_dag.h).
constexpr uint64_t kChunkDigest = 4;

dag::Digest chunk_name(std::span<const uint32_t> words) {
  dag::Digest name = dag::start_digest(kChunkDigest);
  for (const uint32_t word : words) dag::combine(name, word);
  return name;
}

namespace {

// The roots of a level are divided into runs of this many, which are cut into chunks independently.
constexpr uint64_t kRunRoots = 4096;

struct NamedChunk {
  uint64_t begin;
  dag::Digest name;
  uint64_t words;
};

class SceneCutter {
 public:
  SceneCutter(const dag::VoxelScene& scene, const ChunkLimits& limits, bool counts_voxels,
              const KeepChunk& keep)
      : dag_(scene.dag),
        limits_(limits),
        keep_(keep),
        colors_(scene.palette, counts_voxels),
        cuts_(chunk_levels(dag_, limits)),
        progress_("writing chunks", all_roots()) {}

  ChunkTotals run() {
    ChunkTotals totals;
    std::unique_ptr<ChunkRoots> below;
    for (size_t i = cuts_.size(); i-- > 0;) {
      const uint32_t bottom = below ? cuts_[i + 1] : dag_.depth();
      auto roots = std::make_unique<ChunkRoots>(dag_.levels[cuts_[i]].nodes);
      for (const std::vector<NamedChunk>& run : cut_level(cuts_[i], bottom, below.get(), *roots))
        for (const NamedChunk& chunk : run) {
          roots->add(chunk.begin, chunk.name);
          ++totals.chunks;
          totals.words += chunk.words;
          totals.top = chunk.name;
        }
      if (i > 0) totals.references += roots->nodes();
      below = std::move(roots);
    }
    return totals;
  }

 private:
  uint64_t all_roots() const {
    uint64_t roots = 0;
    for (const uint32_t level : cuts_) roots += dag_.levels[level].nodes;
    return roots;
  }

  std::vector<std::vector<NamedChunk>> cut_level(uint32_t level, uint32_t bottom, const ChunkRoots* below,
                                                 ChunkRoots& roots) {
    std::vector<std::vector<NamedChunk>> runs((roots.nodes() + kRunRoots - 1) / kRunRoots);
    tbb::parallel_for(size_t{0}, runs.size(), [&](size_t i) {
      const uint64_t begin = i * kRunRoots, end = std::min(begin + kRunRoots, roots.nodes());
      runs[i] = cut_run(ChunkBuilder(dag_, colors_, level, bottom, below), begin, end, roots.facts());
      const std::lock_guard lock(mutex_);
      progress_.update(done_ += end - begin, format_count(chunks_, "chunk"));
    });
    return runs;
  }

  std::vector<NamedChunk> cut_run(ChunkBuilder builder, uint64_t begin, uint64_t end,
                                  std::span<NodeFromAfar> facts) {
    std::vector<NamedChunk> chunks;
    for (uint64_t next = begin; begin < end; begin = next) {
      throw_if_cancelled();
      while (next < end && builder.add(static_cast<uint32_t>(next), limits_.most_words)) ++next;
      const uint64_t words = builder.words() + (dag_.materials ? builder.leaves() : 0);
      const std::vector<uint32_t> chunk = builder.finish(facts.subspan(begin, next - begin));
      chunks.push_back({begin, chunk_name(chunk), words});
      keep_(chunks.back().name, chunk);
      ++chunks_;
    }
    return chunks;
  }

  const dag::FrozenDag& dag_;
  const ChunkLimits limits_;
  const KeepChunk& keep_;
  const ChunkColors colors_;
  const std::vector<uint32_t> cuts_;
  std::atomic<uint64_t> chunks_ = 0;
  std::mutex mutex_;  // guards what follows
  uint64_t done_ = 0;
  Progress progress_;
};

// An empty scene has a root that holds nothing.
ChunkTotals cut_nothing(const dag::FrozenDag& dag, const KeepChunk& keep) {
  const bool is_leaf = dag.depth() == 0;
  const uint32_t size = is_leaf ? 2 : kChunkNodeHead;
  std::vector<uint32_t> words = {kChunkMagic,
                                 kChunkVersion,
                                 dag::kLeafLog2 + dag.depth(),
                                 is_leaf ? 1u : 2u,
                                 1,
                                 0,
                                 0,
                                 dag.materials ? 1u : 0u,
                                 1,
                                 size};
  if (!is_leaf) words.insert(words.end(), {0, 0});
  words.resize(words.size() + size);
  const dag::Digest name = chunk_name(words);
  keep(name, words);
  return {name, 1, size, 0};
}

uint64_t inner_words(const dag::DagLevel& level) {
  return level.words.size() + level.nodes * (kChunkNodeHead - 1);
}

}  // namespace

// The chunk of the scene's root takes as many levels as fit, and the others about the same number of levels each.
std::vector<uint32_t> chunk_levels(const dag::FrozenDag& dag, const ChunkLimits& limits) {
  const uint32_t depth = dag.depth();
  uint64_t words = 0;
  uint32_t first = 1;
  for (uint32_t level = 0; level < depth; ++level) {
    words += inner_words(dag.levels[level]);
    const dag::DagLevel& next = dag.levels[level + 1];
    if (level + 1 < depth && words + next.nodes * kChunkReferenceWords <= limits.most_words)
      first = level + 1;
  }
  std::vector<uint32_t> cuts = {0};
  if (depth < 2 || words + dag.levels[depth].words.size() <= limits.most_words) return cuts;
  const uint32_t left = depth - first, bands = (left + limits.most_levels - 1) / limits.most_levels;
  for (uint32_t band = 0; band < bands; ++band) cuts.push_back(first + left * band / bands);
  return cuts;
}

ChunkTotals cut_into_chunks(const dag::VoxelScene& scene, const ChunkLimits& limits, bool counts_voxels,
                            const KeepChunk& keep) {
  if (scene.dag.empty()) return cut_nothing(scene.dag, keep);
  return SceneCutter(scene, limits, counts_voxels, keep).run();
}

}  // namespace vox
