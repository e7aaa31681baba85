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

/// Accelerate's examples print `epoch 0: {'accuracy': …}`: text before a dict said nothing.
TEST(PrintedPhases, TextBeforeADict) {
  EXPECT_EQ(read("epoch 0: {'accuracy': 0.5}\nepoch 1: {'accuracy': 0.6}\n"), Lines({"-|0|accuracy=0.5", "-|1|accuracy=0.6"}));
  EXPECT_EQ(read("train: {'mae': 1.0}\nval: {'mae': 2.0}\nEpoch 3 val {'loss': 0.5}\n"), Lines({"-|-|train/mae=1", "-|-|val/mae=2", "-|3|val/loss=0.5"}));
  EXPECT_EQ(read("step 10 loss: 1\nstep 100 {'loss': 0.5}\nloss: 0.4\n"), Lines({"10|-|loss=1", "100|-|loss=0.5", "100|-|loss=0.4"}));
  EXPECT_EQ(read("step 100 {'loss': 0.5, 'epoch': 2.0}\nstep 100 {'loss': 0.5, 'epoch': 2.0, 'step': 110}\n"), Lines({"100|2|loss=0.5", "110|2|loss=0.5"}));
  EXPECT_EQ(read("Epoch 2 Train {'loss': 0.5} Val {'loss': 0.6, 'of': {'acc': 0.9}}\n"), Lines({"-|2|train/loss=0.5 val/loss=0.6 val/of/acc=0.9"}));
  EXPECT_EQ(read("Training is done. Test metrics: {'acc': 0.9}\n2026-11-23 14:22:33,123 - INFO - trainer.py:45 - {'loss': 0.5}\n"), Lines({"-|-|test/acc=0.9", "-|-|loss=0.5"}));
  EXPECT_EQ(read("Epoch 7 {'lr': 0.1}\nit's {'name': '}', 'loss': 0.5}\n{'loss': 0.5\n"), Lines({"-|-|loss=0.5"}));
}

/// 3D Gaussian Splatting evaluates two sets at a step: both were val/PSNR.
TEST(PrintedPhases, TheEvaluatedSet) {
  EXPECT_EQ(read("[ITER 7000] Evaluating test: L1 0.02 PSNR 22.5\n[ITER 7000] Evaluating train: L1 0.02 PSNR 24.5\n"), Lines({"7000|-|test/PSNR=22.5", "7000|-|train/PSNR=24.5"}));
  EXPECT_EQ(read("Evaluating train set: loss .3\nEvaluating test set: loss .4\nEvaluation on the training set - loss .3\neval | test loss .4\n"), Lines({"-|-|train/loss=0.3", "-|-|test/loss=0.4", "-|-|train/loss=0.3", "-|-|test/loss=0.4"}));
  EXPECT_EQ(read("Evaluation after training: loss .3\nEvaluate: loss .4\nEvaluation results: epoch 3 train_loss 0.5 loss .4\n"), Lines({"-|-|val/loss=0.3", "-|-|val/loss=0.4", "-|3|train_loss=0.5 val/loss=0.4"}));
  EXPECT_EQ(read("step 10/100 loss 1\nEvaluating train: step 5/20 loss 2\nloss 3\n"), Lines({"10|-|loss=1", "10|-|train/loss=2", "10|-|loss=3"}));
  EXPECT_EQ(read("Epoch 3 evaluation: train acc 0.9 test acc 0.8\nloss 1\n"), Lines({"-|3|train/acc=0.9 test/acc=0.8", "-|3|loss=1"}));
  const std::string bar = "|\xE2\x96\x88         | ";
  EXPECT_EQ(read("Train: 100%" + bar + "40/40 [00:01<00:09, 90.0it/s, loss=1]\rEvaluating train: 100%" + bar + "10/10 [00:01<00:00, 90.0it/s, loss=2]\rEvaluating test: 100%" + bar + "10/10 [00:01<00:00, 90.0it/s, loss=3]\r"), Lines({"40|-|train/loss=1", "40|-|train/loss=2", "40|-|test/loss=3"}));
}

