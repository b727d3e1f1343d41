#include "libvox/edit/edit_session.h"

namespace vox::edit {
namespace {

void add(EditCounts& to, const EditCounts& counts) {
  to.made += counts.made;
  to.distinct += counts.distinct;
  to.inserted += counts.inserted;
}

}  // namespace

EditWork& EditWork::operator+=(const EditWork& other) {
  add(nodes, other.nodes);
  add(leaves, other.leaves);
  octree_bytes += other.octree_bytes;
  octree_seconds += other.octree_seconds;
  octree_device_seconds += other.octree_device_seconds;
  merge_seconds += other.merge_seconds;
  merge_device_seconds += other.merge_device_seconds;
  return *this;
}

}  // namespace vox::edit
