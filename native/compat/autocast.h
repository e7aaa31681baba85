// Mixed precision for the calling thread, as Python's torch.autocast. libtorch 2.4 unified its functions for all devices.
#pragma once

#include <ATen/autocast_mode.h>
#include <torch/version.h>

namespace ringlab::compat {

/// While it exists, eligible operations compute in `type`: torch::kHalf or torch::kBFloat16; no effect with torch::kFloat. The
/// outermost one frees the cached casts of the weights, which the next optimizer step makes stale.
class Autocast {
 public:
  Autocast(at::DeviceType device, at::ScalarType type) : device_(device), on_(type != at::kFloat), before_(enabled()) {
    if (!on_) return;
#if TORCH_VERSION_MAJOR > 2 || (TORCH_VERSION_MAJOR == 2 && TORCH_VERSION_MINOR >= 4)
    at::autocast::set_autocast_dtype(device_, type);
#else
    if (device_ == at::kCUDA) at::autocast::set_autocast_gpu_dtype(type);
    else at::autocast::set_autocast_cpu_dtype(type);
#endif
    enable(true);
    at::autocast::increment_nesting();
  }
  ~Autocast() {
    if (!on_) return;
    if (at::autocast::decrement_nesting() == 0) at::autocast::clear_cache();
    enable(before_);
  }
  Autocast(const Autocast&) = delete;
  Autocast& operator=(const Autocast&) = delete;

 private:
  bool enabled() const {
#if TORCH_VERSION_MAJOR > 2 || (TORCH_VERSION_MAJOR == 2 && TORCH_VERSION_MINOR >= 4)
    return at::autocast::is_autocast_enabled(device_);
#else
    return device_ == at::kCUDA ? at::autocast::is_enabled() : at::autocast::is_cpu_enabled();
#endif
  }
  void enable(bool on) const {
#if TORCH_VERSION_MAJOR > 2 || (TORCH_VERSION_MAJOR == 2 && TORCH_VERSION_MINOR >= 4)
    at::autocast::set_autocast_enabled(device_, on);
#else
    if (device_ == at::kCUDA) at::autocast::set_enabled(on);
    else at::autocast::set_cpu_enabled(on);
#endif
  }

  at::DeviceType device_;
  bool on_;
  bool before_;
};

}  // namespace ringlab::compat
