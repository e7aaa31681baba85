// Progress bars as scripts describe them.
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "tests/printed_lines.h"

namespace ringlab {
namespace {

/// Bars of tqdm at these counts of `of`, `loss` with the count's tenth where it has one.
std::string bars(const std::vector<int>& counts, int of, const std::string& description = "", bool loss = false) {
  std::string text;
  for (const int at : counts) {
    text += description + " 10%|\xE2\x96\x88         | " + std::to_string(at) + "/" + std::to_string(of) + " [00:01<00:09, 10.0it/s" + (loss ? ", loss=" + std::to_string(at) : "") + "]\r";
  }
  return text;
}

/// `loop.set_description(f"Epoch [{epoch}/{num_epochs}]")` with `loop.set_postfix(acc=…, loss=…)`: aladdinpersson's Machine-Learning-Collection, Basics/pytorch_progress_bar.py.
TEST(PrintedBars, TheEpochInBracketsIsTheScripts) {
  const std::string bar = "|\xE2\x96\x88         | ";
  LogReader reader;
  EXPECT_EQ(read(reader, "Epoch [0/3]:  10%" + bar + "94/938 [00:01<00:09, 90.0it/s, acc=0.5, loss=2.31]\r"), Lines({"94|0|acc=0.5 loss=2.31"}));
  ASSERT_NE(reader.progress(), nullptr);
  EXPECT_EQ(reader.progress()->step, 94);
  EXPECT_EQ(reader.progress()->steps, 938);
  EXPECT_EQ(reader.progress()->epoch, 0);
  EXPECT_EQ(reader.progress()->epochs, 3);
  EXPECT_EQ(read(reader, "Epoch [1/3]:  10%" + bar + "94/938 [00:01<00:09, 90.0it/s, acc=0.6, loss=2.01]\r"), Lines({"1032|1|acc=0.6 loss=2.01"}));
  EXPECT_EQ(read("Train Epoch [1/10]:  50%" + bar + "5/10 [00:01<00:01,  5.0it/s, loss=0.5]\rValid Epoch [1/10]: 100%" + bar + "2/2 [00:01<00:00,  5.0it/s, loss=0.4]\n"), Lines({"5|1|train/loss=0.5", "5|1|val/loss=0.4"}));
  // ignite's has its count before the bar, and its values behind it.
  EXPECT_EQ(read("Epoch [2/3]: [27/32]  84%|\xE2\x96\x88\xE2\x96\x8D , batch loss=0.22, n=4 [00:00<00:00]\r"), Lines({"27|2|batch loss=0.22 n=4"}));
}

TEST(PrintedBars, PercentsInTheDescription) {
  const std::string bar = "|\xE2\x96\x88         | ";
  EXPECT_EQ(read("Epoch 1 | acc: 91.25% | loss: 0.512:  10%" + bar + "10/100 [00:01<00:09, 10.0it/s]\r"), Lines({"10|1|acc=91.25 loss=0.512"}));
  EXPECT_EQ(read("Acc: 50%:  10%" + bar + "10/100 [00:01<00:09, 10.0it/s]\r"), Lines({"10|-|Acc=50"}));
  EXPECT_EQ(read("Epoch [2/3]: [27/32]  84%" + bar + ", acc=91% [00:00<00:00]\r"), Lines({"27|2|acc=91"})) << "ignite";
}

/// tqdm over an iterator without a length, Lightning over an IterableDataset.
TEST(PrintedBars, WithoutATotal) {
  EXPECT_EQ(read("0it [00:00, ?it/s]\r60it [00:05, 12.0it/s, loss=0.75]\r120it [00:10, 12.0it/s, loss=0.5]\n0it [00:00, ?it/s]\r60it [00:05, 12.0it/s, loss=0.25]\n"), Lines({"60|-|loss=0.75", "120|-|loss=0.5", "180|-|loss=0.25"}));
  EXPECT_EQ(read("Epoch 1: 120batch [00:10, 12.0batch/s, loss=0.5]\nEpoch 2: 60batch [00:10, 12.0batch/s, loss=0.5]\n"), Lines({"120|1|loss=0.5", "180|2|loss=0.5"}));
  LogReader reader;
  EXPECT_EQ(read(reader, "Epoch 0: |          | 120/? [00:10<00:00, 12.00it/s, v_num=0, train_loss=0.5]\rEpoch 1: |          | 60/? [00:05<00:00, 12.00it/s, v_num=0, train_loss=0.25]\r"), Lines({"120|0|train_loss=0.5", "180|1|train_loss=0.25"}));
  EXPECT_EQ(reader.progress()->step, 60);
  EXPECT_FALSE(reader.progress()->steps);
  EXPECT_EQ(read("9.91MB [00:01, 9.00MB/s]\r1.20kit [00:01, 9.00kit/s]\rDownloading: 120it [00:10, 12.0it/s]\r1.20kit [00:01, 9.00kit/s, loss=3]\n"), Lines());
}

TEST(PrintedBars, WordsOfPreparationBesideMetrics) {
  const std::string bar = "|\xE2\x96\x88         | ";
  EXPECT_EQ(read("Epoch 1 loss 0.512 mAP 0.31:  10%" + bar + "10/100 [00:01<00:09, 10.0it/s]\r"), Lines({"10|1|loss=0.512 mAP=0.31"}));
  EXPECT_EQ(read("loss: 0.5 | tokens: 102400:  10%" + bar + "10/100 [00:01<00:09, 10.0it/s]\r"), Lines({"10|-|loss=0.5 tokens=102400"}));
  EXPECT_EQ(read("Generator loss 0.5, discriminator loss 0.25:  10%" + bar + "10/100 [00:01<00:09, 10.0it/s]\r"), Lines({"10|-|Generator loss=0.5 discriminator loss=0.25"}));
  EXPECT_EQ(read("Processing epoch 1:  10%" + bar + "10/100 [00:01<00:09, 10.0it/s, loss=0.5]\r"), Lines({"10|1|loss=0.5"}));
  EXPECT_EQ(read("Loading weights:  10%" + bar + "10/100 [00:01<00:09, 10.0it/s]\rGenerating train split: 10%" + bar + "10/100 [00:01<00:09, 10.0 examples/s]\r"), Lines());
}

/// YOLOv5 7.0's bar_format, `{l_bar}{bar:10}| {n_fmt}/{total_fmt} {elapsed}`, which YOLOv9 and forks keep.
TEST(PrintedBars, OfTheScriptsOwnForm) {
  const std::string bar = "|\xE2\x96\x88\xE2\x96\x88\xE2\x96\x88| ";
  LogReader reader;
  EXPECT_EQ(read(reader, "      Epoch    GPU_mem   box_loss   obj_loss   cls_loss  Instances       Size\n       1/99      2.51G      0.174      0.532      0.216         70        640:  50%" + bar + "4/8 00:02\r       1/99      2.51G        0.1        0.5        0.2         70        640: 100%" + bar + "8/8 00:04\n"),
            Lines({"4|1|train/box_loss=0.174 train/obj_loss=0.532 train/cls_loss=0.216", "8|1|train/box_loss=0.1 train/obj_loss=0.5 train/cls_loss=0.2"}));
  EXPECT_EQ(read(reader, "                 Class     Images  Instances          P          R      mAP50   mAP50-95: 100%" + bar + "4/4 00:01\n                   all        128        929      0.668       0.54      0.617       0.46\n"), Lines({"8|1|val/P=0.668 val/R=0.54 val/mAP50=0.617 val/mAP50-95=0.46"}));
  EXPECT_EQ(read(reader, "      Epoch    GPU_mem   box_loss   obj_loss   cls_loss  Instances       Size\n       2/99      2.51G        0.1        0.4        0.2         70        640:  50%" + bar + "4/8 00:02\r"), Lines({"12|2|train/box_loss=0.1 train/obj_loss=0.4 train/cls_loss=0.2"}));
  EXPECT_EQ(read("Epoch 2: 100%" + bar + "8/8 [2.0it/s, loss=0.5]\n"), Lines({"8|2|loss=0.5"}));
}

/// transformers' Trainer: 30 steps, and evaluations of 125 batches inside of them. Their batches were taken for steps.
TEST(PrintedBars, AnEvaluationLongerThanTheTraining) {
  LogReader reader;
  EXPECT_EQ(read(reader, bars({0, 1, 5, 10}, 30) + "{'loss': 3, 'epoch': 1.0}\n" + bars({1, 60, 125}, 125) + "{'eval_loss': 4, 'epoch': 1.0}\n"), Lines({"10|1|loss=3", "10|1|eval_loss=4"}));
  LogReader restored;
  restored.restore(reader.state());
  for (LogReader* each : {&reader, &restored}) {
    // Two sets are evaluated, and the second time the training is complete.
    EXPECT_EQ(read(*each, bars({11, 20}, 30) + "{'loss': 2, 'epoch': 2.0}\n" + bars({1, 60, 125}, 125) + bars({1, 60, 125}, 125) + "{'eval_loss': 3, 'epoch': 2.0}\n" + bars({21, 30}, 30) + bars({1, 125}, 125) + "{'eval_loss': 2, 'epoch': 3.0}\n"),
              Lines({"20|2|loss=2", "20|2|eval_loss=3", "30|3|eval_loss=2"}));
    EXPECT_EQ(each->progress()->step, 30);
    EXPECT_EQ(each->progress()->steps, 30);
  }
}

TEST(PrintedBars, ABarInsideOfEpochsAndOneAfterAnother) {
  EXPECT_EQ(read(bars({0}, 3) + bars({50, 100}, 100, "", true) + bars({1}, 3) + bars({50, 100}, 100, "", true) + "val loss: 1\n"), Lines({"50|-|loss=50", "100|-|loss=100", "150|-|loss=50", "200|-|loss=100", "200|-|val/loss=1"})) << "of epochs";
  EXPECT_EQ(read("Epoch 1\n" + bars({5, 7}, 50, "Find rate") + bars({50, 100}, 100, "", true) + "Epoch 2\n" + bars({50}, 100, "", true) + "val loss: 1\n"), Lines({"50|1|loss=50", "100|1|loss=100", "150|2|loss=50", "150|2|val/loss=1"})) << "one that was given up";
}

/// `for x in tqdm(train)` and `for x in tqdm(val)`, both with a loss: the second one's was drawn at the training's first steps.
TEST(PrintedBars, AnEvaluationWithoutAName) {
  const std::string epoch = bars({20, 40}, 40, "", true) + bars({2, 10}, 10, "", true);
  EXPECT_EQ(read(epoch + epoch), Lines({"20|-|loss=20", "40|-|loss=40", "40|-|test/loss=10", "60|-|loss=20", "80|-|loss=40", "80|-|test/loss=10"}));
  EXPECT_EQ(read("Epoch 1\n" + bars({20, 40}, 40, "", true) + bars({10, 30}, 30, "", true) + "Epoch 2\n" + bars({20, 40}, 40, "", true)), Lines({"20|1|loss=20", "40|1|loss=40", "40|1|test/loss=30", "60|2|loss=20", "80|2|loss=40"}));
  // A training whose epochs differ, and one behind a loop that prepares.
  EXPECT_EQ(read(bars({20, 40}, 40, "", true) + bars({20, 38}, 38, "", true)).back(), "38|-|loss=38");
  EXPECT_EQ(read(bars({500, 1000}, 1000) + bars({5, 10}, 10, "", true)), Lines({"5|-|loss=5", "10|-|loss=10"}));
}

TEST(PrintedBars, KerasEvaluates) {
  const auto lines = [](int epoch, int of) { return "Epoch " + std::to_string(epoch) + "/2\n" + std::to_string(of / 2) + "/" + std::to_string(of) + " [===>....] - ETA: 1s - loss: 2\n" + std::to_string(of) + "/" + std::to_string(of) + " [=======] - 1s 2ms/step - loss: 1\n"; };
  const std::string evaluated = "1/4 [=>.....] - ETA: 0s - loss: 0.5\n4/4 [=======] - 0s 2ms/step - loss: 0.55\n";
  EXPECT_EQ(read(lines(1, 20) + lines(2, 20) + evaluated + lines(1, 8)), Lines({"10|1|loss=2", "20|1|loss=1", "30|2|loss=2", "40|2|loss=1", "40|2|test/loss=0.55", "44|1|loss=2", "48|1|loss=1"}));
}

}  // namespace
}  // namespace ringlab
