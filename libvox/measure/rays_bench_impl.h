// The benchmark of rays on a device.
#pragma once

#include <memory>
#include <span>
#include <utility>

#include "libvox/base/progress.h"
#include "libvox/edit/content.h"
#include "libvox/edit/edit_session.h"
#include "libvox/measure/edit_bench.h"
#include "libvox/measure/rays_bench.h"
#include "libvox/render/render.h"
#include "libvox/render/shade.h"

namespace vox::measure {

// The nodes that rays read: those of a frozen DAG here, and those of stores below. The pointers in their parents name
// nodes.
struct FrozenNodes {
  render::RayDagRef dag;

  VOX_HD uint32_t root() const { return 0; }
  VOX_HD uint32_t materials() const { return dag.materials; }
  VOX_HD hash::ItemRef item(uint32_t log2, uint32_t pointer) const { return dag.child(log2, pointer); }
};

struct StoredNodes {
  edit::StoredDag dag;
  uint32_t first;

  VOX_HD uint32_t root() const { return first; }
  VOX_HD uint32_t materials() const { return dag.materials; }
  VOX_HD hash::ItemRef item(uint32_t /*log2*/, uint32_t pointer) const { return dag.store.item(pointer); }
};

template <class T>
concept RayNodes = requires(const T& nodes, uint32_t log2, uint32_t pointer) {
  { nodes.root() } -> std::same_as<uint32_t>;
  { nodes.materials() } -> std::same_as<uint32_t>;
  { nodes.item(log2, pointer) } -> std::same_as<hash::ItemRef>;
};
static_assert(RayNodes<FrozenNodes>);
static_assert(RayNodes<StoredNodes>);

// Counts the nodes and sectors that a ray reads if kCounts is set. Otherwise it does nothing.
template <bool kCounts>
class ReadCounter {
 public:
  VOX_HD void visit() {
    if constexpr (kCounts) ++nodes_;
  }
  VOX_HD void read(const hash::ItemRef& item, uint32_t word) {
    if constexpr (kCounts) {
      const auto sector = reinterpret_cast<uintptr_t>((word < 2 ? item.head() : item.tail()) + word) / 32;
      sectors_ += sector != last_ ? 1 : 0;
      last_ = sector;
    }
  }
  VOX_HD uint32_t nodes() const { return nodes_; }
  VOX_HD uint32_t sectors() const { return sectors_; }

 private:
  uint32_t nodes_ = 0, sectors_ = 0;
  uintptr_t last_ = 0;
};

// Follows a ray from the root to the first voxel that it hits, as render/trace.h does, but through any memory.
template <RayNodes Nodes, bool kCounts>
class NodeWalk {
 public:
  VOX_HD NodeWalk(const Nodes& nodes, const render::Ray& ray, ReadCounter<kCounts>& counter)
      : nodes_(nodes), ray_(ray), counter_(counter), cell_(ray), now_(ray.start), item_(nullptr) {}

  // Sets `material` if a voxel is hit.
  VOX_HD render::Hit run(uint32_t& material) {
    if (cell_.next() < now_ || now_ > ray_.end) return {};
    go_into(nodes_.root());
    for (;;) {
      if (is_full()) return stop_inside(material);
      cell_.halve(ray_, now_);
      while ((mask_ >> octant() & 1) == 0)
        if (!leave()) return {};
      if (cell_.log2 == 0) {
        material = leaf_material();
        return hit();
      }
      go_down();
    }
  }

 private:
  VOX_HD uint32_t octant() const { return cell_.octant ^ ray_.mirrored; }
  VOX_HD bool is_full() const { return cell_.log2 >= dag::kLeafLog2 && dag::is_homogeneous(mask_); }

  VOX_HD uint32_t read(uint32_t word) {
    counter_.read(item_, word);
    return item_[word];
  }

