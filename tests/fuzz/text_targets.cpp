// Scripts, tables, results as JSON, and the texts of options.
#include "formats/results/files.h"
#include "formats/script/scripts.h"
#include "formats/volume/stored_volume.h"
#include "formats/volume/volume_formats.h"
#include "libvox/base/units.h"
#include "tests/fuzz/targets.h"

namespace vox::fuzz {
namespace {

bool read_strokes(std::string_view text) {
  return accepts([&] { require(!parse_stroke_script(std::string(text), "a.txt").empty(), "strokes"); });
}

bool read_cameras(std::string_view text) {
  const std::filesystem::path file = put("camera.csv", text);
  return accepts([&] { read_camera_csv(file); });
}

bool read_rules(std::string_view text) {
  const std::filesystem::path file = put("rules.csv", text);
  return accepts([&] { read_assign_rules(file); });
}

bool read_json(std::string_view text) {
  const bool read = accepts([&] {
    const ReadResults results = parse_results(text);
    for (const ResultColumn& column : results.rows.columns())
      require(column.size() == results.rows.rows(), "columns of one length");
  });
  return accepts([&] { parse_results(text, "hash"); }) || read;
}

// Every text is given to every option.
bool read_options(std::string_view text) {
  bool read = accepts([&] { parse_count(text, "--res"); });
  read |= accepts([&] { parse_number(text, "--x"); });
  read |= accepts([&] { parse_bytes(text, "--memory-limit"); });
  read |= accepts([&] {
    const VoxelSize size = parse_sides(text, "--voxel-size").size;
    exact_sides(size);
  });
  read |= accepts([&] { parse_replay_scale(text); });
  read |= accepts([&] { parse_replay_swizzle(text); });
  read |= accepts([&] { parse_replay_shift(text); });
  read |= accepts([&] { parse_byte_order(text); });
  read |= accepts([&] { checked_stored_type(text); });
  return read;
}

}  // namespace

std::vector<Target> text_targets() {
  return {
      {"edit_script",
       {"units voxels\nsphere add center 20,20,20 radius 9.5 material 1\nrepeat 5 step 3,0,1\n"
        "box remove min 4,4,4 max 20,9,30\nend\nundo\n",
        "EditSphere,1,2,3,4,true\nEndFrame\nUndo\n"},
       read_edit_scripts},
      {"strokes",
       {"stroke color #ff0000 radius 0.2 edge 0.3 from 0,1,0 through 0.5,0.8,0.3 to 1,0,0\n"
        "stroke color #20a040 radius 0.1 at 0,0,1\n# c\nstroke color #ffffff radius 0.05 uv 0.5,0.25\n"},
       read_strokes},
      {"cameras",
       {"time,eye_x,eye_y,eye_z,target_x,target_y,target_z,fov\n0,9,9,9,0,0,0,40\n0.1,-9,9,9,0,0,0,50\n"},
       read_cameras},
      {"rules", {"brick*,1,bricks\n# c\n\nroof,2\n*,3,rest\n"}, read_rules},
      {"json",
       {R"({"device":"cpu","device_text":"CPU","rows":[{"a":1,"b":0.5,"c":"x"},{"a":2,"b":null,"c":"y"}]})",
        R"({"hash":{"device":"cpu","device_text":"CPU","rows":[{"a":1}]}})"},
       read_json},
      {"options",
       {"64K", "2^16", "1.5GiB", "1cm,2cm,3mm", "0.1,0.1,0.25", "1/3", "xzy", "10,0,-5", "uint16", "big"},
       read_options}};
}

}  // namespace vox::fuzz
