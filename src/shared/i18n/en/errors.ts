/**
 * What each error code says: what happened, and what to do next. `{{name}}` stands for the error's parameter of that name,
 * `{{name, bytes}}` for it as an amount of data.
 */
import type { ErrorCode, NamedKind } from '../../base/errors.ts';

export const errors = {
  cancelled: { message: 'Cancelled.', hint: 'Nothing was lost; start it again when you like.' },
  internal: {
    message: 'An internal error occurred in Ringlab.',
    hint: 'Try again; if it comes back, report it with the detail below.',
  },
  bad_request: {
    message: 'A value is not valid: {{path}} {{problem}}',
    hint: 'Correct it and try again; nothing was changed.',
  },
  unknown_request: {
    message: 'This version of Ringlab does not know the request “{{name}}”.',
    hint: 'Reload the window: it may be older or newer than the app.',
  },
  not_found: {
    message: '{{what}} “{{id}}” does not exist.',
    hint: 'It may have been deleted in another window.',
  },
  lab_unreadable: {
    message: 'The lab file is damaged: it is not JSON.',
    hint: 'The file was left untouched. Open it in an editor, or restore a copy.',
  },
  lab_invalid: {
    message: 'The lab file is not valid at “{{path}}”: {{problem}}',
    hint: 'The file was left untouched. Correct that place and open it again.',
  },
  lab_newer: {
    message: 'The lab file has version {{version}}; this Ringlab reads up to {{supported}}.',
    hint: 'Update Ringlab. The file was left untouched.',
  },
  lab_too_large: {
    message: 'The lab file has {{bytes, bytes}}; the limit is {{limit, bytes}}.',
    hint: 'Choose the right file: a lab is rarely larger than a few hundred kilobytes. A lab that you draw is saved again once it is smaller: remove nodes, links or notes.',
  },
  not_a_lab_file: {
    message: 'This is no file of a lab: their names end in {{endings}}.',
    hint: 'A lab, or a drawing of containerlab, is opened by dropping its file on the window. Choose scripts and data in the inspector.',
  },
  lab_full: {
    message:
      'Nothing was added: a lab has at most {{nodes}} nodes, {{links}} links, and {{notes}} notes and areas.',
    hint: 'Select fewer parts, delete some that are drawn already, or continue in another lab.',
  },
  lab_conflict: {
    message: 'Another window saved this lab in the meantime.',
    hint: 'Load that version, or keep yours as a copy.',
  },
  lab_has_errors: {
    message: 'The lab cannot run yet: {{count}} thing(s) to correct. First: {{first}}',
    hint: 'Correct what is marked and press “Run experiment” again.',
  },
  lab_fields_dropped: {
    message:
      '{{count}} setting(s) were not taken over: they name files or programs of the computer that opens the lab, or allow what only you can allow. {{fields}}',
    hint: 'Everything else is there. Set them again where you want them.',
  },
  links_dropped: {
    message:
      '{{count}} link(s) of the file were not drawn: they connect no two of its nodes, or two that are linked already. {{fields}}',
    hint: 'Everything else is there. A link stands for all cables between its nodes: adjust its bandwidth.',
  },
  inventory_none: {
    message:
      'There is no inventory of this lab: Kubernetes chooses its machines, and none of them is logged in to.',
    hint: 'To export drawn machines, choose in the experiment that it trains on them.',
  },
  picture_too_long: {
    message:
      'The drawing is too long for a PNG picture: it has {{width}} × {{height}} pixels, and nothing in it could be recognised. “{{name}}” lies farthest out.',
    hint: 'Move it nearer to the others (“Lay out as a grid” moves all), or export an SVG picture.',
  },
  data_folder_unsafe: {
    message: 'The data folder {{path}} is not yours alone: {{reason}}.',
    hint: 'Name a new or empty folder with --data, or correct the owner and the rights of this one (chown, chmod go-rwx) and of the folders above it (chmod go-w).',
  },
  data_folder_busy: {
    message: 'Another Ringlab (process {{pid}} on {{host}}) is using the data folder {{path}}.',
    hint: 'Use that window or close it first.',
  },
  data_folder_command: {
    message: 'A command of Ringlab (process {{pid}}) works in the data folder {{path}}.',
    hint: 'Open the window again when the command follows its run, or has ended: then the window takes over.',
  },
  data_folder_newer: {
    message: 'The data folder {{path}} was changed by Ringlab {{theirs}}, which is newer; this is {{ours}}.',
    hint: 'Update Ringlab, or name another folder with --data. Nothing in it was changed.',
  },
  program_replaced: {
    message: 'Ringlab was updated on this computer, and the version that runs lacks a part which this needs.',
    hint: 'Close Ringlab and start it again. Runs continue on their nodes meanwhile.',
  },
  app_version_differs: {
    message:
      'The Ringlab that has the data folder open (process {{pid}}) is version {{theirs}}; this is {{ours}}.',
    hint: 'Close that one, or use the same version.',
  },
  control_unsafe: {
    message: '{{path}}, through which a running Ringlab is asked, is not safe to use: {{reason}}',
    hint: 'Close Ringlab, remove that file or folder, and start again.',
  },
  database_damaged: {
    message: 'The database {{path}} is damaged.',
    hint: 'It was set aside and is being rebuilt from the run folders; nothing is lost.',
  },
  settings_damaged: {
    message: 'The settings file {{path}} is damaged.',
    hint: 'It was set aside as {{path}}.damaged, and the defaults are used. Choose your settings again.',
  },
  run_newer: {
    message: 'The run {{id}} was stored by a newer Ringlab.',
    hint: 'Update Ringlab to open it. Its files were left untouched.',
  },
  run_wrong_state: { message: 'That cannot be done while the run is {{state}}.', hint: '{{remedy}}' },
  points_too_many: {
    message:
      'This chart is not exported as CSV: of its {{count}} points at most {{limit}} can be read in one piece.',
    hint: 'Zoom in to a part of it. Where many points lie at one place, such as an epoch, choose steps or time as the x axis.',
  },
  local_disk_full: {
    message: 'The disk of this computer is full ({{path}}).',
    hint: 'Free some space. Reading pauses meanwhile; the nodes keep every line.',
  },
  local_disk_small: {
    message: 'Not enough space on this computer in {{path}}: {{needed, bytes}} needed, {{free, bytes}} free.',
    hint: 'Free some space on this computer, then try again. What was incomplete has been removed.',
  },
  local_disk_low: {
    message: 'Not enough space on this computer in {{path}}: {{needed, bytes}} needed, {{free, bytes}} free.',
    hint: 'Free some space on this computer, then start the run again: it keeps the lines, the logs and the checkpoints.',
  },
  file_exists: { message: '{{path}} exists already.', hint: 'Choose another name.' },
  file_unreadable: {
    message: '{{path}} cannot be read: {{reason}}',
    hint: 'Check that the file exists and that you may read it.',
  },
  checkpoint_refused: {
    message:
      'The node’s {{artifact}} was not taken: {{reason}}. Python could run commands of the node when it opens that file.',
    hint: 'Ringlab’s trainer writes no such file: something else on the node did, or it is damaged. Look at the node before you use its results.',
  },
  file_unwritable: {
    message: '{{path}} cannot be written: {{reason}}',
    hint: 'Check the folder’s permissions, its free space and, on a network drive, the connection; or choose another place.',
  },
  script_changed: {
    message: '{{path}} was changed on disk while you edited it. Nothing was saved.',
    hint: 'Read it again, or save your text over it.',
  },
  host_key_unknown: {
    message: 'The host key of {{host}} was not accepted ({{fingerprint}}).',
    hint: 'Compare the fingerprint with the one that your provider shows, then connect again and trust it.',
  },
  host_key_changed: {
    message: 'The host key of {{host}} has changed. Known: {{known}}. Offered: {{offered}}.',
    hint: 'If the machine was reinstalled, remove the old key ({{place}}) and connect again. If not, this may be a man-in-the-middle attack: do not connect.',
  },
  host_key_revoked: {
    message: 'The host key of {{host}} is marked as revoked in {{place}}.',
    hint: 'Connecting is refused. Ask whoever runs the machine for its new key.',
  },
  known_hosts_unreadable: {
    message: '{{path}}, line {{line}}: {{reason}}',
    hint: 'Correct that line or the file’s permissions; until then no host key can be checked.',
  },
  auth_failed: {
    message: '{{host}} refused the login of {{user}} ({{method}}).',
    hint: 'Check the user name and the password or key. Ringlab tries once only, so that the server does not ban you.',
  },
  auth_no_method: {
    message: '{{host}} accepts {{accepted}}; this node is set to {{method}}.',
    hint: 'Choose another way to log in, in the node’s inspector.',
  },
  auth_too_many: {
    message: '{{host}} closed the connection after too many keys.',
    hint: 'Choose one key file for this node instead of the agent.',
  },
  agent_missing: {
    message: 'This node logs in with the SSH agent, and none runs: SSH_AUTH_SOCK is not set.',
    hint: 'Start Ringlab where an agent runs (eval "$(ssh-agent)"; ssh-add), or choose a key file for this node.',
  },
  agent_silent: {
    message: 'This node logs in with the SSH agent, and nothing answers at {{socket}}.',
    hint: 'Start the agent again, and Ringlab after it, or choose a key file for this node.',
  },
  agent_empty: {
    message: 'The SSH agent at {{socket}} holds no key that can be used.',
    hint: 'Add one with ssh-add, or choose a key file for this node.',
  },
  host_certificate_invalid: {
    message: 'The certificate of {{host}} cannot be trusted: {{reason}}. Its authority stands in {{place}}.',
    hint: 'Ask whoever signs the hosts’ certificates for a new one; check this computer’s clock.',
  },
  key_unreadable: {
    message: 'The key file {{path}} cannot be used: {{reason}}',
    hint: 'Choose a private key in OpenSSH or PEM format that you may read.',
  },
  key_passphrase: {
    message: 'The passphrase of {{path}} is wrong or missing.',
    hint: 'Try again; the key file was not changed.',
  },
  no_common_algorithm: {
    message: '{{host}} and Ringlab share no {{kind}}. It offers: {{theirs}}. We offer: {{ours}}.',
    hint: 'Update the SSH server, or enable one of ours in its configuration.',
  },
  prompt_unanswered: {
    message: 'A question about {{host}} was not answered.',
    hint: 'Connect again and answer it in the window.',
  },
  host_not_found: {
    message: 'The name {{host}} is unknown.',
    hint: 'Check the spelling, or use the address.',
  },
  host_unreachable: {
    message: '{{host}}:{{port}} cannot be reached ({{reason}}).',
    hint: 'Is the machine on, and is the address right? A firewall may be in between.',
  },
  host_refused: {
    message: '{{host}}:{{port}} refuses connections.',
    hint: 'Is the SSH server running there, and on this port?',
  },
  handshake_timeout: {
    message: '{{host}}:{{port}} accepted the connection but said nothing for {{seconds}} s.',
    hint: 'Is it an SSH server? It may be overloaded or hung.',
  },
  connection_lost: {
    message: 'The connection to {{host}} was lost.',
    hint: 'What was started there continues, and a run is followed again once {{host}} is reached. Everything else has to be started again.',
  },
  login_cut: {
    message: '{{host}} closed the connection during the login.',
    hint: 'Connect again. If it happens each time, its SSH server’s log says why.',
  },
  login_timeout: {
    message: '{{host}}:{{port}} neither accepted nor refused the login within {{seconds}} s.',
    hint: 'Does it wait for you to approve the login on a phone, or to touch a security key? Connect again and do that. Otherwise its login service may be overloaded or hung.',
  },
  connection_refused_often: {
    message: '{{host}} closed {{tries}} connections before the login. Ringlab does not try again by itself.',
    hint: 'The server limits connections (MaxStartups, or a penalty for this address). Close other sessions, wait some minutes, then connect again.',
  },
  connection_throttled: {
    message: '{{host}} is throttling connections; next try in {{seconds}} s.',
    hint: 'Nothing to do. It comes from the server’s MaxStartups or penalty settings.',
  },
  forwarding_refused: {
    message: 'The SSH server of {{host}} lets no connection be lent.',
    hint: 'It forbids forwarding (AllowTcpForwarding in its sshd_config). Allow it there, or prepare the node without lending.',
  },
  channel_refused: {
    message: '{{host}} opens no further channel.',
    hint: 'Its MaxSessions is used up; close other sessions or raise it.',
  },
  command_failed: {
    message: 'A command failed with code {{code}}: {{command}}',
    hint: 'Read what it printed, below.',
  },
  command_timeout: {
    message: 'A command did not end within {{seconds}} s: {{command}}',
    hint: 'The machine may be overloaded; try again.',
  },
  transfer_failed: {
    message: '{{path}} could not be transferred: {{reason}}',
    hint: 'Try again; it resumes where it stopped. What was there before is untouched.',
  },
  hash_mismatch: {
    message: '{{path}} arrived damaged.',
    hint: 'It was discarded and the previous content kept. Try again; if it repeats, check the disk and the network.',
  },
  sftp_unavailable: {
    message: '{{host}} has no working SFTP.',
    hint: 'Ringlab sends files through commands instead; this is slower.',
  },
  login_shell_exits: {
    message: 'The login shell of {{user}} on {{host}} ended before it ran the command (code {{code}}).',
    hint: 'A start-up file ends it: {{line}}. End it only in a terminal, `[ -t 0 ] && exit`, or remove that line.',
  },
  login_shell_replaced: {
    message: 'A start-up file of {{user}} on {{host}} starts another program instead of the command.',
    hint: 'Change {{line}}. Start it only in a terminal, `[ -t 0 ] && exec …`, or make it the login shell with `chsh`.',
  },
  login_shell_waits: {
    message: 'The login shell of {{user}} on {{host}} did not start the command within {{seconds}} s.',
    hint: 'A start-up file waits for input or never ends: {{line}}. Let it run only in a terminal, `[ -t 0 ] && …`. If the machine is only overloaded, try again.',
  },
  login_shell_endless: {
    message: 'The start-up files of {{user}} on {{host}} printed over {{megabytes}} MB and did not end.',
    hint: 'Correct {{line}}. A start-up file should print nothing where no terminal is: `[ -t 1 ] && …`.',
  },
  login_shell_restricted: {
    message: '{{user}} has a restricted shell on {{host}}, which starts no program by its path.',
    hint: 'Log in as another user, or have the shell changed there: `chsh -s /bin/bash {{user}}`.',
  },
  login_shell_none: {
    message: '{{user}} may not run commands on {{host}}: the login shell is {{shell}}.',
    hint: 'Log in as another user, or have the shell changed there: `chsh -s /bin/bash {{user}}`.',
  },
  login_sftp_only: {
    message: '{{host}} lets {{user}} transfer files (SFTP) and run no commands.',
    hint: 'Remove `ForceCommand internal-sftp` for {{user}} from sshd_config there, or log in as another user.',
  },
  login_forced_command: {
    message: '{{host}} ran something else than the command for {{user}}.',
    hint: 'Remove `ForceCommand` for {{user}} from sshd_config there, or `command="…"` before the key in {{file}}. What it printed stands below.',
  },
  jump_failed: {
    message: 'The jump host {{hop}} failed.',
    hint: 'See its own error below; the node behind it was not tried.',
  },
  terminals_too_many: {
    message: '{{limit}} terminals are open.',
    hint: 'Close one that you no longer need, then open this one again.',
  },
  terminals_per_connection: {
    message: 'A further terminal on {{host}} would leave its connection too few channels for commands.',
    hint: 'Close a terminal on this machine that you no longer need, or raise its MaxSessions, then open this one again.',
  },
  node_nonsense: {
    message: 'This node sends invalid answers: {{what}}',
    hint: 'Nothing more is read from it; other nodes continue. Look at what runs there; a node that is not yours may be hostile.',
  },
  node_unsupported: {
    message: '{{system}} is not supported yet.',
    hint: 'Nodes are Linux machines (on Windows: an SSH server in WSL 2). On a Linux without apt, install what is missing with its own package manager, or choose the runtime conda, which brings it; then prepare the node again.',
  },
  facts_unreadable: {
    message: 'The node’s answer about “{{fact}}” cannot be read: {{said}}',
    hint: 'Run `{{command}}` there in a terminal: it should print {{wanted}}. A program of that name that was replaced, or an unusual system, is the usual cause.',
  },
  home_missing: {
    message: 'The home folder of {{user}} on the node cannot be used: {{home}}',
    hint: 'It must exist, and be an absolute path without control characters. As root, make it (`mkhomedir_helper {{user}}`) or change it (`usermod -d FOLDER {{user}}`); or log in as another user.',
  },
  home_read_only: {
    message: 'Nothing can be written to {{folder}} on the node.',
    hint: 'Make it writable there (`mount -o remount,rw`, `chown {{user}}`), or make `~/.ringlab` a symbolic link to a folder that {{user}} may write to.',
  },
  home_noexec: {
    message: 'Programs cannot be started from {{folder}} on the node: it is mounted with noexec ({{mount}}).',
    hint: 'Make `~/.ringlab` a symbolic link to a folder of yours on a disk without noexec: `ln -s /scratch/{{user}}/ringlab ~/.ringlab`. Or, as root: `mount -o remount,exec {{mount}}`.',
  },
  node_disk_full: {
    message: 'Not enough space in {{path}}: {{needed, bytes}} needed, {{free, bytes}} free.',
    hint: 'Free some space on the node, then prepare it again.',
  },
  node_disk_low: {
    message:
      'Little space left in {{path}}: what the run writes next needs {{needed, bytes}}, {{free, bytes}} are free.',
    hint: 'Free some space on the node; the run continues meanwhile. A checkpoint that does not fit is not written, earlier ones stay.',
  },
  node_no_compiler: {
    message: 'The node has no C++ compiler or CMake, and the trainer must be built there.',
    hint: 'Run there as root: {{command}}',
  },
  node_no_libtorch: { message: 'The node has no libtorch.', hint: 'Run there as root: {{command}}' },
  node_no_python: { message: 'The node has no Python with torch.', hint: 'Run there as root: {{command}}' },
  node_in_use: {
    message: 'A run is alive on this node: {{runs}}',
    hint: 'Stop it first, or wait until it has ended. Nothing was removed.',
  },
  installation_running: {
    message: 'An installation of Ringlab is still running on this node: {{what}}',
    hint: 'Wait until it has ended, or prepare the node again: that follows it, and there it can be cancelled. Nothing was removed.',
  },
  runtime_missing: {
    message: 'No libtorch and no Python torch was found on the node in {{path}}.',
    hint: 'Name its folder in the experiment, or choose another runtime there: system or conda.',
  },
  runtime_cpu_build: {
    message: 'The node has a GPU ({{gpu}}), but its {{libtorch}} computes on the CPU alone.',
    hint: 'Choose the runtime conda, or an existing torch for CUDA. To train on the CPU on purpose, set the backend to gloo.',
  },
  runtime_cuda_too_new: {
    message: '{{libtorch}} needs a newer NVIDIA driver than {{driver}}, which supports CUDA {{cuda}}.',
    hint: 'Update the driver, or choose a libtorch for CUDA {{cuda}} or older.',
  },
  runtime_glibc_old: {
    message: 'The locked packages need glibc {{needed}}, and the node has {{found}}.',
    hint: 'The newest libtorch that runs there: {{newest}}. Lock the lab again on this node (ringlab lock), or use a newer system.',
  },
  libtorch_old: {
    message: 'libtorch {{found}} of the node is too old for the trainer, which needs {{needed}} or newer.',
    hint: 'Choose PyTorch’s wheels or conda as the runtime of the experiment: they bring their own.',
  },
  runtime_unsolved: {
    message: 'The channel {{channel}} has no set of packages that fits this node: {{specs}}',
    hint: 'What the solver said is below. Another channel, driver or runtime may have them.',
  },
  micromamba_missing: {
    message: 'There is no micromamba for {{platform}} on the node.',
    hint: 'Put it on the node’s PATH, keep a copy in {{kept}} on this computer, or name its address and SHA-256 in the experiment.',
  },
  uv_missing: {
    message: 'uv, which installs Python packages, could not be brought for {{arch}}: {{reason}}',
    hint: 'This computer downloads it once from the experiment’s package indexes: check its network, or name an index that it reaches. A copy of exactly this version may also be put at {{kept}}.',
  },
  wheels_unsolved: {
    message: 'These packages cannot be installed together: {{reason}}',
    hint: 'Change the requirements, the version of PyTorch or that of Python in the experiment. No environment was changed.',
  },
  wheels_failed: {
    message: 'uv could not install the packages: {{reason}}',
    hint: 'uv’s own words are below. Change the requirements; no environment was changed.',
  },
  requirement_local: {
    message:
      '{{file}} asks for a file or folder beside it, which is not on the node when packages are installed: {{line}}',
    hint: 'Take the line out: what lies in the script’s folder can be imported without being installed. Put a wheel on an index of your own; name a repository as `name @ git+https://…`, without -e.',
  },
  requirement_unlisted: {
    message:
      'pyproject.toml does not list the packages that it needs ({{line}}), and there is no uv.lock: none of them would be installed.',
    hint: 'List them in [project] as `dependencies`, make a lock (`uv lock`), or choose a requirements.txt or a list of packages in the experiment.',
  },
  wheels_no_python: {
    message: 'The node has no Python that fits ({{python}}), and none could be brought: {{reason}}',
    hint: 'uv gets Python from GitHub or a copy of it, which the node must reach. Or install Python there (`apt-get install python3`, conda), or name the version that the node has in the experiment.',
  },
  wheels_no_import: {
    message: 'The packages are installed, but `import torch` fails on the node: {{reason}}',
    hint: 'Python’s own words are below. A package that replaces a part of PyTorch, or a system library that is missing, is the usual cause.',
  },
  wheels_system: {
    message:
      'PyTorch’s wheels need glibc {{needed}} or newer on x86-64 or arm64; this node has {{found}} ({{system}}).',
    hint: 'Choose the runtime conda or an existing torch, or use a newer system: Debian 10, Ubuntu 20.04, RHEL 8 and all after them are new enough.',
  },
  wheels_driver_old: {
    message:
      'The wheels of PyTorch {{torch}} need a newer NVIDIA driver than {{driver}}, which supports CUDA {{cuda}}.',
    hint: 'The newest PyTorch whose wheels run with it: {{newest}}. Name that in the experiment, or leave the version out; or update the driver.',
  },
  wheels_gpu_old: {
    message: 'The wheels of PyTorch {{torch}} have no code for {{gpu}} (compute capability {{capability}}).',
    hint: 'The newest PyTorch whose wheels have: {{newest}}. Name that in the experiment, leave the version out, or name an index of builds for an older CUDA, such as cu126.',
  },
  wheels_no_driver: {
    message: 'No PyTorch from wheels runs with NVIDIA driver {{driver}}: it is older than CUDA 11.',
    hint: 'Update the driver to 450.80 or newer where the GPU is still supported there; take a torch that is on the node (runtime existing); or train on the CPU: backend gloo.',
  },
  wheels_no_gpu: {
    message:
      'No PyTorch from wheels that this driver runs has code for {{gpu}} (compute capability {{capability}}).',
    hint: 'Where the node has a newer GPU, too, hide this one: CUDA_VISIBLE_DEVICES in /etc/environment there. Otherwise take a torch that was built for it (runtime existing), or train on the CPU: backend gloo.',
  },
  bundle_no_wheel: {
    message: 'A bundle cannot carry {{package}}: it comes from no wheel of an index.',
    hint: 'A node without internet cannot build or clone a package. Name a version that has a wheel, put a wheel of it on an index of your own, or lend the nodes this computer’s connection instead.',
  },
  mirrors_failed: {
    message: 'No mirror gave what is needed: {{mirrors}}',
    hint: 'What was there before is unchanged. Check the node’s network, or name another address; what has arrived is kept.',
  },
  download_failed: {
    message: '{{url}} could not be downloaded: {{reason}}',
    hint: 'Check the address and the network. What has arrived is kept, and the next attempt resumes there.',
  },
  download_too_large: {
    message: '{{path}} sends more than it may: {{size, bytes}}, at most {{limit, bytes}} are taken.',
    hint: 'What had arrived was removed. Check who sends it: a node or an address that behaves like this should not be trusted.',
  },
  archive_refused: {
    message: 'Packages of {{archive}} are not taken: {{reason}}',
    hint: 'Only what an archive has signed with a key that this computer knows is installed on other nodes. For an archive of your own put its public key (.asc) into {{folder}}.',
  },
  lock_refused: {
    message:
      'The environment that the node solved is not kept: the package {{package}} of {{channel}} is not acceptable: {{reason}}',
    hint: 'A lock is used for other nodes, too. Name a channel whose packages have SHA-256 sums, or solve the lock on a node that you trust (ringlab lock LAB).',
  },
  node_offline: {
    message: 'The node does not reach the internet: {{reason}}',
    hint: 'Lend it this computer’s connection (a switch of the node, off by default), or repair its network. By hand: {{command}}',
  },
  node_needs_root: {
    message: 'Installing packages needs root, and sudo asks for a password.',
    hint: 'Log in as root, allow sudo without a password, or run there yourself: {{command}}',
  },
  sudo_refused: {
    message: 'sudo did not accept the password of {{user}}, or {{user}} may not use it.',
    hint: 'Nothing was changed. Ask the administrator, or run there yourself: {{command}}',
  },
  consent_refused: {
    message: 'You did not allow a change to this node: {{what}}',
    hint: 'Nothing was changed. Prepare the node again to be asked again, or do it by hand: {{command}}',
  },
  own_files_refused: {
    message: 'You did not allow what the lab takes from this computer: {{what}}',
    hint: 'Nothing was sent or fetched. Allow it when you are asked, or with --own-files.',
  },
  lending_refused: {
    message: 'You did not allow this node to use this computer’s internet connection.',
    hint: 'Nothing went through it. Prepare the node again to be asked again, or switch lending off in the node’s settings.',
  },
  driver_file_kind: {
    message: '{{path}} is neither NVIDIA’s installer (.run) nor a Debian package (.deb).',
    hint: 'Nothing of it was sent. Choose NVIDIA’s own file in the node’s settings, or leave the field empty for the distribution’s packages.',
  },
  driver_blocked: {
    message: 'The GPU of this node cannot be used yet.',
    hint: 'Why, and what to do, is said below. The experiment can run on the CPU meanwhile.',
  },
  driver_failed: {
    message: 'The NVIDIA driver does not work although it was installed.',
    hint: 'What the tools said is in the step’s log. The experiment can run on the CPU meanwhile.',
  },
  reboot_failed: {
    message: 'The node did not come back within {{minutes}} minutes of its reboot.',
    hint: 'Look at its console. Prepare it again when it is there: the step continues where it was.',
  },
  trainer_build_failed: {
    message: 'The trainer could not be built on the node.',
    hint: 'The end of the compiler’s output is below and in the step’s log.',
  },
  trainer_newer: {
    message: 'The trainer there has version {{version}}, newer than this Ringlab’s.',
    hint: 'Update Ringlab, or prepare the node again to install ours beside it.',
  },
  verification_failed: {
    message: 'Training would not work on {{device}} of this node: the check of {{check}} failed.',
    hint: 'What libtorch said is below. Where it is known, its cause and what to do stand beside it.',
  },
  bucket_refused: {
    message: 'The bucket {{bucket}} at {{endpoint}} was not opened: {{reason}}',
    hint: 'Check its name, region, prefix and the access key, and that the key may list and read it.',
  },
  data_not_divisible: {
    message: 'The data set {{name}} is a few large files: nodes cannot hold parts of it.',
    hint: 'Give every node the whole set, or make an ImageFolder of it (train/<class>/…).',
  },
  data_missing: {
    message: 'The data folder {{path}} does not exist.',
    hint: 'Check the path; it must hold train/ and val/, or the files of MNIST or of CIFAR’s binary version.',
  },
  data_no_classes: {
    message: '{{path}} has no class folders.',
    hint: 'An ImageFolder has one folder a class: train/cat/…, train/dog/….',
  },
  data_classes_differ: {
    message: 'train/ of {{path}} has {{train}} classes, val/ has {{validation}}.',
    hint: 'Both must hold the same class folders.',
  },
  data_class_empty: {
    message: 'Class folders of {{path}} hold no image that the trainer reads: {{names}}.',
    hint: 'Images are .jpg, .jpeg, .png, .ppm, .bmp, .pgm, .tif, .tiff or .webp (a .jfif is a JPEG: rename it). Add some, or remove the folders.',
  },
  tunnel_unavailable: {
    message: 'The traffic between the nodes cannot be encrypted: {{reason}}.',
    hint: 'Correct that and prepare again, choose another node, or switch the encryption off in the experiment where the network between the nodes is your own.',
  },
  tunnel_unreachable: {
    message: 'UDP port {{port}} of {{to}} is not reached from {{from}}; open it in the security group.',
    hint: 'WireGuard needs this one UDP port between the nodes. Look at the provider’s security group, at the firewall of {{to}} (nft, ufw, firewalld) and, behind NAT, forward it.',
  },
  rank_unreachable: {
    message: '{{from}} cannot reach rank 0 on {{to}} ({{address}}).',
    hint: 'Check the link, the firewall, and which address the nodes share.',
  },
  peer_unreachable: {
    message: '{{from}} cannot reach {{to}} at {{address}}, though {{to}} reaches {{from}}.',
    hint: 'Ranks connect to each other both ways. Let {{from}} through the firewall of {{to}} and of its network, on the ports that the system gives out (32768–60999).',
  },
  node_behind_nat: {
    message:
      '{{from}} cannot reach {{node}} at {{address}}: {{node}} is behind NAT. SSH reaches it at {{ssh}}, which is no address of its own.',
    hint: 'Ranks connect to each other both ways, on ports that the system gives out, so that forwarding one does not help. Put the nodes into one network with a VPN (WireGuard, Tailscale) and prepare again, or take {{node}} out of the lab.',
  },
  no_free_port: {
    message: 'No free port from {{first}} to {{last}} on {{host}}.',
    hint: 'Choose another port in the experiment.',
  },
  gpu_in_use: {
    message: 'GPU {{gpu}} trains for another run already: {{run}}, process {{pid}} of the user {{user}}.',
    hint: 'Wait until that run has ended, stop it where it was started, or leave this node out of the lab.',
  },
  node_shared: {
    message: '{{node}} trains for another run, too: {{runs}}.',
    hint: 'Both continue and share its CPU. Stop one of them where that is not meant.',
  },
  job_refused: {
    message: 'The Slurm cluster {{cluster}} does not take the job: {{reason}}',
    hint: 'Compare partition, account, GPUs, memory and time with what the cluster offers (`sinfo`, `sacctmgr show assoc user=$USER`), change them in the experiment, and run again.',
  },
  job_ended: {
    message: 'Slurm ended job {{job}}: {{reason}}.',
    hint: 'Resume the run: it continues from its last checkpoint as a new job.',
  },
  cluster_silent: {
    message: 'Slurm’s controller does not answer {{cluster}}.',
    hint: 'Try again in some minutes; if `sinfo` fails on the login node too, report it to the cluster’s administrators.',
  },
  cluster_config: {
    message: 'The kubeconfig {{path}} is of no use: {{reason}}',
    hint: 'Enter the path of a kubeconfig and one of its contexts in the experiment; `kubectl config get-contexts` lists them.',
  },
  cluster_login: {
    message: 'The cluster {{cluster}} does not accept the kubeconfig’s credentials: {{reason}}',
    hint: 'They may have expired: log in again with the tool that your cluster uses, or put a new token into the kubeconfig. It is read again by itself; a run is kept, and its job goes on.',
  },
  cluster_forbidden: {
    message: 'Your account may not do that in the namespace {{namespace}} of {{cluster}}: {{reason}}',
    hint: 'Ask for a role there that creates, reads, watches and deletes Jobs, Services and Pods and runs commands in pods (get and create `pods/exec`), or choose another namespace.',
  },
  cluster_unreachable: {
    message: 'The API of the cluster {{cluster}} does not answer: {{reason}}',
    hint: 'Its jobs go on. It is tried again by itself; `kubectl cluster-info` shows whether the cluster, a VPN or a proxy is the cause.',
  },
  pods_refused: {
    message: 'The cluster {{cluster}} does not take the pods (namespace {{namespace}}): {{reason}}',
    hint: 'Compare what is drawn with the namespace’s quotas and rules (`kubectl describe quota,limitrange`), and image, claim, queue and priority class with what it has. Change the experiment, and run again.',
  },
  pods_ended: {
    message: 'Kubernetes ended the pods of job {{job}}: {{reason}}.',
    hint: 'Resume the run: it continues from its last checkpoint as a new job.',
  },
  pods_taken: {
    message: 'Kubernetes took pods of job {{job}} away: {{reason}}.',
    hint: 'Resume the run: it continues from its last checkpoint as a new job.',
  },
  pod_unready: {
    message: 'The pod {{pod}} with the image {{image}} does not start: {{reason}}',
    hint: 'Correct the image’s name, its pull secret or the claim in the experiment; `kubectl describe pod {{pod}}` shows what the cluster last said.',
  },
  pod_gone: {
    message: 'The pod {{pod}} on {{cluster}} no longer runs.',
    hint: 'It is started again by itself.',
  },
  network_failed: {
    message: 'The drawn network could not be created ({{what}}): {{reason}}',
    hint: 'What was created so far has been removed. Try again; RINGLAB_NETWORK=off runs the nodes on the loopback instead.',
  },
  network_in_use: {
    message: 'The drawing changed, and processes still use the network as it was: {{namespaces}}.',
    hint: 'Stop the run that uses it, then start again.',
  },
  network_apart: {
    message: '{{from}} and {{to}} cannot reach each other: no drawn links lead from one to the other.',
    hint: 'Draw the missing link, or remove the node.',
  },
  link_down: {
    message: 'The link {{link}} went down, and the ranks lost each other.',
    hint: 'Bring the link up again, then resume from the last checkpoint (epoch {{epoch}}).',
  },
  limit_failed: {
    message: '{{node}} could not be limited to the drawn links: {{reason}}',
    hint: 'The run continues without this limit. It needs tc, and root or sudo without a password, on the node.',
  },
  rank_failed: {
    message: 'Rank {{rank}} on {{node}} failed with exit code {{code}}: {{said}}',
    hint: '{{advice}}',
  },
  rank_lost: {
    message: 'Rank {{rank}} on {{node}} ended without an error message.',
    hint: 'If the run ended with it, resume from the last checkpoint (epoch {{epoch}}).',
  },
  rank_killed: {
    message: 'Rank {{rank}} on {{node}} was killed by signal {{signal}}.',
    hint: 'Somebody or the system ended it; its last lines are below. If the run ended with it, resume from the last checkpoint.',
  },
  rank_out_of_memory: {
    message: 'Rank {{rank}} on {{node}} ran out of memory.',
    hint: 'Use a smaller batch, fewer workers or a smaller architecture.',
  },
  run_interrupted: { message: 'The run was interrupted: {{reason}}', hint: 'Resume from epoch {{epoch}}.' },
  peer_lost: {
    message: 'Rank {{rank}} on {{node}} lost its peers: {{said}}',
    hint: 'Look at the other ranks and at the links; then resume.',
  },
  address_changed: {
    message:
      '{{node}} had the address {{before}} when its ranks started, and has {{now}} now: the other ranks no longer reach it.',
    hint: 'Resume from epoch {{epoch}}: all ranks then start with its new address. Addresses that stay avoid it: a fixed lease, or a VPN that always gives a machine the same one.',
  },
  other_machine: {
    message:
      'At {{host}}, where {{node}} is drawn now, another machine answers than the one that the run’s ranks were started on.',
    hint: 'The run stays with its own machine and waits for it. Draw the address that this machine has now, or stop the run.',
  },
  diverged: {
    message: 'Training diverged: the loss is no longer a finite number (rank {{rank}}).',
    hint: 'Lower the learning rate and start again from a checkpoint before step {{step}}.',
  },
  nothing_to_export: {
    message: 'There is no {{artifact}} yet.',
    hint: 'It is written after the first epoch.',
  },
  output_missing: {
    message: '{{file}} is not in the run’s folder on {{where}}.',
    hint: 'The script has removed it, has not written it yet, or wrote it elsewhere. The run’s tab Checkpoints lists the files that are there.',
  },
  checkpoint_gone: {
    message: '{{file}} is no longer on {{where}}.',
    hint: 'It was deleted there, or the node’s disk is a new one. Export a copy if this computer still has one.',
  },
  code_too_large: {
    message:
      'The script’s folder {{path}} is too large to send: {{files}} files, {{bytes, bytes}}. At most {{maxFiles}} files and {{maxBytes, bytes}} are sent. The largest parts: {{big}}',
    hint: 'Write what the script does not need into .ringlabignore, in the manner of .gitignore. Data belongs on the nodes.',
  },
  code_link_outside: {
    message: 'The link {{path}} leads out of the script’s folder, to {{target}}.',
    hint: 'Replace it by the file itself, or write its name into .ringlabignore.',
  },
  code_gone: {
    message: 'The code {{hash}} is no longer complete on this computer: {{path}}',
    hint: 'Start a new run: it keeps its own code.',
  },
  git_missing: {
    message: 'This computer has no git.',
    hint: 'Install git, or clone the repository by hand and name its folder.',
  },
  git_needs_login: {
    message: '{{url}} wants a login.',
    hint: 'Ringlab asks for no password of a repository. Give git a key or a credential helper that answers without questions, or clone it by hand and name its folder.',
  },
  git_failed: {
    message: 'git could not fetch {{url}}: {{said}}',
    hint: 'Check the address, and the branch, tag or commit.',
  },
  script_missing: {
    message: '{{path}} is not among the files of {{folder}} that are sent.',
    hint: 'Check its name; .gitignore and .ringlabignore exclude files.',
  },
  script_syntax: {
    message: 'Python cannot compile {{path}}: {{said}}',
    hint: 'Nothing was started. Correct the file, then run it again.',
  },
  python_missing: {
    message: 'The node has no Python with torch: {{looked}}',
    hint: 'Choose the runtime wheels, which installs both, or name the folder of an environment that has them.',
  },
  python_no_torch: {
    message: 'import torch fails in {{python}}: {{said}}',
    hint: 'What Python said is below. Choose another environment, or the runtime wheels.',
  },
  python_differs: {
    message: 'The nodes have different {{what}}: {{first}} has {{one}}, {{second}} has {{other}}.',
    hint: 'Ranks of one run need the same. Choose the runtime wheels, which installs one version everywhere.',
  },
  trainer_gone: {
    message: 'The trainer of this run is no longer on {{where}}.',
    hint: 'Continue from the checkpoint, or repeat the run: that brings a trainer to the node again.',
  },
  image_kind: {
    message: '{{name}} is neither JPEG, PNG, WebP, TIFF, BMP nor PPM.',
    hint: 'Choose an image of one of these kinds.',
  },
  image_large: {
    message: '{{name}} has {{megabytes}} MB; the limit is {{limit}} MB.',
    hint: 'Reduce the image: a model uses a few hundred pixels each way.',
  },
  image_unreadable: {
    message: '{{name}} cannot be read as an image: {{reason}}',
    hint: 'Choose an image that opens in other programs.',
  },
  classify_failed: {
    message: 'The image could not be classified on {{where}}: {{reason}}',
    hint: 'If the run is of an older Ringlab, repeat it for one epoch: its checkpoint then says what the model was made for.',
  },
  rename_failed: {
    message: '{{artifact}} could not be made on {{where}}: {{reason}}',
    hint: 'Repeat the run with this version of Ringlab where its trainer is older, or export the checkpoint as it is.',
  },
  origin_refused: {
    message: 'A request from {{origin}} was refused.',
    hint: 'Open Ringlab through the address that it printed.',
  },
  token_refused: {
    message: 'A page was refused: its address was used already, is too old, or is of an earlier start.',
    hint: 'Open Ringlab again: `ringlab open` gives a new address.',
  },
  port_taken: {
    message: 'The port {{port}} of this computer is in use by another program.',
    hint: 'Name another one with --port, or none: Ringlab then takes a free one.',
  },
  web_not_running: {
    message: 'No window in a browser is served from the data folder {{path}}.',
    hint: 'Start it: `ringlab serve`, with the same --data.',
  },
  web_stranger: {
    message: 'Another program answers at {{origin}}, where Ringlab was. Nothing was sent to it.',
    hint: 'Start Ringlab again: `ringlab serve` takes a free port.',
  },
  malformed_message: {
    message: 'A message could not be understood.',
    hint: 'Reload the window; nothing was changed.',
  },
} as const satisfies Record<ErrorCode, { message: string; hint: string }>;

/** Before the message, where the error knows its place. */
export const errorAt = '{{where}}: {{message}}';

/** In place of `node_disk_full`, where more is free than is needed: the numbers would not say what is used up. */
export const nothingFits = {
  message:
    'The node can write no more in {{path}}: its disk is full, or a quota or the number of its files (inodes) is used up.',
  hint: '`df`, `df -i` and `quota -s` there show which of them. Free some, then prepare the node again.',
} as const;

/** In place of an error's detail, where the program that failed printed nothing. */
export const printedNothing = 'it printed nothing';

/** The kinds of things that `not_found` names in `what`. */
export const missingKinds = {
  example: 'The example',
  file: 'The file',
  lab: 'The lab',
  link: 'The link',
  node: 'The node',
  question: 'The question',
  rank: 'Rank',
  run: 'The run',
  terminal: 'The terminal',
} as const satisfies Record<NamedKind, string>;
