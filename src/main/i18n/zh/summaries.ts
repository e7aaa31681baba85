/** What a step of a preparation has found, in a line, in Chinese. */
import type { Words } from '../../../shared/i18n/words.ts';
import type { summaries as english } from '../en/summaries.ts';

export const summaries: Words<typeof english> = {
  origin: {
    here: '由本机编译，{{day}}',
    bundle: '来自离线包，添加于 {{day}}',
    node: '由 {{name}}（{{place}}）编译，{{day}}',
    thisComputer: '本机',
  },
  memory: '内存 {{memory}}',
  diskFree: '剩余磁盘 {{disk}}',
  clockOff: '时钟相差 {{seconds}} 秒',
  driver: {
    onCpu: '不需要：在 CPU 上训练',
    noGpu: '没有 NVIDIA GPU',
    version: '驱动 {{version}}',
  },
  rebooted: '已重启',
  circle: {
    local: '同类本机节点只编译一次',
    shared: '共享编译结果的同类节点只编译一次',
    own: '仅供本节点使用',
  },
  cluster: {
    ofCluster: '由集群管理',
    network: '使用集群自己的网络；作业启动后才知道地址',
    accepts: 'Slurm {{version}} 接受该作业',
    starts: 'Slurm {{version}} 可在 {{time}} 于 {{nodes}} 启动该作业',
    pods: 'Kubernetes {{version}} 接受该作业：命名空间 {{namespace}} 中 {{pods}} 个 Pod',
    podsGpus:
      'Kubernetes {{version}} 接受该作业：命名空间 {{namespace}} 中 {{pods}} 个 Pod；集群共有 {{gpus}} 个 GPU',
  },
  tunnelOff: '未启用',
  portsInUse: '{{address}}（{{ports}} 被占用）',
  networkTried: '不做任何改动：在第一个节点上查找空闲端口，其余节点尝试连接它',
  classes: '{{path}} · {{count}} 个类别',
  code: '{{count}} 个文件，{{bytes, bytes}} · {{hash}}',
  trainer: '训练程序',
  withPython: 'Python {{python}}',
  withoutPython: '不含 Python {{python}}（未能下载）：节点须自带',
  withSystemPython: '含发行版的 Python（uv 的 {{python}} 未能下载）',
  engine: 'ringlab.slow 适用于 PyTorch {{torch}}',
  noEngine: '无 ringlab.slow：见日志',
  packages: '{{count}} 个软件包',
  sameLock: '与之前的同类节点使用同一锁文件',
  through: '{{host}}，经由 {{jump}}',
};
