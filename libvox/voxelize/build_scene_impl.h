// Voxelizes a scene of any size and builds its DAG: cuts the scene into chunks that fit in memory, and builds one chunk
// after the other.
#pragma once

#include <algorithm>
#include <bit>
#include <optional>
#include <tuple>

#include "libvox/attributes/pack.h"
#include "libvox/base/log_line.h"
#include "libvox/base/progress.h"
#include "libvox/base/units.h"
#include "libvox/dag/freeze.h"
#include "libvox/dag/levels.h"
#include "libvox/device/pool.h"
#include "libvox/device/runs.h"
#include "libvox/voxelize/build_cells.h"
#include "libvox/voxelize/build_scene.h"
#include "libvox/voxelize/descend.h"
#include "libvox/voxelize/leaves.h"
#include "libvox/voxelize/normals.h"
#include "libvox/voxelize/prepare.h"
#include "libvox/voxelize/solid_builder.h"

namespace vox::voxelize {

// Copies a chunk's pairs from the scene's pairs. The key of a copied pair is the index of its chunk cell in
// the chunk.
struct ChunkPairs {
  const uint32_t* cell_of;
  const uint32_t* triangles;
  uint32_t first_cell;
  uint32_t* chunk_keys;
  uint32_t* chunk_triangles;
  VOX_HD void operator()(uint64_t i) const {
    chunk_keys[i] = cell_of[i + 1] - 1 - first_cell;
    chunk_triangles[i] = triangles[i];
  }
};

// The values of voxels, beside the DAG, that a pass over the triangles makes.
enum class ValuesMade { Colors, Normals };

// Builds one scene. The smallest pieces are chunk cells: cubes with a side of cell_side_ voxels that
// triangles meet. A chunk is a run of consecutive chunk cells.
template <class Device>
class ChunkedBuild {
 public:
  ChunkedBuild(Device& device, const Grid& grid, const BuildOptions& options,
               const hash::TableOptions& tables)
      : device_(device), grid_(grid), options_(options), store_(device, tables) {
    result_.dag = dag::empty_dag(grid.resolution, options.materials);
    cell_side_ = grid.resolution <= kMaxFineResolution ? 256u : 1024u;
    grid_end_ = static_cast<int32_t>(grid.resolution) * kUnitsPerVoxel;
    cell_levels_ = static_cast<uint32_t>(std::countr_zero(cell_side_)) - dag::kLeafLog2;
  }

  BuildResult run(const scene::Scene& scene, const scene::IndexedScene& indexed) {
    makes_colors_ = options_.colors;
    start(scene, indexed);
    build_chunks(all_cells());
    Stopwatch watch;
    if (colors_) result_.colors = colors_->finish();
    const uint32_t root = build_top();
    drop_scene();
    result_.solid += at_start_;
    const Stopwatch freeze;
    dag::Freezer(device_, store_, result_.dag).run(root);
    result_.freeze_seconds = freeze.seconds();
    result_.build_seconds += watch.lap();
    result_.peak_device_bytes = device_.pool().peak();
    return std::move(result_);
  }

  attributes::PackedValues run_values(const scene::Scene& scene, const scene::IndexedScene& indexed,
                                      ValuesMade values) {
    makes_nodes_ = false;
    makes_colors_ = true;
    makes_normals_ = values == ValuesMade::Normals;
    start(scene, indexed);
    build_chunks(all_cells());
    drop_scene();
    return colors_->finish();
  }

  BuiltCells<Device> run_share(const scene::Scene& scene, const scene::IndexedScene& indexed,
                               const CellShare& share) {
    start(scene, indexed);
    build_chunks(share);
    const Stopwatch watch;
    const uint32_t height = std::min(result_.dag.depth(), cell_levels_);
    std::vector<uint32_t> fills;
    if (solid_) fills = solid_->fills(height);
    drop_scene();
    result_.build_seconds += watch.seconds();
    return {.store = std::move(store_),
            .level = result_.dag.depth() - height,
            .codes = std::move(top_keys_),
            .pointers = std::move(top_pointers_),
            .inside = {std::move(cell_states_), std::move(left_rows_), std::move(fills), at_start_},
            .result = std::move(result_)};
  }

 private:
  // Up to this resolution chunk cells are 256 voxels wide. A larger grid would have too many of that
  // size.
  static constexpr uint32_t kMaxFineResolution = 1 << 17;
  using ColorChunk = typename attributes::StreamPacker<Device>::Chunk;

