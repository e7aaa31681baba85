// Pickles: round trips, foreign objects, and damaged files.
#include "values/pickle.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>
#include <memory>
#include <stdexcept>

#include "base/random.h"

namespace ringlab {
namespace {

std::shared_ptr<const Storage> no_storage(const std::string&, DType, int64_t) { throw PickleError("no storage here"); }

Value read(const std::string& bytes) { return read_pickle(bytes, no_storage); }

std::shared_ptr<Storage> floats(std::vector<float> values) {
  const auto owner = std::make_shared<std::vector<float>>(std::move(values));
  const auto storage = std::make_shared<Storage>();
  storage->elements = static_cast<int64_t>(owner->size());
  storage->data = reinterpret_cast<const uint8_t*>(owner->data());
  storage->owner = owner;
  return storage;
}

Value sample() {
  Value weights = Value::ordered_dict();
  const auto storage = floats({1, 2, 3, 4, 5, 6});
  weights.set("a.weight", Value::tensor({storage, 0, {2, 3}, {3, 1}})).set("a.view", Value::tensor({storage, 1, {2}, {3}}));
  Value value = Value::dict();
  value.set("epoch", Value::integer(3)).set("state_dict", weights).set("best", Value::real(-0.25)).set("none", Value());
  value.set("list", Value::list({Value::boolean(true), Value::text("图"), Value::tuple({Value::integer(-1), Value::integer(int64_t{1} << 40), Value::integer(-129)})}));
  return value;
}

Value round_trip(const Value& value) {
  const Pickled pickled = write_pickle(value);
  return read_pickle(pickled.bytes, [&](const std::string& key, DType, int64_t) { return pickled.storages.at(static_cast<size_t>(std::stoul(key))); });
}

TEST(Pickle, ComesBackEqual) {
  const Value value = round_trip(sample());
  EXPECT_EQ(value.find("epoch")->as_integer(), 3);
  EXPECT_EQ(value.find("best")->as_real(), -0.25);
  EXPECT_TRUE(value.find("none")->is_none());
  const auto& list = value.find("list")->items();
  EXPECT_EQ(list[0].kind(), Value::Kind::boolean);
  EXPECT_EQ(list[1].as_text(), "图");
  EXPECT_EQ(list[2].items()[0].as_integer(), -1);
  EXPECT_EQ(list[2].items()[1].as_integer(), int64_t{1} << 40);
  EXPECT_EQ(list[2].items()[2].as_integer(), -129);
  const Value& weights = *value.find("state_dict");
  EXPECT_EQ(weights.kind(), Value::Kind::ordered_dict);
  EXPECT_EQ(weights.find("a.weight")->as_tensor().sizes, (std::vector<int64_t>{2, 3}));
  EXPECT_EQ(weights.find("a.view")->as_tensor().storage, weights.find("a.weight")->as_tensor().storage) << "shared, as it was";
}

TEST(Pickle, IntegersOfEverySize) {
  for (const int64_t value : {int64_t{0}, int64_t{255}, int64_t{256}, int64_t{-1}, int64_t{INT32_MAX}, int64_t{INT32_MAX} + 1, int64_t{INT32_MIN} - 1, INT64_MAX, INT64_MIN}) {
    EXPECT_EQ(round_trip(Value::integer(value)).as_integer(), value);
  }
}

TEST(Pickle, RunsNothing) {
  // pickle.dumps of an object whose __reduce__ is (os.system, ('touch /tmp/x',)), and relatives.
  for (const std::string& bytes : {std::string("\x80\x02") + "cposix\nsystem\nU\x01x\x85R.", std::string("cbuiltins\neval\n."), std::string("cos\nsystem\n(S'x'\ntR."),
                                   std::string("ctorch\nload\n."), std::string("ccollections\nnamedtuple\n.")}) {
    try {
      read(bytes);
      FAIL() << bytes;
    } catch (const PickleError& error) {
      EXPECT_NE(std::string(error.what()).find("refused"), std::string::npos) << error.what();
    }
  }
}

TEST(Pickle, IgnoresOtherClassesAndStillCallsNothing) {
  const auto lenient = [](const std::string& bytes) { return read_pickle("\x80\x02" + bytes, no_storage, nullptr, Foreign::ignored); };
  // An object: its attributes; a dict subclass: its items; a list subclass: nothing.
  const Value object = lenient("c__main__\nSettings\n)\x81}U\x02lrG?\xb9\x99\x99\x99\x99\x99\x9asb.");
  EXPECT_EQ(object.find("lr")->as_real(), 0.1);
  EXPECT_EQ(lenient("cmy\nDict\n)\x81U\x01kK\x05s.").find("k")->as_integer(), 5);
  EXPECT_TRUE(lenient("cmy\nList\n)\x81K\x05" "a.").entries().empty());
  EXPECT_TRUE(lenient("c__builtin__\nset\n]K\x01" "a\x85R.").entries().empty());
  // A class or function that is only referenced, alone and in containers.
  EXPECT_TRUE(lenient("cposix\nsystem\n.").is_none());
  EXPECT_TRUE(lenient("}U\x01kctorch.nn\nReLU\ns.").find("k")->is_none());
  EXPECT_EQ(lenient("]ctorch.nn\nReLU\nK\x03\x86" "a.").items()[0].items()[1].as_integer(), 3);
  for (const std::string& bytes : {std::string("cposix\nsystem\nU\x01x\x85R."), std::string("cbuiltins\ngetattr\nU\x01xU\x01y\x86R."), std::string("csubprocess\nPopen\nU\x01x\x85R."), std::string("cmy\nmake\n)R.")}) {
    try {
      lenient(bytes);
      FAIL() << bytes;
    } catch (const PickleError& error) {
      EXPECT_NE(std::string(error.what()).find("refused"), std::string::npos) << error.what();
    }
  }
  EXPECT_THROW(lenient("cfunctools\npartial\ncposix\nsystem\n\x85R)R."), PickleError) << "what it gave is called";
  EXPECT_THROW(lenient("K\x05)R."), PickleError);
}

/// Members of an Enum and functions of a class, of which nothing is looked up.
TEST(Pickle, AttributesOfClassesAreIgnored) {
  const auto lenient = [](const std::string& bytes) { return read_pickle("\x80\x02" + bytes, no_storage, nullptr, Foreign::ignored); };
  const std::string member = "c__builtin__\ngetattr\ncmy.modes\nMode\nU\x04" "MEAN\x86R";
  EXPECT_TRUE(lenient("}U\x01k" + member + "s.").find("k")->is_none());
  EXPECT_TRUE(lenient("]" + member + "q\x01K\x05\x86" "ah\x01" "a.").items()[0].items()[0].is_none());
  EXPECT_TRUE(lenient("}U\x01kctorchvision.transforms.functional\nInterpolationMode\nU\x08" "bilinear\x85Rs.").find("k")->entries().empty());
  EXPECT_TRUE(lenient("}U\x01kctorchvision.models.resnet\nResNet18_Weights\nN\x85Rs.").find("k")->entries().empty());
  // Of a class in a class, called, and with attributes of its own.
  EXPECT_TRUE(lenient("]cbuiltins\ngetattr\n" + member + "U\x01x\x86Ra.").items()[0].is_none());
  EXPECT_TRUE(lenient(member + "K\x05\x85R.").entries().empty());
  EXPECT_TRUE(lenient("]" + member + "}U\x01xK\x05sba.").items()[0].is_none());
  for (const std::string& arguments : {std::string("K\x05U\x01x\x86"), std::string("cmy\nList\n)\x81U\x01x\x86"), std::string("cmy\nMode\n\x85"), std::string("cmy\nMode\nK\x05\x86"), std::string("cmy\nMode\nU\x01xN\x87")}) {
    EXPECT_THROW(lenient("cbuiltins\ngetattr\n" + arguments + "R."), PickleError) << arguments;
  }
  // A checkpoint of our own kind needs none.
  EXPECT_THROW(read("\x80\x02}U\x01k" + member + "s."), PickleError);
}

TEST(Pickle, NumPysScalarsAreNumbers) {
  const auto scalar = [](const std::string& dtype, const std::string& bytes, const std::string& module = "numpy.core.multiarray") {
    const auto text = [](const std::string& value) { return "X" + std::string(1, static_cast<char>(value.size())) + std::string(3, '\0') + value; };
    const std::string type = "cnumpy\ndtype\n(" + text(dtype) + "\x89\x88tRq\x03(K\x03" + text("<") + "NNNJ\xff\xff\xff\xffJ\xff\xff\xff\xffK" + std::string(1, '\0') + "tb";
    return read("\x80\x02}U\x01kc" + module + "\nscalar\nq\x01(" + type + "c_codecs\nencode\n" + text(bytes) + text("latin1") + "\x86RtRs.").find("k")->as_real();
  };
  EXPECT_EQ(scalar("f8", std::string("\0\0\0\0\0\0\x0c@", 8)), 3.5);
  EXPECT_EQ(scalar("f4", std::string("\0\0`@", 4), "numpy._core.multiarray"), 3.5);
  EXPECT_EQ(scalar("i8", std::string("\xc3\xbf\xc3\xbf\xc3\xbf\xc3\xbf\xc3\xbf\xc3\xbf\xc3\xbf\xc3\xbf", 16)), -1) << "bytes as text, as protocol 2 has them";
  EXPECT_EQ(scalar("u1", "\x07"), 7);
  EXPECT_EQ(scalar("b1", "\x01"), 1);
  EXPECT_THROW(scalar("f8", "short"), std::runtime_error);
  EXPECT_THROW(scalar("U3", "abc"), std::runtime_error);
  // If everything must be written again unchanged, raw bytes are not possible.
  EXPECT_THROW(read("\x80\x03}U\x01kC\x02xys."), PickleError);
}

TEST(Pickle, RefusesTensorsOutsideTheirStorage) {
  const auto storage = floats({1, 2, 3, 4});
  for (const TensorValue& tensor : {TensorValue{storage, 0, {5}, {1}}, TensorValue{storage, 3, {2}, {1}}, TensorValue{storage, 0, {2, 2}, {3, 1}},
                                    TensorValue{storage, 0, {INT64_MAX, 2}, {INT64_MAX, 1}}, TensorValue{storage, 4, {1}, {0}}}) {
    EXPECT_THROW(round_trip(Value::tensor(tensor)), PickleError);
  }
  EXPECT_NO_THROW(round_trip(Value::tensor({storage, 4, {0}, {1}}))) << "empty, at the end";
}

TEST(Pickle, EveryCutIsAnError) {
  const Pickled pickled = write_pickle(sample());
  for (size_t length = 0; length < pickled.bytes.size(); ++length) {
    EXPECT_THROW(read_pickle(pickled.bytes.substr(0, length), [&](const std::string&, DType, int64_t) { return pickled.storages[0]; }), PickleError) << length;
  }
}

TEST(Pickle, MutatedBytesNeverCrash) {
  const Pickled pickled = write_pickle(sample());
  Stream random({77});
  for (int i = 0; i < 3000; ++i) {
    std::string bytes = pickled.bytes;
    const int64_t changes = 1 + random.below(6);
    for (int64_t k = 0; k < changes; ++k) bytes[static_cast<size_t>(random.below(static_cast<int64_t>(bytes.size())))] = static_cast<char>(random.below(256));
    try {
      read_pickle(bytes, [&](const std::string&, DType, int64_t) { return pickled.storages[0]; });
    } catch (const PickleError&) {
    }
  }
}

TEST(Pickle, DeepAndSelfContainedValuesEnd) {
  EXPECT_THROW(read(std::string(100000, ']') + std::string(99999, 'a') + "."), PickleError) << "nested too deeply";
  std::string hostile = std::string("]q\0", 3);
  for (int i = 0; i < 300; ++i) hostile += std::string("h\0a", 3);  // appends the list to itself
  hostile += ".";
  EXPECT_THROW(read(hostile), PickleError);
  std::string doubling = std::string("]q\0Na", 5);
  for (int i = 0; i < 60; ++i) doubling += std::string("(h\0h\0e", 6);
  EXPECT_NO_FATAL_FAILURE({
    try {
      read(doubling + ".");
    } catch (const PickleError&) {
    }
  });
}

TEST(Pickle, RefusesStrangeOpcodesAndEnds) {
  for (const char* bytes : {"", ".", "NN.", "i", "0.", "(.", "}K\x01s.", "]K\x01u."}) EXPECT_THROW(read(bytes), PickleError) << bytes;
}

}  // namespace
}  // namespace ringlab
