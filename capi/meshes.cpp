// Meshes of the C interface: arrays become a scene of triangles after everything in them has been checked.
#include <tbb/blocked_range.h>
#include <tbb/parallel_reduce.h>

#include <array>
#include <filesystem>

#include "capi/handles.h"
#include "formats/images/image.h"
#include "formats/mesh/mesh.h"
#include "libvox/base/loops.h"
#include "libvox/base/units.h"

namespace vox {
namespace {

constexpr uint64_t kNoProblem = UINT64_MAX;

// Returns the first of `count` places for which is_wrong(place) is true, or kNoProblem.
template <class IsWrong>
uint64_t first_wrong(uint64_t count, const IsWrong& is_wrong) {
  return tbb::parallel_reduce(
      tbb::blocked_range<uint64_t>(0, count, 1 << 14), kNoProblem,
      [&](const auto& range, uint64_t found) {
        for (uint64_t i = range.begin(); i < range.end() && i < found; ++i)
          if (is_wrong(i)) return i;
        return found;
      },
      [](uint64_t a, uint64_t b) { return std::min(a, b); });
}

template <class Number>
void copy_positions(const void* from, std::vector<Vec3d>& to) {
  const auto* numbers = static_cast<const Number*>(from);
  parallel_for(uint64_t{0}, uint64_t{to.size()}, [&](uint64_t i) {
    to[i] = {double{numbers[3 * i]}, double{numbers[3 * i + 1]}, double{numbers[3 * i + 2]}};
  });
}

scene::Image image_of(const vox_material& material, const std::string& name) {
  const uint32_t width = material.image_width, height = material.image_height;
  if (width == 0 || height == 0 || width > kMaxImageSide || height > kMaxImageSide)
    throw UsageError(fmt::format("the image has {} x {} pixels, expected 1 to {} along each side", width,
                                 height, kMaxImageSide))
        .at(name);
  scene::Image image = {.name = name, .width = width, .height = height, .pixels = {}};
  image.pixels.resize(size_t{width} * height);
  const uint64_t bytes = image.pixels.size() * sizeof(scene::Rgba8);
  ReadArrays arrays;
  std::memcpy(image.pixels.data(), arrays.on_host(material.image, bytes), bytes);
  return image;
}

std::array<float, 4> base_color_of(const vox_material& material, const std::string& name) {
  std::array<float, 4> color = {1, 1, 1, 1};
  const float* given = material.base_color;
  if (std::any_of(given, given + 4, [](float part) { return part != 0; }))
    std::copy_n(given, 4, color.begin());
  for (const float part : color)
    if (!(part >= 0 && part <= 1))
      throw UsageError(fmt::format("base_color has {}, expected 0 to 1", part)).at(name);
  return color;
}

void add_material(const vox_material* given, uint32_t number, scene::Scene& scene) {
  std::string name = fmt::format("arrays->materials[{}]", number);
  const vox_material material = known_part(given, name.c_str());
  scene::Material& made = scene.materials.emplace_back();
  made.base_color = base_color_of(material, name);
  if (!(material.alpha_cutoff >= 0 && material.alpha_cutoff <= 1))
    throw UsageError(fmt::format("alpha_cutoff is {}, expected 0 to 1", material.alpha_cutoff)).at(name);
  made.alpha_cutoff = material.alpha_cutoff;
  made.wrap_u = known_choice<scene::Wrap>(material.wrap_u, 3, "wrap_u");
  made.wrap_v = known_choice<scene::Wrap>(material.wrap_v, 3, "wrap_v");
  if (material.name != nullptr) made.name = material.name;
  if (material.image == nullptr) return;
  made.image = static_cast<uint32_t>(scene.images.size());
  scene.images.push_back(image_of(material, name));
}

void add_materials(const vox_mesh_arrays& arrays, scene::Scene& scene) {
  if (arrays.materials == nullptr) {
    scene.materials.emplace_back();
    if (arrays.colors != nullptr) scene.materials.back().base_color = {1, 1, 1, 1};
    return;
  }
  if (arrays.material_count == 0 || arrays.material_count > 1 << 20)
    throw UsageError(
        fmt::format("arrays->material_count is {}, expected 1 to {}", arrays.material_count, 1 << 20));
  const auto* at = reinterpret_cast<const std::byte*>(arrays.materials);
  for (uint32_t i = 0; i < arrays.material_count; ++i) {
    const auto* material = reinterpret_cast<const vox_material*>(at);
    add_material(material, i, scene);
    at += material->struct_size;
  }
}

void check_counts(const vox_mesh_arrays& arrays) {
  if (arrays.vertices >= scene::kNone)
    throw UsageError(fmt::format("arrays->vertices is {}, expected less than 2^32", arrays.vertices));
  if (arrays.triangles > kMaxTriangles ||
      (arrays.corner_uv != nullptr && arrays.triangles > scene::kNone / 3))
    throw UsageError(fmt::format("arrays->triangles is {}, expected at most {}", arrays.triangles,
                                 arrays.corner_uv != nullptr ? scene::kNone / 3 : kMaxTriangles));
  if (arrays.vertices > 0) needed(static_cast<const std::byte*>(arrays.positions), "arrays->positions");
  if (arrays.indices == nullptr && 3 * arrays.triangles > arrays.vertices)
    throw UsageError(fmt::format("{} without indices have {} vertices, which are too few",
                                 format_count(arrays.triangles, "triangle"), arrays.vertices));
}

void check_numbers(const vox_mesh_arrays& arrays, uint64_t materials) {
  if (arrays.indices != nullptr) {
    const uint64_t wrong =
        first_wrong(3 * arrays.triangles, [&](uint64_t i) { return arrays.indices[i] >= arrays.vertices; });
    if (wrong != kNoProblem)
      throw UsageError(fmt::format("triangle {} has vertex {}, but there are {}", wrong / 3,
                                   arrays.indices[wrong], arrays.vertices))
          .at("arrays->indices");
  }
  if (arrays.material_of == nullptr) return;
  const uint64_t wrong =
      first_wrong(arrays.triangles, [&](uint64_t i) { return arrays.material_of[i] >= materials; });
  if (wrong != kNoProblem)
    throw UsageError(fmt::format("triangle {} has material {}, but there are {}", wrong,
                                 arrays.material_of[wrong], materials))
        .at("arrays->material_of");
}

void add_texcoords(const vox_mesh_arrays& arrays, scene::Scene& scene) {
  const float* from = arrays.corner_uv != nullptr ? arrays.corner_uv : arrays.uv;
  if (from == nullptr) return;
  const bool is_up = known_choice<uint32_t>(arrays.v_direction, 2, "arrays->v_direction") == VOX_V_UP;
  scene.texcoords.resize(arrays.corner_uv != nullptr ? 3 * arrays.triangles : arrays.vertices);
  parallel_for(uint64_t{0}, uint64_t{scene.texcoords.size()}, [&](uint64_t i) {
    const float v = from[2 * i + 1];
    scene.texcoords[i] = {from[2 * i], is_up ? 1 - v : v};
  });
}

scene::Triangle triangle_of(const vox_mesh_arrays& arrays, uint64_t number) {
  scene::Triangle triangle = {{}, {scene::kNone, scene::kNone, scene::kNone}, 0};
  for (uint32_t corner = 0; corner < 3; ++corner) {
    const uint64_t place = 3 * number + corner;
    triangle.position[corner] =
        arrays.indices != nullptr ? arrays.indices[place] : static_cast<uint32_t>(place);
    if (arrays.corner_uv != nullptr)
      triangle.texcoord[corner] = static_cast<uint32_t>(place);
    else if (arrays.uv != nullptr)
      triangle.texcoord[corner] = triangle.position[corner];
  }
  if (arrays.material_of != nullptr) triangle.material = arrays.material_of[number];
  return triangle;
}

scene::Scene scene_of_arrays(const vox_mesh_arrays* given) {
  vox_mesh_arrays arrays = known_part(&needed(given, "arrays"), "arrays");
  check_counts(arrays);
  const bool are_floats =
      known_choice<uint32_t>(arrays.position_type, 2, "arrays->position_type") == VOX_FLOAT32;
  ReadArrays reading;
  arrays.positions =
      reading.on_host(arrays.positions, 3 * arrays.vertices * (are_floats ? sizeof(float) : sizeof(double)));
  arrays.indices = reading.on_host(arrays.indices, 3 * arrays.triangles);
  arrays.uv = reading.on_host(arrays.uv, 2 * arrays.vertices);
  arrays.corner_uv = reading.on_host(arrays.corner_uv, 6 * arrays.triangles);
  arrays.colors = reading.on_host(arrays.colors, 4 * arrays.vertices);
  arrays.material_of = reading.on_host(arrays.material_of, arrays.triangles);
  scene::Scene scene;
  add_materials(arrays, scene);
  check_numbers(arrays, scene.materials.size());
  scene.positions.resize(arrays.vertices);
  if (are_floats)
    copy_positions<float>(arrays.positions, scene.positions);
  else
    copy_positions<double>(arrays.positions, scene.positions);
  if (arrays.colors != nullptr) {
    scene.colors.resize(arrays.vertices);
    std::memcpy(scene.colors.data(), arrays.colors, scene.colors.size() * sizeof(scene::Rgba8));
  }
  add_texcoords(arrays, scene);
  scene.triangles.resize(arrays.triangles);
  parallel_for(uint64_t{0}, arrays.triangles,
               [&](uint64_t i) { scene.triangles[i] = triangle_of(arrays, i); });
  scene::drop_bad_triangles(scene);
  return scene;
}

void check_room(const scene::Scene& scene, const scene::Scene& more) {
  if (scene.positions.size() + more.positions.size() >= scene::kNone ||
      scene.texcoords.size() + more.texcoords.size() >= scene::kNone ||
      scene.triangles.size() + more.triangles.size() > kMaxTriangles)
    throw UsageError("the mesh would have more vertices or triangles than 32 bits can number");
}

// A lack of memory must not leave a part of the other scene.
void append_or_leave(scene::Scene& scene, scene::Scene&& more) {
  const size_t positions = scene.positions.size(), colors = scene.colors.size(), images = scene.images.size(),
               texcoords = scene.texcoords.size(), triangles = scene.triangles.size(),
               materials = scene.materials.size();
  try {
    scene::append_scene(scene, std::move(more));
  } catch (...) {
    scene.positions.resize(positions);
    scene.colors.resize(colors);
    scene.texcoords.resize(texcoords);
    scene.triangles.resize(triangles);
    scene.materials.resize(materials);
    scene.images.resize(images);
    throw;
  }
}

template <class Make>
vox_status make_mesh(vox_mesh** mesh, const Make& make) noexcept {
  if (mesh != nullptr) *mesh = nullptr;
  return guarded([&] {
    needed(mesh, "mesh");
    *mesh = std::make_unique<vox_mesh>(make()).release();
  });
}

}  // namespace
}  // namespace vox

