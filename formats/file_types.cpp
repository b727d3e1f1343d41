#include "formats/file_types.h"

#include <fmt/format.h>
#include <hdf5.h>

#include <algorithm>
#include <string>
#include <vector>

#include "formats/io/scan.h"

namespace vox {
namespace {

constexpr std::string_view kToNrrd = "convert it to NRRD, for example with 3D Slicer or ITK-SNAP";
constexpr std::string_view kToMesh = "convert it to OBJ, PLY or glTF, for example with Blender";
constexpr std::string_view kToPoints = "convert it to LAS or PLY, for example with CloudCompare or PDAL";
constexpr std::string_view kToRaw =
    "write its values as .raw, and state their size and type: numpy.asarray(a).tofile('a.raw')";

constexpr FileType mesh(FileFormat format, std::string_view endings, std::string_view name,
                        FileUse use = FileUse::Read) {
  return {FileRole::Mesh, format, use, endings, name, {}};
}
constexpr FileType volume(FileFormat format, std::string_view endings, std::string_view name) {
  return {FileRole::Volume, format, FileUse::Read, endings, name, {}};
}
constexpr FileType result(FileRole role, FileFormat format, std::string_view endings, std::string_view name) {
  return {role, format, FileUse::Written, endings, name, {}};
}
constexpr FileType voxels(FileFormat format, std::string_view endings, std::string_view name) {
  return {FileRole::Voxels, format, FileUse::Read, endings, name, {}};
}
constexpr FileType points(FileFormat format, std::string_view endings, std::string_view name) {
  return {FileRole::Points, format, FileUse::Read, endings, name, {}};
}
constexpr FileType palette(FileFormat format, std::string_view endings, std::string_view name) {
  return {FileRole::Palette, format, FileUse::Both, endings, name, {}};
}
constexpr FileType foreign(std::string_view endings, std::string_view name, std::string_view hint) {
  return {FileRole::Foreign, FileFormat::Foreign, FileUse::Read, endings, name, hint};
}

// All types, in the order in which messages list them.
constexpr FileType kTypes[] = {
    mesh(FileFormat::Obj, ".obj", "OBJ", FileUse::Both),
    mesh(FileFormat::Gltf, ".gltf .vrm", "glTF"),
    mesh(FileFormat::Gltf, ".glb", "GLB", FileUse::Both),
    mesh(FileFormat::Ply, ".ply", "PLY"),
    mesh(FileFormat::Stl, ".stl", "STL"),
    mesh(FileFormat::OtherMesh, ".fbx", "FBX"),
    mesh(FileFormat::Collada, ".dae", "COLLADA (dae)"),
    mesh(FileFormat::OtherMesh, ".3ds", "3DS"),
    mesh(FileFormat::Off, ".off", "OFF"),

    volume(FileFormat::Raw, ".raw .raw.gz", "raw values"),
    volume(FileFormat::Nrrd, ".nrrd .nhdr", "NRRD"),
    volume(FileFormat::Npy, ".npy", "a NumPy array"),
    volume(FileFormat::MetaImage, ".mhd .mha", "MetaImage"),
    volume(FileFormat::Nifti, ".nii .nii.gz .hdr .hdr.gz", "NIfTI"),
    volume(FileFormat::Vdb, ".vdb", "OpenVDB"),
    volume(FileFormat::Dat, ".dat", "a .dat header of raw values"),

    {FileRole::Scene, FileFormat::Hdf5, FileUse::Both, ".h5", "a scene file", {}},
    {FileRole::Recording, FileFormat::Csv, FileUse::Read, ".csv", "a recording of HashDAG", {}},

    voxels(FileFormat::MagicaVoxel, ".vox", "MagicaVoxel"),
    voxels(FileFormat::Binvox, ".binvox", "binvox"),
    voxels(FileFormat::Schem, ".schem", "Sponge schematic"),
    voxels(FileFormat::Vl32, ".vl32", "VL32"),
    voxels(FileFormat::HashDag, ".basic_dag.dag.bin", "HashDAG"),
    voxels(FileFormat::SymVox, ".svdag", "SymVox's SVDAG"),
    voxels(FileFormat::SymVoxMirrored, ".ussvdag", "SymVox's USSVDAG"),
    voxels(FileFormat::Nvdb, ".nvdb", "NanoVDB"),
    voxels(FileFormat::Vdb, ".vdb", "OpenVDB"),

    points(FileFormat::Ply, ".ply", "PLY"),
    points(FileFormat::Las, ".las", "LAS"),
    points(FileFormat::PointText, ".xyz .pts", "lines of x y z"),
    points(FileFormat::Splat, ".splat", "Gaussian splats"),
    points(FileFormat::Spz, ".spz", "compressed Gaussian splats"),

    result(FileRole::Export, FileFormat::Nrrd, ".nrrd", "NRRD"),
    result(FileRole::Export, FileFormat::Npy, ".npy", "a NumPy array"),
    result(FileRole::Export, FileFormat::Raw, ".raw", "raw values"),
    result(FileRole::Export, FileFormat::Npz, ".npz", "NumPy arrays of voxels"),
    result(FileRole::Export, FileFormat::GprMax, ".gprmax.h5", "geometry of gprMax"),
    result(FileRole::Export, FileFormat::MagicaVoxel, ".vox", "MagicaVoxel"),
    result(FileRole::Export, FileFormat::Binvox, ".binvox", "binvox"),
    result(FileRole::Export, FileFormat::Schem, ".schem", "Sponge schematic"),
    result(FileRole::Export, FileFormat::HashDag, ".basic_dag.dag.bin", "HashDAG"),
    result(FileRole::Export, FileFormat::SymVox, ".svdag", "SymVox's SVDAG"),
    result(FileRole::Export, FileFormat::SymVoxMirrored, ".ussvdag", "SymVox's USSVDAG"),
    result(FileRole::Export, FileFormat::Vl32, ".vl32", "VL32"),
    result(FileRole::Export, FileFormat::Obj, ".obj", "OBJ"),
    result(FileRole::Export, FileFormat::Gltf, ".glb", "GLB"),
    result(FileRole::Export, FileFormat::Ply, ".ply", "PLY"),
    result(FileRole::Export, FileFormat::VtkHdf, ".vtkhdf", "VTKHDF"),
    result(FileRole::Export, FileFormat::Nvdb, ".nvdb", "NanoVDB"),
    result(FileRole::Export, FileFormat::Vdb, ".vdb", "OpenVDB"),
    result(FileRole::Export, FileFormat::Png, ".png", "PNG of each layer"),
    result(FileRole::Export, FileFormat::VoxelOctree, ".voxel.json", "an octree for walking in"),
    result(FileRole::Export, FileFormat::Json, ".json",
           "chunks with levels (scene.json), 3D Tiles (tileset.json)"),
    result(FileRole::Materials, FileFormat::Mtl, ".mtl", "MTL"),
    result(FileRole::Materials, FileFormat::PlainText, ".txt", "materials of gprMax"),
    result(FileRole::Picture, FileFormat::Png, ".png", "PNG"),
    result(FileRole::Film, FileFormat::Mp4, ".mp4", "MPEG-4"),
    result(FileRole::Report, FileFormat::Hdf5, ".h5", "a report"),
    result(FileRole::Rows, FileFormat::Csv, ".csv", "the rows of a report"),
    result(FileRole::Page, FileFormat::Html, ".html", "a page"),
    result(FileRole::MaterialList, FileFormat::Json, ".json", "a list of materials"),

    palette(FileFormat::Gpl, ".gpl", "GIMP's palettes"),
    palette(FileFormat::JascPal, ".pal", "JASC palettes"),
    palette(FileFormat::Hex, ".hex", "lines of rrggbb"),
    palette(FileFormat::Png, ".png", "PNG"),

    foreign(".img .img.gz", "the values of a NIfTI or Analyze volume", "name the .hdr file beside it"),
    foreign(".dcm .dicom", "a DICOM image", "convert the series to NRRD, for example with 3D Slicer"),
    foreign(".mgz .mgh", "a FreeSurfer volume", kToNrrd),
    foreign(".mrc .map .ccp4", "an MRC volume",
            "convert it to NRRD or raw values, for example with ChimeraX or mrcfile"),
    foreign(".vti .vtk .vtu .vtp .vtr .vts .vtkhdf", "a VTK file",
            "convert it with ParaView: images to MetaImage (.mhd), surfaces to PLY or STL"),
    foreign(".slc", "an SLC volume of VolVis",
            "convert it to MetaImage (.mhd), for example with VTK's vtkSLCReader"),
    foreign(".pvm", "a PVM volume", "convert it to raw values with pvm2raw of the V^3 package"),
    foreign(".tif .tiff", "a TIFF image", "convert a stack of them to NRRD, for example with Fiji"),
    foreign(".npz", "an archive of NumPy arrays",
            "save the array that is meant: numpy.save('a.npy', numpy.load('a.npz')['name'])"),
    foreign(".voxel.json .voxel.bin", "an octree for walking in", "name the file that it was made of"),
    foreign(".mat", "a MATLAB file", "write the array as .raw with fwrite, and state its size and type"),
    foreign(".nc .zarr .hdf .hdf5 .n5", "a file of arrays", kToRaw),
    foreign(".qb .qbt .qbcl", "a Qubicle model", "export it from Qubicle as OBJ or COLLADA"),
    foreign(".schematic .nbt .litematic", "a Minecraft structure",
            "export it as .schem, with WorldEdit, or as OBJ, with Mineways"),
    foreign(".svo .dag .octree", "an octree of another program", "convert the mesh that it was made of"),
    foreign(".laz", "a compressed point cloud", "unpack it, as with laszip or 'pdal translate a.laz a.las'"),
    foreign(".e57 .pcd .ptx", "a point cloud", kToPoints),
    foreign(".usd .usda .usdc .usdz .abc .max .ma .mb .c4d .skp .3dm", "a scene of another program", kToMesh),
    foreign(".iges .igs .sldprt .sldasm .f3d .brep", "a CAD model",
            "export it as STL, for example with FreeCAD"),
    foreign(".png .jpg .jpeg .tga .bmp .gif .webp .exr", "an image",
            "expected a mesh, a volume or a scene file"),
    foreign(".mtl", "the materials of an OBJ mesh", "name the .obj file"),
    foreign(".zip .tar .tgz .7z .rar .xz .bz2 .zst", "an archive", "unpack it, and name what is in it"),
};

std::vector<std::string_view> words(std::string_view text) {
  std::vector<std::string_view> list;
  while (!text.empty()) {
    const size_t end = std::min(text.find(' '), text.size());
    list.push_back(text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return list;
}

bool is_used(const FileType& type, FileRole role, FileUse use) {
  return type.role == role && (type.use == use || type.use == FileUse::Both || use == FileUse::Both);
}

std::string joined(const std::vector<std::string_view>& parts, FileList list) {
  std::string text;
  for (size_t i = 0; i < parts.size(); ++i) {
    const bool last = i + 1 == parts.size() && list != FileList::Commas;
    if (i > 0) text += !last ? ", " : list == FileList::Or ? " or " : " and ";
    text += parts[i];
  }
  return text;
}

}  // namespace

std::span<const FileType> file_types() {
  return kTypes;
}

std::string lower_extension(const std::filesystem::path& path) {
  return lower_case(path.extension().string());
}

const FileType* file_type(const std::filesystem::path& path, FileRole role) {
  const std::string name = lower_case(path.filename().string());
  for (const FileType& type : kTypes) {
    if (type.role != role) continue;
    for (const std::string_view ending : words(type.endings))
      if (name.size() > ending.size() && name.ends_with(ending)) return &type;
  }
  return nullptr;
}

std::string listed_extensions(FileRole role, FileUse use, FileList list) {
  std::vector<std::string_view> parts;
  for (const FileType& type : kTypes)
    if (is_used(type, role, use))
      for (const std::string_view ending : words(type.endings)) parts.push_back(ending);
  return joined(parts, list);
}

std::string listed_names(FileRole role, FileUse use, FileList list) {
  std::vector<std::string_view> parts;
  for (const FileType& type : kTypes)
    if (is_used(type, role, use)) parts.push_back(type.name);
  return joined(parts, list);
}

namespace fs = std::filesystem;

std::string conversion_hint(const fs::path& path) {
  for (const FileRole role : {FileRole::Mesh, FileRole::Volume, FileRole::Voxels, FileRole::Points})
    if (has_role(path, role))
      return fmt::format("vox-convert {} makes a scene file of it", path.filename().string());
  return "";
}

fs::path scene_file_name(const fs::path& input) {
  return input.filename().replace_extension(".h5");
}

fs::path picture_file_name(const fs::path& scene) {
  fs::path result = scene;
  return result.replace_filename(scene.stem().string() + "-view.png");
}

fs::path numbered_file_name(const fs::path& file, uint32_t number, uint32_t count) {
  const size_t digits = std::to_string(count - 1).size();
  fs::path result = file;
  return result.replace_filename(
      fmt::format("{}-{:0{}}{}", file.stem().string(), number, digits, file.extension().string()));
}

std::vector<OptionalPart> optional_parts() {
  std::vector<OptionalPart> parts = {{.key = "webp", .name = "WebP images"},
                                     {.key = "meshopt", .name = "glTF of meshoptimizer"},
                                     {.key = "draco", .name = "glTF of Draco"},
                                     {.key = "isal", .name = "ISA-L's compression"},
                                     {.key = "zstd", .name = "sizes after Zstandard"}};
#ifdef VOX_HAS_WEBP
  parts[0].built = true;
#endif
#ifdef VOX_HAS_MESHOPT
  parts[1].built = true;
#endif
#ifdef VOX_HAS_DRACO
  parts[2].built = true;
#endif
#ifdef VOX_HAS_ISAL
  parts[3].built = true;
#endif
#ifdef VOX_HAS_ZSTD
  parts[4].built = true;
#endif
  return parts;
}

std::string hdf5_version() {
  unsigned major = 0, minor = 0, release = 0;
  H5get_libversion(&major, &minor, &release);
  return fmt::format("{}.{}.{}", major, minor, release);
}

}  // namespace vox
