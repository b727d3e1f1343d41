// Scripts, tables, results as JSON, the texts of options, and command lines.
#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <functional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "formats/results/files.h"
#include "formats/script/script_parts.h"
#include "formats/script/scripts.h"
#include "formats/volume/stored_volume.h"
#include "formats/volume/volume_formats.h"
#include "libvox/base/units.h"
#include "libvox/edit/edit.h"
#include "tests/fuzz/targets.h"
#include "tools/common/command_line.h"
#include "tools/common/tool.h"
#include "tools/vox-bench/command_line.h"
#include "tools/vox-convert/options.h"
#include "tools/vox-edit/edit.h"
#include "tools/vox-render/frames.h"

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
  std::vector<std::string> scripts;
  for (const EditScriptSeed& seed : edit_script_seeds())
    if (!std::string_view(seed.name).starts_with("bad")) scripts.push_back(seed.text);
  return {
      {"edit_script", scripts, read_edit_scripts},
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

namespace {

// Reads arbitrary bytes as an edit script and as a recording of edits. The result must be an Error, or
// commands that satisfy the conditions of libvox/edit/script.h.

constexpr uint32_t kResolution = 1000;
constexpr uint64_t kMostRun = 20'000;  // the most commands of one script

bool in_range(edit::EditPlace place) {
  constexpr int64_t kMost = edit::kMaxEditPlace * edit::kEditUnits;
  return std::abs(place.x) <= kMost && std::abs(place.y) <= kMost && std::abs(place.z) <= kMost;
}

bool in_range(Int3 v) {
  return in_range(edit::EditPlace{v.x, v.y, v.z} * edit::kEditUnits);
}

void check(const edit::Shape& shape) {
  require(in_range(shape.a) && in_range(shape.b), "a place out of range");
  require(shape.radius >= 0 && shape.radius <= edit::kMaxEditRadius * edit::kEditUnits,
          "a radius out of range");
  require(shape.roughness >= 0 && shape.grain > 0, "noise out of range");
  if (shape.kind == edit::ShapeKind::Cylinder) require(shape.a != shape.b, "a cylinder without an axis");
  if (shape.kind == edit::ShapeKind::Box)
    require(shape.a.x <= shape.b.x && shape.a.y <= shape.b.y && shape.a.z <= shape.b.z, "a box inside out");
}

struct CheckEdit {
  const edit::Script& script;

  void operator()(const edit::PaintEdit& edit) const {
    check(edit.shape);
    require(edit.material < 16 && edit.replaced < 16, "a material out of range");
  }
  void operator()(const edit::CopyEdit& edit) const {
    check(edit.within);
    require(in_range(edit.to), "a target out of range");
    require(edit.scene <= script.files.size(), "a scene without a file");
  }
  void operator()(const edit::CombineEdit& edit) const {
    require(in_range(edit.at), "a place out of range");
    require(edit.scene > 0 && edit.scene <= script.files.size(), "a scene without a file");
  }
  void operator()(const edit::MorphEdit& edit) const {
    check(edit.shape);
    require(edit.steps > 0, "no steps");
  }
  void operator()(const edit::FillEdit& edit) const {
    check(edit.shape);
    require(in_range(edit.seed) && edit.material < 16, "a seed or material out of range");
  }
};

void check(const VoxelBox& box) {
  require(box.empty() || intersection(box, cube_at({0, 0, 0}, kResolution)) == box, "bounds beyond the grid");
}

void check(const edit::Script& script, const edit::Command& command) {
  std::string_view text = edit::source_text(script, command);
  require(command.line > 0 && !text.empty() && text.find_first_of("\r\n") == std::string_view::npos,
          "a command without its line");
  const edit::Edit* edit = std::get_if<edit::Edit>(&command.action);
  if (!edit) return;
  std::visit(CheckEdit{script}, *edit);
  check(edit::written_box(*edit, kResolution));
  check(edit::read_box(*edit, kResolution));
}

void check(const edit::Script& script) {
  require(script.total <= kMaxScriptCommands, "too many commands");
  uint64_t run = 0;
  edit::ScriptCursor cursor(script);
  while (run < kMostRun) {
    auto command = cursor.next();
    if (!command) break;
    check(script, *command);
    ++run;
  }
  require(run == std::min(script.total, kMostRun), "another number of commands than announced");
}

}  // namespace

bool read_edit_scripts(std::string_view bytes) {
  const std::string text(bytes);
  const SceneFrame plain{.materials = false};
  const SceneFrame painted{.origin = {-3.7, 0, 1e3}, .voxel_size = 0.013};
  const ReplayOptions moved{.swizzle = {2, 0, 1}, .scale = {2, 3}, .shift = {0.3, 1, -7}};
  const bool read = accepts([&] { check(parse_edit_script(text, "in/a.txt", plain)); });
  const bool painting = accepts([&] { check(parse_edit_script(text, "in/a.txt", painted)); });
  const bool recording = accepts([&] { check(parse_replay_csv(text, "a.csv", moved)); });
  return read || painting || recording;
}

namespace {

// The command lines of the tools: the options are read as each tool reads them, but nothing is done.

struct Tool {
  std::string name;  // a program, or a command of vox-bench
  ToolDescription description;
  std::function<void(const CommandLine&)> read;
};

const std::vector<Tool>& tools() {
  static const std::vector<Tool> tools = [] {
    std::vector<Tool> all = {
        {"vox-convert", convert_description(), [](const CommandLine& line) { read_convert_options(line); }},
        {"vox-render", render_description(), [](const CommandLine& line) { read_render_options(line); }},
        {"vox-edit", edit_description(), [](const CommandLine& line) { read_edit_options(line); }}};
    for (const Command& command : kCommands)
      all.push_back({command.name, command.description(), [](const CommandLine&) {}});
    return all;
  }();
  return tools;
}

// Reads every option that is given as each kind of value, so that the command lines of all tools are read in every way.
bool read_values(const CommandLine& line) {
  bool read = false;
  for (const Option& option : line.given_options()) {
    read |= accepts([&] { line.text(option.name); });
    read |= accepts([&] { line.count(option.name); });
    read |= accepts([&] { line.whole(option.name); });
    read |= accepts([&] { line.number(option.name); });
    read |= accepts([&] { line.bytes(option.name); });
    read |= accepts([&] { line.scale(option.name); });
    read |= accepts([&] { line.box(option.name); });
    read |= accepts([&] { line.axis(option.name); });
    read |= accepts([&] { line.fractions(option.name); });
    read |= accepts([&] { line.counts(option.name); });
    read |= accepts([&] { line.paths(option.name); });
    if (!option.words.empty()) {
      read |= accepts([&] { line.text_of_word(option.name); });
      read |= accepts([&] { line.names(option.name); });
    }
  }
  return read;
}

// The first byte is the number of a tool, the others are its arguments, one on each line. "@" at the beginning of an argument stands
// for the folder with the files that the seeds name.
bool read_command_lines(std::string_view text) {
  const Tool& tool = tools()[(text.empty() ? 0 : static_cast<uint8_t>(text.front())) % tools().size()];
  std::vector<std::string> arguments = arguments_of(tool.description.program);  // "vox-bench hash" is two
  for (size_t at = 1; at < text.size();) {
    const size_t end = std::min(text.find('\n', at), text.size());
    std::string argument(text.substr(at, end - at));
    argument.resize(std::min(argument.find('\0'), argument.size()));
    if (argument.starts_with('@')) argument.replace(0, 1, folder().string() + "/");
    arguments.push_back(std::move(argument));
    at = end + 1;
  }
  return accepts([&] {
    const CommandLine line = read_arguments(tool.description, arguments);
    const std::vector<std::string> again = arguments_of(line.command());
    require(read_arguments(tool.description, again).command() == line.command(), "a command line read again");
    read_values(line);
    tool.read(line);
  });
}

}  // namespace

std::vector<Target> tool_targets() {
  std::vector<std::string> seeds;
  const auto add = [&](size_t tool, const char* arguments) {
    seeds.push_back(std::string(1, static_cast<char>(tool)) + arguments);
  };
  put("a.obj", "v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n");
  put("a.h5", "\x89HDF\r\n\x1a\n");
  put("a.txt", "undo\n");
  add(0, "@a.obj\n--res\n2K\n-o\n@out.h5\n--solid\n--materials=texture\n--memory-limit\n64M");
  add(0, "@a.obj\n--voxel-size\n0.1,0.2,0.3\n--clip\n0,0,0,1,1,1\n--threads\n2\n--json\n-q");
  add(1, "@a.h5\n-o\n@a.png\n--size\n64x48\n--fov\n40\n--slice\nz=9");
  add(2, "@a.h5\n--script\n@a.txt\n--batch\n8\n--log\n@log.csv");
  for (size_t i = 3; i < tools().size(); ++i) add(i, "--json\n-q\n--log-level=debug");
  return {{"command_lines", seeds, read_command_lines}};
}

// Edit scripts and recordings of edits that use every command, and scripts that are refused.

const std::vector<EditScriptSeed>& edit_script_seeds() {
  using namespace std::string_literals;
  static const std::vector<EditScriptSeed> seeds = {
      {"bad_argument", "sphere add center 1,2,3 radus 4 material 3\n"s},
      {"bad_binary", "\211HDF\r\n\032\n\000\000\000undo"s},
      {"bad_command", "spheer add center 1,2,3 radius 4 material 3\n"s},
      {"bad_material", "sphere add center 1,2,3 radius 4 material 16\n"s},
      {"bad_number", "sphere remove center 1,nan,inf radius 1e999\n"s},
      {"bad_quotes", "save \"open\n"s},
      {"bad_repeat", R"(repeat 10000000 step 2097152,0,0
repeat 10000000
clear box min 0,0,0 max 1,1,1
)"s},
      {"line_ends", "\357\273\277# comment\r\n\r\n\t undo  # x\rredo\r\nclear"s},
      {"repeat", R"(repeat 2
repeat 1
repeat 3
end
repeat 10 seed 18446744073709551615
redo
end
end
end
repeat 100 step 64,0,0 jitter 8,0,8 seed 7
  sphere add center 0,0,0 radius 1 material 1
end
repeat 3 jitter 2.5
repeat 4 step 0,1.5,0
stamp a.h5 at 0,0,0
fill seed 1,1,1 material 2
end
undo
end
)"s},
      {"repeat_huge", R"(repeat 1000
repeat 1000
repeat 10 step 0,0,-20
undo
end
end
end
)"s},
      {"replay_all", R"(SetLocation,-951.243605,667.199855,-27.706481,,,,,,
SetRotation,0,0,-1,0,1,0,1,0,0
EditSphere,13695,33863,21702,910,TRUE,,,,
EndFrame,,,,
EditSphere,1.5,2,3,4.000000,false
EndFrame
EditCopy,30,31,35,25,26,27,1,2,3,4,0,-1,0,1,0,0,0,0,1,false,1.000000
EndFrame
EditCopy,30,31,35,25,26,27,1,2,3,4.5,-1,0,0,0,0,1,0,1,-0.000000,FALSE,1
SetToolParameters,1,2,3,4,5,6,7,8,9,10,2
EditCube,10,20,30,2.5,true
EditFill,10,20,30,4
EditPaint,10,20,30,4
Undo
Redo
EditCopy,38211,32932,18264,38212,32929,18280,36688,32898,11927,190.000000
EndFrame
)"s},
      {"session", R"(gc
gc every 50
gc threshold 20%
gc threshold 0.5
gc never
gc budget 2ms
gc every 3 budget 500us
gc budget 0.1s never
save out.h5
save "a # b.h5" # comment
snapshot start
clear
snapshot "with blank"
restore start
restore "with blank"
clear
undo
undo 12
redo
redo 4294967295
clear
clear sphere center 1,1,1 radius 2
clear ellipsoid center 0,0,0 radii 1,1,1 # gone
)"s},
      {"shapes", R"(capsule paint from 0,0,0 to 400,0,0 radius 12.5 material 9
capsule remove from 1,1,1 to 1,1,1 radius 3
cylinder add from 0,0,0 to 0,50,0 radius 8 material 1
clear cylinder from 0,0,0 to 1,0,0 radius 1
ellipsoid add center 9,9,9 radii 1,2.5,0 material 2
ellipsoid replace center 9,9,9 with 1 radii 3,3,3 material 0
sphere add center 13695,33863,21702 radius 910 material 3
sphere remove center 1,2,3 radius 4 noise 2.5 grain 16 seed 7
sphere paint center -1.5,2e1,.25 radius 0 material 15
sphere replace material 3 with 7 center 1,2,3 radius 4
sphere remove center 0.001953125,-0.001953125,1.25e1 radius 1e-3
sphere remove center +1,2.,.3 radius 1048576
sphere remove center 2097152,-2097152,0 radius 000.5e0
box remove min 100,100,100 max 220,180,140
box add min 0,0,0 max 1,1,1 material 0 noise 1
clear box min 5,5,5 max 5,5,5)"s},
      {"tools", R"(fill material 3 seed 10,20,30
fill in sphere center 1,1,1 radius 9 noise 1 seed 4 seed 1,1,1 limit 18446744073709551615 material 1
erode
erode steps 3 in sphere center 1,2,3 radius 9
erode in box min 0,0,0 max 9,9,9 steps 1024
dilate
dilate steps 2 in capsule from 0,0,0 to 9,9,9 radius 2
smooth in cylinder from 0,0,0 to 9,9,9 radius 2 steps 4
smooth
replace material 3 with 7
replace material 3 with 7 in sphere center 1,2,3 radius 9 noise 1
replace in box min 0,0,0 with 7 max 9,9,9 material 3
copy min 10,10,10 max 90,90,90 to 200,10,10
copy min 0,0,0 max 9,8,7 to 3,3,3 rotate z 90 mirror x rotate y 270 rotate x 180 mirror y mirror z skip-empty keep-filled
copy min 0,0,0 max 9,9,9 to 1,0,0 in box min 0,0,0 max 5,5,5
union a.h5
subtract a.h5 at 1,2,3
intersect /tmp/b.h5 at -1,-1,-1
stamp tree.h5 at 1,2,3
stamp "my trees/a b.h5" at -5,0,9 rotate z 90 skip-empty in sphere center 0,0,0 radius 99
stamp ../tree.h5 mirror z at 0,0,0 keep-filled
)"s},
      {"units", R"(units scene
sphere remove center 0.5,1.25,-3 radius 0.75
copy min 0,0,0 max 1,1,1 to 2,2,2
box remove min 0,0,0 max 1,1,1 noise 0.1 grain 0.5
repeat 2 step 1,0,0 jitter 0.1
fill seed 0.3,0.3,0.3 material 1
end
units voxels
clear box min 0,0,0 max 1,1,1
)"s}};
  return seeds;
}

}  // namespace vox::fuzz
