// Initial weights from another task or torchvision version, in the common file formats.
#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "values/value.h"

namespace ringlab {

/// A file of weights.
struct PretrainedFile {
  std::string path;
  Value weights;  ///< its state_dict
  bool bare = false;             ///< the file is a bare state_dict
  bool transform_input = false;  ///< one of our checkpoints states that its model had transformed input
};

/// The state_dict in a file: the file itself, or its entry `state_dict`, `model_state_dict`, `model`, `model_state`, `net` or
/// `model_ema`, the first that is a dict of tensors, else the only such entry. A whole module, torch.save(model), is converted to
/// its state_dict. Throws Failure as load_checkpoint() does.
PretrainedFile load_weights(const std::string& path);

/// Are there parameters of googlenet's or inception_v3's auxiliary heads?
bool has_auxiliary_heads(const Value& state_dict);

/// What load_pretrained() changed or did not copy.
struct Adopted {
  int64_t classes = 0;             ///< of the file's head, if it differs; 0 if that head was copied
  std::vector<std::string> fresh;  ///< parameters that keep their initialisation: the head's
  std::vector<std::string> adapted;  ///< descriptions of the parameters that were converted to the model's shapes
};

/// Copies `weights` into `model`, parameters and buffers. Names may have the prefix `module.`, `_orig_mod.` or `model.`, or one
/// common attribute name (other entries are then ignored), may be those of torchvision's first versions, and may lack
/// num_batches_tracked. Layers of `heads` with another number of outputs keep their own weights, as do auxiliary heads and a
/// whole head that the file lacks; auxiliary heads that the model lacks are ignored, as are thop's counts. A first convolution
/// for 3 channels is converted to grey as the sum of its three kernels, one for grey to colour as three thirds; a Vision
/// Transformer's position embedding is interpolated as in torchvision's interpolate_embeddings(). Any other mismatch throws
/// std::runtime_error with the names, and changes nothing.
Adopted load_pretrained(const Value& weights, const std::vector<std::pair<std::string, at::Tensor>>& model, const std::vector<std::string>& heads);

}  // namespace ringlab
