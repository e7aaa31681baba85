/** Each error's message and hint, in Chinese. */
import type { errors as english, missingKinds as englishKinds } from '../en/errors.ts';
import type { Words } from '../words.ts';

export const errors: Words<typeof english> = {
  cancelled: { message: '已取消。', hint: '没有丢失任何内容，可以随时重新开始。' },
  internal: { message: 'Ringlab 自身出现了错误。', hint: '请重试；若再次出现，请附上下面的详情反馈。' },
  bad_request: { message: '数值无效：{{path}} {{problem}}', hint: '请更正后重试；没有任何改动。' },
  unknown_request: {
    message: '此版本的 Ringlab 不认识请求“{{name}}”。',
    hint: '请重新载入窗口：它与程序的版本可能不同。',
  },
  not_found: { message: '{{what}}“{{id}}”不存在。', hint: '可能已在另一个窗口中删除。' },
  lab_unreadable: {
    message: '实验室文件已损坏：不是 JSON。',
    hint: '文件未被改动。请用编辑器查看，或恢复备份。',
  },
  lab_invalid: {
    message: '实验室文件在“{{path}}”处无效：{{problem}}',
    hint: '文件未被改动。请更正该处后重新打开。',
  },
  lab_newer: {
    message: '实验室文件版本为 {{version}}，此 Ringlab 最高支持 {{supported}}。',
    hint: '请升级 Ringlab。文件未被改动。',
  },
  lab_too_large: {
    message: '实验室文件有 {{bytes, bytes}}，上限为 {{limit, bytes}}。',
    hint: '请选择正确的文件：实验室文件很少超过几百 KB。如果是正在绘制的实验室，请删除部分节点、链路或便签，变小后即可重新保存。',
  },
  not_a_lab_file: {
    message: '这不是实验室文件：实验室文件的名称以 {{endings}} 结尾。',
    hint: '将实验室文件或 containerlab 拓扑文件拖放到窗口即可打开。脚本和数据请在检查器中选择。',
  },
  lab_full: {
    message:
      '未添加任何内容：一个实验室最多有 {{nodes}} 个节点、{{links}} 条链路，以及 {{notes}} 个便签和区域。',
    hint: '请选择较少的内容，删除一部分已画出的内容，或在另一个实验室中继续。',
  },
  lab_conflict: { message: '另一个窗口已保存了此实验室。', hint: '可载入那个版本，或把您的版本另存为副本。' },
  lab_has_errors: {
    message: '实验室还不能运行：有 {{count}} 处需要更正。首先：{{first}}',
    hint: '更正标出的内容后再次点击“运行实验”。',
  },
  lab_fields_dropped: {
    message:
      '有 {{count}} 项设置未被采用：它们指向打开此实验室的计算机上的文件或程序，或涉及只能由您授予的权限。{{fields}}',
    hint: '其余内容均已保留。如有需要，请重新设置这些项。',
  },
  links_dropped: {
    message:
      '文件中有 {{count}} 条链路未画出：它们没有连接文件中的两个节点，或所连的两个节点已经相连。{{fields}}',
    hint: '其余内容均已保留。一条链路代表两个节点之间的所有线缆：请调整其带宽。',
  },
  inventory_none: {
    message: '此实验室没有主机清单：机器由 Kubernetes 选择，不登录其中任何一台。',
    hint: '要导出所画的机器，请在实验中选择在这些机器上训练。',
  },
  picture_too_long: {
    message:
      '图太大，无法导出为 PNG 图片：共 {{width}} × {{height}} 像素，图中内容将无法辨认。离其他内容最远的是“{{name}}”。',
    hint: '请将其移近其他内容（“排成网格”会移动全部节点），或导出为 SVG 图片。',
  },
  data_folder_unsafe: {
    message: '数据文件夹 {{path}} 并非只属于您：{{reason}}。',
    hint: '请用 --data 指定新的或空的文件夹，或更正其所有者和权限（chown、chmod go-rwx）以及上级文件夹的权限（chmod go-w）。',
  },
  data_folder_busy: {
    message: '另一个 Ringlab（{{host}} 上的进程 {{pid}}）正在使用数据文件夹 {{path}}。',
    hint: '请使用那个窗口，或先关闭它。',
  },
  data_folder_command: {
    message: 'Ringlab 的一个命令（进程 {{pid}}）正在使用数据文件夹 {{path}}。',
    hint: '请在该命令开始跟踪其运行或结束后再打开窗口：届时窗口会接管。',
  },
  data_folder_newer: {
    message: '数据文件夹 {{path}} 已被更新版本的 Ringlab {{theirs}} 更改；当前版本为 {{ours}}。',
    hint: '请升级 Ringlab，或用 --data 指定其他文件夹。其内容未被改动。',
  },
  program_replaced: {
    message: '本机上的 Ringlab 已更新，正在运行的版本缺少此操作所需的部分。',
    hint: '请关闭 Ringlab 并重新启动。其间运行会在各节点上继续。',
  },
  app_version_differs: {
    message: '占用该数据文件夹的 Ringlab（进程 {{pid}}）版本为 {{theirs}}，而此处为 {{ours}}。',
    hint: '请关闭它，或使用相同版本。',
  },
  control_unsafe: {
    message: '用于与运行中的 Ringlab 通信的 {{path}} 不安全：{{reason}}',
    hint: '请关闭 Ringlab，删除该文件或文件夹后重新启动。',
  },
  database_damaged: {
    message: '数据库 {{path}} 已损坏。',
    hint: '已将其移开并正在由运行文件夹重建；没有丢失任何内容。',
  },
  settings_damaged: {
    message: '设置文件 {{path}} 已损坏。',
    hint: '已将其改名为 {{path}}.damaged，并使用默认值。请重新选择设置。',
  },
  run_newer: {
    message: '运行 {{id}} 由更新版本的 Ringlab 保存。',
    hint: '请升级 Ringlab 后打开。其文件未被改动。',
  },
  run_wrong_state: { message: '运行处于“{{state}}”状态时不能这样做。', hint: '{{remedy}}' },
  points_too_many: {
    message: '此图表未导出为 CSV：其中有 {{count}} 个数据点，一次最多只能读取 {{limit}} 个。',
    hint: '请放大到其中一部分。如果许多数据点位于同一位置（例如同一轮），请将横轴改为步数或时间。',
  },
  local_disk_full: {
    message: '本机磁盘已满（{{path}}）。',
    hint: '请释放空间。期间暂停读取；各节点会保留每一行。',
  },
  local_disk_small: {
    message: '本机 {{path}} 空间不足：需要 {{needed, bytes}}，剩余 {{free, bytes}}。',
    hint: '请在本机释放空间后重试。未完成的部分已删除。',
  },
  local_disk_low: {
    message: '本机 {{path}} 空间不足：需要 {{needed, bytes}}，剩余 {{free, bytes}}。',
    hint: '请在本机释放空间后重新开始运行：本机要保存指标、日志和检查点。',
  },
  file_exists: { message: '{{path}} 已存在。', hint: '请换一个名称。' },
  file_unreadable: { message: '无法读取 {{path}}：{{reason}}', hint: '请确认文件存在且您有读取权限。' },
  checkpoint_refused: {
    message: '未取回节点上的 {{artifact}}：{{reason}}。用 Python 打开该文件可能会执行来自该节点的命令。',
    hint: 'Ringlab 的训练程序不会写出这样的文件：它来自节点上的其他程序，或已损坏。使用该节点的结果之前，请先检查该节点。',
  },
  file_unwritable: {
    message: '无法写入 {{path}}：{{reason}}',
    hint: '请检查文件夹权限、剩余空间，若在网络驱动器上还请检查其连接；或选择其他位置。',
  },
  script_changed: {
    message: '在您编辑期间，{{path}} 在磁盘上已被更改。尚未保存任何内容。',
    hint: '请重新读取文件，或用您的文本覆盖它。',
  },
  host_key_unknown: {
    message: '{{host}} 的主机密钥未被接受（{{fingerprint}}）。',
    hint: '请与服务商显示的指纹比对，然后重新连接并选择信任。',
  },
  host_key_changed: {
    message: '{{host}} 的主机密钥已改变。已知：{{known}}。现在：{{offered}}。',
    hint: '若机器重装过，请删除旧密钥（{{place}}）后重新连接；否则可能是中间人攻击，请勿连接。',
  },
  host_key_revoked: {
    message: '{{host}} 的主机密钥在 {{place}} 中被标记为已吊销。',
    hint: '拒绝连接。请向机器管理员索取新密钥。',
  },
  known_hosts_unreadable: {
    message: '{{path}} 第 {{line}} 行：{{reason}}',
    hint: '请修正该行或文件权限；在此之前无法核对主机密钥。',
  },
  auth_failed: {
    message: '{{host}} 拒绝了 {{user}} 的登录（{{method}}）。',
    hint: '请检查用户名和密码或密钥。Ringlab 只尝试一次，以免被服务器封禁。',
  },
  auth_no_method: {
    message: '{{host}} 接受 {{accepted}}，而此节点设置为 {{method}}。',
    hint: '请在节点的检查器中选择其他登录方式。',
  },
  auth_too_many: {
    message: '尝试的密钥过多，{{host}} 关闭了连接。',
    hint: '请为此节点指定一个密钥文件，而不是使用 SSH agent。',
  },
  agent_missing: {
    message: '此节点通过 SSH agent 登录，但没有 agent 在运行：未设置 SSH_AUTH_SOCK。',
    hint: '请在运行 SSH agent 的环境中启动 Ringlab（eval "$(ssh-agent)"; ssh-add），或为此节点选择密钥文件。',
  },
  agent_silent: {
    message: '此节点通过 SSH agent 登录，但 {{socket}} 没有响应。',
    hint: '请重新启动 SSH agent，然后重新启动 Ringlab，或为此节点选择密钥文件。',
  },
  agent_empty: {
    message: '{{socket}} 处的 SSH agent 没有可用的密钥。',
    hint: '请用 ssh-add 添加密钥，或为此节点选择密钥文件。',
  },
  host_certificate_invalid: {
    message: '{{host}} 的证书不可信：{{reason}}。其签发机构记录在 {{place}}。',
    hint: '请向签发主机证书的管理员索取新证书，并检查本机的时钟。',
  },
  key_unreadable: {
    message: '密钥文件 {{path}} 无法使用：{{reason}}',
    hint: '请选择您可读取的 OpenSSH 或 PEM 格式私钥。',
  },
  key_passphrase: { message: '{{path}} 的口令错误或缺失。', hint: '请重试；密钥文件未被改动。' },
  no_common_algorithm: {
    message: '{{host}} 与 Ringlab 没有共同的 {{kind}}。对方：{{theirs}}。我方：{{ours}}。',
    hint: '请升级 SSH 服务器，或在其配置中启用我方支持的算法。',
  },
  prompt_unanswered: { message: '关于 {{host}} 的问题没有得到回答。', hint: '请重新连接并在窗口中回答。' },
  host_not_found: { message: '找不到主机名 {{host}}。', hint: '请检查拼写，或改用地址。' },
  host_unreachable: {
    message: '无法到达 {{host}}:{{port}}（{{reason}}）。',
    hint: '机器是否开机、地址是否正确？中间可能有防火墙。',
  },
  host_refused: {
    message: '{{host}}:{{port}} 拒绝连接。',
    hint: '那里的 SSH 服务是否在运行、端口是否正确？',
  },
  handshake_timeout: {
    message: '{{host}}:{{port}} 接受了连接，但 {{seconds}} 秒内没有任何回应。',
    hint: '它是 SSH 服务器吗？也可能过载或卡住了。',
  },
  connection_lost: {
    message: '与 {{host}} 的连接已断开。',
    hint: '已在那里启动的任务会继续；{{host}} 恢复可达后会继续跟踪运行。其他操作需要重新开始。',
  },
  login_cut: {
    message: '{{host}} 在登录过程中关闭了连接。',
    hint: '请重新连接。若每次都如此，原因见其 SSH 服务器日志。',
  },
  login_timeout: {
    message: '{{host}}:{{port}} 在 {{seconds}} 秒内既未接受也未拒绝登录。',
    hint: '它是否在等待您在手机上批准登录，或触摸安全密钥？请重新连接并完成该操作。否则可能是其登录服务过载或卡住了。',
  },
  connection_refused_often: {
    message: '{{host}} 在登录之前关闭了 {{tries}} 次连接，Ringlab 不再自动重试。',
    hint: '服务器限制了连接（MaxStartups 或对此地址的惩罚）。请关闭其他会话，等待几分钟后重新连接。',
  },
  connection_throttled: {
    message: '{{host}} 正在限制连接；{{seconds}} 秒后再试。',
    hint: '无需操作。这来自服务器的 MaxStartups 或惩罚设置。',
  },
  forwarding_refused: {
    message: '{{host}} 的 SSH 服务器不允许借用网络连接。',
    hint: '其 sshd_config 禁止端口转发（AllowTcpForwarding）。请在该处允许，或不借用网络连接进行准备。',
  },
  channel_refused: {
    message: '{{host}} 不再允许打开新的通道。',
    hint: '其 MaxSessions 已用尽；请关闭其他会话或调高该值。',
  },
  command_failed: { message: '命令失败，退出码 {{code}}：{{command}}', hint: '请阅读下面的输出。' },
  command_timeout: {
    message: '命令在 {{seconds}} 秒内没有结束：{{command}}',
    hint: '机器可能过载；请重试。',
  },
  transfer_failed: {
    message: '无法传输 {{path}}：{{reason}}',
    hint: '请重试，会从中断处继续。原有内容未被改动。',
  },
  hash_mismatch: {
    message: '{{path}} 传输后已损坏。',
    hint: '已丢弃，原有内容保留。请重试；若反复出现，请检查磁盘和网络。',
  },
  sftp_unavailable: { message: '{{host}} 的 SFTP 不可用。', hint: 'Ringlab 将改用命令传输文件，速度较慢。' },
  login_shell_exits: {
    message: '{{host}} 上 {{user}} 的登录 shell 在运行命令之前就退出了（退出码 {{code}}）。',
    hint: '启动文件使其退出：{{line}}。请仅在终端中退出（`[ -t 0 ] && exit`），或删除该行。',
  },
  login_shell_replaced: {
    message: '{{host}} 上 {{user}} 的启动文件启动了其他程序，而没有运行命令。',
    hint: '请修改 {{line}}。仅在终端中启动它（`[ -t 0 ] && exec …`），或用 `chsh` 将其设为登录 shell。',
  },
  login_shell_waits: {
    message: '{{host}} 上 {{user}} 的登录 shell 在 {{seconds}} 秒内没有启动命令。',
    hint: '启动文件在等待输入或永不结束：{{line}}。请让它仅在终端中运行（`[ -t 0 ] && …`）。若只是机器过载，请重试。',
  },
  login_shell_endless: {
    message: '{{host}} 上 {{user}} 的启动文件输出超过 {{megabytes}} MB 仍未结束。',
    hint: '请修正 {{line}}。没有终端时启动文件不应输出任何内容：`[ -t 1 ] && …`。',
  },
  login_shell_restricted: {
    message: '{{user}} 在 {{host}} 上使用受限 shell，不能按路径启动程序。',
    hint: '请使用其他用户登录，或在该机器上更改 shell：`chsh -s /bin/bash {{user}}`。',
  },
  login_shell_none: {
    message: '{{user}} 不能在 {{host}} 上运行命令：登录 shell 为 {{shell}}。',
    hint: '请使用其他用户登录，或在该机器上更改 shell：`chsh -s /bin/bash {{user}}`。',
  },
  login_sftp_only: {
    message: '{{host}} 只允许 {{user}} 传输文件（SFTP），不能运行命令。',
    hint: '请在其 sshd_config 中删除 {{user}} 的 `ForceCommand internal-sftp`，或使用其他用户登录。',
  },
  login_forced_command: {
    message: '{{host}} 没有为 {{user}} 运行该命令，而是运行了其他程序。',
    hint: '请在其 sshd_config 中删除 {{user}} 的 `ForceCommand`，或删除 {{file}} 中密钥前的 `command="…"`。其输出见下。',
  },
  jump_failed: { message: '跳板机 {{hop}} 失败。', hint: '其自身的错误见下；其后的节点未被尝试。' },
  terminals_too_many: { message: '已打开 {{limit}} 个终端。', hint: '请关闭不再需要的终端，然后重新打开。' },
  terminals_per_connection: {
    message: '在 {{host}} 上再打开一个终端，其连接留给命令的通道就不够了。',
    hint: '请关闭这台机器上不再需要的终端，或调高其 MaxSessions，然后重新打开。',
  },
  node_nonsense: {
    message: '此节点的应答无效：{{what}}',
    hint: '不再读取该节点的任何内容，其他节点继续运行。请检查其上运行的程序；不属于您的节点可能怀有恶意。',
  },
  node_unsupported: {
    message: '暂不支持 {{system}}。',
    hint: '节点须为 Linux 主机（Windows 上可用 WSL 2 中的 SSH 服务器）。没有 apt 的 Linux：请用其自己的包管理器安装所缺的软件包，或选择自带这些组件的 conda 运行环境，然后重新准备节点。',
  },
  facts_unreadable: {
    message: '无法理解节点关于“{{fact}}”的回答：{{said}}',
    hint: '请在该节点的终端中运行 `{{command}}`：应输出 {{wanted}}。常见原因是同名程序被替换，或系统不常见。',
  },
  home_missing: {
    message: '节点上 {{user}} 的主目录无法使用：{{home}}',
    hint: '它必须存在，且为不含控制字符的绝对路径。请以 root 创建（`mkhomedir_helper {{user}}`）或更改（`usermod -d 目录 {{user}}`），或使用其他用户登录。',
  },
  home_read_only: {
    message: '无法写入节点上的 {{folder}}。',
    hint: '请使其可写（`mount -o remount,rw`、`chown {{user}}`），或将 `~/.ringlab` 设为指向 {{user}} 可写目录的符号链接。',
  },
  home_noexec: {
    message: '节点上的 {{folder}} 以 noexec 挂载（{{mount}}），无法从中启动程序。',
    hint: '请将 `~/.ringlab` 设为指向无 noexec 磁盘上目录的符号链接：`ln -s /scratch/{{user}}/ringlab ~/.ringlab`；或以 root 运行 `mount -o remount,exec {{mount}}`。',
  },
  node_disk_full: {
    message: '{{path}} 空间不足：需要 {{needed, bytes}}，剩余 {{free, bytes}}。',
    hint: '请在节点上释放空间后重新准备。',
  },
  node_disk_low: {
    message: '{{path}} 空间即将不足：运行接下来要写入的内容需要 {{needed, bytes}}，剩余 {{free, bytes}}。',
    hint: '请在节点上释放空间；运行会继续。放不下的检查点不会写入，之前的检查点会保留。',
  },
  node_no_compiler: {
    message: '节点上没有 C++ 编译器或 CMake，而训练程序必须在那里编译。',
    hint: '请在节点上以 root 运行：{{command}}',
  },
  node_no_libtorch: { message: '节点上没有 libtorch。', hint: '请在节点上以 root 运行：{{command}}' },
  node_no_python: {
    message: '节点上没有带 torch 的 Python。',
    hint: '请在该节点上以 root 身份运行：{{command}}',
  },
  node_in_use: {
    message: '该节点上有正在进行的运行：{{runs}}',
    hint: '请先停止它或等待其结束。未删除任何内容。',
  },
  installation_running: {
    message: '该节点上仍有 Ringlab 的安装在进行：{{what}}',
    hint: '请等待其结束，或重新准备该节点：准备过程会跟踪该安装，并可在那里取消。未删除任何内容。',
  },
  runtime_missing: {
    message: '在节点的 {{path}} 中未找到 libtorch 或 Python torch。',
    hint: '请在实验中指明其文件夹，或改用其他运行环境：system 或 conda。',
  },
  runtime_cpu_build: {
    message: '节点有 GPU（{{gpu}}），但其 {{libtorch}} 仅支持 CPU。',
    hint: '请选择 conda 运行环境或支持 CUDA 的现有 torch；若确实要用 CPU 训练，请将后端设为 gloo。',
  },
  runtime_cuda_too_new: {
    message: '{{libtorch}} 需要比 {{driver}}（支持 CUDA {{cuda}}）更新的 NVIDIA 驱动。',
    hint: '请更新驱动，或选用针对 CUDA {{cuda}} 或更早版本的 libtorch。',
  },
  runtime_glibc_old: {
    message: '锁定的软件包需要 glibc {{needed}}，而节点为 {{found}}。',
    hint: '可在该节点运行的最新 libtorch：{{newest}}。请在该节点上重新锁定（ringlab lock），或使用更新的系统。',
  },
  libtorch_old: {
    message: '节点的 libtorch {{found}} 对训练程序来说过旧，训练程序需要 {{needed}} 或更新版本。',
    hint: '请将实验的运行环境改为 PyTorch 的 wheel 或 conda：它们自带 libtorch。',
  },
  runtime_unsolved: {
    message: '频道 {{channel}} 中没有适合该节点的软件包组合：{{specs}}',
    hint: '求解器的输出见下。可尝试其他频道、驱动或运行环境。',
  },
  micromamba_missing: {
    message: '节点上没有适用于 {{platform}} 的 micromamba。',
    hint: '请将其放入节点的 PATH，或在本机保存一份到 {{kept}}，或在实验中填写其地址与 SHA-256。',
  },
  uv_missing: {
    message: '无法为 {{arch}} 获取用于安装 Python 软件包的 uv：{{reason}}',
    hint: '本机会从实验的软件包索引下载一次 uv：请检查本机网络，或填写可访问的索引。也可将同一版本的副本放到 {{kept}}。',
  },
  wheels_unsolved: {
    message: '这些软件包无法一同安装：{{reason}}',
    hint: '请修改依赖项，或在实验中更改 PyTorch 或 Python 的版本。未改动任何环境。',
  },
  wheels_failed: {
    message: 'uv 无法安装这些软件包：{{reason}}',
    hint: 'uv 的输出见下。请修改依赖要求；原有环境未受影响。',
  },
  requirement_local: {
    message: '{{file}} 要求安装其旁边的文件或文件夹，而安装软件包时节点上没有它：{{line}}',
    hint: '请删除该行：脚本文件夹中的内容无需安装即可导入。wheel 请放到自己的索引上；仓库请写成 `name @ git+https://…`，不带 -e。',
  },
  requirement_unlisted: {
    message: 'pyproject.toml 未列出所需的软件包（{{line}}），也没有 uv.lock：这些软件包都不会被安装。',
    hint: '请在 [project] 的 `dependencies` 中列出，或生成锁文件（`uv lock`），或在实验中改用 requirements.txt 或软件包列表。',
  },
  wheels_no_python: {
    message: '节点上没有合适的 Python（{{python}}），也无法获取：{{reason}}',
    hint: 'uv 从 GitHub 或其镜像获取 Python，节点须能访问。也可在节点上安装 Python（`apt-get install python3`、conda），或在实验中填写节点已有的版本。',
  },
  wheels_no_import: {
    message: '软件包已安装，但节点上 `import torch` 失败：{{reason}}',
    hint: 'Python 的输出见下。常见原因是某个软件包替换了 PyTorch 的一部分，或缺少系统库。',
  },
  wheels_system: {
    message:
      'PyTorch 的 wheel 需要 x86-64 或 arm64 上的 glibc {{needed}} 或更新版本；此节点为 {{found}}（{{system}}）。',
    hint: '请选择 conda 运行环境或现有的 torch，或使用更新的系统：Debian 10、Ubuntu 20.04、RHEL 8 及之后的版本均可。',
  },
  wheels_driver_old: {
    message: 'PyTorch {{torch}} 的 wheel 需要比 {{driver}}（支持 CUDA {{cuda}}）更新的 NVIDIA 驱动。',
    hint: '可用的最新 PyTorch：{{newest}}。请在实验中填写该版本或不填版本；或更新驱动。',
  },
  wheels_gpu_old: {
    message: 'PyTorch {{torch}} 的 wheel 不支持 {{gpu}}（计算能力 {{capability}}）。',
    hint: '支持它的最新 PyTorch：{{newest}}。请在实验中填写该版本、不填版本，或填写面向较旧 CUDA 的软件包索引（如 cu126）。',
  },
  wheels_no_driver: {
    message: '没有 PyTorch wheel 能在 NVIDIA 驱动 {{driver}} 上运行：它早于 CUDA 11。',
    hint: '若新驱动仍支持该 GPU，请更新到 450.80 或更高版本；或使用节点上已有的 torch（运行时 existing）；或使用 CPU 训练：后端 gloo。',
  },
  wheels_no_gpu: {
    message: '此驱动可运行的 PyTorch wheel 均不支持 {{gpu}}（计算能力 {{capability}}）。',
    hint: '若节点还有较新的 GPU，请在该节点的 /etc/environment 中用 CUDA_VISIBLE_DEVICES 隐藏此 GPU。否则请使用为它构建的 torch（运行时 existing），或使用 CPU 训练：后端 gloo。',
  },
  bundle_no_wheel: {
    message: '离线包无法包含 {{package}}：它并非来自软件包索引中的 wheel。',
    hint: '没有互联网的节点无法构建或克隆软件包。请指定有 wheel 的版本，将其 wheel 放到您自己的软件包索引，或改为借用本机的网络连接。',
  },
  mirrors_failed: {
    message: '没有镜像能提供所需内容：{{mirrors}}',
    hint: '原有环境未受影响。请检查节点网络或填写其他地址；已下载的内容会保留。',
  },
  download_failed: {
    message: '无法下载 {{url}}：{{reason}}',
    hint: '请检查地址与网络。已下载的部分会保留，下次从中断处继续。',
  },
  download_too_large: {
    message: '{{path}} 发送的数据超出限制：{{size, bytes}}，最多接收 {{limit, bytes}}。',
    hint: '已接收的部分已删除。请检查来源：出现这种行为的节点或地址不应信任。',
  },
  archive_refused: {
    message: '不接收 {{archive}} 的软件包：{{reason}}',
    hint: '只有经本机已知密钥签名的软件源内容才会安装到其他节点。如使用自有软件源，请将其公钥（.asc）放入 {{folder}}。',
  },
  lock_refused: {
    message: '节点求解的环境未被保存：{{channel}} 的软件包 {{package}} 不可接受：{{reason}}',
    hint: '该锁定文件也会用于其他节点。请指定提供 SHA-256 的频道，或在您信任的节点上求解（ringlab lock LAB）。',
  },
  node_offline: {
    message: '节点无法访问互联网：{{reason}}',
    hint: '可将本机的网络连接借给它（节点设置中的开关，默认关闭），或修复其网络。手动执行：{{command}}',
  },
  node_needs_root: {
    message: '安装软件包需要 root，而 sudo 要求密码。',
    hint: '请以 root 登录、允许免密 sudo，或自行运行：{{command}}',
  },
  sudo_refused: {
    message: 'sudo 不接受 {{user}} 的密码，或 {{user}} 无权使用 sudo。',
    hint: '未作任何更改。请联系管理员，或在节点上自行运行：{{command}}',
  },
  consent_refused: {
    message: '您未允许对此节点的更改：{{what}}',
    hint: '未作任何更改。重新准备节点会再次询问，也可手动执行：{{command}}',
  },
  own_files_refused: {
    message: '您未允许该实验室从本机取用：{{what}}',
    hint: '没有发送或获取任何内容。可在询问时同意，或使用 --own-files。',
  },
  lending_refused: {
    message: '您未允许此节点使用本机的网络连接。',
    hint: '没有任何数据经过本机。重新准备节点会再次询问，也可在节点设置中关闭借用。',
  },
  driver_file_kind: {
    message: '{{path}} 既不是 NVIDIA 安装程序（.run），也不是 Debian 软件包（.deb）。',
    hint: '未发送其任何内容。请在节点设置中选择 NVIDIA 的文件，或留空以使用发行版的软件包。',
  },
  driver_blocked: {
    message: '此节点的 GPU 暂时无法使用。',
    hint: '原因与处理办法见下；实验可先在 CPU 上运行。',
  },
  driver_failed: {
    message: 'NVIDIA 驱动已安装但无法工作。',
    hint: '工具的输出见步骤日志；实验可先在 CPU 上运行。',
  },
  reboot_failed: {
    message: '节点重启后 {{minutes}} 分钟内未恢复。',
    hint: '请查看其控制台；恢复后重新准备，将从中断处继续。',
  },
  trainer_build_failed: { message: '训练程序无法在节点上编译。', hint: '编译器最后的输出见下面和步骤日志。' },
  trainer_newer: {
    message: '节点上的训练程序版本为 {{version}}，比此 Ringlab 更新。',
    hint: '请升级 Ringlab，或重新准备节点以并存安装我们的版本。',
  },
  verification_failed: {
    message: '该节点的 {{device}} 无法用于训练：{{check}} 检查未通过。',
    hint: 'libtorch 的输出见下；若为已知故障，原因与处理办法一并列出。',
  },
  bucket_refused: {
    message: '无法打开 {{endpoint}} 的存储桶 {{bucket}}：{{reason}}',
    hint: '请检查存储桶名称、区域、前缀与访问密钥，以及该密钥是否有列出和读取的权限。',
  },
  data_not_divisible: {
    message: '数据集 {{name}} 由少数大文件组成，无法分给各节点。',
    hint: '请让每个节点保存完整数据集，或将其转成 ImageFolder（train/<类别>/…）。',
  },
  data_missing: {
    message: '数据文件夹 {{path}} 不存在。',
    hint: '请检查路径；其中应有 train/ 和 val/，或 MNIST、CIFAR（二进制版）的文件。',
  },
  data_no_classes: {
    message: '{{path}} 中没有类别文件夹。',
    hint: 'ImageFolder 每个类别一个文件夹：train/cat/…、train/dog/…。',
  },
  data_classes_differ: {
    message: '{{path}} 的 train/ 有 {{train}} 个类别，而 val/ 有 {{validation}} 个。',
    hint: '两者必须有相同的类别文件夹。',
  },
  data_class_empty: {
    message: '{{path}} 的以下类别文件夹中没有训练程序可读取的图像：{{names}}。',
    hint: '图像的扩展名为 .jpg、.jpeg、.png、.ppm、.bmp、.pgm、.tif、.tiff 或 .webp（.jfif 就是 JPEG，改名即可）。请添加图像，或删除这些文件夹。',
  },
  tunnel_unavailable: {
    message: '无法加密节点间通信：{{reason}}。',
    hint: '请排除该问题后重新准备，或改用其他节点；若节点间网络为自有网络，也可在实验中关闭加密。',
  },
  tunnel_unreachable: {
    message: '{{from}} 无法到达 {{to}} 的 UDP 端口 {{port}}；请在安全组中放行。',
    hint: 'WireGuard 需要节点间的这一个 UDP 端口。请检查云服务商的安全组、{{to}} 的防火墙（nft、ufw、firewalld）；若在 NAT 之后，请转发该端口。',
  },
  rank_unreachable: {
    message: '{{from}} 无法到达 {{to}} 上的 rank 0（{{address}}）。',
    hint: '请检查链路、防火墙，以及各节点共用的地址。',
  },
  peer_unreachable: {
    message: '{{from}} 无法通过 {{address}} 到达 {{to}}，尽管 {{to}} 能到达 {{from}}。',
    hint: '各 rank 会双向互连。请在 {{to}} 及其网络的防火墙中放行 {{from}} 对系统分配端口（32768–60999）的访问。',
  },
  node_behind_nat: {
    message:
      '{{from}} 无法通过 {{address}} 到达 {{node}}：{{node}} 位于 NAT 之后。SSH 经 {{ssh}} 到达它，而这不是它自己的地址。',
    hint: '各 rank 会通过系统分配的端口双向互连，因此只转发某个端口并无帮助。请用 VPN（WireGuard、Tailscale）把各节点接入同一网络后重新准备，或从实验室中移去 {{node}}。',
  },
  no_free_port: {
    message: '{{host}} 上 {{first}} 到 {{last}} 之间没有空闲端口。',
    hint: '请在实验中选择其他端口。',
  },
  gpu_in_use: {
    message: 'GPU {{gpu}} 正在为另一次运行训练：{{run}}，用户 {{user}} 的进程 {{pid}}。',
    hint: '请等待该运行结束，在启动它的地方停止它，或将此节点移出实验室。',
  },
  node_shared: {
    message: '{{node}} 同时还在为另一次运行训练：{{runs}}。',
    hint: '两者会继续运行并共享其 CPU。若非有意，请停止其中一个。',
  },
  job_refused: {
    message: 'Slurm 集群 {{cluster}} 不接受该作业：{{reason}}',
    hint: '请将分区、账户、GPU、内存和时间与集群所提供的比较（`sinfo`、`sacctmgr show assoc user=$USER`），在实验中修改后重新运行。',
  },
  job_ended: {
    message: 'Slurm 结束了作业 {{job}}：{{reason}}。',
    hint: '请继续运行：它会作为新作业从最近的检查点继续。',
  },
  cluster_silent: {
    message: 'Slurm 控制器没有应答 {{cluster}}。',
    hint: '几分钟后重试；若在登录节点上运行 `sinfo` 也失败，请联系集群管理员。',
  },
  cluster_config: {
    message: '无法使用 kubeconfig {{path}}：{{reason}}',
    hint: '请在实验中填写 kubeconfig 的路径及其中一个上下文；`kubectl config get-contexts` 可列出它们。',
  },
  cluster_login: {
    message: '集群 {{cluster}} 不接受 kubeconfig 中的凭据：{{reason}}',
    hint: '凭据可能已过期：请用集群所用的工具重新登录，或在 kubeconfig 中写入新令牌。Ringlab 会自动重新读取；运行会保留，其作业继续进行。',
  },
  cluster_forbidden: {
    message: '您的账户在 {{cluster}} 的命名空间 {{namespace}} 中没有该权限：{{reason}}',
    hint: '请申请可创建、读取、监视和删除 Job、Service、Pod 并可在 Pod 中执行命令（对 `pods/exec` 的 get 和 create 权限）的角色，或选择其他命名空间。',
  },
  cluster_unreachable: {
    message: '集群 {{cluster}} 的 API 没有响应：{{reason}}',
    hint: '其上的作业继续运行。Ringlab 会自动重试；`kubectl cluster-info` 可查看问题出在集群、VPN 还是代理。',
  },
  pods_refused: {
    message: '集群 {{cluster}} 不接受这些 Pod（命名空间 {{namespace}}）：{{reason}}',
    hint: '请将所画的资源与命名空间的配额和规则比较（`kubectl describe quota,limitrange`），并核对镜像、PVC、队列和优先级类是否存在。修改实验后重新运行。',
  },
  pods_ended: {
    message: 'Kubernetes 结束了作业 {{job}} 的 Pod：{{reason}}。',
    hint: '请继续运行：它会作为新作业从最近的检查点继续。',
  },
  pods_taken: {
    message: 'Kubernetes 收回了作业 {{job}} 的 Pod：{{reason}}。',
    hint: '请继续运行：它会作为新作业从最近的检查点继续。',
  },
  pod_unready: {
    message: '使用镜像 {{image}} 的 Pod {{pod}} 无法启动：{{reason}}',
    hint: '请在实验中更正镜像名称、拉取密钥或 PVC；`kubectl describe pod {{pod}}` 可查看集群最近的说明。',
  },
  pod_gone: {
    message: '{{cluster}} 上的 Pod {{pod}} 已不再运行。',
    hint: 'Ringlab 会自动重新启动它。',
  },
  network_failed: {
    message: '无法建立所绘的网络（{{what}}）：{{reason}}',
    hint: '已建立的部分已被移除。请重试；设置 RINGLAB_NETWORK=off 可让节点改用环回接口。',
  },
  network_in_use: {
    message: '图已更改，而仍有进程在使用原来的网络：{{namespaces}}。',
    hint: '请先停止使用它的运行，再重新开始。',
  },
  network_apart: {
    message: '{{from}} 与 {{to}} 无法互相到达：没有画出的链路把它们连起来。',
    hint: '请画上缺少的链路，或删除该节点。',
  },
  link_down: {
    message: '链路 {{link}} 断开，各 rank 失去了联系。',
    hint: '请恢复该链路，然后从最近的检查点（第 {{epoch}} 轮）继续。',
  },
  limit_failed: {
    message: '无法将 {{node}} 限制为所绘链路的速度：{{reason}}',
    hint: '运行继续进行，但没有此限制。节点上需要 tc，以及 root 或无需密码的 sudo。',
  },
  rank_failed: { message: '{{node}} 上的 rank {{rank}} 失败，退出码 {{code}}：{{said}}', hint: '{{advice}}' },
  rank_lost: {
    message: '{{node}} 上的 rank {{rank}} 在没有错误信息的情况下结束了。',
    hint: '如果运行因此结束，可从最近的检查点（第 {{epoch}} 轮）继续。',
  },
  rank_killed: {
    message: '{{node}} 上的 rank {{rank}} 被信号 {{signal}} 终止。',
    hint: '有人或系统结束了它；最后的输出见下。如果运行因此结束，可从最近的检查点继续。',
  },
  rank_out_of_memory: {
    message: '{{node}} 上的 rank {{rank}} 内存不足。',
    hint: '请减小批大小、加载线程数或换用更小的网络结构。',
  },
  run_interrupted: { message: '运行被中断：{{reason}}', hint: '可从第 {{epoch}} 轮继续。' },
  peer_lost: {
    message: '{{node}} 上的 rank {{rank}} 与其他 rank 失去联系：{{said}}',
    hint: '请查看其他 rank 和链路，然后继续运行。',
  },
  address_changed: {
    message: '{{node}} 的 rank 启动时地址为 {{before}}，现在为 {{now}}：其他 rank 无法再连接到它。',
    hint: '请从第 {{epoch}} 轮继续：所有 rank 会使用它的新地址启动。使用固定租约，或始终分配相同地址的 VPN，可以避免这种情况。',
  },
  other_machine: {
    message: '绘图中 {{node}} 现在的地址 {{host}} 上应答的是另一台机器，不是启动此运行的 rank 的那一台。',
    hint: '运行仍属于原来的机器，并等待它。请填写该机器现在的地址，或停止运行。',
  },
  diverged: {
    message: '训练发散：损失不再是有限数值（rank {{rank}}）。',
    hint: '请降低学习率，并从第 {{step}} 步之前的检查点重新开始。',
  },
  nothing_to_export: { message: '还没有 {{artifact}}。', hint: '第一轮结束后才会写出。' },
  output_missing: {
    message: '{{where}} 上该运行的文件夹中没有 {{file}}。',
    hint: '脚本已将其删除、尚未写出，或写到了别处。该运行的“检查点”标签页列出现有的文件。',
  },
  checkpoint_gone: {
    message: '{{where}} 上已没有 {{file}}。',
    hint: '它在那里被删除了，或节点换了磁盘。若本机仍有副本，请导出使用。',
  },
  code_too_large: {
    message:
      '脚本文件夹 {{path}} 过大，无法发送：{{files}} 个文件，共 {{bytes, bytes}}。最多发送 {{maxFiles}} 个文件、{{maxBytes, bytes}}。最大的部分：{{big}}',
    hint: '请把脚本不需要的内容写入 .ringlabignore（写法同 .gitignore）。数据应放在节点上。',
  },
  code_link_outside: {
    message: '链接 {{path}} 指向脚本文件夹之外：{{target}}。',
    hint: '请用文件本身替换该链接，或将其名称写入 .ringlabignore。',
  },
  code_gone: {
    message: '本机上的代码 {{hash}} 已不完整：{{path}}',
    hint: '请开始新的运行，新的运行会保存自己的代码。',
  },
  git_missing: {
    message: '本机没有 git。',
    hint: '请安装 git，或手动克隆仓库并指定其文件夹。',
  },
  git_needs_login: {
    message: '{{url}} 要求登录。',
    hint: 'Ringlab 不会询问仓库密码。请为 git 配置密钥或无需提问的凭据助手，或手动克隆后指定其文件夹。',
  },
  git_failed: {
    message: 'git 无法获取 {{url}}：{{said}}',
    hint: '请检查地址以及分支、标签或提交。',
  },
  script_missing: {
    message: '{{path}} 不在 {{folder}} 要发送的文件之中。',
    hint: '请检查名称；.gitignore 和 .ringlabignore 会排除文件。',
  },
  script_syntax: {
    message: 'Python 无法编译 {{path}}：{{said}}',
    hint: '尚未启动任何进程。请改正该文件后重新运行。',
  },
  python_missing: {
    message: '节点上没有带 torch 的 Python：{{looked}}',
    hint: '请选择 wheels 运行环境（会安装两者），或指定已有环境的文件夹。',
  },
  python_no_torch: {
    message: '在 {{python}} 中 import torch 失败：{{said}}',
    hint: 'Python 的输出见下。请选择其他环境或 wheels 运行环境。',
  },
  python_differs: {
    message: '各节点的 {{what}} 不同：{{first}} 为 {{one}}，{{second}} 为 {{other}}。',
    hint: '同一次运行的各 rank 须一致。请选择 wheels 运行环境，它会在所有节点安装同一版本。',
  },
  trainer_gone: {
    message: '{{where}} 上已没有该运行的训练程序。',
    hint: '请从检查点继续或重复该运行：训练程序会重新送到节点。',
  },
  image_kind: {
    message: '{{name}} 不是 JPEG、PNG、WebP、TIFF、BMP 或 PPM 图像。',
    hint: '请选择这些格式之一的图像。',
  },
  image_large: {
    message: '{{name}} 有 {{megabytes}} MB；上限为 {{limit}} MB。',
    hint: '请缩小图像：模型只看每边几百个像素。',
  },
  image_unreadable: {
    message: '无法把 {{name}} 作为图像读取：{{reason}}',
    hint: '请选择其他程序能打开的图像。',
  },
  classify_failed: {
    message: '无法在 {{where}} 上对该图像分类：{{reason}}',
    hint: '若该运行来自旧版 Ringlab，请重复运行一轮：新的检查点会记录模型所需的输入。',
  },
  rename_failed: {
    message: '无法在 {{where}} 上生成 {{artifact}}：{{reason}}',
    hint: '若该运行的训练程序较旧，请用当前版本的 Ringlab 重复运行，或按原样导出检查点。',
  },
  origin_refused: { message: '来自 {{origin}} 的请求被拒绝。', hint: '请通过 Ringlab 打印的地址打开。' },
  token_refused: {
    message: '页面被拒绝：其地址已被使用、已过期，或属于之前的启动。',
    hint: '请重新打开 Ringlab：`ringlab open` 会给出新地址。',
  },
  port_taken: {
    message: '本机端口 {{port}} 正被另一个程序使用。',
    hint: '请用 --port 指定其他端口，或不指定：Ringlab 会使用空闲端口。',
  },
  web_not_running: {
    message: '数据文件夹 {{path}} 没有正在提供的浏览器窗口。',
    hint: '请启动：`ringlab serve`，并使用相同的 --data。',
  },
  web_stranger: {
    message: '另一个程序正在 Ringlab 原来的地址 {{origin}} 上应答。未向其发送任何内容。',
    hint: '请重新启动 Ringlab：`ringlab serve` 会使用空闲端口。',
  },
  malformed_message: { message: '无法理解收到的消息。', hint: '请重新载入窗口；没有任何改动。' },
};

export const errorAt = '{{where}}：{{message}}';

export const nothingFits = {
  message: '节点无法在 {{path}} 继续写入：磁盘已满，或配额、文件数（inode）已用尽。',
  hint: '可在节点上用 `df`、`df -i` 与 `quota -s` 查看是哪一种。请释放后重新准备节点。',
};

export const printedNothing = '没有输出';

export const missingKinds: Words<typeof englishKinds> = {
  example: '示例',
  file: '文件',
  lab: '实验室',
  link: '链路',
  node: '节点',
  question: '提问',
  rank: 'Rank ',
  run: '运行',
  terminal: '终端',
};
