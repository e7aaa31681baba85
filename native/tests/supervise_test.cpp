// Supervisors without processes: how a failure is judged, the texts between them, and what they read of a rank's lines and files.
#include <gtest/gtest.h>

#include <csignal>
#include <fstream>
#include <optional>
#include <string>
#include <vector>

#include "checkpoint/newest_save.h"
#include "checkpoint/rank_state.h"
#include "supervise/attempt_lines.h"
#include "supervise/policy.h"
#include "supervise/rank_end.h"
#include "supervise/saved_files.h"
#include "tests/temporary_folder.h"
#include "values/value_file.h"

namespace ringlab {
namespace {

Ended exited(int rank, int code, const std::string& error = {}) {
  Ended ended;
  ended.rank = rank;
  ended.end.code = code;
  ended.end.error = error;
  return ended;
}
Ended killed(int rank, int signal) {
  Ended ended;
  ended.rank = rank;
  ended.end.signal = signal;
  return ended;
}
Ended silent(int rank) {
  Ended ended = killed(rank, SIGKILL);
  ended.end.silent = true;
  return ended;
}

TEST(Supervise, ARankThatFailedByItselfExplainsTheOthers) {
  const auto rank = [](const std::vector<Ended>& ends) { return blamed(ends) == nullptr ? -1 : blamed(ends)->rank; };
  EXPECT_EQ(rank({exited(0, 4), exited(2, 4), killed(1, SIGKILL)}), 1);
  EXPECT_EQ(rank({exited(0, 4), silent(2), exited(1, 4)}), 2);
  EXPECT_EQ(rank({exited(0, 4), silent(2), exited(1, 6)}), 1);
  EXPECT_EQ(rank({exited(2, 4), exited(0, 4)}), 2);
  EXPECT_EQ(rank({exited(0, 0), exited(1, 7)}), -1);
}

TEST(Supervise, OnlyWhatNeedNotHappenAgainIsTriedAgain) {
  EXPECT_EQ(cause_of(killed(1, SIGKILL)), Cause::outside);
  EXPECT_EQ(cause_of(silent(1)), Cause::outside);
  EXPECT_EQ(cause_of(exited(1, 4, "peer_lost")), Cause::outside);
  EXPECT_EQ(cause_of(exited(1, 4, "rendezvous_timeout")), Cause::outside);
  EXPECT_EQ(cause_of(killed(1, SIGSEGV)), Cause::own);
  EXPECT_EQ(cause_of(exited(1, 6, "out_of_memory")), Cause::own);
  EXPECT_EQ(cause_of(exited(1, 1, "internal")), Cause::own);
  for (const char* lasting : {"usage", "bad_data", "checkpoint_mismatch", "diverged", "disk_full", "backend_missing"}) EXPECT_EQ(cause_of(exited(1, 1, lasting)), Cause::lasting) << lasting;
  for (const int code : {2, 3, 5}) EXPECT_EQ(cause_of(exited(1, code)), Cause::lasting) << code;
  // Another rank may have found the supervisors' store in place of rank 0's.
  EXPECT_EQ(cause_of(exited(0, 4, "peer_disagrees")), Cause::lasting);
  EXPECT_EQ(cause_of(exited(1, 4, "peer_disagrees")), Cause::outside);
}

TEST(Supervise, TheFirstRestartIsImmediateAndTheNextWaitsLonger) {
  RestartPolicy policy({12, 2, 60});
  EXPECT_EQ(policy.after(killed(1, SIGKILL), 0, false, 0.9).pause, 0);
  EXPECT_EQ(policy.after(killed(1, SIGKILL), 1, false, 0).pause, 1);
  EXPECT_EQ(policy.after(killed(2, SIGKILL), 2, false, 0).pause, 2);
  // A new checkpoint: as if it were the first.
  EXPECT_EQ(policy.after(killed(2, SIGKILL), 3, true, 0).pause, 0);
  EXPECT_LE(RestartPolicy({1000, 2, 3}).after(killed(0, SIGKILL), 0, false, 0.999).pause, 3);
}

TEST(Supervise, WhatRepeatsOrHappensTooOftenIsGivenUp) {
  RestartPolicy repeats({12, 2, 60});
  EXPECT_TRUE(repeats.after(exited(1, 6), 0, false, 0).restart);
  EXPECT_EQ(repeats.after(exited(1, 6), 1, false, 0).why, "repeated");
  RestartPolicy fruitless({12, 2, 60});
  for (int i = 0; i < 4; ++i) EXPECT_TRUE(fruitless.after(killed(i % 3, SIGKILL), i, false, 0).restart);
  EXPECT_EQ(fruitless.after(killed(0, SIGKILL), 5, false, 0).why, "repeated");
  RestartPolicy often({2, 2, 60});
  EXPECT_TRUE(often.after(killed(1, SIGKILL), 0, true, 0).restart);
  EXPECT_TRUE(often.after(killed(1, SIGKILL), 10, true, 0).restart);
  EXPECT_EQ(often.after(killed(1, SIGKILL), 3599, true, 0).why, "tooOften");
  EXPECT_TRUE(often.after(killed(1, SIGKILL), 3601, true, 0).restart);
  EXPECT_EQ(often.after(exited(0, 3), 9000, true, 0).why, "cause");
}

TEST(Supervise, AnEndSurvivesItsText) {
  Ended ended = exited(1, 6, "out_of_memory");
  ended.end.message = "no \"memory\"\n";
  ended.end.out_of_memory = true;
  const auto read = rank_end_of(text_of(ended.end));
  ASSERT_TRUE(read);
  EXPECT_EQ(text_of(*read), text_of(ended.end));
  EXPECT_EQ(rank_end_of(text_of(killed(1, SIGKILL).end))->signal, SIGKILL);
  for (const char* wrong : {"", "{}", "[]", R"({"code":1})", R"({"code":1e9,"signal":0})", R"({"code":-1,"signal":0})", R"({"code":"1","signal":0})", R"({"code":0.5,"signal":0})"}) EXPECT_FALSE(rank_end_of(wrong)) << wrong;
  EXPECT_LE(rank_end_of(R"({"code":1,"signal":0,"message":")" + std::string(5000, 'x') + "\"}")->message.size(), 500u);
}

TEST(Supervise, OnlyTheLinesOfThisAttemptCount) {
  const TemporaryFolder folder;
  const std::string path = folder.path() + "/metrics.jsonl";
  std::ofstream file(path, std::ios::app);
  file << R"({"v":1,"seq":0,"t":10,"kind":"start","start_step":0})" << "\n" << R"({"v":1,"seq":1,"t":11,"kind":"error","code":"internal","message":"before"})" << std::endl;
  AttemptLines lines(path);
  lines.read();
  EXPECT_FALSE(lines.started());
  EXPECT_EQ(lines.error(), "");
  file << R"({"v":1,"seq":2,"t":100,"kind":"start","start_step":40})" << "\n" << R"({"v":1,"seq":3,"t":102,"kind":"st)" << std::flush;
  lines.read();
  EXPECT_TRUE(lines.started());
  file << R"(ep","step":40,"loss":1})" << "\n"
       << R"({"v":1,"seq":4,"t":105,"kind":"checkpoint","file":"rank-state","step":99,"seconds":1})" << "\n"
       << R"({"v":1,"seq":5,"t":106,"kind":"checkpoint","file":"checkpoint","step":44,"members":3,"seconds":2})" << "\n"
       << R"({"v":1,"seq":6,"t":110,"kind":"step","step":49,"loss":1})" << "\n"
       << R"({"v":1,"seq":7,"t":111,"kind":"error","code":"peer_lost","message":"rank 1 was lost"})" << std::endl;
  lines.read();
  EXPECT_EQ(lines.error(), "peer_lost");
  EXPECT_EQ(lines.message(), "rank 1 was lost");
  EXPECT_EQ(lines.saved_by(), 3);
  // The checkpoint of step 44 was copied at 104.
  EXPECT_EQ(lines.reached().str(), R"({"step":50,"from_step":44,"trained_from":104,"trained_to":110})");
  EXPECT_EQ(lines.reached(50).str(), R"({"step":50,"from_step":50})") << "another rank has saved everything";
  EXPECT_EQ(lines.reached(51).str(), R"({"step":51,"from_step":51})") << "a rank that is lost may not have written the last line";
}

