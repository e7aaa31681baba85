// The table of architectures. A family is one file with a `<family>_architectures()` and one line in registry.cpp;
// catalog.cpp has the names.
#pragma once

#include <torch/nn/module.h>

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace ringlab {

/// A classifier's outputs for a batch: logits, (N, classes) each.
struct Outputs {
  torch::Tensor logits;
  std::vector<torch::Tensor> auxiliary;  ///< of the heads that exist only in training
};

/// A classifier: (N, C, H, W) floats in, (N, classes) logits out. Parameter and buffer names are torchvision's.
class Classifier : public torch::nn::Module {
 public:
  virtual torch::Tensor forward(torch::Tensor images) = 0;
  /// Includes the auxiliary heads' logits in training; the weight of their losses is `auxiliary_weight()`.
  virtual Outputs outputs(torch::Tensor images) { return {forward(std::move(images)), {}}; }
  virtual double auxiliary_weight() const { return 0; }
};

struct ModelSettings {
  int64_t classes = 1000;
  int64_t input_channels = 3;
  int64_t image_size = 224;  ///< pixels per side: part of the model if it has a position embedding
  bool auxiliary = true;         ///< with auxiliary heads, if the architecture has them: torchvision's aux_logits
  bool transform_input = false;  ///< torchvision's argument; only for architectures with takes_transform_input()
};

/// Image sizes that an architecture can be trained with: edges in pixels.
struct ImageSizes {
  int64_t minimum = 1;
  int64_t multiple = 1;
};

struct Architecture {
  std::string name;
  /// Makes the model with torchvision's initialisation, drawn from libtorch's default CPU generator.
  std::function<std::shared_ptr<Classifier>(const ModelSettings&)> make;
  ImageSizes sizes{};
};

/// The names in the table, equal to those of catalog.h.
std::vector<std::string> registered_names();

/// Throws Failure (usage) if an architecture cannot be trained with images of this edge in pixels; the message contains
/// the nearest valid sizes.
void check_image_size(const std::string& architecture, int64_t size);

/// Throws Failure (usage) for an unknown name, or an image size that it cannot be trained with.
std::shared_ptr<Classifier> make_model(const std::string& architecture, const ModelSettings& settings);

/// Parameters and buffers by name in the order of Python's state_dict(): module by module, parameters before buffers.
std::vector<std::pair<std::string, torch::Tensor>> state_dict(const torch::nn::Module& module);

}  // namespace ringlab
