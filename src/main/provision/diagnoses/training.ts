/** CUDA, cuDNN and PyTorch: what a training process says of its GPU, its model and its pictures. */
import type { Diagnosis } from './diagnosis.ts';

export const trainingDiagnoses: readonly Diagnosis[] = [
  {
    code: 'cuda.out_of_memory',
    patterns: [
      /CUDA out of memory\. Tried to allocate (?<wanted>[\d.]+ [KMG]i?B)/,
      /CUDA out of memory/,
      /cudaErrorMemoryAllocation/,
    ],
    cause: {
      en: 'The GPU’s memory is used up by the model, its activations and the batch.',
      'zh-CN': '显存被模型、激活值和批数据耗尽。',
    },
    remedy: {
      en: 'Halve the batch, switch to bf16 or fp16, or accumulate gradients over several steps. `nvidia-smi` shows whether somebody else uses the GPU.',
      'zh-CN': '将批大小减半、改用 bf16/fp16，或使用梯度累积；用 `nvidia-smi` 查看是否有他人占用。',
    },
    action: 'halve_batch',
  },
  {
    code: 'cuda.driver_too_old',
    patterns: [
      /NVIDIA driver on your system is too old \(found version (?<found>\d+)\)/,
      /CUDA driver version is insufficient for CUDA runtime version/,
      /unsupported toolchain/,
    ],
    cause: {
      en: 'This torch was built for a newer CUDA than the driver supports.',
      'zh-CN': 'torch 所需的 CUDA 高于驱动支持的级别。',
    },
    remedy: {
      en: 'Install a newer driver, or a torch of the CUDA level that `nvidia-smi` shows.',
      'zh-CN': '升级驱动，或安装与 `nvidia-smi` 显示的 CUDA 级别相符的 torch。',
    },
    action: 'repair_driver',
  },
  {
    code: 'cuda.architecture',
    patterns: [
      /no kernel image is available for execution on the device/,
      /with CUDA capability (?<sm>sm_\d+) is not compatible with the current PyTorch installation/,
    ],
    cause: {
      en: 'This torch holds no code for this kind of GPU.',
      'zh-CN': '此 torch 不含该型号 GPU 的代码。',
    },
    remedy: {
      en: 'Newer GPU: a newer torch and CUDA level. Older GPU: the last torch that supported it.',
      'zh-CN': '较新的 GPU 请用更新的 torch 和 CUDA；较旧的 GPU 请用最后支持它的版本。',
    },
  },
  {
    code: 'cuda.cpu_build',
    patterns: [
      /Torch not compiled with CUDA enabled/,
      /Cannot initialize CUDA without ATen_cuda library/,
      /PyTorch is not linked with support for cuda devices/,
    ],
    cause: {
      en: 'This torch is a build for the CPU, on a node with a GPU.',
      'zh-CN': '在有 GPU 的节点上安装了仅支持 CPU 的 torch。',
    },
    remedy: {
      en: 'Choose a build with CUDA: in conda pin `libtorch=*=cuda*` or `pytorch=*=cuda*`.',
      'zh-CN': '选择 CUDA 版本：在 conda 中固定 `libtorch=*=cuda*` 或 `pytorch=*=cuda*`。',
    },
  },
  {
    code: 'cuda.fabric_manager',
    patterns: [/Error 802: system not yet initialized/],
    cause: {
      en: 'The GPUs are joined by NVSwitch, and the fabric manager does not run or has another version than the driver.',
      'zh-CN': 'GPU 通过 NVSwitch 互联，但 fabric manager 未运行或与驱动版本不符。',
    },
    remedy: {
      en: 'Install nvidia-fabricmanager of exactly the driver’s version and start it.',
      'zh-CN': '安装与驱动版本完全一致的 nvidia-fabricmanager 并启动。',
    },
  },
  {
    code: 'cuda.unknown_error',
    patterns: [
      /CUDA unknown error - this may be due to an incorrectly set up environment/,
      /cudaGetDeviceCount\(\) returned cudaErrorUnknown/,
    ],
    cause: {
      en: 'CUDA cannot open the driver: often after the machine slept, or nvidia_uvm is not loaded.',
      'zh-CN': 'CUDA 无法打开驱动：常见于休眠之后或未加载 nvidia_uvm。',
    },
    remedy: {
      en: '`sudo modprobe -r nvidia_uvm && sudo modprobe nvidia_uvm`, or reboot; check CUDA_VISIBLE_DEVICES.',
      'zh-CN':
        '执行 `sudo modprobe -r nvidia_uvm && sudo modprobe nvidia_uvm` 或重启；检查 CUDA_VISIBLE_DEVICES。',
    },
    action: 'reboot',
  },
  {
    code: 'cuda.busy',
    patterns: [/all CUDA-capable devices are busy or unavailable/],
    cause: {
      en: 'The GPU is in exclusive mode and another process has it.',
      'zh-CN': 'GPU 处于独占模式且被其他进程占用。',
    },
    remedy: {
      en: 'Wait for that process (`nvidia-smi` names it), or set `nvidia-smi -c 0`.',
      'zh-CN': '等待该进程（见 `nvidia-smi`），或执行 `nvidia-smi -c 0`。',
    },
    action: 'retry',
  },
  {
    code: 'cuda.invalid_device',
    patterns: [
      /CUDA error: invalid device ordinal/,
      /Attempting to deserialize object on CUDA device (?<device>\d+)/,
    ],
    cause: {
      en: 'More GPUs are asked for than this node has, or CUDA_VISIBLE_DEVICES hides some.',
      'zh-CN': '请求的 GPU 数超过节点所有，或被 CUDA_VISIBLE_DEVICES 隐藏。',
    },
    remedy: {
      en: 'Correct the number of GPUs of this node in the lab.',
      'zh-CN': '在实验图中更正该节点的 GPU 数量。',
    },
  },
  {
    code: 'cuda.device_assert',
    patterns: [/CUDA error: device-side assert triggered/, /Assertion `t >= 0 && t < n_classes` failed/],
    cause: { en: 'A label lies outside the number of classes.', 'zh-CN': '某个标签超出了类别数。' },
    remedy: {
      en: 'train/ and val/ must have the same class folders, and --num-classes must fit them.',
      'zh-CN': 'train/ 与 val/ 的类别文件夹须一致，且 --num-classes 与之相符。',
    },
  },
  {
    code: 'cuda.illegal_access',
    patterns: [/CUDA error: an illegal memory access was encountered/],
    cause: {
      en: 'A GPU program read or wrote where it may not: a fault of a library, or of the card.',
      'zh-CN': 'GPU 程序访问了非法内存：库缺陷或显卡故障。',
    },
    remedy: {
      en: 'Resume from the last checkpoint; if it comes back, try another torch version, and test the card’s memory.',
      'zh-CN': '从最后的检查点继续；若反复出现，请更换 torch 版本并检测显存。',
    },
    action: 'retry',
  },
  {
    code: 'cudnn.not_initialised',
    patterns: [/CUDNN_STATUS_NOT_INITIALIZED/, /CUBLAS_STATUS_(?:ALLOC_FAILED|NOT_INITIALIZED)/],
    cause: {
      en: 'cuDNN or cuBLAS could not start: nearly always the GPU’s memory is full.',
      'zh-CN': 'cuDNN/cuBLAS 无法启动，几乎总是显存已满。',
    },
    remedy: {
      en: 'Use a smaller batch, and see with `nvidia-smi` who else uses the GPU.',
      'zh-CN': '减小批大小，并用 `nvidia-smi` 查看其他占用者。',
    },
    action: 'halve_batch',
  },
  {
    code: 'checkpoint.size_mismatch',
    patterns: [
      /size mismatch for (?<parameter>\S+): copying a param with shape/,
      /Missing key\(s\) in state_dict/,
    ],
    cause: {
      en: 'The checkpoint is of another architecture or another number of classes.',
      'zh-CN': '检查点的网络结构或类别数不同。',
    },
    remedy: {
      en: 'Choose the architecture and data set that the checkpoint was made with.',
      'zh-CN': '选择生成该检查点时的网络结构与数据集。',
    },
  },
  {
    code: 'checkpoint.damaged',
    patterns: [
      /PytorchStreamReader failed reading (?:zip archive|file)/,
      /UnpicklingError: (?:pickle data was truncated|invalid load key)/,
    ],
    cause: { en: 'The checkpoint was cut short, or is not one.', 'zh-CN': '检查点文件不完整或并非检查点。' },
    remedy: {
      en: 'Use model_best.pth.tar or an earlier checkpoint; copy it again if it was copied.',
      'zh-CN': '改用 model_best.pth.tar 或更早的检查点；若为拷贝请重新拷贝。',
    },
  },
  {
    code: 'checkpoint.weights_only',
    patterns: [/Weights only load failed/],
    cause: {
      en: 'torch 2.6 and later open files with `weights_only=True`, and this one holds more than tensors.',
      'zh-CN': 'torch 2.6 起默认 `weights_only=True`，而此文件含张量以外的对象。',
    },
    remedy: {
      en: 'Where you trust the file: `torch.load(path, weights_only=False)`. Ringlab’s own files open either way.',
      'zh-CN': '若信任该文件：`torch.load(path, weights_only=False)`。Ringlab 的文件两种方式均可打开。',
    },
  },
  {
    code: 'data.no_classes',
    patterns: [
      /Couldn't find any class folder in (?<path>\S+?)\.?$/,
      /Found no valid file for the classes (?<classes>.+?)\. Supported/,
    ],
    cause: {
      en: 'The data folder has no class folders, or one without pictures.',
      'zh-CN': '数据文件夹中没有类别子文件夹，或某类别为空。',
    },
    remedy: {
      en: 'It has to look like train/CLASS/picture.jpg and val/CLASS/picture.jpg.',
      'zh-CN': '结构应为 train/类别/图片.jpg 与 val/类别/图片.jpg。',
    },
  },
  {
    code: 'data.broken_image',
    patterns: [
      /UnidentifiedImageError: cannot identify image file (?<path>.+)$/,
      /OSError: image file is truncated/,
      /broken data stream when reading image file/,
    ],
    cause: { en: 'A picture is broken or cut short.', 'zh-CN': '某张图片损坏或不完整。' },
    remedy: {
      en: 'Delete or fetch it again; Ringlab’s trainer skips up to 1 % of broken pictures and names each.',
      'zh-CN': '删除或重新获取；Ringlab 训练程序会跳过不超过 1% 的坏图并逐一列出。',
    },
  },
  {
    code: 'device.wrong_results',
    patterns: [
      /^the (?<what>convolution's gradient|convolution|all-reduce) is wrong by/,
      /of memory do not hold what was written/,
    ],
    cause: {
      en: 'This device computes wrong numbers: its memory or its power supply is bad, it is overclocked or too hot, or libraries of different versions are mixed.',
      'zh-CN': '该设备的计算结果有误：显存或供电故障、超频、过热，或混用了不同版本的库。',
    },
    remedy: {
      en: 'Do not train on it. Look at `nvidia-smi -q` (ECC errors, temperature) and `dmesg`; take another node, or take the GPU out of the experiment.',
      'zh-CN': '请勿用它训练。查看 `nvidia-smi -q`（ECC 错误、温度）与 `dmesg`，改用其他节点或移出此 GPU。',
    },
  },
];
