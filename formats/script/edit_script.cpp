#include "formats/script/scripts.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <iterator>
#include <optional>
#include <set>
#include <utility>
#include <vector>

#include "formats/script/script_parts.h"
#include "libvox/base/error.h"

namespace vox {
namespace {

constexpr uint32_t kMaxMorphSteps = 1024;

// These are in the order of PaintMode.
constexpr std::string_view kPaintModes[] = {"add", "remove", "paint", "replace"};

std::optional<edit::PaintMode> paint_mode(std::string_view name) {
  const auto* const found = std::ranges::find(kPaintModes, name);
  if (found == std::end(kPaintModes)) return std::nullopt;
  return static_cast<edit::PaintMode>(found - std::begin(kPaintModes));
}

class EditScriptParser {
 public:
  EditScriptParser(std::string text, const std::filesystem::path& path, const SceneFrame& frame,
                   const edit::OnScriptError& on_error)
      : frame_(frame), builder_(std::move(text), path, on_error) {}

  edit::Script parse() {
    builder_.read_lines([&](LineReader& line) { read_line(line); });
    return builder_.finish();
  }

 private:
  using Reader = void (EditScriptParser::*)(LineReader&);
  struct Named {
    std::string_view name;
    Reader read;
  };
  static const std::vector<Named>& scene_commands();
  static const std::vector<Named>& volume_commands();
  const std::vector<Named>& commands() const {
    return frame_.edits == EditsOf::Scene ? scene_commands() : volume_commands();
  }

  void read_line(LineReader& line) {
    try {
      read_command(line);
    } catch (const Error&) {
      pair_up(line);
      throw;
    }
  }

  // A 'repeat' or an 'end' with a mistake is still matched with its other half, so that no second error is
  // reported there.
  void pair_up(const LineReader& line) {
    if (command_.text == "end" && builder_.is_repeating()) builder_.end_repeat(line, command_);
    if (command_.text == "repeat" && builder_.may_repeat())
      builder_.begin_repeat(line, command_, {.count = 1});
  }

  void read_command(LineReader& line) {
    command_ = {};
    auto word = line.next();
    if (!word) return;
    command_ = *word;
    if (auto kind = shape_kind(word->text)) {
      if (frame_.edits == EditsOf::Volume)
        line.fail(*word, fmt::format("the shape of an edit stands behind it: 'set 1 in {} …'", word->text));
      return read_paint(line, *kind);
    }
    for (const Named& named : commands())
      if (named.name == word->text) return (this->*named.read)(line);
    fail_unknown(line);
  }

  [[noreturn]] void fail_unknown(const LineReader& line) const {
    const bool scene = frame_.edits == EditsOf::Scene;
    std::vector<std::string_view> names;
    if (scene) names.assign(std::begin(kShapeNames), std::end(kShapeNames));
    for (const Named& named : commands()) names.push_back(named.name);
    std::string hint = did_you_mean(command_.text, names);
    for (const Named& named : scene ? volume_commands() : scene_commands())
      if (named.name == command_.text)
        hint = scene ? "volumes have this command, but this file holds a scene"
                     : "scenes have this command, but this file holds a volume";
    line.fail(command_, fmt::format("{} is no command", in_quotes(command_.text)),
              hint.empty() ? "docs/editing.md lists all of them" : hint);
  }

  ValueReader values(const LineReader& line) const { return {line, units_, frame_}; }

  std::string title() const { return in_quotes(command_.text); }

  void add(LineReader& line, edit::Action action) {
    line.need_end();
    if (const auto* edit = std::get_if<edit::Edit>(&action); frame_.colors && edit && !keeps_colors(*edit))
      line.fail(command_, "the scene has 24-bit colors, which this command cannot change", kPaletteHint);
    builder_.add(line, command_, std::move(action));
  }

