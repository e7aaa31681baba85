/** Texts of main's prompts during a connection, in Chinese. */
import type { prompts as english } from '../en/prompts.ts';
import type { Words } from '../../../shared/i18n/words.ts';

export const prompts: Words<typeof english> = {
  hostKey: {
    title: '信任这台机器吗？',
    text: 'Ringlab 首次连接 {{node}}（{{host}}）。请将其密钥指纹与管理员提供的指纹核对。目前尚未发送任何内容。',
    type: '密钥类型',
    fingerprint: '指纹',
    knownOther:
      'Ringlab 已有此主机或其地址的另一个密钥，但主机这次没有出示它。仅在管理员确认后才信任新密钥：',
    skippedLines: 'known_hosts 中无法读取的行已略过：',
    trust: '信任',
    refuse: '拒绝',
  },
  password: {
    title: '{{node}} 的密码',
    text: '以 {{user}} 身份登录 {{host}}。',
    label: '密码',
  },
  passphrase: {
    title: '{{node}} 的密钥口令',
    text: '密钥 {{file}} 已加密。',
    label: '口令',
  },
  again: '输入有误，请重试。',
  bucketKey: {
    title: '存储桶 {{bucket}} 的密钥',
    text: '{{host}} 的访问密钥 {{id}}。密钥只留在本机：节点得到的是只对单个文件有效、会过期的签名地址。',
    label: '访问密钥（secret）',
  },
  scriptVariable: {
    title: '{{name}} 的值',
    text: '“{{lab}}”的脚本会以环境变量的形式得到它。它不会写入实验室文件、日志或显示的命令。',
    label: '保密的值',
  },
  sudo: {
    title: '{{node}} 上 {{user}} 的 sudo 密码',
    text: '有一步需要 {{host}} 上的 root 权限，sudo 要求输入此账户的密码。',
    label: 'sudo 密码',
  },
  consent: {
    title: '允许 Ringlab 更改 {{node}} 吗？',
    text: '{{node}}（{{host}}）需要以下更改才能训练。目前尚未作任何更改。',
    command: '命令',
    file: '从本机发送',
    remembered: 'Ringlab 会记住您对此机器的选择，并在步骤日志中列出每项更改。',
    allow: '允许',
    refuse: '不更改',
  },
  remove: {
    title: '从 {{node}} 移除 Ringlab？',
    text: '将删除 Ringlab 放在 {{node}}（{{host}}）上的内容，包括运行在该节点上的检查点。已导出的文件会保留，节点可以重新准备。',
    confirm: '移除',
  },
  reboot: {
    title: '重启 {{node}}？',
    text: '{{node}}（{{host}}）上运行的一切都会结束，包括其他用户的程序。Ringlab 会等待它恢复。',
    confirm: '重启',
  },
  weak: {
    title: '允许 {{node}} 使用弱加密？',
    text: '{{host}} 没有提供更好的算法。安全的做法是升级其 SSH 服务器。',
    remembered: 'Ringlab 仅在本机上为 {{host}} 记住此选择，不会写入实验室文件。可在设置中撤销。',
    allow: '为此主机允许',
    refuse: '不连接',
  },
  lend: {
    title: '将本机的网络连接借给 {{node}} 吗？',
    text: '实验室文件称 {{node}}（{{host}}）自身无法访问互联网。准备该节点期间，其下载将经过本机，对外视为您的流量。',
    limits: '它只能访问互联网，不能访问本机，也不能访问您网络中的其他设备。请仅对您信任的机器允许。',
    remembered: 'Ringlab 会为此机器记住您的选择；保存在本机，不写入实验室文件。',
    allow: '借用',
    refuse: '不借用',
  },
  interactive: {
    title: '{{node}} 的提问',
    text: '登录 {{host}} 还需要：',
    label: '回答',
  },
  remember: '在本机记住',
  rememberMemory: '记住直到关闭 Ringlab',
  ok: '继续',
  cancel: '取消',
  more_other: '还有 {{count}} 个问题在等待。',
};
