// A set of all ranks' files of one save: written, kept, and found again.
#include "checkpoint/checkpoint_set.h"

#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <cstring>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <set>
#include <stdexcept>
#include <thread>

#include "checkpoint/checkpoint_names.h"
#include "checkpoint/rank_state.h"
#include "checkpoint/save_thread.h"
#include "tests/temporary_folder.h"

namespace ringlab {
namespace {

/// Rank 0's store, in memory; counts its keys.
class MemoryBoard : public Board {
 public:
  void post(const std::string& key, const std::string& text) override {
    const std::lock_guard lock(mutex_);
    notes_[key] = text;
  }
  std::optional<std::string> look_up(const std::string& key) override {
    const std::lock_guard lock(mutex_);
    const auto found = notes_.find(key);
    return found == notes_.end() ? std::nullopt : std::optional(found->second);
  }
  void remove(const std::string& key) override {
    const std::lock_guard lock(mutex_);
    notes_.erase(key);
  }
  size_t size() const { return notes_.size(); }

 private:
  std::mutex mutex_;
  std::map<std::string, std::string> notes_;
};

constexpr int kRanks = 3;

/// Three ranks with their own folders.
struct Ranks {
  Ranks() {
    for (int rank = 0; rank < kRanks; ++rank) {
      std::filesystem::create_directory(path(rank));
      sets.push_back(std::make_unique<CheckpointSet>(rank, kRanks, &board, path(rank)));
    }
  }
  std::string path(int rank) const { return folder / ("rank-" + std::to_string(rank)); }

  /// All ranks save; returns each one's error.
  std::vector<std::string> save(int epoch, bool best = false, bool keep = false) {
    std::vector<std::string> complaints(kRanks);
    std::vector<std::thread> threads;
    for (int rank = 0; rank < kRanks; ++rank) {
      threads.emplace_back([&, rank] {
        RankState state;
        state.rank = rank;
        state.position.epoch = epoch;
        state.position.epoch_id = make_epoch_id(7, state.position);
        SaveParts parts{state.position.epoch_id, value_of(state), Value(), best};
        if (keep) parts.keep_epoch = epoch;
        if (rank == 0) parts.checkpoint = Value::dict().set("epoch", Value::integer(epoch)).set("position", value_of(state.position));
        try {
          sets[static_cast<size_t>(rank)]->write(parts);
        } catch (const Failure& failure) {
          complaints[static_cast<size_t>(rank)] = failure.what();
        }
      });
    }
    for (auto& thread : threads) thread.join();
    return complaints;
  }

  /// The epoch of the checkpoint, for which every rank has its part; -1 if one has not.
  int whole_epoch() const {
    const Value checkpoint = read_value(path(0) + "/" + kCheckpointFile);
    const Position position = position_of(*checkpoint.find("position"));
    for (int rank = 0; rank < kRanks; ++rank) {
      if (!find_rank_state({path(rank)}, rank, position).state) return -1;
    }
    return static_cast<int>(position.epoch);
  }
  /// From now on saving there fails, or works again.
  void block(int rank, const char* file) const { std::filesystem::create_directories(path(rank) + "/" + file + "/in the way"); }
  void unblock(int rank, const char* file) const { std::filesystem::remove_all(path(rank) + "/" + file); }

