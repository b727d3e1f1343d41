#include "formats/voxels/magica_vox/magica_vox.h"

#include <fmt/format.h>

#include <charconv>
#include <map>
#include <string_view>

#include "formats/io/scan.h"
#include "libvox/base/error.h"

namespace vox {
namespace {

using Attributes = std::map<std::string_view, std::string_view>;

std::string_view read_string(ByteCursor& from) {
  return from.text(from.little<uint32_t>());
}

Attributes read_attributes(ByteCursor& from) {
  Attributes attributes;
  for (uint32_t left = from.little<uint32_t>(); left > 0; --left) {
    const std::string_view key = read_string(from);
    attributes[key] = read_string(from);
  }
  return attributes;
}

std::string_view attribute(const Attributes& attributes, std::string_view key) {
  const auto found = attributes.find(key);
  return found == attributes.end() ? std::string_view() : found->second;
}

// Removes the next number from a text, and the blank after it.
template <class T>
std::optional<T> next_number(std::string_view& text) {
  T value = {};
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || (end != text.data() + text.size() && *end != ' ')) return std::nullopt;
  text.remove_prefix(std::min(static_cast<size_t>(end - text.data()) + 1, text.size()));
  return value;
}

template <class T>
std::optional<Vec3<T>> three_numbers(std::string_view text) {
  const auto x = next_number<T>(text), y = next_number<T>(text), z = next_number<T>(text);
  if (!x || !y || !z || !text.empty()) return std::nullopt;
  return Vec3<T>{*x, *y, *z};
}

// Each row of the matrix has one number that is not 0, in a column of its own:
//
//   bit  6 5 4    3 2        1 0
//        signs    column     column of row 0
//        of rows  of row 1
//        2 1 0
void set_rotation(AxisTransform& transform, std::string_view text, const ByteCursor& at) {
  const auto bits = next_number<uint32_t>(text);
  const uint32_t first = bits.value_or(3) & 3, second = bits.value_or(3) >> 2 & 3;
  if (!bits || *bits > 127 || first == 3 || second == 3 || first == second)
    at.fail("'_r' is no rotation of whole axes");
  transform.from = {first, second, 3 - first - second};
  for (uint32_t row = 0; row < 3; ++row) transform.sign[row] = *bits >> (4 + row) & 1 ? -1 : 1;
}

class Chunks {
 public:
  explicit Chunks(std::span<const std::byte> bytes) : rest_(bytes) {}

  MagicaFile read() {
    if (rest_.left() < 4 || rest_.text(4) != "VOX ") throw Error("is no MagicaVoxel file");
    const uint32_t version = rest_.little<uint32_t>();
    if (version != 150 && version != 200)
      rest_.fail(fmt::format("it is of version {}, expected 150 or 200", version));
    if (rest_.text(4) != "MAIN") rest_.fail("expected the chunk MAIN");
    const uint32_t own = rest_.little<uint32_t>(), children = rest_.little<uint32_t>();
    rest_.take(own);
    rest_ = rest_.part(children);
    set_default_colors();
    while (rest_.left() > 0) read_chunk();
    if (size_) rest_.fail("a model has a size, but no voxels");
    return std::move(file_);
  }

 private:
  // The children of a chunk, which no known chunk has, follow it and are read as if they were beside it.
  void read_chunk() {
    const std::string_view id = rest_.text(4);
    const uint32_t own = rest_.little<uint32_t>(), children = rest_.little<uint32_t>();
    if (children > rest_.left()) rest_.take(children);
    ByteCursor chunk = rest_.part(own);
    if (id == "SIZE") return read_size(chunk);
    if (id == "XYZI") return read_voxels(chunk);
    if (id == "RGBA") return read_colors(chunk);
    if (id == "nTRN") return read_transform(chunk);
    if (id == "nGRP") return read_group(chunk);
    if (id == "nSHP") return read_shape(chunk);
    if (id == "LAYR") return read_layer(chunk);
    if (id == "NOTE") return read_notes(chunk);
    // All other chunks only affect how MagicaVoxel displays the scene; IMAP only the order of colors in its
    // window.
  }

  void read_size(ByteCursor& chunk) {
    if (size_) chunk.fail("a model has a size, but no voxels");
    size_ = {0, 0, 0};
    for (uint32_t axis = 0; axis < 3; ++axis) (*size_)[axis] = chunk.little<uint32_t>();
  }

