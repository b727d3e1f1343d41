#include "formats/script/scripts.h"

#include <gtest/gtest.h>

#include "libvox/edit/edit.h"
#include "tests/formats/mesh/mesh_checks.h"

namespace vox {
namespace {

constexpr SceneFrame kVoxels;

edit::Script parsed(const std::string& text, const SceneFrame& frame = kVoxels) {
  return parse_edit_script(text, "scripts/a.txt", frame);
}

// Returns the action of a script with a single command.
edit::Action action(const std::string& text, const SceneFrame& frame = kVoxels) {
  edit::Script script = parsed(text, frame);
  EXPECT_EQ(script.commands.size(), 1u) << text;
  return script.commands.at(0).action;
}

template <class Kind>
Kind edit(const std::string& text, const SceneFrame& frame = kVoxels) {
  edit::Action done = action(text, frame);
  const edit::Edit* found = std::get_if<edit::Edit>(&done);
  if (!found || !std::holds_alternative<Kind>(*found)) {
    ADD_FAILURE() << "another kind of edit: " << text;
    return {};
  }
  return std::get<Kind>(*found);
}

edit::EditPlace voxels(int64_t x, int64_t y, int64_t z) {
  return edit::EditPlace{x, y, z} * edit::kEditUnits;
}

edit::Shape sphere(edit::EditPlace center, int64_t radius) {
  return {.kind = edit::ShapeKind::Sphere, .a = center, .radius = radius * edit::kEditUnits};
}
edit::Shape box(edit::EditPlace min, edit::EditPlace max) {
  return {.kind = edit::ShapeKind::Box, .a = min, .b = max};
}

const edit::Shape kSphere = sphere(voxels(1, 2, 3), 4);
const std::string kSphereArguments = " center 1,2,3 radius 4";

TEST(EditScript, EveryShapeTakesEveryMode) {
  struct Row {
    std::string name, arguments;
    edit::Shape shape;
  };
  edit::EditPlace a = voxels(1, 2, 3), b = voxels(4, 5, 6);
  for (const Row& row :
       {Row{"sphere", kSphereArguments, kSphere}, Row{"box", " min 1,2,3 max 4,5,6", box(a, b)},
        Row{"capsule",
            " from 1,2,3 to 4,5,6 radius 2",
            {.kind = edit::ShapeKind::Capsule, .a = a, .b = b, .radius = 512}},
        Row{"cylinder",
            " from 1,2,3 to 4,5,6 radius 2",
            {.kind = edit::ShapeKind::Cylinder, .a = a, .b = b, .radius = 512}},
        Row{"ellipsoid",
            " center 1,2,3 radii 4,5,6",
            {.kind = edit::ShapeKind::Ellipsoid, .a = a, .b = b}}}) {
    EXPECT_EQ(edit<edit::PaintEdit>(row.name + " add" + row.arguments + " material 9"),
              (edit::PaintEdit{row.shape, edit::PaintMode::Add, 9, 0}));
    EXPECT_EQ(edit<edit::PaintEdit>(row.name + " remove" + row.arguments),
              (edit::PaintEdit{row.shape, edit::PaintMode::Remove, 0, 0}));
    EXPECT_EQ(edit<edit::PaintEdit>("clear " + row.name + row.arguments),
              (edit::PaintEdit{row.shape, edit::PaintMode::Remove, 0, 0}));
    EXPECT_EQ(edit<edit::PaintEdit>(row.name + " paint" + row.arguments + " material 9"),
              (edit::PaintEdit{row.shape, edit::PaintMode::Paint, 9, 0}));
    edit::PaintEdit replace = {row.shape, edit::PaintMode::Replace, 7, 3};
    EXPECT_EQ(edit<edit::PaintEdit>(row.name + " replace material 3 with 7" + row.arguments), replace);
    EXPECT_EQ(edit<edit::PaintEdit>("replace material 3 with 7 in " + row.name + row.arguments), replace);
    EXPECT_EQ(edit<edit::MorphEdit>("erode in " + row.name + row.arguments),
              (edit::MorphEdit{row.shape, edit::MorphMode::Erode, 1}));
  }
}

TEST(EditScript, ArgumentsStandInAnyOrder) {
  edit::PaintEdit expected = {kSphere, edit::PaintMode::Add, 5, 0};
  for (const char* text :
       {"sphere add center 1,2,3 radius 4 material 5", "sphere add material 5 radius 4 center 1,2,3",
        "sphere add radius 4 material 5 center 1,2,3", "\tsphere  add\tradius 4 material 5 center 1,2,3  "})
    EXPECT_EQ(edit<edit::PaintEdit>(text), expected);
  EXPECT_EQ(edit<edit::PaintEdit>("replace in sphere center 1,2,3 with 7 radius 4 material 3"),
            (edit::PaintEdit{kSphere, edit::PaintMode::Replace, 7, 3}));
}

TEST(EditScript, WithoutAShapeEverythingIsMeant) {
  EXPECT_EQ(edit<edit::PaintEdit>("clear"), (edit::PaintEdit{{}, edit::PaintMode::Remove, 0, 0}));
  EXPECT_EQ(edit<edit::PaintEdit>("replace material 1 with 2"),
            (edit::PaintEdit{{}, edit::PaintMode::Replace, 2, 1}));
  EXPECT_EQ(edit<edit::MorphEdit>("smooth"), (edit::MorphEdit{{}, edit::MorphMode::Smooth, 1}));
  EXPECT_EQ(edit<edit::FillEdit>("fill seed 1,2,3 material 4"),
            (edit::FillEdit{{1, 2, 3}, 4, {}, UINT64_MAX}));
}

TEST(EditScript, SpheresAndBoxesMayBeRough) {
  edit::Shape rough = kSphere;
  rough.roughness = 640, rough.grain = 16, rough.seed = 4000000000;
  EXPECT_EQ(
      edit<edit::PaintEdit>("sphere remove center 1,2,3 seed 4000000000 radius 4 grain 16 noise 2.5").shape,
      rough);
  edit::Shape plain = box(voxels(0, 0, 0), voxels(9, 9, 9));
  plain.roughness = 256, plain.grain = 8;
  EXPECT_EQ(edit<edit::PaintEdit>("box remove min 0,0,0 max 9,9,9 noise 1").shape, plain);
}

TEST(EditScript, MorphsTakeSteps) {
  EXPECT_EQ(edit<edit::MorphEdit>("dilate steps 12 in sphere" + kSphereArguments),
            (edit::MorphEdit{kSphere, edit::MorphMode::Dilate, 12}));
  EXPECT_EQ(edit<edit::MorphEdit>("dilate in sphere" + kSphereArguments + " steps 12"),
            (edit::MorphEdit{kSphere, edit::MorphMode::Dilate, 12}));
}

TEST(EditScript, TheSeedOfAFillHasCommasAndThatOfNoiseHasNone) {
  edit::Shape rough = kSphere;
  rough.roughness = 256, rough.grain = 8, rough.seed = 99;
  edit::FillEdit expected = {{7, -8, 9}, 2, rough, 1000};
  for (const char* text :
       {"fill seed 7,-8,9 material 2 limit 1000 in sphere center 1,2,3 radius 4 noise 1 seed 99",
        "fill in sphere center 1,2,3 radius 4 noise 1 seed 99 seed 7,-8,9 material 2 limit 1000",
        "fill in sphere seed 7,-8,9 seed 99 center 1,2,3 limit 1000 radius 4 noise 1 material 2"})
    EXPECT_EQ(edit<edit::FillEdit>(text), expected) << text;
}

TEST(EditScript, ACopyTurnsInTheOrderWritten) {
  edit::CopyEdit expected = {.source = {{10, 20, 30}, {90, 91, 92}}, .to = {200, -10, 0}};
  EXPECT_EQ(edit<edit::CopyEdit>("copy min 10,20,30 max 90,91,92 to 200,-10,0"), expected);
  expected.turn = edit::followed_by(edit::quarter_turn(2), edit::mirror_image(0));
  EXPECT_EQ(edit<edit::CopyEdit>("copy rotate z 90 min 10,20,30 max 90,91,92 mirror x to 200,-10,0"),
            expected);
  expected.turn = edit::followed_by(edit::mirror_image(0), edit::quarter_turn(2));
  EXPECT_NE(expected.turn, edit::followed_by(edit::quarter_turn(2), edit::mirror_image(0)));
  EXPECT_EQ(edit<edit::CopyEdit>("copy mirror x rotate z 90 min 10,20,30 max 90,91,92 to 200,-10,0"),
            expected);
  edit::Turn y = edit::quarter_turn(1);
  expected.turn = edit::followed_by(y, edit::followed_by(y, y));
  EXPECT_EQ(edit<edit::CopyEdit>("copy min 10,20,30 max 90,91,92 to 200,-10,0 rotate y 270"), expected);
}

TEST(EditScript, ACopyIsLimitedByWhatItLeavesAndByAShape) {
  edit::CopyEdit expected = {.source = {{0, 0, 0}, {9, 9, 9}}, .to = {5, 5, 5}};
  expected.skip_empty = true;
  EXPECT_EQ(edit<edit::CopyEdit>("copy min 0,0,0 max 9,9,9 skip-empty to 5,5,5"), expected);
  expected.keep_filled = true;
  expected.within = box(voxels(1, 1, 1), voxels(8, 8, 8));
  EXPECT_EQ(edit<edit::CopyEdit>(
                "copy min 0,0,0 max 9,9,9 to 5,5,5 skip-empty keep-filled in box min 1,1,1 max 8,8,8"),
            expected);
  EXPECT_EQ(edit<edit::CopyEdit>(
                "copy in box min 1,1,1 max 8,8,8 keep-filled min 0,0,0 to 5,5,5 max 9,9,9 skip-empty"),
            expected);
}

TEST(EditScript, OtherScenesAreNumberedAndFoundFromTheScriptsFolder) {
  edit::Script script = parsed(
      "stamp tree.h5 at 1,2,3 rotate x 180 skip-empty\n"
      "union \"a b/../c #1.h5\"\n"
      "subtract ./tree.h5 at 5,5,5\n"
      "intersect /data/x.h5\n");
  ASSERT_EQ(script.files.size(), 3u);
  EXPECT_EQ(script.files[0], "scripts/tree.h5");
  EXPECT_EQ(script.files[1], "scripts/c #1.h5");
  EXPECT_EQ(script.files[2], "/data/x.h5");
  edit::Turn x = edit::quarter_turn(0);
  edit::CopyEdit stamp = {.scene = 1, .turn = edit::followed_by(x, x), .to = {1, 2, 3}, .skip_empty = true};
  EXPECT_EQ(script.commands[0].action, edit::Action(edit::Edit(stamp)));
  EXPECT_EQ(script.commands[1].action,
            edit::Action(edit::Edit(edit::CombineEdit{2, edit::CombineMode::Union, {0, 0, 0}})));
  EXPECT_EQ(script.commands[2].action,
            edit::Action(edit::Edit(edit::CombineEdit{1, edit::CombineMode::Subtract, {5, 5, 5}})));
  EXPECT_EQ(script.commands[3].action,
            edit::Action(edit::Edit(edit::CombineEdit{3, edit::CombineMode::Intersect, {0, 0, 0}})));
}

TEST(EditScript, HistoryGarbageAndFilesHaveTheirCommands) {
  EXPECT_EQ(action("undo"), edit::Action(edit::Undo{1}));
  EXPECT_EQ(action("undo 12"), edit::Action(edit::Undo{12}));
  EXPECT_EQ(action("redo 3"), edit::Action(edit::Redo{3}));
  edit::Script script = parsed("snapshot a\nsnapshot \"b c\"\nrestore a\nrestore \"b c\"");
  EXPECT_EQ(script.commands[1].action, edit::Action(edit::Snapshot{"b c"}));
  EXPECT_EQ(script.commands[3].action, edit::Action(edit::Restore{"b c"}));
  EXPECT_EQ(action("save out.h5"), edit::Action(edit::Save{"scripts/out.h5"}));
  EXPECT_EQ(action("gc"), edit::Action(edit::Collect{}));
  using Trigger = edit::CollectTrigger;
  EXPECT_EQ(action("gc every 50"),
            edit::Action(edit::CollectPolicy{Trigger{edit::CollectWhen::Every, 50, 0}, {}}));
  EXPECT_EQ(action("gc threshold 20%"),
            edit::Action(edit::CollectPolicy{Trigger{edit::CollectWhen::Threshold, 0, 0.2}, {}}));
  EXPECT_EQ(action("gc threshold 0.25"),
            edit::Action(edit::CollectPolicy{Trigger{edit::CollectWhen::Threshold, 0, 0.25}, {}}));
  EXPECT_EQ(action("gc never"), edit::Action(edit::CollectPolicy{Trigger{}, {}}));
  EXPECT_EQ(action("gc budget 2ms"), edit::Action(edit::CollectPolicy{{}, 2.0}));
  EXPECT_EQ(action("gc budget 500us every 3"),
            edit::Action(edit::CollectPolicy{Trigger{edit::CollectWhen::Every, 3, 0}, 0.5}));
}

TEST(EditScript, UnitsOfTheSceneArePlacedInItsFrame) {
  SceneFrame frame{.origin = {-10, 0, 100}, .voxel_size = 0.25};
  std::string units = "units scene\n";
  EXPECT_EQ(edit<edit::PaintEdit>(units + "sphere remove center -9,1,100.5 radius 2", frame).shape,
            sphere(voxels(4, 4, 2), 8));
  EXPECT_EQ(edit<edit::PaintEdit>(units + "ellipsoid remove center -10,0,100 radii 1,0,0.25", frame).shape.b,
            voxels(4, 0, 1));
  edit::CopyEdit copy =
      edit<edit::CopyEdit>(units + "copy min -10,0,100 max -9.1,0.37,100.4 to -10.1,-0.124,100.125", frame);
  EXPECT_EQ(copy.source, (VoxelBox{{0, 0, 0}, {4, 1, 2}}));  // 3.6, 1.48 and 1.6 voxels
  EXPECT_EQ(copy.to, (Int3{0, 0, 1}));                       // -0.4, -0.496 and 0.5
  edit::Shape rough =
      edit<edit::PaintEdit>(units + "sphere remove center 0,0,0 radius 1 noise 0.5 grain 2", frame).shape;
  EXPECT_EQ(rough.roughness, 512);
  EXPECT_EQ(rough.grain, 8u);
  rough =
      edit<edit::PaintEdit>(units + "sphere remove center 0,0,0 radius 1 noise 0.5 grain 0.1", frame).shape;
  EXPECT_EQ(rough.grain, 1u);  // 0.4 voxels
  edit::Script script =
      parsed(units + "repeat 2 step 0.5,0,-1 jitter 0.25\nclear\nend\nunits voxels\nsphere remove" +
                 kSphereArguments,
             frame);
  EXPECT_EQ(script.repeats[0].step, voxels(2, 0, -4));
  EXPECT_EQ(script.repeats[0].jitter, voxels(1, 1, 1));
  EXPECT_EQ(script.commands[1].action,
            edit::Action(edit::Edit(edit::PaintEdit{kSphere, edit::PaintMode::Remove, 0, 0})));
}

TEST(EditScript, AWorldPlaceIsRoundedHalvesAwayFromZero) {
  SceneFrame frame{.origin = {0, 0, 0}, .voxel_size = 2};
  // ±1/256 and ±0.98/256 world units are half of a 256th of a voxel, and slightly less.
  edit::Shape shape =
      edit<edit::PaintEdit>("units scene\nsphere remove center 0.00390625,-0.00390625,0.0038 radius 0", frame)
          .shape;
  EXPECT_EQ(shape.a, (edit::EditPlace{1, -1, 0}));
}

TEST(EditScript, WithoutMaterialsTheyAreLeftOutOrZero) {
  SceneFrame frame{.materials = false};
  edit::PaintEdit expected = {kSphere, edit::PaintMode::Add, 0, 0};
  EXPECT_EQ(edit<edit::PaintEdit>("sphere add" + kSphereArguments, frame), expected);
  EXPECT_EQ(edit<edit::PaintEdit>("sphere add material 0" + kSphereArguments, frame), expected);
  EXPECT_EQ(edit<edit::FillEdit>("fill seed 1,2,3", frame), (edit::FillEdit{{1, 2, 3}, 0, {}, UINT64_MAX}));
}

TEST(EditScript, CommandsKeepTheirLineAndText) {
  edit::Script script = parsed(
      "\xef\xbb\xbf# a comment\r\n\r\n  undo 2   # two\r\n\tclear# all\rsave \"x # y.h5\" #\n\n"
      "repeat 2\nredo\nend");
  ASSERT_EQ(script.commands.size(), 4u);
  EXPECT_EQ(edit::source_text(script, script.commands[0]), "undo 2");
  EXPECT_EQ(edit::source_text(script, script.commands[1]), "clear");
  EXPECT_EQ(edit::source_text(script, script.commands[2]), "save \"x # y.h5\"");
  EXPECT_EQ(edit::source_text(script, script.commands[3]), "redo");
  EXPECT_EQ(script.commands[0].line, 3u);
  EXPECT_EQ(script.commands[1].line, 4u);
  EXPECT_EQ(script.commands[2].line, 5u);
  EXPECT_EQ(edit::location(script, script.commands[3]), "scripts/a.txt:8");
}

TEST(EditScript, RepetitionsAreKeptAsWritten) {
  edit::Script script = parsed(
      "repeat 10 step 1,2.5,-3 jitter 1,0,2 seed 18446744073709551615\n"
      "  repeat 5\n"
      "    undo\n"
      "    repeat 1000\n    end\n"
      "  end\n"
      "  clear\n"
      "end\n"
      "redo\n");
  EXPECT_EQ(script.commands.size(), 3u);
  EXPECT_EQ(script.total, 10u * 5 + 10 + 1);
  ASSERT_EQ(script.repeats.size(), 2u);  // the third one is empty
  const edit::Repeat& outer = script.repeats[0];
  EXPECT_EQ(outer.line, 1u);
  EXPECT_EQ(outer.first, 0u);
  EXPECT_EQ(outer.end, 2u);
  EXPECT_EQ(outer.count, 10u);
  EXPECT_EQ(outer.step, (edit::EditPlace{256, 640, -768}));
  EXPECT_EQ(outer.jitter, voxels(1, 0, 2));
  EXPECT_EQ(outer.seed, UINT64_MAX);
  EXPECT_EQ(script.repeats[1].end, 1u);
  uint64_t run = 0;
  for (edit::ScriptCursor cursor(script); cursor.next();) ++run;
  EXPECT_EQ(run, script.total);
}

TEST(EditScript, TenMillionCommandsAreKeptInAFewLines) {
  std::string text = "repeat 1000\nrepeat 100\nrepeat 100 step 1,0,0\nundo\nend\nend\nend\n";
  EXPECT_EQ(parsed(text).total, 10'000'000u);
  EXPECT_EQ(parsed(text).commands.size(), 1u);
}

TEST(EditScript, AFileIsReadAsItsTextIs) {
  TestFolder folder;
  edit::Script script = read_edit_script(folder.write("sub/a.txt", "save b.h5"), kVoxels);
  EXPECT_EQ(std::get<edit::Save>(script.commands.at(0).action).path, folder.path() / "sub/b.h5");
  EXPECT_EQ(read_edit_script(folder.write("c.txt", "# nothing\n"), kVoxels).total, 0u);
}

TEST(EditScript, TheExampleOfTheHelpIsAScript) {
  std::string help(edit_script_help());
  edit::Script script = parsed(help.substr(help.find("EXAMPLE\n") + 8));
  EXPECT_EQ(script.total, 105u);
}

TEST(EditScript, TheFrameIsTheScenes) {
  dag::VoxelScene scene;
  scene.origin = {1, 2, 3}, scene.voxel_size = 4, scene.dag = dag::empty_dag(64, false);
  SceneFrame frame = frame_of(scene);
  EXPECT_EQ(frame.origin, scene.origin);
  EXPECT_EQ(frame.voxel_size, 4);
  EXPECT_FALSE(frame.materials);
}

}  // namespace
}  // namespace vox
