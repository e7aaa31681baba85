/** Failures of disk, memory, processes and files on a node. */
import type { Diagnosis } from './diagnosis.ts';

export const systemDiagnoses: readonly Diagnosis[] = [
  {
    code: 'file.bad_name',
    patterns: [/Cannot (?:mkdir|open|create symlink to \S+): Invalid argument/],
  },
  {
    code: 'data.worker_crashed',
    patterns: [
      /DataLoader worker \(pid\(?s?\)? [^)]*\) (?:is killed by signal: (?:Segmentation fault|Aborted|Illegal instruction|Floating)|exited unexpectedly with exit code (?!1\b)\d)/,
      /Unexpected segmentation fault encountered in (?:DataLoader )?worker/,
    ],
  },
  {
    code: 'data.worker_ended',
    patterns: [
      /DataLoader worker (?:\(pid\(?s?\)? [^)]*\) )?exited unexpectedly with exit code (?<code>\d+)/,
    ],
    followsFrom: 'any',
  },
  {
    code: 'data.workers',
    patterns: [
      /Cowardly refusing to serialize non-leaf tensor/,

      /can only test a child process/,
      /Can't (?:pickle|get) (?:local object|attribute|<)/,
      /cannot pickle '[^']+' object/,
      /An attempt has been made to start a new process before the/,
      /Cannot re-initialize CUDA in forked subprocess/,
    ],
  },
  {
    code: 'data.worker_killed',
    patterns: [
      /DataLoader worker \(pid\(?s?\)? [^)]*\) (?:is killed by signal: (?:Killed|Terminated)|exited unexpectedly(?! with exit code \d))/,
      /Pin memory thread exited unexpectedly/,
    ],
    followsFrom: ['memory.killed', 'data.shared_memory', 'data.worker_crashed'],
  },
  {
    code: 'data.timeout',
    patterns: [/DataLoader timed out after (?<wait>[\d.]+) seconds/],
  },
  {
    code: 'data.shared_memory',
    patterns: [
      /DataLoader worker \(pid\(?s?\)? [^)]*\) is killed by signal: Bus error/,
      /out of shared memory/,
      /insufficient shared memory/,
      /Error while creating shared memory segment (?<segment>\/dev\/shm\/\S+)/,
      /unable to write to file <\/torch_/,
      /unable to (?:open shared memory object|mmap \d+ bytes from file) <\S*torch_/,
      /failed to extend (?<segment>\/dev\/shm\/\S+)/,
      /shared memory.{0,40}(?:too small|not enough|insufficient)/,
    ],
  },
  {
    code: 'disk.full',
    patterns: [
      /No space left on device/,
      /You don't have enough free space in (?<path>\S+?)\.?$/,
      /\[Errno 28\]/,
      /\b(?:not enough|insufficient) (?:free )?(?:disk )?space\b/,
      /\bNoSpaceLeftError\b/,
      /There is not enough space on the disk/,
      /low on resource: ephemeral-storage/,
      /\bDiskPressure\b/,
      /PytorchStreamWriter failed writing/,
      /\bunexpected pos \d+ vs \d+/,
    ],
    action: 'retry',
  },
  {
    code: 'disk.errors',
    patterns: [
      /\bInput\/output error\b/,
      /\bI\/O error, dev \w+/,
      /EXT4-fs error/,
      /Stale (?:NFS )?file handle/,
      /\b(?:critical medium|blk_update_request: I\/O) error\b/,
      /Transport endpoint is not connected/,
      /nfs: server \S+ not responding/,
    ],
  },
  {
    code: 'disk.quota',
    patterns: [/Disk quota exceeded/],
  },
  {
    code: 'disk.read_only',
    patterns: [/Read-only file system/, /Remounting filesystem read-only/],
  },
  {
    code: 'memory.killed',
    patterns: [
      /Out of memory: Killed process (?<pid>\d+) \((?<program>[^)]+)\)/,
      /oom-kill:constraint=/,
      /Out of memory: Kill process (?<pid>\d+) \((?<program>[^)]+)\)/,
      /Detected \d+ oom[-_]kill event/,
      /\bOOMKilled\b/,
      /Memory cgroup out of memory: Killed process (?<pid>\d+)/,
      /\binvoked oom-killer\b/,
      /Killed process (?<pid>\d+) \((?<program>[^)]+)\),? (?:UID \d+,? )?total-vm/,
      /\boom_reaper: reaped process (?<pid>\d+)/,
      /(?:killed by the OOM killer|result 'oom-kill')/,
      /\bkilled as a result of limit of\b/,
      /exceeded (?:job|step)? ?memory limit/,
      /systemd-oomd.*\bkilled\b/,
      /low on memory.{0,80}killed|killed due to the node running low on memory/,
      /low on resource: memory/,
    ],
    action: 'halve_batch',
  },
  {
    code: 'memory.exhausted',
    patterns: [
      /DefaultCPUAllocator: (?:can't allocate|not enough) memory/,
      /std::bad_alloc/,
      /\bMemoryError\b/,
      /Allocation of \d+ exceeds \d+% of (?:free )?system memory/,
      /Unable to allocate [\d.]+ [KMGT]iB for an array/,
      /\bbad allocation\b/,
      /Cannot allocate memory/,
      /virtual memory exhausted/,
      /you tried to allocate \d+ bytes/,
      /\bArrayMemoryError\b/,
    ],
    action: 'halve_batch',
  },
  {
    code: 'process.killed',
    patterns: [
      /^(?:zsh: |\[\d+\][+-]?\s+(?:\d+ )?)?[Kk]illed(?:\s{2,}|:? ?9?\s*$)/,
      /\bline \d+:\s+\d+ Killed\b/,
      /(?:\]|^[-/\\|])\s*Killed\s*$/,
      /^(?:已杀死|Getötet|強制終了)\s*$/,
      /\b(?:exit|return)(?:s|ed)?\b.{0,40}(?:code|status)\s*[:=]?\s*(?:137|-9)\b/,
      /(?:died with|terminated by|interrupted by|killed by)\b.{0,20}(?:SIGKILL|signal:? 9\b)/,
      /^srun: error: .*: Killed\s*$/,
      /\bWTERMSIG 9\b/,
    ],
    action: 'halve_batch',
    followsFrom: ['memory.killed', 'memory.exhausted', 'build.killed'],
  },
  {
    code: 'process.bus_error',
    patterns: [/(?<!PCIe )\bBus error\b(?!: severity)/, /\bSIGBUS\b/, /^总线错误/],
    followsFrom: ['data.shared_memory', 'disk.full'],
  },
  {
    code: 'system.too_many_files',
    patterns: [/received 0 items of ancdata/, /Too many open files/, /received 0 items of ancdata/],
  },
  {
    code: 'system.illegal_instruction',
    patterns: [/Illegal instruction(?: \(core dumped\))?/, /\btrap invalid opcode\b/],
    action: 'retry',
  },
  {
    code: 'process.crashed',
    patterns: [
      /\bsegfault at [0-9a-f]+ ip /,
      /Segmentation fault/,
      /^段错误/,
      /Caught signal (?:6|8|11)\b/,
      /\b(?:exit|return)(?:s|ed)?\b.{0,40}(?:code|status)\s*[:=]?\s*(?:139|134|-11|-6)\b/,
      /(?:died with|terminated by|interrupted by)\b.{0,20}(?:SIGSEGV|SIGABRT|signal:? (?:6|11)\b)/,
      /Fatal Python error: (?:Aborted|Floating)/,
      /\bgeneral protection (?:fault )?ip:/,
      /^(?:\S+: line \d+:\s+\d+ )?Aborted\s+\(core dumped\)/,
      /(?:double free or corruption|malloc\(\): |free\(\): invalid)/,
      /\bcorrupted (?:size vs\. prev_size|double-linked list)/,
      /\*\*\* stack smashing detected/,
      /Fatal Python error: Segmentation/,
      /terminate called (?:after throwing an instance of|without an active exception)/,
    ],
    followsFrom: 'any',
  },
  {
    code: 'file.no_locks',
    patterns: [/\block\(\) not supported/, /\bNo locks available\b/, /\bENOLCK\b/],
  },
  {
    code: 'file.missing',
    patterns: [
      /\(os error 2\)/,
      /couldn't chdir to [`'](?<path>[^`']+)[`']: No such file/,

      /\[Errno 2\] No such file or directory: (?<path>.+)$/,
      /^(?:scp|rsync|cp|mv|tar|cat|cd|python3?|bash): .{0,40}?(?<path>\/[^:'"]+).{0,20}: No such file or directory/,
      /can't open file '(?<path>[^']+)': \[Errno 2\]/,
      /Identity file (?<path>\S+) not accessible/,
      /FileNotFoundError: (?:\[WinError \d\] )?(?<path>.+)$/,
      /File not found: `(?<path>[^`]+)`/,
      /execve\(\): (?<path>[^:]+): No such file/,
    ],
    followsFrom: ['file.bad_name', 'pip.build_failed'],
  },
  {
    code: 'file.denied',
    patterns: [
      /\(os error 13\)/,

      /\[Errno 13\] Permission denied: (?<path>.+)$/,
      /cannot (?:create|open|remove|access|stat|touch|write|move)[^:]*?(?<path>['‘][^'’]+['’])[^:]*: Permission denied/,
      /: (?<path>[^\s:]+): Permission denied$/,
      /: Permission denied$/,
      /\[Errno 1\] Operation not permitted: (?<path>.+)$/,
    ],
  },
  {
    code: 'clock.certificate',
    patterns: [
      /certificate is not yet valid/,
      /certificate has expired/,
      /Issued certificate not yet valid/,
      /invalid peer certificate: (?:Expired|NotValidYet)/,
      /certificate .*is not yet activated/,
    ],
  },
  {
    code: 'system.process_limit',
    patterns: [
      /can't start new thread/,
      /\bpthread_create failed\b/,
      /\bfork\b.{0,20}Resource temporarily unavailable/,
      /Thread creation failed: Resource temporarily unavailable/,
      /BlockingIOError: \[Errno 11\]/,
    ],
  },
  {
    code: 'system.architecture',
    patterns: [/\bexec format error\b/, /wrong ELF class/],
  },
  {
    code: 'system.no_display',
    patterns: [
      /cannot connect to X server/,
      /could not connect to display/,
      /no display name and no \$DISPLAY/,
      /Could not load the Qt platform plugin/,
    ],
  },
  {
    code: 'file.exists',
    patterns: [/FileExistsError: \[Errno 17\] File exists: (?<path>.+)$/],
  },
  {
    code: 'system.tool_missing',
    patterns: [
      /: \d+: (?:\S+: )?(?<tool>[\w.+-]{2,60}): not found/,

      /(?:rsync|scp|sftp-server|tar|unzip|wget|curl|git|make|gcc|cmake): (?:command )?not found/,
      /^(?:(?:\/bin\/)?\w+: )?(?:line )?(?:\d+: )?[\w.+-]{2,40}: (?:command )?not found$/,
      /env: ['‘]?[\w.+-]+['’]?: No such file or directory/,
      /: Cannot exec: No such file or directory/,
    ],
  },
];
