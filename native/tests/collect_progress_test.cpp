// How long a script still takes, from the counts that it prints.
#include <gtest/gtest.h>

#include <optional>
#include <string_view>
#include <vector>

#include "base/file_text.h"
#include "collect/printed/log_reader.h"
#include "collect/progress_report.h"
#include "collect/records/json_reader.h"
#include "tests/temporary_folder.h"

namespace ringlab {
namespace {

constexpr double kBegin = 1e9;

/// Printed texts, `seconds` apart: what remains after each, -1 where that is not known.
std::vector<double> remaining(const std::vector<std::string>& printed, double seconds) {
  const TemporaryFolder folder;
  RankLines lines(folder / "metrics.jsonl", nullptr);
  LogReader reader;
  ProgressReport report;
  std::vector<double> said;
  double now = kBegin;
  for (const std::string& text : printed) {
    std::vector<Found> found;
    reader.read(text, true, found);
    if (reader.progress() != nullptr) report.say(*reader.progress(), now, true, lines);
    now += seconds;
    const std::string all = file_text(folder / "metrics.jsonl");
    const size_t end = all.empty() ? 0 : all.rfind('\n', all.size() - 2) + 1;
    const auto line = read_json(std::string_view(all).substr(end));
    said.push_back(line ? number_of_member(*line, "remaining").value_or(-1) : -1);
  }
  return said;
}

/// `Epoch [1/2], Step [25/100]` every 2.5 s: an epoch takes 10 s. yunjey's pytorch-tutorial.
std::vector<std::string> steps_of(int first, int epochs) {
  std::vector<std::string> printed;
  for (int epoch = first; epoch < first + epochs; ++epoch) {
    for (int step = 25; step <= 100; step += 25) printed.push_back("Epoch [" + std::to_string(epoch) + "/" + std::to_string(epochs) + "], Step [" + std::to_string(step) + "/100], Loss: 0.5\n");
  }
  return printed;
}

TEST(ScriptProgress, EpochsFromZeroAndFromOne) {
  const std::vector<double> even = {-1, 15, 13, 10, 8, 5, 3, 0};  // rounded
  EXPECT_EQ(remaining(steps_of(1, 2), 2.5), even);
  EXPECT_EQ(remaining(steps_of(0, 2), 2.5), even);
}

TEST(ScriptProgress, AnEpochInALineBeforeItsSteps) {
  EXPECT_EQ(remaining({"Epoch 1/2\n", "Step 50/100 loss 3\n", "Step 100/100 loss 2\n", "Epoch 2/2\n", "Step 50/100 loss 1\n"}, 5), std::vector<double>({-1, 15, 10, 15, 7}));
}

TEST(ScriptProgress, AnEpochInALineAtItsEnd) {
  EXPECT_EQ(remaining({"Epoch 1/4, loss: 3\n", "Epoch 2/4, loss: 2\n", "Epoch 3/4, loss: 1\n", "Epoch 4/4, loss: 1\n"}, 10), std::vector<double>({-1, 20, 10, 0}));
  EXPECT_EQ(remaining({" 50%|##   | 50/100 [00:05<00:05, 10.0it/s, loss=3]\n", "Epoch 1/4, loss: 3\n", " 50%|##   | 50/100 [00:05<00:05, 10.0it/s, loss=2]\n", "Epoch 2/4, loss: 2\n"}, 5).back(), 20);
}

}  // namespace
}  // namespace ringlab
