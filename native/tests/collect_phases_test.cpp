// Of which part of the data, and of which name, a printed number is.
#include <gtest/gtest.h>

#include "tests/printed_lines.h"

namespace ringlab {
namespace {

/// What the validation found was drawn as the training's.
TEST(PrintedPhases, APhaseBeforeASignIsThatOfTheNamesBehindIt) {
  EXPECT_EQ(read("Epoch 1 | Train: loss=0.500 acc=0.90 | Val: loss=0.800 acc=0.70\n"), Lines({"-|1|train/loss=0.5 train/acc=0.9 val/loss=0.8 val/acc=0.7"}));
  for (const std::string line : {"Train - Loss: .5 | Val - Loss: .6", "Train (Loss .5) | Val (Loss .6)", "Train [Loss .5] Val [Loss .6]", "Train=> Loss .5, Val=> Loss .6", "Train | Loss .5 | Val | Loss .6", "Train set: Loss .5, Validation set: Loss .6"}) {
    EXPECT_EQ(read(line + "\n"), Lines({"-|-|train/Loss=0.5 val/Loss=0.6"})) << line;
  }
  EXPECT_EQ(read("训练：损失 0.5，验证：损失 0.6\n"), Lines({"-|-|train/损失=0.5 val/损失=0.6"}));
  EXPECT_EQ(read("Epoch 2 | Train: loss 0.5 | Val: loss 0.6 | lr: 0.1\n"), Lines({"-|2|train/loss=0.5 val/loss=0.6 train/lr=0.1"}));
  EXPECT_EQ(read("Epoch: 1, loss: 0.5, Train: 0.95, Val: 0.93, acc: 0.25\n"), Lines({"-|1|loss=0.5 Train=0.95 Val=0.93 acc=0.25"})) << "values";
  EXPECT_EQ(read("2026-11-23 14:22:33,123 - train - INFO - Epoch 1 loss: 0.5 - val: loss: 0.6\n"), Lines({"-|1|train/loss=0.5 val/loss=0.6"})) << "a logger's name";
}

TEST(PrintedPhases, ANameThatRepeats) {
  EXPECT_EQ(read("train_loss: .5, acc: .9, val_loss: .6, acc: .8\n"), Lines({"-|-|train_loss=0.5 acc=0.9 val_loss=0.6 val/acc=0.8"}));
  EXPECT_EQ(read("loss: 0.5, loss: 0.25\n"), Lines({"-|-|loss=0.5"})) << "not known whose";
}

}  // namespace
}  // namespace ringlab
