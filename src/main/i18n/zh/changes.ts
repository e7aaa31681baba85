/** What a preparation changes on a node or this computer, in Chinese. */
import type { Words } from '../../../shared/i18n/words.ts';
import type { changes as english } from '../en/changes.ts';

export const changes: Words<typeof english> = {
  ifForeseen: '{{what}}（前提：运行库步骤如预期安装 libtorch {{version}}）',
  conda: {
    micromamba: '安装 micromamba',
    environment: '在 Ringlab 自己的文件夹中创建 conda 环境“{{environment}}”',
    unsolved:
      '{{what}}：libtorch、libjpeg-turbo、libtiff、libwebp 与 zlib。具体软件包届时在节点上求解并随实验室保存；也可先运行 ringlab lock',
    list: '发送软件包清单',
    settings: '发送设置：使用 {{channels, joined}} 中从节点访问最快且齐全的一个',
    create: '{{what}}（{{count}} 个软件包，{{size}}）',
    clear: '删除二者',
  },
  wheels: {
    uv: '发送用于安装 Python 软件包的 uv {{version}}',
    python:
      'Python {{python}}：优先使用已有的；否则将 uv 自带的安装到 Ringlab 自己的文件夹；再否则安装发行版的 python3 软件包',
    files: '发送软件包清单',
    fastest:
      '使用 {{indexes, joined}} 中从节点访问最快的一个；没有 GPU 的节点在可访问时使用 PyTorch 官方的 CPU 版本',
    environment: '用 PyTorch 的 wheel 创建虚拟环境 {{folder}}',
  },
  solve: {
    fastest: '（以 {{channel}} 为例；实际使用 {{channels, joined}} 中从节点访问最快的一个）',
    solve: '求解运行环境；不安装任何软件包，只在 Ringlab 自己的文件夹中保留软件包列表{{fastest}}',
    again: '再次求解：加上上一步得到的软件包以及编译训练程序所需的 {{packages, joined}}',
    builds: '列出该频道提供的 libtorch 构建{{fastest}}',
  },
  bundle: {
    conda: '将离线包的 {{count}} 个软件包中尚缺的发送到 {{folder}}',
    channel: '将该文件夹设为 channel',
    python: 'Python {{python}}：优先使用已有的；否则将离线包中 uv 自带的安装到 Ringlab 自己的文件夹',
    wheels: '将离线包的 {{count}} 个 wheel 中尚缺的发送到 {{folder}}',
    lists: '发送离线包中的软件包清单及其签名',
    missing: '询问 apt 离线包中哪些软件包尚缺',
    packages: '将 apt 届时列出的软件包（最多 {{count}} 个）发送到 {{folder}}',
  },
  driver: {
    afterReboot: '重启后驱动还需要什么，届时再确定，并在执行前询问',
    send: '确认 SHA-256 后发送驱动文件',
    build: '为当前内核 {{kernel}} 编译驱动模块 {{version}}',
    signed: '为当前内核 {{kernel}} 安装 Ubuntu 已签名的模块',
    fromFile: '使用您指定的 NVIDIA 安装程序安装驱动',
    fromRepository: '从 NVIDIA 自己的软件源安装驱动：{{packages}}',
    addRepository: '用您指定的软件包添加 NVIDIA 软件源及其密钥',
    ubuntu: '安装 Ubuntu 为此 GPU 推荐的驱动及其模块所需的软件',
    components: '启用 Debian 的 contrib 与 non-free 组件（NVIDIA 驱动所在）',
    debian: '安装此 Debian 版本的 NVIDIA 驱动（不含图形桌面）',
    headers: '安装编译器与当前内核 {{kernel}} 的头文件',
    blacklist: '禁止开源驱动 nouveau 在下次启动时占用 GPU',
    load: '加载驱动模块',
    tools: '安装驱动缺少的 nvidia-smi',
    reboot: '重启节点',
  },
  code: {
    clone: '若节点可访问 {{url}}：从该处获取文件，并使用其中与本机相同的文件',
    send: '发送脚本的 {{count}} 个文件，共 {{bytes, bytes}}；节点上已有的不再发送',
    program: '发送 Ringlab 自己的程序，用于对节点采样并收集脚本写出的内容',
  },
  engine:
    '脚本使用 ringlab.slow 或 ringlab.hook：为其 PyTorch {{torch}} 编译所需的库，只需一次；本机节点共用',
  trainer: {
    unpack: '解压源代码',
    configure: '用 CMake 配置',
    compile: '编译（并行数 {{jobs}}，由当前的核心数与可用内存决定）',
    place: '将训练程序放到目标位置并删除编译文件夹',
    tools:
      '从 libtorch 的来源安装编译器与 CMake（此处缺少：{{missing, joined}}）。以下命令将在该环境中运行（micromamba run）',
    sources: '发送训练程序 {{version}} 的源代码',
    try: '试运行训练程序：显存（内存）、卷积与单 rank 的 All-Reduce',
    noteTried: '在训练程序旁记录通过的结果，以免重复试运行',
    note: '启动成功后，在其旁记录编译者与 SHA-256',
    unforeseen:
      '若已有与上一步 libtorch（目前未知）相符的训练程序 {{version}} 则直接发送，否则在节点上编译（{{circle}}）',
    send: '发送训练程序 {{version}}（{{origin}}）',
    build: '在节点上用源代码编译训练程序 {{version}}（{{circle}}）；等待其他节点编译的节点会收到其编译结果',
    keep: '将编译结果复制到本机，并在 {{path}} 旁记录编译者及其 SHA-256（届时才知道）',
  },
  tunnel: {
    key: '在节点上生成加密网络的私钥，仅 root 可读',
    remove: '从节点移除该实验室的加密网络及其密钥',
    raiseLater: '随后在获得所有节点的公钥后：启用接口 {{name}}；使用 UDP 端口 {{port}} 或其后的空闲端口',
    ownAddress: '<本节点的地址>',
    publicKey: '<{{node}} 的公钥>',
    tunnelAddress: '<{{node}} 在隧道中的地址>',
    address: '<{{node}} 的地址>',
    raise: '启用加密网络：{{name}}，地址 {{address}}，UDP 端口 {{port}}，{{peers}} 个对端',
  },
  network: {
    remove: '以 root 身份在本机：删除该实验室已有但与绘图不符的网络',
    create: '以 root 身份在本机：创建所绘网络的命名空间与链路',
    shape: '以 root 身份在本机：网络已存在；将链路设置为所绘数值',
  },
  data: {
    send: '发送数据集：{{count}} 个文件，{{bytes, bytes}}',
    sendShared: '{{what}}；若届时其他节点已有则从该节点传送',
    unpack: '解压',
    measure: '从节点测量 {{count}} 个地址的速度。以下命令只对最快的地址执行，失败时改用下一个',
    fetch: '在节点上下载并校验数据集：{{url}}',
    draw: '用训练程序绘制数据集',
    drawLater: '{{what}}（其位置由上一步决定），存放于 {{folder}}',
    noteUnpacked: '记录解压出的文件',
    objects:
      '节点从 {{bucket}} 下载 {{count}} 个对象（{{bytes, bytes}}）到 {{folder}}，每个地址在轮到时由本机签名',
  },
  remove: {
    stays: '；以下内容保留：{{paths, joined}}',
    nothing: '（不存在）',
    folder: '删除 Ringlab 自己的文件夹：训练程序、运行环境、数据以及各次运行及其检查点（{{size}}）{{stays}}',
    link: '{{link}} 是指向 {{folder}} 的链接：删除 Ringlab 在其中存放的内容，包括各次运行及其检查点（{{size}}），以及该链接{{stays}}',
    settings: '删除 Ringlab 添加的系统设置；已安装的软件包与驱动保留',
  },
  packages: '安装训练程序所需的系统软件包',
};
