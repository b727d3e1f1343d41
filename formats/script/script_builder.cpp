#include "formats/script/script_parts.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>
#include <vector>

#include "formats/script/scripts.h"
#include "libvox/base/error.h"
#include "libvox/base/units.h"
#include "libvox/edit/edit.h"

namespace vox {
namespace {

bool in_range(edit::EditPlace place) {
  constexpr int64_t kMost = edit::kMaxEditPlace * edit::kEditUnits;
  auto near = [](int64_t units) { return units >= -kMost && units <= kMost; };
  return near(place.x) && near(place.y) && near(place.z);
}

bool in_range(Int3 voxel) {
  return in_range(edit::EditPlace{voxel.x, voxel.y, voxel.z} * edit::kEditUnits);
}

bool in_range(const edit::Shape& shape) {
  return in_range(shape.a) && in_range(shape.b);
}

struct PlacesInRange {
  template <class InShape>  // an edit whose only place is its shape
  bool operator()(const InShape& edit) const {
    return in_range(edit.shape);
  }
  bool operator()(const edit::CopyEdit& edit) const { return in_range(edit.to) && in_range(edit.within); }
  bool operator()(const edit::CombineEdit& edit) const { return in_range(edit.at); }
  bool operator()(const edit::FillEdit& edit) const { return in_range(edit.seed) && in_range(edit.shape); }
};

// True if the edit is in range when it is moved by this offset. Offsets far out of range are not added,
// because the sum could overflow.
bool stays_in_range(const edit::Edit& edit, edit::EditPlace offset) {
  edit::EditPlace half = {offset.x / 2, offset.y / 2, offset.z / 2};
  return in_range(half) && std::visit(PlacesInRange(), edit::moved(edit, offset));
}
bool stays_in_range(const edit::VolumeEdit& edit, edit::EditPlace offset) {
  edit::EditPlace half = {offset.x / 2, offset.y / 2, offset.z / 2};
  const edit::VolumeEdit moved = edit::moved(edit, offset);
  return in_range(half) && in_range(moved.shape) && in_range(moved.mask_at);
}

}  // namespace

ScriptBuilder::ScriptBuilder(std::string text, std::filesystem::path path,
                             const edit::OnScriptError& on_error)
    : on_error_(on_error) {
  script_.text = std::move(text);
  script_.path = std::move(path);
}

template <class Step>
void ScriptBuilder::report_errors_of(const Step& step) const {
  try {
    step();
  } catch (const Error& error) {
    if (!on_error_) throw;
    on_error_(error);
  }
}

void ScriptBuilder::read_lines(const std::function<void(LineReader&)>& read_line) {
  check_is_text(script_.text, script_.path);
  for_each_line(script_.text, script_.path,
                [&](LineReader& line) { report_errors_of([&] { read_line(line); }); });
}

edit::Script ScriptBuilder::finish() {
  for (; is_repeating(); close_repeat())
    report_errors_of([&] { open_.back().line.fail(open_.back().word, "no 'end' follows this 'repeat'"); });
  return std::move(script_);
}

void ScriptBuilder::add(const LineReader& line, const Word& word, edit::Action action, uint32_t frame) {
  uint64_t runs = open_.empty() ? 1 : open_.back().runs;
  if (script_.total + runs > kMaxScriptCommands)
    line.fail(word,
              fmt::format("more than {} commands, with all repetitions", format_count(kMaxScriptCommands)));
  check_written(line, word);
  if (auto* edit = std::get_if<edit::Edit>(&action)) check_places(line, word, *edit);
  if (auto* edit = std::get_if<edit::VolumeEdit>(&action)) check_places(line, word, *edit);
  script_.total += runs;
  auto begin = static_cast<uint64_t>(word.at - script_.text.c_str());
  auto size = static_cast<uint32_t>(line.position() - word.at);
  script_.commands.push_back({line.number(), frame, begin, size, std::move(action)});
}

bool ScriptBuilder::is_full() const {
  return script_.commands.size() + script_.repeats.size() >= kMaxWrittenCommands;
}

bool ScriptBuilder::may_repeat() const {
  return open_.size() < kMaxScriptNesting && !is_full();
}

void ScriptBuilder::check_written(const LineReader& line, const Word& word) const {
  if (is_full())
    line.fail(word, fmt::format("more than {} commands in one file", format_count(kMaxWrittenCommands)),
              "use 'repeat', or split the script");
}

template <class AnyEdit>
void ScriptBuilder::check_places(const LineReader& line, const Word& word, const AnyEdit& edit) const {
  if (open_.empty()) return;  // reading a place has checked its range
  if (!stays_in_range(edit, open_.back().least) || !stays_in_range(edit, open_.back().most))
    line.fail(word, fmt::format("repeated, this moves beyond ±{} voxels", format_count(edit::kMaxEditPlace)));
}

// Neither the runs nor the offsets overflow, because a repetition's count is at most 10^7, its step and
// jitter are at most 2^29, and at most 16 repetitions are nested.
void ScriptBuilder::begin_repeat(const LineReader& line, const Word& word, const edit::Repeat& repeat) {
  if (open_.size() == kMaxScriptNesting)
    line.fail(word, fmt::format("more than {} nested repetitions", kMaxScriptNesting));
  check_written(line, word);
  Open inner{line, word, static_cast<uint32_t>(script_.repeats.size()), 1, {0, 0, 0}, {0, 0, 0}};
  if (!open_.empty()) {
    inner.runs = open_.back().runs;
    inner.least = open_.back().least;
    inner.most = open_.back().most;
  }
  inner.runs = std::min(inner.runs * repeat.count, kMaxScriptCommands + 1);
  edit::EditPlace last = repeat.step * (int64_t{repeat.count} - 1);
  auto below = [](int64_t v) { return std::min<int64_t>(v, 0); };
  auto above = [](int64_t v) { return std::max<int64_t>(v, 0); };
  inner.least = inner.least + edit::EditPlace{below(last.x), below(last.y), below(last.z)} - repeat.jitter;
  inner.most = inner.most + edit::EditPlace{above(last.x), above(last.y), above(last.z)} + repeat.jitter;
  open_.push_back(inner);
  script_.repeats.push_back(repeat);
  script_.repeats.back().line = line.number();
  script_.repeats.back().first = static_cast<uint32_t>(script_.commands.size());
}

void ScriptBuilder::end_repeat(const LineReader& line, const Word& word) {
  if (!is_repeating()) line.fail(word, "no 'repeat' is open");
  close_repeat();
}

void ScriptBuilder::close_repeat() {
  edit::Repeat& repeat = script_.repeats[open_.back().index];
  repeat.end = static_cast<uint32_t>(script_.commands.size());
  // Repetitions inside an empty one were removed before, so the empty one is the last.
  if (repeat.first == repeat.end) script_.repeats.pop_back();
  open_.pop_back();
}

std::filesystem::path ScriptBuilder::resolved(const Word& file) const {
  return (script_.path.parent_path() / std::filesystem::path(file.text)).lexically_normal();
}

uint32_t ScriptBuilder::scene_number(const Word& file) {
  std::filesystem::path path = resolved(file);
  auto next = static_cast<uint32_t>(script_.files.size() + 1);
  auto [known, is_new] = scene_numbers_.try_emplace(path.string(), next);
  if (is_new) script_.files.push_back(std::move(path));
  return known->second;
}

uint8_t ScriptBuilder::color_number(const LineReader& line, const Word& word, scene::Rgb8 color) {
  std::vector<scene::Rgb8>& colors = script_.colors;
  const auto known = std::ranges::find(colors, color);
  const auto index = static_cast<size_t>(known - colors.begin());
  if (index + 1 == scene::kPaletteSize)
    line.fail(
        word,
        fmt::format("{} is color {} of the script, which takes {}", in_quotes(word.text), index + 1, index),
        "split the script");
  if (known == colors.end()) colors.push_back(color);
  return static_cast<uint8_t>(index + 1);
}

namespace {

struct ArgText {
  std::string_view name, value;  // the value is empty for an argument that takes none
};

constexpr std::string_view kPlace = "x,y,z";

// The names of all arguments and their values as messages show them, in the order of Arg.
constexpr std::array<ArgText, static_cast<size_t>(Arg::Count)> kArgs = {{
    {"center", kPlace},     {"radius", "LENGTH"}, {"radii", kPlace},
    {"min", kPlace},        {"max", kPlace},      {"from", kPlace},
    {"to", kPlace},         {"noise", "LENGTH"},  {"grain", "VOXELS"},
    {"seed", "NUMBER"},     {"material", "0-15"}, {"with", "0-15"},
    {"at", kPlace},         {"seed", kPlace},     {"limit", "VOXELS"},
    {"steps", "NUMBER"},    {"in", "SHAPE"},      {"rotate", "x|y|z 90|180|270"},
    {"mirror", "x|y|z"},    {"skip-empty", ""},   {"keep-filled", ""},
    {"reach", "VOXELS"},    {"mask", "FILE"},     {"step", kPlace},
    {"jitter", "LENGTH"},   {"seed", "NUMBER"},   {"every", "EDITS"},
    {"threshold", "SHARE"}, {"never", ""},        {"budget", "TIME"},
}};

const ArgText& text_of(Arg arg) {
  return kArgs[static_cast<size_t>(arg)];
}

std::string with_value(Arg arg) {
  const ArgText& text = text_of(arg);
  return text.value.empty() ? std::string(text.name) : fmt::format("{} {}", text.name, text.value);
}

ArgumentSet arguments_of(edit::ShapeKind kind) {
  switch (kind) {
    case edit::ShapeKind::Sphere:
      return {Arg::Center, Arg::Radius, Arg::Noise, Arg::Grain, Arg::NoiseSeed};
    case edit::ShapeKind::Box:
      return {Arg::Min, Arg::Max, Arg::Noise, Arg::Grain, Arg::NoiseSeed};
    case edit::ShapeKind::Capsule:
    case edit::ShapeKind::Cylinder:
      return {Arg::From, Arg::To, Arg::Radius};
    case edit::ShapeKind::Ellipsoid:
      return {Arg::Center, Arg::Radii};
    case edit::ShapeKind::Everything:
      break;
  }
  return {};
}

}  // namespace

std::optional<edit::ShapeKind> shape_kind(std::string_view name) {
  for (size_t i = 0; i < std::size(kShapeNames); ++i)
    if (kShapeNames[i] == name) return static_cast<edit::ShapeKind>(i + 1);
  return std::nullopt;
}

ArgumentSet::ArgumentSet(std::initializer_list<Arg> allowed) {
  for (Arg arg : allowed) allowed_[index(arg)] = true;
}

std::optional<Arg> ArgumentSet::find(std::string_view name) const {
  for (size_t i = 0; i < kArgs.size(); ++i)
    if (allowed_[i] && kArgs[i].name == name) return static_cast<Arg>(i);
  return std::nullopt;
}

Arguments::Arguments(LineReader& line, const ValueReader& values, std::string title, ArgumentSet own,
                     edit::ShapeKind shape)
    : line_(line),
      values_(values),
      title_(std::move(title)),
      own_(own),
      of_shape_(arguments_of(shape)),
      kind_(shape) {
  read();
}

void Arguments::read() {
  while (auto name = line_.next()) {
    ArgumentSet& set = is_of_shape(*name) ? of_shape_ : own_;
    auto arg = set.find(name->text);
    if (!arg) fail_unknown(*name);
    if (arg == Arg::Rotate || arg == Arg::Mirror) {
      read_turn(*arg);
      continue;
    }
    if (set.has(*arg)) line_.fail(*name, fmt::format("'{}' is given twice", name->text));
    set.set(*arg, read_value(*name, *arg));
    if (arg == Arg::In) read_shape(set.word(Arg::In));
  }
}

Word Arguments::read_value(const Word& name, Arg arg) {
  const ArgText& text = text_of(arg);
  if (text.value.empty()) return name;
  const bool is_color = values_.takes_colors() && (arg == Arg::Material || arg == Arg::With);
  Word value = is_color ? line_.need_with_marks(fmt::format("#rrggbb behind '{}'", text.name))
                        : line_.need(fmt::format("{} behind '{}'", text.value, text.name));
  const bool commas = value.text.find(',') != std::string_view::npos && !value.text.ends_with(',');
  // A word without commas, or with one at its end, is a place written with blanks.
  if (text.value == kPlace && !commas) values_.fail_no_place(value);
  return value;
}

bool Arguments::is_of_shape(const Word& name) const {
  auto shapes = of_shape_.find(name.text), own = own_.find(name.text);
  if (!shapes || !own) return shapes.has_value();
  auto takes_place = [](Arg arg) { return text_of(arg).value == kPlace; };
  if (takes_place(*shapes) == takes_place(*own)) return !of_shape_.has(*shapes);
  auto value = line_.peek();
  bool place = value && value->text.find(',') != std::string_view::npos;
  return place == takes_place(*shapes);
}

void Arguments::read_shape(const Word& in) {
  auto kind = shape_kind(in.text);
  if (!kind)
    line_.fail(in,
               fmt::format("{} is no shape, expected sphere, box, capsule, cylinder or ellipsoid",
                           in_quotes(in.text)),
               did_you_mean(in.text, kShapeNames));
  kind_ = *kind;
  of_shape_ = arguments_of(kind_);
}

void Arguments::read_turn(Arg arg) {
  uint8_t axis = values_.axis(line_.need("an axis, x, y or z"));
  if (arg == Arg::Mirror) {
    turn_ = edit::followed_by(turn_, edit::mirror_image(axis));
    return;
  }
  Word angle = line_.need("an angle, 90, 180 or 270");
  uint32_t quarters = angle.text == "90" ? 1 : angle.text == "180" ? 2 : angle.text == "270" ? 3 : 0;
  if (quarters == 0)
    line_.fail(angle,
               fmt::format("{} is not an angle of rotation, expected 90, 180 or 270", in_quotes(angle.text)));
  for (uint32_t i = 0; i < quarters; ++i) turn_ = edit::followed_by(turn_, edit::quarter_turn(axis));
}

const Word& Arguments::need(Arg arg) const {
  return need(own_, arg);
}

const Word& Arguments::need(const ArgumentSet& set, Arg arg) const {
  if (!set.has(arg)) line_.fail_at_end(fmt::format("{} needs '{}'", title_, with_value(arg)));
  return set.word(arg);
}

edit::Shape Arguments::shape() const {
  edit::Shape shape{.kind = kind_};
  auto place = [&](Arg arg) { return values_.place(need(of_shape_, arg)); };
  switch (kind_) {
    case edit::ShapeKind::Sphere:
      shape.a = place(Arg::Center);
      shape.radius = values_.length(need(of_shape_, Arg::Radius));
      break;
    case edit::ShapeKind::Box:
      shape.a = place(Arg::Min);
      shape.b = place(Arg::Max);
      values_.check_order(need(of_shape_, Arg::Max), shape.a, shape.b);
      break;
    case edit::ShapeKind::Capsule:
    case edit::ShapeKind::Cylinder:
      shape.a = place(Arg::From);
      shape.b = place(Arg::To);
      shape.radius = values_.length(need(of_shape_, Arg::Radius));
      if (kind_ == edit::ShapeKind::Cylinder && shape.a == shape.b)
        line_.fail(need(of_shape_, Arg::To), "the cylinder has no axis: 'from' and 'to' are the same place");
      break;
    case edit::ShapeKind::Ellipsoid:
      shape.a = place(Arg::Center);
      shape.b = values_.radii(need(of_shape_, Arg::Radii));
      break;
    case edit::ShapeKind::Everything:
      break;
  }
  read_noise(shape);
  return shape;
}

void Arguments::read_noise(edit::Shape& shape) const {
  constexpr uint32_t kDefaultGrain = 8;
  for (Arg arg : {Arg::Grain, Arg::NoiseSeed})
    if (of_shape_.has(arg) && !of_shape_.has(Arg::Noise))
      line_.fail(of_shape_.word(arg),
                 fmt::format("'{}' has no effect without 'noise LENGTH'", text_of(arg).name));
  if (!of_shape_.has(Arg::Noise)) return;
  shape.roughness = values_.length(of_shape_.word(Arg::Noise));
  shape.grain = of_shape_.has(Arg::Grain) ? values_.grain(of_shape_.word(Arg::Grain)) : kDefaultGrain;
  if (of_shape_.has(Arg::NoiseSeed))
    shape.seed = static_cast<uint32_t>(values_.whole(of_shape_.word(Arg::NoiseSeed), 0, UINT32_MAX));
}

void Arguments::fail_unknown(const Word& name) const {
  std::vector<std::string_view> names;
  std::string expected;
  for (const ArgumentSet* set : {&of_shape_, &own_})
    for (size_t i = 0; i < kArgs.size(); ++i) {
      auto arg = static_cast<Arg>(i);
      if (!set->allows(arg)) continue;
      names.push_back(kArgs[i].name);
      bool again = arg == Arg::Rotate || arg == Arg::Mirror;
      if (again || !set->has(arg)) expected += (expected.empty() ? "" : ", ") + with_value(arg);
    }
  std::string rest = expected.empty() ? "the end of the line" : expected;
  line_.fail(name, fmt::format("{} is no argument of {}, expected {}", in_quotes(name.text), title_, rest),
             did_you_mean(name.text, names));
}

edit::Script read_script(const std::filesystem::path& path, const dag::VoxelScene& scene,
                         ReplayOptions replay, const edit::OnScriptError& on_error) {
  if (!is_replay_path(path)) return read_edit_script(path, frame_of(scene), on_error);
  if (scene.colors) throw Error("a recording names no 24-bit colors").at(path.string()).hint(kPaletteHint);
  replay.materials = scene.dag.materials;
  return read_replay_csv(path, replay, on_error);
}

}  // namespace vox
