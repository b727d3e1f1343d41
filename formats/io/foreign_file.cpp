#include "formats/io/foreign_file.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <string>
#include <string_view>

#include "libvox/base/error.h"

namespace vox {
namespace {

struct ForeignFormat {
  std::string_view endings;  // with blanks between them
  std::string_view what;
  std::string_view hint;
};

constexpr std::string_view kToNrrd = "convert it to NRRD, for example with 3D Slicer or ITK-SNAP";
constexpr std::string_view kToMesh = "convert it to OBJ, PLY or glTF, for example with Blender";
constexpr std::string_view kFromPoints =
    "make a mesh of the points, for example with CloudCompare or MeshLab";
constexpr std::string_view kToRaw =
    "write its values as .raw, and say with --dims and --type what they are: "
    "numpy.asarray(a).tofile('a.raw')";

constexpr ForeignFormat kFormats[] = {
    {".nii .nii.gz .hdr .img", "a NIfTI or Analyze volume", kToNrrd},
    {".dcm .dicom", "a DICOM image", "convert the series to NRRD, for example with 3D Slicer"},
    {".mgz .mgh", "a FreeSurfer volume", kToNrrd},
    {".mrc .map .ccp4", "an MRC volume",
     "convert it to NRRD or raw values, for example with ChimeraX or mrcfile"},
    {".vti .vtk .vtu .vtp .vtr .vts", "a VTK file",
     "convert it with ParaView: images to MetaImage (.mhd), surfaces to PLY or STL"},
    {".slc", "an SLC volume of VolVis",
     "convert it to MetaImage (.mhd), for example with VTK's vtkSLCReader"},
    {".pvm", "a PVM volume", "convert it to raw values with pvm2raw of the V^3 package"},
    {".tif .tiff", "a TIFF image", "convert a stack of them to NRRD, for example with Fiji"},
    {".npy .npz", "a NumPy array", kToRaw},
    {".mat", "a MATLAB file",
     "write the array as .raw with fwrite, and say with --dims and --type what it is"},
    {".nc .zarr .hdf .hdf5 .n5", "a file of arrays", kToRaw},
    {".vdb", "an OpenVDB volume",
     "sample it onto a dense grid, and write that as .raw: pyopenvdb's copyToArray()"},
    {".nvdb", "a NanoVDB volume", "sample it onto a dense grid, and write that as .raw"},
    {".vox", "a MagicaVoxel model", "export it from MagicaVoxel as PLY or OBJ"},
    {".binvox", "a binvox grid", "convert the mesh that it was made of; or write its voxels as .raw"},
    {".qb .qbt .qbcl", "a Qubicle model", "export it from Qubicle as OBJ or COLLADA"},
    {".schem .schematic .nbt .litematic", "a Minecraft structure",
     "export it as OBJ, for example with Mineways"},
    {".svo .svdag .dag .octree", "an octree of another program", "convert the mesh that it was made of"},
    {".las .laz .e57 .pcd .pts .ptx", "a point cloud", kFromPoints},
    {".usd .usda .usdc .usdz .abc .max .ma .mb .c4d .skp .3dm", "a scene of another program", kToMesh},
    {".iges .igs .sldprt .sldasm .f3d .brep", "a CAD model", "export it as STL, for example with FreeCAD"},
    {".png .jpg .jpeg .tga .bmp .gif .webp .exr", "an image", "expected a mesh, a volume or a scene file"},
    {".mtl", "the materials of an OBJ mesh", "name the .obj file"},
    {".zip .tar .tgz .7z .rar .xz .bz2 .zst", "an archive", "unpack it, and name what is in it"},
};

// Of the part of a name behind its first dot too: "a.nii.gz".
const ForeignFormat* foreign_format(const std::filesystem::path& path) {
  std::string name = path.filename().string();
  std::ranges::transform(name, name.begin(), [](unsigned char c) { return char(std::tolower(c)); });
  for (const ForeignFormat& format : kFormats) {
    std::string_view rest = format.endings;
    while (!rest.empty()) {
      const size_t end = std::min(rest.find(' '), rest.size());
      if (name.ends_with(rest.substr(0, end))) return &format;
      rest.remove_prefix(std::min(end + 1, rest.size()));
    }
  }
  return nullptr;
}

}  // namespace

void refuse_foreign(const std::filesystem::path& path) {
  std::error_code failed;
  const ForeignFormat* format = foreign_format(path);
  if (format == nullptr || !std::filesystem::is_regular_file(path, failed)) return;
  throw Error(fmt::format("is {}, which is not read", format->what))
      .at(path.string())
      .hint(std::string(format->hint));
}

}  // namespace vox
