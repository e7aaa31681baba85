/**
 * A POSIX sh script that prints a node's facts as `key=value` lines. Read-only and non-interactive (`sudo -n`).
 * Starts as few programs as possible, since many nodes may be on one machine.
 */
import { ringlabInShell } from '../../base/node-layout.ts';
import { sinceBootFunction } from '../../ssh/index.ts';
import { noAnswer } from './nvidia-facts.ts';

/** Without persistence mode each call initialises all GPUs, which takes 20 s and more where there are many. */
const smiSeconds = 45;
/** Longer than `timeout` waits for one that can be killed. */
const smiTenths = 500;
/** Inside the raw template `\\${` stands for the shell's own `${`. */
export const factsScript = String.raw`
LC_ALL=C; export LC_ALL
# WSL's nvidia-smi is in the last.
PATH="$PATH:/usr/local/bin:/usr/local/sbin:/usr/sbin:/sbin:/usr/lib/wsl/lib"; export PATH
say() { printf '%s=%s\n' "$1" "$2"; }
has() { command -v "$1" >/dev/null 2>&1; }
first() { IFS= read -r line < "$2" && say "$1" "$line"; } 2>/dev/null
${sinceBootFunction}
patient() { if has timeout; then timeout ${smiSeconds} "$@"; else "$@"; fi; }
# An nvidia-smi that waits for a GPU which has fallen off the bus cannot be killed, and timeout waits for it: it is left behind.
kept=; has nvidia-smi && kept=$(mktemp 2>/dev/null)
smi() {
  [ -n "$kept" ] || { patient nvidia-smi "$@"; return; }
  [ ! -e "$kept.late" ] || return 1
  : > "$kept.code"
  (patient nvidia-smi "$@" > "$kept" 2> "$kept.errors"; echo $? > "$kept.code") > /dev/null 2>&1 < /dev/null &
  tries=0
  while [ ! -s "$kept.code" ]; do
    [ $tries -lt ${smiTenths} ] || { : > "$kept.late"; return 1; }
    sleep 0.1 2>/dev/null || { sleep 1; tries=$((tries + 9)); }
    tries=$((tries + 1))
  done
  read -r code < "$kept.code"
  cat "$kept"; cat "$kept.errors" >&2
  # As timeout says that it ended it.
  [ "$code" != 124 ] || : > "$kept.late"
  return "$code"
}

say time "$(date +%s.%N)"
say ticks "$(since_boot)"
set -- $(uname -srm)
say os "$1"; say kernel "$2"; say arch "$3"
first hostname /proc/sys/kernel/hostname || say hostname "$(uname -n)"
say user "$(id -un)"; uid=$(id -u); say uid "$uid"
say home "$HOME"; say shell "$SHELL"
if [ -r /etc/os-release ]; then
  (. /etc/os-release; say id "$ID"; say version "$VERSION_ID"; say pretty "$PRETTY_NAME")
fi
# By itself, not by the distribution's name: Kylin has one for Debian's packages and one for rpm's. Fedora has both programs as packages.
if has apt-get && has dpkg-query && [ -s /var/lib/dpkg/status ]; then say apt yes; else say apt no; fi
first boot_id /proc/sys/kernel/random/boot_id
# nproc obeys OpenMP's variables, which the account may set.
say cpus "$(unset OMP_NUM_THREADS OMP_THREAD_LIMIT; nproc 2>/dev/null || getconf _NPROCESSORS_ONLN)"
cpu=
while IFS= read -r line; do
  case $line in 'model name'*) cpu=\${line#*: }; break;; esac
done < /proc/cpuinfo 2>/dev/null
# The kernel of arm64 knows a number alone.
[ -z "$cpu" ] && has lscpu && cpu=$(LC_ALL=C patient lscpu 2>/dev/null | sed -n 's/^Model name: *//p' | sed 1q)
[ -n "$cpu" ] && say cpu_model "$cpu"
while read -r name value unit; do
  case $name in
    MemTotal:) say memory_kib "$value";;
    MemAvailable:) say memory_free_kib "$value"; break;;
  esac
done < /proc/meminfo 2>/dev/null
folder=$HOME; noexec=
[ -d "${ringlabInShell}" ] && folder=${ringlabInShell}
df -Pk "$folder" 2>/dev/null | {
  read -r heading; read -r device total used free share mount
  say disk_kib "$total"; say disk_free_kib "$free"
  while read -r device place kind options rest; do
    [ "$place" = "$mount" ] || continue
    case ,$options, in *,noexec,*) noexec=$place;; *) noexec=;; esac
  done < /proc/mounts
  [ -n "$noexec" ] && say home_noexec "$noexec"
} 2>/dev/null
say home_folder "$folder"
if [ ! -d "$HOME" ]; then say home_missing yes; elif [ ! -w "$folder" ] || [ ! -x "$folder" ]; then say home_read_only yes; fi

gpus=no
if has nvidia-smi; then
  rows=$(smi --query-gpu=index,name,memory.total,pci.bus_id,driver_version,uuid --format=csv,noheader,nounits 2>/dev/null)
  # 14: a GPU's infoROM is damaged, which a line after the rows says; it computes all the same.
  case $? in 0|14) rows=$(printf '%s\n' "$rows" | grep '^[0-9][0-9]*, ') && gpus=yes;; esac
fi
if [ $gpus = yes ]; then
  printf '%s\n' "$rows" | while IFS= read -r line; do say gpu "$line"; done
  [ -n "$CUDA_VISIBLE_DEVICES" ] && say visible_gpus "$CUDA_VISIBLE_DEVICES"
  # Beside each other: each may take as long as the first.
  (kept=\${kept:+$kept.table}; say cuda "$(smi 2>/dev/null | sed -n 's/.*CUDA \(UMD \)\{0,1\}Version: *\([0-9][0-9.]*\).*/\2/p')") &
  # Drivers before 510 have no such field. A line that is no number keeps its place.
  (kept=\${kept:+$kept.capability}
  smi --query-gpu=compute_cap --format=csv,noheader 2>/dev/null | while IFS= read -r line; do say gpu_capability "$line"; done) &
  (kept=\${kept:+$kept.processes}
  smi --query-compute-apps=pid,used_memory --format=csv,noheader,nounits 2>/dev/null | while IFS=', ' read -r pid memory; do
    say gpu_process "$pid $(ps -o user= -p "$pid" 2>/dev/null) $memory"
  done) &
  wait
fi
if [ $gpus = no ]; then
  for device in /sys/bus/pci/devices/*; do
    read -r class < "$device/class" && read -r vendor < "$device/vendor" || continue
    case $class/$vendor in 0x03*/0x10de) read -r model < "$device/device"; say pci "$(basename "$device") $model";; esac
  done 2>/dev/null
fi
first driver /sys/module/nvidia/version
# Few images of containers have systemd.
if has systemd-detect-virt; then say virtualisation "$(systemd-detect-virt 2>/dev/null)"
elif [ -e /.dockerenv ]; then say virtualisation docker
elif [ -e /run/.containerenv ]; then say virtualisation podman
else case $2 in *[Mm]icrosoft*) say virtualisation wsl;; esac; fi
while IFS= read -r line; do
  case $line in flags*|Features*) for flag in \${line#*:}; do case $flag in avx|avx2|avx512f|avx512_bf16|amx_bf16|asimd|sve) say cpu_flag "$flag";; esac; done; break;; esac
done < /proc/cpuinfo 2>/dev/null
# Of the process's own group and of all around it: a container's is its root, an account's on a shared machine is its slice.
group=
while IFS=: read -r id controllers path; do [ "$id:$controllers" = 0: ] && group=$path; done < /proc/self/cgroup 2>/dev/null
case $group in /..*) group=;; esac
while :; do
  first cgroup_cpu "/sys/fs/cgroup$group/cpu.max"; first cgroup_memory "/sys/fs/cgroup$group/memory.max"
  [ -n "\${group%/}" ] || break
  group=\${group%/*}
done
# Version 1, where a container's own are the root's.
{ read -r quota < /sys/fs/cgroup/cpu/cpu.cfs_quota_us && read -r period < /sys/fs/cgroup/cpu/cpu.cfs_period_us && say cgroup_cpu "$quota $period"; } 2>/dev/null
first cgroup_memory /sys/fs/cgroup/memory/memory.limit_in_bytes
# Debian's and Ubuntu's are at work where they hold a lock: a service of theirs that waits has the same name.
for inode in $(stat -c %i /var/lib/dpkg/lock-frontend /var/lib/dpkg/lock /var/lib/apt/lists/lock 2>/dev/null); do
  while read -r id kind advisory access pid file rest; do
    [ "\${file##*:}" = "$inode" ] || continue
    IFS= read -r line < "/proc/$pid/comm" || continue
    case $line in apt*|dpkg*|unattended-upgr|packagekitd|synaptic) say package_manager "$line"; break 2;; esac
  done < /proc/locks
done 2>/dev/null
# A pgrep a name would read the whole of /proc each time: that was two thirds of what a node spent on its facts.
for process in /proc/[0-9]*/comm; do
  IFS= read -r line < "$process" || continue
  case $line in dnf|yum|zypper|pacman) say package_manager "$line"; break;; esac
done 2>/dev/null
nvidia=$gpus
if [ $gpus = no ]; then
  for device in /sys/bus/pci/devices/*; do
    read -r class < "$device/class" && read -r vendor < "$device/vendor" || continue
    case $class/$vendor in 0x03*/0x10de) nvidia=yes;; esac
  done 2>/dev/null
fi
# In WSL no GPU is on a bus: Windows brings this file where it has NVIDIA's driver.
[ -e /usr/lib/wsl/lib/nvidia-smi ] && nvidia=yes
if [ $nvidia = yes ]; then
  say nvidia yes
  say nvidia_works "$gpus"
  if [ $gpus = no ] && has nvidia-smi; then
    if [ -e "$kept.late" ]; then say nvidia_said '${noAnswer}'
    else say nvidia_said "$(smi 2>&1 | tr '\n' ' ')"; fi
  fi
  [ -d /sys/module/nouveau ] && say nouveau yes
  # What mokutil’s --disable-validation asks for: the kernel loads unsigned modules, whatever the firmware says.
  if has mokutil; then case $(mokutil --sb-state 2>/dev/null) in *'disabled in shim'*) ;; *enabled*) say secure_boot yes;; esac
  else
    for variable in /sys/firmware/efi/efivars/SecureBoot-*; do
      [ -r "$variable" ] && [ "$(od -An -t u1 "$variable" 2>/dev/null | tr -d ' ' | tail -c 2)" = 1 ] && say secure_boot yes
    done
  fi
  [ -e "/lib/modules/$(uname -r)/build/Makefile" ] && say headers yes
  for source in /usr/src/nvidia-*; do
    [ -r "$source/dkms.conf" ] || continue
    module= version=
    while IFS='= ' read -r key value || [ -n "$key" ]; do
      value=\${value#[\"\']}; value=\${value%%[\"\' ]*}
      case $key in PACKAGE_NAME) module=$value;; PACKAGE_VERSION) version=$value;; esac
    done < "$source/dkms.conf"
    [ -n "$module" ] && [ -n "$version" ] && say nvidia_source "$module/$version"
  done
  has dkms && dkms status 2>/dev/null | grep -i nvidia | while IFS= read -r line; do say dkms "$line"; done
  # Held ones (hi) are installed, too.
  has dpkg-query && dpkg-query -W -f '\${db:Status-Abbrev}\${Package} \${Version}\n' 'nvidia-driver*' 'nvidia-kernel*' 'nvidia-dkms*' 'linux-modules-nvidia*' 2>/dev/null |
    while read -r state package version; do [ "\${state#?}" = i ] && say nvidia_package "$package $version"; done
fi
# The names that NVIDIA's own repository gives to its driver; Debian and Ubuntu have none of them.
if [ $nvidia = yes ] && [ $gpus = no ] && has apt-cache; then
  for package in cuda-drivers nvidia-open; do
    version=$(LC_ALL=C apt-cache policy $package 2>/dev/null | sed -n 's/^ *Candidate: *\([0-9].*\)/\1/p')
    [ -n "$version" ] && say nvidia_repository "$package $version"
  done
fi
[ -z "$kept" ] || rm -f "$kept" "$kept".*

if has dpkg-query; then
  dpkg-query -W -f '\${db:Status-Abbrev}\${Package} \${Version}\n' 'libtorch[0-9]*' 2>/dev/null |
    while read -r state package version; do [ "\${state#?}" = i ] && say libtorch_package "$package $version"; done
fi
for prefix in "$HOME/libtorch" /opt/libtorch /usr/local/libtorch; do
  [ -r "$prefix/build-version" ] && read -r version < "$prefix/build-version" || continue
  abi=cxx11
  grep -q 'GLIBCXX_USE_CXX11_ABI=0' "$prefix/share/cmake/Torch/TorchConfig.cmake" 2>/dev/null && abi=pre-cxx11
  say libtorch_folder "$version $abi $prefix"
done
for file in /usr/lib/*/libtorch.so.*.*.* /usr/lib64/libtorch.so.*.*.* /usr/local/lib/libtorch.so.*.*.*; do
  [ -e "$file" ] && say libtorch_file "$file"
done
for name in c++ g++ clang++; do
  has $name && say compiler "$($name --version 2>/dev/null | { IFS= read -r line; printf %s "$line"; })" && break
done
has cmake && say cmake "$(cmake --version | { read -r a b version; printf %s "$version"; })"
{ has ninja || has ninja-build; } && say ninja yes
has make && say make yes
say glibc "$(getconf GNU_LIBC_VERSION 2>/dev/null)"
if [ "$uid" != 0 ]; then
  if has sudo; then if sudo -n true >/dev/null 2>&1; then say sudo passwordless; else say sudo password; fi; fi
fi
if has ip; then
  ip -o addr show up scope global 2>/dev/null | while read -r index interface family address rest; do say address "$interface $address"; done
elif has hostname; then
  for address in $(hostname -I 2>/dev/null); do say address "- $address"; done
fi
say finished "$(date +%s.%N)"
say finished_ticks "$(since_boot)"
say end yes
`.replaceAll('\\${', '${');
