// Runs scripts without enough memory. The tests check the editor's behavior when an edit fails, and that
// edits fail when a device runs out of memory. They find the sufficient amount themselves.
#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <map>
#include <optional>

#include "formats/script/scripts.h"
#include "libvox/base/error.h"
#include "libvox/base/process.h"
#include "libvox/edit/content.h"
#include "libvox/edit/edit_session.h"
#include "libvox/edit/editor.h"
#include "libvox/hash/table_options.h"
#include "tests/common/test_engine.h"
#include "tests/edit/edited_scene.h"

namespace vox {
namespace {

// ---- edits that fail when they are told to --------------------------------------------------------------

// A session whose edits run out of memory when their work is nearly done.
class FailingSession final : public edit::EditSession {
 public:
  FailingSession(edit::EditSession& session, std::vector<uint32_t> failing)
      : session_(session), failing_(std::move(failing)) {}

  edit::EditWork apply(std::span<const edit::Edit> edits) override {
    const edit::EditWork work = session_.apply(edits);
    ++applied_;
    if (std::count(failing_.begin(), failing_.end(), applied_) > 0) throw OutOfMemory(100, 10);
    return work;
  }
  edit::EditWork apply_in_pieces(const edit::Edit& edit) override { return apply({&edit, 1}); }
  uint32_t applied() const { return applied_; }

  uint32_t resolution() const override { return session_.resolution(); }
  bool materials() const override { return session_.materials(); }
  uint32_t add_scene(const dag::FrozenDag& dag) override { return session_.add_scene(dag); }
  edit::SceneState state() const override { return session_.state(); }
  void set_state(edit::SceneState state) override { session_.set_state(state); }
  edit::StoredDag stored() const override { return session_.stored(); }
  dag::FrozenDag freeze() override { return session_.freeze(); }
  edit::StoreSize size() const override { return session_.size(); }
  uint64_t items() const override { return session_.items(); }
  dag::CollectWork collect(std::span<const edit::SceneState> kept) override { return session_.collect(kept); }
  void start_collection(std::span<const edit::SceneState> kept) override { session_.start_collection(kept); }
  std::optional<dag::CollectWork> step_collection(double seconds) override {
    return session_.step_collection(seconds);
  }
  void count_searches(hash::SearchCounts* to) override { session_.count_searches(to); }
  uint64_t changed_voxels(edit::SceneState before, edit::SceneState after) override {
    return session_.changed_voxels(before, after);
  }

 private:
  edit::EditSession& session_;
  std::vector<uint32_t> failing_;  // the calls of apply() that fail, counted from 1
  uint32_t applied_ = 0;
};

class EditorFailures : public testing::Test {
 protected:
  struct Outcome {
    std::string error;
    uint64_t voxels = 0;
    uint32_t edits = 0, applied = 0;
    std::vector<uint32_t> collections;  // the lines of their commands
  };
  // Returns the outcome of a script that adds cubes of 1, 8 and 64 voxels when these calls of apply() run out
  // of memory.
  Outcome outcome(const std::vector<uint32_t>& failing, uint32_t batch = 1, const std::string& after = "") {
    const edit::Script script = parse_edit_script(
        "box add min 0,0,0 max 1,1,1 material 1\n"
        "box add min 4,4,4 max 6,6,6 material 1\n"
        "box add min 8,8,8 max 12,12,12 material 1\n" +
            after,
        "test.txt", {});
    const auto real = edit::make_edit_session(engine_->handle(), engine_->table(), dag::empty_dag(32, true));
    FailingSession session(*real, failing);
    Outcome outcome;
    edit::Editor editor(
        session, script, {}, {.batch = batch},
        {.pass = [&](const edit::PassRecord& pass) { outcome.edits += pass.edits; },
         .collected =
             [&](const edit::CollectRecord& record) { outcome.collections.push_back(record.line); }});
    try {
      editor.run();
    } catch (const OutOfMemory& error) {
      outcome.error = error.what();
    }
    outcome.voxels = editor.freeze().voxels;
    outcome.applied = session.applied();
    return outcome;
  }

