/** apt and dpkg, sudo, and the conda family. */
import type { Diagnosis } from './diagnosis.ts';

export const packageDiagnoses: readonly Diagnosis[] = [
  {
    code: 'apt.locked',
    patterns: [
      /Could not get lock \/var\/lib\/(?:dpkg|apt)\S*\. It is held by process (?<pid>\d+) \((?<program>[^)]+)\)/,
      /Could not get lock \/var\/lib\/(?:dpkg|apt)\S* - open \(11/,
      /Unable to acquire the dpkg frontend lock/,
    ],
    cause: {
      en: 'Another package manager is running; after a boot it is usually the automatic updates.',
      'zh-CN': '另一个软件包管理程序正在运行，刚开机时通常是自动更新。',
    },
    remedy: {
      en: 'Wait until it is done and try again. Do not delete the lock.',
      'zh-CN': '等待其结束后重试，不要删除锁文件。',
    },
    action: 'retry',
  },
  {
    code: 'apt.interrupted',
    patterns: [/dpkg was interrupted, you must manually run/],
    cause: { en: 'An earlier installation was cut off in the middle.', 'zh-CN': '之前的安装中途被打断。' },
    remedy: {
      en: 'Run `sudo dpkg --configure -a`, then try again.',
      'zh-CN': '执行 `sudo dpkg --configure -a` 后重试。',
    },
  },
  {
    code: 'apt.no_such_package',
    patterns: [
      /E: Unable to locate package (?<package>\S+)/,
      /E: Package '(?<package>[^']+)' has no installation candidate/,
    ],
    cause: {
      en: 'None of the node’s package sources has {package}.',
      'zh-CN': '节点的软件源中没有 {package}。',
    },
    remedy: {
      en: 'Run `apt-get update`; for drivers add Debian’s contrib, non-free and non-free-firmware, or Ubuntu’s restricted component.',
      'zh-CN':
        '执行 `apt-get update`；安装驱动需启用 Debian 的 contrib、non-free、non-free-firmware 或 Ubuntu 的 restricted。',
    },
  },
  {
    code: 'apt.unmet',
    patterns: [/The following packages have unmet dependencies/, /you have held broken packages/],
    cause: {
      en: 'Packages of different sources or releases contradict each other: often NVIDIA’s repository beside the distribution’s driver.',
      'zh-CN': '来自不同软件源或版本的软件包相互冲突，常见于 NVIDIA 源与发行版驱动混用。',
    },
    remedy: {
      en: 'Keep to one source of the driver: remove the other’s packages (`apt-get purge`), then `apt-get -f install`.',
      'zh-CN': '驱动只使用一个来源：卸载另一来源的包（`apt-get purge`），再 `apt-get -f install`。',
    },
  },
  {
    code: 'apt.hash',
    patterns: [/Hash Sum mismatch/, /File has unexpected size .*Mirror sync in progress/],
    cause: {
      en: 'What the mirror sent is not what its index promises: it is being updated, or a proxy changed it.',
      'zh-CN': '镜像返回的内容与索引不符：镜像正在同步，或被代理改动。',
    },
    remedy: {
      en: 'Try again in some minutes, or choose another mirror.',
      'zh-CN': '几分钟后重试，或更换镜像。',
    },
    action: 'retry',
  },
  {
    code: 'apt.unknown_key',
    patterns: [/public key is not available: NO_PUBKEY (?<key>\w+)/, /is not signed\.$/],
    cause: {
      en: 'A package source is signed with a key that the node does not have.',
      'zh-CN': '某软件源使用了节点未知的密钥签名。',
    },
    remedy: {
      en: 'Install that source’s keyring package, or remove the source from /etc/apt/sources.list.d.',
      'zh-CN': '安装该软件源的 keyring 包，或从 /etc/apt/sources.list.d 删除该源。',
    },
  },
  {
    code: 'apt.release_gone',
    patterns: [/The repository '(?<source>[^']+)' (?:does not have|no longer has) a Release file/],
    cause: {
      en: 'The package source {source} does not exist (any more): a release past its end of life moves to an archive.',
      'zh-CN': '软件源 {source} 不存在或已下线：停止维护的版本会移到归档站。',
    },
    remedy: {
      en: 'Point the source to archive.debian.org or old-releases.ubuntu.com, or upgrade the node.',
      'zh-CN': '将软件源改为 archive.debian.org 或 old-releases.ubuntu.com，或升级系统。',
    },
  },
  {
    code: 'apt.clock',
    patterns: [/is not valid yet \(invalid for another/],
    cause: {
      en: 'The node’s clock is behind, so that the source seems to come from the future.',
      'zh-CN': '节点时钟偏慢，软件源看起来来自未来。',
    },
    remedy: {
      en: 'Set the clock (`timedatectl set-ntp true`, or `date -s`), then try again.',
      'zh-CN': '校准时钟（`timedatectl set-ntp true` 或 `date -s`）后重试。',
    },
    action: 'retry',
  },
  {
    code: 'sudo.password',
    patterns: [
      /sudo: a (?:password is required|terminal is required to read the password)/,
      /sudo: no tty present and no askpass/,
    ],
    cause: { en: 'sudo asks for a password on this node.', 'zh-CN': '此节点的 sudo 需要密码。' },
    remedy: {
      en: 'Type it in the window when it is asked; it is not kept in clear.',
      'zh-CN': '在窗口询问时输入；不会以明文保存。',
    },
    action: 'ask_password',
  },
  {
    code: 'sudo.denied',
    patterns: [
      /(?<user>\S+) is not in the sudoers file/,
      /Sorry, user (?<user>\S+) (?:may not run sudo|is not allowed to execute)/,
    ],
    cause: { en: '{user} may not install anything on this node.', 'zh-CN': '{user} 无权在此节点安装软件。' },
    remedy: {
      en: 'Ask the administrator for sudo or for these packages; or use the conda runtime, which needs no rights.',
      'zh-CN': '请管理员授予 sudo 或安装所需软件包；或使用无需权限的 conda 运行时。',
    },
  },
  {
    code: 'conda.no_cuda',
    patterns: [
      /nothing provides (?:requested )?__cuda/,
      /__cuda\s.*is missing on the system/,
      /feature:\/linux-64::__cuda/,
    ],
    cause: {
      en: 'The environment wants CUDA, and the solver sees no driver that offers this level.',
      'zh-CN': '环境需要 CUDA，但求解器未发现提供该级别的驱动。',
    },
    remedy: {
      en: 'Install a newer driver, choose a lower CUDA level, or set CONDA_OVERRIDE_CUDA when solving on a machine without a GPU.',
      'zh-CN': '升级驱动或降低 CUDA 级别；在无 GPU 的机器上求解时设置 CONDA_OVERRIDE_CUDA。',
    },
  },
  {
    code: 'conda.not_found',
    patterns: [
      /PackagesNotFoundError/,
      /nothing provides requested (?<package>\S+)/,
      /Could not solve for environment specs/,
    ],
    cause: {
      en: 'No channel has this set of packages in versions that fit together.',
      'zh-CN': '没有频道提供版本相容的这组软件包。',
    },
    remedy: {
      en: 'Check the channels and their order (conda-forge first), and loosen the pinned versions.',
      'zh-CN': '检查频道及其顺序（conda-forge 优先），放宽固定的版本。',
    },
  },
  {
    code: 'conda.unreachable',
    patterns: [
      /CondaHTTPError: HTTP 000 CONNECTION FAILED for url <(?<url>[^>]+)>/,
      /(?:Download error|error\s+libmamba Download error|Multi-download failed).*\((?:6|7|28|35|56)\)/,
      /Could not download .*repodata\.json/i,
    ],
    cause: { en: 'The channel cannot be reached from this node.', 'zh-CN': '此节点无法访问该频道。' },
    remedy: {
      en: 'Choose a mirror near the node (TUNA, USTC, BFSU), lend the node this computer’s connection, or send a bundle.',
      'zh-CN': '选择较近的镜像（TUNA、USTC、BFSU），借用本机网络，或发送离线包。',
    },
    action: 'retry',
  },
  {
    code: 'conda.checksum',
    patterns: [
      /ChecksumMismatchError/,
      /SHA256 sum doesn't match expectation/i,
      /File not valid: (?:SHA256|MD5|file size)/i,
    ],
    cause: {
      en: 'A downloaded package is not the one that the lock names: cut short, or changed on the way.',
      'zh-CN': '下载的软件包与锁文件不符：下载不完整或被改动。',
    },
    remedy: {
      en: 'It was discarded; try again, with another mirror if it comes back.',
      'zh-CN': '已丢弃；请重试，若再次出现请更换镜像。',
    },
    action: 'retry',
  },
  {
    code: 'conda.terms',
    patterns: [
      /CondaToSNonInteractiveError/,
      /Terms of Service have not been accepted for the following channels/,
    ],
    cause: {
      en: 'Anaconda’s own channels want their terms accepted first.',
      'zh-CN': 'Anaconda 官方频道要求先接受服务条款。',
    },
    remedy: {
      en: 'Use conda-forge alone (`channels: [conda-forge]`, no defaults), as Ringlab’s lock does.',
      'zh-CN': '仅使用 conda-forge（`channels: [conda-forge]`，不含 defaults）。',
    },
  },
  {
    code: 'conda.not_initialised',
    patterns: [
      /Your shell has not been properly configured to use 'conda activate'/,
      /(?:conda|micromamba|mamba): (?:command )?not found/,
    ],
    cause: { en: 'conda is not on this shell’s path.', 'zh-CN': '当前 shell 未初始化 conda。' },
    remedy: {
      en: 'Nothing needs to be activated: Ringlab runs programs of the environment by their path. By hand: `source ~/miniconda3/bin/activate`.',
      'zh-CN':
        '无需激活：Ringlab 直接以路径运行环境中的程序。手动时执行 `source ~/miniconda3/bin/activate`。',
    },
  },
];