  void start(const scene::Scene& scene, const scene::IndexedScene& indexed) {
    const Stopwatch watch;
    PreparedMaterials materials = prepare_materials(indexed);
    if (makes_normals_)
      colors_.emplace(device_, attributes::kDirectionBits);
    else if (makes_colors_)
      start_colors(table_colors(materials));
    prepare_scene(scene, std::move(materials));
    if (makes_normals_) start_normals();
    const uint64_t triangles = scene_.shapes.size();
    if (options_.solid) {
      solid_.emplace(device_, store_, result_.dag, cell_side_, options_);
      solid_->start(scene_.ref(), triangles);
      left_rows_ = solid_->tiles().take_left();
      at_start_ = solid_->at_start();
    }
    cells_ = find_chunk_cells(device_, scene_.ref(), triangles, grid_.resolution, cell_side_, grid_end_,
                              options_.solid ? CellOrder::Rows : CellOrder::Morton);
    result_.voxelize_seconds += watch.seconds();
  }

  void start_colors(std::vector<uint32_t> table) {
    const uint32_t bits =
        table.empty() ? attributes::kMostValueBits : attributes::bits_for_table(table.size());
    colors_.emplace(device_, bits, std::move(table));
  }

  void start_normals() {
    normals_ = device_.template make<uint32_t>(scene_.shapes.size());
    device_.for_each(
        {"normals of triangles", 36}, normals_.size(),
        NormalsOfTriangles{scene_.planes.data(),
                           Vec3d{1, 1, 1} / grid_.voxel_size * grid_.voxel_size.shortest(), normals_.data()});
  }

  // Frees all memory that only voxelizing needs.
  void drop_scene() {
    if (solid_) result_.solid = solid_->added();
    solid_.reset();
    atlas_.reset();
    scene_ = {};
    normals_.reset();
    cells_.triangles.reset();
    cells_.cell_of.reset();
    device_.pool().trim();
  }

  void prepare_scene(const scene::Scene& scene, PreparedMaterials materials) {
    if (options_.atlas && options_.atlas->texels > 0) {
      mark_painted(materials.materials, *options_.atlas);
      atlas_.emplace(device_, *options_.atlas);
    }
    const PrepareOptions prepare = {
        .attributes = options_.materials || makes_colors_ ? Attributes::OfMaterials : Attributes::OfHoles,
        .solid = options_.solid};
    scene_ = upload_scene(device_, materials, prepare_triangles(device_, scene, materials, grid_, prepare));
  }

  // Returns the largest number of pairs for which all arrays of a chunk fit in the memory that is left.
  uint64_t chunk_capacity() const {
    // A pair takes its key and its triangle twice (for sorting), its mask and its start. A cell (about one
    // for two pairs) takes leaf words, a hash, a place in the table of duplicates and a pointer. New slabs
    // take as much again.
    constexpr uint64_t kBytesPerPair = 160, kBytesOfColors = 80;
    if (options_.chunk_pairs > 0) return options_.chunk_pairs;
    const uint64_t fits = device_.pool().available() / (kBytesPerPair + (makes_colors_ ? kBytesOfColors : 0));
    return std::clamp<uint64_t>(fits, 4096, device_.preferred_chunk_pairs());
  }

  static CellShare all_cells() {
    return {[taken = false](std::span<const uint32_t> pair_starts) mutable -> std::optional<Piece> {
      if (std::exchange(taken, true)) return std::nullopt;
      return Piece{0, pair_starts.size() - 1};
    }};
  }

