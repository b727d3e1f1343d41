// Bricks of a scene's materials in the caller's memory, with the names that a file has for their arrays.
#include "libvox/bricks/frozen_bricks.h"

#include <algorithm>
#include <bit>
#include <string>
#include <string_view>

#include "capi/handles.h"
#include "libvox/bricks/make_bricks.h"

struct vox_bricks {
  vox::bricks::FrozenBricks content;
};

namespace vox {
namespace {

// Returns the set of types that a list of names separated by commas names.
uint32_t types_of(const char* names) {
  if (names == nullptr || std::string_view(names) == "all") return bricks::kAllBrickTypes;
  uint32_t types = 0;
  for (std::string_view rest = names;;) {
    const std::string_view name = rest.substr(0, rest.find(','));
    const auto found = std::ranges::find(bricks::BrickTypes::kNames, name);
    if (found == bricks::BrickTypes::kNames.end())
      throw UsageError(fmt::format("options->types names '{}', expected some of: {}", name,
                                   fmt::join(bricks::BrickTypes::kNames, ", ")));
    types |= 1u << (found - bricks::BrickTypes::kNames.begin());
    if (name.size() == rest.size()) return types;
    rest.remove_prefix(name.size() + 1);
  }
}

bricks::BricksOptions checked_bricks_options(const vox_bricks_options* given) {
  const vox_bricks_options options = known_part(given, "options");
  constexpr uint32_t kLeast = 1u << bricks::kMinBrickLog2, kMost = 1u << bricks::kMaxBrickLog2;
  if (options.side != 0 &&
      (!std::has_single_bit(options.side) || options.side < kLeast || options.side > kMost))
    throw UsageError(fmt::format("options->side is {}, expected 0 or a power of two from {} to {}",
                                 options.side, kLeast, kMost));
  bricks::BricksOptions checked;
  checked.log2_side = options.side == 0 ? 0 : static_cast<uint32_t>(std::countr_zero(options.side));
  checked.types = types_of(options.types);
  bricks::check_brick_types(checked.types);
  return checked;
}

bricks::FrozenBricks bricks_of(const vox_engine& on, const dag::VoxelScene& scene,
                               const bricks::BricksOptions& options) {
  if (scene.colors)
    throw UsageError("the scene has 24-bit colors, and bricks need a palette")
        .hint("vox_scene_make_palette() makes one");
  return bricks::make_bricks(on.engine->handle(), scene, {.options = options, .slope = {}}).bricks;
}

vox_bricks_attributes attributes_of(const bricks::FrozenBricks& bricks) {
  vox_bricks_attributes attributes = {};
  for (uint32_t axis = 0; axis < 3; ++axis) {
    attributes.size[axis] = static_cast<uint32_t>(bricks.info.size[axis]);
    attributes.spacing[axis] = bricks.info.spacing[axis];
    attributes.origin[axis] = bricks.info.origin[axis];
  }
  attributes.brick_side = bricks.shape().side();
  attributes.filled = bricks.filled;
  attributes.entry_words = bricks.entry_words;
  attributes.group_levels = bricks.groups.levels();
  attributes.place_log2 = bricks.place_log2;
  attributes.type_count = bricks::kBrickTypeCount;
  attributes.allowed_types = bricks.allowed_types;
  static_assert(sizeof attributes.counts >= bricks::kBrickTypeCount * sizeof(uint64_t));
  std::copy(bricks.counts.begin(), bricks.counts.end(), attributes.counts);
  return attributes;
}

// Returns the array that has this name in a file.
const Words& array_of(const bricks::FrozenBricks& bricks, const std::string& name) {
  if (name == "root") return bricks.root;
  if (bricks.is_sparse() && name == "groups") return bricks.groups.top;
  for (uint32_t level = 0; level < bricks.groups.levels(); ++level) {
    if (name == fmt::format("blocks{}", level)) return bricks.groups.blocks[level];
    if (level + 1 < bricks.groups.levels() && name == fmt::format("list{}", level))
      return bricks.groups.lists[level];
  }
  for (uint32_t type = 0; type < bricks::kBrickTypeCount; ++type)
    if (name == bricks::BrickTypes::kNames[type]) return bricks.data[type];
  throw UsageError(fmt::format("name is '{}', and these bricks have no such array", name));
}

void give_words(const Words& found, uint32_t* words, uint64_t capacity, uint64_t* count) {
  needed(count, "count") = found.size();
  if (words == nullptr) return;
  if (capacity < found.size())
    throw UsageError(fmt::format("capacity is {}, but the array has {} words", capacity, found.size()));
  std::copy(found.begin(), found.end(), words);
}

}  // namespace
}  // namespace vox

vox_status vox_scene_bricks(vox_engine* engine, const vox_scene* scene, const vox_bricks_options* options,
                            vox_bricks** bricks) {
  if (bricks != nullptr) *bricks = nullptr;
  return vox::call(engine, [&](vox_engine& on) {
    vox::needed(bricks, "bricks");
    const vox::bricks::BricksOptions checked = vox::checked_bricks_options(options);
    *bricks = std::make_unique<vox_bricks>(vox_bricks{vox::bricks_of(on, vox::content_of(scene), checked)})
                  .release();
  });
}

void vox_bricks_delete(vox_bricks** bricks) {
  if (bricks == nullptr) return;
  const std::unique_ptr<vox_bricks> owned(std::exchange(*bricks, nullptr));
}

vox_status vox_bricks_describe(const vox_bricks* bricks, vox_bricks_attributes* attributes) {
  return vox::guarded([&] {
    vox::give_part(vox::attributes_of(vox::needed(bricks, "bricks").content), attributes, "attributes");
  });
}

const char* vox_bricks_type_name(const vox_bricks* bricks, uint32_t type) {
  if (bricks == nullptr || type >= vox::bricks::kBrickTypeCount) return "";
  return vox::bricks::BrickTypes::kNames[type].data();  // a literal, so that a 0 follows
}

const char* vox_bricks_source(const vox_bricks* bricks) {
  return bricks == nullptr ? "" : bricks->content.info.source.c_str();
}

vox_status vox_bricks_words(const vox_bricks* bricks, const char* name, uint32_t* words, uint64_t capacity,
                            uint64_t* count) {
  return vox::guarded([&] {
    const vox::bricks::FrozenBricks& content = vox::needed(bricks, "bricks").content;
    vox::give_words(vox::array_of(content, vox::needed_text(name, "name")), words, capacity, count);
  });
}
