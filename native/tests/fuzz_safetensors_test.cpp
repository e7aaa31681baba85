// safetensors: files built field by field, some fields broken, and each kind of false header.
#include <gtest/gtest.h>

#include <cstdint>
#include <stdexcept>

#include "base/error.h"
#include "tests/fuzz.h"
#include "tests/temporary_folder.h"
#include "values/value_file.h"

namespace ringlab {
namespace {

std::string file_of(const std::string& header, const std::string& data) { return little_endian(header.size(), 8) + header + data; }

volatile uint8_t read_bytes;  ///< so that the sum of all bytes is computed

/// An accepted tensor is within its storage, as its shape requires. Refusals are Failures with the path.
bool accepted(const std::string& bytes) {
  static const TemporaryFolder folder;
  const std::string path = folder / "weights";
  write_text(path, bytes);
  try {
    const Value value = read_value(path);
    for (const auto& [name, tensor] : value.entries()) {
      int64_t elements = 1;
      for (const int64_t size : tensor.as_tensor().sizes) elements *= size;
      if (elements != tensor.as_tensor().storage->elements) throw std::logic_error(name.as_text() + " is not its storage");
      uint8_t sum = 0;
      for (int64_t i = 0; i < elements * static_cast<int64_t>(item_size(tensor.as_tensor().storage->dtype)); ++i) sum = static_cast<uint8_t>(sum + tensor.as_tensor().storage->data[i]);
      read_bytes = sum;
    }
    return true;
  } catch (const Failure& failure) {
    EXPECT_NE(std::string(failure.what()).find(path), std::string::npos) << failure.what();
    return false;
  }
}

std::string made(Stream& random) {
  const int64_t percent = chance(70, random) ? 4 : 0;
  const auto number = [&](uint64_t sound) { return std::to_string(chance(percent, random) ? limit_number(random) : sound); };
  std::string header = "{";
  uint64_t end = 0;
  const int64_t count = random.below(6);
  if (chance(30, random)) header += R"("__metadata__":{"format":"pt","图":"\u56fe\ud83d\ude00"})" + std::string(count > 0 ? "," : "");
  for (int64_t i = 0; i < count; ++i) {
    static const std::vector<std::pair<std::string, uint64_t>> types = {{"F32", 4}, {"F16", 2}, {"BF16", 2}, {"I64", 8}, {"U8", 1}, {"BOOL", 1}};
    const auto& [type, bytes] = one_of(types, random);
    uint64_t size = bytes;
    std::string shape;
    for (int64_t d = random.below(4); d > 0; --d) {
      const uint64_t edge = static_cast<uint64_t>(random.below(5));
      size *= edge;
      shape += number(edge) + (d > 1 ? "," : "");
    }
    header += (i > 0 ? "," : "") + std::string("\"t") + std::to_string(chance(percent, random) ? 0 : i) + "\":{\"dtype\":\"" + (chance(percent, random) ? "F8_E4M3" : type) + "\",\"shape\":[" + shape + "],\"data_offsets\":[" + number(end) + "," + number(end + size) + "]}";
    end += size;
  }
  header += "}";
  if (chance(30, random)) header += std::string(static_cast<size_t>(random.below(9)), ' ');
  if (chance(percent, random) && header.size() > 2) header.erase(static_cast<size_t>(random.below(static_cast<int64_t>(header.size()) - 1)) + 1, 1);
  std::string data(static_cast<size_t>(end), 'x');
  if (chance(percent, random)) data.resize(static_cast<size_t>(random.below(static_cast<int64_t>(end) + 9)));
  return little_endian(chance(percent, random) ? limit_number(random) : header.size(), 8) + header + data;
}

TEST(FuzzMade, Safetensors) { fuzz_made("safetensors", made, accepted); }

TEST(Safetensors, AreReadAsTheFormatSays) {
  EXPECT_TRUE(accepted(file_of("{}", "")));
  EXPECT_TRUE(accepted(file_of(R"({"__metadata__":{"format":"pt"},"b":{"dtype":"U8","shape":[3],"data_offsets":[0,3]},"a":{"dtype":"F32","shape":[],"data_offsets":[3,7]}}   )", "123abcd")));
}

TEST(SafetensorsAttack, HeadersThatLieAreRefused) {
  const auto tensor = [](const std::string& name, const std::string& type, const std::string& shape, const std::string& ends) {
    return "\"" + name + R"(":{"dtype":")" + type + R"(","shape":[)" + shape + R"(],"data_offsets":[)" + ends + "]}";
  };
  const std::string four = "abcd";
  EXPECT_TRUE(accepted(file_of("{" + tensor("a", "F32", "1", "0,4") + "}", four)));
  // Outside the file, reversed, overlapping, with a gap, with remaining bytes.
  EXPECT_FALSE(accepted(file_of("{" + tensor("a", "F32", "2", "0,8") + "}", four)));
  EXPECT_FALSE(accepted(file_of("{" + tensor("a", "F32", "1", "4,0") + "}", four)));
  EXPECT_FALSE(accepted(file_of("{" + tensor("a", "U8", "4", "0,4") + "," + tensor("b", "U8", "4", "0,4") + "}", four)));
  EXPECT_FALSE(accepted(file_of("{" + tensor("a", "U8", "1", "0,1") + "," + tensor("b", "U8", "1", "3,4") + "}", four)));
  EXPECT_FALSE(accepted(file_of("{" + tensor("a", "U8", "3", "0,3") + "}", four)));
  // Sizes whose product wraps to the file's size; texts instead of numbers.
  EXPECT_FALSE(accepted(file_of("{" + tensor("a", "F32", "4611686018427387905,4", "0,4") + "}", four)));
  EXPECT_FALSE(accepted(file_of("{" + tensor("a", "F32", "18446744073709551617", "0,4") + "}", four)));
  // No elements, and strides that overflow; valid strides are as in PyTorch.
  EXPECT_FALSE(accepted(file_of("{" + tensor("a", "F32", "0,3074457345618258602,4", "0,0") + "}", "")));
  EXPECT_TRUE(accepted(file_of("{" + tensor("a", "F32", "0,3,4", "0,0") + "}", "")));
  EXPECT_FALSE(accepted(file_of("{" + tensor("a", "F32", "-1", "0,4") + "}", four)));
  EXPECT_FALSE(accepted(file_of("{" + tensor("a", "F32", "1.0", "0,4") + "}", four)));
  EXPECT_FALSE(accepted(file_of("{" + tensor("a", "F32", "1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1", "0,4") + "}", four)));
  // A duplicate name, an unknown type, an entry too many or too few, trailing data.
  EXPECT_FALSE(accepted(file_of("{" + tensor("a", "U8", "4", "0,4") + "," + tensor("a", "U8", "0", "4,4") + "}", four)));
  EXPECT_FALSE(accepted(file_of("{" + tensor("a", "F8_E5M2", "4", "0,4") + "}", four)));
  EXPECT_FALSE(accepted(file_of(R"({"a":{"dtype":"U8","shape":[4],"data_offsets":[0,4],"code":"x"}})", four)));
  EXPECT_FALSE(accepted(file_of(R"({"a":{"dtype":"U8","shape":[4]}})", four)));
  EXPECT_FALSE(accepted(file_of("{" + tensor("a", "U8", "4", "0,4") + "}{}", four)));
  // An endless header, one as long as the file claims to be, a nested one.
  EXPECT_FALSE(accepted(little_endian(90000000, 8) + "{\"a\":" + four));
  EXPECT_FALSE(accepted(file_of("{\"a\":" + std::string(100000, '['), "")));
  EXPECT_FALSE(accepted(file_of("{\"a", "")));
  EXPECT_FALSE(accepted(file_of("{\"\\ud800\":1}", "")));
}

}  // namespace
}  // namespace ringlab
