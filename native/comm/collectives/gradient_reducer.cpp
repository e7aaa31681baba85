#include "comm/collectives/gradient_reducer.h"

#include <ATen/Functions.h>

#include <algorithm>
#include <exception>
#include <stdexcept>
#include <unordered_map>

#include "base/clock.h"
#include "comm/collectives/busy_clock.h"
#include "comm/collectives/state.h"
#include "compat/c10d_version.h"

namespace ringlab {
namespace {

at::Tensor tensor_of_result(const c10::IValue& result) {
  if (result.isTensorList()) return result.toTensorVector().front();
  return result.toTensor();
}

/// The same all-reduce as without a hook, with a clock and a counter. The gradient is multiplied by 1 / world size, as the
/// Reducer does itself: the results are equal to Python's DistributedDataParallel to the bit.
c10::intrusive_ptr<c10::ivalue::Future> start_allreduce(CommState& comm, at::Tensor& gradients, const std::shared_ptr<BusyClock>& clock) {
  gradients.mul_(1.0 / comm.settings.world_size);
  c10::intrusive_ptr<c10::ivalue::Future> future;
  comm.thread.run([&] {
    std::vector<at::Tensor> tensors{gradients};
    comm.exchange(gradients, [&] { future = comm.group_for(gradients)->allreduce(tensors)->getFuture(); });
  });
  comm.count_allreduce(static_cast<int64_t>(gradients.nbytes()));
  if (!gradients.is_cuda()) {
    clock->begin(steady_seconds());
    future->addCallback([clock](c10::ivalue::Future&) { clock->end(steady_seconds()); });
  }
  return future;
}

/// The buckets' parameters by their places in `names`.
compat::Buckets places_of(const BucketNames& buckets, const std::vector<std::string>& names) {
  std::unordered_map<std::string, size_t> places;
  for (size_t i = 0; i < names.size(); ++i) places[names[i]] = i;
  compat::Buckets out;
  for (const auto& bucket : buckets) {
    auto& members = out.emplace_back();
    for (const auto& name : bucket) members.push_back(places.at(name));
  }
  return out;
}

/// A future for a result of the communicator's thread.
c10::intrusive_ptr<c10::ivalue::Future> make_future(const at::Tensor& like) {
  std::vector<c10::Device> devices;
  if (like.is_cuda()) devices.push_back(like.device());
  return c10::make_intrusive<c10::ivalue::Future>(c10::TensorType::get(), std::move(devices));
}

}  // namespace

struct GradientReducer::State {
  /// An average on its way, for use in the next step.
  struct Arriving {
    at::Tensor gradient;  ///< undefined: none, the next step uses zeros
    std::shared_future<void> done;
  };

  explicit State(CommState& c) : comm(c) {}

  c10::intrusive_ptr<c10::ivalue::Future> on_bucket(c10d::GradBucket& bucket) {
    times.last_bucket_at = steady_seconds();
    exchanged = clock->seconds(times.last_bucket_at);
    if (!settings.average || step < settings.start) return start_allreduce(comm, bucket.getBufferRef(), clock);
    std::vector<size_t> which;
    for (const auto& parameter : bucket.getParameters()) which.push_back(numbers.at(parameter.unsafeGetTensorImpl()));
    return settings.late ? use_last(bucket, which) : exchange(bucket, which);
  }

  /// The bucket is free for the next layers' gradients only when its future is complete.
  c10::intrusive_ptr<c10::ivalue::Future> exchange(c10d::GradBucket& bucket, const std::vector<size_t>& which) {
    auto future = make_future(bucket.getBuffer());
    clock->begin(steady_seconds());
    const auto job = [this, future, which, buffer = bucket.getBuffer(), gradients = bucket.getGradients()]() mutable {
      settings.average(which, gradients);
      clock->end(steady_seconds());
      future->markCompleted(buffer);
    };
    // Backward waits for every bucket, also for one whose exchange does not begin since another one has failed.
    comm.thread.submit(job, [future](std::exception_ptr error) { future->setError(std::move(error)); });
    return future;
  }

  c10::intrusive_ptr<c10::ivalue::Future> use_last(c10d::GradBucket& bucket, const std::vector<size_t>& which) {
    std::vector<at::Tensor> gradients = bucket.getGradients();
    std::vector<at::Tensor> own;
    const double started = steady_seconds();
    for (size_t i = 0; i < which.size(); ++i) {
      own.push_back(gradients[i].clone());
      Arriving& last = arriving[which[i]];
      if (!last.gradient.defined()) {
        gradients[i].zero_();
        continue;
      }
      if (last.done.valid()) last.done.get();
      gradients[i].copy_(last.gradient);
    }
    times.waited += steady_seconds() - started;
    clock->begin(steady_seconds());
    const auto done = comm.thread.submit([this, which, own]() mutable {
      settings.average(which, own);
      clock->end(steady_seconds());
    });
    for (size_t i = 0; i < which.size(); ++i) arriving[which[i]] = {own[i], done};
    auto future = make_future(bucket.getBuffer());
    future->markCompleted(bucket.getBuffer());
    return future;
  }

