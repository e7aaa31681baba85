// Pickles made by a grammar: programs that are nearly sound, and numbers that are not.
#include <gtest/gtest.h>

#include <optional>

#include "base/checked.h"
#include "checkpoint/position.h"
#include "checkpoint/rank_state.h"
#include "tests/fuzz.h"
#include "values/pickle.h"

namespace ringlab {
namespace {

constexpr int64_t kStorageElements = 64;

/// Visits what a resume would copy; throws std::logic_error where a tensor reaches outside its storage.
void visit(const Value& value, int64_t& left) {
  if (--left < 0) return;
  if (value.is_sequence()) {
    for (const auto& item : value.items()) visit(item, left);
  } else if (value.is_dict()) {
    for (const auto& [key, item] : value.entries()) {
      visit(key, left);
      visit(item, left);
    }
  } else if (value.kind() == Value::Kind::tensor) {
    const TensorValue& tensor = value.as_tensor();
    int64_t elements = 1;
    for (const int64_t size : tensor.sizes) elements *= size;
    // An empty tensor may have any strides: nothing is read by them.
    std::optional<int64_t> last = tensor.offset;
    for (size_t d = 0; elements > 0 && d < tensor.sizes.size(); ++d) {
      const auto reach = checked_multiply<int64_t>(tensor.sizes[d] - 1, tensor.strides[d]);
      last = last && reach ? checked_add(*last, *reach) : std::nullopt;
    }
    if (tensor.offset < 0 || tensor.offset > tensor.storage->elements) throw std::logic_error("a tensor begins outside its storage");
    if (elements > 0 && (!last || *last < 0 || *last >= tensor.storage->elements)) throw std::logic_error("a tensor reaches outside its storage");
    if (elements > (1 << 20)) throw std::logic_error("a tensor takes more memory than its file");
  }
}

std::string text(const std::string& value) { return "X" + little_endian(value.size(), 4) + value; }

std::string integer(uint64_t value, Stream& random) {
  switch (random.below(4)) {
    case 0: return "K" + little_endian(value, 1);
    case 1: return "J" + little_endian(value, 4);
    case 2: return std::string("\x8A\x08", 2) + little_endian(value, 8);
    default: {
      const auto bytes = static_cast<uint64_t>(random.below(11));
      return "\x8A" + little_endian(bytes, 1) + little_endian(value, static_cast<int>(bytes));
    }
  }
}

/// Emits one value, most often a sound one; `depth` bounds the grammar's own recursion.
class PickleMaker {
 public:
  explicit PickleMaker(Stream& random) : random_(random) {}

  std::string file() {
    std::string out = "\x80\x02";
    if (chance(10, random_)) return out + bomb() + ".";
    out += chance(70, random_) ? checkpoint() : value(0);
    if (chance(95, random_)) out += ".";
    return out;
  }

 private:
  uint64_t number(uint64_t sound) { return chance(12, random_) ? limit_number(random_) : sound; }

  std::string memo(const std::string& emitted) {
    if (!chance(30, random_)) return emitted;
    const uint64_t key = static_cast<uint64_t>(random_.below(40));
    return emitted + (chance(80, random_) ? "q" + little_endian(key, 1) : "r" + little_endian(number(key), 4));
  }

  std::string shape(uint64_t& offset) {
    std::string sizes = "(";
    std::string strides = "(";
    uint64_t stride = 1;
    for (int64_t d = chance(4, random_) ? random_.below(30) : random_.below(4); d > 0; --d) {
      const uint64_t size = number(static_cast<uint64_t>(random_.below(4)) + 1);
      sizes += integer(size, random_);
      strides += integer(number(chance(10, random_) ? 0 : stride), random_);
      stride *= size;
    }
    offset = number(static_cast<uint64_t>(random_.below(3)));
    return integer(offset, random_) + sizes + "t" + strides + "t";
  }

  std::string storage() {
    const std::string type = chance(95, random_) ? one_of<std::string>({"FloatStorage", "LongStorage", "ByteStorage", "HalfStorage", "BoolStorage"}, random_) : "os system";
    return "(" + text(chance(98, random_) ? "storage" : "file") + "ctorch\n" + type + "\n" + text(chance(97, random_) ? "0" : "../0") + text("cpu") +
           integer(number(static_cast<uint64_t>(random_.below(8)) + 1), random_) + "tQ";
  }

  std::string tensor() {
    uint64_t offset = 0;
    const std::string behind = shape(offset);
    return "ctorch._utils\n_rebuild_tensor_v2\n(" + storage() + behind + "\x89" + (chance(90, random_) ? "ccollections\nOrderedDict\n)R" : value(3)) + "tR";
  }