  // True if the edit gives voxels its own color, empties them or leaves them as they are.
  static bool keeps_colors(const edit::Edit& edit) {
    if (const auto* paint = std::get_if<edit::PaintEdit>(&edit))
      return paint->mode != edit::PaintMode::Replace;
    const auto* morph = std::get_if<edit::MorphEdit>(&edit);
    return morph != nullptr && morph->mode == edit::MorphMode::Erode;
  }

  uint8_t read_material(const LineReader& line, const Arguments& arguments, Arg arg) {
    if (frame_.colors) {
      const Word& word = arguments.need(arg);
      return builder_.color_number(line, word, values(line).color(word));
    }
    if (frame_.materials) return values(line).material(arguments.need(arg));
    if (!arguments.has(arg)) return 0;
    uint8_t material = values(line).material(arguments.need(arg));
    if (material != 0) line.fail(arguments.need(arg), "the scene has no materials");
    return 0;
  }

  void need_materials(const LineReader& line, const Word& word) const {
    if (!frame_.materials)
      line.fail(word, fmt::format("the scene has no materials, so that it cannot {}", word.text));
  }

  static ArgumentSet paint_arguments(edit::PaintMode mode) {
    if (mode == edit::PaintMode::Remove) return {};
    if (mode == edit::PaintMode::Replace) return {Arg::Material, Arg::With};
    return {Arg::Material};
  }

  edit::PaintEdit paint_edit(const LineReader& line, const Arguments& arguments, edit::PaintMode mode) {
    edit::PaintEdit edit{.shape = arguments.shape(), .mode = mode};
    if (mode == edit::PaintMode::Replace) {
      edit.replaced = read_material(line, arguments, Arg::Material);
      edit.material = read_material(line, arguments, Arg::With);
    } else if (mode != edit::PaintMode::Remove) {
      edit.material = read_material(line, arguments, Arg::Material);
    }
    return edit;
  }

  void read_paint(LineReader& line, edit::ShapeKind kind) {
    Word word = line.need("add, remove, paint or replace");
    auto mode = paint_mode(word.text);
    if (!mode)
      line.fail(word, fmt::format("expected add, remove, paint or replace, not {}", in_quotes(word.text)),
                did_you_mean(word.text, kPaintModes));
    if (mode == edit::PaintMode::Paint || mode == edit::PaintMode::Replace) need_materials(line, word);
    ValueReader values = this->values(line);
    Arguments arguments(line, values, fmt::format("'{} {}'", command_.text, word.text),
                        paint_arguments(*mode), kind);
    add(line, edit::Edit(paint_edit(line, arguments, *mode)));
  }

  void read_replace(LineReader& line) {
    need_materials(line, command_);
    ValueReader values = this->values(line);
    Arguments arguments(line, values, title(), {Arg::Material, Arg::With, Arg::In});
    add(line, edit::Edit(paint_edit(line, arguments, edit::PaintMode::Replace)));
  }

  void read_clear(LineReader& line) {
    ValueReader values = this->values(line);
    auto kind = edit::ShapeKind::Everything;
    if (auto word = line.peek()) {
      auto named = shape_kind(word->text);
      if (!named)
        line.fail(*word,
                  fmt::format("expected a shape or the end of the line, not {}", in_quotes(word->text)),
                  did_you_mean(word->text, kShapeNames));
      kind = *named;
      line.next();
    }
    Arguments arguments(line, values, title(), {}, kind);
    add(line, edit::Edit(edit::PaintEdit{.shape = arguments.shape(), .mode = edit::PaintMode::Remove}));
  }

  void read_morph(LineReader& line, edit::MorphMode mode) {
    ValueReader values = this->values(line);
    Arguments arguments(line, values, title(), {Arg::Steps, Arg::In});
    edit::MorphEdit edit{.shape = arguments.shape(), .mode = mode};
    if (arguments.has(Arg::Steps))
      edit.steps = static_cast<uint32_t>(values.whole(arguments.need(Arg::Steps), 1, kMaxMorphSteps));
    add(line, edit::Edit(edit));
  }
  void read_erode(LineReader& line) { read_morph(line, edit::MorphMode::Erode); }
  void read_dilate(LineReader& line) { read_morph(line, edit::MorphMode::Dilate); }
  void read_smooth(LineReader& line) { read_morph(line, edit::MorphMode::Smooth); }