  void read_voxels(ByteCursor& chunk) {
    if (!size_) chunk.fail("a model has voxels, but no size");
    const uint64_t count = chunk.little<uint32_t>();
    file_.models.push_back({*size_, chunk.take(4 * count)});
    size_.reset();
  }

  void set_color(size_t index, uint32_t r, uint32_t g, uint32_t b) {
    file_.colors[index] = {static_cast<uint8_t>(r), static_cast<uint8_t>(g), static_cast<uint8_t>(b)};
  }

  void read_colors(ByteCursor& chunk) {
    for (size_t index = 1; index < 256; ++index) {
      const uint32_t color = chunk.little<uint32_t>();
      set_color(index, color & 255, color >> 8 & 255, color >> 16 & 255);
    }
  }

  // Sets the colors of a file without a palette: a cube of six shades per channel, from white on and without
  // black, and then ten shades each of red, green, blue and gray.
  void set_default_colors() {
    constexpr std::array<uint32_t, 10> kShades = {0xee, 0xdd, 0xbb, 0xaa, 0x88, 0x77, 0x55, 0x44, 0x22, 0x11};
    set_color(0, 0, 0, 0);
    for (uint32_t i = 0; i < 215; ++i)
      set_color(1 + i, 255 - i / 36 * 51, 255 - i / 6 % 6 * 51, 255 - i % 6 * 51);
    for (uint32_t i = 0; i < 40; ++i) {
      const uint32_t shade = kShades[i % 10], kind = i / 10;
      const auto channel = [&](uint32_t own) { return kind == 3 || kind == own ? shade : 0; };
      set_color(216 + i, channel(0), channel(1), channel(2));
    }
  }

  MagicaNode& new_node(ByteCursor& chunk) {
    const uint32_t id = chunk.little<uint32_t>();
    const auto [node, is_new] = file_.nodes.try_emplace(id);
    if (!is_new) chunk.fail(fmt::format("node {} occurs twice", id));
    return node->second;
  }

  void read_transform(ByteCursor& chunk) {
    MagicaNode& node = new_node(chunk);
    node.hidden = attribute(read_attributes(chunk), "_hidden") == "1";
    node.children = {chunk.little<uint32_t>()};
    chunk.little<uint32_t>();  // reserved
    node.layer = chunk.little<uint32_t>();
    const uint32_t frames = chunk.little<uint32_t>();
    if (frames == 0) return;
    file_.later_frames += frames - 1;
    const Attributes frame = read_attributes(chunk);
    if (const auto rotation = attribute(frame, "_r"); !rotation.empty())
      set_rotation(node.transform, rotation, chunk);
    if (const auto text = attribute(frame, "_t"); !text.empty()) {
      const auto move = three_numbers<int32_t>(text);
      if (!move) chunk.fail(fmt::format("'_t' is '{}', expected three numbers", text));
      node.transform.move = {move->x, move->y, move->z};
    }
  }

  void read_group(ByteCursor& chunk) {
    MagicaNode& node = new_node(chunk);
    const Attributes attributes = read_attributes(chunk);
    if (!file_.origin) file_.origin = origin_of(attributes);
    const uint32_t count = chunk.little<uint32_t>();
    if (count > chunk.left() / 4) chunk.take(uint64_t{count} * 4);
    for (uint32_t i = 0; i < count; ++i) node.children.push_back(chunk.little<uint32_t>());
  }

  void read_shape(ByteCursor& chunk) {
    MagicaNode& node = new_node(chunk);
    read_attributes(chunk);
    const uint32_t models = chunk.little<uint32_t>();
    if (models == 0) return;
    file_.later_frames += models - 1;
    node.model = chunk.little<uint32_t>();
  }

  void read_layer(ByteCursor& chunk) {
    const uint32_t id = chunk.little<uint32_t>();
    if (attribute(read_attributes(chunk), "_hidden") == "1") file_.hidden_layers.insert(id);
  }

  void read_notes(ByteCursor& chunk) {
    for (uint32_t left = chunk.little<uint32_t>(); left > 0; --left)
      file_.notes.emplace_back(read_string(chunk));
  }