  const TemporaryFolder folder;
  MemoryBoard board;
  std::vector<std::unique_ptr<CheckpointSet>> sets;
};

TEST(CheckpointSet, IsWholeAfterEachSave) {
  Ranks ranks;
  for (int epoch = 1; epoch <= 4; ++epoch) {
    for (const auto& complaint : ranks.save(epoch, epoch == 2)) EXPECT_EQ(complaint, "");
    EXPECT_EQ(ranks.whole_epoch(), epoch);
    EXPECT_EQ(ranks.board.size(), static_cast<size_t>(kRanks)) << "the notes of one save, not of all";
  }
  EXPECT_EQ(read_value(ranks.path(0) + "/" + kBestFile).find("epoch")->as_integer(), 2);
  EXPECT_FALSE(std::filesystem::exists(ranks.path(1) + "/" + kCheckpointFile));
}

TEST(CheckpointSet, IsKeptWholeOnEveryRankAsTheBestAndAsItsEpochs) {
  Ranks ranks;
  for (int epoch = 1; epoch <= 6; ++epoch) {
    for (const auto& complaint : ranks.save(epoch, epoch == 3, epoch % 2 == 0)) EXPECT_EQ(complaint, "");
  }
  for (const auto& [file, epoch] : {std::pair(std::string(kBestFile), 3), {kept_checkpoint_file(2), 2}, {kept_checkpoint_file(4), 4}, {std::string(kCheckpointFile), 6}}) {
    const Value checkpoint = read_value(ranks.path(0) + "/" + file);
    const Position position = position_of(*checkpoint.find("position"));
    EXPECT_EQ(position.epoch, epoch) << file;
    for (int rank = 0; rank < kRanks; ++rank) EXPECT_TRUE(find_rank_state({ranks.path(rank)}, rank, position).state) << file << ", rank " << rank;
  }
  EXPECT_FALSE(std::filesystem::exists(ranks.path(0) + "/" + kept_checkpoint_file(5)));
}

TEST(CheckpointSet, StaysTheOneBeforeWhereARankCannotWriteItsPart) {
  Ranks ranks;
  ranks.save(1);
  ranks.save(2);
  ranks.block(1, (std::string(kRankStateFile) + ".tmp-" + std::to_string(getpid())).c_str());  // a folder where the file is written
  for (int epoch = 3; epoch <= 5; ++epoch) {
    for (const auto& complaint : ranks.save(epoch)) EXPECT_NE(complaint.find("rank 1: "), std::string::npos) << complaint;
    EXPECT_EQ(ranks.whole_epoch(), 2) << "after the failed save of epoch " << epoch;
  }
  ranks.unblock(1, (std::string(kRankStateFile) + ".tmp-" + std::to_string(getpid())).c_str());
  for (const auto& complaint : ranks.save(6)) EXPECT_EQ(complaint, "");
  EXPECT_EQ(ranks.whole_epoch(), 6);
}

TEST(CheckpointSet, StaysTheOneBeforeWhereRankZeroCannotWriteTheCheckpoint) {
  Ranks ranks;
  ranks.save(1);
  const std::string temporary = std::string(kCheckpointFile) + ".tmp-" + std::to_string(getpid());
  ranks.block(0, temporary.c_str());
  for (int epoch = 2; epoch <= 4; ++epoch) {
    for (const auto& complaint : ranks.save(epoch)) EXPECT_NE(complaint.find(kCheckpointFile), std::string::npos) << complaint;
    EXPECT_EQ(ranks.whole_epoch(), 1);
  }
  ranks.unblock(0, temporary.c_str());
  ranks.save(5);
  EXPECT_EQ(ranks.whole_epoch(), 5);
}

/// A rank dies at some point of the save: a complete set exists, whatever the others have written.
TEST(CheckpointSet, StaysTheOneBeforeWhereARankNeverComes) {
  Ranks ranks;
  ranks.save(1);
  ranks.save(2);
  std::vector<std::thread> threads;
  std::atomic<int> given_up{0};
  for (const int rank : {0, 2}) {  // rank 1 is gone
    threads.emplace_back([&, rank] {
      RankState state;
      state.rank = rank;
      state.position.epoch = 3;
      state.position.epoch_id = make_epoch_id(7, state.position);
      SaveParts parts{state.position.epoch_id, value_of(state), Value(), false};
      if (rank == 0) parts.checkpoint = Value::dict().set("position", value_of(state.position));
      try {
        ranks.sets[static_cast<size_t>(rank)]->write(parts);
      } catch (const Failure&) {
        ++given_up;
      }
    });
  }
  for (const int rank : {0, 2}) ranks.sets[static_cast<size_t>(rank)]->abandon();
  for (auto& thread : threads) thread.join();
  EXPECT_EQ(given_up, 2);
  EXPECT_EQ(ranks.whole_epoch(), 2);
  for (int rank = 0; rank < kRanks; ++rank) {
    for (const auto& entry : std::filesystem::directory_iterator(ranks.path(rank))) EXPECT_EQ(entry.path().string().find(".tmp-"), std::string::npos);
  }
}

TEST(CheckpointSet, StaysTheOneBeforeWhereTheStoreIsGone) {
  struct Gone : Board {
    void post(const std::string&, const std::string&) override { throw std::runtime_error("Connection reset by peer"); }
    std::optional<std::string> look_up(const std::string&) override { throw std::runtime_error("Connection reset by peer"); }
    void remove(const std::string&) override {}
  } gone;
  Ranks ranks;
  ranks.save(1);
  CheckpointSet alone(1, kRanks, &gone, ranks.path(1));
  RankState state;
  state.rank = 1;
  state.position.epoch_id = "next";
  try {
    alone.write({"next", value_of(state), Value(), false});
    FAIL();
  } catch (const Failure& failure) {
    EXPECT_EQ(std::string(failure.what()), "rank 0's store is gone: Connection reset by peer");
  }
  EXPECT_EQ(ranks.whole_epoch(), 1);
}

/// Rank 0 completes a set and is killed before the others hear of it: another save of theirs must not replace their parts of it.
TEST(CheckpointSet, IsNotReplacedByARankThatDoesNotKnowOfIt) {
  struct Dying : Board {
    explicit Dying(Board& whose) : store(whose) {}
    void post(const std::string& key, const std::string& text) override { store.post(key, text); }
    std::optional<std::string> look_up(const std::string&) override { throw std::runtime_error("Connection reset by peer"); }
    void remove(const std::string&) override {}
    Board& store;
  };
  Ranks ranks;
  ranks.save(1);
  Dying dying(ranks.board);
  ranks.sets[1] = std::make_unique<CheckpointSet>(1, kRanks, &dying, ranks.path(1));
  EXPECT_EQ(ranks.save(2), (std::vector<std::string>{"", "rank 0's store is gone: Connection reset by peer", ""}));
  EXPECT_EQ(ranks.whole_epoch(), 2);
  RankState state;
  state.rank = 1;
  state.position.epoch_id = "third";
  EXPECT_THROW(ranks.sets[1]->write({"third", value_of(state), Value(), false}), Failure);
  EXPECT_EQ(ranks.whole_epoch(), 2);
}

/// A rank that only heard late of it goes on saving.
TEST(CheckpointSet, GoesOnOnceTheVerdictOfTheOneBeforeIsKnown) {
  struct Late : Board {
    explicit Late(Board& whose) : store(whose) {}
    void post(const std::string& key, const std::string& text) override { store.post(key, text); }
    std::optional<std::string> look_up(const std::string& key) override {
      if (absent) throw std::runtime_error("timed out");
      return store.look_up(key);
    }
    void remove(const std::string&) override {}
    Board& store;
    std::atomic<bool> absent{true};
  };
  Ranks ranks;
  Late late(ranks.board);
  ranks.sets[1] = std::make_unique<CheckpointSet>(1, kRanks, &late, ranks.path(1));
  EXPECT_EQ(ranks.save(1)[1], "rank 0's store is gone: timed out");
  late.absent = false;
  EXPECT_EQ(ranks.save(2), std::vector<std::string>(kRanks));
  EXPECT_EQ(ranks.whole_epoch(), 2);
}

TEST(CheckpointSet, OneProcessNeedsNobody) {
  const TemporaryFolder folder;
  CheckpointSet set(0, 1, nullptr, folder.path());
  RankState state;
  const auto written = set.write({"id", value_of(state), Value::dict(), true});
  EXPECT_EQ(written.checkpoint_bytes, std::filesystem::file_size(folder / kCheckpointFile));
  EXPECT_TRUE(std::filesystem::exists(folder / kBestFile));
}

TEST(RankState, IsFoundByEpochIdAndRankAloneAndSaysWhatThereIsInstead) {
  const TemporaryFolder folder;
  RankState state;
  state.rank = 1;
  state.position.epoch = 4;
  state.position.epoch_id = "mine";
  state.sums = {8, 2.5, 100, 300};
  state.parts = Value::dict().set("residuals", Value::real(0.5));
  const Position mine = state.position;
  Position other = mine;
  other.epoch_id = "other";
  const std::string a = folder / "a";
  std::filesystem::create_directory(a);
  EXPECT_NE(find_rank_state({a}, 1, mine).instead.find("no rank-state.pth in " + a), std::string::npos);
  write_value(a + "/" + kRankStateFile, value_of(state));
  EXPECT_NE(find_rank_state({a}, 1, other).instead.find("of another save, epoch 4"), std::string::npos);
  EXPECT_NE(find_rank_state({a}, 2, mine).instead.find("is rank 1's"), std::string::npos);
  const auto found = find_rank_state({folder / "none", a}, 1, mine);
  ASSERT_TRUE(found.state);
  EXPECT_EQ(found.state->sums.loss, 2.5);
  EXPECT_EQ(found.state->parts.find("residuals")->as_real(), 0.5);
  std::filesystem::rename(a + "/" + kRankStateFile, a + "/" + kPreviousRankStateFile);
  write_text(a + "/" + kRankStateFile, "torn");
  EXPECT_TRUE(find_rank_state({a}, 1, mine).state) << "the one before, past a damaged one";
  EXPECT_NE(find_rank_state({a}, 1, other).instead.find("no zip"), std::string::npos);
}

std::shared_ptr<Storage> storage_of(std::vector<float>& values) {
  const auto storage = std::make_shared<Storage>();
  storage->elements = static_cast<int64_t>(values.size());
  storage->data = reinterpret_cast<const uint8_t*>(values.data());
  return storage;
}

float first_of(const Value& value) {
  float number = 0;
  std::memcpy(&number, value.as_tensor().storage->data, sizeof number);
  return number;
}

TEST(SaveThread, CopiesBeforeTheTrainingGoesOnAndWritesBeside) {
  std::vector<float> changes_now = {1};
  std::vector<float> changes_later = {2};
  const auto snapshot = std::make_shared<Snapshot>();
  const Value now = snapshot->now(Value::list({Value::tensor({storage_of(changes_now), 0, {1}, {1}})}));
  const Value later = snapshot->later(Value::dict().set("a", Value::tensor({storage_of(changes_later), 0, {1}, {1}})));
  changes_now[0] = -1;
  std::mutex mutex;
  std::condition_variable changed;
  bool may_write = false;
  float written = 0;
  SaveThread thread;
  thread.start(snapshot, [&, now, later] {
    std::unique_lock lock(mutex);
    changed.wait(lock, [&] { return may_write; });
    written = 10 * first_of(now.items()[0]) + first_of(*later.find("a"));
  });
  thread.wait_until_copied();  // returns although nothing is written yet
  changes_later[0] = -1;
  {
    const std::lock_guard lock(mutex);
    may_write = true;
  }
  changed.notify_all();
  thread.wait();
  EXPECT_EQ(written, 12);
  thread.wait_until_copied();
}

TEST(SaveThread, WritesOneSaveAfterTheOther) {
  std::vector<int> order;
  {
    SaveThread thread;
    for (int i = 0; i < 5; ++i) thread.start(std::make_shared<Snapshot>(), [&order, i] { order.push_back(i); });
  }
  EXPECT_EQ(order, (std::vector<int>{0, 1, 2, 3, 4})) << "the last one too, though no call waited for it";
}

TEST(CheckpointSet, BeginsWithoutWhatKilledProcessesLeft) {
  const TemporaryFolder folder;
  const pid_t gone = fork();
  if (gone == 0) _exit(0);
  waitpid(gone, nullptr, 0);
  const std::string half = ".tmp-" + std::to_string(gone);
  const std::string living = "checkpoint.pth.tar.tmp-" + std::to_string(getppid());
  for (const char* name : {"checkpoint.pth.tar", "checkpoint-epoch-3.pth.tar", "model_best.pth.tar", "rank-state-epoch-3.pth", "user"}) write_text(folder / (name + half), "half");
  for (const std::string& name : {living, std::string("checkpoint-epoch-3.pth.tar")}) write_text(folder / name, "whole");
  MemoryBoard board;
  const CheckpointSet set(0, 1, &board, folder.path());
  std::set<std::string> left;
  for (const auto& entry : std::filesystem::directory_iterator(folder.path())) left.insert(entry.path().filename().string());
  EXPECT_EQ(left, (std::set<std::string>{"user" + half, living, "checkpoint-epoch-3.pth.tar"}));
}

}  // namespace
}  // namespace ringlab
