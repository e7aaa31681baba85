// Progress bars as scripts describe them.
#include <gtest/gtest.h>

#include "tests/printed_lines.h"

namespace ringlab {
namespace {

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

}  // namespace
}  // namespace ringlab
