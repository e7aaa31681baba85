// Checkpoints from outside: their container, their pickle, and the content.
#include <gtest/gtest.h>

#include <cstdint>
#include <memory>
#include <stdexcept>

#include "base/atomic_file.h"
#include "base/error.h"
#include "checkpoint/rank_state.h"
#include "tests/fuzz.h"
#include "tests/temporary_folder.h"
#include "values/pickle.h"
#include "values/value_file.h"
#include "values/zip.h"

namespace ringlab {
namespace {

/// Reads every byte that a value refers to, as copying it into a model would. Its depth is limited by the parser.
/// Storages are inside one mapping of the file, where no sanitizer notices a read beyond one of them.
uint64_t touch(const Value& value, int64_t& left) {
  uint64_t sum = 0;
  if (--left < 0) return 0;
  if (value.is_sequence()) {
    for (const auto& item : value.items()) sum += touch(item, left);
  } else if (value.is_dict()) {
    for (const auto& [key, item] : value.entries()) sum += touch(key, left) + touch(item, left);
  } else if (value.kind() == Value::Kind::text) {
    for (const char letter : value.as_text()) sum += static_cast<uint8_t>(letter);
  } else if (value.kind() == Value::Kind::tensor) {
    const TensorValue& tensor = value.as_tensor();
    const size_t size = item_size(tensor.storage->dtype);
    std::vector<int64_t> index(tensor.sizes.size(), 0);
    for (const int64_t extent : tensor.sizes) {
      if (extent == 0) return sum;
    }
    while (--left >= 0) {
      int64_t element = tensor.offset;
      for (size_t d = 0; d < index.size(); ++d) element += index[d] * tensor.strides[d];
      if (element < 0 || element >= tensor.storage->elements) throw std::logic_error("a tensor reaches outside its storage");
      for (size_t i = 0; i < size; ++i) sum += tensor.storage->data[static_cast<size_t>(element) * size + i];
      size_t d = index.size();
      while (d > 0 && ++index[d - 1] == tensor.sizes[d - 1]) index[--d] = 0;
      if (d == 0) break;
    }
  }
  return sum;
}

/// As in a resume: the value, its position and a rank's state. Refusals are Failures with the path.
void read_as_checkpoint(const std::string& path) {
  try {
    const Value value = read_value(path, Foreign::ignored);
    int64_t left = 100000;
    volatile uint64_t sum = touch(value, left);  // so that it is not optimised away
    (void)sum;
    try {
      const RankState state = rank_state_of(value);
      EXPECT_GE(state.position.step, 0);
    } catch (const std::runtime_error&) {
    }
  } catch (const Failure& failure) {
    EXPECT_EQ(failure.code(), ErrorCode::checkpoint_mismatch);
    EXPECT_NE(std::string(failure.what()).find(path), std::string::npos);
  }
}

std::vector<std::string> seeds(const TemporaryFolder& folder) {
  RankState state;
  state.rank = 1;
  state.position.epoch = 3;
  state.position.epoch_id = make_epoch_id(7, state.position);
  const auto owner = std::make_shared<std::vector<float>>(24, 0.5F);
  const auto storage = std::make_shared<Storage>();
  storage->elements = 24;
  storage->data = reinterpret_cast<const uint8_t*>(owner->data());
  storage->owner = owner;
  state.parts = Value::dict().set("residuals", Value::list({Value::tensor({storage, 0, {2, 3, 4}, {12, 4, 1}}), Value::tensor({storage, 4, {4}, {1}})}));
  state.generators = Value::dict();
  write_value(folder / "ours.pth", value_of(state));
  return {file_text(folder / "ours.pth"), file_text(RINGLAB_TEST_SAMPLES "/torch-save.pth")};
}

TEST(FuzzCheckpoint, SeedsAreRead) {
  const TemporaryFolder folder;
  const auto files = seeds(folder);
  write_text(folder / "theirs.pth", files[1]);
  const Value theirs = read_value(folder / "theirs.pth");
  EXPECT_EQ(theirs.find("state_dict")->find("module.parameter")->as_tensor().strides, (std::vector<int64_t>{1, 2}));
  EXPECT_EQ(rank_state_of(read_value(folder / "ours.pth")).rank, 1);
}

/// Whole files: mostly the container's numbers, since its checksums protect the rest.
TEST(FuzzCheckpoint, Files) {
  const TemporaryFolder folder;
  fuzz("checkpoint files", seeds(folder), [&](const std::string& bytes) {
    write_text(folder / "mutated.pth", bytes);
    read_as_checkpoint(folder / "mutated.pth");
  });
}

/// The format before 1.6 has no checksums: every change reaches its pickles, its list of storages or its tensors.
TEST(FuzzCheckpoint, LegacyFiles) {
  const TemporaryFolder folder;
  const std::string path = folder / "legacy.pth";
  const std::string seed = file_text(RINGLAB_TEST_SAMPLES "/torch-save-legacy.pth");
  write_text(path, seed);
  EXPECT_EQ(read_value(path).find("state_dict")->find("module.parameter")->as_tensor().strides, (std::vector<int64_t>{1, 2}));
  fuzz("files of before 1.6", {seed}, [&](const std::string& bytes) {
    write_text(path, bytes);
    read_as_checkpoint(path);
  });
}

/// A hostile writer has correct checksums: the pickle is changed and put into a valid container with its storages.
TEST(FuzzCheckpoint, PicklesInSoundContainers) {
  const TemporaryFolder folder;
  std::vector<std::string> pickles;
  std::vector<std::string> storages;
  for (const auto& file : seeds(folder)) {
    write_text(folder / "seed.pth", file);
    const ZipReader zip(folder / "seed.pth");
    const auto record = zip.read(zip.prefix() + "data.pkl");
    pickles.emplace_back(reinterpret_cast<const char*>(record.data), record.size);
    for (int key = static_cast<int>(storages.size()); zip.has(zip.prefix() + "data/" + std::to_string(key)); ++key) {
      const auto storage = zip.read(zip.prefix() + "data/" + std::to_string(key));
      storages.emplace_back(reinterpret_cast<const char*>(storage.data), storage.size);
    }
  }
  ASSERT_GT(storages.size(), 8U);
  const std::string path = folder / "mutated.pth";
  fuzz("pickles", pickles, [&](const std::string& bytes) {
    std::vector<ZipEntry> entries = {{"archive/data.pkl", bytes.data(), bytes.size()}};
    for (size_t key = 0; key < storages.size(); ++key) entries.push_back({"archive/data/" + std::to_string(key), storages[key].data(), storages[key].size()});
    {
      AtomicFile file(path, zip_size(entries));
      write_zip(file, entries);
      file.commit();
    }
    read_as_checkpoint(path);
  });
}

}  // namespace
}  // namespace ringlab
