/** What the doctor says of each failure it knows, in Chinese. */
import type { Words } from '../../../shared/i18n/words.ts';
import type { diagnoses as english } from '../en/diagnoses.ts';

export const diagnoses: Words<typeof english> = {
  driver: {
    dkms_stale: {
      cause: 'dkms 中登记了源码已不存在的驱动：已删除的版本仍在登记中。',
      remedy:
        '请删除 /var/lib/dkms/nvidia 中该版本的文件夹，之后 `dkms status` 和 `dkms autoinstall` 即可使用。',
    },
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
    no_kernel_devel: {
      cause: '未安装当前内核的头文件，无法编译驱动模块；此节点没有 apt，无法自动安装。',
      remedy:
        '请在节点上以 root 安装头文件与编译器（`dnf install kernel-devel-$(uname -r) gcc make`），然后重新准备。若软件源已无此版本，请先更新内核并重启。',
    },
    other_system: {
      cause: 'Ringlab 只在 Debian 与 Ubuntu 上用软件包安装 NVIDIA 驱动，而此节点是其他系统。',
      remedy:
        '请用该系统自己的软件包安装驱动，或为此节点指定 NVIDIA 安装程序（`.run`），然后重新准备。也可使用 CPU 训练。',
    },
    debian_old: {
      cause:
        '此 GPU 属于 Blackwell 架构（RTX 50、B200），需要 NVIDIA 驱动 570 或更高版本，而此 Debian 没有该版本。',
      remedy:
        '请为此节点指定 NVIDIA 软件源的软件包（`cuda-keyring_….deb`）或安装程序（`.run`），然后重新准备。也可使用 CPU 训练。',
    },
    wsl: {
      cause: '这是 Windows 中的 Linux（WSL）：它使用 Windows 的驱动，而 Windows 没有把 GPU 提供给它。',
      remedy:
        '在 Windows 中更新 NVIDIA 驱动，执行 `wsl --update` 和 `wsl --shutdown`，再启动 Linux。不要在 Linux 中安装 NVIDIA 驱动。也可使用 CPU 训练。',
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
      remedy:
        '`sudo dmesg | grep NVRM` 会给出原因：Blackwell 及更新的 GPU（RTX 50、B200）需要开源内核模块，Turing 之前的需要 NVIDIA 专有内核模块，更旧的需要旧的驱动分支；也可能是供电线未接。若 `lspci | grep -i nvidia` 没有输出，则机器没有 GPU，或虚拟机未直通 GPU。',
    },
    x_server: {
      cause: '更换驱动时图形会话正在占用 GPU。',
      remedy: '停止显示管理器（`systemctl isolate multi-user.target`）后重新安装。',
    },
    module_in_use: {
      cause: '旧模块仍被某些进程占用，无法替换。',
      remedy: '结束占用 GPU 的进程（`fuser -v /dev/nvidia*` 可查看），或重启。',
    },
    wrong_kernel: {
      cause: '内核拒绝加载模块 {{module}}：它是为其他内核编译的，或它依赖的模块未加载。',
      remedy:
        '为当前内核重新编译：安装 `linux-headers-$(uname -r)`，再执行 `sudo dkms autoinstall -k $(uname -r)`；`sudo dmesg | tail` 会指出缺少什么。内核刚更新过时请先重启。',
    },
    not_permitted: {
      cause: '此处不允许加载模块 {{module}}：当前在容器中、用户不是 root，或内核处于锁定模式。',
      remedy: '在宿主机上加载：`sudo modprobe {{module}}`。容器使用宿主机的驱动，只需 `--gpus all`。',
    },
    module_refused: {
      cause:
        'NVIDIA 内核模块已编译，但内核未能加载：编译器或内核不符、nouveau 占用、Secure Boot，或驱动不支持此 GPU。',
      remedy:
        "`sudo dmesg | grep -iE 'nvrm|nvidia|nouveau'` 会指出原因；安装程序的 /var/log/nvidia-installer.log 中也有。",
    },
    gpu_needs_open: {
      cause: '这块 GPU 太新，NVIDIA 专有内核模块不支持，需要开源内核模块。',
      remedy:
        '安装同一版本的开源模块（Debian、Ubuntu：nvidia-open 或 nvidia-driver-<版本>-open），然后重启。',
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
    xid: {
      cause: 'NVIDIA 驱动报告了 GPU 错误 Xid {{number}}；13、31、43 多为程序的错误，其他多为显卡的问题。',
      remedy:
        '在 NVIDIA 的 “Xid Errors” 文档中查该编号，并重新运行一次；若换程序仍出现，请检测显卡：`sudo dcgmi diag -r 3`。',
    },
    init_failed: {
      cause: '驱动找到了 GPU，但无法初始化：固件加载失败、供电不足、PCI 故障，或虚拟机地址空间不足。',
      remedy:
        '查看 `dmesg` 中 NVRM 的内容；断电后重新开机（而不只是重启），检查供电线和 BIOS（Above 4G decoding），并完整重装驱动。',
    },
    permission: {
      cause: '当前用户无权打开 GPU 的设备文件。',
      remedy:
        '把该用户加入 /dev/nvidia* 所属的组（常见为 `video` 或 `render`）后重新登录，或向调度器申请 GPU。',
    },
    nvlink: {
      cause: '两块 GPU 之间的链路（NVLink）报告了无法纠正的错误。',
      remedy:
        '查看 `nvidia-smi nvlink -s` 和 `dmesg`，重置 GPU 或重启；在此期间可用 NCCL_P2P_DISABLE=1 训练。',
    },
    reset_required: {
      cause: 'GPU 在出错后停止工作，重置后才能恢复。',
      remedy: '结束占用它的程序并执行 `nvidia-smi --gpu-reset -i N`，或重启节点。',
    },
    no_addresses: {
      cause: '固件（或虚拟机）没有为 GPU 分配地址空间。',
      remedy:
        '在 BIOS 中开启 Above 4G decoding，或为虚拟机提供更大的 PCI 地址空间；内核命令行加 `pci=realloc` 可能有效。',
    },
    gsp_timeout: {
      cause: 'GPU 自身的系统处理器（GSP）停止响应驱动。',
      remedy:
        '关机后重新开机，并换一个驱动版本；若再次出现，不使用 GSP 加载驱动：`options nvidia NVreg_EnableGpuFirmware=0`。',
    },
    mig_pending: {
      cause: 'GPU 的 MIG 模式变更需等到没有程序使用该 GPU。',
      remedy: '结束占用它的程序（见 `nvidia-smi`，包括 DCGM 等监控），然后重置 GPU 或重启。',
    },
  },
  apt: {
    not_confirmed: {
      cause: 'apt 询问是否继续，但无人回答。',
      remedy: '请加上 `-y` 运行。',
    },
    fetch: {
      cause: '软件包未能下载：软件源断开了连接，或软件包列表已过期。',
      remedy: '先运行 `sudo apt-get update` 再重试；若仍失败，请更换镜像。',
    },
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
    not_root: {
      cause: '安装软件包需要 root 权限，而此命令没有。',
      remedy: '加上 `sudo` 执行；对于节点，请在准备时由 Ringlab 询问密码。',
    },
    release_changed: {
      cause: '软件源 {{source}} 更改了发行版名称（例如 stable 变为 oldstable），apt 要求确认。',
      remedy: '执行 `sudo apt-get update --allow-releaseinfo-change` 后重试。',
    },
    bad_signature: {
      cause: '软件源的签名无效：密钥已过期，或文件被代理改动。',
      remedy:
        '安装该软件源最新的 keyring 包或密钥，或从 /etc/apt/sources.list.d 删除该源，然后 `sudo apt-get update`。',
    },
    release_expired: {
      cause: '软件源索引已过期：镜像不再更新，或节点时钟偏快。',
      remedy: '用 `date -u` 核对时间（`sudo timedatectl set-ntp true`）；若时间正确请更换镜像。',
    },
    not_there: {
      cause: '软件源中没有（或不再有）{{url}}：节点的软件包列表过旧，或该发行版已移到归档站。',
      remedy:
        '执行 `sudo apt-get update` 后重试；已停止维护的发行版请用 archive.debian.org 或 old-releases.ubuntu.com。',
    },
    mirror_failed: {
      cause: '软件源对 {{url}} 返回错误 {{status}}。',
      remedy: '几分钟后重试或更换镜像；若为 401、403、407，请检查代理与访问权限。',
    },
    dpkg_failed: {
      cause: '某软件包无法配置或删除：软件包自身的脚本失败。',
      remedy: '原因在此行之前。解决后执行 `sudo dpkg --configure -a && sudo apt-get -f install`。',
    },
    unauthenticated: {
      cause: 'apt 需要 `-y` 不能代替的确认：软件包未签名、被保留，或将删除必需的软件包。',
      remedy: '去掉 `-y` 执行同一命令并查看提示；请修复软件源密钥，而不要用 `--allow-unauthenticated`。',
    },
    overwrite: {
      cause: '两个软件包包含同一文件 {{path}}：它们来自不同的软件源，常见于 NVIDIA 源与发行版混用。',
      remedy: '只使用一个来源：`sudo apt-get purge {{package}}`，再 `sudo apt-get -f install`。',
    },
    bad_source: {
      cause: '软件源文件无法读取：某行格式错误，或同一源以不同密钥列出两次。',
      remedy: '更正消息所指的 /etc/apt/sources.list.d 中的文件（或删除重复的），再 `sudo apt-get update`。',
    },
    bad_release: {
      cause: '软件源的索引格式错误，或没有适用于此处理器的内容。',
      remedy:
        '执行 `sudo rm -r /var/lib/apt/lists/* && sudo apt-get update`；若再次出现，请在该源加 `[arch=amd64]` 或更换镜像。',
    },
    database: {
      cause: 'dpkg 的软件包记录已损坏，通常是安装中途被中断所致。',
      remedy:
        '执行 `sudo dpkg --remove --force-remove-reinstreq 软件包`，再执行 `sudo apt-get -f install`；若 /var/lib/dpkg/status 损坏，用 /var/backups/dpkg.status.* 中最新的恢复。',
    },
    lists: {
      cause: 'apt 已下载的软件包列表损坏：下载被中断，或保存了门户网页。',
      remedy: '执行 `sudo rm -rf /var/lib/apt/lists/*`，再执行 `sudo apt-get update`。',
    },
    key_damaged: {
      cause: '软件源的密钥文件不是有效密钥：下载到的是其他内容，或 apt 无法读取该文件。',
      remedy: '重新下载密钥，用 `gpg --dearmor` 保存到 /etc/apt/keyrings/，并设为所有人可读（0644）。',
    },
    keyserver: {
      cause: '密钥服务器没有返回软件源的密钥。',
      remedy: '通过 HTTPS 从该软件源的网页下载密钥，保存到 /etc/apt/keyrings/。',
    },
  },
  sudo: {
    password: {
      cause: '此节点的 sudo 需要密码。',
      remedy: '在窗口询问时输入；不会以明文保存。',
    },
    denied: {
      cause: '{{user}} 无权在此节点安装软件。',
      remedy: '请管理员授予 sudo 或安装所需软件包；或使用无需权限的 conda 或 wheels 运行环境。',
    },
    wrong_password: {
      cause: 'sudo 未接受该密码。',
      remedy: '重新输入该用户在此节点上的密码；它可能与 SSH 登录密码不同。',
    },
    no_new_privileges: {
      cause: '该容器或服务不允许提升为 root。',
      remedy:
        '使用不需要 root 的方式：wheels 运行环境和用户安装都无需 root；或以 `--security-opt no-new-privileges=false` 启动容器。',
    },
  },
  conda: {
    pip_failed: {
      cause: 'conda 的软件包已安装；环境中由 pip 安装的部分失败。',
      remedy: '原因见上方 pip 自己的消息；解决后用 `conda env update -f environment.yml` 继续。',
    },
    exists: {
      cause: '{{path}} 处已有环境。',
      remedy: '请用 `conda env update` 更新它、换一个名称，或用 `conda env remove` 删除。',
    },
    no_file: {
      cause: '没有为 conda 提供描述环境的文件：此文件夹中没有 environment.yml。',
      remedy: '请用 `conda env create -f FILE` 指定；空环境用 `conda create -n NAME` 创建。',
    },
    unsolved: {
      cause: 'conda 未能为此环境找到可用的软件包组合。',
      remedy:
        '查看随后的输出；改用 `libmamba` 求解器（`conda config --set solver libmamba`），并去掉不必要的版本号和构建号。',
    },
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
    refused: {
      cause: '频道拒绝请求或没有该内容（HTTP {{status}}）。',
      remedy: '404：检查频道名称并删除不存在的频道。403 或 429：镜像限制了此地址，请更换镜像。',
    },
    conflict: {
      cause: '所需软件包互相冲突：没有相容的版本组合。',
      remedy: '新建环境、放宽固定的版本，并只用一个频道：`conda config --set channel_priority strict`。',
    },
    no_environment: {
      cause: '所查找的位置没有该环境。',
      remedy: '`conda env list` 可列出已有环境；请先创建，并使用完整路径（`-p /home/用户/env`）。',
    },
    not_writable: {
      cause: '该 conda 环境（或其软件包缓存）属于其他用户。',
      remedy: '创建自己的环境：`conda create -p ~/envs/名称`，或使用 wheels 运行环境。',
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
      cause:
        '请求的 GPU 数超过 CUDA 提供给一个进程的数量：节点的 GPU 更少、部分被 CUDA_VISIBLE_DEVICES 隐藏，或 GPU 处于 MIG 模式（此时一个进程只能使用一个设备）。',
      remedy:
        '在实验室中更正该节点的 GPU 数量；`nvidia-smi -L` 和 `echo $CUDA_VISIBLE_DEVICES` 显示实际可用的设备，`sudo nvidia-smi -mig 0` 可关闭 MIG 模式。',
    },
    device_assert: {
      cause: '某个标签超出了类别数。',
      remedy: 'train/ 与 val/ 的类别文件夹须一致，且 --num-classes 与之相符。',
    },
    illegal_access: {
      cause: 'GPU 程序访问了非法内存：库缺陷或显卡故障。',
      remedy: '从最后的检查点继续；若反复出现，请更换 torch 版本并检测显存。',
    },
    no_device: {
      cause: 'CUDA 未发现 GPU：被 CUDA_VISIBLE_DEVICES 隐藏、容器启动时未分配 GPU，或驱动未加载。',
      remedy: '检查 `nvidia-smi` 和 `echo $CUDA_VISIBLE_DEVICES`；容器需要 `--gpus all`。',
    },
    launch_timeout: {
      cause: '某个 kernel 的运行时间超过了 GPU 看门狗的限制：该 GPU 同时在驱动显示器。',
      remedy: '使用未连接显示器的 GPU，或停止该节点的桌面环境；减小 batch size 可缩短 kernel 的时间。',
    },
    precision: {
      cause: '该 GPU（或 CPU）不支持所选的精度。',
      remedy:
        '改用 float16 或 float32：bfloat16 需要计算能力 8.0（Ampere），FP8 需要 8.9（Ada）或 9.0（Hopper）。',
    },
  },
  cudnn: {
    not_initialised: {
      cause: 'cuDNN/cuBLAS 无法启动，几乎总是显存已满。',
      remedy: '减小批大小，并用 `nvidia-smi` 查看其他占用者。',
    },
    version: {
      cause: 'torch 加载的 cuDNN 与编译时的版本不同：LD_LIBRARY_PATH 中的另一个版本优先。',
      remedy: '执行 `unset LD_LIBRARY_PATH`，或从中移除另一个 cuDNN；torch 的 wheel 自带 cuDNN。',
    },
    failed: {
      cause: 'cuDNN/cuBLAS 计算失败：库版本混用、不支持的参数，或显存不足。',
      remedy:
        '用 `CUDA_LAUNCH_BLOCKING=1` 和较小的批大小运行一次，以显示真正的位置；从 LD_LIBRARY_PATH 移除其他 CUDA 库。',
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
    optimizer: {
      cause: '检查点中的优化器状态与当前模型的参数不对应。',
      remedy: '使用保存它时的模型和参数组继续运行，或只加载权重并重新创建优化器。',
    },
  },
  data: {
    timeout: {
      cause: '数据加载器的工作进程在 {{wait}} 秒内没有给出批次：读取数据缓慢，或某个进程卡住。',
      remedy: '请用 `num_workers=0` 查看错误本身；调大 `timeout`，或把数据移到本地磁盘。',
    },
    worker_ended: {
      cause: '数据加载进程以退出码 {{code}} 结束，输出中没有其自身的错误。',
      remedy:
        '用 `num_workers=0` 运行即可看到错误及其 traceback。常见原因是缺少文件，或脚本没有 `__main__` 判断。',
    },
    no_classes: {
      cause: '数据文件夹中没有类别子文件夹，或某类别为空。',
      remedy: '结构应为 train/类别/图像.jpg 与 val/类别/图像.jpg。',
    },
    broken_image: {
      cause: '某张图像损坏或不完整。',
      remedy: '删除或重新获取；Ringlab 训练程序会跳过不超过 1% 的坏图并逐一列出。',
    },
    shared_memory: {
      cause: '/dev/shm 太小，容器默认仅 64 MB。',
      remedy: '启动容器时加 `--shm-size=8g` 或 `--ipc=host`，或减少数据加载进程。',
    },
    worker_killed: {
      cause: '数据加载进程被外部终止：几乎总是内存耗尽。',
      remedy: "`sudo dmesg | grep -i 'killed process'` 可确认。减少数据加载进程、减小批大小，或增加内存。",
    },
    worker_crashed: {
      cause: '数据加载进程崩溃：解码图像的库有缺陷，或某个库不支持 fork。',
      remedy:
        "将数据加载进程数设为 0 运行一次以找到位置；再更新 Pillow、OpenCV 或 torchvision，或使用 `multiprocessing_context='spawn'`。",
    },
    workers: {
      cause: '无法由此脚本启动数据加载进程：其中有无法传递给它们、或仅属于创建进程的对象。',
      remedy:
        "将脚本的启动放在 `if __name__ == '__main__':` 之下，数据集中不要使用 lambda、已打开的文件或 CUDA 张量；若其中使用 CUDA，请设 `multiprocessing_context='spawn'`；数据加载进程数设为 0 可避免此问题。",
    },
    empty: {
      cause: '数据集为空：目录中没有符合的文件，或全部被过滤掉。',
      remedy: '检查该节点上的路径（数据可能只在另一个节点上）、文件扩展名以及数据划分。',
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
      remedy: '清理空间（`df -h`；旧的运行、`apt-get clean`、缓存）后重试；已有检查点未受影响。',
    },
    quota: {
      cause: '用户磁盘配额已用尽。',
      remedy: '删除自己的文件（`quota -s`），或申请更大配额。',
    },
    read_only: {
      cause: '磁盘变为只读，多因磁盘出错。',
      remedy: '查看 `dmesg`，用 fsck 检查文件系统并重启。',
    },
    errors: {
      cause: '磁盘或网络文件夹的服务器读写失败。',
      remedy:
        "请立即将重要文件复制到其他磁盘。`sudo dmesg | grep -iE 'i/o error|ext4|nfs'` 与 `sudo smartctl -a /dev/sdX` 可查看详情；网络文件夹请重新挂载。",
    },
  },
  memory: {
    killed: {
      cause: '节点内存耗尽，内核终止了进程。',
      remedy: '减小批大小、数据加载线程或该节点上的进程数。',
    },
    exhausted: {
      cause: '节点内存（非显存）不足以满足程序的请求。',
      remedy: '用 `free -h` 查看内存。减小批大小、数据加载进程数或该节点的 rank 数，或增加交换分区。',
    },
  },
  build: {
    failed: {
      cause: '编译器因错误停止，或被终止。',
      remedy:
        '第一处 `error:` 在更前面的输出中。若没有，则编译器被用户或系统终止：请重试；内存不足时减少并行编译数。',
    },
    extension: {
      cause: 'PyTorch 扩展编译失败；编译器自身的错误在更前面的输出中。',
      remedy: '在上文查找第一行 `error:`。设置 `MAX_JOBS=1` 可使输出顺序清晰，并减少内存占用。',
    },
    killed: {
      cause: '内存不足，编译器被终止：每个编译单元约需 1.6 GB。',
      remedy: '减少并行编译数，或增加交换分区。',
    },
    cmake_old: {
      cause: 'CMake {{found}} 过旧，需要 {{wanted}}。',
      remedy: '使用自带 CMake 的 conda 或 wheels 运行环境，或安装较新版本。',
    },
    no_torch: {
      cause: '节点上没有 libtorch 开发文件。',
      remedy: '让“运行库”步骤安装（Debian：libtorch-dev），或指定已有的 libtorch。',
    },
    no_library: {
      cause: '缺少 {{library}} 的开发文件。',
      remedy:
        '请安装包含它的软件包，名称通常以 -dev 结尾（JPEG：libjpeg-dev，ZLIB：zlib1g-dev；-lcuda 为驱动的 libcuda.so）。训练程序所需的由“运行库”步骤安装。',
    },
    cuda_mismatch: {
      cause: '需要编译扩展，但节点上没有 CUDA toolkit，或其版本与 torch 不同。',
      remedy:
        "`python -c 'import torch; print(torch.version.cuda)'` 与 `nvcc --version` 须一致：安装该版本并 `export CUDA_HOME=/usr/local/cuda-版本`，或使用现成的 wheel。",
    },
    compiler_new: {
      cause: '编译器比该 CUDA 工具包允许的更新（最高 gcc {{newest}}）。',
      remedy:
        '安装较旧的 gcc 并指定它：`CC=gcc-{{newest}} CXX=g++-{{newest}}` 和 `NVCC_PREPEND_FLAGS="-ccbin g++-{{newest}}"`，或使用更新的 CUDA 工具包。',
    },
    compiler_old: {
      cause: '编译器对该版本的 PyTorch 来说太旧。',
      remedy: '安装较新的编译器（C++17 需要 gcc 9 以上，C++20 需要 gcc 11 以上），并将 CC 和 CXX 指向它。',
    },
    no_compiler: {
      cause: '该节点上没有 C++ 编译器。',
      remedy:
        '安装编译器：`sudo apt install build-essential`（无 root 权限时：`conda install -c conda-forge gxx`）。',
    },
    no_ninja: {
      cause: '未安装用于编译 PyTorch 扩展的 Ninja。',
      remedy: '安装到环境中：`pip install ninja`。',
    },
    cmake_new: {
      cause: '该 CMake 对此项目的 CMakeLists.txt 来说太新（后者要求早于 {{oldest}} 的版本）。',
      remedy:
        '设置环境变量 CMAKE_POLICY_VERSION_MINIMUM={{oldest}}，或安装 CMake 3：`pip install "cmake<4"`。',
    },
    python_headers: {
      cause: '缺少 Python 的开发文件，无法为其编译（扩展、Triton kernel）。',
      remedy:
        '执行 `sudo apt install python3-dev`（带版本号：python3.12-dev）；uv 和 conda 提供的 Python 已自带。',
    },
  },
  library: {
    glibc_old: {
      cause: '程序需要 glibc {{wanted}}，此节点的版本更旧。',
      remedy: '在此节点上编译训练程序，或选择仍支持该 glibc 的运行环境版本。',
    },
    libstdcxx_old: {
      cause: '此节点的 C++ 库较旧，缺少 {{wanted}}。',
      remedy: '使用环境自带的 libstdc++（将 LD_LIBRARY_PATH 指向其 lib），或在节点上编译。',
    },
    missing: {
      cause: '找不到 {{library}}。',
      remedy:
        'PyTorch 的库（libtorch、libc10）：运行环境被移动或删除，请重新准备节点。其他库：请安装包含它的软件包（libGL.so.1：`sudo apt-get install libgl1`，或 Python 包 opencv-python-headless）。',
    },
    cuda_missing: {
      cause: '缺少 {{library}}：此 torch 所需的 CUDA 组件未安装或版本不同。',
      remedy:
        '完整地重新安装 torch：`pip install --force-reinstall torch --index-url https://download.pytorch.org/whl/cu121`（按您的 CUDA 级别），且不要卸载其 nvidia-* 软件包。',
    },
    symbol: {
      cause: '某个库是为另一版本的依赖库编译的：其中没有 {{symbol}}。',
      remedy:
        '用加载它的 torch 重新编译扩展（`pip install --no-build-isolation --no-cache-dir --force-reinstall …`），或安装与此 torch 和 CUDA 对应的版本。',
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
    tool_missing: {
      cause: '此节点未安装所需的工具。',
      remedy:
        '安装消息所示的工具：`sudo apt-get install rsync openssh-client tar unzip wget curl git build-essential cmake`。',
    },
    process_limit: {
      cause: '该节点上用户的进程/线程数已达上限。',
      remedy: '提高上限（`ulimit -u`、容器的 pids 限制）、减少数据加载进程数，或设置 OMP_NUM_THREADS=1。',
    },
    architecture: {
      cause: '该程序是为其他处理器架构编译的。',
      remedy: '使用与该节点架构（`uname -m`）相符的版本：aarch64 与 x86_64 的程序不能混用。',
    },
    no_display: {
      cause: '脚本想打开窗口，但节点没有显示器。',
      remedy: 'matplotlib 设置 MPLBACKEND=Agg，把图片写入文件而不是显示，或安装 opencv-python-headless。',
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
      cause: '端口（训练时为 rank 0 的端口）被占用，常为尚未结束的旧的运行。',
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
    store_lost: {
      cause: 'rank 0 的 store 已不存在：rank 0 退出或连接中断，此 rank 只是受其影响。',
      remedy: '原因在 rank 0 的日志中，请先查看其最后几行。',
    },
    store_timeout: {
      cause: '某 rank 在会合时等待另一个 rank 未写入的值：有 rank 未启动、启动过晚，或会合地址不同。',
      remedy:
        '检查所有 rank 是否都在运行，且 MASTER_ADDR、MASTER_PORT 与 rank 数一致；启动较慢时延长超时（`init_process_group(timeout=…)`）。',
    },
    not_launched: {
      cause: '脚本启动时缺少 rank 编号、rank 数与会合地址。',
      remedy:
        '用 `torchrun --nproc_per_node=1 脚本` 或由 Ringlab 启动，并在任何通信之前调用 `init_process_group`。',
    },
    initialised_twice: {
      cause: '脚本两次加入进程组：所用的库已经加入过。',
      remedy:
        '只调用一次：`if not torch.distributed.is_initialized(): torch.distributed.init_process_group(…)`。',
    },
    wrong_address: {
      cause: '某个 rank 要监听的地址不属于此节点。',
      remedy:
        'MASTER_ADDR 必须是 rank 0 所在节点自身的地址：`ip -br addr` 可列出；若在 NAT 之后，请使用内部地址或隧道。',
    },
    local_rank_argument: {
      cause: '启动器以参数 `--local-rank` 传递本地 rank，而脚本不认识该参数。',
      remedy:
        '使用 torchrun 启动（它设置环境变量 LOCAL_RANK），或在脚本的参数中添加 `--local-rank`（以及 `--local_rank`）。',
    },
    no_libuv: {
      cause: '该 PyTorch 不含其 store 默认使用的 libuv。',
      remedy: '为运行设置 USE_LIBUV=0。',
    },
    store_barrier: {
      cause: '启动时有 {{count}} 个进程报到，而预期为 {{world}} 个。',
      remedy:
        '偏少：缺少的 rank 未启动或无法连接 master。偏多：其他或之前运行的 rank 在使用同一个 store：结束它们，或换一个端口。',
    },
    duplicate: {
      cause: '有两个进程使用了相同的 rank。',
      remedy: '为每个进程设置各自的 RANK（torchrun 会自动设置）；检查是否有之前运行的进程仍存活。',
    },
  },
  gloo: {
    unsupported: {
      cause: 'Gloo 没有 {{operation}}：部分集合通信和数据类型只有 NCCL 支持。',
      remedy: '若所有 rank 都有 GPU，请使用 NCCL；或改用其他集合通信，例如 all_reduce。',
    },
    address_family: {
      cause: '一个 rank 使用 IPv4 地址，另一个使用 IPv6 地址。',
      remedy:
        '让所有 rank 使用同一类网络接口：在每个节点设置 GLOO_SOCKET_IFNAME，并检查主机名解析出的地址类型是否一致（`getent ahosts $(hostname)`）。',
    },
    interface: {
      cause: '此节点没有网络接口 {{interface}}，或其没有地址。',
      remedy: '交由 Ringlab 选择，或填写 `ip -br addr` 显示的接口。',
    },
    timeout: {
      cause: '某 rank 在集合通信中等待另一个未到达的 rank：后者卡住、过慢，或链路中断。',
      remedy: '找出最后一步最旧的 rank 并检查其网络；Ringlab 的“rank”表会显示。',
    },
    connect: {
      cause:
        '各 rank 已通过 rank 0 互相发现，但无法直接连接：地址对其他节点不可达（/etc/hosts 中的 127.0.1.1）、网络接口不对，或有防火墙。',
      remedy:
        '指定节点间的接口：`export GLOO_SOCKET_IFNAME=eth0`（`ip -br addr` 可列出），开放节点间全部 TCP 端口，并删除 /etc/hosts 中 127.0.1.1 的行。',
    },
  },
  nccl: {
    topology: {
      cause: 'NCCL 读不到 GPU 的连接方式：缺少 {{path}}，常见于隐藏了 /sys 的容器。',
      remedy:
        '请在启动容器时提供主机的 /sys（`--ipc=host`，不遮蔽 /sys），或使用 `nvidia-container-toolkit`。',
    },
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
    versions: {
      cause: '各节点的 NCCL 版本不同，无法互相通信。',
      remedy:
        "在所有节点安装相同的 torch：`python -c 'import torch; print(torch.__version__, torch.cuda.nccl.version())'` 的输出须一致。",
    },
    infiniband: {
      cause: 'NCCL 之下的 InfiniBand/RoCE 失败：线缆或交换机、GID 索引不对，或容器中可锁定内存太少。',
      remedy:
        '检查 `ibstat` 与 `ulimit -l`（须为 unlimited；docker：`--ulimit memlock=-1`），RoCE 可尝试 `NCCL_IB_GID_INDEX=3`；`NCCL_IB_DISABLE=1` 改用 TCP，可判断是否为此问题。',
    },
    peer_closed: {
      cause: 'NCCL 通信时另一个 rank 退出或断线，此处只是受其影响。',
      remedy: '原因见最先退出的 rank 的日志。',
    },
    invalid_usage: {
      cause: 'NCCL 的调用方式不被允许：多为两个 rank 使用同一块 GPU，或各 rank 调用了不同的操作。',
      remedy:
        '每个 rank 一块 GPU：在首次通信前执行 `torch.cuda.set_device(local_rank)`。`NCCL_DEBUG=WARN` 会指出具体规则。',
    },
    cuda_error: {
      cause: 'NCCL 内部的 CUDA 调用失败：{{reason}}。',
      remedy:
        '用 `NCCL_DEBUG=INFO` 运行一次。GPU 之间的直接访问失败可用 `NCCL_P2P_DISABLE=1` 避免；否则是驱动与 torch 的 CUDA 不匹配。',
    },
    mismatch: {
      cause: '各 rank 未以相同顺序调用相同的操作：有 rank 在等待其他 rank 从未调用的操作。',
      remedy:
        '各 rank 必须执行相同的路径：不要在 `if rank == 0` 中通信、保存或评估，且批次数相同。`TORCH_DISTRIBUTED_DEBUG=DETAIL` 会指出首个差异。',
    },
    not_built: {
      cause: '该 PyTorch 在编译时未包含 {{backend}}。',
      remedy: '安装 CUDA 版本的 PyTorch，或使用 `gloo` 后端。',
    },
    cpu_tensor: {
      cause: '集合通信使用了后端不支持的张量：NCCL 只支持 CUDA 张量。',
      remedy: '先把张量移到该 rank 的 GPU，或使用 `backend="cpu:gloo,cuda:nccl"` 初始化进程组。',
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
    portal: {
      cause: '应答的不是软件源，而是网络的登录页面。',
      remedy: '在节点上登录网络、使用代理，或在准备期间借用本机网络。',
    },
    proxy: {
      cause: '此节点设置的代理拒绝请求或无应答。',
      remedy:
        '检查 `env | grep -i proxy` 和 `cat /etc/apt/apt.conf.d/*proxy*`；更正或取消（`unset http_proxy https_proxy`），需要时填写用户名与密码。',
    },
    certificate: {
      cause: '服务器证书未被此节点信任的机构签名：公司代理重新签名，或节点的 CA 列表过旧。',
      remedy:
        '执行 `sudo apt-get install --reinstall ca-certificates && sudo update-ca-certificates`；公司证书请先放入 /usr/local/share/ca-certificates。pip：`pip config set global.cert /etc/ssl/certs/ca-certificates.crt`。同时检查节点时钟。',
    },
    refused: {
      cause: '对方机器有响应，但该端口没有程序监听，或被其防火墙拒绝。',
      remedy: '在该机器上用 `ss -ltn` 检查程序是否运行，并核对地址和端口。',
    },
    timeout: {
      cause: '对方未及时应答：防火墙丢弃数据包、地址错误，或网络过慢。',
      remedy: '检查 `ping 主机` 与 `nc -vz 主机 端口`；封闭网络可在准备期间借用本机网络。',
    },
    rate_limited: {
      cause: '服务器暂时拒绝更多请求：来自该地址的请求过多。',
      remedy: '稍后重试、使用镜像，或登录（若该服务为账号提供更高额度）。',
    },
    reset: {
      cause: '对方或途中的设备中断了连接。',
      remedy: '重试；若一直如此，可能是防火墙或代理切断：使用镜像，或借用本机的网络连接。',
    },
  },
  ssh: {
    control_path: {
      cause: '共享连接的套接字路径超过了上限（108 个字符）。',
      remedy: '请设置更短的 ControlPath，例如 `~/.ssh/%C`。',
    },
    max_sessions: {
      cause: '服务器不允许在此连接上再打开会话（MaxSessions）。',
      remedy: '请关闭该共享连接上的其他会话，或在服务器的 sshd_config 中调高 MaxSessions。',
    },
    account: {
      cause: '登录本身成功，但账户不可用：密码已过期、账户被锁定，或机器仍在启动。',
      remedy: '请手动登录并修改密码，或联系该机器的管理员。',
    },
    no_identity: {
      cause: '本机没有私钥 {{key}}，或 agent 中没有密钥。',
      remedy: '请更正路径（`-i`、IdentityFile），用 `ssh-keygen` 生成密钥，或用 `ssh-add` 添加。',
    },
    no_agent: {
      cause: '没有运行 SSH agent，或当前 shell 不知道它（未设置 SSH_AUTH_SOCK）。',
      remedy: '请运行 `eval "$(ssh-agent)"` 启动并用 `ssh-add` 添加密钥，或改用密钥文件登录。',
    },
    failed: {
      cause: 'SSH 本身失败（退出码 255）：机器无法访问或拒绝登录，输出中未说明原因。',
      remedy: '运行 `ssh -v USER@HOST true`，最后几行会给出原因。',
    },
    no_rsync: {
      cause: '对端机器上的 rsync 未能启动或中途结束：多数情况下是未安装。',
      remedy: '在两台机器上安装 rsync（`sudo apt-get install rsync`），并检查对端磁盘空间（`df -h`）。',
    },
    host_key_changed: {
      cause: '此地址的机器已更换或重装，也可能是中间人攻击。',
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
    host_key_unknown: {
      cause: '节点上的工具连接到未知主机密钥的机器，且无人可询问。',
      remedy:
        '先与对方机器核对指纹，再在节点上记录一次：`ssh-keyscan 主机 >> ~/.ssh/known_hosts`；git 可改用 https://。',
    },
    too_many_keys: {
      cause: 'SSH agent 提供的密钥数超过服务器允许的次数，未轮到正确的密钥。',
      remedy: '指定密钥：`ssh -o IdentitiesOnly=yes -i ~/.ssh/密钥 主机`，或在 ~/.ssh/config 中写入这两项。',
    },
    key_readable: {
      cause: '私钥可被其他用户读取，ssh 拒绝使用。',
      remedy: '执行 `chmod 600 ~/.ssh/密钥`；若在 Windows 磁盘上，请先复制到 Linux 的主目录。',
    },
    key_format: {
      cause: 'ssh 无法读取私钥 {{key}}：它是公钥、PuTTY 格式、已损坏，或缺少末行换行。',
      remedy:
        '`ssh-keygen -y -f 密钥` 应能输出公钥；PuTTY 格式用 `puttygen 密钥.ppk -O private-openssh -o 密钥` 转换。',
    },
    no_common_algorithm: {
      cause: '客户端与服务器没有共同的算法（{{kind}}）：其中一方过旧。',
      remedy:
        '更新较旧的一方；在此之前，仅对该主机在 ~/.ssh/config 中加 `HostKeyAlgorithms +ssh-rsa`，或 `KexAlgorithms +…`（取自 “Their offer”）。',
    },
    refused: {
      cause: '{{host}} 有响应，但端口 {{port}} 上没有 SSH 服务器。',
      remedy: '检查端口；在该机器上执行 `sudo systemctl enable --now ssh`。刚重启时请等一分钟。',
    },
    timeout: {
      cause: 'SSH 服务器无响应：机器已关机、地址错误，或被防火墙丢弃。',
      remedy:
        '检查 `ping 主机` 与 `nc -vz 主机 22`；云主机需在安全组开放 22 端口；从外部访问可能需要跳板机。',
    },
    dropped: {
      cause: 'SSH 连接在空闲时或因网络中断而断开。',
      remedy:
        '重新连接；在 ~/.ssh/config 中设置 `ServerAliveInterval 30` 可保持连接；长时间的命令请用 `tmux` 或 `setsid` 启动。',
    },
    local_port: {
      cause: 'ssh 要转发的端口 {{port}} 已被占用，常为先前的 ssh。',
      remedy: '结束该进程（`ss -ltnp` 可查看），或改用其他端口。',
    },
    forwarding: {
      cause: 'SSH 服务器不允许端口转发，或端口已被占用。',
      remedy:
        '在服务器的 /etc/ssh/sshd_config 中设置 `AllowTcpForwarding yes` 并执行 `sudo systemctl reload ssh`；同时结束占用端口的进程（`ss -ltnp`）。',
    },
    forward_target: {
      cause: '转发的端口没有目标：对端没有程序应答（{{reason}}）。',
      remedy: '先启动该程序，并在对端用 `ss -ltn` 检查地址和端口。',
    },
    passphrase: {
      cause: '私钥有口令保护，但无人可输入。',
      remedy: '先加入 agent：`ssh-add ~/.ssh/密钥`；或在 Ringlab 连接时输入。',
    },
    damaged: {
      cause: 'SSH 连接的数据到达时已损坏：网卡、驱动或中间设备故障。',
      remedy: '重新连接；若再次出现，请更新网卡驱动，或关闭卸载功能：`sudo ethtool -K eth0 tx off rx off`。',
    },
    config: {
      cause: 'ssh 拒绝其配置文件：包含不认识的选项，或他人可写该文件。',
      remedy: '修改它指出的那一行，或执行 `chmod 600 ~/.ssh/config`。',
    },
    noisy_shell: {
      cause: '节点的 shell 在登录时输出文本（来自 .bashrc 等），破坏了文件传输。',
      remedy: '仅在交互式 shell 中输出：在 .bashrc 开头加入 `[[ $- == *i* ]] || return`。',
    },
    no_sftp: {
      cause: '节点的 SSH 服务器不提供文件传输（SFTP）。',
      remedy: '在该节点安装 openssh-sftp-server，或使用 `scp -O`。',
    },
    not_ssh: {
      cause: '该地址和端口上应答的不是 SSH 服务器，或途中的代理篡改了内容。',
      remedy: '检查端口（节点本身通常为 22，网关后可能不同）和连接所用的代理。',
    },
  },
  kernel: {
    module_missing: {
      cause: '当前内核没有模块 {{module}}：内核更新后未重启，或该模块在另一个软件包中。',
      remedy:
        '若更新过内核请重启；Ubuntu 上安装 `linux-modules-extra-$(uname -r)`。若在容器中，请在宿主机上加载。',
    },
  },
  container: {
    no_gpu: {
      cause: '容器运行时无法向容器提供 GPU：宿主机缺少 NVIDIA Container Toolkit，或它找不到驱动。',
      remedy:
        '在宿主机上执行：`sudo apt-get install nvidia-container-toolkit && sudo nvidia-ctk runtime configure --runtime=docker && sudo systemctl restart docker`；之前须确认宿主机上 `nvidia-smi` 正常。',
    },
    lost_gpu: {
      cause: '容器失去了对 GPU 的访问：多发生在宿主机执行 `systemctl daemon-reload` 之后。',
      remedy:
        '重启容器；若要根治，在宿主机 /etc/docker/daemon.json 中设置 `"exec-opts": ["native.cgroupdriver=cgroupfs"]`。',
    },
    not_permitted: {
      cause: '当前用户无权使用 Docker。',
      remedy: '把该用户加入 `docker` 组后重新登录，或使用 sudo。',
    },
    no_daemon: {
      cause: '该节点上的 Docker 服务没有运行。',
      remedy: '启动它：`sudo systemctl start docker`；若无法启动，查看 `journalctl -u docker`。',
    },
    no_image: {
      cause: '无法获取容器镜像：名称或标签有误、镜像为私有，或无法连接其仓库。',
      remedy: '检查名称和标签、登录镜像仓库，或从文件加载镜像（`docker load`）。',
    },
  },
  pip: {
    broken_environment: {
      cause: '虚拟环境 {{path}} 已损坏：缺少自身的文件，或创建它的 Python 已不存在。',
      remedy: '请删除该文件夹并重新创建（`uv venv`、`python3 -m venv`）。',
    },
    cannot_uninstall: {
      cause: 'pip 无法替换 {{package}}：它由系统软件包安装，没有文件清单。',
      remedy: '请安装到虚拟环境中，或加上 `--ignore-installed {{package}}`。',
    },
    requirements_file: {
      cause: 'pip 把依赖文件的名称当成了软件包名：文件名前缺少 `-r`。',
      remedy: '请运行 `pip install -r requirements.txt`。',
    },
    lock_outdated: {
      cause: '锁定文件 {{path}} 与项目的依赖不一致，或无法读取。',
      remedy: '请运行 `uv lock`（或 `poetry lock`），并提交锁定文件。',
    },
    no_environment: {
      cause: 'uv 找不到可安装到的虚拟环境。',
      remedy: '请在此文件夹中运行 `uv venv` 创建，或用 `--python` 指定解释器。',
    },
    no_project: {
      cause: '该文件夹中没有 Python 项目：既没有 pyproject.toml，也没有 setup.py。',
      remedy: '请切换到项目所在的文件夹，或按其 requirements.txt 安装。',
    },
    untrusted_host: {
      cause: 'pip 忽略了软件包索引 {{host}}：未加密（没有 HTTPS），或证书不受信任。',
      remedy: '请使用它的 https:// 地址或其他镜像；若信任它，可加 `--trusted-host {{host}}`。',
    },
    managed: {
      cause: '此 Python 由发行版管理，不允许 pip 直接安装（PEP 668）。',
      remedy: '使用虚拟环境：`python3 -m venv ~/env && ~/env/bin/pip install …`。',
    },
    python_version: {
      cause: '某软件包不支持此 Python（{{found}}，要求 {{wanted}}）。',
      remedy: '用其他 Python 创建环境（`uv venv --python 3.11`），或选择该软件包的其他版本。',
    },
    not_found: {
      cause: '软件包索引中没有适用于此 Python、系统和处理器的 {{package}}，或没有该版本。',
      remedy:
        '检查名称，并核对 `python --version` 与该软件包的文件。torch 的 +cu118 等版本仅在 `--index-url https://download.pytorch.org/whl/cu118`；已下线的版本需要更旧的 Python 或改用较新版本。',
    },
    conflict: {
      cause: '所需软件包要求的版本互相冲突。',
      remedy:
        '放宽用 `==` 固定的版本，并在一条命令中安装全部；前后几行指出冲突的软件包。`uv pip install` 会详细说明冲突。',
    },
    hash: {
      cause: '下载的软件包与记录的哈希不符：文件已改变，或传输中损坏。',
      remedy: '执行 `pip cache purge` 后重试；若仍出现，请先与索引核对哈希，再修改 requirements 文件。',
    },
    build_failed: {
      cause: '某软件包需要编译但失败：没有适用于此 Python 和系统的 wheel。',
      remedy:
        '编译器的第一个错误在上文。安装 `build-essential python3-dev`，或选择提供 wheel 的 Python 或软件包版本（`pip install --only-binary :all: …` 可检查）。若提示缺少 torch，请先安装 torch 并加上 `--no-build-isolation`。',
    },
    not_there: {
      cause: '软件包索引对 {{url}} 返回 {{status}}。',
      remedy:
        '404：检查索引地址与软件包名称。401 或 403：索引需要登录或拒绝此地址。5xx：稍后重试或更换镜像。',
    },
    unreachable: {
      cause: '此节点无法访问软件包索引 {{host}}。',
      remedy:
        '准备期间借用本机网络，或使用较近的镜像：`pip install -i https://pypi.tuna.tsinghua.edu.cn/simple …`；慢速网络加 `--timeout 120`。',
    },
    bad_requirement: {
      cause: 'requirements 中有一行无法被 pip 或 uv 解析。',
      remedy:
        '修改消息指出的那一行：`名称==版本`、`名称>=版本` 或 `名称 @ 地址`；conda 的 `名称=版本=构建号` 格式不被支持。',
    },
  },
  python: {
    no_ssl: {
      cause: '此 Python 无法使用 TLS：ssl 模块找不到 OpenSSL 的库。',
      remedy:
        '重新安装环境（micromamba 或 Miniconda），或将其 `bin` 文件夹放在 PATH 最前；自行编译的 Python 需先安装 `libssl-dev`。',
    },
    numpy2: {
      cause: '某软件包是为其他版本的 NumPy 编译的（NumPy 2 不能加载为 NumPy 1 编译的模块）。',
      remedy: "执行 `pip install 'numpy<2'`，或升级下文所示的软件包（torch 从 2.3 起支持 NumPy 2）。",
    },
    no_module: {
      cause: '此环境中没有 Python 模块 {{module}}。',
      remedy:
        '安装到运行脚本的 Python 中（`python -m pip install …`，软件包名可能与模块名不同），或在模块所在的文件夹中启动脚本。',
    },
    import_name: {
      cause: '已安装版本的 {{module}} 中没有 {{name}}：两个软件包的版本不匹配。',
      remedy:
        "安装脚本所需的版本（`pip install '软件包==版本'`），或同时升级两者；同名的本地文件也会遮盖该模块。",
    },
    no_venv: {
      cause: '此 Python 无法创建虚拟环境：Debian 和 Ubuntu 将其放在单独的软件包中。',
      remedy:
        '执行 `sudo apt install python3-venv`（带版本号：python3.12-venv），或让 wheels 运行环境用 uv 创建环境。',
    },
    torch_companions: {
      cause: 'torch 与 torchvision（或 torchaudio）的版本不匹配。',
      remedy: '用一条命令从同一索引安装二者，例如 `pip install -U torch torchvision`。',
    },
    not_found: {
      cause: '该节点上没有 {{wanted}}。',
      remedy: '让 uv 下载（`uv python install`），或使用节点已有的版本。',
    },
    removed_name: {
      cause: '脚本使用了 `{{name}}`，而已安装的软件包版本中没有它。',
      remedy: '安装脚本所针对的版本（见其 requirements 或 README），或修改该调用。',
    },
    too_old: {
      cause: '脚本是为比当前更新的 Python 版本编写的。',
      remedy: '使用更新的 Python（wheels 运行环境可以下载），或使用较旧版本的脚本。',
    },
    syntax: {
      cause: 'Python 无法解析脚本：{{reason}}。',
      remedy:
        '修改该消息上方的那一行。不带括号的 `print` 是 Python 2；`match`、`:=` 或新的 f-string 语法需要更新的 Python。',
    },
    encoding: {
      cause: '使用节点的默认编码读写文本，而该编码不包含这些字符。',
      remedy: '为运行设置 PYTHONUTF8=1（以及 LANG=C.UTF-8），或用 `encoding="utf-8"` 打开文件。',
    },
    wrong_version: {
      cause: '某软件包要求 {{wanted}}，而安装的是其他版本（{{found}}）。',
      remedy: '安装所要求的版本：`pip install "{{wanted}}"`，或同时更新两个软件包。',
    },
  },
  tensor: {
    devices: {
      cause: '某个运算的张量位于不同设备，例如一个在 GPU、一个在 CPU。',
      remedy:
        '在脚本中将模型与输入移到同一设备：`model.to(device)`、`images.to(device)`，模型自行创建的张量也须如此（注册为 buffer）。',
    },
    types: {
      cause: '某个运算的张量类型不同，例如半精度与单精度。',
      remedy: '在 `torch.autocast(…)` 下计算，或用 `.to(dtype)` 使模型与输入类型一致。',
    },
    shapes: {
      cause: '张量形状与该层不符：图像尺寸或通道数不同，或模型不同。',
      remedy: "打印该层之前的形状；对图像检查尺寸与通道数（`.convert('RGB')`），以及网络结构要求的输入尺寸。",
    },
    index: {
      cause: '索引超出了表的大小：token 超出词表，或位置超出最大序列长度。',
      remedy: '把数据中的最大索引与 embedding 的大小（或张量的维度）比较。',
    },
  },
  process: {
    killed: {
      cause: '进程被外部以 SIGKILL 终止：多为内存耗尽时由内核终止，也可能是用户、作业调度系统或容器限制。',
      remedy:
        "`sudo dmesg -T | grep -iE 'killed process|oom'` 可确认是否内存不足；若是，请减小批大小或减少数据加载进程。",
    },
    bus_error: {
      cause: '进程访问了文件已不再支持的内存：/dev/shm 或磁盘已满，或文件在映射期间被截短。',
      remedy: '检查 `df -h /dev/shm /`；容器启动时加 `--shm-size=8g` 或 `--ipc=host`，并减少数据加载进程。',
    },
    crashed: {
      cause: '进程在某个库中崩溃（而非 Python 代码）：多为库版本不匹配，少数为内存故障。',
      remedy:
        '用 `PYTHONFAULTHANDLER=1` 运行一次以显示函数；重新安装版本相配的 torch 和相关软件包；`sudo dmesg | tail` 会指出是哪个库。',
    },
  },
  archive: {
    damaged: {
      cause: '压缩包损坏：下载不完整、磁盘已满，或内容其实是服务器的错误页面。',
      remedy: '删除后重新下载（`wget -c`），并与来源给出的大小和校验和比较；`file 压缩包` 可查看其类型。',
    },
  },
  file: {
    no_locks: {
      cause: '该文件系统不支持文件锁：许多网络文件系统以及部分容器和手机的文件系统如此。',
      remedy: '请把该文件夹（对 uv 是 UV_CACHE_DIR）放到本地磁盘。',
    },
    denied: {
      cause: '此进程的用户无权读写 {{path}}。',
      remedy:
        '用 `ls -ld` 查看文件及其文件夹；改变所有者（`sudo chown -R 用户 文件夹`）或改用自己的文件夹；脚本需要 `chmod +x`。',
    },
    missing: {
      cause: '此节点上没有 {{path}}，或脚本所在的文件夹与路径不符。',
      remedy:
        '在此节点上用 `ls -l` 检查（每个节点都需要一份），或使用完整路径；在脚本开头打印 `pwd` 可查看所在文件夹。',
    },
    exists: {
      cause: '多个 rank 同时创建同一文件或目录：{{path}}。',
      remedy: '使用 `os.makedirs(…, exist_ok=True)`，或由 rank 0 创建，其他 rank 用 barrier 等待。',
    },
    bad_name: {
      cause: '该目录所在的文件系统不接受这样的文件名（Windows 文件系统不允许 | : ? * 等字符）。',
      remedy: '解压到节点自己的文件系统（ext4、xfs）中，而不是 Windows 共享或磁盘。',
    },
  },
  git: {
    password: {
      cause: 'git 需要用户名和密码，但无人可输入；该仓库是私有的或不存在。',
      remedy:
        '检查地址。私有仓库请使用密钥（`git clone git@主机:用户/仓库.git`）或令牌：`git config --global credential.helper store`。',
    },
    transfer: {
      cause: 'git 传输时连接中断：网络慢或不稳定、代理，或仓库过大。',
      remedy:
        '减少传输：`git clone --depth 1 …`，之后再 `git fetch --unshallow`；或使用镜像，或以 ssh 代替 https。',
    },
    ownership: {
      cause: '该仓库属于其他用户，git 不信任它。',
      remedy: '执行 `git config --global --add safe.directory {{path}}`，或将目录的所有权交给该用户。',
    },
    no_revision: {
      cause: '仓库中没有分支、标签或提交 {{revision}}。',
      remedy: '检查名称（`git ls-remote 地址`）；提交必须位于服务器公开的分支上。',
    },
    folder_exists: {
      cause: '{{path}} 已存在且不为空。',
      remedy: '删除它，或在已有的克隆中更新：`git -C {{path}} pull`。',
    },
    lfs: {
      cause: '无法获取仓库的大文件（Git LFS）。',
      remedy:
        '在节点上安装 git-lfs；不需要时用 GIT_LFS_SKIP_SMUDGE=1 克隆；若服务器配额用尽，请从其他地方获取。',
    },
    local_changes: {
      cause: '节点上的克隆中有文件被修改，git 不会覆盖它们。',
      remedy: '在该克隆中用 `git stash` 保留修改，或用 `git checkout -- .` 放弃修改。',
    },
    locked: {
      cause: '另一个 git 正在此克隆中运行，或曾被中断。',
      remedy: '如果已没有 git 在运行，请删除 {{path}}。',
    },
  },
  ddp: {
    devices: {
      cause: '为位于 CPU 或分布在多块 GPU 上的模型指定了 DDP 的 `device_ids`。',
      remedy: '请在创建 DDP 之前把模型移到该 rank 的 GPU，或省略 `device_ids`。',
    },
    unused_parameters: {
      cause: '上一步中某些参数没有梯度，DistributedDataParallel 仍在等待它们。',
      remedy:
        '使所有参数参与损失计算，或使用 `DistributedDataParallel(model, find_unused_parameters=True)`。',
    },
    marked_twice: {
      cause: '某个参数的梯度在一步中就绪了两次：它被多次前向传播使用，或同时使用了激活检查点与未用参数检测。',
      remedy:
        '激活检查点使用 `use_reentrant=False`，设置 `static_graph=True`，或每步只通过 DDP 模块执行一次前向传播。',
    },
    other_model: {
      cause: '各 rank 构建的模型不一致。',
      remedy:
        '比较所有节点的代码和参数；因 rank 而异的内容（随机大小、按本节点数据统计的类别数）不能影响模型结构。',
    },
  },
  elastic: {
    rendezvous: {
      cause: 'torchrun 的各 agent 未能会合：`--rdzv-endpoint` 的地址不可达，或其 store 已结束。',
      remedy:
        '先启动该地址上的 torchrun 并开放端口；各节点的 `--rdzv-id`、`--rdzv-endpoint`、`--nnodes` 须一致。',
    },
    killed: {
      cause: '某个 rank 被外部以 SIGKILL 终止：几乎总是因节点内存耗尽而被内核终止。',
      remedy:
        "在该节点执行 `sudo dmesg -T | grep -iE 'killed process|oom'` 可确认。减小批大小、数据加载进程数或该节点的 rank 数。",
    },
    crashed: {
      cause: '某个 rank 在库中崩溃，torchrun 只是报告此事。',
      remedy:
        '原因在该 rank 上文的输出或 `sudo dmesg | tail` 中。`TORCH_SHOW_CPP_STACKTRACES=1 PYTHONFAULTHANDLER=1` 会显示位置。',
    },
    stopped: {
      cause: '各 rank 被要求停止：终端关闭、作业调度系统终止，或另一个 rank 先失败。',
      remedy:
        '用 `setsid` 或在 `tmux` 中启动，以免关闭终端时结束；否则请查找最先失败的 rank，以及调度系统的时间限制。',
    },
    child_failed: {
      cause: '某个 rank 的脚本出错退出，torchrun 或调度器只是报告此事。',
      remedy:
        '原因是上文中该 rank 的 traceback。若未显示，请用 `torchrun --log-dir logs --redirects 3` 启动并查看其 stderr.log。',
    },
  },
  scheduler: {
    not_ending: {
      cause: 'Slurm 无法结束作业的进程：它们卡在内核中，多为文件系统或 GPU 驱动。',
      remedy: '需要由管理员检查（`dmesg`）或重启该节点。',
    },
    gres: {
      cause: 'Slurm 的 gres.conf 中写有该节点没有的 GPU，或其驱动未加载：{{path}}。',
      remedy: '请确认该节点上 `nvidia-smi` 可用，并更正 gres.conf。',
    },
    bad_script: {
      cause: 'Slurm 不接受此文件作为批处理脚本：第一行必须指明解释器，且须使用 Linux 换行。',
      remedy: '请以 `#!/bin/bash` 开头；用 `dos2unix` 去除 Windows 换行。',
    },
    clock: {
      cause: '节点认为作业凭据已过期：各节点时钟不一致，或作业启动等待过久。',
      remedy:
        '比较各节点的 `date` 并启用时间同步（chrony）；管理员可增大 slurm.conf 中 AuthInfo 的 `cred_expire`。',
    },
    cancelled: {
      cause: '作业被取消：由 `scancel`、管理员取消，或节点被更高优先级的作业抢占。',
      remedy: '从最近的检查点继续；`sacct -j JOB` 可查看是谁结束的。',
    },
    partition: {
      cause: '集群没有这个分区。',
      remedy: '请选择 `sinfo` 列出的分区，或留空使用默认分区。',
    },
    account: {
      cause: '该账户、QOS 或分区不对此用户开放。',
      remedy:
        '`sacctmgr show assoc user=$USER format=account,partition,qos` 可列出可用的；否则请联系管理员。',
    },
    size: {
      cause: '分区中没有节点能提供作业申请的 GPU、CPU、内存或时间。',
      remedy: '`sinfo -o "%P %l %c %m %G"` 显示各节点的资源；请画更小的节点，或选择其他分区。',
    },
    time_limit: {
      cause: '作业已达时间限制，被调度器结束。',
      remedy: '申请更长时间，或让作业在限制前保存、重新排队并继续；从最近的检查点继续运行。',
    },
    refused: {
      cause: '调度器不接受该作业：{{reason}}。',
      remedy: '将分区、账户、GPU 和时间与 `sinfo`、`sacctmgr show assoc user=$USER` 的结果比较。',
    },
    unreachable: {
      cause: '从该节点无法连接调度器的控制服务。',
      remedy: '登录集群的登录节点；`scontrol ping` 可查看 slurmctld 是否运行；munge 要求各处密钥和时钟一致。',
    },
    node_failed: {
      cause: '作业的某个节点发生故障，调度器因此结束了作业。',
      remedy: '用 `--requeue` 重新提交并排除该节点（`--exclude`），从最近的检查点继续运行。',
    },
  },
  download: {
    checksum: {
      cause: '下载的文件与预期的校验和不符：下载不完整、内容为错误页面，或已有新版本。',
      remedy:
        '删除该文件（包括消息所示缓存中的）后重新下载；用 `ls -l` 和 `file` 查看内容。若再次出现，请更新数据集的软件包。',
    },
  },
  compile: {
    no_triton: {
      cause: '`torch.compile` 在 GPU 上需要 Triton，但未安装或无法工作。',
      remedy: '安装与该 torch 对应的 triton 版本，或不使用 `torch.compile`。',
    },
    failed: {
      cause: '`torch.compile` 无法编译该模型。',
      remedy:
        '原因在其下方。不使用 `torch.compile` 运行（TORCH_COMPILE_DISABLE=1），或将其无法追踪的部分排除在外。',
    },
    kernel_build: {
      cause: 'Triton 无法编译其 CUDA 辅助代码：编译器的错误见上文。',
      remedy:
        '通常是节点缺少 Python 的开发文件（python3-dev）或 `-lcuda` 所需的 `libcuda.so`：安装它们，或不使用 `torch.compile`。',
    },
  },
  autograd: {
    inplace: {
      cause: '反向传播所需的张量被就地（in-place）修改。',
      remedy:
        '检查 `+=`、`relu_(…)`、`inplace=True`，或在 backward 之前执行了两次前向传播；`torch.autograd.set_detect_anomaly(True)` 会指出具体操作。使用 DDP 时也可能是 batch norm 的 buffer：设置 `broadcast_buffers=False`。',
    },
    no_gradient: {
      cause: '损失所依赖的张量都不需要梯度。',
      remedy:
        '检查参数是否被冻结、前向传播是否处于 `torch.no_grad()` 中，以及损失是否已脱离计算图（`.item()`、`.detach()`、NumPy）。',
    },
    second_backward: {
      cause: '对同一计算图执行了两次 `backward()`，其保存的张量在第一次之后已释放。',
      remedy:
        '每一步重新计算损失，对跨步传递的张量（如隐藏状态）执行 detach；确有需要时使用 `retain_graph=True`。',
    },
  },
  loss: {
    not_finite: {
      cause: '损失已不是有限数值：学习率过高、出现除以零，或 float16 溢出。',
      remedy: '降低学习率、使用 warmup、裁剪梯度，检查损坏的输入；混合精度下使用 GradScaler 或 bfloat16。',
    },
  },
  script: {
    key: {
      cause: '脚本查找的 {{key}} 不存在：可能是数据集的列或文件、检查点的字段，或某项设置。',
      remedy: '对照脚本的 README 检查数据集目录结构和配置。',
    },
    line_ends: {
      cause: '脚本使用了 Windows 换行符。',
      remedy: "转换换行符：`sed -i 's/\\r$//' 文件`，并在 .gitattributes 中设置 `* text=auto eol=lf`。",
    },
    terminal: {
      cause: '脚本向终端查询信息（例如宽度），而运行时没有终端。',
      remedy:
        '替换该调用：没有终端时 `shutil.get_terminal_size()` 仍可用，`stty size` 和 `os.get_terminal_size()` 不可用。',
    },
    question: {
      cause: '脚本在运行中提问（`input()`、`getpass()` 或断点），此时无人可以回答。',
      remedy: '改用参数或环境变量给出答案，或去掉该提问。',
    },
    interpreter: {
      cause: '脚本首行指定的解释器（或程序的加载器）在该节点上不存在。',
      remedy: '环境移动或复制后不可用：请在该节点上重新创建，或用 `python` 调用脚本。',
    },
    arguments: {
      cause: '启动脚本的参数与其要求不符：{{arguments}}。',
      remedy: '与 `python 脚本 --help` 对照，并修改实验的参数。',
    },
    bad_config: {
      cause: '无法读取配置文件（JSON、YAML 或 TOML）：文件损坏、为空或格式有误。',
      remedy: '消息中有行号和列号；检查文件是否已完整传到该节点，而不是错误页面。',
    },
  },
  hub: {
    gated: {
      cause: '该模型或数据集仅向已接受条款的账号开放。',
      remedy: '在其页面接受条款，并为运行提供令牌：以保密变量设置 HF_TOKEN。',
    },
    unreachable: {
      cause: '该节点无法访问模型仓库，且缓存中没有这些文件。',
      remedy:
        '将 HF_ENDPOINT 设置为节点可访问的镜像，把缓存（~/.cache/huggingface）复制过去，或借用本机的网络连接。',
    },
    no_model: {
      cause: '模型仓库中没有该模型，或该节点上没有此目录。',
      remedy: '检查名称；若为路径，则每个节点上都必须存在；私有模型需以保密变量设置 HF_TOKEN。',
    },
    dataset_script: {
      cause: '该数据集由其自带脚本加载，而 datasets 4 已不再运行此类脚本。',
      remedy: '安装 `datasets<4`，或使用该数据集的 Parquet 版本。',
    },
  },
  wandb: {
    login: {
      cause: 'Weights & Biases 要求登录，但运行中无人可输入。',
      remedy:
        '设置 WANDB_MODE=offline（Ringlab 可读取其离线文件），或以保密变量设置 WANDB_API_KEY；`import ringlab.wandb as wandb` 无需账号。',
    },
  },
  kubernetes: {
    unschedulable: {
      cause: 'Kubernetes 找不到可运行该 Pod 的节点：{{reason}}',
      remedy: '按节点实际拥有的资源（GPU、内存）申请，容忍其 taint，或等待其他 Pod 结束。',
    },
    quota: {
      cause: '命名空间的 Kubernetes 配额不允许该 Pod。',
      remedy: '减少申请的 GPU 或内存、删除已结束的 Pod，或申请提高配额（`kubectl describe quota`）。',
    },
    forbidden: {
      cause: '该账号无权在集群中执行此操作。',
      remedy: '使用分配给您的命名空间（`kubectl auth can-i --list`），或联系管理员。',
    },
    volume: {
      cause: '无法挂载 Pod 的卷。',
      remedy: '检查该命名空间中存在此 PVC 且已绑定（`kubectl get pvc`），并且节点能访问其存储服务器。',
    },
    crash_loop: {
      cause: 'Pod 中的程序启动后反复退出。',
      remedy: '其最后的输出见 `kubectl logs POD --previous`。',
    },
  },
};

export const leftOut = '（未知）';