  // Builds one chunk after the other. The previous chunk shows how many leaf pairs come from each (chunk
  // cell, triangle) pair. This decides how many of these pairs the next chunk takes.
  void build_chunks(const CellShare& share) {
    const uint32_t starts = cells_.starts.back();
    Progress progress("voxelizing", starts);
    double pairs_per_start = 64;
    uint64_t built = 0;
    while (const std::optional<Piece> piece = share.next(cells_.pair_starts())) {
      const CellRun run = cells_.cells_of(*piece);
      for (size_t begin = run.begin; begin < run.end;) {
        const double wanted = 0.8 * static_cast<double>(chunk_capacity()) / pairs_per_start;
        size_t end = begin + 1;
        if (solid_) solid_->tiles().enter(solid_->tiles().tile_of(cells_.codes[begin]));
        while (end < run.end && end - begin < max_cells() && in_one_tile(begin, end) &&
               static_cast<double>(cells_.starts[end + 1] - cells_.starts[begin]) <= wanted)
          ++end;
        const uint32_t taken = cells_.starts[end] - cells_.starts[begin];
        built += taken;
        done_ = static_cast<double>(cells_.starts[end]) / starts;
        // Shapes repeat, so each of the remaining triangles is expected to make half as many new nodes.
        const double left = static_cast<double>(starts - cells_.starts[end]) / share.builders;
        store_.tables().expect_growth(1 + 0.5 * left / static_cast<double>(built));
        const uint64_t pairs = build_range(begin, end);
        pairs_per_start = std::max(1.0, static_cast<double>(pairs) / taken);
        begin = end;
        progress.update(cells_.starts[begin], format_count(result_.dag.voxels) + " voxels, " +
                                                  format_count(store_.items()) + " unique nodes");
      }
    }
  }

  // True if --solid allows two chunk cells in one chunk.
  bool in_one_tile(size_t first, size_t second) {
    if (!solid_) return true;
    return solid_->tiles().tile_of(cells_.codes[first]) == solid_->tiles().tile_of(cells_.codes[second]);
  }

  size_t max_cells() const { return size_t{1} << (32 - 3 * cell_levels_); }

  // Builds the chunk cells [begin, end), and halves the range if it does not fit. Returns the number of leaf
  // pairs.
  uint64_t build_range(size_t begin, size_t end) {
    throw_if_cancelled();  // here, because the first range can be halved many times, which takes seconds
    try {
      const uint64_t capacity = end - begin == 1 ? uint64_t{UINT32_MAX} - 1 : chunk_capacity();
      return build_chunk(begin, end, capacity);
    } catch (const TooManyPairs& too_many) {
      if (end - begin == 1) throw OutOfMemory(too_many.pairs * 24, device_.pool().available());
    } catch (const OutOfMemory&) {
      if (end - begin == 1) throw;
      device_.pool().trim();
    }
    const size_t middle = begin + (end - begin) / 2;
    log_line(LogLevel::Debug,
             "a chunk of " + format_count(end - begin) + " chunk cells does not fit, halving it");
    const uint64_t pairs = build_range(begin, middle);
    return pairs + build_range(middle, end);
  }

  uint64_t build_chunk(size_t begin, size_t end, uint64_t capacity) {
    Stopwatch watch;
    const uint64_t first = cells_.starts[begin], count = cells_.starts[end] - first;
    auto codes = device_.template make<uint64_t>(end - begin);
    device_.upload(codes.data(), cells_.codes.data() + begin, end - begin);
    Pairs<uint32_t> pairs = {device_.template make<uint32_t>(count), device_.template make<uint32_t>(count),
                             count};
    device_.for_each({"chunk pairs", 16}, count,
                     ChunkPairs{cells_.cell_of.data() + first, cells_.triangles.data() + first,
                                static_cast<uint32_t>(begin), pairs.keys.data(), pairs.triangles.data()});
    CellFrame frame = {codes.data(), 0, std::countr_zero(cell_side_) + kLog2UnitsPerVoxel};
    for (; frame.log2_side > kLog2UnitsPerVoxel + 4; frame = frame.quartered())
      pairs = descend(device_, scene_.ref(), frame, grid_end_, pairs, capacity);
    Descent plan = plan_descent(device_, scene_.ref(), frame, grid_end_, pairs, capacity);
    const uint64_t leaf_pairs = plan.total;
    const uint32_t key_bits = frame.bits + static_cast<uint32_t>(std::bit_width(end - begin - 1));
    std::optional<ColorChunk> colors;
    RoomForColors room_for_colors;
    if (colors_) {
      room_for_colors = [&](uint64_t voxels) {
        colors = colors_->chunk(voxels);
        return colors->begin();
      };
    }
    auto make = [&](auto&& filler, const auto& paint) {
      return make_leaves(device_, scene_.ref(), frame, key_bits, pairs, plan, grid_end_, options_.coverage,
                         options_.materials, filler, paint, room_for_colors,
                         makes_normals_ ? normals_.data() : nullptr);
    };
    auto fill = [&](const auto& paint) { return solid_ ? make(*solid_, paint) : make(SurfaceOnly(), paint); };
    Leaves leaves = atlas_ ? fill(atlas_->paint()) : fill(NoPaint());
    pairs = {};
    plan = {};
    device_.sync();
    const double voxelize_seconds = watch.lap();
    if (makes_nodes_)
      finish_chunk(begin, end, std::move(leaves), frame.quartered(), colors);
    else
      colors_->add(colors_->packed(*colors), done_);
    if (atlas_) result_.atlas_queries += atlas_->queries();
    result_.voxelize_seconds += voxelize_seconds;
    result_.build_seconds += watch.lap();
    ++result_.chunks;
    return leaf_pairs;
  }

