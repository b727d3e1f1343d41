// Everything that reads, as functions over arbitrary bytes. libFuzzer runs one of them (libfuzzer.cpp), and readers_test.cpp
// runs all of them on random changes of their seeds.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "libvox/base/error.h"
#include "libvox/dag/voxel_scene.h"

namespace vox::fuzz {

struct Target {
  const char* name;
  std::vector<std::string> seeds;  // sound inputs, which read() accepts
  // Reads the bytes and uses what they hold. Returns false if they are refused with an Error; all else that is thrown, and
  // whatever contradicts the reader's promises, is a failure of the reader.
  std::function<bool(std::string_view bytes)> read;
};

// The list of all targets. Its seeds are made when it is first asked for.
const std::vector<Target>& targets();

// The parts of the list.
std::vector<Target> mesh_targets();    // meshes, images, palettes
std::vector<Target> point_targets();   // points and splats
std::vector<Target> volume_targets();  // volumes by their headers
std::vector<Target> voxel_targets();   // voxels of other programs
std::vector<Target> scene_targets();   // scene files, as bytes and object by object; rounds
std::vector<Target> text_targets();    // scripts, tables, reports and the texts of options
std::vector<Target> folder_targets();  // scenes in parts, folders of chunks, compiled images
std::vector<Target> tool_targets();    // command lines

// Ends the program, which a fuzzer recognizes as a failure.
void require(bool holds, const char* what);

// Calls f() and returns true, or false if it throws an Error, the only exception that is permitted.
template <class F>
bool accepts(const F& f) {
  try {
    f();
    return true;
  } catch (const Error& error) {
    require(!error.problem().empty(), "an error says nothing");
    return false;
  }
}

// A folder of this process for the files that targets read, in memory if the machine has such a place. It is removed when the
// program ends.
const std::filesystem::path& folder();
// Writes a file in this folder and returns its path.
std::filesystem::path put(const std::string& name, std::string_view bytes);
// Returns the content of a file that a writer has left in this folder.
std::string taken(const std::string& name);

// Returns bytes in the form of gzip, which readers check before they look at the content.
std::string gzipped(std::string_view bytes);

// Returns the bytes of values of any trivial types, one behind the other.
template <class... T>
std::string bytes_of(const T&... values) {
  std::string bytes;
  (bytes.append(reinterpret_cast<const char*>(&values), sizeof(values)), ...);
  return bytes;
}

// Changes an HDF5 file by the library, as the recipe says: words of datasets and attributes, their sizes and types; objects are
// removed or take the place of others. HDF5's own structure and checksums stay sound, so readers see every change.
void change_objects(const std::filesystem::path& file, std::string_view recipe);

// Sound edit scripts and recordings of edits, with every command, and scripts that are refused, whose names begin with "bad".
struct EditScriptSeed {
  const char* name;
  std::string text;
};
const std::vector<EditScriptSeed>& edit_script_seeds();
bool read_edit_scripts(std::string_view text);

// A small scene from which seeds are written.
std::string sample_vl32();                // its voxels
const dag::VoxelScene& sample_scene();    // with materials
const dag::VoxelScene& colored_sample();  // with 24-bit colors

}  // namespace vox::fuzz
