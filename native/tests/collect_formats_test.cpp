// Event files, W&B's files and JSON lines: whole, cut at every byte, damaged.
#include <gtest/gtest.h>
#include <zlib.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <string_view>

#include "base/json.h"
#include "collect/formats/event_file.h"
#include "collect/formats/json_lines.h"
#include "collect/formats/wandb_file.h"
#include "tests/collect_files.h"

namespace ringlab {
namespace {

std::string text_of(const Found& record) {
  if (record.kind == Found::Kind::problem) return "problem: " + record.text;
  if (record.kind == Found::Kind::config) return "config: " + record.text;
  if (record.kind == Found::Kind::saved) return "saved: " + record.text;
  if (record.kind == Found::Kind::waiting) return "waiting: " + record.text;
  if (record.kind == Found::Kind::profile) return "profile: " + record.text;
  if (record.kind == Found::Kind::histogram || record.kind == Found::Kind::picture) return json_number(*record.step) + "|" + record.values.front().first + ": " + record.text;
  std::string line = (record.step ? json_number(*record.step) : "-") + "|" + (record.epoch ? json_number(*record.epoch) : "-");
  for (const auto& [name, value] : record.values) line += "|" + name + "=" + json_number(value);
  return line;
}

using Lines = std::vector<std::string>;

/// Reads the file as it grows by `piece` bytes at a time.
template <typename File>
Lines read(const std::string& bytes, size_t piece) {
  File file;
  Lines lines;
  uint64_t done = 0;
  for (size_t size = std::min(piece, bytes.size());; size = std::min(size + piece, bytes.size())) {
    while (done < size) {
      std::vector<Found> found;
      const uint64_t read = file.read(std::string_view(bytes).substr(done, std::min<size_t>(size - done, kReadWindow)), size == bytes.size(), found);
      for (const auto& one : found) {
        EXPECT_LE(one.end, read);
        lines.push_back(text_of(one));
      }
      done += read;
      if (read == 0) break;
    }
    if (size == bytes.size()) return lines;
  }
}

TEST(CollectFormats, Crc32cIsCastagnolis) {
  EXPECT_EQ(crc32c("123456789"), 0xE3069283U);
  EXPECT_EQ(crc32c(std::string(32, '\0')), 0x8A9136AAU);
  EXPECT_EQ(crc32c(""), 0U);
}

std::string tensor_event(const std::string& tag, const std::string& tensor, const std::string& plugin) {
  return event_record(proto_double(1, 1.7e9) + proto_number(2, 4) + proto_bytes(5, proto_bytes(1, proto_bytes(1, tag) + proto_bytes(9, proto_bytes(1, proto_bytes(1, plugin))) + proto_bytes(8, tensor))));
}

std::string events() {
  const std::string scalar_shape = proto_bytes(2, "");
  return event_record(proto_double(1, 1.7e9) + proto_bytes(3, "brain.Event:2")) + scalar_event("loss", 0.5F, 1, 1.7e9) + scalar_event("acc", 0.25F, 1, 1.7e9) + scalar_event("loss", 0.125F, 2, 1.7e9) +
         scalar_event("zero", 0.0F, 0, 1.7e9) + scalar_event("nan", std::nanf(""), 3, 1.7e9) + tensor_event("float", proto_number(1, 1) + scalar_shape + proto_float(5, 1.5F), "scalars") +
         tensor_event("content", proto_number(1, 2) + scalar_shape + proto_bytes(4, little_endian(0x3FD0000000000000U, 8)), "scalars") + tensor_event("int", proto_number(1, 9) + proto_bytes(10, proto_varint(7)), "scalars") +
         tensor_event("half", proto_number(1, 19) + proto_bytes(4, little_endian(0x3C00, 2)), "scalars") + tensor_event("bf16", proto_number(1, 14) + proto_bytes(4, little_endian(0x3FC0, 2)), "scalars") +
         tensor_event("list", proto_number(1, 1) + proto_bytes(2, proto_bytes(2, proto_number(1, 2))) + proto_bytes(5, little_endian(0, 8)), "scalars") + tensor_event("text", proto_number(1, 7) + proto_bytes(8, "words"), "text") +
         event_record(proto_number(2, 1) + proto_bytes(5, proto_bytes(1, proto_bytes(1, "weights") + proto_bytes(5, proto_double(1, 0)))));
}

const Lines kEvents = {"1|-|loss=0.5", "1|-|acc=0.25", "2|-|loss=0.125", "0|-|zero=0", "3|-|nan=\"NaN\"", "4|-|float=1.5", "4|-|content=0.25", "4|-|int=7", "4|-|half=1", "4|-|bf16=1.5"};

std::string media_event(int step, const std::string& value) { return event_record(proto_double(1, 1.7e9) + proto_number(2, static_cast<uint64_t>(step)) + proto_bytes(5, value)); }

std::string doubles(const std::vector<double>& numbers) {
  std::string bytes;
  for (const double number : numbers) {
    uint64_t bits = 0;
    std::memcpy(&bits, &number, sizeof bits);
    bytes += little_endian(bits, 8);
  }
  return bytes;
}

std::string histogram_value(const std::string& tag) {
  const std::string histogram = proto_double(1, 0) + proto_double(2, 3) + proto_double(3, 6) + proto_bytes(6, doubles({1, 2, 1.7e308})) + proto_bytes(7, doubles({1, 2, 3}));
  return proto_bytes(1, proto_bytes(1, tag) + proto_bytes(5, histogram));
}

const std::string kPng = std::string("\x89PNG\r\n\x1a\n") + "pixels";

std::string picture_value(const std::string& tag, const std::string& bytes) { return proto_bytes(1, proto_bytes(1, tag) + proto_bytes(4, proto_number(1, 4) + proto_number(2, 8) + proto_number(3, 3) + proto_bytes(4, bytes))); }

TEST(CollectFormats, HistogramsOfEventFiles) {
  const std::string thirds = "\"low\":0,\"high\":3,\"counts\":[0.1,0.1,0.1,0.1,0.1,0.1,0.1,0.1,0.1,0.1,0.2,0.2,0.2,0.2,0.2,0.2,0.2,0.2,0.2,0.2,0.3,0.3,0.3,0.3,0.3,0.3,0.3,0.3,0.3,0.3]";
  const std::string tensor = proto_number(1, 2) + proto_bytes(4, doubles({0, 1, 1, 1, 2, 2, 2, 3, 3}));
  const std::string bytes = media_event(3, histogram_value("weights")) + tensor_event("biases", tensor, "histograms") + media_event(5, proto_bytes(1, proto_bytes(1, "one") + proto_bytes(5, proto_double(1, 2) + proto_double(2, 2) + proto_bytes(6, doubles({1.7e308})) + proto_bytes(7, doubles({4})))));
  for (const size_t piece : {size_t{1}, size_t{100000}}) EXPECT_EQ(read<EventFile>(bytes, piece), Lines({"3|weights: " + thirds, "4|biases: " + thirds, "5|one: \"low\":2,\"high\":2,\"counts\":[4]"})) << piece;
  const std::vector<std::vector<double>> useless = {{}, {1, 2}, {std::nan(""), 1, 1}, {0, 1, -1}, {-1.7e308, 1.7e308, 1}, {2, 1, 5}};
  for (const auto& numbers : useless) EXPECT_EQ(read<EventFile>(tensor_event("h", proto_number(1, 2) + proto_bytes(4, doubles(numbers)), "histograms"), 100000), Lines());
}

TEST(CollectFormats, PicturesOfEventFilesAreFoundByTheirPlace) {
  const std::string tensor = proto_number(1, 7) + proto_bytes(8, "8") + proto_bytes(8, "4") + proto_bytes(8, kPng);
  const std::string bytes = scalar_event("loss", 0.5F, 1, 1.7e9) + media_event(2, picture_value("samples", kPng) + histogram_value("weights")) + tensor_event("more", tensor, "images") + media_event(3, picture_value("text", "<svg/>"));
  EventFile file;
  std::vector<Found> found;
  file.read(bytes, true, found);
  ASSERT_EQ(found.size(), 4U);
  for (const size_t index : {size_t{1}, size_t{3}}) {
    EXPECT_EQ(found[index].kind, Found::Kind::picture);
    EXPECT_EQ(found[index].text, "\"format\":\"png\",\"width\":8,\"height\":4,\"length\":14");
    EXPECT_EQ(bytes.substr(found[index].offset, kPng.size()), kPng);
  }
  // A place of its own for each, in the order of the file.
  for (size_t i = 1; i < found.size(); ++i) EXPECT_LT(found[i - 1].end, found[i].end);
  EXPECT_EQ(file.others(), 1U) << "what is no picture";
}

TEST(CollectFormats, OfManyHistogramsFewerAndFewerAreFound) {
  std::string bytes;
  for (int step = 0; step < 300; ++step) bytes += media_event(step, histogram_value("weights"));
  EventFile file;
  std::vector<Found> found;
  const uint64_t done = file.read(std::string_view(bytes).substr(0, bytes.size() / 3), false, found);
  EventFile again;
  again.restore(file.state());
  file.read(std::string_view(bytes).substr(done), true, found);
  EXPECT_EQ(found.size(), 64U + 32U + 32U + 6U);
  EXPECT_EQ(file.others(), 300U - found.size());
  std::vector<Found> rest;
  again.read(std::string_view(bytes).substr(done), true, rest);
  EXPECT_EQ(again.state(), file.state());
  std::string names;
  for (int name = 0; name < 300; ++name) names += media_event(1, histogram_value("layer" + std::to_string(name)));
  EXPECT_EQ(read<EventFile>(names, 1000000).size(), 200U);
}

TEST(CollectFormats, WhatARanksTimeGoesInto) {
  const std::string line = "{\"t\":1,\"profile\":{\"rank\":1,\"shares\":{\"data\":0.5}}}\n";
  EXPECT_EQ(read<JsonLines>(line, 7), Lines({"profile: {\"rank\":1,\"shares\":{\"data\":0.5}}"}));
  EXPECT_EQ(read<JsonLines>("{\"profile\":{\"lines\":\"" + std::string(20000, 'x') + "\"}}\n", 100000), Lines({"problem: a profile is longer than 16 KiB"}));
  EXPECT_EQ(read<JsonLines>("{\"profile\":3,\"loss\":1}\n", 100), Lines({"-|-|profile=3|loss=1"})) << "a value of that name";
  JsonLines users(false);
  std::vector<Found> found;
  users.read(line, true, found);
  ASSERT_EQ(found.size(), 1U);
  EXPECT_EQ(found.front().kind, Found::Kind::scalars) << "another program's file";
}

TEST(CollectFormats, WhereARankStandsAmongItsCollectives) {
  const std::string line = "{\"t\":1,\"collectives\":{\"rank\":1,\"state\":\"resting\",\"groups\":[]}}\n";
  EXPECT_EQ(read<JsonLines>(line, 7), Lines({"waiting: {\"rank\":1,\"state\":\"resting\",\"groups\":[]}"}));
  EXPECT_EQ(read<JsonLines>("{\"collectives\":{\"stack\":\"" + std::string(20000, 'x') + "\"}}\n", 100000), Lines({"problem: a record of collectives is longer than 16 KiB"}));
  JsonLines users(false);
  std::vector<Found> found;
  users.read(line, true, found);
  ASSERT_EQ(found.size(), 1U);
  EXPECT_EQ(found.front().kind, Found::Kind::scalars) << "another program's file";
}

TEST(CollectFormats, EventFilesAtAnyPace) {
  for (const size_t piece : {size_t{1}, size_t{7}, size_t{100}, size_t{100000}}) EXPECT_EQ(read<EventFile>(events(), piece), kEvents) << piece;
  EventFile file;
  std::vector<Found> found;
  file.read(events(), true, found);
  EXPECT_EQ(file.others(), 3U) << "a list, a text, a histogram";
}

TEST(CollectFormats, DamagedEventsAreLeftOut) {
  const std::string good = scalar_event("a", 1, 1, 1.7e9);
  std::string wrong_payload = scalar_event("b", 2, 2, 1.7e9);
  wrong_payload[20] ^= 1;
  EXPECT_EQ(read<EventFile>(good + wrong_payload + good, 1000), Lines({"1|-|a=1", "problem: a record's checksum is wrong: it is left out", "1|-|a=1"}));
  std::string wrong_length = scalar_event("b", 2, 2, 1.7e9);
  wrong_length[0] ^= 1;
  EXPECT_EQ(read<EventFile>(good + wrong_length + good, 1000), Lines({"1|-|a=1", "problem: a record is damaged: what follows up to the next whole one is left out", "1|-|a=1"}));
  EXPECT_EQ(read<EventFile>(good + std::string(3000000, '\0') + good, 4000000), Lines({"1|-|a=1", "problem: a record is damaged: what follows up to the next whole one is left out", "1|-|a=1"}));
  EXPECT_EQ(read<EventFile>(good + event_record("\xFF\xFF") + good, 1000), Lines({"1|-|a=1", "problem: an event is no valid message: it is left out", "1|-|a=1"}));
}

TEST(CollectFormats, LargeEventsAreSkipped) {
  const std::string good = scalar_event("a", 1, 1, 1.7e9);
  EXPECT_EQ(read<EventFile>(good + event_record(std::string(3000000, 'g')) + good, 500000), Lines({"1|-|a=1", "1|-|a=1"}));
}

/// LevelDB's log: records in blocks of 32 KiB, with zlib's CRC-32 of type and data, as W&B writes it.
std::string wandb_file(const std::vector<std::string>& records) {
  std::string out = std::string(":W&B") + little_endian(0xBEE1, 2) + '\0';
  for (const std::string& record : records) {
    size_t at = 0;
    bool first = true;
    do {
      size_t left = 32768 - out.size() % 32768;
      if (left < 7) {
        out.append(left, '\0');
        left = 32768;
      }
      const size_t size = std::min(left - 7, record.size() - at);
      const bool last = at + size == record.size();
      const std::string typed = std::string(1, static_cast<char>(first && last ? 1 : first ? 2 : last ? 4 : 3)) + record.substr(at, size);
      out += little_endian(crc32(0, reinterpret_cast<const Bytef*>(typed.data()), static_cast<uInt>(typed.size())), 4) + little_endian(size, 2) + typed;
      at += size;
      first = false;
    } while (at < record.size());
  }
  return out;
}

std::string history(const std::vector<std::pair<std::string, std::string>>& items, uint64_t step) {
  std::string inner;
  for (const auto& [name, json] : items) inner += proto_bytes(1, proto_bytes(1, name) + proto_bytes(16, json));
  return proto_number(1, 1) + proto_bytes(2, inner + proto_bytes(2, proto_number(1, step)));
}

TEST(CollectFormats, WandbFilesAtAnyPace) {
  std::vector<std::string> records = {proto_bytes(17, "a run"), history({{"loss", "0.5"}, {"val", "{\"acc\": 0.25}"}, {"_runtime", "3.5"}, {"_step", "7"}, {"img", "{\"_type\":\"image-file\",\"width\":3}"}, {"note", "\"x\""}}, 7)};
  records.push_back(proto_bytes(13, std::string(100000, 'o')));  // over four blocks
  records.push_back(proto_number(1, 2) + proto_bytes(2, proto_bytes(1, proto_bytes(2, "train") + proto_bytes(2, "loss") + proto_bytes(16, "NaN")) + proto_bytes(2, "")));
  for (uint64_t step = 0; step < 3; ++step) records.push_back(history({{"acc", "1"}}, step));
  const std::string bytes = wandb_file(records);
  const Lines expected = {"7|-|loss=0.5|val/acc=0.25", "0|-|train/loss=\"NaN\"", "0|-|acc=1", "1|-|acc=1", "2|-|acc=1"};
  for (const size_t piece : {size_t{13}, size_t{1000}, size_t{40000}, size_t{1000000}}) EXPECT_EQ(read<WandbFile>(bytes, piece), expected) << piece;
}

TEST(CollectFormats, DamagedWandbRecordsAreLeftOut) {
  const std::string start = wandb_file({history({{"a", "1"}}, 0)});
  std::string bytes = wandb_file({history({{"a", "1"}}, 0), history({{"a", "2"}}, 1), history({{"a", "3"}}, 2)});
  bytes[start.size() + 10] ^= 1;
  EXPECT_EQ(read<WandbFile>(bytes, 10000), Lines({"0|-|a=1", "problem: a record's checksum is wrong: it is left out", "2|-|a=3"}));
  EXPECT_EQ(read<WandbFile>("another file entirely", 100), Lines({"problem: this version of W&B's file format is not known"}));
}

TEST(CollectFormats, JsonLines) {
  EXPECT_EQ(read<JsonLines>("{\"step\":1,\"values\":{\"a\":1,\"b\":{\"c\":NaN}}}\n\n{\"config\":{\"lr\":0.1,\"x\":[1,null,true]}}\n{\"save\":\"/a/b\"}\n{\"global_step\":5,\"iteration\":2,\"epoch\":1,\"loss\":\"Infinity\",\"ok\":true}\n[1]\n{\"a\":1}", 11),
            Lines({"1|-|a=1|b/c=\"NaN\"", "config: {\"lr\":0.1,\"x\":[1,null,true]}", "saved: /a/b", "5|1|loss=\"Infinity\"", "problem: a line is not a JSON object", "-|-|a=1"}));
  EXPECT_EQ(read<JsonLines>("{\"a\":\"" + std::string(3000000, 'x') + "\"}\n{\"a\":1}\n", 5000000).back(), "-|-|a=1");
}

/// transformers' WandbCallback: `self._wandb.log({**logs, "train/global_step": state.global_step})`, without a step.
TEST(CollectFormats, HuggingFacesStepIsAmongTheValues) {
  EXPECT_EQ(read<JsonLines>("{\"_step\":1,\"train/global_step\":1000,\"train/loss\":2.0,\"train/epoch\":0.2}\n{\"train/global_step\":1000,\"_step\":2,\"eval/loss\":1.5}\n{\"epoch\":3,\"train/epoch\":0.5,\"a\":1}\n", 1000),
            Lines({"1000|0.2|train/loss=2", "1000|-|eval/loss=1.5", "-|3|a=1"}));
}

TEST(CollectFormats, JsonLinesOfAnotherProgram) {
  JsonLines other(false);
  std::vector<Found> found;
  const std::string text =
      "{\"epoch\":1,\"loss\":0.5,\"config\":{\"lr\":0.1}}\n{\"epoch\":3,\"loss\":0.3,\"save\":\"best.pt\"}\n{\"epoch\":4,\"loss\":0.25,\"values\":{\"a\":1}}\n"
      "{\"step\":1,\"values\":{\"a\":1}}\n{\"config\":{\"lr\":0.1}}\n{\"save\":\"/a/b\"}\n";
  other.read(text, true, found);
  Lines lines;
  for (const auto& one : found) lines.push_back(text_of(one));
  EXPECT_EQ(lines, Lines({"-|1|loss=0.5|config/lr=0.1", "-|3|loss=0.3", "-|4|loss=0.25|values/a=1", "1|-|a=1", "config: {\"lr\":0.1}", "saved: /a/b"}));
}

/// mmcv 1.x' *.log.json, whose `iter` starts again in each epoch.
TEST(CollectFormats, JsonLinesWhoseStepsStartAgain) {
  const std::vector<std::string> lines = {"{\"env_info\":\"sys.platform: linux\",\"seed\":0}\n", "{\"mode\":\"train\",\"epoch\":1,\"iter\":50,\"lr\":0.01,\"loss\":2.5}\n", "{\"mode\":\"train\",\"epoch\":1,\"iter\":100,\"loss\":2}\n", "{\"mode\":\"val\",\"epoch\":1,\"iter\":5000,\"bbox_mAP\":0.25,\"loss\":1.5}\n",
                                          "{\"mode\":\"train\",\"epoch\":2,\"iter\":50,\"loss\":1.25}\n", "{\"mode\":\"train\",\"epoch\":2,\"iter\":100,\"loss\":1}\n", "{\"mode\":\"val\",\"epoch\":2,\"iter\":5000,\"bbox_mAP\":0.5}\n"};
  const Lines expected = {"-|-|seed=0", "50|1|train/lr=0.01|train/loss=2.5", "100|1|train/loss=2", "100|1|val/bbox_mAP=0.25|val/loss=1.5", "150|2|train/loss=1.25", "200|2|train/loss=1", "200|2|val/bbox_mAP=0.5"};
  // A collector that is started again after each line.
  std::string state;
  Lines found_lines;
  for (const std::string& line : lines) {
    JsonLines file(false);
    file.restore(state);
    std::vector<Found> found;
    file.read(line, true, found);
    for (const auto& one : found) found_lines.push_back(text_of(one));
    state = file.state();
  }
  EXPECT_EQ(found_lines, expected);
}

TEST(CollectFormats, JsonLinesOfTheWholeRunStayWhereTheyAre) {
  JsonLines file(false);
  std::vector<Found> found;
  file.read("{\"epoch\":1,\"step\":100,\"loss\":3}\n{\"epoch\":2,\"step\":200,\"loss\":2}\n{\"epoch\":3,\"step\":200,\"val_loss\":2}\n{\"epoch\":3,\"step\":250,\"loss\":1}\n{\"step\":240,\"loss\":1}\n{\"epoch\":4,\"global_step\":90,\"loss\":1}\n", true, found);
  Lines lines;
  for (const auto& one : found) lines.push_back(text_of(one));
  EXPECT_EQ(lines, Lines({"100|1|loss=3", "200|2|loss=2", "200|3|val_loss=2", "250|3|loss=1", "240|-|loss=1", "90|4|loss=1"}));
}

TEST(CollectFormatsAttack, JsonIsNotNestedWithoutEnd) {
  EXPECT_EQ(read<JsonLines>(std::string(100000, '[') + "\n" + std::string(100000, '{') + "\n{\"a\":" + std::string(40, '[') + std::string(40, ']') + "}\n", 1000000), Lines(3, "problem: a line is not a JSON object"));
  std::string many = "{\"a\":[0";
  for (int i = 0; i < 30000; ++i) many += ",0";
  EXPECT_EQ(read<JsonLines>(many + "]}\n", 1000000), Lines({"problem: a line is not a JSON object"}));
}

}  // namespace
}  // namespace ringlab
