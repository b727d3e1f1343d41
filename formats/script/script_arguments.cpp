#include "formats/script/script_arguments.h"

#include <fmt/format.h>

#include <utility>
#include <vector>

#include "libvox/base/nearest_word.h"
#include "libvox/edit/turn.h"

namespace vox {
namespace {

struct ArgText {
  std::string_view name, value;  // the value is empty for an argument that takes none
};

constexpr std::string_view kPlace = "x,y,z";

// The names of all arguments and their values as messages show them, in the order of Arg.
constexpr std::array<ArgText, static_cast<size_t>(Arg::Count)> kArgs = {{
    {"center", kPlace},  {"radius", "LENGTH"},   {"radii", kPlace},
    {"min", kPlace},     {"max", kPlace},        {"from", kPlace},
    {"to", kPlace},      {"noise", "LENGTH"},    {"grain", "VOXELS"},
    {"seed", "NUMBER"},  {"material", "0-15"},   {"with", "0-15"},
    {"at", kPlace},      {"seed", kPlace},       {"limit", "VOXELS"},
    {"steps", "NUMBER"}, {"in", "SHAPE"},        {"rotate", "x|y|z 90|180|270"},
    {"mirror", "x|y|z"}, {"skip-empty", ""},     {"keep-filled", ""},
    {"step", kPlace},    {"jitter", "LENGTH"},   {"seed", "NUMBER"},
    {"every", "EDITS"},  {"threshold", "SHARE"}, {"never", ""},
    {"budget", "TIME"},
}};

const ArgText& text_of(Arg arg) {
  return kArgs[static_cast<size_t>(arg)];
}

std::string with_value(Arg arg) {
  const ArgText& text = text_of(arg);
  return text.value.empty() ? std::string(text.name) : fmt::format("{} {}", text.name, text.value);
}

constexpr std::string_view kShapeNames[] = {"sphere", "box", "capsule", "cylinder", "ellipsoid"};

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
  Word value = line_.need(fmt::format("{} behind '{}'", text.value, text.name));
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

}  // namespace vox
