// Metrics and progress in what training scripts print; ordinary lines say nothing.
#include <gtest/gtest.h>

#include <cmath>
#include <memory>
#include <optional>

#include "base/error.h"
#include "base/json.h"
#include "collect/printed/log_reader.h"
#include "collect/try_patterns.h"
#include "tests/printed_lines.h"

namespace ringlab {
namespace {

TEST(Printed, PytorchExamplesImagenet) {
  LogReader reader;
  EXPECT_EQ(read(reader, "Epoch: [1][ 10/100]\tTime  0.100 ( 0.200)\tData  0.001 ( 0.002)\tLoss 6.9077e+00 (7.0000e+00)\tAcc@1   1.50 (  0.75)\tAcc@5   3.00 (  2.50)\n"),
            Lines({"10|1|train/Time=0.1 train/Data=0.001 train/Loss=6.9077 train/Acc@1=1.5 train/Acc@5=3"}));
  EXPECT_EQ(read(reader, "Test: [ 0/50]\tTime  0.1 ( 0.1)\tLoss 6.5e+00 (6.25e+00)\tAcc@1   1.00 (  1.00)\n"), Lines());
  EXPECT_EQ(read(reader, " *   Acc@1 12.300 Acc@5 34.500\n").front(), "10|1|val/Acc@1=12.3 val/Acc@5=34.5 val/Loss=6.25");
  EXPECT_EQ(read(reader, "Epoch: [2][ 10/100]\tTime  0.100 ( 0.200)\tLoss 5.0e+00 (5.5e+00)\n").front().substr(0, 6), "110|2|");
  ASSERT_NE(reader.progress(), nullptr);
  EXPECT_EQ(reader.progress()->step, 10);
  EXPECT_EQ(reader.progress()->steps, 100);
  EXPECT_EQ(reader.progress()->epoch, 2);
}

TEST(Printed, PytorchExamplesMnist) {
  EXPECT_EQ(read("Train Epoch: 1 [640/60000 (1%)]\tLoss: 2.250000\n\nTest set: Average loss: 0.0287, Accuracy: 9904/10000 (99%)\n\nTrain Epoch: 2 [0/60000 (0%)]\tLoss: 0.5\n"),
            Lines({"640|1|train/Loss=2.25", "640|1|test/Average loss=0.0287 test/Accuracy=99.04", "60000|2|train/Loss=0.5"}));
}

TEST(Printed, Tutorials) {
  EXPECT_EQ(read("[1,  2000] loss: 2.173\n[1,  4000] loss: 1.85\n[2,  2000] loss: 1.5\n"), Lines({"2000|1|loss=2.173", "4000|1|loss=1.85", "6000|2|loss=1.5"}));
  EXPECT_EQ(read("Accuracy of the network on the 10000 test images: 55 %\n"), Lines({"-|-|test/accuracy=55"}));
  EXPECT_EQ(read("Epoch [1/5], Step [100/600], Loss: 0.1234\nEpoch [2/5], Step [100/600], Loss: 0.1\n"), Lines({"100|1|Loss=0.1234", "700|2|Loss=0.1"}));
  EXPECT_EQ(read("Epoch 1\n-------------------------------\nloss: 2.303494  [   64/60000]\nTest Error: \n Accuracy: 44.7%, Avg loss: 2.156920 \n"), Lines({"64|1|loss=2.303494", "64|1|Accuracy=44.7 Avg loss=2.15692"}));
  EXPECT_EQ(read("iter 100: loss 3.5, time 12.30ms, mfu 3.20%\nstep 250: train loss 2.1, val loss 2.2\n"), Lines({"100|-|loss=3.5 time=12.3 mfu=3.2", "250|-|train/loss=2.1 val/loss=2.2"}));
  EXPECT_EQ(read("epoch 3 | loss 0.35 | acc 0.9 | lr 1e-3\n"), Lines({"-|3|loss=0.35 acc=0.9 lr=0.001"}));
  EXPECT_EQ(read("2026-11-23 14:22:33,123 - INFO - loss: 0.5 acc: 0.9\nINFO:root:epoch=2 loss=0.25\n"), Lines({"-|-|loss=0.5 acc=0.9", "-|2|loss=0.25"}));
  EXPECT_EQ(read("accuracy: 98 %\nloss: nan\nloss: -inf\nval_loss=1e-05\n"), Lines({"-|-|accuracy=98", "-|-|loss=\"NaN\"", "-|-|loss=\"-Infinity\"", "-|-|val_loss=1e-05"}));
  EXPECT_EQ(read("Epoch: [0][  5/100]\tTime  1.5 ( 1.5)\tLoss nan (nan)\tAcc@1   2.50 (  1.25)\n"), Lines({"5|0|train/Time=1.5 train/Loss=\"NaN\" train/Acc@1=2.5"}));
  EXPECT_EQ(read("my nan is here\nloss became nan\ninf nan (see above)\n"), Lines({}));
  EXPECT_EQ(read("Epoch 1/10, Train Loss: 0.5, Val Loss: 0.75, Val Acc: 81.25%\n"), Lines({"-|1|train/Loss=0.5 val/Loss=0.75 val/Acc=81.25"}));
  EXPECT_EQ(read("轮：3，损失：0.25，准确率：91.5％\n"), Lines({"-|3|损失=0.25 准确率=91.5"}));
}

TEST(Printed, HuggingFace) {
  LogReader reader;
  EXPECT_EQ(read(reader, "  5%|\xE2\x96\x8C         | 5/100 [00:01<00:19,  4.90it/s]\r{'loss': 0.5, 'grad_norm': 1.25, 'learning_rate': 5e-05, 'epoch': 0.5}\n"), Lines({"5|0.5|loss=0.5 grad_norm=1.25 learning_rate=5e-05"}));
  EXPECT_EQ(read(reader, "{'eval_loss': 0.4, 'eval_accuracy': 0.9, 'epoch': 1.0}\n"), Lines({"5|1|eval_loss=0.4 eval_accuracy=0.9"}));
  EXPECT_EQ(read(reader, "{'loss': '0.25', 'learning_rate': '4e-05', 'epoch': '1.5'}\n"), Lines({"5|1.5|loss=0.25 learning_rate=4e-05"}));
  EXPECT_EQ(read(reader, "{'loss': tensor(0.125, device='cuda:0'), 'epoch': np.float64(2.0)}\n"), Lines({"5|2|loss=0.125"}));
}

TEST(Printed, ProgressBars) {
  LogReader reader;
  EXPECT_EQ(read(reader, "Epoch 0:  45%|\xE2\x96\x88\xE2\x96\x88\xE2\x96\x88\xE2\x96\x88\xE2\x96\x8C     | 45/100 [00:01<00:01, 32.10it/s, v_num=0, train_loss=0.123]\r"), Lines({"45|0|train_loss=0.123"}));
  EXPECT_EQ(read(reader, "Epoch 0:  45%|\xE2\x96\x88     | 45/100 [00:01<00:01, 32.10it/s, v_num=0, train_loss=0.123]\r"), Lines()) << "drawn again";
  EXPECT_EQ(read(reader, "Validation DataLoader 0:  50%|\xE2\x96\x88     | 5/10 [00:00<00:00, 50.0it/s]\r"), Lines());
  EXPECT_EQ(read(reader, "Epoch 1:   5%|\xE2\x96\x88     | 5/100 [00:01<00:01, 32.10it/s, v_num=0, train_loss=0.1, val_acc=0.5]\r"), Lines({"105|1|train_loss=0.1 val_acc=0.5"}));
  EXPECT_EQ(reader.progress()->step, 5);
  EXPECT_EQ(reader.progress()->epoch, 1);
  EXPECT_FALSE(reader.progress()->remaining) << "the bar of an epoch";

  LogReader plain;
  EXPECT_EQ(read(plain, "\x1b[32m 30%|###       | 30/100 [00:03<00:07, 10.00it/s, loss=0.5, lr=0.1]\x1b[0m\r"), Lines({"30|-|loss=0.5 lr=0.1"}));
  EXPECT_EQ(plain.progress()->remaining, 7);
  EXPECT_EQ(plain.progress()->steps, 100);

  LogReader epochs;
  EXPECT_EQ(read(epochs, "Epochs:  30%|###       | 3/10 [00:30<01:10, 10.00s/epoch, loss=0.25]\r"), Lines({"-|3|loss=0.25"}));
  EXPECT_EQ(epochs.progress()->epochs, 10);
  EXPECT_EQ(epochs.progress()->remaining, 70);

  EXPECT_EQ(read(" 10/100 [==>...........................] - ETA: 1s - loss: 0.5 - accuracy: 0.9\n"), Lines({"10|-|loss=0.5 accuracy=0.9"}));
}

TEST(Printed, TensorsAndDevices) {
  EXPECT_EQ(read("epoch 7 loss tensor(0.2500, device='cuda:2', grad_fn=<NllLossBackward0>)\n"), Lines({"-|7|loss=0.25"}));
  EXPECT_EQ(read("Epoch: 2 Loss: tensor(0.2000, device='cuda:0') Acc: tensor(0.9, device='cuda:0')\n"), Lines({"-|2|Loss=0.2 Acc=0.9"}));
  EXPECT_EQ(read("Epoch: 2 Loss: tensor(1., grad_fn=<A(B)>), Acc: np.float32(0.5)\nloss: Array(nan, dtype=float32)\n"), Lines({"-|2|Loss=1 Acc=0.5", "-|2|loss=\"NaN\""}));
  EXPECT_EQ(read("Epoch 1:  50%|##   | 50/100 [00:10<00:10, 5.00it/s, loss=tensor(0.4, device='cuda:0', grad_fn=<MeanBackward0>)]\r"), Lines({"50|1|loss=0.4"}));
  EXPECT_EQ(read("Step 10 loss 0.5 on cuda:3\nEpoch 1, Loss: 0.25, device: cuda:1\n"), Lines({"10|-|loss=0.5", "10|1|Loss=0.25"}));
  EXPECT_EQ(read("epoch 1 loss tensor([0.5, 0.25])\nepoch 1 loss tensor(0.5, device='cuda\nepoch 1 loss reduce_tensor(0.5)\n"), Lines());
}

TEST(Printed, DownloadsAreNoProgress) {
  LogReader reader;
  EXPECT_EQ(read(reader, "100%|##########| 9912422/9912422 [00:00<00:00, 100000000.0it/s]\rDownloading data:  45%|####      | 4.50M/10.0M [00:01<00:02, 3.00MB/s]\rMap:  10%|#  | 100/1000 [00:00<00:01, 900.00 examples/s]\r"), Lines());
  EXPECT_EQ(reader.progress(), nullptr);
}

TEST(Printed, IncompleteLinesWait) {
  LogReader reader;
  std::vector<Found> found;
  EXPECT_EQ(reader.read("loss: 0.5\nloss: 0.", false, found), 10U);
  EXPECT_EQ(found.size(), 1U);
}

TEST(Printed, StateContinues) {
  LogReader first;
  read(first, "Epoch [1/5], Step [100/600], Loss: 0.5\nEpoch [2/5], Step [100/600], Loss: 0.5\n");
  LogReader second;
  second.restore(first.state());
  EXPECT_EQ(read(second, "Epoch [3/5], Step [100/600], Loss: 0.5\nval loss 0.25\n"), Lines({"1300|3|Loss=0.5", "1300|3|val/loss=0.25"}));
}

/// What a script prints that is started again counts from where it continues, and not on from where it was.
TEST(Printed, AnotherAttempt) {
  LogReader whole;
  EXPECT_EQ(read(whole, "step 80 loss: 5\nstep 112 loss: 4\n[ringlab] attempt 2\nstep 100 loss: 4.5\nstep 113 loss: 3\n"), Lines({"80|-|loss=5", "112|-|loss=4", "attempt 2", "100|-|loss=4.5", "113|-|loss=3"}));
  // What a file system leaves of a line after a power cut: of its number the beginning, which is no value.
  LogReader cut;
  EXPECT_EQ(read(cut, "step 80 loss: 5\nstep 81 loss: 4.0" + std::string(3, '\0') + "\n[ringlab] attempt 2\nstep 80 loss: 4.5\n"), Lines({"80|-|loss=5", "attempt 2", "80|-|loss=4.5"}));
  LogReader epochs;
  const std::string first = "Epoch: [0][ 90/100]\tLoss 6.0 (6.0)\nEpoch: [1][ 90/100]\tLoss 5.0 (5.0)\nEpoch: [2][ 10/100]\tLoss 4.0 (4.0)\n";
  EXPECT_EQ(read(epochs, first).back().substr(0, 6), "210|2|");
  LogReader restored;
  restored.restore(epochs.state());
  for (LogReader* reader : {&epochs, &restored}) {
    EXPECT_EQ(read(*reader, "[ringlab] attempt 2\nEpoch: [1][ 10/100]\tLoss 5.5 (5.5)\nEpoch: [2][  0/100]\tLoss 4.5 (4.5)\n"), Lines({"attempt 2", "110|1|train/Loss=5.5", "200|2|train/Loss=4.5"}));
    // It was lost in the next epoch before a line was printed.
    EXPECT_EQ(read(*reader, "[ringlab] attempt 3\nEpoch: [4][ 10/100]\tLoss 3 (3)\n"), Lines({"attempt 3", "410|4|train/Loss=3"}));
    EXPECT_EQ(read(*reader, "[ringlab] attempt 4\nEpoch: [0][ 10/100]\tLoss 7 (7)\n"), Lines({"attempt 4", "10|0|train/Loss=7"}));
  }
  LogReader bars;
  EXPECT_EQ(read(bars, "Epoch 1\n100%|####| 10/10 [00:02<00:00, 5.0it/s, loss=3]\nEpoch 2\n 50%|##   | 5/10 [00:01<00:01, 5.0it/s, loss=2]\n"), Lines({"10|1|loss=3", "15|2|loss=2"}));
  EXPECT_EQ(read(bars, "[ringlab] attempt 2\nEpoch 2\n 60%|##   | 6/10 [00:01<00:01, 5.0it/s, loss=1]\n"), Lines({"attempt 2", "16|2|loss=1"}));
}

/// What scripts, libraries and launchers print beside metrics.
TEST(Printed, OrdinaryLinesSayNothing) {
  const Lines ordinary = {
      "Using device: cuda:0",
      "Using device cpu",
      "PyTorch version: 2.6.0+cu124",
      "torch 1.13.1, 2 threads",
      "Seed: 42",
      "batch size: 32",
      "batch_size=256",
      "lr: 0.1",
      "learning rate = 0.001",
      "Namespace(arch='resnet18', batch_size=256, lr=0.1, loss='ce', epochs=90, top1=0)",
      "World size: 2",
      "rank 0 of 2 at 10.0.0.1:29500",
      "MASTER_ADDR=10.0.0.1 MASTER_PORT=29500 WORLD_SIZE=2 RANK=0",
      "listening on port 29500",
      "=> creating model 'resnet18'",
      "=> loading checkpoint 'checkpoint.pth.tar'",
      "=> loaded checkpoint 'checkpoint.pth.tar' (epoch 10)",
      "Number of parameters: 11689512",
      "Model has 11.7M parameters",
      "trainable params: 294,912 || all params: 124,734,720 || trainable%: 0.2364",
      "Files already downloaded and verified",
      "Downloading https://www.cs.toronto.edu/~kriz/cifar-10-python.tar.gz to ./data/cifar-10-python.tar.gz",
      "loaded 50000 images in 3.2s",
      "Train: 50000 images, val: 10000 images",
      "Found 1281167 images belonging to 1000 classes.",
      "dataset size: 60000",
      "Starting training...",
      "Training for 90 epochs",
      "Saved model to /tmp/out/model_10.pt",
      "Saving checkpoint to runs/exp3/epoch_10.pt",
      "checkpoint saved at step 1000",
      "[W1123 14:22:33.123456789 ProcessGroupNCCL.cpp:1250] Warning: WARNING: process group has NOT been destroyed",
      "[rank0]:[W1123 14:22:33 socket.cpp:697] [c10d] The client socket cannot be initialized to connect to [::1]:29500 (errno: 97)",
      "NCCL INFO Bootstrap : Using eth0:10.0.0.1<0>",
      "node1:4711:4720 [0] NCCL INFO Channel 00/02 :    0   1",
      "NCCL version 2.18.3+cuda12.1",
      "/usr/lib/python3/dist-packages/torch/optim/lr_scheduler.py:139: UserWarning: Detected call of `lr_scheduler.step()` before `optimizer.step()`.",
      "  warnings.warn(\"loss 0.5 is large\")",
      "/home/me/loss_fn.py:45: DeprecationWarning: accuracy is deprecated",
      "Traceback (most recent call last):",
      "  File \"/home/me/train.py\", line 12, in <module>",
      "    loss = criterion(output, target)",
      "RuntimeError: CUDA out of memory. Tried to allocate 20.00 MiB (GPU 0; 10.76 GiB total capacity; 9.71 GiB already allocated)",
      "ValueError: Expected input batch_size (32) to match target batch_size (16).",
      "KeyboardInterrupt",
      "Killed",
      "2026-11-23 14:22:33,123 - INFO - loading config from config_3.yaml",
      "2026-11-23 14:22:33 INFO main.py:45 | started",
      "INFO:root:worker 3 ready after 0.5 s",
      "I1123 14:22:33.123456 4711 train.py:12] Initialised 2 workers",
      "DEBUG: cache hits 10, misses 3",
      "Elapsed: 0:01:23",
      "Total time: 83.2 s",
      "took 12.5 seconds",
      "[12.5s] ready",
      "100%|##########| 170M/170M [00:05<00:00, 33.1MB/s]",
      "Map: 100%|##########| 1000/1000 [00:00<00:00, 9000.00 examples/s]",
      "Tokenizing: 100%|##########| 3/3 [00:00<00:00, 30.00it/s]",
      "Loading checkpoint shards: 100%|##########| 2/2 [00:01<00:00, 1.50it/s]",
      "GPU available: False, used: False",
      "TPU available: False, using: 0 TPU cores",
      "LOCAL_RANK: 0 - CUDA_VISIBLE_DEVICES: [0,1]",
      "  | Name  | Type             | Params",
      "0 | model | Sequential       | 101 K ",
      "1 | loss  | CrossEntropyLoss | 0     ",
      "101 K     Trainable params",
      "0.407     Total estimated model params size (MB)",
      "`Trainer.fit` stopped: `max_epochs=3` reached.",
      "  Num examples = 1,000",
      "  Num Epochs = 3",
      "  Instantaneous batch size per device = 8",
      "  Total optimization steps = 375",
      "***** Running training *****",
      "CrossEntropyLoss(label_smoothing=0.1)",
      "Conv2d(3, 64, kernel_size=(7, 7), stride=(2, 2), padding=(3, 3), bias=False)",
      "torch.Size([32, 3, 224, 224])",
      "tensor([0.1, 0.2, 0.3])",
      "{'lr': 0.1, 'batch_size': 32, 'epochs': 10}",
      "{\"host\": \"node1\", \"port\": 29500}",
      "[1, 2, 3]",
      "loss function: CrossEntropyLoss",
      "loss weight: 0.5",
      "loss_scale: 65536",
      "early stopping patience: 10",
      "num_workers: 4",
      "gpu 0: GeForce RTX 3090, 24576 MB",
      "memory: 1024 MB",
      "http://localhost:6006/",
      "TensorBoard 2.15.1 at http://localhost:6006/ (Press CTRL+C to quit)",
      "wandb: Tracking run with wandb version 0.16.0",
      "wandb: Run data is saved locally in /tmp/wandb/offline-run-20261123_142233-abc123",
      "Requirement already satisfied: torch>=1.13 in /usr/lib/python3 (1.13.1)",
      "Successfully installed numpy-1.26.4",
      "commit 1a2b3c4d (HEAD)",
      "10.0.0.1 - - [23/Nov/2026 14:22:33] \"GET / HTTP/1.1\" 200 -",
      "worker exited with code 1",
      "exit code: 137",
      "Process 4711 received signal 15",
      "errors: 0",
      "precision=16",
      "3 of 10 folds done",
      "Split 80/20",
      "============================================================",
      "---- 1 ----",
      "   ",
      "version 3.11.2 (main, Mar 13 2023, 12:18:29) [GCC 12.2.0]",
      "OMP_NUM_THREADS=1",
      "x: 3",
      "some output of a script that says a lot, 12345 of it, in every line of its output",
  };
  EXPECT_GE(ordinary.size(), 100U);
  for (const auto& line : ordinary) {
    LogReader reader;
    EXPECT_EQ(read(reader, line + "\n"), Lines()) << line;
  }
}

TEST(Printed, UserPatterns) {
  auto patterns = std::make_shared<UserPatterns>(read_user_patterns(R"json([{"name":"Verlust","pattern":"Verlust betr\u00e4gt (\\d+\\.\\d+) nach (?<step>\\d+)"},{"name":"broken","pattern":"(a"},{"name":"speed","pattern":"\\d+(?= im)"},{"name":"all","pattern":"^\\d+$"}])json"));
  ASSERT_EQ(patterns->list.size(), 2U);
  ASSERT_EQ(patterns->problems.size(), 2U);
  EXPECT_EQ(patterns->problems[0], "pattern 'broken': a ( without ) at character 3");
  LogReader reader(patterns);
  EXPECT_EQ(read(reader, "Verlust betr\xC3\xA4gt 0.25 nach 300 Schritten, acc: 0.5\n\x1b[1m42\x1b[0m\n"), Lines({"300|-|Verlust=0.25 acc=0.5", "300|-|all=42"}));
}

TEST(Printed, TriesPatterns) {
  EXPECT_EQ(try_patterns(R"json({"patterns":["loss=([0-9.]+)","(a","n (?<step>\\d+)"],"lines":["\u001b[1mn 5\u001b[0m loss=0.25","x"]})json"),
            R"json({"errors":[null,"a ( without ) at character 3",null],"lines":[{"text":"n 5 loss=0.25","matches":[{"pattern":0,"begin":4,"end":13,"value":0.25},)json"
            R"json({"pattern":2,"begin":0,"end":3,"step":5}]},{"text":"x","matches":[]}]})json");
  for (const char* wrong : {"", "[]", R"({"patterns":[]})", R"({"patterns":1,"lines":[]})"}) EXPECT_THROW(try_patterns(wrong), Failure) << wrong;
}

}  // namespace
}  // namespace ringlab
