// The description of vox-convert: its options with the inputs and outputs that they go with, and examples. options.h
// reads the command line by it.
#pragma once

#include <string>

#include "tools/common/option.h"

namespace vox {

// The traits of a conversion, for the rules of options: what it reads and writes.
enum ConvertTrait : uint32_t {
  kMesh = 1,
  kRawVolume = 2,  // the file does not describe its values
  kHeaderVolume = 4,
  kWholeScene = 8,  // the SVDAG of a scene file is converted
  kWrites = 16,     // a file is written, instead of shown or verified
  kWritesH5 = 32,
  kExports = 64,  // the file is in another program's format
  kBricks = 128,  // bricks are made and kept
  kColors = 256,  // the colours of a mesh are used
  kWritesBinvox = 512,
  kHash = 1024,    // a spatial hash is made
  kVoxels = 2048,  // the input is another program's voxels
  kPoints = 4096,
  kSplats = 8192,           // points that have an opacity
  kMixed = 1 << 14,         // several inputs on one grid, not all of them meshes
  kVolumeScene = 1 << 15,   // a volume becomes a scene
  kVolumeBricks = 1 << 16,  // a volume becomes bricks
  kWritesPly = 1 << 20,
  kWritesVtk = 1 << 21,
  kWritesNvdb = 1 << 22,
  kWritesSvdag = 1 << 23  // into an .h5 file
};

ToolDescription convert_description();

// The extensions that -o may have: ".h5, .nrrd, … or .vtkhdf".
std::string output_extensions();

}  // namespace vox
