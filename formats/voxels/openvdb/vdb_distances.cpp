// Writes distances as a .vdb file. A brick of a field is a leaf of the tree.
#include <bitset>
#include <string_view>
#include <vector>

#include "formats/voxels/openvdb/distance_tree.h"
#include "formats/voxels/openvdb/vdb.h"

namespace vox {
namespace {

class VdbBand {
 public:
  VdbBand(const voxelize::DistanceField& field, const VdbDistances& options)
      : field_(field), tree_(field), options_(options) {}

  void write(ExportFile& file, bool materials) const {
    const std::vector<BandNode>& nodes = tree_.nodes();
    vdb::write_grid(
        file, {materials ? "material" : "sdf", materials ? "Tree_int32_5_4_3" : "Tree_float_5_4_3"},
        grid_head(materials), nodes.size(), [&](uint64_t i) { return topology(nodes[i], materials); },
        [&](uint64_t i) { return values(nodes[i], materials); });
  }

 private:
  vdb::VdbBytes grid_head(bool materials) const {
    using namespace vdb;
    VdbBytes head;
    put(head, kVdbZip | kVdbActiveMask);
    const std::string_view kind = !materials && options_.has_signs ? "level set" : "unknown";
    put_metadata(head, {{"class", kind}, {"creator", "vox"}, {"name", materials ? "material" : "sdf"}});
    put_transform(head, field_.grid().origin, field_.grid().voxel_size);
    put(head, uint32_t{1});  // one buffer of values
    if (materials)
      put(head, int32_t{0});
    else
      put(head, tree_.band());
    const std::vector<Int3> tiles = materials ? std::vector<Int3>() : tree_.tiles();
    put(head, static_cast<uint32_t>(tiles.size()));
    put(head, tree_.uppers());
    for (const Int3& corner : tiles) {
      put_corner(head, corner);
      put(head, -tree_.band());
      put(head, uint8_t{0});  // not active
    }
    return head;
  }

  // Puts what says which inactive entries are inside, and the values of the active ones.
  template <size_t kEntries>
  static void put_entries(vdb::VdbBytes& to, const std::bitset<kEntries>& inactive,
                          const std::bitset<kEntries>& outside, const vdb::VdbBytes& values,
                          Deflater& deflater) {
    const auto kind = (inactive & ~outside).none()  ? vdb::VdbInactive::Background
                      : (inactive & outside).none() ? vdb::VdbInactive::Negative
                                                    : vdb::VdbInactive::Masked;
    vdb::put(to, kind);
    if (kind == vdb::VdbInactive::Masked) vdb::put_mask(to, outside);
    vdb::put_deflated(to, values, deflater);
  }

  template <size_t kEntries>
  vdb::VdbBytes node_head(const BandNode& node, bool materials) const {
    std::bitset<kEntries> children, outside;
    for (const auto& [place, number] : node.below) children.set(place);
    outside = materials ? outside.set() : tree_.outside_of(node, children);
    vdb::VdbBytes bytes;
    if (node.is_upper) vdb::put_corner(bytes, node.corner);
    vdb::put_mask(bytes, children);
    vdb::put_mask(bytes, std::bitset<kEntries>());
    Deflater deflater(vdb::kVdbDeflate);
    put_entries(bytes, ~children, outside, {}, deflater);
    return bytes;
  }

  vdb::VdbBytes topology(const BandNode& node, bool materials) const {
    if (node.is_upper) return node_head<32768>(node, materials);
    vdb::VdbBytes bytes = node_head<4096>(node, materials);
    for (const auto& [place, brick] : node.below) vdb::put_mask(bytes, tree_.leaf(brick).active);
    return bytes;
  }

  vdb::VdbBytes values(const BandNode& node, bool materials) const {
    vdb::VdbBytes bytes;
    if (node.is_upper) return bytes;
    Deflater deflater(vdb::kVdbDeflate);
    for (const auto& entry : node.below) {
      const size_t brick = entry.second;
      DistanceTree::BandLeaf at = tree_.leaf(brick);
      if (materials) at.outside.set();
      vdb::VdbBytes of_leaf;
      tree_.for_each_place(brick, [&](size_t place, size_t number) {
        if (!at.active[place]) return;
        if (materials)
          vdb::put(of_leaf, int32_t{field_.materials(brick)[number]});
        else
          vdb::put(of_leaf, field_.distances(brick)[number]);
      });
      vdb::put_mask(bytes, at.active);
      put_entries(bytes, ~at.active, at.outside, of_leaf, deflater);
    }
    return bytes;
  }

  const voxelize::DistanceField& field_;
  const DistanceTree tree_;
  const VdbDistances options_;
};

}  // namespace

void write_vdb(const voxelize::DistanceField& field, const std::filesystem::path& path,
               const VdbDistances& options) {
  const VdbBand band(field, options);
  ExportFile file(path, 0);
  file.write(vdb::file_head("00000000-0000-0000-0000-000000000000", options.materials ? 2 : 1));
  band.write(file, false);
  if (options.materials) band.write(file, true);
  file.commit();
}

}  // namespace vox
