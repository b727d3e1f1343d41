// A common interface to the three forms of a scene, for kernels. It gives the word of a voxel, and the first
// voxel that a ray hits. The word is 0 if the voxel is empty, otherwise its material + 1, as in dag/walk.h.
#pragma once

#include <algorithm>
#include <concepts>
#include <type_traits>

#include "libvox/base/morton.h"
#include "libvox/bricks/bricks_ref.h"
#include "libvox/bricks/jit/loops.h"
#include "libvox/bricks/reader.h"
#include "libvox/dag/frozen_dag.h"
#include "libvox/device/runs.h"
#include "libvox/measure/forms_bench.h"
#include "libvox/measure/timing.h"
#include "libvox/render/camera.h"
#include "libvox/render/render.h"
#include "libvox/render/shade.h"
#include "libvox/render/trace.h"
#include "libvox/spatial/build_impl.h"
#include "libvox/spatial/frozen_hash.h"

namespace vox::measure {

// first_seen() follows a ray voxel by voxel through any grid that can tell a voxel's contents. The ray
// is the renderer's, in whole numbers, so it hits the same voxels as in the SVDAG (render/README.md).

// The first voxel that a ray hits.
struct VoxelHit {
  Int3 voxel = {};    // 12 B
  uint32_t word = 0;  // 4 B, 0 if nothing is hit
};
static_assert(sizeof(VoxelHit) == 16);

// The contents of a voxel. If the word is 0, an aligned cube of 2^empty_log2 voxels a side around the
// voxel is empty.
struct SeenVoxel {
  uint32_t word = 0, empty_log2 = 0;
};

// The grid answers for any voxel of the cube. Voxels outside of the grid are empty.
template <class G>
concept SteppedGrid = requires(const G& grid, Int3 voxel) {
  { grid.see(voxel) } -> std::same_as<SeenVoxel>;
};

template <SteppedGrid Grid>
VOX_HD VoxelHit first_seen(const Grid& grid, const render::Ray& ray) {
  render::Cell cell(ray);
  render::Crossing now = ray.start;
  if (cell.next() < now) return {};  // the ray misses the cube
  for (;;) {
    while (cell.log2 > 0) cell.halve(ray, now);
    const Int3 voxel = cell.corner(ray);
    const SeenVoxel seen = grid.see(voxel);
    if (seen.word != 0) return {voxel, seen.word};
    if (seen.empty_log2 > 0) cell = render::Cell(ray, voxel, seen.empty_log2);
    now = cell.next();
    cell.go_on(ray);
    if (cell.log2 >= ray.log2_side) return {};
  }
}

// A form is captured by value. It can also be used as an accessor by the bricks' loops (bricks/jit/loops.h).
template <class F>
concept SceneForm = std::is_trivially_copyable_v<F> && requires(const F& form, Int3 voxel, render::Ray ray) {
  { form.template get<uint8_t>(voxel) } -> std::same_as<uint8_t>;  // the word of a voxel in the grid
  { form.first(ray) } -> std::same_as<VoxelHit>;
  form.prefetch(voxel);  // prefetches get()'s first read, if its address is known without reading
};

static_assert(render::kNoMaterial + 1 == 0 && hash::kNoValue + 1 == 0);
// Returns the word of a voxel with this material. kNoMaterial and kNoValue give 0, the word of an empty voxel.
VOX_HD inline uint32_t word_of_material(uint32_t material) {
  return material + 1;
}

// The SVDAG. Each voxel is looked up from the root. A ray keeps the nodes that it is in.
struct DagForm {
  render::RayDagRef dag;

  template <class T>
  VOX_HD T get(Int3 voxel) const {
    return static_cast<T>(word_of_material(dag.material_at(voxel)));
  }
  VOX_HD VoxelHit first(const render::Ray& ray) const {
    const render::Hit hit = render::trace(dag, ray);
    if (!hit.found()) return {};
    return {hit.low, word_of_material(render::hit_material(dag, ray, hit))};
  }
  VOX_HD void prefetch(Int3) const {}
};
static_assert(SceneForm<DagForm>);

// Bricks of bytes, read through the root grid. Rays skip empty bricks.
template <class Root>
struct BricksForm {
  Root bricks;

