/** Names of a run's states, texts of desktop notifications, and names of figures, in Chinese. */
import type {
  codeSize as englishCodeSize,
  jobs as englishJobs,
  misfits as englishMisfits,
  held as englishHeld,
  noRestart as englishNoRestart,
  profile as englishProfile,
  runFacts as englishFacts,
  collectives as englishCollectives,
  runNotices as englishNotices,
  runStates as englishStates,
} from '../en/runs.ts';
import type { Words } from '../words.ts';

export const runStates: Words<typeof englishStates> = {
  draft: '草稿',
  queued: '排队中',
  held: '已暂缓',
  preparing: '准备中',
  starting: '启动中',
  running: '运行中',
  waiting: '等待中',
  recovering: '恢复中',
  stopping: '停止中',
  stopped: '已停止',
  interrupted: '已中断',
  finished: '已完成',
  failed: '失败',
  lost: '失联',
};

export const runNotices: Words<typeof englishNotices> = {
  finished: '运行已完成。',
  failed: '运行失败。打开它查看原因。',
  interrupted: '运行已中断，可以继续运行。',
  lost: '运行已失联：节点上已没有它的记录。',
  stopped: '运行已停止。',
  waiting: '有节点无法连接。运行仍在继续。',
  recovering: '{{node}} 已失联：训练将从{{from}}重启。',
  restarts: '有 rank 失联：训练将从{{from}}重启。',
  fromStep: '第 {{step}} 步',
  fromScript: '脚本自己的检查点（如果有）',
  resumedWhole: '训练从第 {{step}} 步继续；没有损失。',
  resumed: '训练从第 {{step}} 步继续；{{seconds}} 秒的工作要重做。',
  unreachable: '无法连接：{{nodes, joined}}。运行仍在继续。',
  fewer: '{{nodes, joined}} 已失联：训练由 {{all}} 个 rank 中的 {{left}} 个继续。',
  fewerBySeveral: '{{nodes, joined}} 已失联：训练由 {{all}} 个 rank 中的 {{left}} 个继续。',
  finishedWithFewer: '运行已完成，最后有 {{all}} 个 rank 中的 {{left}} 个。',
  held: '之前的运行已停止或失败：队列已暂缓，直到您开始其中一个运行。',
};

export const held: Words<typeof englishHeld> = {
  stopped: '“{{name}}”停止后，此运行已暂缓',
  failed: '“{{name}}”失败后，此运行已暂缓',
  ended: '“{{name}}”提前结束后，此运行已暂缓',
  unknown: '之前的运行停止或失败后，此运行已暂缓',
};

export const noRestart: Words<typeof englishNoRestart> = {
  cause: '未重启：在原因消除之前会以同样的方式失败。',
  repeated: '不再重启：在没有新检查点的情况下多次失败。',
  tooOften: '不再重启：已达到一小时内的重启次数上限。',
  away: '未重启：有节点一直无法连接。',
};

export const runFacts: Words<typeof englishFacts> = {
  data: '数据',
  imageSize: '图像尺寸',
  nodes: '节点',
  worldSize: 'Rank 数',
  script: '脚本',
  arguments: '参数',
  code: '代码',
  runtime: '运行环境',
};

export const jobs: Words<typeof englishJobs> = {
  waits: '作业 {{job}} 正在排队：{{why}}',
  expected: '作业 {{job}} 正在排队：{{why}}。预计开始：{{time}}',
  runs: '作业 {{job}}，位于 {{nodes}}',
  suspended: '作业 {{job}} 已被暂停：在 Slurm 恢复它之前，其 rank 停止运行',
  reasons: {
    submitted: '已提交',
    Resources: '集群节点正在使用（Resources）',
    Priority: '优先级更高的作业在前（Priority）',
    BeginTime: '已重新排队，片刻后再次启动（BeginTime）',
    Dependency: '正在等待另一个作业（Dependency）',
    JobHeldUser: '作业被挂起；用 `scontrol release {{job}}` 放行（JobHeldUser）',
    JobHeldAdmin: '被管理员挂起，请联系管理员（JobHeldAdmin）',
    PartitionDown: '分区不可用，请选择其他分区（PartitionDown）',
    PartitionTimeLimit: '时间限制超过分区上限，请停止后申请更短时间（PartitionTimeLimit）',
    PartitionNodeLimit: '申请的节点数超过分区上限，请停止后减少节点（PartitionNodeLimit）',
    ReqNodeNotAvail: '所需节点已排空、停机或被预留（ReqNodeNotAvail）',
    NodeDown: '所需的某个节点停机（NodeDown）',
    BadConstraints: '没有节点满足全部要求，请停止后修改选项或节点（BadConstraints）',
    Licenses: '所需许可证正在使用（Licenses）',
    Reservation: '预留时段尚未开始（Reservation）',
    DependencyNeverSatisfied: '所等待的作业已失败，请停止（DependencyNeverSatisfied）',
    launchFailed: '某个节点无法启动它，Slurm 将其挂起；用 `scontrol release {{job}}` 重试（{{reason}}）',
    held: 'Slurm 将其挂起，不会自行启动；用 `scontrol release {{job}}` 放行（{{reason}}）',
    Unschedulable: '集群中没有机器能容纳它：{{said}}。有空余时会启动；也可停止后画更小的节点',
    SchedulingGated: '集群的队列暂缓它，直到能容纳全部 Pod（{{said}}）',
    Suspended: '它被挂起，等待队列接纳；`kubectl get workloads` 可查看排位',
    ImagePull: '无法拉取其镜像：{{said}}。集群会重试；也可停止后更正镜像或拉取密钥',
    ContainerCreating: '其 Pod 已分配机器，正在获取镜像并挂载卷',
    FailedMount: '无法挂载卷：{{said}}',
    FailedCreate: '无法创建其 Pod：{{said}}',
    Restarting: '一个 Pod 被收回；其 rank 会从检查点重新开始（{{said}}）',
    NoPods: '即将创建其 Pod',
    perJob: '申请超过账户或 QOS 对单个作业的上限，请停止后减少申请（{{reason}}）',
    tooSmall: '申请低于 QOS 的下限，请停止后增加申请（{{reason}}）',
    budget: '账户或 QOS 的机时已用完；请申请更多机时，或停止后选择其他账户（{{reason}}）',
    quota: '已达账户或 QOS 的限制，其他作业结束后才会启动（{{reason}}）',
    bad: '账户或 QOS 无效，请停止后选择其他（{{reason}}）',
    other: '{{reason}}',
  },
};

