// The edit session on one device.
#pragma once

#include <array>
#include <memory>
#include <string>

#include "libvox/base/units.h"
#include "libvox/dag/freeze.h"
#include "libvox/dag/frozen_dag.h"
#include "libvox/dag/levels.h"
#include "libvox/dag/store.h"
#include "libvox/edit/changed_voxels.h"
#include "libvox/edit/edit.h"
#include "libvox/edit/edit_session.h"
#include "libvox/edit/flood.h"
#include "libvox/edit/merge.h"
#include "libvox/edit/tools.h"

namespace vox::edit {

struct ReadVoxel {
  StoredDag dag;
  Content root;
  Int3 voxel;
  int* material;
  VOX_HD void operator()(uint64_t) const {
    Content content = root;
    for (uint32_t bit = dag.depth + dag::kLeafLog2; bit-- > dag::kLeafLog2;)
      content = dag.child(content, octant_at(voxel, bit));
    *material = dag.voxel(content, cube_bit(voxel));
  }
};

// The root of a scene in the store.
struct SceneRoot {
  uint32_t root;
  uint32_t resolution;
  uint32_t depth;  // not less than the edited scene's depth
};

template <class Device>
class DeviceEditSession final : public EditSession {
 public:
  DeviceEditSession(Device& device, const hash::TableOptions& tables, const dag::FrozenDag& dag)
      : device_(device), store_(device, tables) {
    scenes_.push_back({dag::DagLoader(device_, store_, dag).insert().root, dag.resolution, dag.depth()});
    materials_ = dag.materials;
    store_.tables().expect_growth(kGrowth);
    store_.tables().make_reserve();
  }

  uint32_t resolution() const override { return scenes_[0].resolution; }
  bool materials() const override { return materials_; }
  SceneState state() const override { return scenes_[0].root; }
  void set_state(SceneState state) override { scenes_[0].root = state; }

  uint32_t add_scene(const dag::FrozenDag& dag) override {
    if (dag.materials != materials_)
      throw Error("one of the two scenes has materials and the other has none");
    SceneRoot scene = {dag::DagLoader(device_, store_, dag).insert().root, dag.resolution, dag.depth()};
    for (; scene.depth < scenes_[0].depth; ++scene.depth)
      if (scene.root != hash::kNullPointer) scene.root = intern_node({1, scene.root});
    scenes_.push_back(scene);
    return static_cast<uint32_t>(scenes_.size() - 1);
  }

  EditWork apply(std::span<const Edit> edits) override try {
    EditWork work;
    for (size_t begin = 0, end; begin < edits.size(); begin = end) {
      for (end = begin + 1; end < edits.size() && edits[end].index() == edits[begin].index();) ++end;
      std::visit([&](const auto& first) { work += run_kind(first, edits.subspan(begin, end - begin)); },
                 edits[begin]);
    }
    return work;
  } catch (const OutOfMemory&) {
    octree_size_ = {};  // the next edit should take less memory
    store_.tables().live_without_reserves();
    throw;
  }

  EditWork apply_in_pieces(const Edit& edit) override {
    in_pieces_ = true;
    const auto end = std::unique_ptr<bool, void (*)(bool*)>(&in_pieces_, [](bool* flag) { *flag = false; });
    return apply({&edit, 1});
  }

  StoredDag stored() const override { return {store_.ref(), scenes_[0].depth, materials_ ? 1u : 0u}; }

  dag::FrozenDag freeze() override {
    dag::FrozenDag dag = dag::empty_dag(resolution(), materials_);
    dag::Freezer(device_, store_, dag).run(state());
    dag::count_octree(dag);
    return dag;
  }

  uint64_t items() const override { return store_.items(); }

  StoreSize size() const override {
    StoreSize size = {.items = items()};
    for (const hash::TableMemory& table : store_.tables().memory()) {
      size.item_bytes += table.item_bytes;
      size.allocated_bytes += table.allocated_bytes();
    }
    return size;
  }

  dag::CollectWork collect(std::span<const SceneState> kept) override {
    collector_.reset();
    return with_reserve(dag::collect(device_, store_, std::span<const dag::DagRoot>(roots(kept))));
  }