  // Missing or senseless attributes are ignored, because another program has then changed them.
  static std::optional<MagicaOrigin> origin_of(const Attributes& attributes) {
    constexpr std::string_view kAxes = "xyz";
    std::string_view resolution = attribute(attributes, "vox_resolution"),
                     materials = attribute(attributes, "vox_materials"),
                     voxel_size = attribute(attributes, "vox_voxel_size");
    const std::string_view up = attribute(attributes, "vox_up");
    const auto corner = three_numbers<double>(attribute(attributes, "vox_origin"));
    const auto side = next_number<uint32_t>(resolution), count = next_number<uint32_t>(materials);
    const auto sides = three_numbers<double>(voxel_size);
    const auto side_of_cube = next_number<double>(voxel_size);
    std::optional<VoxelSize> size;
    if (sides)
      size = VoxelSize(*sides);
    else if (side_of_cube)
      size = *side_of_cube;
    if (!corner || !side || !count || !size || up.size() != 1 || kAxes.find(up[0]) == kAxes.npos) return {};
    if (!(std::abs(corner->x) + std::abs(corner->y) + std::abs(corner->z) < 1e300)) return {};
    if (!(size->shortest() > 0 && size->x + size->y + size->z < 1e300) || *count > scene::kPaletteSize)
      return {};
    return MagicaOrigin{.resolution = *side,
                        .materials = *count,
                        .origin = *corner,
                        .voxel_size = *size,
                        .up = static_cast<dag::UpAxis>(kAxes.find(up[0]))};
  }

  ByteCursor rest_;
  std::optional<Vec3<int64_t>> size_;  // the size of the model whose voxels follow
  MagicaFile file_;
};

}  // namespace

MagicaFile magica_file(std::span<const std::byte> bytes) {
  return Chunks(bytes).read();
}

namespace {

// The scene graph of a MagicaVoxel file: which models it shows, and where.

class SceneGraph {
 public:
  explicit SceneGraph(const MagicaFile& file) : file_(file) {}

  // Node 0 is the root. Pending nodes are on an explicit stack, because the graph may be deep.
  MagicaPlaces walk(const AxisTransform& turn) {
    waiting_.push_back({0, turn, false});
    while (!waiting_.empty()) {
      const Visit visit = waiting_.back();
      waiting_.pop_back();
      go_to(visit);
    }
    return std::move(places_);
  }

 private:
  struct Visit {
    uint32_t id;
    AxisTransform transform;
    bool hidden;
  };

  void go_to(const Visit& visit) {
    const auto found = file_.nodes.find(visit.id);
    if (found == file_.nodes.end()) throw Error(fmt::format("its scene graph has no node {}", visit.id));
    const MagicaNode& node = found->second;
    const bool hidden = visit.hidden || node.hidden || file_.hidden_layers.contains(node.layer);
    if (node.model) return place(*node.model, visit.transform, hidden);
    // Only shapes may be used twice, so the walk takes no longer than the file is long.
    if (!node.children.empty() && !seen_.insert(visit.id).second)
      throw Error(fmt::format("its scene graph is not a tree: node {} is below two others", visit.id));
    const AxisTransform transform = composed(visit.transform, node.transform);
    for (auto child = node.children.rbegin(); child != node.children.rend(); ++child)
      waiting_.push_back({*child, transform, hidden});
  }

  void place(uint32_t model, const AxisTransform& transform, bool hidden) {
    if (model >= file_.models.size())
      throw Error(
          fmt::format("its scene graph has a model {}, but there are {}", model, file_.models.size()));
    if (hidden) {
      ++places_.hidden;
      return;
    }
    // A transform is relative to a model's center, with half of an odd size rounded down.
    const Vec3<int64_t> size = file_.models[model].size;
    AxisTransform to_middle;
    to_middle.move = {-(size.x / 2), -(size.y / 2), -(size.z / 2)};
    places_.instances.push_back({model, of_voxels(composed(transform, to_middle))});
  }

  const MagicaFile& file_;
  std::vector<Visit> waiting_;
  std::unordered_set<uint32_t> seen_;
  MagicaPlaces places_;
};

}  // namespace

MagicaPlaces magica_places(const MagicaFile& file, const AxisTransform& turn) {
  if (!file.nodes.empty()) return SceneGraph(file).walk(turn);
  // Old versions place nothing. If such a file has several models, they are the frames of an animation.
  MagicaPlaces places;
  if (!file.models.empty()) places.instances.push_back({0, of_voxels(turn)});
  return places;
}

}  // namespace vox
