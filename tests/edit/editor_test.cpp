// Compares whole scripts, with undo, snapshots and garbage collection, in passes of one edit or of many, with
// a loop over all voxels and a stack of whole grids.
#include "libvox/edit/editor.h"

#include <gtest/gtest.h>

#include <map>

#include "formats/script/scripts.h"
#include "libvox/base/error.h"
#include "libvox/dag/graft.h"
#include "libvox/edit/edit_session.h"
#include "libvox/hash/table_options.h"
#include "tests/common/test_engine.h"
#include "tests/edit/edited_scene.h"

namespace vox {
namespace {

// ---- the expected effect of a script ----------------------------------------------------------------------

struct State {
  Dense voxels;
  dag::FrozenDag dag;
};
using StateRef = std::shared_ptr<const State>;

// Runs commands one by one and keeps all states.
class NaiveEditor {
 public:
  NaiveEditor(std::vector<Dense> scenes, bool materials)
      : scenes_(std::move(scenes)), materials_(materials), done_{state_of(scenes_[0])} {}

  void run(const edit::Command& command) {
    std::visit([&](const auto& action) { perform(action); }, command.action);
  }
  void run(const edit::Script& script) {
    for (edit::ScriptCursor cursor(script); const auto command = cursor.next();) run(*command);
  }

  const State& state() const { return *done_.back(); }

  // Returns the items of all states that undo, redo and snapshots can reach, and of the other scenes.
  StateItems::Count items() const {
    StateItems items;
    for (const auto* states : {&done_, &undone_})
      for (const StateRef& state : *states) items.add(state->dag);
    for (const auto& [name, state] : snapshots_) items.add(state->dag);
    for (size_t i = 1; i < scenes_.size(); ++i) items.add(padded(scenes_[i]));
    return items.count();
  }
  std::vector<dag::Digest> others() const {
    std::vector<dag::Digest> digests;
    for (size_t i = 1; i < scenes_.size(); ++i) digests.push_back(padded(scenes_[i]).digest);
    return digests;
  }
  // Returns the items of the present state and of the other scenes.
  StateItems::Count items_now() const {
    StateItems items;
    items.add(state().dag);
    for (size_t i = 1; i < scenes_.size(); ++i) items.add(padded(scenes_[i]));
    return items.count();
  }

 private:
  StateRef state_of(const Dense& voxels) const {
    return std::make_shared<State>(State{voxels, reference_dag(voxels, voxels.side, materials_)});
  }
  // Returns a scene in the form of the store, with nodes above its root up to the height of the edited scene.
  dag::FrozenDag padded(const Dense& scene) const {
    return dense_dag(scenes_[0].side, materials_, [&](uint32_t x, uint32_t y, uint32_t z) {
      return voxel_or_empty(scene,
                            {static_cast<int32_t>(x), static_cast<int32_t>(y), static_cast<int32_t>(z)});
    });
  }

  void perform(const edit::VolumeEdit&) {}
  void perform(const edit::Edit& edit) {
    scenes_[0] = state().voxels;
    vox::apply(edit, scenes_, materials_);
    push(scenes_[0].voxels == state().voxels.voxels ? done_.back() : state_of(scenes_[0]));
  }
  void perform(const edit::Undo& undo) {
    for (uint32_t i = 0; i < undo.count && done_.size() > 1; ++i) {
      undone_.push_back(done_.back());
      done_.pop_back();
    }
  }
  void perform(const edit::Redo& redo) {
    for (uint32_t i = 0; i < redo.count && !undone_.empty(); ++i) {
      done_.push_back(undone_.back());
      undone_.pop_back();
    }
  }
  void perform(const edit::Snapshot& snapshot) { snapshots_[snapshot.name] = done_.back(); }
  void perform(const edit::Restore& restore) { push(snapshots_.at(restore.name)); }
  void perform(const edit::Collect&) {}
  void perform(const edit::CollectPolicy&) {}
  void perform(const edit::Save&) {}

