// The scene graph of a MagicaVoxel file: which models it shows, and where.
#include <fmt/format.h>

#include "formats/voxels/magica_vox/magica_vox_file.h"
#include "libvox/base/error.h"

namespace vox {
namespace {

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
    // A transform is relative to a model's centre, with half of an odd size rounded down.
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
