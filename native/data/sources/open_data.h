// Detects the kind of data set in a folder.
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "data/sources/data_set.h"

namespace ringlab {

/// The two halves of a data set.
struct Splits {
  std::unique_ptr<DataSet> train;
  std::unique_ptr<DataSet> val;
};

/// Opens the data set in `dir`, recognised by its files' names:
/// - packs: train.pack and val.pack, which `ringlab-train pack` makes; never looked for below the folder of the images that
///   they were made from, which may have changed since;
/// - MNIST and relatives: train-images-idx3-ubyte, train-labels-idx1-ubyte, t10k-…, each plain or .gz, in `dir`, `dir`/raw,
///   or where torchvision puts them (`dir`/MNIST/raw, `dir`/FashionMNIST/raw); ten classes, or `classes` where it is not 0;
/// - CIFAR-10 and CIFAR-100, binary version, in `dir` or in the folder that their archives hold;
/// - else an ImageFolder: `dir`/train/<class>/*.jpg, `dir`/val/<class>/*.jpg.
/// Throws Failure (bad_data) that names the path.
Splits open_data(const std::string& dir, int64_t classes);

}  // namespace ringlab
