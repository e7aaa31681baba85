// The form of googlenet and inception_v3 (auxiliary heads, transformed input), which torchvision derives from the source of the
// weights.
#pragma once

#include <cstdint>

#include "checkpoint/checkpoint.h"
#include "checkpoint/pretrained.h"
#include "options/options.h"
#include "train/run.h"

namespace ringlab {

struct ModelForm {
  bool auxiliary = true;         ///< torchvision's aux_logits
  bool transform_input = false;  ///< torchvision's transform_input
};

/// The options, if given; else the form that the weights in the file were trained with: `resumed` (null: no resume), else
/// `pretrained` (null: none). For torchvision's published weights that is torchvision's default: transformed input, GoogLeNet
/// without its auxiliary heads. Only for architectures with takes_transform_input().
ModelForm model_form(const Options& options, const LoadedCheckpoint* resumed, const PretrainedFile* pretrained);

/// A collective: broadcasts model_form() of the files of rank `source`, if the architecture has a choice. The other ranks' files are not
/// read.
ModelForm agree_on_form(const RunContext& run, int source, const LoadedCheckpoint* resumed, const PretrainedFile* pretrained);

/// Can batch norm get a single value of each channel from one image, on which it cannot train? So it is with small images, and with the auxiliary head of inception_v3.
bool needs_two_images(const Options& options, const ModelForm& form);

/// The call that creates the same model in torchvision: "googlenet(num_classes=10, aux_logits=False, …)".
std::string in_python(const std::string& architecture, int64_t classes, const ModelForm& form);

}  // namespace ringlab