  const std::unique_ptr<Engine> engine_ = test_engine();
};

TEST_F(EditorFailures, AnEditThatHasNoRoomRunsAgainOnceGarbageIsCollected) {
  const Outcome run = outcome({2});
  EXPECT_EQ(run.error, "");
  EXPECT_EQ(run.voxels, 73u);
  EXPECT_EQ(run.edits, 3u);
  EXPECT_EQ(run.applied, 4u);
  EXPECT_EQ(run.collections, std::vector<uint32_t>{2});
}

TEST_F(EditorFailures, AnEditThatHasNoRoomEvenThenIsNamedAndNothingOfItStays) {
  const Outcome run = outcome({2, 3});
  EXPECT_TRUE(run.error.starts_with("test.txt:2: out of memory: 100 B asked for")) << run.error;
  EXPECT_EQ(run.voxels, 1u);
  EXPECT_EQ(run.edits, 1u);
  EXPECT_EQ(run.applied, 3u);
  EXPECT_EQ(run.collections, std::vector<uint32_t>{2});
}

TEST_F(EditorFailures, APassOfManyEditsThatHasNoRoomRunsOneByOne) {
  const Outcome run = outcome({1, 2}, 8);
  EXPECT_EQ(run.error, "");
  EXPECT_EQ(run.voxels, 73u);
  EXPECT_EQ(run.edits, 3u);
  EXPECT_EQ(run.applied, 5u);
  const Outcome third = outcome({1, 2, 5, 6}, 8);
  EXPECT_TRUE(third.error.starts_with("test.txt:3: ")) << third.error;
  EXPECT_EQ(third.voxels, 9u);
}

// A checkpoint is written then, for example, for which there may be no memory.
TEST_F(EditorFailures, APassIsNotRepeatedIfMemoryRunsOutAfterIt) {
  const edit::Script script = parse_edit_script(
      "box add min 0,0,0 max 1,1,1 material 1\nbox add min 4,4,4 max 6,6,6 material 1\n", "test.txt", {});
  const auto session = edit::make_edit_session(engine_->handle(), engine_->table(), dag::empty_dag(32, true));
  uint32_t edits = 0, commands = 0;
  edit::Editor editor(*session, script, {}, {.batch = 8},
                      {.pass = [&](const edit::PassRecord& pass) { edits += pass.edits; },
                       .done =
                           [&](const edit::Command&) {
                             if (++commands == 1) throw OutOfMemory(100, 10);
                           }});
  EXPECT_THROW(editor.run(), OutOfMemory);
  EXPECT_EQ(edits, 2u);
  EXPECT_EQ(commands, 1u);
}

// To undo one edit of a pass, the editor repeats the others.
TEST_F(EditorFailures, AnUndoThatHasNoRoomLeavesTheSceneAsItWas) {
  EXPECT_EQ(outcome({2}, 8, "undo\n").voxels, 9u);
  const Outcome run = outcome({2, 3}, 8, "undo\n");
  EXPECT_TRUE(run.error.starts_with("test.txt:4: ")) << run.error;
  EXPECT_EQ(run.voxels, 73u);
}

// ---- devices that run out -------------------------------------------------------------------------------

class EditorMemory : public testing::Test {
 protected:
  void SetUp() override {
    if (kThoroughness < 10) GTEST_SKIP() << "takes long in instrumented programs";
  }

  std::unique_ptr<Engine> small_engine(uint64_t bytes) {
    const uint64_t held = test_device() == "cpu" ? resident_bytes() : 0;
    return test_engine({.memory_limit = held + bytes});
  }

  struct Outcome {
    std::string error;
    std::optional<dag::FrozenDag> dag;  // at the end, if there is room for it
    uint64_t items = 0;                 // items of the scene
    uint64_t edits = 0, passes = 0;
    bool as_after_last_edit = true;  // true if the scene is in that state, also after an error
    uint32_t collections = 0;
    bool whole() const { return error.empty() && dag; }
  };
  static Outcome outcome(Engine& engine, const std::string& text, const dag::FrozenDag& brush,
                         uint32_t resolution, uint32_t batch = 1) {
    const edit::Script script = parse_edit_script(text, "test.txt", {});
    const auto session =
        edit::make_edit_session(engine.handle(), engine.table(), dag::empty_dag(resolution, true));
    const uint32_t brush_number = session->add_scene(brush);
    Outcome outcome;
    edit::SceneState done = session->state();
    edit::Editor editor(
        *session, script, {{brush_number, brush.resolution}}, {.batch = batch, .measure = false},
        {.pass = [&](const edit::PassRecord& pass) { outcome.edits += pass.edits, ++outcome.passes; },
         .collected = [&](const edit::CollectRecord&) { ++outcome.collections; },
         .done = [&](const edit::Command&) { done = session->state(); }});
    try {
      editor.run();
    } catch (const OutOfMemory& error) {
      outcome.error = error.what();
    }
    outcome.as_after_last_edit = session->state() == done;
    session->collect({});  // states for undo are no longer needed
    outcome.items = session->items();
    try {
      outcome.dag = session->freeze();
    } catch (const OutOfMemory&) {
    }
    return outcome;
  }
  // Returns the outcome with a limit that may be too small even for an empty session.
  Outcome limited_outcome(uint64_t bytes, const std::string& text, const dag::FrozenDag& brush,
                          uint32_t resolution, uint32_t batch = 1) {
    try {
      return outcome(*small_engine(bytes), text, brush, resolution, batch);
    } catch (const OutOfMemory& error) {
      Outcome outcome;
      outcome.error = error.what();
      return outcome;
    }
  }

