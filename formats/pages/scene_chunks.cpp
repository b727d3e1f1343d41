#include "formats/pages/scene_chunks.h"

#include <algorithm>
#include <array>
#include <atomic>
#include <cmath>
#include <iterator>
#include <memory>
#include <mutex>
#include <span>
#include <vector>

#include "libvox/attributes/packed_values.h"
#include "libvox/base/loops.h"
#include "libvox/base/progress.h"
#include "libvox/base/units.h"
#include "libvox/render/node_colors.h"
#include "libvox/scene/oklab.h"

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
    parallel_for(size_t{0}, runs.size(), [&](size_t i) {
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
  std::vector<uint32_t> words = {kChunkMagic, kChunkVersion, dag::kLeafLog2 + dag.depth()};
  words.insert(words.end(), {is_leaf ? 1u : 2u, 1, 0, 0, dag.materials ? 1u : 0u, 1, size});
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

// Cuts a scene's colors into chunks (docs/formats.md, "Chunks of colors").

namespace {

constexpr uint32_t kColorMagic = 0x4c435856, kColorVersion = 1;  // "VXCL"
constexpr uint64_t kChunkColors = uint64_t{64} * attributes::kGroupValues;
constexpr uint64_t kMeanOf = attributes::kBlockValues;  // colors
constexpr uint64_t kAtOnce = kMeanOf;                   // chunks, whose means fill one chunk

class ColorCutter {
 public:
  ColorCutter(const attributes::PackedValues& colors, const KeepChunk& keep) : colors_(colors), keep_(keep) {
    for (uint32_t code = 0; code < 256; ++code)
      light_[code] = static_cast<uint32_t>(
          std::lround(scene::srgb_to_linear(static_cast<uint8_t>(code)) * (render::kLightCodes - 1)));
  }

  ColorTotals run() {
    Progress progress("writing colors", colors_.count);
    for (uint64_t first = 0; first < colors_.count; first += kAtOnce * kChunkColors) {
      const uint64_t count = std::min(colors_.count - first, kAtOnce * kChunkColors);
      add_colors(first, count);
      progress.update(first + count, format_count(levels_[0].names.size(), "chunk"));
    }
    for (size_t level = 1; level < levels_.size() && levels_[level - 1].names.size() > 1; ++level)
      if (!levels_[level].waiting.empty()) add_level(level);
    ColorTotals totals;
    std::vector<uint32_t> index = {kColorMagic, kColorVersion, 0, 0};
    for (const Level& level : levels_) {
      if (level.names.empty()) break;
      totals.levels.push_back(level.names.size());
      for (const dag::Digest& name : level.names)
        std::ranges::copy(name_words(name), std::back_inserter(index));
    }
    totals.words = words_;
    totals.index = chunk_name(index);
    keep_(totals.index, index);
    return totals;
  }

 private:
  struct Level {
    std::vector<dag::Digest> names;
    std::vector<uint32_t> waiting;  // colors of the next chunk
  };
  struct Made {
    dag::Digest name;
    uint64_t words;
  };

  Made make(std::span<const uint32_t> values) const {
    throw_if_cancelled();
    const attributes::PackedValues packed = attributes::packed_values(values);
    std::vector<uint32_t> words = {kColorMagic, kColorVersion, static_cast<uint32_t>(packed.groups.size()),
                                   0};
    const auto* const heads = reinterpret_cast<const uint32_t*>(packed.groups.data());
    words.insert(words.end(), heads,
                 heads + packed.groups.size() * sizeof(attributes::ValueGroup) / sizeof(uint32_t));
    words.insert(words.end(), packed.words.begin(), packed.words.end());
    const dag::Digest name = chunk_name(words);
    keep_(name, words);
    return {name, words.size()};
  }

  // Writes the mean of each 64 values in linear light.
  void average(std::span<const uint32_t> values, uint32_t* to) const {
    for (size_t first = 0; first < values.size(); first += kMeanOf) {
      const std::span<const uint32_t> some = values.subspan(first, std::min(kMeanOf, values.size() - first));
      uint32_t mean = 0;
      for (uint32_t shift = 0; shift < 24; shift += 8) {
        uint64_t sum = 0;
        for (const uint32_t value : some) sum += light_[value >> shift & 255];
        mean |= uint32_t{codes_[(sum + some.size() / 2) / some.size()]} << shift;
      }
      *to++ = mean;
    }
  }

  std::vector<uint32_t>& means_above(size_t level) {
    if (levels_.size() < level + 2) levels_.resize(level + 2);
    return levels_[level + 1].waiting;
  }

  // Makes the chunks of the scene's own colors from number `first` on.
  void add_colors(uint64_t first, uint64_t count) {
    std::vector<Made> made((count + kChunkColors - 1) / kChunkColors);
    std::vector<uint32_t> means((count + kMeanOf - 1) / kMeanOf);
    parallel_for(uint64_t{0}, uint64_t{made.size()}, [&](uint64_t i) {
      const uint64_t at = i * kChunkColors;
      std::vector<uint32_t> values(std::min(count - at, kChunkColors));
      attributes::read_values(colors_, first + at, values);
      made[i] = make(values);
      average(values, means.data() + at / kMeanOf);
    });
    std::vector<uint32_t>& above = means_above(0);
    for (const auto& [name, words] : made) {
      levels_[0].names.push_back(name);
      words_ += words;
    }
    above.insert(above.end(), means.begin(), means.end());
    if (above.size() == kChunkColors) add_level(1);
  }

  // Makes the next chunk of a level from the colors that wait for it.
  void add_level(size_t level) {
    std::vector<uint32_t> values;
    values.swap(levels_[level].waiting);
    const auto [name, words] = make(values);
    levels_[level].names.push_back(name);
    words_ += words;
    std::vector<uint32_t>& above = means_above(level);
    above.resize(above.size() + (values.size() + kMeanOf - 1) / kMeanOf);
    average(values, above.data() + above.size() - (values.size() + kMeanOf - 1) / kMeanOf);
    if (above.size() == kChunkColors) add_level(level + 1);
  }

  const attributes::PackedValues& colors_;
  const KeepChunk& keep_;
  std::array<uint32_t, 256> light_ = {};
  const std::vector<uint8_t> codes_ = render::light_codes();
  std::vector<Level> levels_ = std::vector<Level>(1);
  uint64_t words_ = 0;
};

}  // namespace

ColorTotals cut_into_color_chunks(const attributes::PackedValues& colors, const KeepChunk& keep) {
  return ColorCutter(colors, keep).run();
}

}  // namespace vox
