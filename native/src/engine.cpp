#include "src/engine.h"

#include "models/architectures/registry.h"
#include "src/classify.h"
#include "src/train_command.h"
#include "src/verify.h"
#include "train/device/device.h"

extern "C" const ringlab::Engine* ringlab::ringlab_engine() {
  static constexpr Engine table{capabilities, check_image_size, classify_command, train_command, verify_command};
  return &table;
}
