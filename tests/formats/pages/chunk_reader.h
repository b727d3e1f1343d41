// Reads the chunks of a page by docs/formats.md alone, independently of the code that writes them, and compares all voxels
// and all that nodes say of themselves with the scene.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "libvox/dag/frozen_dag.h"
#include "libvox/dag/voxel_scene.h"
#include "libvox/render/render.h"
#include "libvox/scene/oklab.h"

namespace vox {

class ChunkReader {
 public:
  using Words = std::vector<uint32_t>;
  // Returns the words of the chunk of this name.
  using Load = std::function<Words(const std::string& name)>;

  ChunkReader(const dag::VoxelScene& scene, Load load) : scene_(scene), load_(std::move(load)) {}

  // Expects that the chunks hold the voxels of the scene, each once, and that boxes, colors and materials are those of
  // the voxels.
  void expect_scene(const std::string& top) {
    const Seen all = walk_root(chunk(top), 0, {0, 0, 0});
    EXPECT_EQ(all.voxels, scene_.dag.voxels);
    EXPECT_EQ(faults_, 0u) << first_fault_;
  }

  uint64_t chunks() const { return chunks_.size(); }
  uint32_t deepest() const { return deepest_; }  // the most chunks on the way to a voxel

 private:
  struct Chunk {
    uint32_t log2 = 0;
    bool refers = false, counts = false;
    std::vector<std::vector<Words>> sections;  // the words of each node
    std::vector<std::vector<std::vector<uint32_t>>> children;
    std::vector<std::pair<std::string, uint32_t>> others;
  };

  // The voxels that were found below a node: the box around them, the sum of their light, and their materials.
  struct Seen {
    uint64_t voxels = 0;
    int64_t low[3] = {1 << 30, 1 << 30, 1 << 30}, high[3] = {0, 0, 0};
    double light[3] = {0, 0, 0};
    uint32_t materials = 0;

    void add(const Seen& other) {
      voxels += other.voxels;
      materials |= other.materials;
      for (int i = 0; i < 3; ++i) {
        low[i] = std::min(low[i], other.low[i]);
        high[i] = std::max(high[i], other.high[i]);
        light[i] += other.light[i];
      }
    }
  };
  struct At {
    int64_t x, y, z;
  };

  static uint32_t bits(uint32_t word) { return static_cast<uint32_t>(__builtin_popcount(word)); }

  void fault(const std::string& text) {
    if (faults_++ == 0) first_fault_ = text;
  }

  const Chunk& chunk(const std::string& name) {
    const auto known = chunks_.find(name);
    return known != chunks_.end() ? known->second : chunks_.emplace(name, parsed(load_(name))).first->second;
  }

  Chunk parsed(const Words& words) {
    Chunk chunk;
    EXPECT_EQ(words.at(0), 0x4b435856u);
    EXPECT_EQ(words.at(1), 1u);
    chunk.log2 = words.at(2);
    const uint32_t levels = words.at(3), roots = words.at(4), others = words.at(5);
    chunk.refers = words.at(6) != 0;
    const bool materials = (words.at(7) & 1) != 0;
    chunk.counts = (words.at(7) & 2) != 0;
    size_t at = 8 + 2 * levels;
    for (uint32_t i = 0; i < others; ++i, at += 5) {
      char name[33];
      std::snprintf(name, sizeof(name), "%08x%08x%08x%08x", words.at(at), words.at(at + 1), words.at(at + 2),
                    words.at(at + 3));
      chunk.others.emplace_back(name, words.at(at + 4));
    }
    for (uint32_t section = 0; section < levels; ++section) {
      const uint32_t nodes = words.at(8 + 2 * section);
      const size_t end = at + words.at(9 + 2 * section);
      chunk.sections.emplace_back();
      chunk.children.emplace_back();
      uint32_t next = 0;
      for (uint32_t node = 0; node < nodes; ++node) {
        const bool is_last = section + 1 == levels;
        const uint32_t header = words.at(at);
        size_t size = 4 + bits(header & 255);
        if (is_last && !chunk.refers)
          size = 2 + (materials ? (bits(header) + bits(words.at(at + 1)) + 7) / 8 : 0);
        else if ((header & 256) != 0)
          size = 1;
        else if (is_last)
          size = 6;
        chunk.sections.back().emplace_back(words.begin() + static_cast<ptrdiff_t>(at),
                                           words.begin() + static_cast<ptrdiff_t>(at + size));
        std::vector<uint32_t> children;
        if (!is_last && (header & 256) == 0)
          for (size_t i = 4; i < size; ++i) {
            const uint32_t back = words.at(at + i);
            children.push_back(next - back);
            if (back == 0) ++next;
          }
        chunk.children.back().push_back(children);
        at += size;
      }
      EXPECT_EQ(at, end);
      EXPECT_EQ(next, section + 1 < levels ? words.at(8 + 2 * (section + 1)) : 0);
    }
    EXPECT_EQ(at, words.size());
    EXPECT_EQ(chunk.sections.front().size(), roots);
    return chunk;
  }

