/** For tests: failures of one training process, from public threads: memory, devices, data loaders, libraries, files. */
import type { Posted } from './posted.ts';

export const postedInTraining: readonly Posted[] = [
  [
    'cuda.out_of_memory',
    'Li-Chongyi/Zero-DCE#52',
    'OutOfMemoryError: CUDA out of memory. Tried to allocate 1.71 GiB (GPU 0; 6.00 GiB total capacity; 3.49 GiB already allocated; 1.04 GiB free; 3.50 GiB reserved in total by PyTorch)',
  ],
  [
    'cuda.out_of_memory',
    'shllln/GenerativeGraph#5',
    'RuntimeError: CUDA out of memory. Tried to allocate 1024.00 KiB (GPU 0; 11.17 GiB total capacity; 10.90 GiB already allocated; 576.00 KiB free; 30.96 MiB cached)',
  ],
  [
    'cuda.out_of_memory',
    'carolchenyx/MGFN.#35',
    'torch.cuda.OutOfMemoryError: CUDA out of memory. Tried to allocate 1.70 GiB. GPU 0 has a total capacty of 6.00 GiB of which 0 bytes is free.',
  ],
  [
    'tensor.devices',
    'BenMSK/trajectory_prediction_TraPHic#1',
    'Expected all tensors to be on the same device, but found at least two devices, cuda:0 and cpu!',
  ],
  [
    'tensor.devices',
    'wmyw96/FAST-NN#1',
    'RuntimeError: Expected all tensors to be on the same device, but found at least two devices, cpu and cuda:0! (when checking argument for argument mat2 in method wrapper_mm)',
  ],
  [
    'tensor.devices',
    'kijai/ComfyUI-FluxTrainer#116',
    'Expected all tensors to be on the same device, but found at least two devices, cpu and cuda:0! (when checking argument for argument mat1 in method wrapper_CUDA_addmm)',
  ],
  [
    'data.worker_killed',
    'pytorch/pytorch#8976',
    '    _error_if_any_worker_fails()\nRuntimeError: DataLoader worker (pid 1817) is killed by signal: Killed. ',
  ],
  [
    'data.worker_killed',
    'open-mmlab/mmsegmentation#993',
    'DataLoader worker (pid 2287) is killed by signal: Killed.',
  ],
  [
    'data.worker_crashed',
    'MhLiao/DB#94',
    'RuntimeError: DataLoader worker (pid 25902) is killed by signal: Segmentation fault',
  ],
  [
    'data.shared_memory',
    'liqunhit/NeuralClassifier#3',
    'DataLoader worker (pid 13176) is killed by signal: Bus error',
  ],
  [
    'python.numpy2',
    '1984Doc/AI-Scribe#6',
    "A module that was compiled using NumPy 1.x cannot be run in\nNumPy 2.0.0 as it may crash. To support both 1.x and 2.x\nversions of NumPy, modules must be compiled with NumPy 2.0.\nSome module may need to rebuild instead e.g. with 'pybind11>=2.12'.",
  ],
  [
    'python.numpy2',
    'ompl/ompl#1225',
    'AttributeError: _ARRAY_API not found\nImportError: numpy.core._multiarray_umath failed to import',
  ],
  [
    'python.numpy2',
    'modelscope/FunClip#91',
    'A module that was compiled using NumPy 1.x cannot be run in NumPy 2.0.0 as it may crash. To support both 1.x and 2.x versions of NumPy, modules must be compiled with NumPy 2.0.',
  ],
  [
    'process.crashed',
    'pytorch/torchchat#174',
    '/home/a/_temp/1.sh: line 4:  2369 Segmentation fault      (core dumped) python generate.py --dtype ${DTYPE}',
  ],
  ['process.crashed', 'pytorch/pytorch#4101', '>>> import torch\nSegmentation fault (core dumped)'],
  [
    'process.crashed',
    'pytorch/pytorch#12376',
    'Files already downloaded and verified\nsegmentation fault (core dumped)',
  ],
  [
    'library.cuda_missing',
    'chatchat-space/Langchain-Chatchat#324',
    '    from torch._C import *  # noqa: F403\nImportError: libcudnn.so.8: cannot open shared object file: No such file or directory',
  ],
  [
    'library.missing',
    'semchan/NLUT#15',
    'ImportError: libtorch_cuda_cu.so: cannot open shared object file: No such file or directory',
  ],
  [
    'library.symbol',
    'unlimblue/KNN_CUDA#2',
    'ImportError: /home/a/KNN_CUDA/knn_cuda/csrc/_ext/knn/knn.so: undefined symbol: _ZN3c105ErrorC1ENS_14SourceLocationERKSs',
  ],
  [
    'library.symbol',
    'pytorch/pytorch#13380',
    'ImportError: /home/a/site-packages/torch/lib/libtorch.so.1: undefined symbol: _ZTIN2at10TensorImplE',
  ],
  [
    'library.symbol',
    'lxxue/FRNN#21',
    'ImportError: /home/a/FRNN/frnn/_C.cpython-310-x86_64-linux-gnu.so: undefined symbol: _ZN3c1015SmallVectorBaseIjE8grow_podEPKvmm',
  ],
  [
    'file.denied',
    'thtrieu/darkflow#1196',
    "PermissionError: [Errno 13] Permission denied: './ckpt/checkpoint'",
  ],
  [
    'file.denied',
    'geekyutao/RN#4',
    "    mkdir(name, mode)\nPermissionError: [Errno 13] Permission denied: '/data'",
  ],
  [
    'file.denied',
    'RobotLocomotion/pytorch-dense-correspondence#121',
    "[Errno 13] Permission denied: '/home/a/.torch/models'",
  ],
  [
    'file.denied',
    'quancore/social-lstm#35',
    "PermissionError: [Errno 13] Permission denied: './make_directories.sh'",
  ],
  [
    'disk.read_only',
    'tenstorrent/tt-inference-server#430',
    "setting permissions for /home/a/cache_root ...\nchmod: changing permissions of '/home/a/cache_root/spec.json': Read-only file system",
  ],
  [
    'archive.damaged',
    'facebookresearch/unlikelihood_training#4',
    'gzip: stdin: unexpected end of file\ntar: Unexpected EOF in archive\ntar: Error is not recoverable: exiting now',
  ],
  [
    'archive.damaged',
    'cytle/wechat_web_devtools#196',
    'tar: This does not look like a tar archive\n\ngzip: stdin: unexpected end of file\ntar: Child returned status 1',
  ],
  [
    'archive.damaged',
    'jts/nanopolish#633',
    'gzip: stdin: invalid compressed data--format violated\ntar: Unexpected EOF in archive',
  ],
  [
    'archive.damaged',
    'facebookresearch/DomainBed#119',
    'EOFError: Compressed file ended before the end-of-stream marker was reached',
  ],
  ['archive.damaged', 'Kaszanas/SC2_Datasets#18', "zipfile.BadZipFile: Bad CRC-32 for file '1384.json'"],
  ['archive.damaged', 'deepinsight/insightface#420', 'bad CRC 53fbb04f  (should be c18790d6)'],
  [
    'archive.damaged',
    'danier97/LDMVFI#8',
    'ERRORS:\nHeaders Error\nUnconfirmed start of archive\nERROR: CRC Failed : data/train.zip',
  ],
];
