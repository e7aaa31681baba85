// Steps and epochs of printed lines over a whole run: which lines say where it is, and how counts go on that start again.
#include <gtest/gtest.h>

#include "tests/printed_lines.h"

namespace ringlab {
namespace {

/// What Hugging Face's Trainer, torchtitan, PyTorch's examples and many others say before they train, or while they save.
TEST(PrintedSteps, NumbersOfAllAreNoPlaces) {
  for (const std::string start : {"  Total optimization steps = 375", "Max steps: 1000", "Save checkpoint at step 1000", "Training steps: 1000", "Batch 64", "grad accum steps: 16", "  Num Epochs = 3", "Total epochs: 10", "=> loaded checkpoint 'x' (epoch 90)", "steps per epoch: 100",
                                  "Epochs: 10, lr: 0.001, batch size: 32", "Start training from epoch 5", "[GPU0] saved at epoch 4"}) {
    EXPECT_EQ(read(start + "\nstep 10 loss 2.5\nval loss 2.25\n"), Lines({"10|-|loss=2.5", "10|-|val/loss=2.25"})) << start;
  }
}

/// `[GPU0] Epoch 3 | Batchsize: …` is PyTorch's tutorial of several GPUs, `Start of epoch` Keras' guide.
TEST(PrintedSteps, LinesThatBeginWithTheirEpoch) {
  LogReader reader;
  for (const std::string line : {"Epoch 3/10", "Epoch: 3", "----- Epoch 3 -----", "[GPU0] Epoch 3 | Batchsize: 32 | Steps: 2048", "[rank0]: Epoch 3", "Starting epoch 3", "Start of epoch 3", "Training epoch 3", "2026-11-23 14:22:33,123 - root - INFO - Epoch 3", "INFO:root:Epoch 3",
                                 "2026-11-23T14:22:33 trainer: Epoch 3", "I1123 14:22:33.123456 4711 train.py:12] Epoch 3", "Rank 1, Epoch 3", "(Epoch 3 / 30)"}) {
    EXPECT_EQ(read(line + "\nloss: 0.5\n"), Lines({"-|3|loss=0.5"})) << line;
  }
  EXPECT_EQ(read("Step 100/600\nloss: 0.5\n"), Lines({"100|-|loss=0.5"}));
  EXPECT_EQ(read("Fold 2, Epoch [1/5], Step [100/600]\nloss: 0.5\n2026-11-23 14:22:33 train.py Epoch 2, Step 100\nloss: 0.25\n"), Lines({"100|1|loss=0.5", "700|2|loss=0.25"}));
}

TEST(PrintedSteps, RanksInOneLog) {
  EXPECT_EQ(read("step 10 loss 3\nstep 9 loss 3\nstep 11 loss 2\nstep 10 loss 2\nstep 12 loss 1\nstep 11 loss 1\n"), Lines({"10|-|loss=3", "9|-|loss=3", "11|-|loss=2", "10|-|loss=2", "12|-|loss=1", "11|-|loss=1"}));
  const auto bar = [](int at, int loss) { return " 44%|##   | " + std::to_string(at) + "/100 [00:01<00:01, 32.1it/s, loss=" + std::to_string(loss) + "]\r"; };
  EXPECT_EQ(read(bar(44, 1) + bar(43, 2) + bar(46, 3) + bar(45, 4)), Lines({"44|-|loss=1", "43|-|loss=2", "46|-|loss=3", "45|-|loss=4"}));
  // One is in the next epoch already.
  EXPECT_EQ(read(bar(98, 1) + bar(99, 2) + bar(100, 3) + bar(0, 4) + bar(100, 5) + bar(1, 6) + bar(0, 7) + bar(2, 8)), Lines({"98|-|loss=1", "99|-|loss=2", "100|-|loss=3", "100|-|loss=4", "100|-|loss=5", "101|-|loss=6", "100|-|loss=7", "102|-|loss=8"}));
  EXPECT_EQ(read("Epoch 1 [10/100] loss 4\nEpoch 1 [100/100] loss 3\nEpoch 2 [10/100] loss 2\nEpoch 1 [100/100] loss 3.5\nEpoch 2 [20/100] loss 1\n"), Lines({"10|1|loss=4", "100|1|loss=3", "110|2|loss=2", "100|1|loss=3.5", "120|2|loss=1"}));
}

/// torchrun's own restart, which no line of the launcher marks.
TEST(PrintedSteps, StartedAgainByTorchrun) {
  EXPECT_EQ(read("step 90 loss 2\nstep 100 loss 1\nstep 51 loss 3\nstep 60 loss 2\n"), Lines({"90|-|loss=2", "100|-|loss=1", "51|-|loss=3", "60|-|loss=2"}));
  std::string half;
  for (int step = 10; step <= 600; step += 10) half += "step " + std::to_string(step) + "/1000 loss 1\n";
  EXPECT_EQ(read(half + "step 210/1000 loss 2\n").back(), "210|-|loss=2");
  EXPECT_EQ(read("Epoch 1 [10/100] loss 4\nEpoch 2 [10/100] loss 3\nEpoch 3 [10/100] loss 2\nEpoch 2 [20/100] loss 3\nEpoch 3 [10/100] loss 2\nEpoch 4 [10/100] loss 1\n"), Lines({"10|1|loss=4", "110|2|loss=3", "210|3|loss=2", "120|2|loss=3", "210|3|loss=2", "310|4|loss=1"}));
}

TEST(PrintedSteps, CountsThatStartAgainInEachEpoch) {
  // Without a word of epochs.
  EXPECT_EQ(read("iter 100/300 loss 4\niter 300/300 loss 3\niter 100/300 loss 2\n"), Lines({"100|-|loss=4", "300|-|loss=3", "400|-|loss=2"}));
  EXPECT_EQ(read("iter 0 loss 4\niter 100 loss 3\niter 900 loss 2\niter 0 loss 1\niter 100 loss 1\n"), Lines({"0|-|loss=4", "100|-|loss=3", "900|-|loss=2", "900|-|loss=1", "1000|-|loss=1"}));
  // The epoch in a line of its own, before the steps or behind them.
  EXPECT_EQ(read("Epoch 1\niter 100 loss 4\niter 200 loss 3\nEpoch 2\niter 100 loss 2\n"), Lines({"100|1|loss=4", "200|1|loss=3", "300|2|loss=2"}));
  EXPECT_EQ(read("iter 100 loss 4\niter 200 loss 3\nEpoch 1 loss 3.5\niter 100 loss 2\n"), Lines({"100|-|loss=4", "200|-|loss=3", "200|1|loss=3.5", "300|1|loss=2"}));
  // One step an epoch.
  EXPECT_EQ(read("Epoch 1\nBatch 391/391 loss 2\nEpoch 2\nBatch 391/391 loss 1\n"), Lines({"391|1|loss=2", "782|2|loss=1"}));
  // A bar of the whole run, drawn again as its description changes.
  EXPECT_EQ(read("Epoch 0:   8%|#  | 8/100 [00:01<00:01, 3.1it/s, loss=3]\rEpoch 0:  10%|#  | 10/100 [00:01<00:01, 3.1it/s, loss=2]\rEpoch 1:  10%|#  | 10/100 [00:01<00:01, 3.1it/s, loss=1]\rEpoch 1:  11%|#  | 11/100 [00:01<00:01, 3.1it/s, loss=1]\r"), Lines({"8|0|loss=3", "10|0|loss=2", "10|1|loss=1", "11|1|loss=1"}));
  // The next fold of a cross-validation.
  EXPECT_EQ(read("Epoch 1/2 [10/100] loss 4\nEpoch 2/2 [10/100] loss 3\nFold 2\nEpoch 1/2 [10/100] loss 4\nEpoch 2/2 [10/100] loss 3\n"), Lines({"10|1|loss=4", "110|2|loss=3", "210|1|loss=4", "310|2|loss=3"}));
}

/// litgpt's `step 600: val loss`, fairseq's line of a valid subset.
TEST(PrintedSteps, EvaluationsAtAStep) {
  EXPECT_EQ(read("step 200: val loss 2.25, train loss 2.2\nloss 2.1\n"), Lines({"200|-|val/loss=2.25 train/loss=2.2", "200|-|loss=2.1"}));
  EXPECT_EQ(read("step 500 loss 2\nEval step 1000 | loss 1.9\nstep 1010 loss 1.8\n"), Lines({"500|-|loss=2", "1000|-|val/loss=1.9", "1010|-|loss=1.8"}));
  EXPECT_EQ(read("iter 800 loss 2\nstep 600: val loss 1.6\niter 801 loss 2\n"), Lines({"800|-|loss=2", "600|-|val/loss=1.6", "801|-|loss=2"}));
  EXPECT_EQ(read("2024-01-01 12:00:00 | INFO | train_inner | epoch 001:    100 / 5000 loss=8.5, num_updates=100\n2024-01-01 12:10:00 | INFO | valid | epoch 001 | valid on 'valid' subset | loss 8.25 | ppl 304.5 | num_updates 5000\n"),
            Lines({"100|1|loss=8.5", "5000|1|val/loss=8.25 val/ppl=304.5"}));
  // Batches of the evaluation itself.
  EXPECT_EQ(read("step 500 loss 2\nEval step 10 | loss 1.9\nStep 5/20 val loss 1.8\n"), Lines({"500|-|loss=2", "500|-|val/loss=1.9", "500|-|val/loss=1.8"}));
  EXPECT_EQ(read("Epoch 1 step 100 loss 3\nEpoch 2 step 50 loss 2\nEpoch 2 step 50: val loss 1.5\nValidation step 60 loss 1.6\n"), Lines({"100|1|loss=3", "150|2|loss=2", "150|2|val/loss=1.5", "160|2|val/loss=1.6"}));
  EXPECT_EQ(read("epoch 1, step 200: loss=3\nepoch 2, step 100: loss=2\nstep 300 eval loss=1.5\n"), Lines({"200|1|loss=3", "300|2|loss=2", "300|2|val/loss=1.5"}));
}

TEST(PrintedSteps, DictsWhoseStepsStartAgain) {
  EXPECT_EQ(read("{'epoch': 1, 'step': 50, 'loss': 2.5}\n{'epoch': 1, 'step': 100, 'loss': 2}\n{'mode': 'val', 'epoch': 1, 'step': 20, 'loss': 1.75}\n{'epoch': 2, 'step': 50, 'loss': 1.3}\n{'epoch': 2, 'global_step': 150, 'loss': 1.25}\n"),
            Lines({"50|1|loss=2.5", "100|1|loss=2", "100|1|val/loss=1.75", "150|2|loss=1.3", "150|2|loss=1.25"}));
}

/// DeepSpeed names the same step twice, once with its epoch.
TEST(PrintedSteps, TheSameStepTwice) {
  const std::string again = "[2024-01-01 12:00:00,000] [INFO] [timer.py:199:stop] epoch=0/micro_step=10/global_step=10, RunningAvgSamplesPerSec=10.5\n";
  EXPECT_EQ(read("[2024-01-01 12:00:00,000] [INFO] [logging.py:96:log_dist] [Rank 0] step=10, loss=2.5\n" + again), Lines({"10|-|loss=2.5", "10|0|micro_step=10 RunningAvgSamplesPerSec=10.5"}));
}

TEST(PrintedSteps, StateContinuesWithoutEpochs) {
  LogReader first;
  read(first, "iter 0/200 loss 4\niter 100/200 loss 3\niter 199/200 loss 2\niter 0/200 loss 3\n");
  LogReader second;
  second.restore(first.state());
  EXPECT_EQ(second.state(), first.state());
  EXPECT_EQ(read(second, "iter 100/200 loss 2\niter 90/200 loss 2\niter 199/200 loss 2\niter 0/200 loss 1\n"), Lines({"300|-|loss=2", "290|-|loss=2", "399|-|loss=2", "400|-|loss=1"}));
}

TEST(PrintedSteps, NamedFractionsAreNoSteps) {
  EXPECT_EQ(read("Epoch 1 | Rank: 1/2 | patience: 0/10 | val_loss: 2.0\nloss: 1.5\n"), Lines({"-|1|val_loss=2", "-|1|loss=1.5"}));
  EXPECT_EQ(read("Epoch 2 | mem: 3.5/10.7 GB | loss 0.5\nEpoch 2 | 3.5/10.7 | loss 0.5\nEpoch 1 correct: 9904/10000 loss 0.5\n"), Lines({"-|2|loss=0.5", "-|2|loss=0.5", "-|1|loss=0.5"}));
  EXPECT_EQ(read("Epoch 1 | 10/100 | loss 0.5\nEpoch 1 train 20/100 loss 0.5\nEpoch 1 samples: 30/100 loss 0.5\n"), Lines({"10|1|loss=0.5", "20|1|train/loss=0.5", "30|1|loss=0.5"}));
}

/// PyTorch's schedulers with `verbose=True` count their own calls.
TEST(PrintedSteps, ASchedulersCountIsNoEpoch) {
  EXPECT_EQ(read("Epoch 1/5\nloss: 0.5\nEpoch 00010: reducing learning rate of group 0 to 1.0000e-03.\nloss: 0.4\nEpoch    20: adjusting learning rate of group 0 to 1.0000e-03.\nloss: 0.3\n"), Lines({"-|1|loss=0.5", "-|1|loss=0.4", "-|1|loss=0.3"}));
}

/// fairseq's JSON logs.
TEST(PrintedSteps, NumUpdatesAreSteps) {
  EXPECT_EQ(read("2024-01-01 12:00:00 | INFO | train_inner | {\"epoch\": 1, \"loss\": \"9.8\", \"num_updates\": \"100\"}\n2024-01-01 12:00:00 | INFO | valid | {\"epoch\": 1, \"valid_loss\": \"9.5\", \"valid_num_updates\": \"150\"}\n"
                 "2024-01-01 12:00:00 | INFO | train | {\"epoch\": 1, \"train_loss\": \"9.6\", \"train_num_updates\": \"150\"}\n"),
            Lines({"100|1|loss=9.8", "150|1|valid_loss=9.5", "150|1|train_loss=9.6"}));
}

/// guided-diffusion, OpenAI's Baselines, Spinning Up.
TEST(PrintedSteps, OfTables) {
  EXPECT_EQ(read("------------------\n| grad_norm | 0.25 |\n| loss | 0.5 |\n| step | 500 |\n------------------\nloss: 0.4\n"), Lines({"500|-|grad_norm=0.25 loss=0.5", "500|-|loss=0.4"}));
  EXPECT_EQ(read("| loss/policy_loss | 3 |\n| misc/total_timesteps | 128 |\n---\n| loss | 2 |\n| total_timesteps | 256 |\n| step | 2 |\n---\n"), Lines({"128|-|loss/policy_loss=3", "256|-|loss=2"}));
  EXPECT_EQ(read("| Epoch | 1 |\n| LossPi | 0.5 |\n---\n"), Lines({"-|1|LossPi=0.5"}));
  EXPECT_EQ(read("| epoch | 90 |\n| lr | 0.1 |\n---\n| steps | 1000 |\n| batch | 64 |\n| loss | 0.5 |\n---\n"), Lines({"-|-|steps=1000 batch=64 loss=0.5"})) << "settings, numbers of all";
}

}  // namespace
}  // namespace ringlab