  // The run of a script with the fewest bytes, or up to an eighth more, with which the script finishes and
  // leaves room for the file. The memory of threads differs slightly from run to run.
  struct LeastMemory {
    uint64_t bytes = uint64_t{16} << 20;
    Outcome outcome;
  };
  LeastMemory least_memory(const std::string& text, const dag::FrozenDag& brush, uint32_t resolution,
                           uint32_t batch = 1) {
    LeastMemory least;
    for (;; least.bytes += least.bytes / 8) {
      least.outcome = limited_outcome(least.bytes, text, brush, resolution, batch);
      if (least.outcome.whole()) return least;
    }
  }
};

// A fixture for edits that each rotate the dust in a different way, so that all leaves are new.
class DustMemory : public EditorMemory {
 protected:
  static constexpr uint64_t kTurns = 48;

  static std::string stamp(uint64_t turn) {
    std::string text = "stamp dust.h5 at 0,0,0";
    if (turn % 2 == 1) text += " mirror x";
    if (turn / 2 % 4 > 0) text += " rotate x " + std::to_string(90 * (turn / 2 % 4));
    constexpr const char* kThird[] = {
        "", " rotate y 90", " rotate y 180", " rotate y 270", " rotate z 90", " rotate z 270"};
    return text + kThird[turn / 8 % 6] + "\n";
  }
  // Returns a script of `turns` stamps, with `between` after each but the last.
  static std::string stamps(uint64_t turns, const std::string& between = "") {
    std::string text;
    for (uint64_t turn = 0; turn < turns; ++turn) text += (turn > 0 ? between : "") + stamp(turn);
    return text;
  }

  // Dust: a random one of each two neighboring voxels. All leaves have one size, also when they are rotated.
  static dag::FrozenDag dust() {
    return dense_dag(kSide, true, [](uint32_t x, uint32_t y, uint32_t z) {
      const uint64_t hash = mix64(x / 2 + 1000 * y + 1000000 * z);
      return (hash & 1) == (x & 1) ? static_cast<int>(hash >> 32 & 15) : dag::kEmptyVoxel;
    });
  }

