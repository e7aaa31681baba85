/** What commands print for the user, and ask, in Chinese. */
import type { Words } from '../../../shared/i18n/words.ts';
import type { cli as englishCli, doctor as englishDoctor } from '../en/cli.ts';

export const cli: Words<typeof englishCli> = {
  error: {
    checkLab: '“ringlab check LAB”会列出需要更正之处。',
    absent: '没有{{kind}}“{{id}}”。',
    kind: {
      run: '运行',
      lab: '实验室',
      node: '节点',
    },
    listed: {
      run: '“ringlab runs”列出此数据文件夹中的运行；--data 可指定其他文件夹。',
      lab: '“ringlab labs”列出此数据文件夹中的实验室及其文件；--data 可指定其他文件夹。',
      node: '“ringlab check LAB”会列出实验室的内容。',
    },
  },
  issue: '{{severity}}：{{path}}：{{text}}',
  scriptHasIt: '脚本自己写入了 {{name}}：Ringlab 的文件为 {{own}}。',
  writtenCut:
    '脚本写入的文件多于 Ringlab 所列：取回其中 {{count}} 个，其余仍在节点上该次运行的“code”文件夹中。',
  goesOn:
    '丢失 rank 时，只要剩下的超过一半，其余 rank 就继续训练；否则所有 rank 重启，每小时最多 {{count}} 次。',
  restarts:
    '丢失 rank 时，其余 rank 在可能时先保存，然后所有 rank 从最新的检查点重启，每小时最多 {{count}} 次。',
  severity: {
    error: '错误',
    warning: '警告',
  },
  programsLeft:
    '略过了 {{count}} 个程序（训练程序、micromamba、wheel 环境）：它们会在节点上运行，而其来源仅由离线包说明。使用 --programs 可一并导入；本机从不运行其中的训练程序。',
  estimate: {
    assumed: {
      compute_assumed: '计算时间为假定值：还没有运行在此类节点上测量过该实验',
      classes_assumed: '假定有 1000 个类别：运行开始时才查看数据',
      network_not_drawn: '没有绘制链路：假定网络没有开销',
      links_not_emulated: '此处不模拟所绘链路：运行不会因此变慢',
      loss_not_counted: '未计入链路丢包：实际步时间会更长',
    },
    note: '说明：{{text}}',
    noScriptRun: '尚未测量过 {{script}} 的任何运行：首次运行后即可得知每步用时',
    since: {
      arguments: '那次运行的参数不同',
      nodes: '那次运行使用的是其他节点',
      links: '那次运行时绘制的链路不同',
    },
    nothing: '错误：实验室中没有用于训练的节点：请绘制 GPU 或 CPU 节点',
    architecture: '错误：未知的网络结构“{{architecture}}”',
    sync: '错误：未知的同步方式“{{sync}}”；示例：powersgd:2、auto',
    unreachable: '错误：没有链路从 {{from}} 通往 {{to}}：请将它们连接起来；若不打算绘制网络，请删除所有链路',
    compute: '每步 {{time}}：瓶颈是计算',
    link: '每步 {{time}}：瓶颈是链路 {{link}}',
    links: '每步 {{time}}：瓶颈是同样慢的 {{count}} 条链路',
    enough: '{{here}}；{{sync}} 是精确的，且与最快方式相差不到十分之一',
    faster: '{{here}}；使用 {{sync}}：{{time}}',
  },
  kubernetes: {
    head: '{{lab}}：{{ranks}} 个 rank，{{pods}} 个 Pod。其中含有该运行的密钥：请勿将此文件交给他人。',
    links: '说明：集群上不模拟所绘链路：Pod 使用集群自身的网络',
    noClaim: '说明：未指定 --claim，检查点位于各 Pod 自己的磁盘上，会随 Pod 一起消失',
    severalJobs:
      '说明：所绘节点各不相同，因此有 {{jobs}} 个 Job：Kueue 会分别准入；集群装有 JobSet 时可用 --job-set 合为一个 JobSet',
    image: '说明：未指定 --image，集群节点上需要有镜像 {{image}}（assets/kubernetes/Containerfile）',
  },
  ambiguousRun: '“{{word}}”对应 {{count}} 次运行；请输入其中一个的标识：',
  follow: {
    continues: '运行仍在继续；ringlab stop {{run}} 可停止它',
    stopping: '将在此步之后停止；再次按 Ctrl+C 强制停止',
    forcing: '正在强制停止',
  },
  labs: {
    nodes: '{{count}} 个节点',
    none: '还没有实验室。',
  },
  files: {
    code: '脚本的代码，发送到 {{nodes, joined}}',
    fetched: '脚本的代码，用您的 git 登录获取（含子模块），在 {{nodes, joined}} 上运行',
    images: '图像，发送到 {{nodes, joined}}',
    driver: 'NVIDIA 驱动，在 {{node}} 需要时发送',
    weights: '所有节点的初始权重',
    absent: '不存在',
    folder: '文件夹',
    file: '文件，{{size}} 字节',
    repository: '仓库',
    odd: '不是普通文件',
    uses: '该实验室要将本机的文件发送到节点，或使用您的 git 登录：',
    mayUse: '是否允许？',
  },
  plan: {
    change: '将会执行',
    blocked: '受阻',
    blockedBy: '受阻：{{error}}',
  },
  queue: {
    turn: '前一次运行已结束；现在轮到本次运行',
  },
  run: {
    left: '由之前的 Ringlab 留下',
    followed: '进程 {{pid}} 正在跟踪它',
    already: '该实验室已在运行：{{name}}（运行 {{run}}，{{state}}）；{{by}}。',
    changed: '该实验室在那次运行开始后有改动。--queue 会在之后按当前内容运行。',
    continuing: '将继续该运行。',
    following: '正在跟踪；Ctrl+C 让其继续运行，ringlab stop {{run}} 可停止它。',
  },
  runs: {
    doubt: '（最后可见：{{when}}，{{nodes, joined}} 上的状态未知）',
    never: '从未',
    epochs: '{{done}}/{{epochs}} 轮',
    process: '进程 {{pid}}',
    none: '还没有运行。',
  },
  app: {
    noBrowser:
      '无法在本机启动浏览器。请在浏览器中打开上面的地址，或安装 Chromium、Chrome、Edge 或 Firefox；`ringlab open` 给出新的地址。',
    goesOn: '最后一个窗口已关闭；有运行正在进行，Ringlab 将继续到其结束。`ringlab app` 可重新打开窗口。',
    closed: '最后一个窗口已关闭：Ringlab 结束。',
  },
  serve: {
    refused: '已拒绝：{{error}}',
    replaced:
      '此计算机上的 Ringlab 已更新；这里运行的仍是之前的版本。请关闭其窗口，结束此进程，然后重新启动 Ringlab。运行会在各节点上继续。',
    address: '该地址只能在 5 分钟内打开一次窗口；`ringlab open` 会给出新地址。',
    underWay: '{{runs, joined}}：正在进行。[k] 继续运行，[s] 在检查点停止，[c] 取消？',
  },
  session: {
    ended: '所询问的 Ringlab（进程 {{pid}}）已结束；将不依赖它继续。',
    waiting: '{{message}}正在等待其应答或关闭。',
    leaves: '有窗口打开，此后由它管理该运行；本命令继续跟踪。',
  },
  stop: {
    ended: '{{name}}（运行 {{run}}）已经结束：{{state}}',
    unreachable: '{{count}} 个节点无法连接：其上的 rank 会在恢复连接后停止。--force 则放弃它们。',
  },
  chart: {
    title: '{{name}}：{{architecture}}，{{ranks}} 个 rank',
    loss: '损失',
    step: '步',
    accuracy: '准确率（%）',
  },
  progress: {
    rank: 'rank {{rank}} {{node}} {{bar}} 轮 {{epoch}}/{{epochs}} 步 {{batch}}/{{batches}}  损失 {{loss}}  {{speed}} 图像/秒',
    more: '… 另有 {{count}} 个',
    validation: '第 {{epoch}} 轮：验证 top-1 {{top1}} %  top-5 {{top5}} %  损失 {{loss}}',
    said: 'rank {{rank}} {{severity}}：{{text}}',
    ready: '就绪',
    there: '就绪（已存在）',
    failed: '失败',
    run: '运行 {{run}}：{{state}}',
  },
  ask: {
    wrong: '上一次输入有误；',
    known: '已知：{{keyType}} {{fingerprint}}（{{place}}）',
    skipped: '已跳过，无法读取：{{line}}',
    hostKey: '{{who}}：未知的主机密钥',
    trust: '是否信任？',
    password: '{{who}}：{{wrong}}{{user}} 的密码：',
    sent: '从本机发送：{{path}}（{{kind}}，{{bytes}} 字节）',
    change: '{{who}}：Ringlab 将更改此节点：',
    remove: '{{who}}：将从此节点移除 Ringlab，包括运行在该节点上的检查点：',
    reboot: '{{who}}：将重启此节点，其上运行的一切都会结束：',
    allow: '是否允许？',
    weak: '{{who}}：只提供弱算法',
    allowWeak: '是否允许对此主机使用？',
    lend: '{{who}}：实验室标明此节点没有互联网连接。是否让其通过本机下载？',
    passphrase: '{{who}}：{{wrong}}{{file}} 的口令：',
    scriptVariable: '{{lab}}：环境变量 {{name}} 的保密值：',
    bucketKey: '{{host}}：存储桶 {{bucket}} 的访问密钥 {{key}} 对应的私密密钥：',
    closed: '（已在别处回答，或为时已晚：该提问已关闭）',
  },
  usage: {
    nodes: '--script FILE 需要指明机器：ringlab run --script FILE --nodes LAB -- ARGUMENTS',
    script: '--{{option}} 只用于 ringlab run --script FILE --nodes LAB -- ARGUMENTS',
    lab: '缺少实验室文件：ringlab {{command}} LAB',
    run: '缺少运行：ringlab {{command}} RUN',
    artifact: '未知的文件“{{name}}”；可用：{{known, joined}}',
    lostRank: '--on-lost-rank 必须是 {{known, joined}} 之一，而不是“{{word}}”',
    replace: '--replace 必须是 LOST=NEW，即两个节点的名称或 ID，而不是“{{word}}”',
    data: '--data 需要文件夹的路径，不能为空',
    port: '--port 必须是 0 到 65535 之间的数字，而不是“{{text}}”',
    command: '未知的命令“{{command}}”；可用：{{known, joined}}',
    tooMany: '参数过多：{{args}}',
    help: 'ringlab --help 列出全部用法。',
    noProgram: '“{{command}}”没有对应的程序',
  },
};

export const doctor: Words<typeof englishDoctor> = {
  ok: '正常',
  missing: '缺少',
  absent: '没有',
  keptCode: '{{count}} 个自定义脚本版本，{{bytes, bytes}}',
  node: '在项目文件夹中运行 npm install：会带来 Node 24',
  dataFolder: '使 {{path}} 可写，或将 RINGLAB_DATA 设为其他文件夹',
  localNodes: '仅本机上的节点需要；通过 SSH 连接的机器自行编译训练器',
  openssh: '非必需：Ringlab 自行读取 ~/.ssh/config；安装后按 OpenSSH 自己的规则读取',
  nvidia: '仅在用本机 GPU 训练时需要',
};