  void start_collection(std::span<const SceneState> kept) override {
    collector_.reset();
    collector_.emplace(device_, store_, roots(kept));
  }
  std::optional<dag::CollectWork> step_collection(double seconds) override {
    if (!collector_ || !collector_->step_for(seconds)) return std::nullopt;
    const dag::CollectWork work = collector_->finish();
    collector_.reset();
    return with_reserve(work);
  }

  void count_searches(hash::SearchCounts* to) override { store_.tables().count_searches(to); }

  uint64_t changed_voxels(SceneState before, SceneState after) override {
    return vox::edit::changed_voxels(device_, stored(), before, after);
  }

 private:
  // The factor by which tables grow when they are too small. It is large, since further edits will add more.
  static constexpr double kGrowth = 4;

  std::vector<dag::DagRoot> roots(std::span<const SceneState> states) const {
    std::vector<dag::DagRoot> roots;
    for (const SceneRoot& scene : scenes_) roots.push_back({scene.root, scene.depth});
    for (const SceneState state : states) roots.push_back({state, scenes_[0].depth});
    return roots;
  }

  // Makes a new reserve of memory after a collection, which has freed all empty memory. Without it, the next edit
  // would run out of room and be repeated.
  dag::CollectWork with_reserve(const dag::CollectWork& work) {
    store_.tables().make_reserve();
    return work;
  }

  uint32_t intern_node(const std::array<uint32_t, 2>& words) {
    auto item = device_.template make<uint32_t>(2), pointer = device_.template make<uint32_t>(1);
    device_.upload(item.data(), words.data(), 2);
    store_.intern(hash::BatchRef{item.data(), nullptr, nullptr, 2}, 1, pointer.data());
    uint32_t result = hash::kNullPointer;
    device_.download(&result, pointer.data(), 1);
    return result;
  }

  const SceneRoot& scene(uint32_t number) const {
    if (number >= scenes_.size()) throw Error("an edit names a scene that has not been added");
    return scenes_[number];
  }

  template <class Kind>
  EditWork run_kind(const Kind&, std::span<const Edit> edits) {
    uint32_t steps = 0;
    for (const Edit& edit : edits) steps = std::max(steps, steps_of(std::get<Kind>(edit)));
    EditWork work;
    for (uint32_t step = 0; step < steps; ++step) work += run_step<Kind>(edits, step);
    return work;
  }

  // Runs this step of every edit that has more than `step` steps.
  template <class Kind>
  EditWork run_step(std::span<const Edit> edits, uint32_t step) {
    std::vector<Kind> kinds;
    std::vector<VoxelBox> boxes;
    for (const Edit& edit : edits) {
      const Kind kind = prepared(std::get<Kind>(edit));
      if (steps_of(kind) <= step || !has_source(kind)) continue;
      const VoxelBox box = written_box(kind, resolution());
      if (box.empty()) continue;
      boxes.push_back(box);
      kinds.push_back(kind);
    }
    // Tools are made again for each piece, because the tables that they read may have moved, but they read the state
    // before the first piece.
    const SceneState before = state();
    const auto make_tools = [&] {
      std::vector<decltype(tool(std::declval<const Kind&>(), before))> tools;
      for (const Kind& kind : kinds) tools.push_back(tool(kind, before));
      return tools;
    };
    return kinds.empty() ? EditWork() : run_tools(make_tools, boxes);
  }

  // Fills run one after the other, because the reach of one may depend on another.
  EditWork run_kind(const FillEdit&, std::span<const Edit> edits) {
    EditWork work;
    for (const Edit& edit : edits) work += run_fill(std::get<FillEdit>(edit));
    return work;
  }