  // Builds the nodes from the leaves up to the chunk cells. Counts are added only when everything has
  // succeeded, so that a chunk can be tried again.
  void finish_chunk(size_t first_cell, size_t end_cell, Leaves leaves, CellFrame frame,
                    std::optional<ColorChunk>& colors) {
    dag::FrozenDag& dag = result_.dag;
    typename attributes::StreamPacker<Device>::Ready packed;
    if (colors) packed = colors_->packed(*colors);
    colors.reset();
    dag::StoredLevel<uint32_t> nodes = {std::move(leaves.keys), device_.template make<uint32_t>(leaves.count),
                                        leaves.count};
    store_.intern(leaves.words.data(), leaves.offsets.data(), leaves.count, nodes.pointers.data());
    leaves.words.reset();
    leaves.offsets.reset();
    std::vector<uint64_t> counts = {leaves.count};
    dag::FrozenDag fills = dag::empty_dag(dag.resolution, dag.materials);  // the counts that --solid adds
    const auto cell_bits = static_cast<uint32_t>(std::bit_width(end_cell - first_cell - 1));
    for (uint32_t level = 0; level < std::min(cell_levels_, dag.depth()); ++level) {
      if (solid_) solid_->add_fills(nodes, frame, frame.bits + cell_bits, solid_->inside(), fills);
      frame = {frame.chunk_cells, frame.bits - 3, frame.log2_side + 1};
      nodes = dag::build_parents(device_, store_, nodes,
                                 level == 0 ? dag::NodeKind::Leaf : dag::NodeKind::Inner, options_.materials);
      counts.push_back(nodes.count);
    }
    if (solid_) pass_cells(frame.chunk_cells, end_cell - first_cell);
    std::vector<uint32_t> keys(nodes.count), pointers(nodes.count);
    device_.download(keys.data(), nodes.keys.data(), nodes.count);
    device_.download(pointers.data(), nodes.pointers.data(), nodes.count);
    for (uint64_t i = 0; i < nodes.count; ++i) {
      const uint32_t cell = keys[i] >> (3 * (cell_levels_ - (counts.size() - 1)));
      top_keys_.push_back(cells_.codes[first_cell + cell]);
      top_pointers_.push_back(pointers[i]);
    }
    for (size_t level = 0; level < counts.size(); ++level)
      dag.levels[dag.depth() - level].svo_nodes += counts[level];
    for (size_t level = 0; level < dag.levels.size(); ++level)
      dag.levels[level].svo_nodes += fills.levels[level].svo_nodes;
    dag.voxels += leaves.voxels + fills.voxels;
    if (solid_) solid_->commit_chunk();
    if (colors_) colors_->add(std::move(packed), done_);
  }

  // Keeps the states of the rays at the chunk's cells. The empty nodes above the chunk cells need them.
  void pass_cells(const uint64_t* codes, size_t count) {
    auto states = device_.template make<CellState>(count);
    device_.for_each("pass chunk cells", count,
                     PassChunkCells{solid_->inside(), codes, cell_levels_, states.data()});
    const size_t known = cell_states_.size();
    cell_states_.resize(known + count);
    device_.download(cell_states_.data() + known, states.data(), count);
  }

  // Returns the nodes of the chunk cells, in Morton order.
  dag::StoredLevel<uint64_t> cell_nodes() {
    std::vector<std::pair<uint64_t, uint32_t>> nodes;
    for (size_t i = 0; i < top_keys_.size(); ++i) nodes.emplace_back(top_keys_[i], top_pointers_[i]);
    if (solid_) std::ranges::sort(nodes);
    for (size_t i = 0; i < nodes.size(); ++i) std::tie(top_keys_[i], top_pointers_[i]) = nodes[i];
    return {device::uploaded(device_, top_keys_), device::uploaded(device_, top_pointers_), nodes.size()};
  }

