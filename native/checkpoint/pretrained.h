// Initial weights: of another task or another version of torchvision, in the common forms of such files.
#pragma once

#include <ATen/core/Tensor.h>

#include <string>
#include <utility>
#include <vector>

#include "values/value.h"

namespace ringlab {

/// A file of weights.
struct PretrainedFile {
  std::string path;
  Value weights;  ///< its state_dict
  bool bare = false;             ///< it is nothing but a state_dict
  bool transform_input = false;  ///< a checkpoint of ours says that its model was given pictures so
};

/// The state_dict in a file: the file itself, or its entry `state_dict`, `model_state_dict`, `model`, `model_state`, `net` or
/// `model_ema`, the first that is a dict of tensors, else the only entry that is one. A whole module, torch.save(model), stands for its
/// state_dict. Throws Failure as load_checkpoint() does.
PretrainedFile load_weights(const std::string& path);

/// Does it have parameters of googlenet's or inception_v3's auxiliary heads?
bool has_auxiliary_heads(const Value& state_dict);

/// What load_pretrained() changed or could not copy.
struct Adopted {
  int64_t classes = 0;             ///< that the file's head knows; 0 where that head was taken
  std::vector<std::string> fresh;  ///< parameters that keep the weights they were made with: the head's
  std::vector<std::string> adapted;  ///< descriptions of the parameters that were adapted to the model's shapes
};

/// Copies `weights` into `model`, parameters and buffers. Names may begin with `module.`, `_orig_mod.` or `model.`, may be those of
/// torchvision's first versions, and may lack num_batches_tracked. Layers of `heads` whose number of outputs differs keep their
/// own weights, as do auxiliary heads and a whole head that the file lacks; those that the model lacks are ignored, as are thop's counts. All
/// names may begin with those of one attribute more, then all else is ignored. A first convolution for 3 channels serves grey pictures as the sum of its three
/// kernels, one for grey ones serves colour as three thirds; a Vision Transformer's position embedding is
/// interpolated as torchvision's interpolate_embeddings() does. Anything else that does not fit throws std::runtime_error with names, and
/// changes nothing.
Adopted load_pretrained(const Value& weights, const std::vector<std::pair<std::string, at::Tensor>>& model, const std::vector<std::string>& heads);

}  // namespace ringlab