  void push(StateRef state) {
    done_.push_back(std::move(state));
    undone_.clear();
  }

  std::vector<Dense> scenes_;
  bool materials_;
  std::vector<StateRef> done_, undone_;
  std::map<std::string, StateRef> snapshots_;
};

// ---- random scripts ---------------------------------------------------------------------------------------

// Returns a shape so small that several of them fit into a pass.
edit::Shape small_shape(Random& random, uint32_t resolution) {
  const Int3 at = random_corner(random, resolution);
  const edit::EditPlace center = {at.x * 256 + 128, at.y * 256 + 128, at.z * 256 + 128};
  const int64_t radius = random_length(random, 1 + resolution / 8);
  if (one_in(random, 2)) return {.kind = edit::ShapeKind::Sphere, .a = center, .radius = radius};
  return {.kind = edit::ShapeKind::Box, .a = center, .b = center + edit::EditPlace{radius, radius, radius}};
}

edit::Edit mostly_small_edit(Random& random, const std::vector<Dense>& scenes) {
  const uint32_t n = scenes[0].side;
  switch (random.below(16)) {
    case 0:
    case 1:
    case 2:
    case 3:
    case 4:
      return random_edit(random, scenes);
    case 5:
    case 6:
    case 7: {
      const Int3 size = {between(random, 1, 6), between(random, 1, 6), between(random, 1, 6)};
      edit::CopyEdit copy = random_copy(random, scenes);
      copy.source.max = copy.source.min + size;
      return copy;
    }
    case 8:
    case 9:
      return edit::MorphEdit{.shape = small_shape(random, n),
                             .mode = static_cast<edit::MorphMode>(random.below(3))};
    default:
      return edit::PaintEdit{
          .shape = small_shape(random, n),
          .mode = one_in(random, 3) ? static_cast<edit::PaintMode>(random.below(4)) : edit::PaintMode::Add,
          .material = random_material(random),
          .replaced = random_material(random)};
  }
}

std::string random_name(Random& random) {
  return std::string(1, static_cast<char>('a' + random.below(3)));
}

edit::CollectPolicy random_policy(Random& random) {
  edit::CollectPolicy policy;
  if (!one_in(random, 4)) {
    policy.trigger = edit::CollectTrigger{.when = static_cast<edit::CollectWhen>(random.below(3)),
                                          .every = 1 + random.below(6),
                                          .threshold = random.uniform(0, 0.6)};
  }
  if (one_in(random, 2)) policy.budget_ms = one_in(random, 2) ? 0 : 0.01;
  return policy;
}

// Returns a script whose first command is a policy, which a test may replace. The script has a file for each
// scene except the first.
edit::Script random_script(Random& random, const std::vector<Dense>& scenes, uint32_t commands) {
  edit::Script script;
  script.path = "random.txt";
  script.files.resize(scenes.size() - 1);
  const auto add = [&](edit::Action action) {
    const auto line = static_cast<uint32_t>(script.commands.size() + 1);
    script.commands.push_back({.line = line, .action = std::move(action)});
  };
  add(edit::CollectPolicy{});
  std::vector<std::string> names;
  for (uint32_t i = 0; i < commands; ++i) {
    const uint32_t kind = random.below(24);
    if (kind == 0)
      names.push_back(random_name(random)), add(edit::Snapshot{names.back()});
    else if (kind == 1 && !names.empty())
      add(edit::Restore{names[random.below(static_cast<uint32_t>(names.size()))]});
    else if (kind == 2 || kind == 3)
      add(edit::Undo{one_in(random, 9) ? 1000 : 1 + random.below(6)});
    else if (kind == 4)
      add(edit::Redo{one_in(random, 9) ? 1000 : 1 + random.below(6)});
    else if (kind == 5)
      add(edit::Collect{});
    else if (kind == 6)
      add(random_policy(random));
    else if (kind == 7)
      add(edit::Save{"saved.h5"});
    else
      add(mostly_small_edit(random, scenes));
  }
  const uint32_t first = 1 + random.below(commands), end = first + 1 + random.below(commands + 1 - first);
  const auto may_move = [](const edit::Command& command) {  // a fill's seed must stay in the grid
    const edit::Edit* edit = std::get_if<edit::Edit>(&command.action);
    return edit == nullptr || !std::holds_alternative<edit::FillEdit>(*edit);
  };
  if (std::all_of(script.commands.begin() + first, script.commands.begin() + end, may_move))
    script.repeats.push_back({.first = first,
                              .end = end,
                              .count = 2 + random.below(4),
                              .step = random_place(random, 8),
                              .jitter = {256, 0, 700},
                              .seed = random.below(100)});
  return script;
}

// ---- the comparison -------------------------------------------------------------------------------------

std::string script_text(const edit::Action& action) {
  if (const auto* edit = std::get_if<edit::Edit>(&action)) return std::visit(EditText(), *edit);
  if (const auto* undo = std::get_if<edit::Undo>(&action)) return "undo " + std::to_string(undo->count);
  if (const auto* redo = std::get_if<edit::Redo>(&action)) return "redo " + std::to_string(redo->count);
  if (const auto* snapshot = std::get_if<edit::Snapshot>(&action)) return "snapshot " + snapshot->name;
  if (const auto* restore = std::get_if<edit::Restore>(&action)) return "restore " + restore->name;
  if (std::holds_alternative<edit::Collect>(action)) return "gc";
  return std::holds_alternative<edit::Save>(action) ? "save" : "gc policy";
}

std::string script_text(const edit::Script& script) {
  std::string text;
  for (const edit::Command& command : script.commands)
    text += std::to_string(command.line) + ": " + script_text(command.action) + "\n";
  for (const edit::Repeat& repeat : script.repeats)
    text += "commands " + std::to_string(repeat.first) + " – " + std::to_string(repeat.end) + " " +
            std::to_string(repeat.count) + " times\n";
  return text;
}

// The expected results at each save of a script and at its end.
struct Expected {
  std::vector<dag::Digest> saved;
  dag::FrozenDag end;
  StateItems::Count items;  // without former states
  std::vector<dag::Digest> others;
};

Expected expected_of(const edit::Script& script, const std::vector<Dense>& scenes, bool materials) {
  NaiveEditor naive(scenes, materials);
  Expected expected;
  for (edit::ScriptCursor cursor(script); const auto command = cursor.next();) {
    naive.run(*command);
    if (std::holds_alternative<edit::Save>(command->action))
      expected.saved.push_back(naive.state().dag.digest);
  }
  expected.end = naive.state().dag;
  expected.items = naive.items_now();
  expected.others = naive.others();
  return expected;
}

struct Session {
  std::unique_ptr<edit::EditSession> session;
  std::vector<edit::EditorScene> others;
};

Session session_of(Engine& engine, const std::vector<Dense>& scenes, bool materials) {
  Session result;
  result.session = edit::make_edit_session(engine.handle(), engine.table(),
                                           reference_dag(scenes[0], scenes[0].side, materials));
  for (size_t i = 1; i < scenes.size(); ++i)
    result.others.push_back(
        {result.session->add_scene(reference_dag(scenes[i], scenes[i].side, materials)), scenes[i].side});
  return result;
}

void expect_result(Engine& engine, const std::vector<Dense>& scenes, bool materials,
                   const edit::Script& script, uint32_t batch, const Expected& expected) {
  const auto [session, others] = session_of(engine, scenes, materials);
  std::vector<dag::Digest> saved;
  uint64_t edits = 0;
  edit::Editor* running = nullptr;
  edit::Editor editor(
      *session, script, others, {.batch = batch},
      {.pass =
           [&](const edit::PassRecord& pass) {
             ASSERT_LE(pass.edits, batch);
             ASSERT_LE(pass.work.leaves.inserted, pass.work.leaves.distinct);
             edits += pass.edits;
           },
       .save = [&](const edit::Save&, const edit::Command&) { saved.push_back(running->freeze().digest); }});
  running = &editor;
  editor.run();
  uint64_t expected_edits = 0;
  for (edit::ScriptCursor cursor(script); const auto command = cursor.next();)
    expected_edits += std::holds_alternative<edit::Edit>(command->action) ? 1 : 0;
  ASSERT_EQ(edits, expected_edits);
  ASSERT_EQ(saved, expected.saved);
  const dag::FrozenDag end = editor.freeze();
  ASSERT_NO_THROW(dag::verify(end));
  ASSERT_EQ(end.digest, expected.end.digest) << difference(to_dense(end), to_dense(expected.end));
  for (size_t l = 0; l < end.levels.size(); ++l) ASSERT_EQ(end.levels[l].words, expected.end.levels[l].words);
  session->collect({});
  ASSERT_GE(session->items(), expected.items.least);
  ASSERT_LE(session->items(), expected.items.most);
  ASSERT_EQ(session->freeze().digest, expected.end.digest);
  for (uint32_t i = 0; i < others.size(); ++i) {  // the other scenes must be intact, too
    const edit::Edit clear =
        edit::PaintEdit{.shape = {.kind = edit::ShapeKind::Everything}, .mode = edit::PaintMode::Remove};
    const edit::Edit unite = edit::CombineEdit{.scene = others[i].number, .mode = edit::CombineMode::Union};
    session->apply({&clear, 1});
    session->apply({&unite, 1});
    ASSERT_EQ(session->freeze().digest, expected.others[i]);
  }
}

constexpr Scripts kEditorPlans[] = {{4, 30, 30},  {5, 16, 30}, {8, 24, 30},
                                    {16, 18, 30}, {32, 8, 24}, {64, 1, 16}};

std::vector<Dense> random_scenes(Random& random, uint32_t resolution, bool materials) {
  std::vector<Dense> scenes = {random_scene(random, resolution, materials)};
  for (uint32_t brush = 0; brush < 2; ++brush)
    scenes.push_back(random_scene(random, std::max<uint32_t>(4, random.below(resolution)), materials));
  return scenes;
}

void check_random_scripts(const Scripts& plan, uint64_t first_seed) {
  const QuietLog quiet;  // undo and redo beyond the ends warn
  const std::vector<std::string> tables = hash::table_names();
  std::map<std::string, std::unique_ptr<Engine>> engines;  // of each table
  const uint32_t scripts = test_on_gpu() ? (plan.scripts + 3) / 4 : plan.scripts * kThoroughness;
  for (uint32_t number = 0; number < scripts; ++number) {
    Random random(first_seed * 1000003 + plan.resolution * 10007 + number);
    const bool materials = !one_in(random, 4);
    const std::vector<Dense> scenes = random_scenes(random, plan.resolution, materials);
    edit::Script script = random_script(random, scenes, plan.edits);
    const Expected expected = expected_of(script, scenes, materials);
    std::vector<uint32_t> batches = {1, 2, 16};
    if (test_on_gpu()) batches = {batches[number % 3]};
    for (const uint32_t batch : batches) {
      script.commands[0].action = random_policy(random);
      const std::string& table = tables[random.below(static_cast<uint32_t>(tables.size()))];
      SCOPED_TRACE("resolution " + std::to_string(plan.resolution) + ", script " + std::to_string(number) +
                   ", batches of " + std::to_string(batch) + ", table " + table + "\n" + script_text(script));
      std::unique_ptr<Engine>& engine = engines[table];
      if (engine == nullptr) engine = test_engine({.table = table});
      expect_result(*engine, scenes, materials, script, batch, expected);
      if (testing::Test::HasFatalFailure()) return;
    }
  }
}

class EditorScripts : public testing::TestWithParam<Scripts> {};

TEST_P(EditorScripts, LeaveTheSameWhateverTheBatchesAndWheneverGarbageIsCollected) {
  check_random_scripts(GetParam(), 1);
}

INSTANTIATE_TEST_SUITE_P(All, EditorScripts, testing::ValuesIn(kEditorPlans),
                         [](const testing::TestParamInfo<Scripts>& info) {
                           return "Resolution" + std::to_string(info.param.resolution);
                         });

// Few edits touch a part of the scene. It is edited alone and put back.
TEST(Editor, ScriptsOnAPartOfTheSceneLeaveTheSame) {
  const QuietLog quiet;
  const auto engine = test_engine();
  uint32_t parts = 0, several = 0;
  for (uint32_t number = 0; number < cases_on_device(6 * kThoroughness); ++number) {
    Random random(number + 77);
    const uint32_t resolution = 30 + random.below(70);
    const bool materials = !one_in(random, 4);
    const std::vector<Dense> scenes = random_scenes(random, resolution, materials);
    const edit::Script script = random_script(random, scenes, 1 + random.below(3));
    SCOPED_TRACE(script_text(script));
    const Expected expected = expected_of(script, scenes, materials);
    std::vector<dag::VoxelScene> others(scenes.size() - 1);
    for (size_t i = 0; i < others.size(); ++i) others[i].dag.resolution = scenes[i + 1].side;
    const VoxelRegion touched = edit::touched_region(script, others, resolution);
    several += touched.size() > 1 ? 1 : 0;
    const dag::Graft graft(std::make_shared<dag::FrozenDag>(reference_dag(scenes[0], resolution, materials)),
                           touched.empty() ? VoxelRegion{cube_at({0, 0, 0}, dag::kLeafSide)} : touched);
    parts += graft.part().voxels < expected.end.voxels ? 1 : 0;
    const auto session = edit::make_edit_session(engine->handle(), engine->table(), graft.part());
    std::vector<edit::EditorScene> brushes;
    for (size_t i = 1; i < scenes.size(); ++i)
      brushes.push_back(
          {session->add_scene(reference_dag(scenes[i], scenes[i].side, materials)), scenes[i].side});
    edit::Editor editor(*session, script, brushes, {}, {});
    editor.run();
    const dag::FrozenDag end = graft.with(editor.freeze());
    ASSERT_EQ(end.digest, expected.end.digest) << difference(to_dense(end), to_dense(expected.end));
    ASSERT_EQ(end.voxels, expected.end.voxels);
    ASSERT_NO_THROW(dag::verify(end));
  }
  EXPECT_GT(parts, 0u);
  EXPECT_GT(several, 0u);
}

// An undo at the end may need any state, so all of them must be kept.
TEST(Editor, CollectingGarbageLeavesExactlyTheItemsOfTheStatesThatCanBeReturnedTo) {
  const QuietLog quiet;
  const auto engine = test_engine();
  for (uint32_t number = 0; number < cases_on_device(6 * kThoroughness); ++number) {
    Random random(number);
    const uint32_t resolution = 4 + random.below(14);
    const std::vector<Dense> scenes = random_scenes(random, resolution, true);
    edit::Script script = random_script(random, scenes, 20);
    script.commands.push_back({.line = 98, .action = edit::Undo{1000}});
    script.commands.push_back({.line = 99, .action = edit::Collect{}});
    SCOPED_TRACE(script_text(script));
    const Session made = session_of(*engine, scenes, true);
    NaiveEditor naive(scenes, true);
    uint32_t collections = 0;
    edit::Editor editor(*made.session, script, made.others, {}, {.done = [&](const edit::Command& command) {
      naive.run(command);
      if (!std::holds_alternative<edit::Collect>(command.action)) return;
      ++collections;
      ASSERT_GE(made.session->items(), naive.items().least) << "line " << command.line;
      ASSERT_LE(made.session->items(), naive.items().most) << "line " << command.line;
    }});
    editor.run();
    EXPECT_GT(collections, 0u);
    if (HasFatalFailure()) return;
  }
}

}  // namespace
}  // namespace vox