  template <class T>
  VOX_HD T get(Int3 voxel) const {
    return bricks.template get<T>(voxel);
  }
  VOX_HD VoxelHit first(const render::Ray& ray) const { return first_seen(*this, ray); }
  VOX_HD SeenVoxel see(Int3 voxel) const {
    const Int3 size = bricks.size;
    if (voxel.x >= size.x || voxel.y >= size.y || voxel.z >= size.z) return {};
    const auto [entry, empty_log2] = bricks.look(bricks.place_of(voxel));
    if (entry.is_empty()) return {0, bricks.shape.log2_side + empty_log2};
    return {bricks.template get<uint8_t>(entry, voxel), 0};
  }
  VOX_HD void prefetch(Int3 voxel) const {
    if constexpr (!Root::kIsSparse)
      prefetch_line(bricks.root + bricks.index(bricks.place_of(voxel)) * bricks.entry_words);
  }
};
static_assert(SceneForm<BricksForm<bricks::DenseRootRef>> && SteppedGrid<BricksForm<bricks::SparseRootRef>>);

// The spatial hash, with one search for each voxel. It cannot tell how large an empty region is, so rays go
// from voxel to voxel.
struct HashForm {
  spatial::HashRef hash;

  template <class T>
  VOX_HD T get(Int3 voxel) const {
    return static_cast<T>(word_of_material(hash.material(voxel)));
  }
  VOX_HD VoxelHit first(const render::Ray& ray) const { return first_seen(*this, ray); }
  VOX_HD SeenVoxel see(Int3 voxel) const { return {hash.keys.contains(voxel) ? get<uint32_t>(voxel) : 0, 0}; }
  VOX_HD void prefetch(Int3 voxel) const { hash.table.prefetch(hash.keys.key(voxel)); }
};
static_assert(SceneForm<HashForm> && SteppedGrid<HashForm>);

// The loops that are measured on the forms of a scene. Each body is written once for all forms.

// The voxels that the loops read are lists on a device. They are made from the scene's own voxels, so that
// all forms are asked for the same ones.

// A view of the filled voxels of a scene in Morton order, and of the first voxel of each block of 4³.
struct FormSurfaceRef {
  const uint64_t* cells;  // the keys are Morton codes
  hash::CellFormat<uint64_t> format;
  const uint32_t* starts;  // the index of each block's first cell
  uint64_t voxels, blocks;
  uint32_t resolution;

  VOX_HD uint64_t code(uint64_t voxel) const { return format.key(cells[voxel]); }
  // Returns the code of the first voxel, filled or not, of the i-th of n evenly spread blocks.
  VOX_HD uint64_t block_code(uint64_t i, uint64_t n) const {
    return code(starts[i * blocks / n]) >> 6 << 6;  // both factors are below 2^32
  }
  VOX_HD Int3 in_grid(Int3 voxel) const {
    const auto last = static_cast<int32_t>(resolution) - 1;
    const auto along = [&](int32_t at) { return at < 0 ? 0 : at > last ? last : at; };
    return {along(voxel.x), along(voxel.y), along(voxel.z)};
  }
};

// Random voxels: every second one is filled; the others are a few voxels away from a filled one.
struct PlacesNearSurface {
  static constexpr uint32_t kAway = 4;  // maximum distance along each axis
  FormSurfaceRef surface;

