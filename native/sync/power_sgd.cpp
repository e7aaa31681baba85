#include "sync/power_sgd.h"

#include <ATen/Functions.h>

#include <algorithm>
#include <cmath>
#include <stdexcept>
#include <utility>

#include "base/random.h"
#include "sync/coded_average.h"

namespace ringlab {
namespace {

/// Zero-mean values of no direction in particular: the same on every rank and machine.
void fill_random(float* values, int64_t count, int64_t stride, uint64_t key) {
  Stream random({0x506F776572534744ULL, key});
  for (int64_t i = 0; i < count; ++i) values[i * stride] = static_cast<float>(random.uniform(-1, 1));
}

double dot(const float* a, const float* b, int64_t rows, int64_t stride) {
  double sum = 0;
  for (int64_t i = 0; i < rows; ++i) sum += static_cast<double>(a[i * stride]) * static_cast<double>(b[i * stride]);
  return sum;
}

bool is_finite(const at::Tensor& values) { return at::isfinite(values).all().item<bool>(); }

}  // namespace

void orthonormalize(at::Tensor& matrix) {
  const int64_t rows = matrix.size(0);
  const int64_t rank = matrix.size(1);
  auto* values = matrix.data_ptr<float>();
  for (int64_t k = 0; k < rank; ++k) {
    float* column = values + k;
    for (int attempt = 0; attempt < 4; ++attempt) {
      const double before = std::sqrt(dot(column, column, rows, rank));
      for (int pass = 0; pass < 2; ++pass) {
        for (int64_t j = 0; j < k; ++j) {
          const float* other = values + j;
          const double along = dot(column, other, rows, rank);
          for (int64_t i = 0; i < rows; ++i) column[i * rank] -= static_cast<float>(along * static_cast<double>(other[i * rank]));
        }
      }
      const double after = std::sqrt(dot(column, column, rows, rank));
      // NaNs stay NaNs: the training loop reports them.
      if (after > 1e-5 * before || std::isnan(after)) {
        const double scale = 1.0 / after;
        for (int64_t i = 0; i < rows; ++i) column[i * rank] = static_cast<float>(static_cast<double>(column[i * rank]) * scale);
        break;
      }
      fill_random(column, rows, rank, static_cast<uint64_t>(k * 16 + attempt));
    }
  }
}

PowerSgd::PowerSgd(Communicator& communicator, const std::vector<at::Tensor>& parameters, PowerSgdSettings settings)
    : communicator_(communicator), settings_(settings), half_(settings.half_factors ? make_fp16_codec() : nullptr) {
  for (size_t i = 0; i < parameters.size(); ++i) {
    const auto& parameter = parameters[i];
    Matrix matrix;
    if (parameter.dim() >= 2 && parameter.numel() > 0) {
      matrix.rows = parameter.size(0);
      matrix.columns = parameter.numel() / matrix.rows;
      const int64_t rank = std::min<int64_t>({settings.rank, matrix.rows, matrix.columns});
      if (rank * (matrix.rows + matrix.columns) < matrix.rows * matrix.columns) matrix.rank = rank;
    }
    if (matrix.rank > 0) {
      matrix.factor = at::empty({matrix.columns, matrix.rank}, at::kFloat);
      fill_random(matrix.factor.data_ptr<float>(), matrix.factor.numel(), 1, 1000 + i);
    }
    matrices_.push_back(std::move(matrix));
  }
}

void PowerSgd::mean(at::Tensor& flat) const {
  if (half_) {
    flat.copy_(coded_mean(communicator_, flat, *half_, nullptr));
    return;
  }
  flat.mul_(1.0 / communicator_.world_size());
  communicator_.allreduce_sum(flat);
}

void PowerSgd::average(const std::vector<size_t>& which, std::vector<at::Tensor>& values) {
  // First buffer: the P's, then what is not compressed. Second buffer: the Q's.
  int64_t first = 0;
  int64_t second = 0;
  for (const size_t index : which) {
    const Matrix& matrix = matrices_[index];
    first += matrix.rank * matrix.rows;
    second += matrix.rank * matrix.columns;
  }
  int64_t plain = 0;
  for (size_t i = 0; i < which.size(); ++i) plain += matrices_[which[i]].rank == 0 ? values[i].numel() : 0;
  at::Tensor left = at::empty({first + plain}, at::kFloat);
  at::Tensor right = at::empty({second}, at::kFloat);
  std::vector<at::Tensor> wholes;  ///< M of each matrix

  int64_t at = 0;
  int64_t plain_at = first;
  for (size_t i = 0; i < which.size(); ++i) {
    Matrix& matrix = matrices_[which[i]];
    if (matrix.rank == 0) {
      left.narrow(0, plain_at, values[i].numel()).copy_(values[i].reshape({-1}));
      plain_at += values[i].numel();
      continue;
    }
    // M takes the memory of the values, which the result replaces: what is kept stays as it is until the averages are known.
    at::Tensor whole = values[i].reshape({matrix.rows, matrix.columns}).to(at::kCPU, at::kFloat);
    if (matrix.error.defined()) whole.add_(matrix.error);
    at::Tensor p = left.narrow(0, at, matrix.rows * matrix.rank).view({matrix.rows, matrix.rank});
    at::mm_out(p, whole, matrix.factor);
    at += p.numel();
    wholes.push_back(std::move(whole));
  }
  mean(left);

  at = 0;
  int64_t right_at = 0;
  size_t next = 0;
  for (const size_t index : which) {
    const Matrix& matrix = matrices_[index];
    if (matrix.rank == 0) continue;
    at::Tensor p = left.narrow(0, at, matrix.rows * matrix.rank).view({matrix.rows, matrix.rank});
    orthonormalize(p);
    at::Tensor q = right.narrow(0, right_at, matrix.columns * matrix.rank).view({matrix.columns, matrix.rank});
    at::mm_out(q, wholes[next++].t(), p);
    at += p.numel();
    right_at += q.numel();
  }
  if (second > 0) mean(right);
  // Equal on all ranks. One number that is none (an overflow in fp16, after which GradScaler leaves out the step) would stay in what is kept for good.
  const bool keeps = is_finite(left) && is_finite(right);

  at = 0;
  next = 0;
  right_at = 0;
  plain_at = first;
  for (size_t i = 0; i < which.size(); ++i) {
    Matrix& matrix = matrices_[which[i]];
    if (matrix.rank == 0) {
      values[i].copy_(left.narrow(0, plain_at, values[i].numel()).view_as(values[i]));
      plain_at += values[i].numel();
      continue;
    }
    const at::Tensor p = left.narrow(0, at, matrix.rows * matrix.rank).view({matrix.rows, matrix.rank});
    const at::Tensor q = right.narrow(0, right_at, matrix.columns * matrix.rank).view({matrix.columns, matrix.rank});
    const at::Tensor product = at::mm(p, q.t());
    const at::Tensor& whole = wholes[next++];
    if (keeps) {
      if (matrix.error.defined()) at::sub_out(matrix.error, whole, product);
      else matrix.error = whole.sub(product);
      matrix.factor.copy_(q);
    }
    values[i].copy_(product.view(values[i].sizes()));
    at += p.numel();
    right_at += q.numel();
  }
}

NamedTensors PowerSgd::state() const {
  NamedTensors out;
  for (size_t i = 0; i < matrices_.size(); ++i) {
    if (matrices_[i].rank == 0 || !matrices_[i].error.defined()) continue;
    out.emplace_back("factor." + std::to_string(i), matrices_[i].factor);
    out.emplace_back("error." + std::to_string(i), matrices_[i].error);
  }
  return out;
}

void PowerSgd::load_state(const NamedTensors& state) {
  for (const auto& [name, tensor] : state) {
    const size_t dot = name.rfind('.');
    const std::string kind = name.substr(0, dot);
    const size_t index = dot == std::string::npos ? matrices_.size() : std::stoul(name.substr(dot + 1));
    if (index >= matrices_.size() || (kind != "factor" && kind != "error")) throw std::runtime_error("holds '" + name + "', which PowerSGD does not keep");
    Matrix& matrix = matrices_[index];
    const bool factor = kind == "factor";
    if (matrix.rank == 0 || tensor.dim() != 2 || tensor.size(0) != (factor ? matrix.columns : matrix.rows) || tensor.size(1) != (factor ? matrix.rank : matrix.columns)) {
      throw std::runtime_error("'" + name + "' has another shape: another rank of PowerSGD, or another model");
    }
    (factor ? matrix.factor : matrix.error) = tensor.to(at::kCPU, at::kFloat).clone();
  }
}

}  // namespace ringlab
