#include "data/sources/open_data.h"

#include <algorithm>
#include <filesystem>
#include <optional>
#include <system_error>
#include <vector>

#include "base/error.h"
#include "base/suggest.h"
#include "data/sources/cifar_images.h"
#include "data/sources/idx_images.h"
#include "data/sources/image_folder.h"
#include "data/sources/packed_images.h"

namespace ringlab {
namespace {

namespace fs = std::filesystem;

constexpr int64_t kMnistClasses = 10;

[[noreturn]] void bad_folder(const std::string& path, const std::string& what, const std::string& hint) {
  throw std::move(Failure(ErrorCode::bad_data, path + ": " + what, hint).at_path(path));
}

bool is_file(const std::string& path) {
  std::error_code error;
  return fs::is_regular_file(path, error);
}

std::string below(const std::string& dir, const std::string& folder) { return folder.empty() ? dir : dir + "/" + folder; }

/// An IDX file under its usual names; empty without one.
std::optional<std::string> find_idx(const std::string& folder, const std::string& split, const std::string& kind) {
  for (const char* dot : {"-", "."}) {
    for (const char* ending : {"", ".gz"}) {
      const std::string path = folder + "/" + split + "-" + (kind == "images" ? "images" : "labels") + dot + (kind == "images" ? "idx3-ubyte" : "idx1-ubyte") + ending;
      if (is_file(path)) return path;
    }
  }
  return std::nullopt;
}

std::string need_idx(const std::string& folder, const std::string& split, const std::string& kind) {
  if (const auto path = find_idx(folder, split, kind)) return *path;
  const std::string name = split + "-" + kind + (kind == "images" ? "-idx3-ubyte" : "-idx1-ubyte");
  bad_folder(folder, name + " (or .gz) is missing", "put all four files of the data set there");
}

Splits open_idx(const std::string& folder, int64_t classes) {
  if (classes == 0) classes = kMnistClasses;
  Splits splits;
  splits.train = std::make_unique<IdxImages>(need_idx(folder, "train", "images"), need_idx(folder, "train", "labels"), classes);
  splits.val = std::make_unique<IdxImages>(need_idx(folder, "t10k", "images"), need_idx(folder, "t10k", "labels"), classes);
  return splits;
}

Splits open_cifar(CifarImages::Kind kind, const std::string& folder) {
  std::vector<std::string> train = {"train.bin"};
  std::string test = "test.bin";
  if (kind == CifarImages::Kind::cifar10) {
    train.clear();
    for (int i = 1; i <= 5; ++i) train.push_back("data_batch_" + std::to_string(i) + ".bin");
    test = "test_batch.bin";
  }
  std::vector<std::string> paths;
  for (const auto& name : train) {
    if (!is_file(folder + "/" + name)) bad_folder(folder, name + " is missing", "put all files of the data set there");
    paths.push_back(folder + "/" + name);
  }
  if (!is_file(folder + "/" + test)) bad_folder(folder, test + " is missing", "put all files of the data set there");
  return {std::make_unique<CifarImages>(kind, folder, paths), std::make_unique<CifarImages>(kind, folder, std::vector<std::string>{folder + "/" + test})};
}

/// The only folder of `candidates` below `dir` for which `is_there` is true; two are an error.
template <typename Predicate>
std::optional<std::string> the_one(const std::string& dir, const std::vector<std::string>& candidates, Predicate is_there) {
  std::vector<std::string> found;
  for (const auto& candidate : candidates) {
    if (is_there(below(dir, candidate))) found.push_back(below(dir, candidate));
  }
  if (found.size() > 1) bad_folder(dir, "holds several data sets: " + join(found), "give the folder of one of them");
  return found.empty() ? std::nullopt : std::optional(found.front());
}

}  // namespace

Splits open_data(const std::string& dir, int64_t classes) {
  const std::string train_pack = dir + "/" + kTrainPack;
  const std::string val_pack = dir + "/" + kValPack;
  if (is_file(train_pack) || is_file(val_pack)) {
    // Which of the two is newer is unknown: the user must give the folder of the packs, or that of the images.
    std::error_code error;
    if (fs::is_directory(dir + "/train", error)) bad_folder(dir, "holds packs and the folder train", "give a folder that holds one of the two");
    for (const auto& path : {train_pack, val_pack}) {
      if (!is_file(path)) bad_folder(path, "is missing", "make both packs again: ringlab-train pack DIR");
    }
    return {std::make_unique<PackedImages>(train_pack), std::make_unique<PackedImages>(val_pack)};
  }
  const auto idx = the_one(dir, {"", "raw", "MNIST/raw", "FashionMNIST/raw", "KMNIST/raw"}, [](const std::string& folder) {
    return find_idx(folder, "train", "images") || find_idx(folder, "t10k", "images");
  });
  if (idx) return open_idx(*idx, classes);
  const auto cifar10 = the_one(dir, {"", "cifar-10-batches-bin"}, [](const std::string& folder) { return is_file(folder + "/data_batch_1.bin") || is_file(folder + "/test_batch.bin"); });
  const auto cifar100 = the_one(dir, {"", "cifar-100-binary"}, [](const std::string& folder) { return is_file(folder + "/train.bin") || is_file(folder + "/test.bin"); });
  if (cifar10 && cifar100) bad_folder(dir, "holds CIFAR-10 and CIFAR-100", "give the folder of one of them");
  if (cifar10) return open_cifar(CifarImages::Kind::cifar10, *cifar10);
  if (cifar100) return open_cifar(CifarImages::Kind::cifar100, *cifar100);
  for (const char* folder : {"", "cifar-10-batches-py", "cifar-100-python"}) {
    const std::string at = below(dir, folder);
    if (is_file(at + "/batches.meta") || is_file(at + "/data_batch_1") || is_file(at + "/meta")) {
      bad_folder(at, "holds CIFAR's Python version, which is pickled Python objects", "get the binary version of the same data set");
    }
  }
  return {std::make_unique<ImageFolder>(dir + "/train"), std::make_unique<ImageFolder>(dir + "/val")};
}

}  // namespace ringlab
