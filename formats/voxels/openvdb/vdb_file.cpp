#include "formats/voxels/openvdb/vdb.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <map>
#include <memory>

#include "formats/io/read_file.h"
#include "libvox/base/bits.h"
#include "libvox/base/error.h"
#include "libvox/base/log.h"

namespace vox {
namespace {

constexpr uint64_t kVdbMagic = 0x56444220;  // " BDV"
constexpr uint32_t kOldestVdb = 222, kNewestVdb = 224;
constexpr size_t kVdbUuidBytes = 36;
constexpr std::string_view kDamaged = "is the file damaged?";

using Kind = VdbType::Kind;
constexpr VdbType kVdbTypes[] = {
    {"float", Kind::Number, 4, 1, StoredType::F32},
    {"double", Kind::Number, 8, 1, StoredType::F64},
    {"int32", Kind::Number, 4, 0, StoredType::I32},
    {"int64", Kind::Number, 8, 0, StoredType::I64},
    {"uint8", Kind::Number, 1, 0, StoredType::U8},
    {"int8", Kind::Number, 1, 0, StoredType::I8},
    {"int16", Kind::Number, 2, 0, StoredType::I16},
    {"uint32", Kind::Number, 4, 0, StoredType::U32},
    {"bool", Kind::Bool, 1},
    {"mask", Kind::Mask, 1},
    {"vec3s", Kind::Color, 12, 3},
};

nvdb::GridBytes mapped_file(const std::filesystem::path& path) {
  const auto file = std::make_shared<const MappedFile>(path);
  return {file->bytes(), file};
}

using Metadata = std::map<std::string, std::string>;

Metadata read_metadata(VdbScan& scan) {
  Metadata found;
  for (auto left = scan.next<uint32_t>("the metadata"); left > 0; --left) {
    const std::string name = scan.text("the name of a metadatum");
    scan.text("the type of a metadatum");
    found[name] = scan.text("a metadatum");
  }
  return found;
}

std::string taken_affixes(std::string text, std::string_view prefix, std::string_view suffix) {
  if (text.size() < prefix.size() + suffix.size() || !text.starts_with(prefix) || !text.ends_with(suffix))
    return {};
  return text.substr(prefix.size(), text.size() - prefix.size() - suffix.size());
}

// Reads an entry of the list of grids.
VdbEntry read_entry(VdbScan& scan) {
  constexpr std::string_view kHalf = "_HalfFloat";
  constexpr char kNumberMark = '\x1e';  // before a number that tells grids of one name apart
  VdbEntry entry;
  entry.name = scan.text("the name of a grid");
  std::string tree = scan.text("the type of a grid");
  const bool halves = tree.ends_with(kHalf);
  if (halves) tree.resize(tree.size() - kHalf.size());
  entry.parent = scan.text("the parent of a grid");
  entry.tree = taken_affixes(tree, "Tree_", "_5_4_3");
  for (const VdbType& type : kVdbTypes)
    if (type.name == entry.tree) entry.type = &type;
  if (entry.tree.empty()) entry.tree = tree;
  entry.halves = halves && entry.type != nullptr && entry.type->reals > 0;
  for (std::string* name : {&entry.name, &entry.parent}) std::ranges::replace(*name, kNumberMark, '#');
  return entry;
}

std::vector<VdbEntry> read_entries(VdbScan& scan, bool has_places) {
  std::vector<VdbEntry> entries;
  const auto count = scan.next<int32_t>("the number of grids");
  for (int32_t i = 0; i < count; ++i) {
    VdbEntry entry = read_entry(scan);
    const auto begin = scan.next<int64_t>("the place of a grid");
    scan.next<int64_t>("the place of a grid");
    const auto end = scan.next<int64_t>("the place of a grid");
    entry.grid_at = has_places ? static_cast<uint64_t>(begin) : scan.at;
    entries.push_back(entry);
    if (!has_places) {
      if (count > 1)
        log_warning("the file does not say where its {} grids are: only '{}' is read", count, entry.name);
      break;
    }
    if (end < 0 || static_cast<uint64_t>(end) < scan.at)
      throw Error(fmt::format("the end of grid '{}' lies before its start", entry.name))
          .hint(std::string(kDamaged));
    scan.at = static_cast<uint64_t>(end);
  }
  return entries;
}

Vec3d next_vector(VdbScan& scan) {
  const auto numbers = scan.next<std::array<double, 3>>("the transform");
  return {numbers[0], numbers[1], numbers[2]};
}

nvdb::TreePlacement read_transform(VdbScan& scan, const std::string& grid) {
  const std::string kind = scan.text("the transform");
  nvdb::TreePlacement placement = {.steps = {Vec3d{1, 0, 0}, Vec3d{0, 1, 0}, Vec3d{0, 0, 1}}};
  const bool scales = kind == "ScaleMap" || kind == "UniformScaleMap";
  const bool both = kind == "ScaleTranslateMap" || kind == "UniformScaleTranslateMap";
  if (both || kind == "TranslationMap") placement.corner = next_vector(scan);
  if (both || scales) {
    const Vec3d scale = next_vector(scan);
    for (uint32_t axis = 0; axis < 3; ++axis) placement.steps[axis][axis] = scale[axis];
    for (int derived = 0; derived < 4; ++derived) next_vector(scan);  // sides, inverses
  } else if (kind == "AffineMap" || kind == "UnitaryMap") {
    // Row vectors are multiplied from the left, so the rows are the images of the axes and of the origin.
    const auto m = scan.next<std::array<double, 16>>("the transform");
    for (size_t row = 0; row < 3; ++row) placement.steps[row] = {m[4 * row], m[4 * row + 1], m[4 * row + 2]};
    placement.corner = {m[12], m[13], m[14]};
  } else if (kind != "TranslationMap") {
    throw Error(fmt::format("grid '{}' has a transform of the kind {}, which is not supported", grid, kind))
        .hint("resample it onto a grid of cubes, for example with vdbResample in Houdini");
  }
  return placement;
}

[[noreturn]] void throw_type(const VdbEntry& entry) {
  throw Error(fmt::format("grid '{}' has values of type {}, which is not read", entry.name, entry.tree))
      .hint("expected numbers, vec3s, bool or mask in a tree 5_4_3");
}

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

VdbFile::VdbFile(const std::filesystem::path& path) : bytes_(mapped_file(path)) {
  VdbScan scan = {bytes_, 0};
  if (scan.next<uint64_t>("the magic number") != kVdbMagic) throw Error("is no OpenVDB file");
  const auto version = scan.next<uint32_t>("the version");
  if (version < kOldestVdb || version > kNewestVdb)
    throw Error(fmt::format("is of version {} of OpenVDB's format, expected {} to {}", version, kOldestVdb,
                            kNewestVdb))
        .hint("write it again with OpenVDB 3 to 12");
  scan.take(8, "the version of the library");
  const bool has_places = scan.next<uint8_t>("the head") != 0;
  scan.take(kVdbUuidBytes, "the head");
  const Metadata metadata = read_metadata(scan);
  const auto text = metadata.find(std::string(kVdbSceneName));
  if (text != metadata.end()) ours_ = nvdb::parse_scene_text(text->second);
  entries_ = read_entries(scan, has_places);
}

size_t VdbFile::usual_grid() const {
  if (ours_)
    for (const std::string_view name : {"material", "color", "density"})
      for (size_t i = 0; i < entries_.size(); ++i)
        if (entries_[i].name == name) return i;
  for (size_t i = 0; i < entries_.size(); ++i)
    if (entries_[i].type != nullptr) return i;
  if (entries_.empty()) throw Error("holds no grid");
  throw_type(entries_[0]);
}

VdbGrid VdbFile::head_of(const VdbEntry& entry) const {
  if (entry.type == nullptr) throw_type(entry);
  VdbScan scan = {bytes_, entry.grid_at};
  VdbGrid grid = {.name = entry.name, .type = *entry.type, .halves = entry.halves, .placement = {}};
  grid.compression = scan.next<uint32_t>("the compression of a grid");
  if ((grid.compression & ~(kVdbZip | kVdbActiveMask | kVdbBlosc)) != 0)
    throw Error(fmt::format("grid '{}' has an unknown compression, {}", entry.name, grid.compression))
        .hint(std::string(kDamaged));
  const Metadata metadata = read_metadata(scan);
  const auto grid_class = metadata.find("class");
  grid.is_level_set =
      grid_class != metadata.end() && grid_class->second == "level set" && entry.type->reals == 1;
  grid.placement = read_transform(scan, entry.name);
  grid.tree_at = scan.at;
  return grid;
}

VdbGrid VdbFile::grid(size_t i) const {
  const VdbEntry& entry = entries_[i];
  if (entry.parent.empty()) return head_of(entry);
  for (const VdbEntry& parent : entries_) {
    if (parent.name != entry.parent || !parent.parent.empty()) continue;
    VdbGrid shared = head_of(parent), own = head_of(entry);
    shared.name = own.name;
    shared.placement = own.placement;
    shared.is_level_set = own.is_level_set;
    return shared;
  }
  throw Error(
      fmt::format("grid '{}' shares the tree of grid '{}', which is missing", entry.name, entry.parent))
      .hint(std::string(kDamaged));
}

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
