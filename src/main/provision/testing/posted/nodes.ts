/** For tests: failures of a node itself, from public threads: driver, kernel modules, SSH. */
import type { Posted } from './posted.ts';

export const postedByNodes: readonly Posted[] = [
  ['driver.wrong_kernel', 'hhfeuer/nvhda#16', "modprobe: ERROR: could not insert 'nvhda': Exec format error"],
  [
    'driver.wrong_kernel',
    'src-d/coreos-nvidia#3',
    'insmod: ERROR: could not insert module /opt/nvidia/lib/modules/4.14.16/video/nvidia.ko: Unknown symbol in module',
  ],
  [
    'driver.module_refused',
    'shelmangroup/coreos-gpu-installer#2',
    "ERROR: Unable to load the kernel module 'nvidia.ko'.  This happens most\n       frequently when this kernel module was built against the wrong or\n       improperly configured kernel sources",
  ],
  [
    'driver.module_refused',
    'NVIDIA/gpu-driver-container#44',
    "ERROR: Unable to load the kernel module 'nvidia.ko'.  This happens most frequently when this kernel module was built against the wrong or improperly configured kernel sources, with a version of gcc that differs from the one used to build the target kernel, or if another driver, such as nouveau, is present",
  ],
  [
    'driver.secure_boot',
    'lolo101/px1800kbd#10',
    "modprobe: ERROR: could not insert 'px1800kbd': Key was rejected by service",
  ],
  [
    'driver.no_gpu',
    'MrMEEE/bumblebee-Old-and-abbandoned#196',
    'FATAL: Error inserting nvidia_current (/lib/modules/2.6.38-8-generic/updates/dkms/nvidia-current.ko): No such device',
  ],
  [
    'driver.dkms_failed',
    'NVIDIA/open-gpu-kernel-modules#526',
    'Error! Bad return status for module build on kernel: 6.4.1-zen1-1-zen (x86_64)\nConsult /var/lib/dkms/nvidia/390.157/build/make.log for more information.',
  ],
  [
    'driver.dkms_failed',
    'NVIDIA/open-gpu-kernel-modules#635',
    'dkms autoinstall on 6.8.10-300.fc40.x86_64/x86_64 failed for nvidia(10)',
  ],
  [
    'driver.dkms_failed',
    'voidlinux/void-packages#4651',
    "Building DKMS module 'nvidia-367.35' for kernel-4.7.2_1... FAILED!\nDKMS module 'nvidia-367.35' failed to build, please check /var/lib/dkms\nfor errors in the log file.",
  ],
  [
    'ssh.host_key_unknown',
    'concourse/semver-resource#3',
    "Cloning into '/tmp/semver-git-repo'...\nHost key verification failed.\nfatal: Could not read from remote repository.",
  ],
  [
    'ssh.host_key_changed',
    'Inchill/fe-notes#54',
    '@    WARNING: REMOTE HOST IDENTIFICATION HAS CHANGED!     @\n@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@\nIT IS POSSIBLE THAT SOMEONE IS DOING SOMETHING NASTY!',
  ],
  [
    'ssh.host_key_unknown',
    'gerhard/deliver#21',
    'Initialized empty Git repository in /home/a/lib/.git/\nHost key verification failed.\nfatal: The remote end hung up unexpectedly',
  ],
  ['ssh.forwarding', 'jeroenpeeters/docker-ssh#44', 'channel 3: open failed: administratively prohibited:'],
  [
    'ssh.forwarding',
    'microsoft/vscode-remote-release#4039',
    'channel 3: open failed: administratively prohibited: open failed',
  ],
  [
    'ssh.forward_target',
    'microsoft/vscode-remote-release#773',
    'channel 4: open failed: connect failed: Connection refused',
  ],
];
