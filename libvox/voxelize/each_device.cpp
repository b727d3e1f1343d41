#include "libvox/device/this_device.h"
#include "libvox/voxelize/band_distances_impl.h"
#include "libvox/voxelize/build_scene_impl.h"
#include "libvox/voxelize/combine_impl.h"
#include "libvox/voxelize/prepare_impl.h"

template vox::voxelize::BuildResult vox::voxelize::build_scene(device::ThisDevice&, const scene::Scene&,
                                                               const scene::IndexedScene&, const Grid&,
                                                               const BuildOptions&,
                                                               const hash::TableOptions&);

template vox::attributes::PackedValues vox::voxelize::build_colors(device::ThisDevice&, const scene::Scene&,
                                                                   const scene::IndexedScene&, const Grid&,
                                                                   const BuildOptions&,
                                                                   const hash::TableOptions&);

template vox::attributes::PackedValues vox::voxelize::build_normals(device::ThisDevice&, const scene::Scene&,
                                                                    const scene::IndexedScene&, const Grid&,
                                                                    const BuildOptions&,
                                                                    const hash::TableOptions&);

template vox::voxelize::BuiltCells<vox::device::ThisDevice> vox::voxelize::build_cells(
    device::ThisDevice&, const scene::Scene&, const scene::IndexedScene&, const Grid&, const BuildOptions&,
    const hash::TableOptions&, const CellShare&);

template vox::voxelize::PreparedTriangles vox::voxelize::prepare_triangles(
    device::ThisDevice&, const scene::Scene&, const PreparedMaterials&, const Grid&, const PrepareOptions&);

template vox::voxelize::Combined vox::voxelize::combine_surfaces(device::ThisDevice&, const MeshSurface&,
                                                                 const MeshSurface&, const Grid&,
                                                                 Combination);

template vox::voxelize::BandDistances vox::voxelize::measure_band(device::ThisDevice&, const BandMesh&);
