// What vox-stats knows about a scene, and the four ways in which it says so.
#pragma once

#include <array>
#include <optional>
#include <string>
#include <vector>

#include "formats/pages/html_page.h"
#include "formats/results/report_file.h"
#include "libvox/base/json.h"
#include "libvox/dag/voxel_scene.h"
#include "libvox/measure/dag_stats.h"
#include "libvox/measure/scene_sizes.h"
#include "libvox/measure/table_report.h"
#include "libvox/render/render.h"
#include "tools/vox-stats/bricks.h"
#include "tools/vox-stats/options.h"

namespace vox {

// Sections that were not asked for are empty.
struct SceneStats {
  std::string file;
  std::string device;          // empty: none was needed
  std::string device_text;     // the same in words
  bool has_scene = true;       // false of a file that holds bricks alone
  VoxelScene scene;            // as read
  std::set<Section> sections;  // those that are there
  std::optional<DagStats> dag;
  std::optional<DagStats> geometry;  // of the scene without materials, where it has any
  std::vector<SceneSize> sizes;
  std::vector<TableReport> tables;
  std::optional<Picture> picture;  // for the page; none of a scene without voxels
  std::optional<BricksStats> bricks;
  std::vector<KernelTime> kernels;

  bool has(Section section) const { return sections.count(section) > 0; }
  uint64_t dag_bytes() const;  // nodes and leaves only
};

std::string screen_text(const SceneStats& stats);
std::string json_text(const SceneStats& stats);
Report report_of(const SceneStats& stats);
HtmlPage page_of(const SceneStats& stats);

// Of the memory that nodes and leaves alone take, what a table takes more: 0.2 for a fifth.
double overhead(const SceneStats& stats, const TableMemory& memory);

double slabs_a_bucket(const TableMemory& memory);   // the mean
uint64_t longest_chain(const TableMemory& memory);  // slabs

// What a table's bytes are for: the first kPurposesOfTotal add up to TableMemory::total_bytes().
struct MemoryPurpose {
  const char* name;
  uint64_t TableMemory::*bytes;
};
inline constexpr size_t kPurposesOfTotal = 6;
inline constexpr std::array<MemoryPurpose, 8> kMemoryPurposes = {
    {{"items", &TableMemory::item_bytes},
     {"empty slots", &TableMemory::empty_bytes},
     {"fingerprints", &TableMemory::fingerprint_bytes},
     {"links", &TableMemory::link_bytes},
     {"padding", &TableMemory::padding_bytes},
     {"buckets", &TableMemory::bucket_bytes},
     {"bitmaps", &TableMemory::bitmap_bytes},
     {"slack", &TableMemory::slack_bytes}}};

}  // namespace vox