  EditWork run_fill(const FillEdit& edit) {
    if (!contains(cube_at({0, 0, 0}, resolution()), edit.seed))
      throw Error("the seed of a fill lies outside of the grid");
    if (!contains(edit.shape, edit.seed)) throw Error("the seed of a fill lies outside of its shape");
    Stopwatch watch;
    const VoxelBox box = written_box(edit, resolution());
    const FloodRule rule = {stored(), edit.shape, box, voxel_at(edit.seed)};
    const Flood flooded = flood(device_, rule, state(), edit.seed);
    if (flooded.voxels > edit.limit)
      throw Error("a fill reaches " + format_count(flooded.voxels) + " voxels, more than its limit of " +
                  format_count(edit.limit));
    const double seconds = watch.lap();
    const FillTool tool = {{flooded.keys.data()},
                           flooded.masks.data(),
                           static_cast<uint32_t>(flooded.blocks),
                           scenes_[0].depth,
                           edit.material};
    EditWork work = run_tools([&] { return std::vector{tool}; }, {box});
    work.octree_seconds += seconds;
    return work;
  }

  // Returns the material of a voxel of the current scene, or kEmptyVoxel.
  int voxel_at(const Int3& voxel) {
    auto result = device_.template make<int>(1);
    device_.for_each("edit: voxel", 1, ReadVoxel{stored(), state(), voxel, result.data()});
    int material = dag::kEmptyVoxel;
    device_.download(&material, result.data(), 1);
    return material;
  }

  // Changes each box with its tool of those that make_tools() returns.
  template <class MakeTools>
  EditWork run_tools(const MakeTools& make_tools, const std::vector<VoxelBox>& boxes) {
    constexpr int32_t kSmallestPiece = 64;  // voxels along the longest side
    try {
      return run_pass(make_tools(), boxes);
    } catch (const OutOfMemory&) {
      if (!in_pieces_ || boxes.size() != 1 || longest_side(boxes[0]) <= kSmallestPiece) throw;
    }
    octree_size_ = {};
    store_.tables().live_without_reserves();
    EditWork work;
    for (const VoxelBox& half : halves(boxes[0])) work += run_tools(make_tools, {half});
    return work;
  }

  static int32_t longest_side(const VoxelBox& box) {
    const Int3 size = box.size();
    return std::max({size.x, size.y, size.z});
  }

  // Cuts a box across its longest side, between two leaves.
  static std::array<VoxelBox, 2> halves(const VoxelBox& box) {
    const Int3 size = box.size();
    uint32_t axis = 0;
    while (size[axis] < longest_side(box)) ++axis;
    std::array<VoxelBox, 2> halves = {box, box};
    const int32_t middle = box.min[axis] + size[axis] / 2;
    halves[0].max[axis] = halves[1].min[axis] = middle - middle % static_cast<int32_t>(dag::kLeafSide);
    return halves;
  }

  template <class Tool>
  EditWork run_pass(const std::vector<Tool>& tools, const std::vector<VoxelBox>& boxes) {
    auto device_tools = sent(tools);
    auto device_boxes = sent(boxes);
    const ToolSet<Tool> set = {device_tools.data(), device_boxes.data(), static_cast<uint32_t>(tools.size())};
    auto used = device_.template make<uint32_t>(1);
    EditWork work;
    Stopwatch watch;
    std::vector<uint64_t> expected;  // the expected number of nodes of each level
    for (uint32_t level = 0; level <= stored().depth; ++level)
      expected.push_back(
          std::min(uint64_t{1} << std::min(3 * level, 40u),
                   surface_cells(boxes, static_cast<int32_t>(dag::kLeafSide << (stored().depth - level)))));
    // The expected size is limited by the available memory.
    constexpr uint64_t kBytesEach = 1000;
    octree_size_.expect(std::min(expected.back(), device_.pool().available() / kBytesEach));
    Octree<typename ToolSet<Tool>::State> octree;
    work.octree_device_seconds = device_.seconds(
        [&] { octree = edit_octree(device_, set, stored(), state(), expected, octree_size_, used.data()); });
    work.octree_bytes = octree.bytes();
    work.octree_seconds = watch.lap();
    MergeWork merged;
    work.merge_device_seconds =
        device_.seconds([&] { merged = Merger(device_, store_, set, stored(), octree, used.data()).run(); });
    work.merge_seconds = watch.lap();
    work.nodes = merged.nodes;
    work.leaves = merged.leaves;
    set_state(merged.root);
    return work;
  }