  // Builds the nodes from the chunk cells up to the root. Returns the root's pointer.
  uint32_t build_top() {
    dag::FrozenDag& dag = result_.dag;
    if (top_keys_.empty()) return hash::kNullPointer;
    dag::StoredLevel<uint64_t> nodes = cell_nodes();
    const CellStates cells = arrange_states(std::move(cell_states_), std::move(left_rows_), cell_levels_);
    const auto keys = device::uploaded(device_, cells.keys);
    const auto before = device::uploaded(device_, cells.before),
               after = device::uploaded(device_, cells.after),
               rows = device::uploaded(device_, cells.rows.states);
    InsideRef inside = cells.ref(options_.inside);
    inside.keys = keys.data(), inside.before = before.data(), inside.after = after.data(),
    inside.rows = rows.data();
    CellFrame frame = {nullptr, 3 * (dag.depth() - std::min(dag.depth(), cell_levels_)),
                       static_cast<int>(dag::kLeafLog2 + cell_levels_) + kLog2UnitsPerVoxel};
    for (uint32_t level = cell_levels_; level < dag.depth(); ++level) {
      if (solid_) solid_->add_fills(nodes, frame, frame.bits, inside, dag);
      frame = {nullptr, frame.bits - 3, frame.log2_side + 1};
      nodes = dag::build_parents(device_, store_, nodes, dag::NodeKind::Inner, options_.materials);
      dag.levels[dag.depth() - level - 1].svo_nodes += nodes.count;
    }
    uint32_t root = hash::kNullPointer;
    device_.download(&root, nodes.pointers.data(), 1);
    return root;
  }

  Device& device_;
  const Grid& grid_;
  const BuildOptions& options_;
  dag::DagStore<Device> store_;
  BuildResult result_;
  DeviceScene<Device> scene_;
  uint32_t cell_side_, cell_levels_;
  int32_t grid_end_;  // in units
  ChunkCells cells_;
  std::vector<uint64_t> top_keys_;  // the Morton codes of the chunk cells that hold voxels; their nodes are
                                    // top_pointers_
  std::vector<uint32_t> top_pointers_;
  std::optional<AtlasOnDevice<Device>> atlas_;
  bool makes_nodes_ = true, makes_colors_ = false;
  bool makes_normals_ = false;  // in place of colors
  double done_ = 0;             // the share of all pairs that is built with this range of cells
  std::optional<attributes::StreamPacker<Device>> colors_;  // if makes_colors_ is set
  device::Buffer<uint32_t> normals_;                        // of triangles, if makes_normals_ is set
  std::optional<SolidBuilder<Device>> solid_;
  // If solid_ is set: the states of the rays along the lowest row of each cell, those along the rows of
  // chunk cells at the grid's left end, and the counts there.
  std::vector<CellState> cell_states_;
  LeftRows left_rows_;
  SolidCounts at_start_;
};

template <class Device>
BuildResult build_scene(Device& device, const scene::Scene& scene, const scene::IndexedScene& indexed,
                        const Grid& grid, const BuildOptions& options, const hash::TableOptions& tables) {
  return ChunkedBuild<Device>(device, grid, options, tables).run(scene, indexed);
}

template <class Device>
attributes::PackedValues build_colors(Device& device, const scene::Scene& scene,
                                      const scene::IndexedScene& indexed, const Grid& grid,
                                      const BuildOptions& options, const hash::TableOptions& tables) {
  return ChunkedBuild<Device>(device, grid, options, tables).run_values(scene, indexed, ValuesMade::Colors);
}

template <class Device>
attributes::PackedValues build_normals(Device& device, const scene::Scene& scene,
                                       const scene::IndexedScene& indexed, const Grid& grid,
                                       const BuildOptions& options, const hash::TableOptions& tables) {
  return ChunkedBuild<Device>(device, grid, options, tables).run_values(scene, indexed, ValuesMade::Normals);
}

template <class Device>
BuiltCells<Device> build_cells(Device& device, const scene::Scene& scene, const scene::IndexedScene& indexed,
                               const Grid& grid, const BuildOptions& options,
                               const hash::TableOptions& tables, const CellShare& share) {
  return ChunkedBuild<Device>(device, grid, options, tables).run_share(scene, indexed, share);
}

}  // namespace vox::voxelize