  VOX_HD Int3 operator()(uint64_t i) const {
    const uint64_t random = mix64(i + 1), which = (random >> 32) * surface.voxels >> 32;
    const Int3 voxel = morton_decode(surface.code(which));
    if (i % 2 == 0) return voxel;
    const auto away = [&](uint32_t shift) {
      return static_cast<int32_t>((random >> shift & 0xff) % (2 * kAway + 1)) - static_cast<int32_t>(kAway);
    };
    return surface.in_grid(voxel + Int3{away(0), away(8), away(16)});
  }
};

// Random voxels anywhere in the grid.
struct PlacesInGrid {
  Int3 size;
  VOX_HD Int3 operator()(uint64_t i) const {
    return bricks::RandomGather<bricks::DenseRef, uint8_t>::voxel(i, size);
  }
};

// All voxels of blocks that contain surface, in Morton order.
struct PlacesOfBlocks {
  static constexpr uint64_t kEach = 64;
  FormSurfaceRef surface;
  uint64_t count;  // blocks

  VOX_HD Int3 operator()(uint64_t i) const {
    return surface.in_grid(morton_decode(surface.block_code(i / kEach, count) | i % kEach));
  }
};

// Rows of 32 voxels along x through blocks that contain surface. Blocks beside each other along x get rows
// with different y and z, so no row occurs twice.
struct PlacesOfRows {
  static constexpr uint64_t kEach = 32;
  FormSurfaceRef surface;
  uint64_t count;  // rows

  VOX_HD Int3 operator()(uint64_t i) const {
    const Int3 corner = morton_decode(surface.block_code(i / kEach, count));
    const int32_t which = corner.x / 4 % 8;
    return surface.in_grid(
        {corner.x / 32 * 32 + static_cast<int32_t>(i % kEach), corner.y + which % 4, corner.z + which / 4});
  }
};

template <class Places>
struct WriteFormPlaces {
  Places places;
  Int3* out;
  VOX_HD void operator()(uint64_t i) const { out[i] = places(i); }
};

struct FormPlaces {
  device::Buffer<Int3> random, uniform, rows, blocks, means;

  uint64_t most_gathered() const {
    return std::max({random.size(), uniform.size(), rows.size(), blocks.size()});
  }
};

template <class Device, class Places>
device::Buffer<Int3> written_places(Device& device, uint64_t n, const Places& places) {
  auto list = device.template make<Int3>(n);
  device.for_each({"forms: write places", 28}, n, WriteFormPlaces<Places>{places, list.data()});
  return list;
}

// Lists `gathers` places for each of the gathers and `means` places for the filter, or fewer if there are not
// enough blocks. The DAG must be one that check_structure() accepts, with at least one voxel and fewer than
// 2^32.
template <class Device>
FormPlaces list_places(Device& device, const dag::FrozenDag& dag, uint64_t octree_leaves, uint64_t gathers,
                       uint64_t means) {
  const auto cells = spatial::octree_cells(device, dag, {spatial::CellKeyLayout::Morton, dag.resolution});
  auto starts = device.template make<uint32_t>(octree_leaves);
  FormSurfaceRef surface = {cells.data(),  spatial::kCellFormat, starts.data(), cells.size(), 0,
                            dag.resolution};
  surface.blocks =
      device.select({"forms: select blocks", 12}, cells.size(),
                    device::StartsRun<uint64_t>{cells.data(), spatial::kMaterialBits + 6}, starts.data());
  const auto side = static_cast<int32_t>(dag.resolution);
  const auto parts = [&](uint64_t places, uint64_t each) {
    return std::min((places + each - 1) / each, surface.blocks);
  };
  const auto blocks_of = [&](uint64_t places) {
    const uint64_t count = parts(places, PlacesOfBlocks::kEach);
    return written_places(device, count * PlacesOfBlocks::kEach, PlacesOfBlocks{surface, count});
  };
  const uint64_t rows = parts(gathers, PlacesOfRows::kEach);
  return {.random = written_places(device, gathers, PlacesNearSurface{surface}),
          .uniform = written_places(device, gathers, PlacesInGrid{{side, side, side}}),
          .rows = written_places(device, rows * PlacesOfRows::kEach, PlacesOfRows{surface, rows}),
          .blocks = blocks_of(gathers),
          .means = blocks_of(means)};
}

// Reads the words of voxels.
template <SceneForm Ref>
struct GatherWords {
  Ref form;
  const Int3* places;
  uint8_t* words;