  // Goes into the cell's node.
  VOX_HD void go_into(uint32_t pointer) {
    counter_.visit();
    pointer_ = pointer;
    item_ = nodes_.item(cell_.log2, pointer);
    mask_ = read(0);
    if (cell_.log2 > dag::kLeafLog2) return;
    leaf_mask_ = mask_ | static_cast<uint64_t>(read(1)) << 32;
    mask_ = dag::filled_blocks(leaf_mask_);
  }

  VOX_HD void go_down() {
    if (cell_.log2 < dag::kLeafLog2) {  // from the leaf to a block
      mask_ = static_cast<uint32_t>(leaf_mask_ >> 8 * octant()) & 0xff;
      return;
    }
    passed_[cell_.log2] = static_cast<uint64_t>(pointer_) << 32 | mask_;
    go_into(read(dag::child_word(mask_, octant())));
  }

  // Goes on to the next cell. Returns false if the ray leaves the cube.
  VOX_HD bool leave() {
    now_ = cell_.next();
    const uint32_t log2 = cell_.log2;
    cell_.go_on(ray_);
    if (cell_.log2 >= ray_.log2_side || now_ > ray_.end) return false;
    if (cell_.log2 == log2) return true;
    if (cell_.log2 < dag::kLeafLog2) {  // from a block to the leaf
      mask_ = dag::filled_blocks(leaf_mask_);
      return true;
    }
    counter_.visit();
    pointer_ = static_cast<uint32_t>(passed_[cell_.log2] >> 32);
    mask_ = static_cast<uint32_t>(passed_[cell_.log2]);
    item_ = nodes_.item(cell_.log2 + 1, pointer_);
    return true;
  }

  VOX_HD render::Hit hit() const {
    const Int3 low = cell_.corner(ray_);
    return {{now_, low, low + Int3{1, 1, 1}, 0, dag::kLeafLog2}, nullptr};
  }

  VOX_HD render::Hit stop_inside(uint32_t& material) {
    material = dag::homogeneous_material(mask_);
    while (cell_.log2 > 0) cell_.halve(ray_, now_);
    return hit();
  }

  VOX_HD uint32_t leaf_material() {
    if (nodes_.materials() == 0) return 0;
    const uint32_t bit = cube_bit(cell_.corner(ray_));
    const auto rank = static_cast<uint32_t>(popcount(leaf_mask_ & ((uint64_t{1} << bit) - 1)));
    return read(2 + rank / 8) >> rank % 8 * 4 & 15;
  }

  const Nodes& nodes_;
  const render::Ray& ray_;
  ReadCounter<kCounts>& counter_;
  render::Cell cell_;
  render::Crossing now_;  // when the ray entered the cell
  hash::ItemRef item_;    // the node around the cell, or the leaf
  uint32_t pointer_ = 0;  // the pointer to that node
  uint32_t mask_ = 0;     // as in render::detail::Tracer
  uint64_t leaf_mask_ = 0;
  uint64_t passed_[render::kMaxLog2Side + 1];  // pointers and masks of the nodes above
};

// Follows the path of light of each pixel. At a hit, the pixel's seed chooses one of the directions that leave the
// face. Directions near the normal are more likely, in proportion to the light that a matt surface reflects there.
template <RayNodes Nodes, bool kCounts>
struct FollowPaths {
  Nodes nodes;
  render::PixelRays rays;
  const render::Course* open_courses;  // see render::Shading
  Tiles tiles;
  uint32_t bounces;
  uint64_t* found;               // for each pixel, a checksum of all its path's hits; nullptr when counting
  uint32_t *traced, *in, *read;  // for each pixel, see RayWork; nullptr when not counting

