#include "train/model_form.h"

#include "data/pixels/transforms.h"
#include "models/architectures/catalog.h"
#include "models/published_weights.h"

namespace ringlab {
namespace {

/// Up to this size (pixels) the auxiliary head of inception_v3 ends in a map of one value: at its 299 it makes 1 x 1 of 5 x 5.
constexpr int kInceptionSingleValue = 346;

}  // namespace

ModelForm model_form(const Options& options, const LoadedCheckpoint* resumed, const PretrainedFile* pretrained) {
  ModelForm form;
  const bool published = pretrained != nullptr && pretrained->bare && is_published_weights(options.arch, pretrained->path);
  if (resumed != nullptr) {
    form.auxiliary = has_auxiliary_heads(resumed->state_dict);
    // Python's checkpoints do not record it; a run of main.py with its --pretrained is resumed with our --pretrained.
    form.transform_input = resumed->input ? resumed->input->transform_input : published;
  } else if (pretrained != nullptr) {
    form.auxiliary = has_auxiliary_heads(pretrained->weights) && !(published && options.arch == "googlenet");
    form.transform_input = pretrained->transform_input || published;
  }
  if (options.aux_logits != When::automatic) form.auxiliary = options.aux_logits == When::on;
  if (options.transform_input != When::automatic) form.transform_input = options.transform_input == When::on;
  return form;
}

ModelForm agree_on_form(const RunContext& run, int source, const LoadedCheckpoint* resumed, const PretrainedFile* pretrained) {
  ModelForm form;
  if (!takes_transform_input(run.options.arch)) return form;
  if (run.launch.rank == source) form = model_form(run.options, resumed, pretrained);
  if (run.communicator == nullptr) return form;
  const auto texts = run.communicator->gather_texts(std::string(form.auxiliary ? "a" : "") + (form.transform_input ? "t" : ""));
  const std::string& text = texts[static_cast<size_t>(source)];
  form.auxiliary = text.find('a') != std::string::npos;
  form.transform_input = text.find('t') != std::string::npos;
  return form;
}

bool needs_two_images(const Options& options, const ModelForm& form) {
  return options.image_size <= kSmallImage || (options.arch == "inception_v3" && form.auxiliary && options.image_size <= kInceptionSingleValue);
}

std::string in_python(const std::string& architecture, int64_t classes, const ModelForm& form) {
  return architecture + "(num_classes=" + std::to_string(classes) + ", aux_logits=" + (form.auxiliary ? "True" : "False") + ", transform_input=" + (form.transform_input ? "True" : "False") + ")";
}

}  // namespace ringlab