  CommState& comm;
  ReductionSettings settings;
  ReductionTimes times;
  std::shared_ptr<BusyClock> clock = std::make_shared<BusyClock>();  ///< of exchanges; Gloo's thread may outlive this
  double exchanged = 0;   ///< on the clock, when the last bucket was ready
  double reported = 0;    ///< on the clock, at take_times()
  int64_t step = 0;
  std::unordered_map<const at::TensorImpl*, size_t> numbers;  ///< of the parameters
  std::vector<std::string> names;                             ///< one a parameter, as the next two
  std::vector<Arriving> arriving;
  std::vector<at::Tensor> parameters;
  std::unique_ptr<c10d::Reducer> reducer;
};

namespace {

class Hook : public c10d::CommHookInterface {
 public:
  using OnBucket = std::function<c10::intrusive_ptr<c10::ivalue::Future>(c10d::GradBucket&)>;
  explicit Hook(OnBucket on_bucket) : on_bucket_(std::move(on_bucket)) {}
  c10::intrusive_ptr<c10::ivalue::Future> runHook(c10d::GradBucket& bucket) override { return on_bucket_(bucket); }
  at::Tensor parseHookResult(const c10::IValue& result) override { return tensor_of_result(result); }

 private:
  OnBucket on_bucket_;
};

}  // namespace

GradientReducer::GradientReducer(Communicator& communicator, const std::vector<std::pair<std::string, at::Tensor>>& parameters, ReductionSettings settings)
    : state_(std::make_unique<State>(communicator.state())) {
  auto& s = *state_;
  s.settings = std::move(settings);
  compat::Names names;
  for (const auto& [name, parameter] : parameters) {
    s.numbers[parameter.unsafeGetTensorImpl()] = s.parameters.size();
    names[s.parameters.size()] = name;
    s.names.push_back(name);
    s.parameters.push_back(parameter);
  }
  s.arriving.resize(s.parameters.size());
  s.reducer = compat::make_reducer(s.comm.group_for(s.parameters.front()), s.parameters, std::move(names), places_of(s.settings.buckets, s.names));
  s.reducer->register_comm_hook(std::make_unique<Hook>([&s](c10d::GradBucket& bucket) { return s.on_bucket(bucket); }));
}

/// With `late` an average may still be exchanged, by a job that uses this state: waits for it. Its error, if any, is ignored, since no step follows.
GradientReducer::~GradientReducer() {
  for (const auto& arriving : state_->arriving) {
    if (arriving.done.valid()) arriving.done.wait();
  }
}

void GradientReducer::before_forward(int64_t step) {
  state_->step = step;
  state_->times.waited = 0;
  state_->reducer->prepare_for_forward();
}

void GradientReducer::before_backward() { state_->reducer->prepare_for_backward({}); }

/// Exchanges between two calls and before the last bucket is ready are hidden, except for the time that backward itself waited; all
/// ranks wait for exchanges between then and the call, unless averages are used late: no rank waits for those.
ReductionTimes GradientReducer::take_times() {
  auto& s = *state_;
  ReductionTimes times = s.times;
  if (!s.parameters.front().is_cuda()) {
    times.hidden = std::max(0.0, s.exchanged - s.reported - times.waited);
    s.reported = s.settings.late ? s.exchanged : s.clock->seconds(steady_seconds());
  }
  return times;
}

bool GradientReducer::after_step() { return state_->reducer->should_rebuild_buckets() && before_pass(); }

bool GradientReducer::before_pass() {
  auto& s = *state_;
  bool rebuilt = false;
  s.comm.thread.run([&] { s.comm.exchange(s.parameters.front(), [&] { rebuilt = s.reducer->rebuild_buckets(); }); });
  return rebuilt;
}

BucketNames GradientReducer::buckets() const {
  BucketNames out;
  for (const auto& bucket : state_->reducer->get_grad_buckets(/*return_zero_tensors=*/false)) {
    auto& names = out.emplace_back();
    for (const auto& parameter : bucket.getParameters()) names.push_back(state_->names[state_->numbers.at(parameter.unsafeGetTensorImpl())]);
  }
  return out;
}

std::vector<std::pair<std::string, at::Tensor>> GradientReducer::state() {
  std::vector<std::pair<std::string, at::Tensor>> out;
  for (size_t i = 0; i < state_->arriving.size(); ++i) {
    const auto& arriving = state_->arriving[i];
    if (!arriving.gradient.defined()) continue;
    if (arriving.done.valid()) arriving.done.get();
    out.emplace_back("late." + std::to_string(i), arriving.gradient);
  }
  return out;
}

void GradientReducer::load_state(const std::vector<std::pair<std::string, at::Tensor>>& state) {
  for (const auto& [name, tensor] : state) {
    const size_t index = name.rfind("late.", 0) == 0 ? std::stoul(name.substr(5)) : state_->arriving.size();
    if (index >= state_->arriving.size()) throw std::runtime_error("holds '" + name + "', which this way of averaging does not keep");
    const auto& parameter = state_->parameters[index];
    if (tensor.numel() != parameter.numel()) throw std::runtime_error("'" + name + "' has another shape: another model");
    state_->arriving[index] = {tensor.to(parameter.options().requires_grad(false)).clone().view(parameter.sizes()), {}};
  }
}

}  // namespace ringlab
