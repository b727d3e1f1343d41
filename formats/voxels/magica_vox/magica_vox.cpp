#include "formats/voxels/magica_vox/magica_vox.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cstdlib>
#include <cstring>

#include "formats/volume/places.h"
#include "formats/voxels/export.h"
#include "libvox/base/error.h"
#include "libvox/base/log.h"
#include "libvox/base/loops.h"
#include "libvox/base/progress.h"
#include "libvox/base/units.h"
#include "libvox/dag/colors.h"
#include "libvox/dag/walk.h"

namespace vox {
namespace {

constexpr uint32_t kModelSide = 256;
constexpr uint32_t kMostColors = 255;  // index 0 stands for empty
constexpr int32_t kShownPosition = 1000;
constexpr uint64_t kMaxFileBytes = INT32_MAX;
constexpr uint32_t kPaletteNotes = 32;  // the number that MagicaVoxel writes

struct Model {
  VoxelBox box = {};  // around the filled voxels, in the scene's coordinates
  uint64_t voxels = 0;
};

// Returns the box with z up. Axes are rotated, never mirrored.
VoxelBox turn_z_up(const VoxelBox& box, dag::UpAxis up) {
  const Int3 &a = box.min, &b = box.max;
  switch (up) {
    case dag::UpAxis::X:
      return {{a.y, a.z, a.x}, {b.y, b.z, b.x}};
    case dag::UpAxis::Y:
      return {{a.x, -b.z, a.y}, {b.x, -a.z, b.y}};
    case dag::UpAxis::Z:
      break;
  }
  return box;
}

// Returns the point of a model that `_t` places: its center, with half of an odd size rounded down.
Int3 model_position(const Model& model, dag::UpAxis up) {
  VoxelBox box = turn_z_up(model.box, up);
  Int3 size = box.size();
  return box.min + Int3{size.x / 2, size.y / 2, size.z / 2};
}

class VoxBytes {
 public:
  VoxBytes& text(std::string_view s) {
    bytes_.insert(bytes_.end(), s.begin(), s.end());
    return *this;
  }
  VoxBytes& integer(uint64_t value) {  // int32, little-endian; negative numbers come sign-extended
    for (int shift = 0; shift < 32; shift += 8) bytes_.push_back(static_cast<uint8_t>(value >> shift));
    return *this;
  }
  VoxBytes& string(std::string_view s) { return integer(s.size()).text(s); }
  VoxBytes& append(const VoxBytes& other) {
    bytes_.insert(bytes_.end(), other.bytes_.begin(), other.bytes_.end());
    return *this;
  }
  VoxBytes& chunk(std::string_view id, const VoxBytes& content) {
    return text(id).integer(content.size()).integer(0).append(content);
  }
  void reserve(uint64_t bytes) { bytes_.reserve(bytes); }
  void byte(uint8_t value) { bytes_.push_back(value); }
  uint64_t size() const { return bytes_.size(); }
  std::vector<uint8_t>& data() { return bytes_; }

