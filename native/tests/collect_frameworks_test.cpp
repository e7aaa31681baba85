// What the libraries and projects print that people train with: their lines as they print them.
#include <gtest/gtest.h>

#include "tests/printed_lines.h"

namespace ringlab {
namespace {

TEST(Printed, OpenMmlab) {
  LogReader reader;
  EXPECT_EQ(read(reader, "2023/05/01 12:00:00 - mmengine - INFO - Epoch(train)  [1][ 50/196]  lr: 1.0000e-01  eta: 0:12:34  time: 0.0500  data_time: 0.0010  memory: 300  loss: 2.3026\n"),
            Lines({"50|1|train/lr=0.1 train/time=0.05 train/data_time=0.001 train/memory=300 train/loss=2.3026"}));
  EXPECT_EQ(read(reader, "2023/05/01 12:01:00 - mmengine - INFO - Epoch(train)  [2][ 50/196]  loss: 2.1\n"), Lines({"246|2|train/loss=2.1"}));
  EXPECT_EQ(read(reader, "2023/05/01 12:02:00 - mmengine - INFO - Epoch(val) [2][79/79]    accuracy/top1: 34.5600  data_time: 0.0012  time: 0.0100\n"), Lines({"246|2|val/accuracy/top1=34.56 val/data_time=0.0012 val/time=0.01"}));
  // As version 0.10.7 prints: the date is no count.
  EXPECT_EQ(read("11/28 08:36:44 - mmengine - INFO - Epoch(train) [1][10/32]  lr: 1.0000e-01  eta: 0:00:03  time: 0.0404  loss: 0.6960\n"), Lines({"10|1|train/lr=0.1 train/time=0.0404 train/loss=0.696"}));
  EXPECT_EQ(read("2020-09-01 12:05:00,123 - mmdet - INFO - Epoch(val) [1][1000]\tbbox_mAP: 0.3500, bbox_mAP_50: 0.5000\n"), Lines({"-|1|val/bbox_mAP=0.35 val/bbox_mAP_50=0.5"}));
  EXPECT_EQ(read("2023/05/01 12:02:00 - mmengine - INFO - Iter(train) [  100/160000]  lr: 1.0000e-02  loss: 3.1000  decode.loss_ce: 2.1000\n"), Lines({"100|-|train/lr=0.01 train/loss=3.1 train/decode.loss_ce=2.1"}));
}

TEST(Printed, Timm) {
  LogReader reader;
  EXPECT_EQ(read(reader, "Train: 0 [  50/312 ( 16%)]  Loss: 2.307 (2.31)  Time: 0.800s,  312.00/s  (0.800s,  312.00/s)  LR: 1.000e-05  Data: 0.300 (0.300)\n"), Lines({"50|0|train/Loss=2.307 train/Time=0.8 train/LR=1e-05 train/Data=0.3"}));
  EXPECT_EQ(read(reader, "Train: 1 [  50/312 ( 16%)]  Loss: 1.907 (2.01)\n"), Lines({"362|1|train/Loss=1.907"}));
  EXPECT_EQ(read(reader, "Test: [   0/78]  Loss:   2.300 ( 2.300)  Acc@1:  10.100 ( 10.100)\n"), Lines());
  EXPECT_EQ(read(reader, "Test: [  78/78]  Loss:   2.200 ( 2.250)  Acc@1:  12.100 ( 11.100)\n*** Best metric: 11.1 (epoch 0)\n"), Lines({"362|1|val/Loss=2.25 val/Acc@1=11.1"}));
}

/// With --model-ema both models are evaluated.
TEST(Printed, TimmOfAveragedWeights) {
  LogReader reader;
  EXPECT_EQ(read(reader, "Train: 0 [ 311/312 (100%)]  Loss: 2.307 (2.31)\nTest: [  78/78]  Time: 0.1 (0.1)  Loss:   2.200 ( 2.250)  Acc@1:  12.100 ( 11.100)\n"
                         "Test (EMA): [   0/78]  Time: 0.1 (0.1)  Loss:   8.900 ( 8.900)  Acc@1:  1.000 ( 1.000)\nTest (EMA): [  50/78]  Time: 0.1 (0.1)  Loss:   8.700 ( 8.750)  Acc@1:  1.100 ( 1.050)\nTest (EMA): [  78/78]  Time: 0.1 (0.1)  Loss:   8.600 ( 8.650)  Acc@1:  1.200 ( 1.150)\n"),
            Lines({"311|0|train/Loss=2.307", "311|0|val/Time=0.1 val/Loss=2.25 val/Acc@1=11.1", "311|0|val (EMA)/Time=0.1 val (EMA)/Loss=8.65 val (EMA)/Acc@1=1.15"}));
}

TEST(Printed, Yolo) {
  const std::string bar = "\xE2\x96\x88\xE2\x96\x88";
  const std::string epoch = "      Epoch    GPU_mem   box_loss   cls_loss   dfl_loss  Instances       Size\n";
  LogReader reader;
  EXPECT_EQ(read(reader, epoch + "      1/100      2.51G      1.174      1.532      1.216         70        640:  25%|" + bar + " | 2/8 [00:01<00:03,  1.90it/s]\r      1/100      2.51G      1.1      1.5      1.2         70        640: 100%|" + bar +
                             "| 8/8 [00:04<00:00,  1.92it/s]\n"),
            Lines({"2|1|train/box_loss=1.174 train/cls_loss=1.532 train/dfl_loss=1.216", "8|1|train/box_loss=1.1 train/cls_loss=1.5 train/dfl_loss=1.2"}));
  EXPECT_EQ(reader.progress()->epochs, 100);
  const std::string classes = "                 Class     Images  Instances      Box(P          R      mAP50  mAP50-95): 100%|" + bar + "| 4/4 [00:01<00:00,  2.9it/s]\n";
  EXPECT_EQ(read(reader, classes + "                   all        128        929      0.668       0.54      0.617       0.46\n                person        128        254      0.8       0.7      0.77       0.54\n"),
            Lines({"8|1|val/Box P=0.668 val/Box R=0.54 val/Box mAP50=0.617 val/Box mAP50-95=0.46"}));
  EXPECT_EQ(read(reader, epoch + "      2/100      2.51G      1.0      1.4      1.1         70        640: 100%|" + bar + "| 8/8 [00:04<00:00,  1.92it/s]\n"), Lines({"16|2|train/box_loss=1 train/cls_loss=1.4 train/dfl_loss=1.1"}));
  EXPECT_EQ(read("               Class     Images     Labels          P          R     mAP@.5 mAP@.5:.95: 100%|" + bar + "| 4/4 [00:02<00:00,  1.9it/s]\n                 all        128        929      0.575      0.562      0.568      0.36\n"),
            Lines({"-|-|val/P=0.575 val/R=0.562 val/mAP@.5=0.568 val/mAP@.5:.95=0.36"}));
}

/// As version 8.4.190 prints.
TEST(Printed, UltralyticsOwnBars) {
  const std::string drawn = "\xE2\x94\x81\xE2\x94\x81";
  LogReader reader;
  EXPECT_EQ(read(reader, "\x1b[34m\x1b[1mengine/trainer: \x1b[0magnostic_nms=False, batch=8, box=7.5, epochs=3, iou=0.7, lr0=0.01, pose=12.0\n"), Lines()) << "settings";
  EXPECT_EQ(read(reader, "\r\x1b[K\x1b[34m\x1b[1mtrain: \x1b[0mScanning /data/labels/train... 16 images, 0 backgrounds, 0 corrupt: 100% " + drawn + " 16/16 2.4Kit/s 0.0s\n"), Lines());
  EXPECT_EQ(read(reader, "      Epoch    GPU_mem   box_loss   cls_loss   dfl_loss  Instances       Size\n\r\x1b[K        1/3         0G    0.08491     0.6934    0.04946          8         64: 50% " + drawn + " 1/2 1.7it/s 0.2s<0.6s\r\x1b[K        1/3         0G     0.1601      0.722    0.09975          8         64: 100% " + drawn + " 2/2 1.7it/s 0.2s\n"),
            Lines({"1|1|train/box_loss=0.08491 train/cls_loss=0.6934 train/dfl_loss=0.04946", "2|1|train/box_loss=0.1601 train/cls_loss=0.722 train/dfl_loss=0.09975"}));
  EXPECT_EQ(read(reader, "\r\x1b[K        2/3         0G    0.05     0.6    0.04          8         64: 0% " + drawn + " 0/2  0.1s\r"), Lines({"2|2|train/box_loss=0.05 train/cls_loss=0.6 train/dfl_loss=0.04"}));
}

/// As version 0.5.5 prints.
TEST(Printed, Ignite) {
  LogReader reader;
  EXPECT_EQ(read(reader, "Epoch [2/3]: [27/32]  84%|\xE2\x96\x88\xE2\x96\x8D , batch loss=0.22 [00:00<00:00]\r"), Lines({"27|2|batch loss=0.22"}));
  EXPECT_EQ(reader.progress()->steps, 32);
  EXPECT_EQ(read(reader, "Validation Results - Epoch: 2 Avg accuracy: 0.97 Avg loss: 0.27\n"), Lines({"27|2|val/Avg accuracy=0.97 val/Avg loss=0.27"}));
}

TEST(Printed, Fastai) {
  EXPECT_EQ(read("epoch     train_loss  valid_loss  accuracy  time    \n0         0.512345    0.412345    0.851234  00:10     \n1         0.412345    0.312345    0.881234  00:10     \n"),
            Lines({"-|0|train_loss=0.512345 valid_loss=0.412345 accuracy=0.851234", "-|1|train_loss=0.412345 valid_loss=0.312345 accuracy=0.881234"}));
  EXPECT_EQ(read("Epoch means nothing here\n3 0.5 0.25 1\n"), Lines()) << "a sentence";
}

TEST(Printed, StableBaselines) {
  const std::string table = "--------------------------\n| rollout/        |      |\n|    ep_rew_mean  | 22.5 |\n| time/           |      |\n|    fps          | 1000 |\n|    total_timesteps | 4096 |\n| train/          |      |\n|    loss         | 6.5  |\n";
  EXPECT_EQ(read(table + "--------------------------\n"), Lines({"4096|-|rollout/ep_rew_mean=22.5 time/fps=1000 train/loss=6.5"}));
  EXPECT_EQ(read("| lr      | 0.1 |\n| epochs  | 90  |\n| loss    | ce  |\ndone\n"), Lines()) << "settings";
  // A collector that is started again in the middle of a table.
  LogReader first;
  EXPECT_EQ(read(first, table), Lines());
  LogReader second;
  second.restore(first.state());
  EXPECT_EQ(read(second, "--------------------------\n"), Lines({"4096|-|rollout/ep_rew_mean=22.5 time/fps=1000 train/loss=6.5"}));
}

TEST(Printed, LightningResults) {
  EXPECT_EQ(read("\xE2\x94\x82         test_acc          \xE2\x94\x82    0.9876     \xE2\x94\x82\n\xE2\x94\x82         test_loss         \xE2\x94\x82     0.0412    \xE2\x94\x82\n\xE2\x94\x94\xE2\x94\x80\xE2\x94\x80\xE2\x94\xB4\xE2\x94\x80\xE2\x94\x98\n"), Lines({"-|-|test_acc=0.9876 test_loss=0.0412"}));
}

TEST(Printed, TwoCountsInBrackets) {
  LogReader swin;
  EXPECT_EQ(read(swin, "[2021-04-12 16:13:42 swin_tiny](main.py 200): INFO Train: [0/300][10/1251]\teta 10:00:00 lr 0.000001\ttime 1.5000 (1.5000)\tloss 6.9000 (6.9500)\n"), Lines({"10|0|train/lr=1e-06 train/time=1.5 train/loss=6.9"}));
  EXPECT_EQ(swin.progress()->epochs, 300);
  EXPECT_EQ(read(swin, "[2021-04-12 16:15:42 swin_tiny](main.py 290): INFO Test: [0/98]\tLoss 6.2 (6.1)\tAcc@1 3.1 (3.0)\n"), Lines());
  EXPECT_EQ(read(swin, "[2021-04-12 16:15:42 swin_tiny](main.py 297): INFO  * Acc@1 3.200 Acc@5 10.500\n[2021-04-12 16:15:42 swin_tiny](main.py 170): INFO Max accuracy: 3.20%\n"),
            Lines({"10|0|val/Acc@1=3.2 val/Acc@5=10.5 val/Loss=6.1", "10|0|Max accuracy=3.2"}));
  EXPECT_EQ(read("[0/5][50/1583]\tLoss_D: 1.7410\tLoss_G: 5.5000\n[1/5][50/1583]\tLoss_D: 0.7410\tLoss_G: 3.5000\n"), Lines({"50|0|Loss_D=1.741 Loss_G=5.5", "1633|1|Loss_D=0.741 Loss_G=3.5"}));
}

TEST(Printed, TorchvisionReferences) {
  LogReader reader;
  EXPECT_EQ(read(reader, "Epoch: [0]  [ 10/100]  eta: 0:01:00  lr: 0.1  img/s: 30.1  loss: 6.9 (6.95)  acc1: 0.5 (0.4)  time: 1.0  data: 0.5  max mem: 1000\n"), Lines({"10|0|train/lr=0.1 train/img/s=30.1 train/loss=6.9 train/acc1=0.5 train/time=1 train/data=0.5"}));
  EXPECT_EQ(read(reader, "Test:   [ 0/50]  eta: 0:00:20  loss: 5.9 (5.9)  acc1: 10.0 (10.0)\nTest:   [49/50]  eta: 0:00:00  loss: 5.5 (5.7)  acc1: 11.0 (10.5)\n"), Lines({"10|0|val/loss=5.7 val/acc1=10.5"}));
  EXPECT_EQ(read(reader, "Test: EMA  [ 0/50]  eta: 0:00:20  loss: 5.9 (5.9)  acc1: 10.0 (10.0)\nTest: EMA  [49/50]  eta: 0:00:00  loss: 5.5 (5.6)  acc1: 11.0 (12.5)\n"), Lines({"10|0|val EMA/loss=5.6 val EMA/acc1=12.5"})) << "--model-ema";
}

TEST(Printed, BarsWithMetricsBeforeThem) {
  const std::string bar = "|\xE2\x96\x88\xE2\x96\x88| ";
  LogReader reader;
  EXPECT_EQ(read(reader, "train epoch[1/10] loss:1.234: 100%" + bar + "104/104 [00:10<00:00, 10.0it/s]\ntrain epoch[2/10] loss:9e-05:  50%" + bar + "52/104 [00:10<00:00, 10.0it/s]\n"), Lines({"104|1|train/loss=1.234", "156|2|train/loss=9e-05"}));
  EXPECT_EQ(read("[train epoch 0] loss: 1.345, acc: 0.456: 100%" + bar + "104/104 [00:10<00:00, 10.0it/s]\n[valid epoch 0] loss: 1.3, acc: 0.4:  50%" + bar + "7/14 [00:10<00:00, 10.0it/s]\r[valid epoch 0] loss: 1.245, acc: 0.506: 100%" + bar + "14/14 [00:10<00:00, 10.0it/s]\n"),
            Lines({"104|0|train/loss=1.345 train/acc=0.456", "104|0|val/loss=1.245 val/acc=0.506"}));
  EXPECT_EQ(read("1|25|Loss: 1.5034:   5%" + bar + "25/500 [00:10<03:00,  2.5it/s]\r"), Lines({"25|-|Loss=1.5034"}));
}

/// A collector that is started again does not take a bar for news that is drawn once more.
TEST(Printed, BarsAreKnownAfterARestart) {
  const std::string bar = "[valid epoch 0] loss: 1.245: 100%|#| 14/14 [00:10<00:00, 10.0it/s]\r";
  LogReader first;
  EXPECT_EQ(read(first, bar), Lines({"-|-|val/loss=1.245"}));
  LogReader second;
  second.restore(first.state());
  EXPECT_EQ(read(second, bar), Lines());
}

TEST(Printed, PytorchCifar) {
  LogReader reader;
  EXPECT_EQ(read(reader, "\nEpoch: 0\n [>......]  Step: 50ms | Tot: 5s | Loss: 2.300 | Acc: 10.000% (13/128)         1/391 \r [=======]  Step: 50ms | Tot: 9s | Loss: 2.100 | Acc: 20.100% (450/1000)       391/391 \n"), Lines({"1|0|Loss=2.3 Acc=10", "391|0|Loss=2.1 Acc=20.1"}));
  EXPECT_EQ(read(reader, " [>......]  Step: 50ms | Tot: 5s | Loss: 2.500 | Acc: 9.000% (9/100)         1/100 \r [=======]  Step: 50ms | Tot: 9s | Loss: 2.2 | Acc: 19.0% (190/1000)       100/100 \n"), Lines({"391|0|test/Loss=2.2 test/Acc=19"}));
  EXPECT_EQ(read(reader, "\nEpoch: 1\n [>......]  Step: 50ms | Tot: 5s | Loss: 1.9 | Acc: 30.0% (13/128)         1/391 \r"), Lines({"392|1|Loss=1.9 Acc=30"}));
}

TEST(Printed, Chinese) {
  EXPECT_EQ(read("Epoch [1/10] 训练损失: 0.5 验证损失: 0.4 验证准确率: 91.5%\n"), Lines({"-|1|train/损失=0.5 val/损失=0.4 val/准确率=91.5"}));
  EXPECT_EQ(read("第1轮, 平均损失: 0.35, 学习率: 0.001\n第 2 轮, 平均损失: 0.30\n"), Lines({"-|1|平均损失=0.35 学习率=0.001", "-|2|平均损失=0.3"}));
  EXPECT_EQ(read("第 3 个epoch的loss为0.35\n"), Lines({"-|3|loss=0.35"}));
  EXPECT_EQ(read("[训练] epoch 3 step 100 损失=0.25\n轮次 1/10 批次 100/500 损失值 0.6931\n"), Lines({"100|3|train/损失=0.25", "100|1|损失值=0.6931"}));
  EXPECT_EQ(read("迭代 100: 损失 0.5\n测试集上的准确率: 98.2%\n"), Lines({"100|-|损失=0.5", "100|-|test/准确率=98.2"}));
  EXPECT_EQ(read("-------第 1 轮训练开始-------\n训练次数：100, Loss: 2.25\n整体测试集上的Loss: 314.5\n整体测试集上的正确率: 0.3125\n"), Lines({"100|1|Loss=2.25", "100|1|test/Loss=314.5", "100|1|test/正确率=0.3125"}));
  EXPECT_EQ(read("第 1/3 轮 | 训练损失: 0.5\n第 2/3 轮 | 训练损失: 0.4\n"), Lines({"-|1|train/损失=0.5", "-|2|train/损失=0.4"}));
  EXPECT_EQ(read("第1轮，损失94.5，验证准确率81.5%\n损失1: 0.5, 损失2: 0.25\n"), Lines({"-|1|损失=94.5 val/准确率=81.5", "-|1|损失1=0.5 损失2=0.25"}));
  EXPECT_EQ(read("学习率: 0.001\n批大小: 64\n数据集大小: 50000\n共 10 轮\n损失函数权重: 0.5\n"), Lines()) << "settings";
}

TEST(Printed, PhasesWithinALine) {
  EXPECT_EQ(read("Epoch: 1 | Train Loss: 0.5 | Train Acc: 81.25% | Val. Loss: 0.41 |  Val. Acc: 85.1%\n"), Lines({"-|1|train/Loss=0.5 train/Acc=81.25 val/Loss=0.41 val/Acc=85.1"}));
  EXPECT_EQ(read("Epoch 3: train loss = 0.512 (acc = 81.2%), val loss = 0.49 (acc = 83.0%)\n"), Lines({"-|3|train/loss=0.512 train/acc=81.2 val/loss=0.49 val/acc=83"}));
  EXPECT_EQ(read("Epoch: 001, Loss: 1.9512, Train: 0.5000, Val: 0.4000, Test: 0.4200\n"), Lines({"-|1|Loss=1.9512 Train=0.5 Val=0.4 Test=0.42"}));
  EXPECT_EQ(read("====> Epoch: 1 Average loss: 164.5\n====> Test set loss: 127.5\n"), Lines({"-|1|Average loss=164.5", "-|1|test/loss=127.5"}));
}

TEST(Printed, UnitsAndIdentifiers) {
  EXPECT_EQ(read("DLL 2020-11-27 12:00:00.000000 - Epoch: 0 Iteration: 10  train.loss : 6.9 train.compute_ips : 300.5 images/s train.lr : 0.1\n"), Lines({"10|0|train.loss=6.9 train.compute_ips=300.5 train.lr=0.1"}));
  EXPECT_EQ(read("step 3 time: 5.2 s loss: 0.3\n"), Lines({"3|-|time=5.2 loss=0.3"}));
  EXPECT_EQ(read("step 10/200 | loss 0.25 | tokens/s 1234\n"), Lines({"10|-|loss=0.25 tokens/s=1234"}));
  EXPECT_EQ(read("2021-05-01 12:10:00,000 INFO Epoch 0 CV info cv_loss 120.5\n"), Lines({"-|0|cv_loss=120.5"}));
}

TEST(Printed, Megatron) {
  LogReader reader;
  EXPECT_EQ(read(reader, " [2024-01-01 12:00:00] iteration      100/  500000 | consumed samples:         1600 | learning rate: 1.000E-06 | global batch size:    16 | lm loss: 9.5E+00 | loss scale: 1.0 | grad norm: 1.25 |\n"),
            Lines({"100|-|consumed samples=1600 learning rate=1e-06 lm loss=9.5 grad norm=1.25"}));
  ASSERT_NE(reader.progress(), nullptr);
  EXPECT_EQ(reader.progress()->steps, 500000);
}

TEST(Printed, Thousands) {
  EXPECT_EQ(read("[titan] 2024-10-01 12:00:10,123 - root - INFO - step: 10  loss:  7.5  memory:  1.90GiB(2.00%)  tps: 12,345  mfu: 1.25%\n"), Lines({"10|-|loss=7.5 tps=12345 mfu=1.25"}));
  EXPECT_EQ(read("Step 1,000 | loss 1,234.5\n"), Lines({"1000|-|loss=1234.5"}));
  EXPECT_EQ(read("loss: 0.5,0.25 acc: 1,23\n"), Lines({"-|-|loss=0.5 acc=1"})) << "no thousands";
}

/// torchtitan's Validator, bars and lines of `validate()`, Informer's and Autoformer's `Vali Loss`.
TEST(Printed, ValidateIsAPhase) {
  LogReader titan;
  EXPECT_EQ(read(titan, "[titan] 2025-06-01 12:00:10,123 - root - INFO - step: 10  loss:  8.5  memory:  1.90GiB(2.00%)  tps: 12,345\n[titan] 2025-06-01 12:00:11,123 - root - INFO - validate step: 10  loss:  8.27  memory:  1.90GiB(2.00%)  tps: 22,345\n"),
            Lines({"10|-|loss=8.5 tps=12345", "10|-|val/loss=8.27 val/tps=22345"}));
  const std::string bar = "|\xE2\x96\x88\xE2\x96\x88| ";
  EXPECT_EQ(read("Epoch 1: 100%" + bar + "100/100 [00:10<00:00, 10.0it/s, loss=0.5]\nValidate: 100%" + bar + "20/20 [00:01<00:00, 20.0it/s, loss=0.4]\nEpoch 2: 100%" + bar + "100/100 [00:10<00:00, 10.0it/s, loss=0.3]\nEvaluate: 100%" + bar + "20/20 [00:01<00:00, 20.0it/s, loss=0.35]\n"),
            Lines({"100|1|loss=0.5", "100|1|val/loss=0.4", "200|2|loss=0.3", "200|2|val/loss=0.35"}));
  EXPECT_EQ(read("Validate: loss 0.4\nEpoch: 1, Steps: 263 | Train Loss: 0.52 Vali Loss: 0.41 Test Loss: 0.31\n"), Lines({"-|-|val/loss=0.4", "263|1|train/Loss=0.52 val/Loss=0.41 test/Loss=0.31"}));
}

TEST(Printed, NamesOfRanges) {
  EXPECT_EQ(read("Epoch 3 mAP@0.5: 0.541 mAP@0.5:0.95: 0.312\nEpoch 3 mAP@.5=0.54 mAP@.5:.95=0.31\n"), Lines({"-|3|mAP@0.5=0.541 mAP@0.5:0.95=0.312", "-|3|mAP@.5=0.54 mAP@.5:.95=0.31"}));
}

TEST(Printed, DecimalCommas) {
  EXPECT_EQ(read("Epoch 1 loss: 0,523 acc: 0,9\nEpoch 2 loss: 0,5, acc: 0,91\n"), Lines({"-|1|loss=0.523 acc=0.9", "-|2|loss=0.5 acc=0.91"}));
  EXPECT_EQ(read("Epoch 1 loss: 0,1,2\nloss: 0,5.5\n"), Lines({"-|1|loss=0", "-|1|loss=0"})) << "lists";
}

TEST(Printed, PlacesInProgramsAreNoValues) {
  EXPECT_EQ(read("2021-08-01 12:00:00 | INFO | yolox.core.trainer:257 - epoch: 2/300, iter: 10/1000, mem: 5000Mb, total_loss: 14.5, size: 640, ETA: 1 day, 2:03:04\n"), Lines({"10|2|total_loss=14.5"}));
  EXPECT_EQ(read("[host] 2021-05-01 12:00:00,123 (trainer:721) INFO: 1epoch:train:1-100batch: loss_ctc=100.5, acc=0.25\n"), Lines({"100|1|train/loss_ctc=100.5 train/acc=0.25"}));
}

/// loguru's default format is `time | level | module:function:line - message`.
TEST(Printed, LogurusPlacesAreNoValues) {
  const std::string before = "2024-01-01 12:00:00.123 | INFO     | ";
  EXPECT_EQ(read(before + "__main__:main:45 - Epoch 1/10 | loss=0.5\n"), Lines({"-|1|loss=0.5"}));
  EXPECT_EQ(read(before + "src.eval:evaluate_acc:210 - starting\n" + before + "losses:loss:88 - starting\n" + before + "train:train_one_epoch:88 - step 10 loss: 0.25\n" + before + "losses:<lambda>:88 - starting\n"), Lines({"10|-|loss=0.25"}));
  EXPECT_EQ(read(before + "train:epoch:88 - starting\nloss:1 acc:0\n"), Lines({"-|-|loss=1 acc=0"}));
}

TEST(Printed, ValuesInBrackets) {
  EXPECT_EQ(read("2022-05-01 12:00:00,123 INFO [train.py:881] Epoch 1, batch 50, loss[loss=0.5, simple_loss=0.9, over 4872.00 frames.], tot_loss[loss=0.75, over 100000.00 frames.], batch size: 8, lr: 3.00e-03\n"),
            Lines({"50|1|loss/loss=0.5 loss/simple_loss=0.9 tot_loss/loss=0.75 lr=0.003"}));
}

/// tabulate's grids and markdown, rich's tables.
TEST(Printed, GridsOfEpochs) {
  EXPECT_EQ(read("+-------+-------+------+\n| epoch | loss  | acc  |\n+=======+=======+======+\n| 1     | 0.512 | 0.81 |\n+-------+-------+------+\n| 2     | 0.412 | 0.85 |\n+-------+-------+------+\n"), Lines({"-|1|loss=0.512 acc=0.81", "-|2|loss=0.412 acc=0.85"}));
  EXPECT_EQ(read("| Epoch | Step | Train Loss | Val Loss | Acc (%) | Time |\n|------:|-----:|-----------:|---------:|--------:|-----:|\n| 1/10 | 100 | 0.5 | 0.4 | 81.5% | 12.5s |\n| 2/10 | 100 | 0.3 | 0.35 | 85% | 12.5s |\n"),
            Lines({"100|1|train/Loss=0.5 val/Loss=0.4 Acc (%)=81.5", "200|2|train/Loss=0.3 val/Loss=0.35 Acc (%)=85"}));
  EXPECT_EQ(read("\xE2\x94\x83 step \xE2\x94\x83 loss \xE2\x94\x83 lr   \xE2\x94\x83\n\xE2\x94\x82 10   \xE2\x94\x82 2.5  \xE2\x94\x82 0.01 \xE2\x94\x82\n"), Lines({"10|-|loss=2.5 lr=0.01"}));
}

/// ESPnet's lines of batches, and of an epoch.
TEST(Printed, Espnet) {
  LogReader reader;
  const std::string before = "[host] 2021-05-01 12:00:00,123 (trainer:721) INFO: ";
  EXPECT_EQ(read(reader, before + "1epoch:train:1-100batch: loss=100.5, acc=0.2\n" + before + "1epoch:train:101-200batch: loss=90.5, acc=0.25\n" + before + "1epoch results: [train] iter_time=0.001, loss=80.5, acc=0.3, optim0_lr0=1e-04, time=5 minutes and 1.2 seconds, [valid] loss=60.5, acc=0.4, total_count=40, [att_plot] time=3.5 seconds\n"),
            Lines({"100|1|train/loss=100.5 train/acc=0.2", "200|1|train/loss=90.5 train/acc=0.25", "200|1|train/iter_time=0.001 train/loss=80.5 train/acc=0.3 train/optim0_lr0=1e-04 train/time=5 val/loss=60.5 val/acc=0.4 train/att_plot/time=3.5"}));
  EXPECT_EQ(read(reader, before + "2epoch:train:1-100batch: loss=70.5\n" + before + "The model files were removed: exp/asr/1epoch.pth\n" + before + "The best model has been updated: valid.acc\nloss=60\n"), Lines({"300|2|train/loss=70.5", "300|2|loss=60"}));
}

/// pytorch-CycleGAN-and-pix2pix, Informer and Autoformer.
TEST(Printed, ItersAreSteps) {
  EXPECT_EQ(read("(epoch: 1, iters: 100, time: 0.25, data: 0.5) D_A: 0.3 G_A: 0.4 cycle_A: 1.5\n(epoch: 1, iters: 200, time: 0.25, data: 0.5) D_A: 0.2 G_A: 0.5 cycle_A: 1.25\nEnd of epoch 1 / 200 \t Time Taken: 80 sec\n(epoch: 2, iters: 100, time: 0.25, data: 0.5) D_A: 0.1 G_A: 0.6 cycle_A: 1\n"),
            Lines({"100|1|time=0.25 data=0.5 D_A=0.3 G_A=0.4 cycle_A=1.5", "200|1|time=0.25 data=0.5 D_A=0.2 G_A=0.5 cycle_A=1.25", "200|1|Time Taken=80", "300|2|time=0.25 data=0.5 D_A=0.1 G_A=0.6 cycle_A=1"}));
  EXPECT_EQ(read("\titers: 100, epoch: 1 | loss: 0.25\n\tspeed: 0.05s/iter; left time: 100.5s\n\titers: 200, epoch: 1 | loss: 0.125\nEpoch: 1 cost time: 12.5\nEpoch: 1, Steps: 263 | Train Loss: 0.2 Vali Loss: 0.3 Test Loss: 0.4\n\titers: 100, epoch: 2 | loss: 0.1\n"),
            Lines({"100|1|loss=0.25", "200|1|loss=0.125", "200|1|cost time=12.5", "263|1|train/Loss=0.2 val/Loss=0.3 test/Loss=0.4", "363|2|loss=0.1"}));
  EXPECT_EQ(read("max iters: 1000\niters: 1000\nloss: 0.5\n"), Lines({"-|-|loss=0.5"})) << "settings";
}

TEST(Printed, DetectionResults) {
  EXPECT_EQ(read("|   AP   |  AP50  |  APs   |\n|:------:|:------:|:------:|\n| 38.5 | 58.25 | 21.5 |\n| Category | IoU | Acc |\n| road | 97.5 | 98.5 |\n"), Lines({"-|-|val/AP=38.5 val/AP50=58.25 val/APs=21.5"}));
  EXPECT_EQ(read(" Average Precision  (AP) @[ IoU=0.50:0.95 | area=   all | maxDets=100 ] = 0.375\n Average Precision  (AP) @[ IoU=0.50:0.95 | area= small | maxDets=100 ] = -1.000\n"
                 " Average Recall     (AR) @[ IoU=0.50:0.95 | area=   all | maxDets=  1 ] = 0.25\n"),
            Lines({"-|-|val/AP 0.50:0.95=0.375", "-|-|val/AR 0.50:0.95 of 1=0.25"}));
}

TEST(Printed, DictsBehindABar) {
  EXPECT_EQ(read("Train:   1%|#         | 10/1000 [00:10<16:30,  1.00s/it]{'loss': 1.25, 'epoch': 0.02, 'global_step/max_steps': '10/1000'}\n"), Lines({"10|0.02|loss=1.25"}));
}

TEST(Printed, EpisodesAreSteps) {
  EXPECT_EQ(read("Episode 10\tAverage Score: 12.50\nEpisode 20 step 400 reward 3\n"), Lines({"10|-|Average Score=12.5", "400|-|reward=3"}));
}

/// PyTorch's examples/word_language_model.
TEST(Printed, SpacesInACount) {
  EXPECT_EQ(read("| epoch   1 |   200/ 2983 batches | lr 20.00 | ms/batch 10.25 | loss  7.63 | ppl  2056.5\n| epoch   1 |   400/ 2983 batches | lr 20.00 | ms/batch 10.25 | loss  6.85 | ppl   943.5\n| end of epoch   1 | time: 30.5s | valid loss  5.8 | valid ppl   330.5\n| epoch   2 |   200/ 2983 batches | lr 20.00 | ms/batch 10.25 | loss  6.5 | ppl   665.5\n"),
            Lines({"200|1|lr=20 loss=7.63 ppl=2056.5", "400|1|lr=20 loss=6.85 ppl=943.5", "400|1|time=30.5 val/loss=5.8 val/ppl=330.5", "3183|2|lr=20 loss=6.5 ppl=665.5"}));
}

TEST(Printed, TheBestIsNotWhereTheRunIs) {
  LogReader reader;
  EXPECT_EQ(read(reader, "epoch 9 loss: 0.5\nbest accuracy: 0.9 at epoch 3\nval loss: 0.4\n"), Lines({"-|9|loss=0.5", "-|9|best accuracy=0.9", "-|9|val/loss=0.4"}));
}

}  // namespace
}  // namespace ringlab