  void read_fill(LineReader& line) {
    ValueReader values = this->values(line);
    Arguments arguments(line, values, title(), {Arg::Material, Arg::FillSeed, Arg::In, Arg::Limit});
    edit::FillEdit edit{.seed = values.voxel(arguments.need(Arg::FillSeed)),
                        .material = read_material(line, arguments, Arg::Material),
                        .shape = arguments.shape()};
    if (arguments.has(Arg::Limit)) edit.limit = values.whole(arguments.need(Arg::Limit), 1, UINT64_MAX);
    add(line, edit::Edit(edit));
  }

  static void read_copying(const Arguments& arguments, edit::CopyEdit& edit) {
    edit.turn = arguments.turn();
    edit.skip_empty = arguments.has(Arg::SkipEmpty);
    edit.keep_filled = arguments.has(Arg::KeepFilled);
    edit.within = arguments.shape();
  }

  void read_copy(LineReader& line) {
    ValueReader values = this->values(line);
    Arguments arguments(
        line, values, title(),
        {Arg::Min, Arg::Max, Arg::To, Arg::Rotate, Arg::Mirror, Arg::SkipEmpty, Arg::KeepFilled, Arg::In});
    edit::CopyEdit edit;
    edit.source = {values.voxel(arguments.need(Arg::Min)), values.voxel(arguments.need(Arg::Max))};
    auto wide = [](Int3 v) { return edit::EditPlace{v.x, v.y, v.z}; };
    values.check_order(arguments.need(Arg::Max), wide(edit.source.min), wide(edit.source.max));
    edit.to = values.voxel(arguments.need(Arg::To));
    read_copying(arguments, edit);
    add(line, edit::Edit(edit));
  }

  void read_stamp(LineReader& line) {
    ValueReader values = this->values(line);
    edit::CopyEdit edit;
    edit.scene = builder_.scene_number(line.need("the FILE to stamp"));
    Arguments arguments(line, values, title(),
                        {Arg::At, Arg::Rotate, Arg::Mirror, Arg::SkipEmpty, Arg::KeepFilled, Arg::In});
    edit.to = values.voxel(arguments.need(Arg::At));
    read_copying(arguments, edit);
    add(line, edit::Edit(edit));
  }

  void read_combine(LineReader& line, edit::CombineMode mode) {
    ValueReader values = this->values(line);
    edit::CombineEdit edit{.scene = builder_.scene_number(line.need("the FILE to combine with")),
                           .mode = mode};
    Arguments arguments(line, values, title(), {Arg::At});
    if (arguments.has(Arg::At)) edit.at = values.voxel(arguments.need(Arg::At));
    add(line, edit::Edit(edit));
  }
  void read_union(LineReader& line) { read_combine(line, edit::CombineMode::Union); }
  void read_subtract(LineReader& line) { read_combine(line, edit::CombineMode::Subtract); }
  void read_intersect(LineReader& line) { read_combine(line, edit::CombineMode::Intersect); }

  uint32_t read_count(LineReader& line) {
    auto word = line.next();
    return word ? static_cast<uint32_t>(values(line).whole(*word, 1, UINT32_MAX)) : 1;
  }
  void read_undo(LineReader& line) {
    uint32_t count = read_count(line);
    add(line, edit::Undo{count});
  }
  void read_redo(LineReader& line) {
    uint32_t count = read_count(line);
    add(line, edit::Redo{count});
  }

  void read_snapshot(LineReader& line) {
    std::string name(line.need("a NAME for the snapshot").text);
    snapshots_.insert(name);
    add(line, edit::Snapshot{std::move(name)});
  }

