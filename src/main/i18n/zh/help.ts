/** `ringlab --help`, and `ringlab COMMAND --help`, in Chinese. */
import type { Words } from '../../../shared/i18n/words.ts';
import type { help as english } from '../en/help.ts';

export const help: Words<typeof english> = {
  title: 'Ringlab：用于分布式深度学习的桌面实验室。',
  options: `  --data DIR                  数据文件夹（默认：RINGLAB_DATA，否则为系统规定的位置）
  --accept-new-host-keys      信任从未见过的 SSH 主机密钥；已更改的仍会被拒绝
  -y, --yes                   允许节点所需的操作：软件包、驱动、重启；每项仍会列出
  --own-files                 允许实验室指定的代码、图像、驱动与权重离开本机，并用您的 git 登录获取其指定的仓库
  --lend-internet             允许实验室标明没有互联网的节点使用本机的连接
  -h, --help                  显示此说明；置于命令之后则显示该命令的用法
  --version                   显示此 Ringlab 的版本
`,
  beside: '若窗口已打开，命令会与其显示的程序协作：两者看到相同的运行。',
  exitCodes: '退出代码：0 完成，1 失败或已停止（diagnose：未识别出故障），2 输入有误。',
  labArgument: 'LAB 是实验室文件的路径，或 - 表示从标准输入读取。',
  runArgument: 'RUN 是运行的标识、足以唯一确定它的标识开头，或其名称。',
  endOfRun: `进度输出到标准错误；标准输出的最后一行是关于该运行的一个 JSON 对象。
退出代码：0 已完成，1 以其他方式结束，2 输入有误。`,
  commands: {
    run: {
      does: '运行实验室文件；标准输出的最后一行是一个 JSON 对象',
      more: `  --out DIR    结束后检查点、指标与命令的存放位置（默认 ringlab-out）
  --chart      在该处将损失与准确率（自己的脚本则为其标量）绘制成 chart.svg
  --queue      若实验室已在运行，则在之后再次运行
  --script F   用您自己的脚本（train.py 或 module:pkg.train）代替原生训练程序，在 --nodes LAB 的机器上训练；-- 之后为其
               参数。脚本在代码旁写出的文件会取回到 --out
  --source S   要发送的文件夹（默认为当前文件夹或脚本所在文件夹）或仓库；--ref 名称：其分支、标签或提交。
               .gitignore 与 .ringlabignore 可排除文件
  --runtime R  wheels（来自 PyPI 的 PyTorch）、existing（节点上已有的带 torch 的 Python；existing:路径）或 system
  --torchrun   在每个节点上启动一个 PyTorch 自带的 agent，而不是每个 rank 一个进程；--min-nodes N：剩余 N 个节点（含第一个）时
               继续运行
  --on-lost-rank P  rank 被终止或其节点重启时：stop（停止）、restart（其余 rank 在可能时先保存，
               然后重启所有 rank）或 continue（由其余 rank 继续；多个 rank 通过 Gloo 通信时的默认值，否则为 stop）

一个实验室同一时间只能有一次运行。若已在运行，则跟踪该运行直到结束；被终止的 Ringlab 留在节点上的运行会继续。
Ctrl+C 在检查点停止运行，第二次强制停止，第三次则离开；若运行由其他命令或窗口发起，Ctrl+C 让其继续运行。
{{endOfRun}}`,
    },
    follow: {
      does: '显示运行进度直到结束；Ctrl+C 让其继续运行',
      more: `  --out DIR    结束后将检查点、指标与命令复制到该处
  --chart      将损失与准确率（自己的脚本则为其标量）绘制成 chart.svg

{{runArgument}}
{{endOfRun}}`,
    },
    stop: {
      does: '在检查点停止运行，并等待其结束',
      more: `  --force      立即终止其 rank；放弃无法连接的节点

{{runArgument}}
标准输出的最后一行是关于该运行的一个 JSON 对象。退出代码：0 已结束，1 未结束，2 输入有误。`,
    },
    rejoin: {
      does: '让运行中失联的 rank 重新加入，该运行正由其余 rank 继续',
      more: `  --replace LOST=NEW  由绘图中的节点 NEW 接替失联的节点 LOST；多个节点可重复使用
  LAB                 含有新节点的实验室文件（默认：此处保存的实验室）

先在其余 rank 训练时准备这些节点，然后其余 rank 保存检查点，所有 rank 从该检查点重新开始：仍是同一次运行的下一次尝试。
全部启动后返回；之后的情况由 \`ringlab follow\` 显示。

{{runArgument}}
标准输出的最后一行是关于该运行的一个 JSON 对象。退出代码：0 已全部重新开始，1 没有失联的 rank、节点无法准备或运行已结束，2 输入有误。`,
    },
    resume: {
      does: '从最新检查点继续运行；排队中的运行立即开始',
      more: `  --out DIR    结束后检查点、指标与命令的存放位置（默认 ringlab-out）
  --chart      在该处将损失与准确率（自己的脚本则为其标量）绘制成 chart.svg

{{runArgument}}
{{endOfRun}}`,
    },
    runs: {
      does: '已保存的运行，或某次运行的已知信息',
      more: `  --json       所有运行的一个 JSON 数组；若指定一次运行，则仅其 JSON 对象

{{runArgument}}
会询问进行中运行的节点。若有节点无法连接，stateKnown 为 false，lastSeen 是其 rank 最新一行的时间。`,
    },
    labs: {
      does: '窗口中显示的实验室及其文件',
      more: '  --json       一个 JSON 数组',
    },
    export: {
      does: '某次运行的 model_best、检查点、指标、报告与命令',
      more: `  --slurm      打印实验室文件的作业将使用的 sbatch 脚本
  --kubernetes  将实验室文件写成 Kubernetes 对象（新的 YAML 文件），无需集群：每个所绘节点对应一个 Pod。
               --image NAME（ringlab-trainer）、--namespace N、--claim PVC（所有 Pod 均写入）、--pull-secret S、
               --local-queue Q（Kueue）、--job-set、--priority-class C、--node-selector KEY=VALUE、--toleration KEY[=VALUE][:EFFECT]
  code         自己的脚本某次运行的原样代码，写入新的或空的文件夹：RUN code DIR
  ARTIFACT     model_best.pth.tar、checkpoint.pth.tar、metrics.csv、metrics.json、commands.sh 或 report.html；省略则为全部。
               state_dict 使用其他参数名，供其他程序读取：model_best.torchvision.pth.tar 与
               checkpoint.torchvision.pth.tar 供 torchvision 的模型加载；model_best.ddp.pth.tar 与
               checkpoint.ddp.pth.tar 供 DistributedDataParallel 下的 main.py 加载（“module.”）

{{runArgument}}
打印每个文件的路径，最后一行是一个 JSON 对象。退出代码：0 已保存，1 没有可保存的内容，2 输入有误。`,
    },
    check: {
      does: '报告实验室文件中的问题',
      more: `打印一个 JSON 对象。退出代码：0 可以运行，2 不能运行。

  --cluster  查询实验室的集群提供的资源，并指出不相符之处`,
    },
    estimate: {
      does: '一步在所绘链路上的开销；对自己的脚本则为其上次运行的用时：一个 JSON 对象',
      more: '  --sync MODE  代替实验室自己的同步方式；auto 为链路所建议的方式',
    },
    prepare: {
      does: '准备实验室的节点；或仅列出将要执行的操作',
      more: `  --dry-run    不做任何改动；以脚本形式打印确切的命令供阅读

退出代码：0 所有节点就绪（或可以就绪），1 有节点未就绪，2 输入有误。`,
    },
    lock: {
      does: '在节点上求解实验室的 conda 环境并保存',
      more: `  --dry-run    不做任何改动；以脚本形式打印确切的命令供阅读

每种节点打印一行 JSON 对象。`,
    },
    bundle: {
      does: '预先获取节点在没有互联网时所需的内容；准备节点时会使用',
      more: `  --out FOLDER  带到另一台计算机；省略则存放于准备节点时查找的位置
  --add FOLDER  导入在别处制作的离线包
  --programs    连同其中的训练程序、micromamba 与 wheel（若您信任其制作者）
  --cuda X.Y    conda 软件包或 wheel 适用的 CUDA 版本，与所询问的节点无关

打印一个 JSON 对象。`,
    },
    app: {
      does: '作为程序打开窗口：使用现有浏览器的应用窗口',
      more: `Chromium、Chrome 或 Edge 在独立窗口中显示，Firefox 在标签页中显示；RINGLAB_BROWSER 指定其他程序。
最后一个窗口关闭时结束，除非有运行正在进行。已在运行时，再打开它的一个窗口。

  --port N     默认：任意空闲端口
  --no-open    仅打印地址`,
    },
    serve: {
      does: '在本机浏览器中打开窗口',
      more: `  --port N     默认：任意空闲端口
  --no-open    仅打印地址`,
    },
    open: {
      does: '为正在提供的窗口生成新地址，并在浏览器中打开',
      more: '  --no-open    仅打印地址',
    },
    doctor: {
      does: '本机缺少什么',
      more: '退出代码：0 不缺必需的内容，1 有缺少。',
    },
    diagnose: {
      does: '工具输出中的已知故障，每行一个 JSON 对象',
      more: '退出代码：0 识别出故障，1 没有识别出。',
    },
  },
};