  std::string value(int depth) {
    const int64_t kind = depth > 5 ? random_.below(7) : random_.below(17);
    switch (kind) {
      case 0: return "N";
      case 1: return chance(50, random_) ? "\x88" : "\x89";
      case 2: return integer(limit_number(random_), random_);
      case 3: return "G" + big_endian(random_.next(), 8);
      case 4: return memo("X" + little_endian(number(5), 4) + "abcde");
      case 5: return (chance(50, random_) ? "h" : "j") + little_endian(static_cast<uint64_t>(random_.below(45)), chance(50, random_) ? 1 : 4);
      case 6: return "U" + little_endian(number(3), 1) + "xyz";
      case 7: {
        std::string out = memo("]") + "(";
        for (int64_t count = random_.below(5); count > 0; --count) out += value(depth + 1);
        return out + "e";
      }
      case 8: {
        std::string out = memo("}") + "(";
        for (int64_t count = random_.below(5); count > 0; --count) out += value(depth + 1) + value(depth + 1);
        return out + "u";
      }
      case 9: return value(depth + 1) + value(depth + 1) + "\x86";
      case 10: return memo(tensor());
      case 11: return "ccollections\nOrderedDict\n)R" + std::string("(") + text("k") + value(depth + 1) + "u";
      case 12: return "ccollections\n" + one_of<std::string>({"Counter", "OrderedDict", "deque", "defaultdict"}, random_) + "\n" + value(depth + 1) + "\x85R";
      case 13: return value(depth + 1) + value(depth + 1) + one_of<std::string>({"a", "0", "b", "R", "\x93", "Q", "s"}, random_);
      case 14: return object(depth);
      case 15: return numpy_scalar();
      default: return std::string(1, static_cast<char>(random_.below(256)));
    }
  }

  /// Of a class that is not known: its items, its elements, its attributes.
  std::string object(int depth) {
    std::string out = "c" + one_of<std::string>({"__main__\nConfig", "torch.nn.modules.conv\nConv2d", "functools\npartial", "posix\nsystem", "builtins\nset"}, random_) + "\n";
    out += memo(value(depth + 1) + "\x85" + (chance(70, random_) ? "\x81" : "R"));
    if (chance(30, random_)) out += value(depth + 1) + "a";
    if (chance(30, random_)) out += value(depth + 1) + value(depth + 1) + "s";
    if (chance(60, random_)) out += memo("}") + "(" + text("_modules") + value(depth + 1) + text("_parameters") + value(depth + 1) + "ub";
    return out;
  }

  std::string numpy_scalar() {
    const std::string dtype = "cnumpy\ndtype\n" + text(one_of<std::string>({"f8", "f4", "i8", "u2", "b1", "O8", ""}, random_)) + "\x85R";
    const std::string bytes(static_cast<size_t>(chance(70, random_) ? 8 : random_.below(12)), static_cast<char>(random_.below(256)));
    return "cnumpy.core.multiarray\nscalar\n" + memo(dtype) + (chance(50, random_) ? "C" + little_endian(bytes.size(), 1) + bytes : "c_codecs\nencode\n" + text(bytes) + text("latin1") + "\x86R") + "\x86R";
  }

  std::string entry(const std::string& key, const std::string& emitted) { return text(key) + emitted; }

  /// A dictionary as ours is, with numbers of its position broken.
  std::string checkpoint() {
    std::string position = "}(";
    for (const char* key : {"epoch", "step", "batch", "global_batch", "world_size", "seed"}) {
      if (!chance(96, random_)) continue;
      position += entry(key, std::string("\x8A\x08", 2) + little_endian(number(static_cast<uint64_t>(random_.below(100))), 8));
    }
    position += entry("epoch_id", chance(90, random_) ? text("0-e1-s2") : value(2)) + "u";
    std::string sums = "}(" + entry("images", "G" + big_endian(random_.next(), 8)) + "u";
    std::string out = "}(" + entry("rank", integer(number(1), random_)) + entry("position", position) + entry("sums", chance(90, random_) ? sums : value(1));
    out += entry("generators", "}" + std::string("(") + entry("cpu", tensor()) + "u") + entry("parts", value(1)) + "u";
    return out;
  }