  VOX_HD void prefetch(uint64_t i, int stage) const {
    if (stage == 1) form.prefetch(places[i]);
  }
  VOX_HD void operator()(uint64_t i) const { words[i] = form.template get<uint8_t>(places[i]); }
};
static_assert(device::PrefetchingBody<GatherWords<DagForm>>);

// Computes the means of the words around voxels, as floats. If they were rounded to words, most would be 0
// where few voxels are filled. A sum is below 2^24 and thus exact as a float, so each mean is rounded once.
template <SceneForm Ref>
struct MeansOfPlaces {
  Ref form;
  const Int3* places;
  Int3 size;
  int32_t radius;
  float* means;

  VOX_HD void operator()(uint64_t i) const {
    const uint64_t sum = bricks::sum_around<uint8_t>(form, places[i], radius, size);
    const int32_t side = 2 * radius + 1;
    means[i] = static_cast<float>(sum) / static_cast<float>(side * side * side);
  }
};

// Finds the first filled voxel on the ray through the center of each pixel.
template <SceneForm Ref>
struct CastToVoxels {
  Ref form;
  render::PixelRays rays;
  Tiles tiles;
  VoxelHit* hits;  // row by row

  VOX_HD void operator()(uint64_t i) const {
    const Vec2<uint32_t> pixel = tiles.pixel(i);
    if (!tiles.holds(pixel)) return;
    const auto middle = [](uint32_t at) { return (2 * at + 1) << (render::kSubpixelBits - 1); };
    const render::FineDirection direction = rays.direction(middle(pixel.x), middle(pixel.y));
    hits[tiles.index(pixel)] =
        form.first(render::make_ray(render::make_course(rays.log2_side, direction), rays.eye, 0));
  }
};

template <class T>
struct IsAboveZero {
  const T* values;
  VOX_HD uint32_t operator()(uint64_t i) const { return values[i] > 0 ? 1 : 0; }
};
struct IsHit {
  const VoxelHit* hits;
  VOX_HD uint32_t operator()(uint64_t i) const { return hits[i].word != 0 ? 1 : 0; }
};
// The contribution of a hit to a checksum.
struct MixedHit {
  const VoxelHit* hits;
  VOX_HD uint64_t operator()(uint64_t i) const {
    const auto [voxel, word] = hits[i];
    const uint64_t code = morton_encode(static_cast<uint32_t>(voxel.x), static_cast<uint32_t>(voxel.y),
                                        static_cast<uint32_t>(voxel.z));
    return bricks::mixed_word(i, word) ^ mix64(code);
  }
};

// Returns a camera that sees the whole scene.
inline render::Camera camera_around(const dag::FrozenDag& dag, uint32_t picture) {
  const render::ImageSize size = {picture, picture};
  const render::CameraPose pose =
      render::framing(render::outline(dag), "iso", 0, render::CameraPose().fov, size);
  return render::make_camera(pose, size, dag::kLeafLog2 + dag.depth());
}

template <class Device>
class FormLoops {
 public:
  // The DAG must be one that check_structure() accepts, with at least one voxel and fewer than 2^32.
  FormLoops(Device& device, const dag::FrozenDag& dag, uint64_t octree_leaves, const FormsBenchSizes& sizes,
            uint32_t filter)
      : device_(device),
        sizes_(sizes),
        side_(static_cast<int32_t>(dag.resolution)),
        radius_(static_cast<int32_t>(filter / 2)),
        places_(list_places(device, dag, octree_leaves, sizes.gathers, sizes.means)) {
    words_ = device.template make<uint8_t>(places_.most_gathered());
    means_ = device.template make<float>(places_.means.size());
    if (sizes.picture == 0) return;
    rays_ = render::pixel_rays(camera_around(dag, sizes.picture));
    hits_ = device.template make<VoxelHit>(uint64_t{sizes.picture} * sizes.picture);
  }