  // Returns these values in the device's memory. A single value travels as an argument of a launch, so that
  // the host need not wait.
  template <class T>
  device::Buffer<T> sent(const std::vector<T>& values) {
    auto buffer = device_.template make<T>(values.size());
    if (values.size() == 1)
      device_.fill(buffer.data(), 1, values[0]);
    else
      device_.upload(buffer.data(), values.data(), values.size());
    return buffer;
  }

  // Returns the number of cells with this side that lie at the surfaces of the boxes.
  static uint64_t surface_cells(const std::vector<VoxelBox>& boxes, int32_t side) {
    uint64_t sum = 0;
    for (const VoxelBox& box : boxes) {
      const Int3 size = box.max - box.min, cells = {size.x / side + 2, size.y / side + 2, size.z / side + 2};
      const auto x = static_cast<uint64_t>(cells.x), y = static_cast<uint64_t>(cells.y),
                 z = static_cast<uint64_t>(cells.z);
      sum += std::min(x * y * z, 2 * (x * y + y * z + z * x));
    }
    return sum;
  }

  // Returns the copy with its source box set and clipped to the source's scene.
  CopyEdit prepared(const CopyEdit& copy) const {
    const uint32_t grid = scene(copy.scene).resolution;
    return clipped(with_source(copy, grid), grid);
  }
  template <class Kind>
  Kind prepared(const Kind& kind) const {
    return kind;
  }
  static bool has_source(const CopyEdit& copy) { return !copy.source.empty(); }
  template <class Kind>
  static bool has_source(const Kind&) {
    return true;
  }
  static uint32_t steps_of(const MorphEdit& edit) { return edit.steps; }
  template <class Kind>
  static uint32_t steps_of(const Kind&) {
    return 1;
  }

  // Returns the tool of an edit, which reads this state of the scene.
  PaintTool tool(const PaintEdit& edit, SceneState) const { return {edit}; }
  CopyTool tool(const CopyEdit& edit, SceneState before) const {
    return {walk(scene_before(edit.scene, before), edit), edit.within, edit.skip_empty ? 1u : 0u,
            edit.keep_filled ? 1u : 0u};
  }
  CombineTool tool(const CombineEdit& edit, SceneState before) const {
    const SceneRoot other = scene_before(edit.scene, before);
    return {walk(other,
                 {.source = cube_at({0, 0, 0}, other.resolution), .turn = {}, .to = edit.at, .within = {}}),
            edit.mode};
  }
  MorphTool tool(const MorphEdit& edit, SceneState before) const {
    return {edit.shape, edit.mode, stored(), before};
  }

  SceneRoot scene_before(uint32_t number, SceneState before) const {
    SceneRoot root = scene(number);
    if (number == 0) root.root = before;
    return root;
  }

  SourceWalk walk(const SceneRoot& source, const CopyEdit& copy) const {
    SourceWalk walk = {{store_.ref(), source.depth, materials_ ? 1u : 0u},
                       source.root,
                       source.depth - scenes_[0].depth,
                       {},
                       {},
                       {}};
    const VoxelBox& box = copy.source;
    for (uint32_t k = 0; k < 3; ++k) {
      const uint8_t axis = walk.axis[k] = copy.turn.axis[k];
      const bool flip = copy.turn.flip[k];
      walk.step[k] = flip ? -1 : 1;
      walk.base[k] = flip ? box.max[axis] - 1 + copy.to[k] : box.min[axis] - copy.to[k];
    }
    return walk;
  }

  Device& device_;
  dag::DagStore<Device> store_;
  bool materials_ = true;
  std::vector<SceneRoot> scenes_;  // the first one is the scene that is edited
  OctreeSize octree_size_;
  bool in_pieces_ = false;  // an edit that runs out of memory is divided
  std::optional<dag::Collector<Device>> collector_;
};

// Makes the edit session on one device.

template <class Device>
std::unique_ptr<EditSession> make_edit_session(Device& device, const std::string& table,
                                               const dag::FrozenDag& dag, hash::Duplicates duplicates) {
  return std::make_unique<DeviceEditSession<Device>>(
      device, hash::TableOptions{.table = table, .duplicates = duplicates}, dag);
}

}  // namespace vox::edit