/// NVIDIA's Tacotron 2: its steps were drawn as the loss.
TEST(PrintedNames, AStepBetweenANameAndItsValue) {
  EXPECT_EQ(read("Train loss 100 0.500000 Grad Norm 1.250000 1.00s/it\nValidation loss 100:  0.450000  \n"), Lines({"100|-|train/loss=0.5 train/Grad Norm=1.25", "100|-|val/loss=0.45"}));
  EXPECT_EQ(read("iou 45 67 88\nloss 100\nEpoch 3 psnr 25 0.9\n"), Lines({"-|-|iou=45", "-|-|loss=100", "-|3|psnr=25"}));
}

TEST(PrintedNames, OfTwoNumbersTheFirst) {
  EXPECT_EQ(read("Epoch 1 acc: 0.91/0.93 loss: 0.35/0.42\nEpoch 2 loss: 0.42/0.35 acc: 93/100\nEpoch 3 loss: 3/4\n"), Lines({"-|1|acc=0.91 loss=0.35", "-|2|loss=0.42 acc=93", "-|3|loss=3"}));
}

/// A run that has diverged had no loss any more.
TEST(PrintedNames, NanBehindItsName) {
  EXPECT_EQ(read("iter 1: loss nan, time 12.00ms\nstep 250: train loss nan, val loss nan\nEpoch 2 loss nan\nEpoch 3 loss -inf acc 0.5\n"),
            Lines({"1|-|loss=\"NaN\" time=12", "250|-|train/loss=\"NaN\" val/loss=\"NaN\"", "250|2|loss=\"NaN\"", "250|3|loss=\"-Infinity\" acc=0.5"}));
  EXPECT_EQ(read("Train loss 101 nan Grad Norm 1.25\n"), Lines({"101|-|train/loss=\"NaN\" train/Grad Norm=1.25"}));
  EXPECT_EQ(read("loss inf\nEpoch 2 loss became nan\nEpoch 2 is nan\n"), Lines());
}

/// milesial's Pytorch-UNet has `loss (batch)` in its bar.
TEST(PrintedNames, AWordInBrackets) {
  EXPECT_EQ(read("Epoch 1/5:  10%|\xE2\x96\x88         | 94/938 [00:01<00:09, 90.0img/s, loss (batch)=0.05]\r"), Lines({"94|1|loss (batch)=0.05"}));
  EXPECT_EQ(read("Loss(train): 0.5 Loss(val): 0.4\nval loss (train): 0.5\n损失（验证）：0.4\n"), Lines({"-|-|train/Loss=0.5 val/Loss=0.4", "-|-|val/loss (train)=0.5", "-|-|val/损失=0.4"}));
  EXPECT_EQ(read("Accuracy (%): 91.2 loss(MSE) = 0.5 acc (top-1): 3\nTrain (EMA): loss 0.5, Val (EMA): loss 0.6\n"), Lines({"-|-|Accuracy (%)=91.2 loss(MSE)=0.5 acc (top-1)=3", "-|-|train/loss=0.5 val/loss=0.6"}));
  EXPECT_EQ(read("loss (see above): 3\nloss () = 3\nloss (mean) 3\n"), Lines());
}

/// The best epoch's values were points of the current one.
TEST(PrintedNames, ValuesOfTheBestEpoch) {
  EXPECT_EQ(read("Epoch 5 loss 0.5\nBest: epoch 3, acc 0.9, loss 0.2\nBest epoch: 3 with val_loss 0.2\nBest (epoch 3) - Val: loss 0.2\nBest model at step 100: loss=0.25\n"),
            Lines({"-|5|loss=0.5", "-|5|best acc=0.9 best loss=0.2", "-|5|best val_loss=0.2", "-|5|best val/loss=0.2", "-|5|best loss=0.25"}));
  EXPECT_EQ(read("Epoch 5 loss 0.5\nBest val metrics: {'acc': 0.9, 'epoch': 3, 'step': 30}\nloss: 0.4\n"), Lines({"-|5|loss=0.5", "-|5|val/best acc=0.9", "-|5|loss=0.4"}));
  EXPECT_EQ(read("Epoch 5 best acc: 0.9, loss: 0.5\nEpoch 5 loss 0.5 (best 0.4) acc 0.9\nEpoch 5 loss: 0.5, best: 0.4, acc: 0.9\n"), Lines({"-|5|best acc=0.9 loss=0.5", "-|5|loss=0.5 acc=0.9", "-|5|loss=0.5 best=0.4 acc=0.9"}));
}

}  // namespace
}  // namespace ringlab