  static constexpr uint32_t kSide = 128;
  const dag::FrozenDag dust_ = dust();
};

// The device has slightly more memory than four states take, and all states are kept for an undo.
TEST_F(DustMemory, WithoutGarbageTheEditIsNamedAndTheSceneStaysAsItWasBefore) {
  const uint64_t room = least_memory(stamps(4) + "undo 4\n", dust_, kSide).bytes;
  const Outcome limited = limited_outcome(room + room / 16, stamps(kTurns) + "undo 48\n", dust_, kSide);
  EXPECT_GT(limited.edits, 0u);
  ASSERT_LT(limited.edits, kTurns);
  EXPECT_TRUE(limited.error.starts_with("test.txt:" + std::to_string(limited.edits + 1) + ": out of memory"))
      << limited.error << " after " << limited.edits;
  EXPECT_GE(limited.collections, 1u);  // several if the edits before it ran in pieces
  EXPECT_TRUE(limited.as_after_last_edit);
  const Outcome free = outcome(*test_engine(), stamps(limited.edits), dust_, kSide);
  EXPECT_EQ(limited.items, free.items);
  if (limited.dag) {
    EXPECT_EQ(limited.dag->digest, free.dag->digest);
  }
}

// The least memory for all edits is too small for all states.
TEST_F(DustMemory, GarbageIsCollectedAndTheEditRunAgain) {
  constexpr uint64_t kFew = 12;  // the search for the least memory runs them many times
  const std::string text = stamps(kFew, "clear\n");
  const Outcome limited = least_memory(text, dust_, kSide).outcome,
                free = outcome(*test_engine(), text, dust_, kSide);
  EXPECT_GT(limited.collections, 0u);
  EXPECT_EQ(limited.edits, 2 * kFew - 1);
  EXPECT_EQ(free.collections, 0u);
  EXPECT_EQ(limited.dag->digest, free.dag->digest);
}

// With the least memory in which 64 stamps can be made at all, they cannot be made together: few leaves
// differ, so most memory holds temporary data and not the store.
TEST_F(EditorMemory, EditsThatHaveNoRoomInOnePassRunOneByOne) {
  const dag::FrozenDag weave = dense_dag(128, true, [](uint32_t x, uint32_t y, uint32_t z) {
    return (mix64(y % 8 * 8 + z % 8) & 1) == (x & 1) ? static_cast<int>(x % 8) : dag::kEmptyVoxel;
  });
  std::string text;
  for (uint32_t i = 0; i < 64; ++i)
    text += "stamp weave.h5 at " + std::to_string(i % 4 * 128) + "," + std::to_string(i / 4 % 4 * 128) + "," +
            std::to_string(i / 16 * 128) + " rotate z 90\n";
  const Outcome together = outcome(*test_engine(), text, weave, 512, 64);
  ASSERT_EQ(together.passes, 1u);
  const Outcome tight = least_memory(text, weave, 512, 64).outcome;
  EXPECT_EQ(tight.passes, 64u);
  EXPECT_EQ(tight.edits, 64u);
  EXPECT_GE(tight.collections, 1u);  // before they are tried one by one
  EXPECT_EQ(tight.items, together.items);
  EXPECT_EQ(tight.dag->digest, together.dag->digest);
}

// Pieces of an edit read the scene as it was before the first piece: copies and smoothing read what other pieces write.
TEST_F(EditorMemory, AnEditThatHasNoRoomInOnePassRunsPieceByPiece) {
  const auto engine = small_engine(uint64_t{512} << 20);
  const dag::FrozenDag rock = dense_dag(128, true, [](uint32_t x, uint32_t y, uint32_t z) {
    const bool is_filled = mix64(x / 5 + 100 * (y / 3) + 10000 * (z / 4)) % 3 == 0;
    return is_filled ? static_cast<int>(x / 7 % 16) : dag::kEmptyVoxel;
  });
  const auto session = edit::make_edit_session(engine->handle(), engine->table(), dag::empty_dag(256, true));
  const edit::EditorScene brush = {session->add_scene(rock), rock.resolution};
  const edit::Script script = parse_edit_script(
      "stamp rock.h5 at 0,0,0\nstamp rock.h5 at 128,0,0\nstamp rock.h5 at 0,128,0\nstamp rock.h5 at "
      "128,128,128\n"
      "sphere add center 130,126,128 radius 126 noise 4 material 3\n"
      "sphere remove center 100,100,90 radius 120\n"
      "copy min 0,0,0 max 200,190,180 to 31,22,13\n"
      "copy min 0,0,0 max 190,190,190 to 5,60,61 rotate y 90 mirror x\n"
      "dilate steps 1\n"
      "smooth steps 1 in sphere center 128,120,120 radius 118\n"
      "stamp rock.h5 at 64,64,64 rotate z 90\n",
      "test.txt", {});
  const uint64_t stamps = 4;
  uint64_t number = 0;
  for (const edit::Command& command : script.commands) {
    const edit::Edit edit = edit::with_scene(std::get<edit::Edit>(command.action), {brush});
    const edit::SceneState before = session->state();
    const edit::EditWork whole = session->apply({&edit, 1});
    if (++number <= stamps) continue;
    const dag::Digest expected = session->freeze().digest;
    // The store has all nodes now, so only the pass itself takes memory.
    edit::EditWork in_pieces;
    for (uint64_t room = 1 << 17; in_pieces.nodes.made == 0; room += room / 8) {
      session->set_state(before);
      engine->memory().trim();
      std::vector<device::Buffer<std::byte>> taken;  // powers of two, which the pool does not round up
      while (engine->memory().available() >= room + 256)
        taken.emplace_back(engine->memory(), std::bit_floor(engine->memory().available() - room));
      try {
        in_pieces = session->apply_in_pieces(edit);
      } catch (const OutOfMemory&) {
      }
    }
    EXPECT_EQ(session->freeze().digest, expected) << number;
    EXPECT_GT(in_pieces.nodes.made, whole.nodes.made)
        << number;  // nodes across borders are made for each piece
    session->set_state(before);
  }
}

}  // namespace
}  // namespace vox
