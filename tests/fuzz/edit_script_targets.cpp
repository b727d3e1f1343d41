// Reads arbitrary bytes as an edit script and as a recording of edits. The result must be an Error, or
// commands that satisfy the conditions of libvox/edit/script.h.
#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <string>

#include "formats/script/script_parts.h"
#include "formats/script/scripts.h"
#include "libvox/edit/edit.h"
#include "tests/fuzz/targets.h"

namespace vox::fuzz {
namespace {

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

}  // namespace vox::fuzz