  /// Small programs that make much of themselves.
  std::string bomb() {
    std::string out;
    switch (random_.below(6)) {
      case 0:  // a list of two of the list before, and so on
        out = "]q" + std::string(1, '\0');
        for (int i = 1; i < 100; ++i) out += "](h" + little_endian(static_cast<uint64_t>(i - 1), 1) + "h" + little_endian(static_cast<uint64_t>(i - 1), 1) + "eq" + little_endian(static_cast<uint64_t>(i), 1);
        return out;
      case 1: return std::string(static_cast<size_t>(random_.below(3000)) + 150, ']') + std::string(2500, 'a');
      case 2: {  // a large tuple of arguments, copied for each call
        out = "(";
        for (int i = 0; i < 20000; ++i) out += "N";
        out += "cos\nsystem\n";  // never let in
        if (chance(80, random_)) {
          out = "(" + storage() + "K" + std::string(1, '\0') + ")" + ")";
          for (int i = 0; i < 20000; ++i) out += "N";
          out += "tq" + std::string(1, '\1') + "0";
          for (int i = 0; i < 20000; ++i) out += "ctorch._utils\n_rebuild_tensor_v2\nh\1R0";
          out += "N";
        }
        return out;
      }
      case 3: {  // a text of 100 kB, again and again
        out = text(std::string(100'000, 'x')) + "q" + std::string(1, '\0') + "0](";
        for (int i = 0; i < 20000; ++i) out += std::string("h\0", 2);
        return out + "e";
      }
      case 4: return "(" + std::string(300'000, '}') + "t";
      default: {
        out = "](";
        for (int i = 0; i < 200'000; ++i) out += "K\1";
        out += "eq" + std::string(1, '\2');
        for (int i = 0; i < 2000; ++i) out += "h\2";
        return out + "N";
      }
    }
  }

  Stream& random_;
};

TEST(FuzzMade, Pickle) {
  std::vector<float> numbers(kStorageElements, 1.0F);
  fuzz_made(
      "pickle", [](Stream& random) { return PickleMaker(random).file(); },
      [&](const std::string& bytes) {
        const StorageLoader loader = [&](const std::string& key, DType dtype, int64_t elements) {
          if (key != "0" || elements > kStorageElements / 2) throw std::runtime_error("no such storage");
          auto storage = std::make_shared<Storage>();
          storage->dtype = dtype;
          storage->elements = elements;
          storage->data = reinterpret_cast<const uint8_t*>(numbers.data());
          return std::shared_ptr<const Storage>(storage);
        };
        try {
          // As a checkpoint of people's own scripts is read; what is written again, as Foreign::refused.
          const Value value = read_pickle(bytes, loader, nullptr, Foreign::ignored);
          int64_t left = 100'000;
          visit(value, left);
          try {
            read_pickle(bytes, loader);
          } catch (const PickleError&) {
          }
          try {
            const RankState state = rank_state_of(value);
            const Position& position = state.position;
            // Finding 8: what a resume does with them.
            const auto batch = checked_scale(position.batch, position.global_batch, 64).value_or(0);
            EXPECT_GE(batch, 0);
            EXPECT_GE(steps_in(position.epoch, 1'000'000), 0);
          } catch (const std::runtime_error&) {
          }
        } catch (const PickleError& error) {
          EXPECT_FALSE(std::string(error.what()).empty());
        }
      });
}

TEST(CheckpointAttack, FindingEightNumbersOfAPositionThatNoRunReachesAreRefused) {
  Position sound;
  sound.epoch = 3;
  sound.batch = 2;
  sound.global_batch = 64;
  EXPECT_EQ(position_of(value_of(sound)).batch, 2);
  for (const int64_t number : {int64_t{-1}, INT64_MAX, int64_t{9'000'000'000'000'000'000}}) {
    for (int64_t Position::*field : {&Position::epoch, &Position::step, &Position::batch, &Position::global_batch, &Position::world_size}) {
      Position position = sound;
      position.*field = number;
      EXPECT_THROW(position_of(value_of(position)), std::runtime_error);
    }
  }
  EXPECT_EQ(checked_scale(INT64_MAX, 5, 4), std::nullopt);
  EXPECT_EQ(checked_scale(INT64_MAX, 5, 10), INT64_MAX / 2);
  EXPECT_EQ(checked_scale(7, 3, 2), 10);
  EXPECT_EQ(checked_scale(-1, 3, 2), std::nullopt);
  EXPECT_EQ(checked_scale(1, 3, 0), std::nullopt);
  EXPECT_EQ(checked_multiply(int64_t{1} << 40, int64_t{1} << 20, int64_t{1} << 10), std::nullopt);
  EXPECT_FALSE(lies_within(UINT64_MAX, 2, UINT64_MAX));
}

/// Finding 'low': 8 MiB that took 10 s and 1.8 GB elsewhere. Here work has a limit.
TEST(CheckpointAttack, LowAPickleOfManyValuesIsRefusedSoon) {
  const StorageLoader none = [](const std::string&, DType, int64_t) -> std::shared_ptr<const Storage> { throw std::runtime_error("none"); };
  for (const std::string& one : {std::string("]"), std::string("}"), std::string("N"), std::string("("), std::string("K\1")}) {
    std::string bytes = "\x80\x02(";
    while (bytes.size() < (size_t{8} << 20)) bytes += one;
    try {
      read_pickle(bytes + "t.", none);
      ADD_FAILURE() << "was read";
    } catch (const PickleError& error) {
      EXPECT_NE(std::string(error.what()).find("too many values"), std::string::npos) << error.what();
    }
  }
}

}  // namespace
}  // namespace ringlab