TEST(Supervise, ADamagedCheckpointIsNoneAndTheOthersAreTheNewestFirst) {
  const TemporaryFolder folder;
  Position position;
  position.epoch = 2;
  position.step = 8;
  position.epoch_id = "0123456789abcdef-e2-s8";
  const std::string path = folder.path() + "/checkpoint.pth.tar";
  write_value(path, Value::dict().set("position", value_of(position)).set("epoch", Value::integer(2)));
  write_value(folder.path() + "/model_best.pth.tar", Value::dict().set("position", value_of(position)));
  write_value(folder.path() + "/checkpoint-epoch-1.pth.tar", Value::dict().set("epoch", Value::integer(1)));
  std::ofstream(folder.path() + "/checkpoint-epoch-1.pth.tar.tmp-1") << "half";
  const auto files = saved_files(folder.path());
  ASSERT_EQ(files.size(), 3u);
  EXPECT_EQ(files.front(), "checkpoint.pth.tar");
  std::string why;
  const auto read = saved_position(path, why);
  ASSERT_TRUE(read);
  const auto sent = save_of(save_text(*read));
  ASSERT_TRUE(sent);
  EXPECT_EQ(sent->epoch_id, position.epoch_id);
  EXPECT_EQ(sent->epoch, 2);
  EXPECT_FALSE(saved_position(folder.path() + "/checkpoint-epoch-1.pth.tar", why));
  std::fstream file(path, std::ios::in | std::ios::out | std::ios::binary);
  file.seekp(90);
  file.put('\x5a');
  file.close();
  EXPECT_FALSE(saved_position(path, why));
  EXPECT_NE(why.find("checkpoint.pth.tar"), std::string::npos);
  for (const char* wrong : {"", "1", "1 2", "-1 2 id", "1 -2 id", "x y z", "99999999999 1 id"}) EXPECT_FALSE(save_of(wrong)) << wrong;
}

