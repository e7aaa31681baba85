/** Failures of the model and its data: tensors, gradients, checkpoints, data sets. */
import type { Diagnosis } from './diagnosis.ts';

export const modelDiagnoses: readonly Diagnosis[] = [
  {
    code: 'tensor.devices',
    patterns: [
      /Expected all tensors to be on the same device/,
      /\bto have the same device\b/,
      /\b(?:not (?:at|on) the same device|on different devices)\b/,
      /is on CPU, but expected (?:it|them) to be on GPU/,
      /can't convert \S+ device type tensor to numpy/,
      /Expected object of (?:device type|backend) \w+ but got (?:device type|backend) \w+/,
      /Input type \(torch\.cuda\.\w+\) and weight type \(torch\.[A-Z]\w+\) should be the same/,
      /Input type \(torch\.[A-Z]\w+\) and weight type \(torch\.cuda\.\w+\) should be the same/,
      /indices should be either on \w+ or on the same device as the indexed tensor/,
      /module must have its parameters and buffers on device \S+ \(device_ids\[0\]\)/,
      /\btensors? (?:is|are|was|were) (?:located )?on \S+, (?:but|other)\b.{0,60}\bon\b/,
    ],
  },
  {
    code: 'tensor.types',
    patterns: [
      /expected (?:m1 and m2 to have the same dtype|scalar type \w+ but found \w+)/,
      /mat1 and mat2 must have the same dtype/,
      /Input type \(\S+\) and (?:weight|bias) type \(\S+\) should be the same/,
      /"\w+" not implemented for \'\w+\'/,
      /\b(?:self|mat1|m1|query|input) and (?:mat2|m2|key|weight|bias)\b.{0,40}\bsame dtype/,
      /[Ff]ound dtype \w+ but expected \w+/,
      /result type \w+ can't be cast to the desired output type/,
      /source and destination dtypes match/,
      /Attempting to unscale FP16 gradients/,
      /Expected (?:object|tensor)\b.{0,60}\b(?:scalar type|type) [\w.]+,? but got/,
      /Expected (?:tensor for argument .+ to have one of the following )?(?:scalar types|dtypes?):? .*\bbut got\b/,
      /expected backend \w+ and dtype \w+ but got backend/,
    ],
  },
  {
    code: 'tensor.shapes',
    patterns: [
      /size mismatch \(got input: /,

      /mat1 and mat2 shapes cannot be multiplied/,
      /The size of tensor a \(\d+\) must match the size of tensor b/,
      /Sizes of tensors must match except in dimension/,
      /stack expects each tensor to be equal size/,
      /weight of size \[[^\]]*\], expected input\[[^\]]*\] to have \d+ channels/,
      /size mismatch, m1: \[/,
      /shape '\[[^\]]*\]' is invalid for input of size/,
      /The expanded size of the tensor \(\d+\) must match/,
      /Expected input batch_size \(\d+\) to match target batch_size/,
      /Given input size: .*Output size is too small/,
      /Kernel size can't be greater than actual input size/,
      /Expected more than 1 value per channel when training/,
      /running_mean should contain \d+ elements/,
      /\bexpected \d\S*(?:D| dimensional| dims?)\b.{0,60}\bbut got\b/,
      /shape mismatch: /,
      /inconsistent tensor size/,
      /Using a target size \(.*\) that is different to the input size .*(?:is deprecated|must be the same size|Please ensure they have the same size)/,
      /Target size \(.*\) must be the same as input size/,
    ],
  },
  {
    code: 'checkpoint.size_mismatch',
    patterns: [
      /Error\(s\) in loading state_dict for (?<model>\w+)/,

      /size mismatch for (?<parameter>\S+): copying a param with shape/,
      /(?:Missing|Unexpected) key\(s\) in state_dict/,
      /(?:unexpected|missing) keys? .* in state_dict/,
      /While copying the parameter named/,
      /\bsizes do not match at\b/,
    ],
  },
  {
    code: 'checkpoint.damaged',
    patterns: [
      /PytorchStreamReader failed (?:reading|locating)/,
      /UnpicklingError: (?:pickle data was truncated|invalid load key)/,
      /unexpected EOF\b.*The file might be corrupted/,
      /Invalid magic number/,
      /storage has wrong (?:byte )?size/,
      /Unable to (?:synchronously )?open file \(truncated file/,
      /EOFError: Ran out of input/,
      /SafetensorError: Error while deserializing header/,
      /failed finding central directory/,
      /\binvalid load key\b/,
      /checkpoint .*(?:is corrupt(?:ed)?|truncated)/,
    ],
  },
  {
    code: 'checkpoint.weights_only',
    patterns: [
      /Weights only load failed/,
      /WeightsUnpickler error/,
      /was not an allowed global by default/,
      /allowlisted via `?add_safe_globals/,
    ],
  },
  {
    code: 'data.no_classes',
    patterns: [
      /Couldn't find any class folder in (?<path>\S+?)\.?$/,
      /Found no valid file for the classes (?<classes>.+?)\. Supported/,
    ],
  },
  {
    code: 'data.broken_image',
    patterns: [
      /UnidentifiedImageError: cannot identify image file (?<path>.+)$/,
      /OSError: image file is truncated/,
      /broken data stream when reading image file/,
      /cannot identify image file (?<path>.+)$/,
      /OSError: (?:broken PNG file|unrecognized data stream contents|image file is truncated)/,
      /\bTruncated File Read\b/,
    ],
  },
  {
    code: 'compile.no_triton',
    patterns: [/Cannot find a working triton installation/, /Triton (?:is )?not (?:available|installed)\b/],
  },
  {
    code: 'tensor.index',
    patterns: [/index out of range in self/, /index \d+ is out of bounds for dimension \d+ with size \d+/],
  },
  {
    code: 'autograd.inplace',
    patterns: [
      /modifies inplace an input that is a view/,
      /one of the variables needed for gradient computation has been modified by an inplace operation/,
    ],
  },
  {
    code: 'autograd.no_gradient',
    patterns: [
      /element \d+ of tensors does not require grad and does not have a grad_fn/,
      /DistributedDataParallel is not needed when a module doesn't have any parameters that require a gradient/,
    ],
  },
  {
    code: 'autograd.second_backward',
    patterns: [/Trying to backward through the graph a second time/],
  },
  {
    code: 'loss.not_finite',
    patterns: [
      /\bloss is (?:nan|inf|-inf)\b/,
      /Function '?\w+'? returned nan values/,
      /\bnon-finite loss\b/,
      /The loss returned in .* is nan or inf/,
    ],
  },
  {
    code: 'checkpoint.optimizer',
    patterns: [
      /loaded state dict (?:contains a parameter group that doesn't match|has a different number of parameter groups)/,
    ],
  },
  {
    code: 'data.empty',
    patterns: [
      /num_samples should be a positive integer value, but got num_samples=0/,
      /\b[Ff]ound 0 (?:files|images|samples) in\b/,
    ],
  },
  {
    code: 'compile.failed',
    patterns: [/torch\._dynamo\.exc\.\w+/, /\bBackendCompilerFailed\b/, /torch\._inductor\.exc\.\w+/],
    followsFrom: 'any',
  },
  {
    code: 'compile.kernel_build',
    patterns: [
      /Command '\['\S*(?:gcc|cc|clang)'.*cuda_utils.*returned non-zero exit status/,
      /Command '\['\S*(?:gcc|cc|clang)'.*triton.*returned non-zero exit status/,
    ],
    followsFrom: ['build.python_headers', 'build.no_library'],
  },
];