  void read_restore(LineReader& line) {
    Word word = line.need("the NAME of a snapshot");
    std::string name(word.text);
    if (!snapshots_.contains(name)) {
      std::vector<std::string_view> names(snapshots_.begin(), snapshots_.end());
      line.fail(word, fmt::format("no snapshot {} stands before this line", in_quotes(name)),
                did_you_mean(word.text.substr(0, 64), names));
    }
    add(line, edit::Restore{std::move(name)});
  }

  void read_gc(LineReader& line) {
    if (!line.peek()) return add(line, edit::Collect{});
    ValueReader values = this->values(line);
    Arguments arguments(line, values, title(), {Arg::Every, Arg::Threshold, Arg::Never, Arg::Budget});
    if (arguments.has(Arg::Every) + arguments.has(Arg::Threshold) + arguments.has(Arg::Never) > 1)
      line.fail(command_, "expected one of every, threshold and never");
    edit::CollectPolicy policy;
    if (arguments.has(Arg::Every)) {
      auto every = static_cast<uint32_t>(values.whole(arguments.need(Arg::Every), 1, UINT32_MAX));
      policy.trigger = {.when = edit::CollectWhen::Every, .every = every};
    } else if (arguments.has(Arg::Threshold)) {
      double threshold = values.share(arguments.need(Arg::Threshold));
      policy.trigger = {.when = edit::CollectWhen::Threshold, .threshold = threshold};
    } else if (arguments.has(Arg::Never)) {
      policy.trigger = {.when = edit::CollectWhen::Never};
    }
    if (arguments.has(Arg::Budget)) policy.budget_ms = values.milliseconds(arguments.need(Arg::Budget));
    add(line, policy);
  }

  void read_save(LineReader& line) {
    Word word = line.need("the FILE to save to");
    add(line, edit::Save{builder_.resolved(word)});
  }

  // Reads what all edits of volumes have: a shape and a mask.
  void add_volume_edit(LineReader& line, edit::VolumeEdit edit, ArgumentSet own) {
    ValueReader values = this->values(line);
    Arguments arguments(line, values, title(), own);
    edit.shape = arguments.shape();
    if (edit.op == edit::VolumeOp::Smooth && arguments.has(Arg::Reach))
      edit.reach = static_cast<uint32_t>(values.whole(arguments.need(Arg::Reach), 1, edit::kMaxSmoothReach));
    if (arguments.has(Arg::Mask)) edit.mask = builder_.scene_number(arguments.need(Arg::Mask));
    if (arguments.has(Arg::At)) {
      if (edit.mask == 0) line.fail(arguments.need(Arg::At), "'at' has no effect without 'mask FILE'");
      edit.mask_at = values.voxel(arguments.need(Arg::At));
    }
    add(line, edit);
  }
  void read_volume_edit(LineReader& line, edit::VolumeOp op, const char* expected) {
    const double amount = values(line).number(line.need(expected));
    add_volume_edit(line, {.op = op, .amount = amount}, {Arg::In, Arg::Mask, Arg::At});
  }
  void read_set(LineReader& line) { read_volume_edit(line, edit::VolumeOp::Set, "the VALUE to set"); }
  void read_add(LineReader& line) { read_volume_edit(line, edit::VolumeOp::Add, "the NUMBER to add"); }
  void read_scale(LineReader& line) {
    read_volume_edit(line, edit::VolumeOp::Scale, "the NUMBER to multiply by");
  }
  void read_threshold(LineReader& line) {
    read_volume_edit(line, edit::VolumeOp::Threshold, "the VALUE below which voxels become empty");
  }
  void read_smooth_values(LineReader& line) {
    add_volume_edit(line, {.op = edit::VolumeOp::Smooth}, {Arg::Reach, Arg::In, Arg::Mask, Arg::At});
  }

  void read_units(LineReader& line) {
    Word word = line.need("voxels or scene");
    if (word.text != "voxels" && word.text != "scene")
      line.fail(word, fmt::format("expected voxels or scene, not {}", in_quotes(word.text)));
    units_ = word.text == "scene" ? ScriptUnits::Scene : ScriptUnits::Voxels;
    if (units_ == ScriptUnits::Scene &&
        !(frame_.voxel_size.is_cube() && frame_.voxel_size.x > 0 && std::isfinite(frame_.voxel_size.x)))
      line.fail(word, fmt::format("the {}'s voxels are no cubes: places and lengths are in voxels",
                                  frame_.edits == EditsOf::Scene ? "scene" : "volume"));
    line.need_end();
  }

