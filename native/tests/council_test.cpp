// Which checkpoint rank 0's supervisor announces, where others answer late or its newest one is damaged.
#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <cstdint>
#include <exception>
#include <filesystem>
#include <fstream>
#include <functional>
#include <optional>
#include <sstream>
#include <string>
#include <thread>
#include <utility>

#include "base/file_text.h"
#include "checkpoint/rank_state.h"
#include "comm/transport/net.h"
#include "supervise/council.h"
#include "supervise/rendezvous.h"
#include "tests/temporary_folder.h"
#include "values/value_file.h"

namespace ringlab {
namespace {

/// In rank 0's folder, which is the process's own, and with rank 1's supervisor, whose part the test plays.
class Meeting {
 public:
  explicit Meeting(double wait) : wait_(wait), before_(std::filesystem::current_path()), place_{{"127.0.0.1", free_local_port()}, "", {}, {std::string(64, '5')}, true} {
    std::filesystem::current_path(folder_.path());
  }
  ~Meeting() { std::filesystem::current_path(before_); }

  void save(const std::string& name, const std::string& rank_state, int64_t step) const {
    Position position;
    position.step = step;
    position.world_size = 2;
    position.epoch_id = "save-" + std::to_string(step);
    write_value(folder_ / name, Value::dict().set("position", value_of(position)));
    RankState state;
    state.position = position;
    state.generators = Value::dict();
    state.parts = Value::dict();
    write_value(folder_ / rank_state, value_of(state));
  }
  void damage(const std::string& name) const {
    std::fstream file(folder_ / name, std::ios::in | std::ios::out | std::ios::binary);
    file.seekp(90);
    file.put('\x5a');
  }
  std::string lines() const { return file_text(folder_ / "metrics.jsonl"); }

  /// What rank 0's supervisor announces before the first attempt, to a supervisor that answers its questions with `answer`: nothing where it does not.
  std::string announced(const std::function<std::optional<std::string>(const std::string&)>& answer) {
    SupervisorRendezvous leader(place_);
    std::atomic<bool> over{false};
    std::thread rank_0([&] {
      Council({0, 2, "metrics.jsonl", wait_, true}, {}, &leader).first_file();
      over = true;
    });
    SupervisorRendezvousSettings place = place_;
    place.leads = false;
    SupervisorRendezvous other(place);
    std::string next;
    try {
      std::string why;
      while (!other.open(why) && !over) std::this_thread::sleep_for(std::chrono::milliseconds(10));
      while (other.is_open() && next.empty()) {
        next = other.get("attempt/0/next").value_or("");
        std::istringstream asked(other.get("attempt/0/ask").value_or(""));
        std::string number;
        std::string question;
        std::getline(asked >> number >> std::ws, question);
        const auto text = question.empty() ? std::nullopt : answer(question);
        if (text) other.set("attempt/0/answer/" + number + "/1", *text);
        std::this_thread::sleep_for(std::chrono::milliseconds(10));
      }
      if (other.is_open()) other.set("attempt/0/read/1", "1");
    } catch (const std::exception& error) {
      ADD_FAILURE() << error.what();
    }
    rank_0.join();
    return next;
  }

 private:
  const double wait_;
  const std::filesystem::path before_;
  const TemporaryFolder folder_;
  const SupervisorRendezvousSettings place_;
};

TEST(Council, CheckpointsAreNotIgnoredWhereNobodyAnswers) {
  Meeting meeting(2);
  meeting.save("checkpoint.pth.tar", kRankStateFile, 40);
  EXPECT_EQ(meeting.announced([](const std::string&) { return std::nullopt; }), "end") << "a restart would begin anew, and overwrite them";
}

TEST(Council, NorWhereNobodyAnswersOnTheNextOne) {
  Meeting meeting(2);
  meeting.save("checkpoint.pth.tar", kRankStateFile, 40);
  const auto answer = [](const std::string& question) { return question == "newest" ? std::optional<std::string>("") : std::nullopt; };
  EXPECT_EQ(meeting.announced(answer), "end");
}

TEST(Council, AnOlderSaveOfFewerIsNotTakenForADamagedOne) {
  Meeting meeting(60);
  meeting.save("model_best.pth.tar", kBestRankStateFile, 30);
  meeting.save("checkpoint.pth.tar", kRankStateFile, 40);
  meeting.damage("checkpoint.pth.tar");
  const auto answer = [](const char* newest) { return [newest](const std::string& question) { return std::optional<std::string>(question == "newest" ? newest : "yes"); }; };
  EXPECT_EQ(meeting.announced(answer("20 1 1")), "restart model_best.pth.tar");
  EXPECT_NE(meeting.lines().find("checkpoint_skipped"), std::string::npos) << meeting.lines();
  EXPECT_EQ(meeting.announced(answer("30 1 1")), "restart checkpoint.pth.tar") << "of equal steps the one of fewer is the last";
}

TEST(Council, ARankWithoutItsPartDoesNotCostTheOthersTheirWork) {
  Meeting meeting(60);
  meeting.save("model_best.pth.tar", kBestRankStateFile, 30);
  meeting.save("checkpoint.pth.tar", kRankStateFile, 40);
  const auto answer = [](const std::string& question) { return std::optional<std::string>(question == "newest" ? "" : "no"); };
  EXPECT_EQ(meeting.announced(answer), "fresh checkpoint.pth.tar") << "a run that begins anew would overwrite it";
  EXPECT_EQ(meeting.lines().find("checkpoint_skipped"), std::string::npos) << meeting.lines();
  const auto older = [](const std::string& question) { return std::optional<std::string>(question == "newest" ? "" : question.find("save-30") == std::string::npos ? "no" : "yes"); };
  EXPECT_EQ(meeting.announced(older), "restart model_best.pth.tar");
  EXPECT_NE(meeting.lines().find("checkpoint_skipped"), std::string::npos) << meeting.lines();
  meeting.damage("checkpoint.pth.tar");
  EXPECT_EQ(meeting.announced(answer), "fresh model_best.pth.tar");
}

}  // namespace
}  // namespace ringlab