export const codeSize: Words<typeof englishCodeSize> = {
  sent: '发送到节点：{{words}}',
  large:
    '发送到节点：{{words}}。最大的部分：{{parts, joined}}。.gitignore 和 .ringlabignore 所列内容不会发送。',
  file: '1 个文件，{{bytes, bytes}}',
  files: '{{count}} 个文件，{{bytes, bytes}}',
  part: '{{path}}（{{words}}）',
};

export const misfits: Words<typeof englishMisfits> = {
  noPartition: 'Slurm 未列出分区“{{name}}”（隐藏的分区仍可使用）。已列出：{{names}}。',
  down: '分区“{{name}}”不可用：作业会一直等待到它恢复。',
  noAccount: '您不能在那里使用账户“{{name}}”。可用账户：{{names}}。',
  noQos: '您的账户没有 QOS“{{name}}”。可用 QOS：{{names}}。',
  noGpuType: '分区“{{partition}}”没有类型为“{{name}}”的 GPU。现有类型：{{names}}。',
  time: '分区“{{name}}”最长允许 {{time}}。',
  qosTime: 'QOS“{{name}}”最长允许 {{time}}。',
  accountTime: '账户“{{name}}”最长允许 {{time}}。',
  tooManyNodes: '实验室需要 {{asked}} 个节点，分区“{{name}}”只有 {{there}} 个。',
  noSuchNode:
    '分区“{{name}}”中没有节点具备 {{cpus}} 个 CPU、{{gb}} GB 内存和 {{gpus}} 个 GPU：请画更小的节点，或选择其他分区。',
  noRights: '您的账户在命名空间 {{namespace}} 中没有以下权限：{{what}}。请申请这些权限，或选择其他命名空间。',
  noSuchMachine:
    '集群中可以放置这些 Pod 的机器都不具备 {{cpus}} 个 CPU、{{gb}} GiB 内存和 {{gpus}} 块 GPU：请绘制较小的节点，或更改节点标签和容忍度。',
  tooManyPods: '实验室需要 {{asked}} 个 Pod；即使没有其他任务，集群的机器也只能同时容纳其中 {{there}} 个。',
  quota: '命名空间的配额“{{name}}”中 {{resource}} 还剩 {{left}}（共 {{hard}}）；实验室需要 {{asked}}。',
};

export const collectives: Words<typeof englishCollectives> = {
  rank: 'rank {{rank}}',
  more: '另外 {{count}} 个',
  missing:
    '{{missing, joined}} 尚未进入 {{operation}}（该进程组的第 {{number}} 次集合通信）。{{waiting, joined}} 已在其中等待 {{time}}。',
  missingUnnamed:
    '{{missing, joined}} 尚未进入该进程组的第 {{number}} 次集合通信（由 DistributedDataParallel 或 PyTorch 的其他部分发起）。{{waiting, joined}} 已等待 {{time}}。',
  joining: '{{waiting, joined}} 已在 init_process_group 中等待 {{time}}。{{missing, joined}} 尚未调用它。',
  joiningAll: '{{waiting, joined}} 已在 init_process_group 中等待 {{time}}：它们之间无法连通。',
  alone: '已有 {{time}} 没有 rank 调用 init_process_group：{{count}} 个进程各自独立训练，并未分担工作。',
  smaller:
    '脚本自行创建了进程组：其中只有 {{size}} 个 rank，而非全部 {{given}} 个，它们并未分担工作。请使用环境变量 RANK、WORLD_SIZE、MASTER_ADDR 和 MASTER_PORT，并且不要自行启动进程（mp.spawn）：Ringlab 为每个 GPU 启动一个进程。',
  apart:
    '脚本的各 rank 在 {{address}} 会合，而该地址在每个节点上各指向自己：{{given}} 个 rank 所在的节点并未分担工作。请保留环境变量 MASTER_ADDR 和 MASTER_PORT 的值，并且不要自行启动进程（mp.spawn）：Ringlab 为每个 GPU 启动一个进程。',
  different:
    '第 {{number}} 次集合通信在各 rank 上必须相同，但 {{waiting, joined}} 处于不同的调用中，已持续 {{time}}。',
  all: '所有 rank 都已进入 {{operation}}（第 {{number}} 次集合通信），已持续 {{time}}：网络或设备没有响应。',
  ending:
    '{{waiting, joined}} 已于 {{time}} 前结束。{{missing, joined}} 尚未结束，其 Python 也没有任何动静：某些版本的 PyTorch 在销毁进程组时会卡住。请停止运行：脚本已写入的内容会保留。',
  silent: '没有消息：正忙于 Python 之外的调用，或尚未开始',
};

export const profile: Words<typeof englishProfile> = {
  data: '加载数据',
  forward: '前向传播',
  backward: '反向传播',
  optimizer: '优化器',
  device: '等待 GPU',
  other: '脚本的其他代码',
  saving: '保存检查点',
  compile: 'torch.compile',
  exchange: '等待其他 rank',
};