  void read_repeat(LineReader& line) {
    ValueReader values = this->values(line);
    Word count = line.need("how often to repeat");
    edit::Repeat repeat{.count = static_cast<uint32_t>(values.whole(count, 1, kMaxScriptCommands))};
    Arguments arguments(line, values, title(), {Arg::Step, Arg::Jitter, Arg::JitterSeed});
    if (arguments.has(Arg::Step)) repeat.step = values.offset(arguments.need(Arg::Step));
    if (arguments.has(Arg::Jitter)) repeat.jitter = values.reach(arguments.need(Arg::Jitter));
    if (arguments.has(Arg::JitterSeed))
      repeat.seed = values.whole(arguments.need(Arg::JitterSeed), 0, UINT64_MAX);
    builder_.begin_repeat(line, command_, repeat);
  }

  void read_end(LineReader& line) {
    line.need_end();
    builder_.end_repeat(line, command_);
  }

  SceneFrame frame_;
  ScriptBuilder builder_;
  ScriptUnits units_ = ScriptUnits::Voxels;
  Word command_;  // the first word of the current line
  std::set<std::string> snapshots_;
};

const std::vector<EditScriptParser::Named>& EditScriptParser::volume_commands() {
  using Self = EditScriptParser;
  static const std::vector<Named> kCommands = {
      {"set", &Self::read_set},     {"add", &Self::read_add},
      {"scale", &Self::read_scale}, {"smooth", &Self::read_smooth_values},
      {"undo", &Self::read_undo},   {"threshold", &Self::read_threshold},
      {"redo", &Self::read_redo},   {"repeat", &Self::read_repeat},
      {"end", &Self::read_end},     {"save", &Self::read_save},
      {"units", &Self::read_units},
  };
  return kCommands;
}

const std::vector<EditScriptParser::Named>& EditScriptParser::scene_commands() {
  using Self = EditScriptParser;
  static const std::vector<Named> kCommands = {
      {"replace", &Self::read_replace},     {"clear", &Self::read_clear},
      {"erode", &Self::read_erode},         {"dilate", &Self::read_dilate},
      {"smooth", &Self::read_smooth},       {"fill", &Self::read_fill},
      {"copy", &Self::read_copy},           {"stamp", &Self::read_stamp},
      {"union", &Self::read_union},         {"subtract", &Self::read_subtract},
      {"intersect", &Self::read_intersect}, {"undo", &Self::read_undo},
      {"redo", &Self::read_redo},           {"snapshot", &Self::read_snapshot},
      {"restore", &Self::read_restore},     {"gc", &Self::read_gc},
      {"repeat", &Self::read_repeat},       {"end", &Self::read_end},
      {"save", &Self::read_save},           {"units", &Self::read_units},
  };
  return kCommands;
}

}  // namespace

SceneFrame frame_of(const dag::VoxelScene& scene) {
  return {.origin = scene.origin,
          .voxel_size = scene.voxel_size,
          .materials = scene.dag.materials || scene.colors,
          .colors = scene.colors.has_value()};
}

SceneFrame frame_of(const volume::VolumeInfo& info) {
  return {info.origin, VoxelSize(info.spacing), false, EditsOf::Volume};
}

edit::Script parse_edit_script(std::string text, const std::filesystem::path& path, const SceneFrame& frame,
                               const edit::OnScriptError& on_error) {
  return EditScriptParser(std::move(text), path, frame, on_error).parse();
}

edit::Script read_edit_script(const std::filesystem::path& path, const SceneFrame& frame,
                              const edit::OnScriptError& on_error) {
  return parse_edit_script(read_script_text(path), path, frame, on_error);
}

}  // namespace vox