  VOX_HD void operator()(uint64_t i) const {
    const Vec2<uint32_t> pixel = tiles.pixel(i);
    if (!tiles.holds(pixel)) return;
    const uint64_t index = tiles.index(pixel);
    const auto middle = [](uint32_t at) { return (2 * at + 1) << (render::kSubpixelBits - 1); };
    ReadCounter<kCounts> counter;
    render::Course course =
        render::make_course(rays.log2_side, rays.direction(middle(pixel.x), middle(pixel.y)));
    render::FinePoint from = rays.eye;
    uint64_t sum = mix64(index);
    uint32_t bounce = 0;
    for (;; ++bounce) {
      const render::Ray ray = render::make_ray(course, from, 0);
      uint32_t material = 0;
      const render::Hit hit = NodeWalk<Nodes, kCounts>(nodes, ray, counter).run(material);
      sum = mix64(sum ^ (hit.found() ? voxel_code(hit.low) << 4 | material : UINT64_MAX));
      if (!hit.found() || render::axis_of(hit.at) == render::kNoAxis || bounce == bounces) break;
      from = hit_point(from, course, ray, hit);
      course = open_courses[render::open_courses_of(face_normal(ray, hit)) + sum % render::kHemisphere];
    }
    if constexpr (kCounts) {
      traced[index] = bounce + 1;
      in[index] = counter.nodes();
      read[index] = counter.sectors();
    } else {
      found[index] = sum;
    }
  }

  VOX_HD static uint64_t voxel_code(Int3 voxel) {
    return morton_encode(static_cast<uint32_t>(voxel.x), static_cast<uint32_t>(voxel.y),
                         static_cast<uint32_t>(voxel.z));
  }
};

struct CountOf {
  const uint32_t* counts;
  VOX_HD uint64_t operator()(uint64_t i) const { return counts[i]; }
};
struct FoundOf {
  const uint64_t* found;
  VOX_HD uint64_t operator()(uint64_t i) const { return mix64(found[i] + i); }
};

template <class Device>
class RaysBench {
 public:
  RaysBench(Device& device, const dag::FrozenDag& dag, const RaysBenchOptions& options,
            const RaysBenchSizes& sizes)
      : device_(device),
        options_(options),
        sizes_(sizes),
        tiles_{sizes.picture, sizes.picture},
        edits_(is_asked_for(RaysState::Edited) ? edits_of(dag) : std::vector<edit::Edit>()) {
    for (const RaysView view : options.views)
      cameras_.push_back(render::pixel_rays(camera_of(dag, view, sizes.picture)));
    courses_ = device::uploaded(device, render::open_courses(dag::kLeafLog2 + dag.depth()));
    const uint64_t pixels = uint64_t{sizes.picture} * sizes.picture;
    found_ = device.template make<uint64_t>(pixels);
    for (auto& counts : counts_) counts = device.template make<uint32_t>(pixels);
  }

  std::vector<RaysBenchRow> run(const dag::FrozenDag& dag) {
    Progress progress("measuring", options_.tables.size());
    for (size_t i = 0; i < options_.tables.size(); ++i) {
      run_table(dag, options_.tables[i]);
      progress.update(i + 1, options_.tables[i]);
    }
    std::vector<RaysBenchRow> rows;
    for (std::vector<RaysBenchRow>& of_state : rows_)
      for (RaysBenchRow& row : of_state) rows.push_back(std::move(row));
    return rows;
  }

 private:
  bool is_asked_for(RaysState state) const {
    return std::ranges::find(options_.states, state) != options_.states.end();
  }

  void run_table(const dag::FrozenDag& dag, const std::string& table) {
    const std::unique_ptr<edit::EditSession> session =
        edit::make_edit_session(device_, table, dag, hash::Duplicates::Open);
    if (is_asked_for(RaysState::Read)) measure(RaysState::Read, table, *session, &dag);
    if (!is_asked_for(RaysState::Edited)) return;
    for (const edit::Edit& edit : edits_) session->apply({&edit, 1});
    measure(RaysState::Edited, table, *session, nullptr);
  }

  std::vector<edit::Edit> edits_of(const dag::FrozenDag& dag) const {
    const EditBenchOptions small = {.series = {EditSeriesKind::Small},
                                    .small_radius = options_.radius,
                                    .batches = {1},
                                    .small = sizes_.edits,
                                    .seed = options_.seed};
    const EditBenchSizes sizes = {
        .radii = {}, .sides = {}, .copies = 0, .small = sizes_.edits, .repetitions = 0};
    return edit_series(dag, small, sizes).front().steps.front().edits;
  }

