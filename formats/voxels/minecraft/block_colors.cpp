#include "formats/voxels/minecraft/schem.h"

#include <algorithm>
#include <array>
#include <string>

#include "libvox/base/bits.h"

namespace vox {
namespace {

struct NamedColor {
  std::string_view name;
  uint32_t rgb;
};

// clang-format off
constexpr NamedColor kBlocks[] = {
    {"stone", 0x7d7d7d}, {"granite", 0x95674f}, {"diorite", 0xbdbcbd}, {"andesite", 0x888889},
    {"deepslate", 0x505053}, {"tuff", 0x6c6d66}, {"calcite", 0xdfe0dc}, {"cobblestone", 0x7f7f7f},
    {"cobbled_deepslate", 0x4d4d50}, {"stone_bricks", 0x7a7979}, {"deepslate_bricks", 0x464647},
    {"deepslate_tiles", 0x363637}, {"bedrock", 0x555555}, {"gravel", 0x837f7e}, {"dirt", 0x866043},
    {"coarse_dirt", 0x77553b}, {"rooted_dirt", 0x90674c}, {"grass_block", 0x7fb238}, {"podzol", 0x5b3f18},
    {"mycelium", 0x6f6265}, {"dirt_path", 0x947941}, {"grass_path", 0x947941}, {"farmland", 0x8f6646},
    {"mud", 0x3c393c}, {"mud_bricks", 0x89674f}, {"packed_mud", 0x8e6a4f}, {"clay", 0xa0a6b3},
    {"sand", 0xdbcfa3}, {"red_sand", 0xbe6621}, {"sandstone", 0xd8cb9b}, {"red_sandstone", 0xba631d},
    {"terracotta", 0x985e43}, {"bricks", 0x966153}, {"water", 0x3f76e4}, {"lava", 0xd45a12},
    {"ice", 0x91b7fd}, {"packed_ice", 0x8db4fa}, {"blue_ice", 0x74a7fd}, {"snow", 0xf9fefe},
    {"snow_block", 0xf9fefe}, {"powder_snow", 0xf8fdfd}, {"glass", 0xc5dde3}, {"tinted_glass", 0x2c262e},
    {"obsidian", 0x0f0a18}, {"crying_obsidian", 0x200a3c}, {"netherrack", 0x612626},
    {"nether_bricks", 0x2c151a}, {"red_nether_bricks", 0x450709}, {"soul_sand", 0x513e32},
    {"soul_soil", 0x4b392e}, {"basalt", 0x49484d}, {"blackstone", 0x2a232b},
    {"polished_blackstone_bricks", 0x302a31}, {"magma_block", 0x8e3f1f}, {"glowstone", 0xab8354},
    {"shroomlight", 0xf09246}, {"sea_lantern", 0xacc7be}, {"end_stone", 0xdbde9e},
    {"end_stone_bricks", 0xdae0a2}, {"purpur_block", 0xa97da9}, {"prismarine", 0x639c97},
    {"prismarine_bricks", 0x63ab9e}, {"dark_prismarine", 0x335b4b}, {"quartz_block", 0xebe5de},
    {"quartz_bricks", 0xeae5dd}, {"quartz_pillar", 0xebe6e0}, {"iron_block", 0xdcdcdc},
    {"gold_block", 0xf6d03d}, {"diamond_block", 0x62ede4}, {"emerald_block", 0x2acb57},
    {"lapis_block", 0x1e438c}, {"redstone_block", 0xaf1805}, {"coal_block", 0x101010},
    {"copper_block", 0xc06b4f}, {"cut_copper", 0xbf6a50}, {"netherite_block", 0x423d3f},
    {"amethyst_block", 0x8561bf}, {"raw_iron_block", 0xa6876b}, {"coal_ore", 0x69696a},
    {"iron_ore", 0x88817a}, {"gold_ore", 0x91856a}, {"diamond_ore", 0x798d8c}, {"redstone_ore", 0x8c6d6d},
    {"emerald_ore", 0x6c8873}, {"lapis_ore", 0x6b758d}, {"copper_ore", 0x7c7d78}, {"bookshelf", 0x755f3b},
    {"crafting_table", 0x77492a}, {"furnace", 0x6e6d6d}, {"chest", 0xa2702b}, {"barrel", 0x86643a},
    {"tnt", 0xb6584d}, {"sponge", 0xc3c04a}, {"hay_block", 0xa68b0c}, {"pumpkin", 0xc67618},
    {"jack_o_lantern", 0xd69834}, {"melon", 0x6f911e}, {"cactus", 0x557f2b}, {"moss_block", 0x596d2d},
    {"moss_carpet", 0x596d2d}, {"vine", 0x4a7a28}, {"grass", 0x6fa032}, {"short_grass", 0x6fa032},
    {"tall_grass", 0x6fa032}, {"fern", 0x6fa032}, {"large_fern", 0x6fa032}, {"sugar_cane", 0x94c065},
    {"kelp", 0x57822b}, {"seagrass", 0x337f07}, {"wheat", 0xa6973f}, {"dandelion", 0xffec4f},
    {"poppy", 0xed302c}, {"lily_pad", 0x208030}, {"red_mushroom_block", 0xc82f2d},
    {"brown_mushroom_block", 0x956f51}, {"mushroom_stem", 0xcbc4b9}, {"honey_block", 0xfbb934},
    {"honeycomb_block", 0xe5941d}, {"slime_block", 0x70c05b}, {"bone_block", 0xe5e1cf},
    {"nether_wart_block", 0x730302}, {"warped_wart_block", 0x167779}, {"dripstone_block", 0x866b5c},
    {"torch", 0xffd66b}, {"lantern", 0x6a5b53}, {"rail", 0x7d7058}, {"ladder", 0x7c6137},
    {"iron_bars", 0x888b88}, {"chain", 0x333a4a}, {"cobweb", 0xe4e9ea}, {"sculk", 0x0d1e24},
};
// clang-format on

constexpr NamedColor kDyes[] = {
    {"white", 0xe4e4e4},      {"orange", 0xe06101}, {"magenta", 0xa9309f}, {"light_blue", 0x2489c7},
    {"yellow", 0xf1af15},     {"lime", 0x5ea918},   {"pink", 0xd5658f},    {"gray", 0x36393d},
    {"light_gray", 0x7d7d73}, {"cyan", 0x157788},   {"purple", 0x64209c},  {"blue", 0x2c2e8f},
    {"brown", 0x603b1f},      {"green", 0x495b24},  {"red", 0x8e2121},     {"black", 0x080a0f},
};
// Blocks that are dyed as a whole. Plain terracotta is missing, because it is darker and takes less of a dye.
constexpr std::string_view kDyed[] = {
    "wool", "carpet", "concrete",    "concrete_powder", "stained_glass", "stained_glass_pane",
    "bed",  "candle", "shulker_box", "banner",          "wall_banner",   "glazed_terracotta"};

struct Wood {
  std::string_view name;
  uint32_t planks, bark, leaves;
};
constexpr Wood kWoods[] = {
    {"dark_oak", 0x432b14, 0x3c2e1a, 0x4a7a28}, {"pale_oak", 0xe3d9d8, 0x584d4b, 0x747a73},
    {"oak", 0xa2834f, 0x6d5533, 0x4a7a28},      {"spruce", 0x735531, 0x3b2611, 0x4d794d},
    {"birch", 0xc0af79, 0xd9d7d3, 0x6b8d46},    {"jungle", 0xa07351, 0x554419, 0x3f8a1e},
    {"acacia", 0xa85a32, 0x676157, 0x5f8f24},   {"mangrove", 0x753631, 0x54432a, 0x557d27},
    {"cherry", 0xe3b3ad, 0x372026, 0xe5adc2},   {"bamboo", 0xc1ad50, 0x7f903a, 0x557d27},
    {"crimson", 0x653147, 0x5c191d, 0x730302},  {"warped", 0x2b6963, 0x3a3b4e, 0x167779},
    {"azalea", 0x8a6a4a, 0x6d5533, 0x5f7a2c},
};

// clang-format off
constexpr std::string_view kBuildingBlocks[] = {
    "stone", "granite", "diorite", "andesite", "deepslate", "tuff", "calcite", "cobblestone",
    "cobbled_deepslate", "stone_bricks", "deepslate_bricks", "deepslate_tiles", "dirt", "coarse_dirt", "clay",
    "sandstone", "red_sandstone", "terracotta", "bricks", "packed_ice", "blue_ice", "snow_block", "obsidian",
    "netherrack", "nether_bricks", "red_nether_bricks", "soul_soil", "basalt", "blackstone", "end_stone",
    "end_stone_bricks", "purpur_block", "prismarine", "prismarine_bricks", "dark_prismarine", "quartz_block",
    "iron_block", "gold_block", "diamond_block", "emerald_block", "lapis_block", "redstone_block",
    "coal_block", "netherite_block", "amethyst_block", "raw_iron_block", "moss_block", "hay_block", "pumpkin",
    "melon", "bone_block", "honeycomb_block", "nether_wart_block", "warped_wart_block", "dripstone_block",
    "oak_planks", "spruce_planks", "birch_planks", "jungle_planks", "acacia_planks", "dark_oak_planks",
    "crimson_planks", "warped_planks", "white_concrete", "orange_concrete", "magenta_concrete",
    "light_blue_concrete", "yellow_concrete", "lime_concrete", "pink_concrete", "gray_concrete",
    "light_gray_concrete", "cyan_concrete", "purple_concrete", "blue_concrete", "brown_concrete",
    "green_concrete", "red_concrete", "black_concrete", "white_terracotta", "orange_terracotta",
    "magenta_terracotta", "light_blue_terracotta", "yellow_terracotta", "lime_terracotta", "pink_terracotta",
    "gray_terracotta", "light_gray_terracotta", "cyan_terracotta", "purple_terracotta", "blue_terracotta",
    "brown_terracotta", "green_terracotta", "red_terracotta", "black_terracotta",
};

// Blocks that are used only if a material has their name.
constexpr std::string_view kNamedBlocks[] = {
    "grass_block", "sand", "red_sand", "gravel", "mud", "glass", "tinted_glass", "water", "lava", "ice",
    "glowstone", "sea_lantern", "shroomlight", "bookshelf", "copper_block", "podzol", "bedrock", "oak_log",
    "oak_leaves", "spruce_log", "spruce_leaves", "birch_log", "birch_leaves", "jungle_log", "jungle_leaves",
    "acacia_log", "acacia_leaves", "dark_oak_log", "dark_oak_leaves",
};
// clang-format on

constexpr std::string_view kShapes[] = {"_stairs",   "_slab",           "_fence_gate", "_fence",
                                        "_wall",     "_pressure_plate", "_button",     "_pillar",
                                        "_trapdoor", "_door",           "_sign",       "_pane"};
constexpr std::string_view kFinishes[] = {"polished_", "smooth_",   "chiseled_",   "cut_",     "cracked_",
                                          "mossy_",    "infested_", "waxed_",      "exposed_", "weathered_",
                                          "oxidized_", "stripped_", "suspicious_", "flowing_", "deepslate_",
                                          "wall_",     "soul_",     "wet_",        "trapped_", "ender_"};

scene::Rgb8 color_of_rgb(uint32_t rgb) {
  return {static_cast<uint8_t>(rgb >> 16), static_cast<uint8_t>(rgb >> 8), static_cast<uint8_t>(rgb)};
}

std::optional<scene::Rgb8> listed_color(std::string_view name) {
  const auto found = std::ranges::find(kBlocks, name, &NamedColor::name);
  if (found == std::end(kBlocks)) return std::nullopt;
  return color_of_rgb(found->rgb);
}

std::optional<scene::Rgb8> dyed_color(std::string_view name) {
  for (const NamedColor& dye : kDyes) {
    if (!name.starts_with(dye.name) || name.size() <= dye.name.size() + 1) continue;
    const std::string_view what = name.substr(dye.name.size() + 1);
    const scene::Rgb8 color = color_of_rgb(dye.rgb);
    if (std::ranges::find(kDyed, what) != std::end(kDyed)) return color;
    const auto fired = [](int channel, int clay) { return static_cast<uint8_t>((channel + clay) / 2); };
    if (what == "terracotta") return scene::Rgb8{fired(color.r, 152), fired(color.g, 94), fired(color.b, 67)};
  }
  return std::nullopt;
}

std::optional<scene::Rgb8> wood_color(std::string_view name) {
  for (const Wood& wood : kWoods) {
    if (!name.starts_with(wood.name) || !name.substr(wood.name.size()).starts_with('_')) continue;
    if (name.ends_with("_leaves") || name.ends_with("_sapling")) return color_of_rgb(wood.leaves);
    const bool bark = name.ends_with("_log") || name.ends_with("_wood") || name.ends_with("_stem") ||
                      name.ends_with("_hyphae");
    return color_of_rgb(bark ? wood.bark : wood.planks);
  }
  return std::nullopt;
}

std::optional<scene::Rgb8> material_color(std::string_view name) {
  for (const char* ending : {"", "s", "_block"})
    if (const auto color = listed_color(std::string(name) + ending)) return color;
  if (const auto color = dyed_color(name)) return color;
  return wood_color(name);
}

}  // namespace

std::string_view block_name(std::string_view state) {
  constexpr std::string_view kNamespace = "minecraft:";
  state = state.substr(0, state.find('['));
  if (state.starts_with(kNamespace)) state.remove_prefix(kNamespace.size());
  return state;
}

bool is_air(std::string_view name) {
  constexpr std::array<std::string_view, 6> kAir = {"air",     "cave_air", "void_air", "structure_void",
                                                    "barrier", "light"};
  return std::ranges::find(kAir, name) != kAir.end();
}

std::optional<scene::Rgb8> known_block_color(std::string_view name) {
  constexpr size_t kLongest = 256;  // a file may hold longer names, which would take long
  if (name.size() > kLongest) return std::nullopt;
  if (const auto color = material_color(name)) return color;
  for (const std::string_view shape : kShapes)
    if (name.ends_with(shape)) return known_block_color(name.substr(0, name.size() - shape.size()));
  for (const std::string_view finish : kFinishes)
    if (name.starts_with(finish)) return known_block_color(name.substr(finish.size()));
  return std::nullopt;
}

std::span<const std::string_view> building_blocks() {
  return kBuildingBlocks;
}

bool is_block_of_material(std::string_view name) {
  if (std::ranges::find(kBuildingBlocks, name) != std::end(kBuildingBlocks)) return true;
  if (std::ranges::find(kNamedBlocks, name) != std::end(kNamedBlocks)) return true;
  return dyed_color(name) && (name.ends_with("_wool") || name.ends_with("_stained_glass"));
}

scene::Rgb8 color_of_name(std::string_view name) {
  uint64_t hash = 1;
  for (const char c : name) hash = mix64(hash * 31 + static_cast<uint8_t>(c));
  const auto gray = static_cast<uint32_t>(72 + hash % 96);
  const auto channel = [&](uint32_t shift) { return static_cast<uint8_t>(gray + (hash >> shift) % 48); };
  return {channel(16), channel(24), channel(32)};
}

}  // namespace vox
