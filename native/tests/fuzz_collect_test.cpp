// What scripts write: event files, W&B's files, JSON lines, printed lines and users' patterns, mutated.
#include <gtest/gtest.h>
#include <zlib.h>

#include <algorithm>
#include <cstdint>
#include <stdexcept>

#include "collect/formats/event_file.h"
#include "collect/formats/json_lines.h"
#include "collect/formats/wandb_file.h"
#include "collect/printed/log_reader.h"
#include "tests/collect_files.h"
#include "tests/fuzz.h"

namespace ringlab {
namespace {

/// Whole and in pieces: the readers advance, and find nothing behind what they have read.
template <typename File>
void read(const std::string& bytes) {
  for (const size_t piece : {bytes.size(), size_t{61}}) {
    File file;
    uint64_t done = 0;
    for (size_t size = std::min(piece, bytes.size()); done < bytes.size();) {
      std::vector<Found> found;
      // A copy of its own size, so that a sanitizer sees a read past its end.
      const std::string given = done < size ? bytes.substr(done, size - done) : "";
      const uint64_t read = given.empty() ? 0 : file.read(given, size == bytes.size(), found);
      for (const auto& one : found) {
        if (one.end == 0 || one.end > read) throw std::logic_error("a record ends outside of what was read");
      }
      done += read;
      if (read == 0 && size == bytes.size()) break;
      if (read == 0 || done >= size) size = std::min(size + piece, bytes.size());
    }
    File continued;
    continued.restore(file.state());
  }
}

std::string event_bytes() {
  std::string bytes;
  for (int i = 0; i < 12; ++i) bytes += scalar_event("train/loss", static_cast<float>(i), i, 1.7e9);
  return bytes + event_record(proto_bytes(5, proto_bytes(1, proto_bytes(1, "t") + proto_bytes(8, proto_number(1, 1) + proto_bytes(2, proto_bytes(2, proto_number(1, 1))) + proto_bytes(5, little_endian(0, 4))))));
}

std::string wandb_bytes() {
  std::string out = std::string(":W&B") + little_endian(0xBEE1, 2) + '\0';
  for (int i = 0; i < 12; ++i) {
    const std::string typed = '\x01' + proto_bytes(2, proto_bytes(1, proto_bytes(1, "loss") + proto_bytes(16, std::to_string(i))) + proto_bytes(2, proto_number(1, static_cast<uint64_t>(i))));
    out += little_endian(crc32(0, reinterpret_cast<const Bytef*>(typed.data()), static_cast<uInt>(typed.size())), 4) + little_endian(typed.size() - 1, 2) + typed;
  }
  return out;
}

TEST(FuzzCollect, EventFiles) { fuzz("events", {event_bytes(), event_bytes().substr(40)}, read<EventFile>); }

/// Messages that are broken inside sound records: mutation alone stops at the checksum.
TEST(FuzzCollect, EventMessages) {
  fuzz("event messages", {event_bytes().substr(12, 40), proto_double(1, 3) + proto_bytes(5, proto_bytes(1, proto_bytes(1, "t") + proto_bytes(8, proto_number(1, 9) + proto_bytes(10, "\x01\x02"))))},
       [](const std::string& bytes) { read<EventFile>(event_record(bytes)); });
}

TEST(FuzzCollect, WandbFiles) { fuzz("wandb", {wandb_bytes()}, read<WandbFile>); }

TEST(FuzzCollect, WandbMessages) {
  fuzz("wandb messages", {proto_bytes(2, proto_bytes(1, proto_bytes(1, "loss") + proto_bytes(16, "{\"a\":[1,2e3,\"x\"],\"b\":null}")) + proto_bytes(2, proto_number(1, 3)))}, [](const std::string& bytes) {
    const std::string typed = '\x01' + bytes.substr(0, 32000);
    read<WandbFile>(std::string(":W&B") + little_endian(0xBEE1, 2) + '\0' + little_endian(crc32(0, reinterpret_cast<const Bytef*>(typed.data()), static_cast<uInt>(typed.size())), 4) + little_endian(typed.size() - 1, 2) + typed);
  });
}

TEST(FuzzCollect, JsonLines) {
  fuzz("json lines", {"{\"step\":1,\"values\":{\"a\":1,\"b\":{\"c\":NaN,\"\\u00e4\\ud83d\\ude00\":-1e-3}}}\n{\"config\":{\"lr\":0.1,\"x\":[1,null,true]}}\n{\"save\":\"/a/b\"}\n{\"loss\":\"Infinity\"}"}, read<JsonLines>);
}

/// Lines of another program, whose steps start again in each epoch.
struct OtherJsonLines : JsonLines {
  OtherJsonLines() : JsonLines(false) {}
};

TEST(FuzzCollect, JsonLinesOfAnotherProgram) {
  fuzz("json lines of another program", {"{\"mode\":\"train\",\"epoch\":1,\"iter\":50,\"loss\":2}\n{\"mode\":\"val\",\"epoch\":1,\"iter\":9,\"acc\":0.5}\n{\"mode\":\"train\",\"epoch\":2,\"iter\":50,\"loss\":1}\n{\"train/global_step\":7,\"train/epoch\":0.5,\"a\":1}\n"}, read<OtherJsonLines>);
}

TEST(FuzzCollect, PrintedLines) {
  fuzz("printed lines",
       {"Epoch: [1][ 10/100]\tTime  0.100 ( 0.200)\tLoss 6.9077e+00 (7.0000e+00)\tAcc@1   1.50 (  0.75)\n *   Acc@1 12.300 Acc@5 34.500\nTrain Epoch: 1 [640/60000 (1%)]\tLoss: 2.25\nTest set: Average loss: 0.0287, Accuracy: 9904/10000 (99%)\n[ringlab] attempt 2\nEpoch: [3][ 10/100]\tLoss 6.9 (7.0)\n",
        "\x1b[32mEpoch 0:  45%|\xE2\x96\x88\xE2\x96\x8C | 45/100 [00:01<00:01, 32.10it/s, v_num=0, train_loss=0.123]\x1b[0m\r{'loss': tensor(0.5, device='cuda:0'), 'learning_rate': 5e-05, 'epoch': np.float64(0.5)}\n[1,  2000] loss: 2.173\n轮：3，损失：0.25\n",
        "Epoch [0/3]:  10%|#| 94/938 [00:01<00:09, 90.0it/s, acc=0.5]\r120it [00:10, 12.0it/s, loss=0.5]\rEpoch 0: | | 120/? [00:10<00:00, 12.0it/s, loss=0.5]\r640: 100%|#| 8/8 00:04\nINFO: 1epoch:train:1-100batch: loss=1\n1epoch results: [train] loss=80.5, [valid] loss=60.5, [att_plot] time=3\n"
        "Test (EMA): [  50/78]  Loss: 8.7 ( 8.75)\nTest: EMA  [49/50]  loss: 5.5 (5.6)\nlosses:loss:88 - mAP@0.5:0.95: 0,312\n| epoch | step | loss |\n| 1/2 | 10 | 91.5% |\n{'mode': 'val', 'epoch': 1, 'step': 20, 'loss': 1.75}\n"},
       read<LogReader>);
}

TEST(FuzzCollect, Patterns) {
  fuzz("patterns", {"[{\"name\":\"loss\",\"pattern\":\"(?i)loss is (?P<value>[\\\\d.eE+-]+)\\\\s*(?:after|at) (?<step>\\\\d{1,9})?$\"}]", "[{\"name\":\"a\",\"pattern\":\"^(a|b)*?[^x-z\\\\]]{2,40}\\\\b\"}]"}, [](const std::string& bytes) {
    const UserPatterns patterns = read_user_patterns(bytes);
    Found record;
    match_user_patterns(patterns, "the loss is 0.25 after 300 steps, aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa", record);
  });
}

}  // namespace
}  // namespace ringlab
