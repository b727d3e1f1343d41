// What vox-stats knows about a scene, and the three ways in which it says so.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "formats/report_file.h"
#include "libvox/base/json.h"
#include "libvox/dag/voxel_scene.h"
#include "libvox/report/dag_stats.h"
#include "libvox/report/scene_sizes.h"
#include "libvox/report/table_report.h"
#include "tools/vox-stats/options.h"

namespace vox {

// Sections that were not asked for are empty.
struct SceneStats {
  std::string file;
  std::string device;          // empty: none was needed
  VoxelScene scene;            // as read
  std::set<Section> sections;  // those that are there
  std::optional<DagStats> dag;
  std::optional<DagStats> geometry;  // of the scene without materials, where it has any
  std::vector<SceneSize> sizes;
  std::vector<TableReport> tables;
  std::vector<KernelTime> kernels;

  bool has(Section section) const { return sections.count(section) > 0; }
  uint64_t dag_bytes() const;  // nodes and leaves only
};

std::string screen_text(const SceneStats& stats);
std::string json_text(const SceneStats& stats);
Report report_of(const SceneStats& stats);

// Of the memory that nodes and leaves alone take, what a table takes more: 0.2 for a fifth.
double overhead(const SceneStats& stats, const TableMemory& memory);

}  // namespace vox
