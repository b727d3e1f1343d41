#include "formats/pages/scene_chunks.h"

#include <algorithm>
#include <iterator>

#include "libvox/base/error.h"
#include "libvox/base/progress.h"
#include "libvox/dag/node.h"
#include "libvox/render/render.h"
#include "libvox/scene/oklab.h"

namespace vox {

ChunkRoots::ChunkRoots(uint64_t nodes)
    : nodes_(nodes),
      file_(std::max(nodes, uint64_t{1}) * sizeof(NodeFromAfar), "the facts about nodes"),
      facts_(reinterpret_cast<NodeFromAfar*>(file_.bytes().data()), nodes) {}

void ChunkRoots::add(uint64_t begin, const dag::Digest& name) {
  begins_.push_back(begin);
  names_.push_back(name);
}

uint64_t ChunkRoots::chunk_of(uint64_t root) const {
  return static_cast<uint64_t>(std::ranges::upper_bound(begins_, root) - begins_.begin()) - 1;
}

ChunkColors::ChunkColors(const scene::Palette& palette, bool counts)
    : codes(render::light_codes()), counts_voxels(counts) {
  for (uint32_t i = 0; i < scene::kPaletteSize; ++i) {
    const Vec3d light = scene::srgb_to_linear(render::material_color(palette, i));
    materials[i] = {static_cast<float>(light.x), static_cast<float>(light.y), static_cast<float>(light.z)};
  }
}

size_t NumberList::slot_of(uint32_t number) const {
  const size_t last = slots_.size() - 1;
  size_t slot = mix64(number) & last;
  while (slots_[slot] != 0 && numbers_[slots_[slot] - 1] != number) slot = (slot + 1) & last;
  return slot;
}

NumberList::Added NumberList::add(uint32_t number) {
  if (2 * numbers_.size() >= slots_.size()) grow();
  const size_t slot = slot_of(number);
  if (slots_[slot] != 0) return {slots_[slot] - 1, false};
  numbers_.push_back(number);
  slots_[slot] = static_cast<uint32_t>(numbers_.size());
  return {slots_[slot] - 1, true};
}

uint32_t NumberList::place_of(uint32_t number) const {
  return slots_[slot_of(number)] - 1;
}

// The numbers leave in the reverse order, so that none stands behind a slot that becomes free.
void NumberList::shrink(size_t size) {
  while (numbers_.size() > size) {
    slots_[slot_of(numbers_.back())] = 0;
    numbers_.pop_back();
  }
}

void NumberList::grow() {
  slots_.assign(2 * slots_.size(), 0);
  for (size_t i = 0; i < numbers_.size(); ++i) slots_[slot_of(numbers_[i])] = static_cast<uint32_t>(i + 1);
}

ChunkBuilder::ChunkBuilder(const dag::FrozenDag& dag, const ChunkColors& colors, uint32_t top,
                           uint32_t bottom, const ChunkRoots* below)
    : dag_(dag), colors_(colors), top_(top), bottom_(bottom), below_(below), sections_(bottom - top + 1) {
  leaf_form_.materials = dag.materials ? 1 : 0;
}

// A damaged part of a paged scene looks empty, until the error is thrown.
const uint32_t* ChunkBuilder::node(uint32_t level, uint32_t number) const {
  const uint32_t* const words = dag_.levels[level].node(number);
  const bool is_filled = level == dag_.depth() ? dag::leaf_mask(words) != 0 : dag::child_mask(*words) != 0;
  if (!is_filled) {
    throw_if_cancelled();
    throw Error("a node holds nothing");
  }
  return words;
}

uint64_t ChunkBuilder::size_of(uint32_t level, uint32_t number) const {
  const uint32_t* const words = node(level, number);
  if (level == dag_.depth()) return dag::leaf_words(dag::leaf_mask(words), dag_.materials);
  if (dag::is_homogeneous(*words)) return 1;
  return is_end(level) ? kChunkReferenceWords : kChunkNodeHead + dag::node_words(*words) - 1;
}

// Adds the children of the nodes of a level, beginning with the node at a place.
void ChunkBuilder::add_children(uint32_t level, size_t from) {
  const Section& section = sections_[level - top_];
  NumberList& below = sections_[level + 1 - top_].nodes;
  for (size_t i = from; i < section.nodes.size(); ++i) {
    const uint32_t* const words = node(level, section.nodes.numbers()[i]);
    if (dag::is_homogeneous(*words)) continue;
    for (uint32_t word = 1; word < dag::node_words(*words); ++word)
      if (below.add(words[word]).is_new) words_ += size_of(level + 1, words[word]);
  }
}

bool ChunkBuilder::add(uint32_t root, uint64_t most) {
  std::vector<size_t> sizes;
  for (const Section& section : sections_) sizes.push_back(section.nodes.size());
  const uint64_t before = words_;
  sections_[0].nodes.add(root);
  words_ += size_of(top_, root);
  for (uint32_t level = top_; level < bottom_; ++level) {
    add_children(level, sizes[level - top_]);
    if (words_ <= most || before == 0) continue;
    for (size_t i = 0; i < sizes.size(); ++i) sections_[i].nodes.shrink(sizes[i]);
    words_ = before;
    return false;
  }
  return true;
}

NodeFromAfar ChunkBuilder::seen(uint32_t level, render::NodeBox box, render::NodeMean mean,
                                uint32_t materials, uint64_t voxels) const {
  const render::LightCodes codes = {colors_.codes.data()};
  const uint32_t look = colors_.counts_voxels
                            ? static_cast<uint32_t>(voxels)
                            : codes(mean.light.x) | codes(mean.light.y) << 8 | codes(mean.light.z) << 16;
  return {render::packed(box, dag::kLeafLog2 + dag_.depth() - level), mean, look, materials};
}

NodeFromAfar ChunkBuilder::facts_of_leaf(const uint32_t* leaf) const {
  const uint64_t mask = dag::leaf_mask(leaf);
  uint32_t materials = 1;
  if (dag_.materials) {
    materials = 0;
    const auto filled = static_cast<uint32_t>(popcount(mask));
    for (uint32_t rank = 0; rank < filled; ++rank)
      materials |= 1u << dag::ranked_material(dag::leaf_materials(leaf), rank);
  }
  return seen(dag_.depth(), render::leaf_box(mask),
              render::leaf_mean(leaf_form_, leaf, ~uint64_t{0}, colors_.materials.data()), materials,
              static_cast<uint64_t>(popcount(mask)));
}

// The mean is that of render::AverageNodes, and the box that of render::BoundNodes.
NodeFromAfar ChunkBuilder::facts_of_parent(uint32_t level, const uint32_t* node) const {
  const auto side = static_cast<int32_t>(dag_.level_side(level));
  if (dag::is_homogeneous(*node)) {
    const uint32_t material = dag::homogeneous_material(*node);
    const auto wide = static_cast<float>(side);
    const uint64_t cells = dag_.level_side(level);
    return seen(level, {{0, 0, 0}, {side, side, side}}, {colors_.materials[material], wide * wide * wide},
                1u << material, cells * cells * cells);
  }
  const Section& below = sections_[level + 1 - top_];
  render::NodeBox all = {{side, side, side}, {0, 0, 0}};
  render::Light sum = {0, 0, 0};
  float voxels = 0;
  uint32_t materials = 0, count = 0;
  const uint32_t* pointer = node + 1;
  for (uint32_t left = dag::child_mask(*node); left != 0; left &= left - 1, ++pointer) {
    const NodeFromAfar& child = below.facts[below.nodes.place_of(*pointer)];
    const Int3 corner = octant_corner(static_cast<uint32_t>(lowest_bit(left)), side / 2);
    const render::NodeBox box = render::unpacked(child.box, dag::kLeafLog2 + dag_.depth() - level - 1);
    for (uint32_t axis = 0; axis < 3; ++axis) {
      all.low[axis] = std::min(all.low[axis], corner[axis] + box.low[axis]);
      all.high[axis] = std::max(all.high[axis], corner[axis] + box.high[axis]);
    }
    sum = sum + child.mean.light * child.mean.voxels;
    voxels += child.mean.voxels;
    materials |= child.materials;
    count += child.look;
  }
  return seen(level, all, {sum * (1 / voxels), voxels}, materials, count);
}

NodeFromAfar ChunkBuilder::facts_of(uint32_t level, uint32_t number) const {
  if (level == dag_.depth()) return facts_of_leaf(node(level, number));
  return is_end(level) ? below_->facts()[number] : facts_of_parent(level, node(level, number));
}

void ChunkBuilder::find_facts() {
  for (uint32_t level = bottom_ + 1; level-- > top_;) {
    Section& section = sections_[level - top_];
    section.facts.clear();
    for (const uint32_t number : section.nodes.numbers()) section.facts.push_back(facts_of(level, number));
  }
}

// Returns the place of a chunk among those that this one names.
uint32_t ChunkBuilder::chunk_place(uint64_t chunk, std::vector<uint64_t>& chunks) {
  const auto [at, is_new] = chunk_places_.try_emplace(chunk, static_cast<uint32_t>(chunks.size()));
  if (is_new) chunks.push_back(chunk);
  return at->second;
}

std::vector<uint32_t> ChunkBuilder::finish(std::span<NodeFromAfar> roots) {
  find_facts();
  std::vector<uint32_t> body, words;
  std::vector<uint64_t> chunks;
  body.reserve(words_);
  const auto write_head = [&](uint32_t level, size_t i, uint32_t header) {
    const NodeFromAfar& facts = sections_[level - top_].facts[i];
    const uint32_t half = (1u << 30) - 1;
    body.insert(body.end(), {header | facts.materials << 16, static_cast<uint32_t>(facts.box) & half,
                             static_cast<uint32_t>(facts.box >> 30), facts.look});
  };
  uint32_t next = 0;  // the node of the next level that no pointer has named yet
  const auto write = [&](uint32_t level, size_t i) {
    const Section& section = sections_[level - top_];
    const uint32_t number = section.nodes.numbers()[i];
    const uint32_t* const from = node(level, number);
    if (level == dag_.depth()) {
      body.insert(body.end(), from, from + size_of(level, number));
    } else if (dag::is_homogeneous(*from)) {
      body.push_back(*from | section.facts[i].materials << 16);
    } else if (is_end(level)) {
      const uint64_t chunk = below_->chunk_of(number);
      write_head(level, i, *from);
      body.push_back(chunk_place(chunk, chunks));
      body.push_back(static_cast<uint32_t>(number - below_->begin(chunk)));
    } else {
      write_head(level, i, *from);
      for (uint32_t word = 1; word < dag::node_words(*from); ++word) {
        const uint32_t place = sections_[level + 1 - top_].nodes.place_of(from[word]);
        body.push_back(next - place);
        next += place == next ? 1 : 0;
      }
    }
  };
  std::vector<uint32_t> sizes;
  for (uint32_t level = top_; level <= bottom_; ++level) {
    const size_t before = body.size();
    next = 0;
    for (size_t i = 0; i < sections_[level - top_].nodes.size(); ++i) write(level, i);
    sizes.insert(sizes.end(), {static_cast<uint32_t>(sections_[level - top_].nodes.size()),
                               static_cast<uint32_t>(body.size() - before)});
  }

  words = {kChunkMagic,
           kChunkVersion,
           dag::kLeafLog2 + dag_.depth() - top_,
           static_cast<uint32_t>(sections_.size()),
           static_cast<uint32_t>(sections_[0].nodes.size()),
           static_cast<uint32_t>(chunks.size()),
           below_ != nullptr ? 1u : 0u,
           (dag_.materials ? 1u : 0u) | (colors_.counts_voxels ? 2u : 0u)};
  words.insert(words.end(), sizes.begin(), sizes.end());
  for (const uint64_t chunk : chunks) {
    std::ranges::copy(name_words(below_->name(chunk)), std::back_inserter(words));
    words.push_back(static_cast<uint32_t>(below_->end(chunk) - below_->begin(chunk)));
  }
  words.insert(words.end(), body.begin(), body.end());

  std::ranges::copy(sections_[0].facts, roots.begin());
  for (Section& section : sections_) section.nodes.clear();
  chunk_places_.clear();
  words_ = 0;
  return words;
}

}  // namespace vox
