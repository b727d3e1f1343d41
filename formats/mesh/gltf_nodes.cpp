#include "formats/mesh/gltf_nodes.h"

#include <fmt/format.h>

#include <limits>
#include <map>

#include "formats/mesh/gltf_place.h"
#include "libvox/base/memory.h"
#include "libvox/base/units.h"

namespace vox {
namespace {

using enum GltfComponent;

// Returns the parent of every node, kNone for roots.
std::vector<uint32_t> find_parents(const std::vector<GltfNode>& nodes) {
  std::vector<uint32_t> parents(nodes.size(), scene::kNone);
  for (uint32_t i = 0; i < nodes.size(); ++i)
    at_place([&] { return list_place("nodes", i); },
             [&] {
               for (uint32_t child : nodes[i].children) {
                 item_of(nodes, child, "nodes");
                 if (parents[child] != scene::kNone)
                   throw Error(
                       fmt::format("has the child nodes[{}], which nodes[{}] has too; nodes must form a tree",
                                   child, parents[child]));
                 parents[child] = i;
               }
             });
  return parents;
}

// Returns every node's map to the scene. Each node has one parent, so nodes that cannot be reached from a
// root form cycles.
std::vector<Affine> find_globals(const std::vector<GltfNode>& nodes, const std::vector<uint32_t>& parents) {
  std::vector<Affine> globals(nodes.size());
  std::vector<uint32_t> reached;
  for (uint32_t i = 0; i < nodes.size(); ++i)
    if (parents[i] == scene::kNone) {
      globals[i] = nodes[i].local;
      reached.push_back(i);
    }
  for (size_t next = 0; next < reached.size(); ++next)
    for (uint32_t child : nodes[reached[next]].children) {
      globals[child] = globals[reached[next]] * nodes[child].local;
      reached.push_back(child);
    }
  if (reached.size() < nodes.size())
    throw Error("some nodes are their own ancestors; nodes must form a tree");
  return globals;
}

std::vector<uint32_t> roots_to_show(const GltfDocument& document, const std::vector<uint32_t>& parents) {
  std::vector<uint32_t> roots;
  if (document.scenes.empty()) {
    for (uint32_t i = 0; i < parents.size(); ++i)
      if (parents[i] == scene::kNone) roots.push_back(i);
    return roots;
  }
  uint32_t scene = document.scene == scene::kNone ? 0 : document.scene;
  roots = item_of(document.scenes, scene, "scenes");
  std::vector<bool> seen(document.nodes.size());
  for (uint32_t root : roots)
    at_place(
        [&] { return list_place("scenes", scene); },
        [&] {
          item_of(document.nodes, root, "nodes");
          if (parents[root] != scene::kNone)
            throw Error(fmt::format("lists nodes[{}], which is a child of nodes[{}]", root, parents[root]));
          if (seen[root]) throw Error(fmt::format("lists nodes[{}] twice", root));
          seen[root] = true;
        });
  return roots;
}

// Returns the nodes below the roots in depth-first order. It does not recurse, because files choose the
// depth.
std::vector<uint32_t> nodes_below(const std::vector<GltfNode>& nodes, const std::vector<uint32_t>& roots) {
  std::vector<uint32_t> order, stack(roots.rbegin(), roots.rend());
  while (!stack.empty()) {
    uint32_t node = stack.back();
    stack.pop_back();
    order.push_back(node);
    const std::vector<uint32_t>& children = nodes[node].children;
    stack.insert(stack.end(), children.rbegin(), children.rend());
  }
  return order;
}

std::vector<Affine> joint_maps(const GltfDocument& document, uint32_t index,
                               const std::vector<Affine>& globals, GltfAccessors& accessors) {
  const GltfSkin& skin = item_of(document.skins, index, "skins");
  return at_place(
      [&] { return list_place("skins", index); },
      [&] {
        std::vector<Affine> maps;
        for (uint32_t joint : skin.joints) {
          item_of(document.nodes, joint, "nodes");
          maps.push_back(globals[joint]);
        }
        if (maps.empty()) throw Error("has no joints");
        if (skin.inverse_bind_matrices == scene::kNone) return maps;
        accessors.check(skin.inverse_bind_matrices, {"MAT4"}, {Float});
        const GltfElements& inverse = accessors.get(skin.inverse_bind_matrices);
        if (inverse.count < maps.size())
          throw Error(fmt::format("has {} joints, but {} inverse bind matrices", maps.size(), inverse.count));
        for_each_element<16>(
            inverse, 0, maps.size(), {},
            [&](uint64_t i, const std::array<double, 16>& matrix) { maps[i] = maps[i] * affine_of(matrix); });
        return maps;
      });
}

// Returns the maps of EXT_mesh_gpu_instancing to the node's own space.
std::vector<Affine> instance_maps(const GltfAttributes& instancing, GltfAccessors& accessors) {
  const GltfElements *translation = nullptr, *rotation = nullptr, *scale = nullptr;
  uint64_t count = std::numeric_limits<uint64_t>::max();
  auto take = [&](const char* name, const GltfElements*& elements, std::string_view type,
                  std::initializer_list<GltfComponent> components) {
    uint32_t index = instancing.find(name);
    if (index == scene::kNone) return;
    accessors.check(index, {type}, components);
    elements = &accessors.get(index);
    if (count != std::numeric_limits<uint64_t>::max() && elements->count != count)
      throw Error(fmt::format("{} has {} elements, other attributes {}", name, elements->count, count));
    count = elements->count;
  };
  take("TRANSLATION", translation, "VEC3", {Float});
  take("ROTATION", rotation, "VEC4", {Float, Int8, Int16});
  take("SCALE", scale, "VEC3", {Float});
  if (count == std::numeric_limits<uint64_t>::max()) return {Affine()};  // there are only custom attributes
  if (count * sizeof(GltfInstance) > available_bytes())
    throw Error(fmt::format("{} instances are too many", format_count(count)));

  std::vector<Affine> maps(count);
  for (uint64_t i = 0; i < count; ++i) {
    auto at = [&]<size_t N>(const GltfElements* elements, std::array<double, N> value) {
      if (elements)
        for_each_element<N>(*elements, i, i + 1, value, [&](uint64_t, const auto& found) { value = found; });
      return value;
    };
    auto t = at(translation, std::array{0.0, 0.0, 0.0}), s = at(scale, std::array{1.0, 1.0, 1.0});
    maps[i] = affine_of({t[0], t[1], t[2]}, at(rotation, std::array{0.0, 0.0, 0.0, 1.0}), {s[0], s[1], s[2]});
  }
  return maps;
}

}  // namespace

std::vector<GltfInstance> find_gltf_instances(const GltfDocument& document, GltfAccessors& accessors) {
  std::vector<uint32_t> parents = find_parents(document.nodes);
  std::vector<Affine> globals = find_globals(document.nodes, parents);
  std::vector<GltfInstance> instances;
  std::map<uint32_t, std::shared_ptr<const std::vector<Affine>>> skins;
  for (uint32_t index : nodes_below(document.nodes, roots_to_show(document, parents))) {
    const GltfNode& node = document.nodes[index];
    if (node.mesh == scene::kNone) continue;
    at_place([&] { return list_place("nodes", index); },
             [&] {
               item_of(document.meshes, node.mesh, "meshes");
               if (node.skin != scene::kNone) {
                 auto& joints = skins[node.skin];
                 if (!joints)
                   joints = std::make_shared<std::vector<Affine>>(
                       joint_maps(document, node.skin, globals, accessors));
                 instances.push_back(
                     {.node = index, .mesh = node.mesh, .transform = globals[index], .joints = joints});
               } else if (node.instancing.list.empty()) {
                 instances.push_back(
                     {.node = index, .mesh = node.mesh, .transform = globals[index], .joints = {}});
               } else {
                 for (const Affine& map : instance_maps(node.instancing, accessors))
                   instances.push_back(
                       {.node = index, .mesh = node.mesh, .transform = globals[index] * map, .joints = {}});
               }
             });
  }
  return instances;
}

}  // namespace vox