  Seen walk_root(const Chunk& chunk, uint32_t root, At at) {
    deepest_ = std::max(deepest_, ++depth_);
    const Seen seen = walk(chunk, 0, root, at);
    --depth_;
    return seen;
  }

  Seen walk(const Chunk& chunk, size_t section, uint32_t node, At at) {
    const Words& words = chunk.sections.at(section).at(node);
    const uint32_t log2 = chunk.log2 - static_cast<uint32_t>(section);
    const bool is_last = section + 1 == chunk.sections.size();
    if (is_last && !chunk.refers) return leaf(words, at);
    Seen seen;
    if ((words[0] & 256) != 0) {
      const uint32_t material = words[0] >> 9 & 15;
      for (int64_t i = 0; i < int64_t{1} << 3 * log2; ++i) {
        const int64_t side = int64_t{1} << log2;
        seen.add(voxel({at.x + i % side, at.y + i / side % side, at.z + i / side / side}, material));
      }
      EXPECT_EQ(words[0] >> 16, 1u << material);
      return seen;
    }
    if (is_last) {
      const auto& [name, roots] = chunk.others.at(words[4]);
      const Chunk& other = this->chunk(name);
      EXPECT_EQ(other.sections.front().size(), roots);
      EXPECT_EQ(other.log2, log2);
      const Words& root = other.sections.front().at(words[5]);
      EXPECT_TRUE(std::equal(root.begin(), root.begin() + 4, words.begin()));
      return walk_root(other, words[5], at);
    }
    const int64_t half = int64_t{1} << (log2 - 1);
    size_t child = 0;
    for (int octant = 0; octant < 8; ++octant)
      if ((words[0] >> octant & 1) != 0)
        seen.add(
            walk(chunk, section + 1, chunk.children[section][node].at(child++),
                 {at.x + (octant & 1) * half, at.y + (octant >> 1 & 1) * half, at.z + (octant >> 2) * half}));
    if (seen.voxels > 0) compare(words, log2, at, seen, chunk.counts);
    return seen;
  }

  void compare(const Words& words, uint32_t log2, At at, const Seen& seen, bool counts) {
    const uint32_t shift = log2 > 10 ? log2 - 10 : 0;
    const int64_t corner[3] = {at.x, at.y, at.z};
    for (int i = 0; i < 3; ++i) {
      const auto low = static_cast<int64_t>(words[1] >> 10 * i & 1023),
                 last = static_cast<int64_t>(words[2] >> 10 * i & 1023);
      if (low != (seen.low[i] - corner[i]) >> shift || last != (seen.high[i] - 1 - corner[i]) >> shift)
        fault("a box");
      if (counts) continue;
      const double mean = seen.light[i] / static_cast<double>(seen.voxels);
      const int code = static_cast<int>(words[3] >> 8 * i & 255);
      if (std::abs(code - int{scene::linear_to_srgb(mean)}) > 1) fault("a color");
    }
    if (counts && words[3] != seen.voxels) fault("a number of voxels");
    if (words[0] >> 16 != seen.materials) fault("materials");
  }

  Seen leaf(const Words& words, At at) {
    Seen seen;
    size_t rank = 0;
    for (uint32_t bit = 0; bit < 64; ++bit) {
      if ((words[bit / 32] >> bit % 32 & 1) == 0) continue;
      const uint32_t material = words.size() > 2 ? words.at(2 + rank / 8) >> rank % 8 * 4 & 15 : 0;
      const auto along = [&](uint32_t axis) {
        return static_cast<int64_t>((bit >> axis & 1) | (bit >> (3 + axis) & 1) << 1);
      };
      seen.add(voxel({at.x + along(0), at.y + along(1), at.z + along(2)}, material));
      ++rank;
    }
    return seen;
  }

  Seen voxel(At at, uint32_t material) {
    const int expected = dag::voxel_at(scene_.dag, static_cast<uint32_t>(at.x), static_cast<uint32_t>(at.y),
                                       static_cast<uint32_t>(at.z));
    if (expected != static_cast<int>(material)) fault("a voxel");
    Seen seen = {1, {at.x, at.y, at.z}, {at.x + 1, at.y + 1, at.z + 1}, {}, 1u << material};
    const Vec3d light = scene::srgb_to_linear(render::material_color(scene_.palette, material));
    for (uint32_t i = 0; i < 3; ++i) seen.light[i] = light[i];
    return seen;
  }

  const dag::VoxelScene& scene_;
  Load load_;
  std::map<std::string, Chunk> chunks_;
  uint32_t depth_ = 0, deepest_ = 0;
  uint64_t faults_ = 0;
  std::string first_fault_;
};

}  // namespace vox
