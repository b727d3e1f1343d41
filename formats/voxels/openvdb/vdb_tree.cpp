#include <fmt/format.h>

#include <algorithm>
#include <cstring>

#include "formats/voxels/openvdb/vdb_file.h"
#include "libvox/base/bits.h"
#include "libvox/base/error.h"

namespace vox {
namespace {

using nvdb::kLeafSide;
using nvdb::kLowerEntries;
using nvdb::kLowerSide;
using nvdb::kUpperEntries;
using nvdb::kUpperSide;

constexpr uint64_t kLeafMaskBytes = 512 / 8, kOriginBytes = 12;
constexpr std::string_view kNodeText = "a node";

VdbBlock::Value next_vdb_value(VdbScan& scan, const VdbType& type) {
  VdbBlock::Value value = {};
  std::ranges::copy(scan.take(type.bytes, "a value"), value.begin());
  return value;
}

// The tree begins with the number of its buffers and the background.
VdbValues values_of_tree(const nvdb::GridBytes& bytes, const VdbGrid& grid) {
  VdbScan scan = {bytes, grid.tree_at + sizeof(uint32_t)};
  return {bytes, grid, next_vdb_value(scan, grid.type)};
}

// Returns the lower corner of a node of 4096³, or of a tile of that size.
Vec3<int64_t> next_corner(VdbScan& scan) {
  const auto corner = scan.next<std::array<int32_t, 3>>(kNodeText);
  for (const int32_t v : corner)
    if (v % kUpperSide != 0)
      throw Error(fmt::format("a node lies at ({}, {}, {}), which are no multiples of {}", corner[0],
                              corner[1], corner[2], kUpperSide))
          .hint("is the file damaged?");
  return {corner[0], corner[1], corner[2]};
}

uint64_t mask_word(std::span<const std::byte> mask, uint32_t first) {
  return stored_value<uint64_t>(mask.data(), first / 64);
}

template <class Body>
void for_each_bit(std::span<const std::byte> mask, Body body) {
  for (uint32_t first = 0; first < mask.size() * 8; first += 64)
    for (uint64_t left = mask_word(mask, first); left != 0; left &= left - 1)
      body(first + static_cast<uint32_t>(lowest_bit(left)));
}

uint64_t leaves_of(std::span<const std::byte> children) {
  uint64_t count = 0;
  for (uint32_t first = 0; first < kLowerEntries; first += 64)
    count += static_cast<uint64_t>(popcount(mask_word(children, first)));
  return count;
}

}  // namespace

VdbTree::VdbTree(const VdbFile& file, const VdbGrid& grid)
    : bytes_(file.bytes()), values_(values_of_tree(bytes_, grid)) {
  VdbScan scan = {bytes_, grid.tree_at + sizeof(uint32_t) + grid.type.bytes};
  read_root(scan);
  read_leaves(scan);
  check_places();
}

void VdbTree::read_root(VdbScan& scan) {
  const auto tiles = scan.next<uint32_t>("the root"), children = scan.next<uint32_t>("the root");
  for (uint32_t i = 0; i < tiles; ++i) {
    const Vec3<int64_t> corner = next_corner(scan);
    const VdbBlock::Value value = next_vdb_value(scan, values_.type());
    const bool active = scan.next<uint8_t>("a tile") != 0;
    if (is_empty(value.data(), active)) continue;
    for (uint32_t n = 0; n < kUpperEntries; ++n)
      add_tile(nvdb::shifted(corner, nvdb::place_of_entry(n, 5), kLowerSide), value.data(), active);
  }
  for (uint32_t i = 0; i < children; ++i) read_upper(scan);
}

void VdbTree::read_upper(VdbScan& scan) {
  const Vec3<int64_t> corner = next_corner(scan);
  const auto children = scan.take(kUpperEntries / 8, kNodeText),
             active = scan.take(kUpperEntries / 8, kNodeText);
  const std::vector<std::byte> values = values_.decoded(values_.next_block(scan, active), active);
  const auto place = [&](uint32_t n) {
    return nvdb::shifted(corner, nvdb::place_of_entry(n, 5), kLowerSide);
  };
  for (uint32_t n = 0; n < kUpperEntries; ++n)
    if (!mask_bit(children, n))
      add_tile(place(n), values.data() + uint64_t{n} * values_.type().bytes, mask_bit(active, n));
  for_each_bit(children, [&](uint32_t n) {
    parts_.push_back({place(n), scan.at, 0});
    const auto leaves = scan.take(kLowerEntries / 8, kNodeText),
               tiles = scan.take(kLowerEntries / 8, kNodeText);
    values_.next_block(scan, tiles);
    scan.take(leaves_of(leaves) * kLeafMaskBytes, "the masks of leaves");
  });
}

// Returns true if a tile changes nothing. Inactive values count only for numbers, as inside of a level set.
bool VdbTree::is_empty(const std::byte* value, bool active) const {
  return !active && (values_.type().kind != VdbType::Kind::Number || values_.is_background(value));
}

void VdbTree::add_tile(const Vec3<int64_t>& corner, const std::byte* value, bool active) {
  if (is_empty(value, active)) return;
  if (tiles_.size() >= nvdb::kMostParts)
    throw Error(fmt::format("more than {} cubes of 128³ are filled with one value each", nvdb::kMostParts))
        .hint("make a coarser grid");
  parts_.push_back({corner, 0, tiles_.size(), active});
  VdbBlock::Value kept = {};
  std::memcpy(kept.data(), value, values_.type().bytes);
  tiles_.push_back(kept);
}

// The values of all leaves follow the nodes. Each leaf has its mask again.
void VdbTree::read_leaves(VdbScan& scan) {
  const VdbType::Kind kind = values_.type().kind;
  for (VdbPart& part : parts_) {
    if (part.node == 0) continue;
    VdbScan head = {bytes_, part.node};
    const auto children = head.take(kLowerEntries / 8, kNodeText),
               tiles = head.take(kLowerEntries / 8, kNodeText);
    values_.next_block(head, tiles);
    part.first = leaves_.size();
    for (uint64_t left = leaves_of(children); left > 0; --left) {
      const auto before = head.take(kLeafMaskBytes, "a leaf"), mask = scan.take(kLeafMaskBytes, "a leaf");
      if (!std::ranges::equal(before, mask))
        throw Error("a leaf has two different masks").hint("is the file damaged?");
      leaves_.push_back(scan.at);
      if (kind == VdbType::Kind::Bool || kind == VdbType::Kind::Mask) {
        scan.take(kOriginBytes + (kind == VdbType::Kind::Bool ? kLeafMaskBytes : 0), "a leaf");
      } else {
        values_.next_block(scan, mask);
      }
    }
  }
}

void VdbTree::check_places() const {
  std::vector<Vec3<int64_t>> places;
  for (const VdbPart& part : parts_) places.push_back(part.corner);
  const auto order = [](const Vec3<int64_t>& a, const Vec3<int64_t>& b) {
    return std::array{a.x, a.y, a.z} < std::array{b.x, b.y, b.z};
  };
  std::ranges::sort(places, order);
  if (std::ranges::adjacent_find(places) != places.end())
    throw Error("two of its nodes are at one place").hint("is the file damaged?");
}

VdbNode VdbTree::node(const VdbPart& part) const {
  VdbScan scan = {bytes_, part.node};
  VdbNode node;
  node.children = scan.take(kLowerEntries / 8, kNodeText);
  node.active = scan.take(kLowerEntries / 8, kNodeText);
  node.values = values_.decoded(values_.next_block(scan, node.active), node.active);
  node.leaf_masks_at = scan.at;
  return node;
}

nvdb::LeafMask VdbTree::leaf_mask(const VdbNode& node, uint32_t n) const {
  return bytes_.get<nvdb::LeafMask>(node.leaf_masks_at + n * kLeafMaskBytes, "a leaf");
}

std::vector<std::byte> VdbTree::leaf_values(const VdbPart& part, const VdbNode& node, uint32_t n) const {
  const auto mask = bytes_.part(node.leaf_masks_at + n * kLeafMaskBytes, kLeafMaskBytes, "a leaf");
  VdbScan scan = {bytes_, leaves_[part.first + n]};
  return values_.decoded(values_.next_block(scan, mask), mask);
}

uint32_t VdbTree::octants(const VdbPart& part) const {
  if (part.node == 0) return part.active ? 0xff : 0;
  const auto children = bytes_.part(part.node, kLowerEntries / 8, kNodeText),
             active = bytes_.part(part.node + kLowerEntries / 8, kLowerEntries / 8, kNodeText);
  return nvdb::filled_octants(
      [&](uint32_t first) { return mask_word(children, first) | mask_word(active, first); });
}

FileBounds VdbTree::bounds_of(const VdbPart& part) const {
  FileBounds bounds;
  if (part.node == 0) return part.active ? nvdb::cube_bounds(part.corner, kLowerSide) : bounds;
  const VdbNode found = node(part);
  const auto corner = [&](uint32_t n) {
    return nvdb::shifted(part.corner, nvdb::place_of_entry(n, 4), kLeafSide);
  };
  uint32_t leaf = 0;
  for_each_bit(found.children,
               [&](uint32_t n) { bounds.add(nvdb::leaf_bounds(leaf_mask(found, leaf++), corner(n))); });
  for_each_bit(found.active, [&](uint32_t n) {
    if (!mask_bit(found.children, n)) bounds.add(nvdb::cube_bounds(corner(n), kLeafSide));
  });
  return bounds;
}

}  // namespace vox