  // Returns a row for each loop. The caller sets the form's number.
  template <SceneForm Ref>
  std::vector<FormsBenchRow> measure(const Ref& form) {
    std::vector<FormsBenchRow> rows;
    if (sizes_.gathers > 0) {
      rows.push_back(gather(FormLoop::Random, form, places_.random));
      rows.push_back(gather(FormLoop::Uniform, form, places_.uniform));
      rows.push_back(gather(FormLoop::Rows, form, places_.rows));
      rows.push_back(gather(FormLoop::Blocks, form, places_.blocks));
    }
    if (sizes_.means > 0) rows.push_back(filter(form));
    if (sizes_.picture > 0) rows.push_back(cast(form));
    return rows;
  }

 private:
  FormsBenchRow row_of(FormLoop loop, uint64_t lookups) const {
    FormsBenchRow row;
    row.loop = kFormLoopNames[static_cast<size_t>(loop)];
    row.lookups = lookups;
    row.repetitions = sizes_.repetitions;
    return row;
  }

  template <class Run>
  Timing timed(const Run& run) {
    return repeated(sizes_.repetitions, [&](uint32_t) { return device_.seconds(run); });
  }

  // Runs a loop over n places that writes a value for each. The values are overwritten first, so that results
  // of another form cannot be counted.
  template <class T, class Body>
  FormsBenchRow fill_values(FormsBenchRow row, const char* name, uint64_t n, T* values, const Body& body) {
    auto* const bytes = reinterpret_cast<uint8_t*>(values);
    device_.fill(bytes, n * sizeof(T), uint8_t{0xff});
    row.time = timed([&] { device_.for_each({name, sizeof(Int3) + sizeof(T)}, n, body); });
    row.filled = device_.sum("forms: count filled", n, IsAboveZero<T>{values});
    row.checksum = device_.sum("forms: checksum", n, bricks::MixedWord{bytes, sizeof(T)});
    return row;
  }

  template <SceneForm Ref>
  FormsBenchRow gather(FormLoop loop, const Ref& form, const device::Buffer<Int3>& places) {
    const uint64_t n = places.size();
    return fill_values(row_of(loop, n), "forms: gather", n, words_.data(),
                       GatherWords<Ref>{form, places.data(), words_.data()});
  }

  // Voxels outside of the grid are not read, but count as lookups.
  template <SceneForm Ref>
  FormsBenchRow filter(const Ref& form) {
    const uint64_t n = places_.means.size(), side = 2 * static_cast<uint64_t>(radius_) + 1;
    return fill_values(
        row_of(FormLoop::Mean, n * side * side * side), "forms: mean", n, means_.data(),
        MeansOfPlaces<Ref>{form, places_.means.data(), {side_, side_, side_}, radius_, means_.data()});
  }

  template <SceneForm Ref>
  FormsBenchRow cast(const Ref& form) {
    const Tiles tiles = {sizes_.picture, sizes_.picture};
    const uint64_t n = hits_.size();
    FormsBenchRow row = row_of(FormLoop::Rays, n);
    device_.fill(hits_.data(), n, VoxelHit{{-1, -1, -1}, UINT32_MAX});
    row.time = timed([&] {
      device_.for_each({"forms: rays", sizeof(VoxelHit)}, tiles.count(),
                       CastToVoxels<Ref>{form, rays_, tiles, hits_.data()});
    });
    row.filled = device_.sum("forms: count hits", n, IsHit{hits_.data()});
    row.checksum = device_.sum("forms: checksum of hits", n, MixedHit{hits_.data()});
    return row;
  }

  Device& device_;
  const FormsBenchSizes sizes_;
  const int32_t side_, radius_;
  FormPlaces places_;
  device::Buffer<uint8_t> words_;
  device::Buffer<float> means_;
  render::PixelRays rays_ = {};
  device::Buffer<VoxelHit> hits_;
};

}  // namespace vox::measure