vox_status vox_mesh_create(const vox_mesh_arrays* arrays, vox_mesh** mesh) {
  return vox::make_mesh(mesh, [&] { return vox_mesh{vox::scene_of_arrays(arrays), {}}; });
}

vox_status vox_mesh_add(vox_mesh* mesh, const vox_mesh_arrays* arrays) {
  return vox::guarded([&] {
    vox::needed(mesh, "mesh");
    vox::scene::Scene more = vox::scene_of_arrays(arrays);
    vox::check_room(mesh->scene, more);
    vox::append_or_leave(mesh->scene, std::move(more));
  });
}

vox_status vox_mesh_load(const char* path, uint32_t up, vox_mesh** mesh) {
  return vox::make_mesh(mesh, [&] {
    const std::filesystem::path file = vox::needed_text(path, "path");
    vox::MeshOptions options;
    if (vox::known_choice<uint32_t>(up, 4, "up") != VOX_UP_FILE)
      options.up = static_cast<vox::dag::UpAxis>(up - VOX_UP_X);
    return vox_mesh{vox::read_meshes({&file, 1}, options).scene, file.filename().string()};
  });
}

void vox_mesh_delete(vox_mesh** mesh) {
  if (mesh == nullptr) return;
  const std::unique_ptr<vox_mesh> owned(std::exchange(*mesh, nullptr));
}

uint64_t vox_mesh_triangles(const vox_mesh* mesh) {
  return mesh == nullptr ? 0 : mesh->scene.triangles.size();
}
