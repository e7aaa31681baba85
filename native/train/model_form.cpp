#include "train/model_form.h"

#include "models/published_weights.h"

namespace ringlab {

ModelForm model_form(const Options& options, const LoadedCheckpoint* resumed, const PretrainedFile* pretrained) {
  ModelForm form;
  const bool published = pretrained != nullptr && pretrained->bare && is_published_weights(options.arch, pretrained->path);
  if (resumed != nullptr) {
    form.auxiliary = has_auxiliary_heads(resumed->state_dict);
    // Python's do not say it; main.py's run with its --pretrained is gone on from with ours.
    form.transform_input = resumed->input ? resumed->input->transform_input : published;
  } else if (pretrained != nullptr) {
    form.auxiliary = has_auxiliary_heads(pretrained->weights) && !(published && options.arch == "googlenet");
    form.transform_input = pretrained->transform_input || published;
  }
  if (options.aux_logits != "auto") form.auxiliary = options.aux_logits == "on";
  if (options.transform_input != "auto") form.transform_input = options.transform_input == "on";
  return form;
}

std::string in_python(const std::string& architecture, int64_t classes, const ModelForm& form) {
  return architecture + "(num_classes=" + std::to_string(classes) + ", aux_logits=" + (form.auxiliary ? "True" : "False") + ", transform_input=" + (form.transform_input ? "True" : "False") + ")";
}

}  // namespace ringlab