  // The first call for each state measures the frozen words first. If `frozen` is nullptr, the scene is frozen for
  // this.
  void measure(RaysState state, const std::string& table, edit::EditSession& session,
               const dag::FrozenDag* frozen) {
    std::vector<RaysBenchRow>& rows = rows_[static_cast<size_t>(state)];
    if (rows.empty()) {
      const dag::FrozenDag own = frozen == nullptr ? session.freeze() : dag::FrozenDag{};
      const render::RayDag<Device> words(device_, frozen == nullptr ? own : *frozen);
      measure(rows, state, RaysBenchOptions::kFrozenName, FrozenNodes{words.ref()});
    }
    measure(rows, state, table, StoredNodes{session.stored(), session.state()});
  }

  template <RayNodes Nodes>
  void measure(std::vector<RaysBenchRow>& rows, RaysState state, const std::string& name,
               const Nodes& nodes) {
    const size_t first = rows.size();
    for (size_t view = 0; view < cameras_.size(); ++view)
      for (const uint32_t bounces : options_.bounces) {
        RaysBenchRow row;
        row.table = name;
        row.state = state;
        row.view = options_.views[view];
        row.bounces = bounces;
        follow(row, nodes, cameras_[view]);
        if (first > 0 && row.checksum != rows[rows.size() - first].checksum)
          row.error = "it finds other voxels than the frozen words have";
        rows.push_back(std::move(row));
      }
  }

  template <RayNodes Nodes>
  void follow(RaysBenchRow& row, const Nodes& nodes, const render::PixelRays& rays) {
    const uint64_t pixels = found_.size();
    device_.fill(found_.data(), pixels, uint64_t{0});
    const FollowPaths<Nodes, false> timed = {nodes,         rays,    courses_.data(), tiles_, row.bounces,
                                             found_.data(), nullptr, nullptr,         nullptr};
    row.time = repeated(sizes_.repetitions, [&](uint32_t) {
      return device_.seconds([&] { device_.for_each({"rays: follow paths", 8}, tiles_.count(), timed); });
    });
    row.checksum = device_.sum("rays: checksum", pixels, FoundOf{found_.data()});
    const FollowPaths<Nodes, true> counted = {nodes,
                                              rays,
                                              courses_.data(),
                                              tiles_,
                                              row.bounces,
                                              nullptr,
                                              counts_[0].data(),
                                              counts_[1].data(),
                                              counts_[2].data()};
    device_.for_each({"rays: count", 12}, tiles_.count(), counted);
    const auto sum = [&](size_t i) { return device_.sum("rays: count", pixels, CountOf{counts_[i].data()}); };
    row.work = {sum(0), sum(1), sum(2)};
  }

  Device& device_;
  const RaysBenchOptions& options_;
  const RaysBenchSizes sizes_;
  const Tiles tiles_;
  const std::vector<edit::Edit> edits_;
  std::vector<render::PixelRays> cameras_;
  device::Buffer<render::Course> courses_;
  device::Buffer<uint64_t> found_;
  device::Buffer<uint32_t> counts_[3];
  std::array<std::vector<RaysBenchRow>, kRaysStateNames.size()> rows_;
};

template <class Device>
RaysBenchResult bench_rays_on(Device& device, const dag::FrozenDag& dag, const RaysBenchOptions& options) {
  check(options);
  if (dag.empty()) throw Error("the scene has no voxels: there is nothing to measure");
  const Stopwatch watch;
  RaysBenchResult result = {.resolution = dag.resolution,
                            .voxels = dag.voxels,
                            .nodes = dag.unique_nodes(),
                            .sizes = sizes_of(options, device.name()),
                            .rows = {}};
  result.rows = RaysBench<Device>(device, dag, options, result.sizes).run(dag);
  result.seconds = watch.seconds();
  return result;
}

}  // namespace vox::measure
