#include "formats/mesh/mesh_report.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "formats/io/output_file.h"
#include "libvox/base/json.h"
#include "libvox/base/units.h"

namespace vox {
namespace {

constexpr std::array<const char*, voxelize::kMeshFaults> kFaultNames = {"open_edges", "non_manifold_edges",
                                                                        "turned_triangles", "crossings"};

void set_object(Json& entry, const voxelize::ObjectFaults& object) {
  entry.set("name", object.name).set("triangles", object.triangles);
  for (size_t kind = 0; kind < kFaultNames.size(); ++kind) entry.set(kFaultNames[kind], object.counts[kind]);
  Json& places = entry.object("places");
  for (size_t kind = 0; kind < kFaultNames.size(); ++kind) {
    Json& list = places.array(kFaultNames[kind]);
    for (const voxelize::FaultPlace& place : object.places[kind]) {
      Json& at = list.append();
      at.set("x", place.at.x).set("y", place.at.y).set("z", place.at.z).set("triangle", place.triangle);
      if (place.other != scene::kNone) at.set("other", place.other);
    }
  }
}

bool has_faults(const voxelize::ObjectFaults& object) {
  return std::ranges::any_of(object.counts, [](uint64_t count) { return count > 0; });
}

}  // namespace

std::string mesh_report_text(const voxelize::MeshFaults& faults, scene::LengthUnit unit) {
  Json report;
  report.set("format", kMeshReport).set("unit", scene::unit_name(unit));
  for (size_t kind = 0; kind < kFaultNames.size(); ++kind)
    report.set(kFaultNames[kind], faults.count(static_cast<voxelize::MeshFault>(kind)));
  report.set("objects", faults.objects.size())
      .set("objects_at_fault", std::ranges::count_if(faults.objects, has_faults));
  Json& list = report.array("faults");
  size_t listed = 0;
  for (const voxelize::ObjectFaults& object : faults.objects)
    if (has_faults(object) && listed++ < kMostReportedObjects) set_object(list.append(), object);
  return report.text();
}

void write_mesh_report(const std::filesystem::path& path, const voxelize::MeshFaults& faults,
                       scene::LengthUnit unit) {
  OutputFile file(path);
  file.write(mesh_report_text(faults, unit) + "\n");
  file.commit();
}

std::string faults_text(const voxelize::MeshFaults& faults) {
  using voxelize::MeshFault;
  return fmt::format(
      "{}, {} of more than two triangles, {} that face the other way than their neighbors, and {} of "
      "triangles",
      format_count(faults.count(MeshFault::OpenEdge), "open edge"),
      format_count(faults.count(MeshFault::NonManifoldEdge), "edge"),
      format_count(faults.count(MeshFault::TurnedTriangle), "triangle"),
      format_count(faults.count(MeshFault::Crossing), "crossing"));
}

}  // namespace vox
