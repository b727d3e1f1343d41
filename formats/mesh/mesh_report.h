// Writes the faults of a mesh and their places, object by object (vox-convert --report).
#pragma once

#include <filesystem>
#include <string>
#include <string_view>

#include "libvox/scene/scene.h"
#include "libvox/voxelize/mesh_faults.h"

namespace vox {

// The first value of the file, its mark.
inline constexpr std::string_view kMeshReport = "vox mesh faults 1";

// JSON. Objects without faults are only counted, and of others the first kMostReportedObjects are listed:
//
//   format      "vox mesh faults 1"
//   unit        of the positions: "m" or "units"
//   open_edges, non_manifold_edges, turned_triangles, crossings     complete counts
//   objects     the number of objects, of which objects_at_fault have faults
//   faults      a list of objects: name, triangles, their counts, and places, in which each kind has a list of
//               {"x", "y", "z", "triangle"}; "other" is the second of two triangles that cross
inline constexpr size_t kMostReportedObjects = 1000;
std::string mesh_report_text(const voxelize::MeshFaults& faults, scene::LengthUnit unit);
void write_mesh_report(const std::filesystem::path& path, const voxelize::MeshFaults& faults,
                       scene::LengthUnit unit);

// Returns "3 open edges, 1 edge of more than two triangles, …"
std::string faults_text(const voxelize::MeshFaults& faults);

}  // namespace vox