 private:
  std::vector<uint8_t> bytes_;
};

constexpr uint64_t kChunkHeaderBytes = 12;
constexpr uint64_t kFirstChunk = 8 + kChunkHeaderBytes;  // behind the file's head and the head of MAIN
constexpr uint64_t kEmptyDict = 0;
constexpr uint64_t kNoId = UINT64_MAX;  // written as -1

constexpr uint64_t kLeastNodeBytes = 91;  // nTRN and nSHP of a model and its entry in the group

// Returns the bytes of one model's chunks SIZE and XYZI.
uint64_t model_bytes(const Model& model) {
  return kChunkHeaderBytes + 12 + kChunkHeaderBytes + 4 + 4 * model.voxels;
}

VoxBytes transform_node(uint64_t id, uint64_t child, Int3 position) {
  VoxBytes node;
  node.integer(id).integer(kEmptyDict).integer(child).integer(kNoId).integer(0).integer(1);
  node.integer(1).string("_t").string(fmt::format("{} {} {}", position.x, position.y, position.z));
  return node;
}

// Returns the root of the scene graph. Its name says that vox wrote the file.
VoxBytes root_node() {
  VoxBytes node;
  node.integer(0).integer(1).string("_name").string("vox").integer(1).integer(kNoId).integer(kNoId).integer(
      1);
  return node.integer(kEmptyDict), node;
}

// Returns properties for which the format has no other place, as attributes of the group. Other programs skip
// them; formats/voxels/magica_vox/magica_vox_read.cpp reads them.
VoxBytes scene_attributes(const dag::VoxelScene& scene) {
  VoxBytes attributes;
  const std::array<std::pair<std::string_view, std::string>, 5> all = {{
      {"vox_resolution", fmt::format("{}", scene.dag.resolution)},
      {"vox_origin", fmt::format("{} {} {}", scene.origin.x, scene.origin.y, scene.origin.z)},
      {"vox_voxel_size", exact_sides(scene.voxel_size)},
      {"vox_up", std::string(1, "xyz"[static_cast<size_t>(scene.up)])},
      {"vox_materials", fmt::format("{}", scene.palette.count)},
  }};
  attributes.integer(all.size());
  for (const auto& [key, value] : all) attributes.string(key).string(value);
  return attributes;
}

// Returns the scene graph. The root transform has number 0 and the group number 1; model i has transform 2 +
// 2i and shape 3 + 2i.
VoxBytes scene_graph(const std::vector<Model>& models, const dag::VoxelScene& scene) {
  VoxBytes graph, group;
  graph.chunk("nTRN", root_node());
  group.reserve((models.size() + 3) * sizeof(uint32_t));
  group.integer(1).append(scene_attributes(scene)).integer(models.size());
  for (uint64_t i = 0; i < models.size(); ++i) group.integer(2 + 2 * i);
  graph.chunk("nGRP", group);
  for (uint64_t i = 0; i < models.size(); ++i) {
    graph.chunk("nTRN", transform_node(2 + 2 * i, 3 + 2 * i, model_position(models[i], scene.up)));
    VoxBytes shape;
    shape.integer(3 + 2 * i).integer(kEmptyDict).integer(1).integer(i).integer(kEmptyDict);
    graph.chunk("nSHP", shape);
  }
  return graph;
}

// Returns the chunk with the colors that voxels have apart from the DAG. Number i of their table has index i + 1.
VoxBytes colors_chunk(const attributes::PackedValues& values) {
  VoxBytes colors, chunk;
  for (uint32_t i = 0; i < 256; ++i) {
    const scene::Rgb8 color = scene::unpacked_color(i < values.table.size() ? values.table[i] : 0);
    for (const uint8_t channel : {color.r, color.g, color.b, uint8_t{255}}) colors.byte(channel);
  }
  chunk.chunk("RGBA", colors);
  return chunk;
}

// Returns the chunks of the palette. Color i of the file has index i + 1.
VoxBytes palette_chunks(const scene::Palette& palette) {
  VoxBytes colors, names, chunks;
  for (uint32_t i = 0; i < 256; ++i) {
    scene::Rgb8 color = i < palette.count ? palette.colors[i] : i == 0 ? kPlainColor : scene::Rgb8{0, 0, 0};
    for (uint8_t channel : {color.r, color.g, color.b, uint8_t{255}}) colors.byte(channel);
  }
  chunks.chunk("RGBA", colors);
  if (palette.count == 0) return chunks;
  names.integer(kPaletteNotes);
  for (uint32_t i = 0; i < kPaletteNotes; ++i) names.string(i < palette.count ? palette.names[i] : "");
  return chunks.chunk("NOTE", names), chunks;
}

Model measure(const dag::FrozenDag& dag, const VoxelBox& region) {
  Model model;
  auto add = [&](const VoxelBox& box, uint64_t voxels) {
    model.box = model.voxels == 0 ? box : hull(model.box, box);
    model.voxels += voxels;
  };
  dag::for_each_leaf(
      dag, region,
      [&](Int3 corner, uint64_t mask, const uint32_t*) {
        VoxelBox bounds = dag::leaf_bounds(mask);
        add({corner + bounds.min, corner + bounds.max}, static_cast<uint64_t>(popcount(mask)));
      },
      [&](const VoxelBox& box, uint32_t) { add(box, box.voxels()); });
  return model;
}

[[noreturn]] void throw_too_large(const std::filesystem::path& path) {
  throw Error("would be larger than the 2 GiB that a .vox file can have")
      .at(path.string())
      .hint(coarser_hint("1K"))
      .about("resolution");
}

// Returns, for each 256³ block in which the DAG has a node, the part of the region inside it.
std::vector<VoxelBox> blocks(const dag::FrozenDag& dag, const VoxelBox& region,
                             const std::filesystem::path& path) {
  std::vector<VoxelBox> found;
  dag::for_each_node(dag, region, [&](uint32_t level, Int3 corner, const uint32_t*) {
    uint32_t side = dag.level_side(level);
    if (side > kModelSide) return true;
    found.push_back(intersection(cube_at(corner, side), region));
    if (found.size() * kLeastNodeBytes > kMaxFileBytes) throw_too_large(path);
    return false;
  });
  return found;
}

std::vector<Model> find_models(const dag::FrozenDag& dag, const VoxelBox& region,
                               const std::filesystem::path& path) {
  std::vector<VoxelBox> boxes = blocks(dag, region, path);
  std::vector<Model> models(boxes.size());
  std::atomic<uint64_t> bytes = 0;
  parallel_for(size_t{0}, boxes.size(), [&](size_t i) {
    throw_if_cancelled();
    models[i] = measure(dag, boxes[i]);
    if ((bytes += model_bytes(models[i]) + kLeastNodeBytes) > kMaxFileBytes) throw_too_large(path);
  });
  std::erase_if(models, [](const Model& model) { return model.voxels == 0; });
  // Readers refuse a file without models.
  if (models.empty()) models.push_back({cube_at(region.min, 1), 0});
  return models;
}

// The colors of a scene that has them apart from the DAG, and the numbers of its voxels.
struct NumberedColors {
  attributes::PackedValues values;
  dag::VoxelNumbers numbers;
};

std::vector<uint8_t> model_chunks(const dag::FrozenDag& dag, const NumberedColors* colors, const Model& model,
                                  dag::UpAxis up) {
  VoxelBox turned = turn_z_up(model.box, up);
  Int3 size = turned.size();
  VoxBytes chunks, dimensions;
  chunks.reserve(model_bytes(model));
  dimensions.integer(uint64_t(size.x)).integer(uint64_t(size.y)).integer(uint64_t(size.z));
  chunks.chunk("SIZE", dimensions);
  chunks.text("XYZI").integer(4 + 4 * model.voxels).integer(0).integer(model.voxels);
  auto put = [&](Int3 voxel, uint8_t index) {
    Int3 v = turn_z_up(cube_at(voxel, 1), up).min - turned.min;
    for (int32_t byte : {v.x, v.y, v.z, int32_t{index}}) chunks.byte(static_cast<uint8_t>(byte));
  };
  auto put_colors = [&](Int3 corner, uint64_t inside, const uint32_t* leaf) {
    uint64_t number = colors->numbers.first_of_leaf(corner);
    for (uint64_t left = dag::leaf_mask(leaf); left != 0; left &= left - 1, ++number) {
      const auto bit = static_cast<uint32_t>(lowest_bit(left));
      if ((inside >> bit & 1) != 0)
        put(corner + cube_place(bit), static_cast<uint8_t>(colors->values.ref().stored(number) + 1));
    }
  };
  auto put_leaf = [&](Int3 corner, uint64_t mask, const uint32_t* leaf) {
    for (; mask != 0; mask &= mask - 1) {
      const auto bit = static_cast<uint32_t>(lowest_bit(mask));
      put(corner + cube_place(bit), dag::leaf_value(dag, leaf, bit));
    }
  };
  auto put_solid = [&](const VoxelBox& box, uint32_t material) {
    for_each_place_in(box, [&](const Int3& voxel) { put(voxel, dag::solid_value(material)); });
  };
  if (model.voxels != 0 && colors != nullptr)
    dag::for_each_leaf(dag, model.box, put_colors);
  else if (model.voxels != 0)
    dag::for_each_leaf(dag, model.box, put_leaf, put_solid);
  return std::move(chunks.data());
}

// Suggests a coarser scene, because many models are hard to work with if MagicaVoxel shows them at all.
void advise(const dag::VoxelScene& scene, const std::vector<Model>& models,
            const std::filesystem::path& path) {
  constexpr uint32_t kHandy = 1024;
  if (scene.dag.resolution <= kHandy || models.size() == 1) return;
  log_info("{}: {} models of at most {}³ voxels; a resolution of {} makes a coarser scene with fewer",
           path.string(), models.size(), kModelSide, coarser_resolution(scene.dag.resolution, kHandy));
}

void warn_where_not_shown(const std::vector<Model>& models, dag::UpAxis up,
                          const std::filesystem::path& path) {
  auto hidden = std::count_if(models.begin(), models.end(), [&](const Model& model) {
    Int3 p = model_position(model, up);
    return std::max({std::abs(p.x), std::abs(p.y), std::abs(p.z)}) >= kShownPosition;
  });
  if (hidden != 0)
    log_warning(
        "{}: {} of {} models lie outside the positions of ±{} that MagicaVoxel shows. It shows all of a "
        "part: "
        "export boxes of at most {} voxels a side into files of their own",
        path.string(), hidden, models.size(), kShownPosition, 2 * kShownPosition);
}

}  // namespace

// The first transform of the scene graph, which follows the models, is its root.
bool is_magica_vox_of_vox(std::string_view file) {
  VoxBytes root;
  root.chunk("nTRN", root_node());
  const std::string_view mark(reinterpret_cast<const char*>(root.data().data()), root.size());
  if (!file.starts_with("VOX ")) return false;
  for (size_t at = kFirstChunk; at + kChunkHeaderBytes <= file.size();) {
    if (file.substr(at).starts_with("nTRN")) return file.substr(at).starts_with(mark);
    uint32_t content = 0;
    std::memcpy(&content, file.data() + at + 4, sizeof(content));
    at += kChunkHeaderBytes + content;
  }
  return false;
}

void write_magica_vox(const dag::VoxelScene& scene, const std::filesystem::path& path,
                      const std::optional<VoxelBox>& clip, ranks::Ranks& ranks) {
  std::vector<Model> models = find_models(scene.dag, export_region(scene, clip, path), path);
  std::optional<NumberedColors> colors;
  if (scene.colors && scene.colors->count > 0)
    colors.emplace(
        NumberedColors{dag::with_fewer_colors(*scene.colors, kMostColors), dag::VoxelNumbers(scene.dag)});
  VoxBytes tail = scene_graph(models, scene)
                      .append(colors ? colors_chunk(colors->values) : palette_chunks(scene.palette));
  uint64_t children = tail.size();
  for (const Model& model : models) children += model_bytes(model);
  if (children > kMaxFileBytes) throw_too_large(path);

  VoxBytes head;
  head.text("VOX ").integer(150).text("MAIN").integer(0).integer(children);
  ExportFile file(path, head.size() + children, Writers::Several, ranks);
  file.write(head.data());
  file.write_pieces(models.size(), [&](uint64_t i) {
    return model_chunks(scene.dag, colors ? &*colors : nullptr, models[i], scene.up);
  });
  file.write(tail.data());
  file.commit();
  warn_where_not_shown(models, scene.up, path);
  advise(scene, models, path);
}

}  // namespace vox
