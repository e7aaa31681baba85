import type { Words } from '../../../shared/i18n/words.ts';
import type { diagnoses as english } from '../en/diagnoses.ts';

export const diagnoses: Words<typeof english> = {
  driver: {
    version_mismatch: {
      cause: 'NVIDIA 驱动已更新，但内核仍加载着旧版本的模块。',
      remedy: '重启节点，届时会加载新模块。',
    },
    dead_after_update: {
      cause: '驱动已安装但模块未加载：通常是内核更新后没有为新内核编译模块。',
      remedy:
        '为当前内核重新编译：安装当前内核的头文件，执行 `dkms install -m nvidia -v </usr/src/nvidia-* 中的版本>`，再 `modprobe nvidia`。',
    },
    module_missing: {
      cause: '当前内核 {{kernel}} 没有对应的 NVIDIA 模块。',
      remedy: '安装 linux-headers-{{kernel}} 并用 dkms 编译模块。',
    },
    not_installed: {
      cause: '未安装 NVIDIA 驱动。',
      remedy: '让“驱动”步骤安装，或使用 CPU 训练。',
    },
    nouveau: {
      cause: '开源驱动 nouveau 占用了 GPU，NVIDIA 驱动无法使用。',
      remedy: '将 nouveau 加入黑名单（`options nouveau modeset=0`），重建 initramfs 后重启。',
    },
    secure_boot: {
      cause: '已启用 Secure Boot，固件不认识为该模块签名的密钥。',
      remedy:
        '使用发行版已签名的模块（Ubuntu：linux-modules-nvidia-*），或在机器本地控制台登记密钥（`mokutil --import`），或关闭 Secure Boot。',
    },
    no_headers: {
      cause: '未安装当前内核的头文件，无法编译模块。',
      remedy: '安装 linux-headers-$(uname -r)。若软件源已无此版本，请安装最新内核及其头文件并重启。',
    },
    compiler_mismatch: {
      cause: '编译内核所用的编译器与当前编译器版本不同。',
      remedy: '安装上述版本的编译器（如 gcc-12），并用 `CC=gcc-12 dkms install …` 编译。',
    },
    dkms_failed: {
      cause: '此版本驱动无法在内核 {{kernel}} 上编译，多半是驱动比内核旧。',
      remedy: '安装支持该内核的较新驱动分支；具体原因见上文 make.log 末尾。',
    },
    gpu_needs_proprietary: {
      cause: '开源内核模块不支持此 GPU：Maxwell、Pascal、Volta 需要专有模块。',
      remedy: '安装不带“-open”的软件包（如 nvidia-driver-580）。',
    },
    legacy_gpu: {
      cause: '此 GPU 过旧，{{branch}} 分支是最后支持它的驱动。',
      remedy: '安装 {{branch}} 分支的驱动，以及与其 CUDA 级别相符的 torch。',
    },
    no_gpu: {
      cause: '驱动已运行，但未发现可用的 GPU。',
      remedy: '用 `lspci | grep -i nvidia` 检查机器是否有 GPU；若为虚拟机，检查是否已直通。',
    },
    x_server: {
      cause: '更换驱动时图形会话正在占用 GPU。',
      remedy: '停止显示管理器（`systemctl isolate multi-user.target`）后重新安装。',
    },
    module_in_use: {
      cause: '旧模块仍被某些进程占用，无法替换。',
      remedy: '结束占用 GPU 的进程（`fuser -v /dev/nvidia*` 可查看），或重启。',
    },
  },
  gpu: {
    lost: {
      cause: 'GPU 在 PCI 总线上失去响应：过热、供电或硬件故障。',
      remedy: '重启节点；若再次出现，请检查供电与散热，并送检显卡。',
    },
    memory_error: {
      cause: 'GPU 显存发生无法纠正的 ECC 错误。',
      remedy: '重置 GPU 或重启节点，然后从最后的检查点继续；若反复出现需更换显卡。',
    },
  },
  apt: {
    locked: {
      cause: '另一个软件包管理程序正在运行，刚开机时通常是自动更新。',
      remedy: '等待其结束后重试，不要删除锁文件。',
    },
    interrupted: {
      cause: '之前的安装中途被打断。',
      remedy: '执行 `sudo dpkg --configure -a` 后重试。',
    },
    no_such_package: {
      cause: '节点的软件源中没有 {{package}}。',
      remedy:
        '执行 `apt-get update`；安装驱动需启用 Debian 的 contrib、non-free、non-free-firmware 或 Ubuntu 的 restricted。',
    },
    unmet: {
      cause: '来自不同软件源或版本的软件包相互冲突，常见于 NVIDIA 源与发行版驱动混用。',
      remedy: '驱动只使用一个来源：卸载另一来源的包（`apt-get purge`），再 `apt-get -f install`。',
    },
    hash: {
      cause: '镜像返回的内容与索引不符：镜像正在同步，或被代理改动。',
      remedy: '几分钟后重试，或更换镜像。',
    },
    unknown_key: {
      cause: '某软件源使用了节点未知的密钥签名。',
      remedy: '安装该软件源的 keyring 包，或从 /etc/apt/sources.list.d 删除该源。',
    },
    release_gone: {
      cause: '软件源 {{source}} 不存在或已下线：停止维护的版本会移到归档站。',
      remedy: '将软件源改为 archive.debian.org 或 old-releases.ubuntu.com，或升级系统。',
    },
    clock: {
      cause: '节点时钟偏慢，软件源看起来来自未来。',
      remedy: '校准时钟（`timedatectl set-ntp true` 或 `date -s`）后重试。',
    },
  },
  sudo: {
    password: {
      cause: '此节点的 sudo 需要密码。',
      remedy: '在窗口询问时输入；不会以明文保存。',
    },
    denied: {
      cause: '{{user}} 无权在此节点安装软件。',
      remedy: '请管理员授予 sudo 或安装所需软件包；或使用无需权限的 conda 运行时。',
    },
  },
  conda: {
    no_cuda: {
      cause: '环境需要 CUDA，但求解器未发现提供该级别的驱动。',
      remedy: '升级驱动或降低 CUDA 级别；在无 GPU 的机器上求解时设置 CONDA_OVERRIDE_CUDA。',
    },
    not_found: {
      cause: '没有频道提供版本相容的这组软件包。',
      remedy: '检查频道及其顺序（conda-forge 优先），放宽固定的版本。',
    },
    unreachable: {
      cause: '此节点无法访问该频道。',
      remedy: '选择较近的镜像（TUNA、USTC、BFSU），借用本机网络，或发送离线包。',
    },
    checksum: {
      cause: '下载的软件包与锁文件不符：下载不完整或被改动。',
      remedy: '已丢弃；请重试，若再次出现请更换镜像。',
    },
    terms: {
      cause: 'Anaconda 官方频道要求先接受服务条款。',
      remedy: '仅使用 conda-forge（`channels: [conda-forge]`，不含 defaults）。',
    },
    not_initialised: {
      cause: '当前 shell 未初始化 conda。',
      remedy: '无需激活：Ringlab 直接以路径运行环境中的程序。手动时执行 `source ~/miniconda3/bin/activate`。',
    },
  },
  cuda: {
    out_of_memory: {
      cause: '显存被模型、激活值和批数据耗尽。',
      remedy: '将批大小减半、改用 bf16/fp16，或使用梯度累积；用 `nvidia-smi` 查看是否有他人占用。',
    },
    driver_too_old: {
      cause: 'torch 所需的 CUDA 高于驱动支持的级别。',
      remedy: '升级驱动，或安装与 `nvidia-smi` 显示的 CUDA 级别相符的 torch。',
    },
    architecture: {
      cause: '此 torch 不含该型号 GPU 的代码。',
      remedy: '较新的 GPU 请用更新的 torch 和 CUDA；较旧的 GPU 请用最后支持它的版本。',
    },
    cpu_build: {
      cause: '在有 GPU 的节点上安装了仅支持 CPU 的 torch。',
      remedy: '选择 CUDA 版本：在 conda 中固定 `libtorch=*=cuda*` 或 `pytorch=*=cuda*`。',
    },
    fabric_manager: {
      cause: 'GPU 通过 NVSwitch 互联，但 fabric manager 未运行或与驱动版本不符。',
      remedy: '安装与驱动版本完全一致的 nvidia-fabricmanager 并启动。',
    },
    unknown_error: {
      cause: 'CUDA 无法打开驱动：常见于休眠之后或未加载 nvidia_uvm。',
      remedy:
        '执行 `sudo modprobe -r nvidia_uvm && sudo modprobe nvidia_uvm` 或重启；检查 CUDA_VISIBLE_DEVICES。',
    },
    busy: {
      cause: 'GPU 处于独占模式且被其他进程占用。',
      remedy: '等待该进程（见 `nvidia-smi`），或执行 `nvidia-smi -c 0`。',
    },
    invalid_device: {
      cause: '请求的 GPU 数超过节点所有，或被 CUDA_VISIBLE_DEVICES 隐藏。',
      remedy: '在实验图中更正该节点的 GPU 数量。',
    },
    device_assert: {
      cause: '某个标签超出了类别数。',
      remedy: 'train/ 与 val/ 的类别文件夹须一致，且 --num-classes 与之相符。',
    },
    illegal_access: {
      cause: 'GPU 程序访问了非法内存：库缺陷或显卡故障。',
      remedy: '从最后的检查点继续；若反复出现，请更换 torch 版本并检测显存。',
    },
  },
  cudnn: {
    not_initialised: {
      cause: 'cuDNN/cuBLAS 无法启动，几乎总是显存已满。',
      remedy: '减小批大小，并用 `nvidia-smi` 查看其他占用者。',
    },
  },
  checkpoint: {
    size_mismatch: {
      cause: '检查点的网络结构或类别数不同。',
      remedy: '选择生成该检查点时的网络结构与数据集。',
    },
    damaged: {
      cause: '检查点文件不完整或并非检查点。',
      remedy: '改用 model_best.pth.tar 或更早的检查点；若为拷贝请重新拷贝。',
    },
    weights_only: {
      cause: 'torch 2.6 起默认 `weights_only=True`，而此文件含张量以外的对象。',
      remedy: '若信任该文件：`torch.load(path, weights_only=False)`。Ringlab 的文件两种方式均可打开。',
    },
  },
  data: {
    no_classes: {
      cause: '数据文件夹中没有类别子文件夹，或某类别为空。',
      remedy: '结构应为 train/类别/图片.jpg 与 val/类别/图片.jpg。',
    },
    broken_image: {
      cause: '某张图片损坏或不完整。',
      remedy: '删除或重新获取；Ringlab 训练程序会跳过不超过 1% 的坏图并逐一列出。',
    },
    shared_memory: {
      cause: '/dev/shm 太小，容器默认仅 64 MB。',
      remedy: '启动容器时加 `--shm-size=8g` 或 `--ipc=host`，或减少数据加载进程。',
    },
  },
  device: {
    wrong_results: {
      cause: '该设备的计算结果有误：显存或供电故障、超频、过热，或混用了不同版本的库。',
      remedy: '请勿用它训练。查看 `nvidia-smi -q`（ECC 错误、温度）与 `dmesg`，改用其他节点或移出此 GPU。',
    },
  },
  disk: {
    full: {
      cause: '节点磁盘已满。',
      remedy: '清理空间（`df -h`；旧实验、`apt-get clean`、缓存）后重试；已有检查点未受影响。',
    },
    quota: {
      cause: '用户磁盘配额已用尽。',
      remedy: '删除自己的文件（`quota -s`），或申请更大配额。',
    },
    read_only: {
      cause: '磁盘变为只读，多因磁盘出错。',
      remedy: '查看 `dmesg`，用 fsck 检查文件系统并重启。',
    },
  },
  memory: {
    killed: {
      cause: '节点内存耗尽，内核终止了进程。',
      remedy: '减小批大小、数据加载线程或该节点上的进程数。',
    },
  },
  build: {
    killed: {
      cause: '内存不足，编译器被终止：每个编译单元约需 1.6 GB。',
      remedy: '减少并行编译数，或增加交换分区。',
    },
    cmake_old: {
      cause: 'CMake {{found}} 过旧，需要 {{wanted}}。',
      remedy: '使用自带 CMake 的 conda 运行时，或安装较新版本。',
    },
    no_torch: {
      cause: '节点上没有 libtorch 开发文件。',
      remedy: '让“运行时”步骤安装（Debian：libtorch-dev），或指定已有的 libtorch。',
    },
    no_library: {
      cause: '缺少 {{library}} 的开发文件。',
      remedy: '安装 libjpeg-dev、zlib1g-dev，或由“运行时”步骤完成。',
    },
  },
  library: {
    glibc_old: {
      cause: '程序需要 glibc {{wanted}}，此节点的版本更旧。',
      remedy: '在此节点上编译训练程序，或选择仍支持该 glibc 的运行时版本。',
    },
    libstdcxx_old: {
      cause: '此节点的 C++ 库较旧，缺少 {{wanted}}。',
      remedy: '使用环境自带的 libstdc++（将 LD_LIBRARY_PATH 指向其 lib），或在节点上编译。',
    },
    missing: {
      cause: '找不到 {{library}}。',
      remedy: '训练程序编译后运行时被移动或删除：请重新准备节点。',
    },
  },
  system: {
    too_many_files: {
      cause: '打开的文件数超过节点限制。',
      remedy: '提高上限（`ulimit -n 65535`），或减少数据加载线程。',
    },
    illegal_instruction: {
      cause: '程序使用了此 CPU 不支持的指令。',
      remedy: '在此节点上编译训练程序，较新机器的二进制无法运行。',
    },
  },
  clock: {
    certificate: {
      cause: '证书在节点时间下无效：时钟错误或证书过旧。',
      remedy: '校准时钟（`timedatectl`），并更新 ca-certificates。',
    },
  },
  rank: {
    port_in_use: {
      cause: 'rank 0 的端口被占用，常为尚未结束的旧实验。',
      remedy: '更换端口，或结束旧进程（`ss -ltnp` 可查看）。',
    },
    clients_missing: {
      cause: '{{world}} 个 rank 中只有 {{joined}} 个加入。',
      remedy: '查看缺席 rank 的日志：未启动，或无法访问 rank 0 的地址和端口。',
    },
    master_unreachable: {
      cause: 'rank 0（{{host}}:{{port}}）无应答：未启动、被防火墙阻挡，或地址对其他节点不可达。',
      remedy: '开放端口，并使用节点间网络的地址，而非 /etc/hosts 中的 127.0.1.1。',
    },
    peer_closed: {
      cause: '另一个 rank 退出或断线，此处只是受其影响。',
      remedy: '原因见最先退出的 rank 的日志。',
    },
  },
  gloo: {
    interface: {
      cause: '此节点没有网络接口 {{interface}}，或其没有地址。',
      remedy: '交由 Ringlab 选择，或填写 `ip -br addr` 显示的接口。',
    },
  },
  nccl: {
    interface: {
      cause: 'NCCL 未找到 NCCL_SOCKET_IFNAME 指定的网络接口。',
      remedy: '取消 NCCL_SOCKET_IFNAME，或填写 `ip -br addr` 显示的接口。',
    },
    duplicate_gpu: {
      cause: 'rank {{a}} 与 {{b}} 使用同一块 GPU，NCCL 不允许。',
      remedy: '每块 GPU 一个 rank：更正 GPU 数量，或使用 gloo。',
    },
    timeout: {
      cause: '某 rank 在 {{operation}} 中等待另一个未到达的 rank：后者卡住、退出或执行了不同的代码路径。',
      remedy: '找出最后一步最旧的 rank，其日志和网络会说明原因。',
    },
    connect: {
      cause: 'NCCL 无法与 {{peer}} 通信：{{reason}}。',
      remedy: '开放节点之间的全部端口，并让 NCCL 使用互联接口（NCCL_SOCKET_IFNAME）。',
    },
    system_error: {
      cause: 'NCCL 在底层失败：网络、内存或其他 rank。',
      remedy: '设置 NCCL_DEBUG=INFO 再运行一次，首个“NCCL WARN”行指出原因。',
    },
  },
  network: {
    offline: {
      cause: '节点似乎无法访问互联网：此步骤要下载的地址均无响应。',
      remedy: '在准备期间将本机的网络连接借给它：下载会经加密隧道由本机转发。也可为它配置路由、DNS 或代理。',
    },
    name: {
      cause: '节点无法解析域名：没有 DNS 或没有互联网。',
      remedy: '检查 /etc/resolv.conf；在封闭试验床上可在准备期间借用本机网络。',
    },
    no_route: {
      cause: '无法到达该地址，或被防火墙拒绝。',
      remedy: '检查连线与路由（`ip route get 地址`）以及对方防火墙。',
    },
  },
  ssh: {
    host_key_changed: {
      cause: '此地址的机器已更换或重装，也可能有人在中间劫持。',
      remedy: '接受新密钥前，请在机器本地控制台核对指纹。',
    },
    throttled: {
      cause: 'SSH 服务器在登录前断开：同时连接过多，或本机地址被限制。',
      remedy: '等待几分钟后再连接一次；检查节点上的 fail2ban 或 MaxStartups。',
    },
    denied: {
      cause: '登录被拒绝；服务器接受：{{methods}}。',
      remedy: '检查用户名，以及公钥是否在该用户的 ~/.ssh/authorized_keys 中。',
    },
  },
};

export const leftOut = '（未知）';