TEST(Supervise, ARankHasItsPartOnlyOfTheSaveThatItIsAskedFor) {
  const TemporaryFolder folder;
  RankState state;
  state.rank = 1;
  state.position.epoch_id = "a-e1-s4";
  state.generators = Value::dict();
  state.parts = Value::dict();
  write_value(folder.path() + "/" + kRankStateFile, value_of(state));
  EXPECT_TRUE(has_part(folder.path(), 1, state.position));
  EXPECT_FALSE(has_part(folder.path(), 2, state.position));
  Position other = state.position;
  other.epoch_id = "b-e1-s4";
  EXPECT_FALSE(has_part(folder.path(), 1, other));
  EXPECT_FALSE(has_part(folder.path() + "/none", 1, state.position));
}

TEST(Supervise, OfOtherRanksOnlyASaveOfFewerIsTheNewest) {
  const TemporaryFolder folder;
  const std::string path = folder.path() + "/checkpoint.pth.tar";
  EXPECT_FALSE(newest_save(folder.path(), 0, 3));
  Position position;
  position.epoch_id = "a-e0-s7";
  position.step = 7;
  position.world_size = 3;
  write_value(path, Value::dict().set("position", value_of(position)));
  EXPECT_EQ(text_of(newest_save(folder.path(), 0, 3)), "7 3 0");
  EXPECT_FALSE(newest_save(folder.path(), 1, 3)) << "it is of another run's rank 0";
  position.world_size = 2;
  write_value(path, Value::dict().set("position", value_of(position)));
  EXPECT_EQ(text_of(newest_save(folder.path(), 1, 3)), "7 2 0");
  RankState part;
  part.rank = 1;
  part.generators = Value::dict();
  part.parts = Value::dict();
  part.position = position;
  part.position.epoch_id = "of a later save";
  write_value(folder.path() + "/" + kRankStateFile, value_of(part));
  EXPECT_EQ(text_of(newest_save(folder.path(), 1, 3)), "7 2 0");
  part.position = position;
  write_value(folder.path() + "/" + kRankStateFile, value_of(part));
  EXPECT_EQ(text_of(newest_save(folder.path(), 1, 3)), "7 2 1");
  EXPECT_EQ(newest_save_of("7 2 0")->members, 2);
  for (const char* wrong : {"", "7", "x", "-1 2 0", "1 0 0", "1 -1 0", "1 1", "1 1 2", "99999999999999999999 1 0", "1 99999999999 0"}) EXPECT_FALSE(newest_save_of(wrong)) << wrong;
}

TEST(Supervise, TheNewestSaveIsContinuedFromAndOfEqualOnesTheLastThenTheLargerGroups) {
  const auto rank = [](const std::vector<const char*>& texts) {
    std::vector<std::optional<NewestSave>> saves;
    for (const char* text : texts) saves.push_back(newest_save_of(text));
    return rank_of_newest(saves).value_or(-1);
  };
  EXPECT_EQ(rank({"", "", ""}), -1);
  EXPECT_EQ(rank({"10 3 0", "12 2 0", ""}), 1);
  EXPECT_EQ(rank({"12 3 0", "12 2 0", ""}), 0);
  EXPECT_EQ(rank({"12 3 0", "12 2 1", "12 2 1"}), 1) << "the others have overwritten their parts of rank 0's save";
  EXPECT_EQ(rank({"13 3 0", "12 2 1", ""}), 0);
  EXPECT_EQ(rank({"12 1 0", "", "12 2 0"}), 2);
  EXPECT_EQ(rank({"12 2 0", "12 2 0"}), 0);
}

}  // namespace
}  // namespace ringlab
