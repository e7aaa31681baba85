/**
 * For tests: what the doctor did not name of 75 failures, the first results of fifteen broad searches; it named 44. Numbers,
 * versions, addresses and paths are changed.
 */
import type { Posted } from './posted.ts';

export const postedBySearch: readonly Posted[] = [
  [
    'gloo.address_family',
    'pytorch/pytorch#135355',
    'RuntimeError: [enforce fail at ../third_party/gloo/gloo/transport/tcp/address.cc] ss1.ss_family == ss2.ss_family. 2 vs 10',
  ],
  [
    'kernel.module_missing',
    'NVIDIA/nvidia-docker#291',
    'nvidia-docker | 2024/05/01 10:00:00 Error: Could not load UVM kernel module',
  ],
  [
    'network.timeout',
    'maximedrn/opensea-automatic-bulk-upload-and-sale#198',
    '     |█▉                              | 41.7 MB 48 kB/s eta 4:06:00ERROR: Exception:\nOpenSSL.SSL.WantReadError',
  ],
  [
    'data.worker_ended',
    'pytorch/pytorch#58847',
    'RuntimeError: DataLoader worker exited unexpectedly with exit code 1.\nDetails are lost due to multiprocessing. Rerunning with num_workers=0 may give better error trace',
  ],
  [
    'apt.fetch',
    'anaconda/docker-images#46',
    'E: Failed to fetch http://mirror.example/debian/pool/main/s/shared-mime-info/shared-mime-info_1.3-1_amd64.deb  Error reading from server. Remote end closed connection [IP: 192.0.2.35 80]',
  ],
  [
    'apt.fetch',
    'INCATools/ontology-development-kit#503',
    '#7 28.37 E: Unable to fetch some archives, maybe run apt-get update or try with --fix-missing?',
  ],
  ['conda.unsolved', 'conda/conda#6998', 'Solving environment: failed'],
  ['script.key', 'huggingface/diffusers#9858', "KeyError: 'train'"],
  ['script.key', 'researchmm/STTN#12', 'KeyError: "There is no item named \'00066.jpg\' in the archive"'],
  [
    'scheduler.clock',
    'ai4d-iasc/trixie#58',
    'srun: error: Task launch for 36.0 failed on node node-a: Job credential expired',
  ],
  [
    'process.killed',
    'ArjunaCluster/ArjunaUsers#137',
    '[2024-05-27T11:37:57.377] _job_complete: JobId=441 WTERMSIG 9',
  ],
  ['build.extension', 'NVlabs/tiny-cuda-nn#307', 'RuntimeError: Error compiling objects for extension'],
  [
    'build.extension',
    'NVIDIA/MinkowskiEngine#569',
    "subprocess.CalledProcessError: Command '['ninja', '-v', '-j', '12']' returned non-zero exit status 1.",
  ],
  [
    'container.no_gpu',
    'prs-eth/PanopticSegForLargeScalePointCloud#20',
    'WARNING: The NVIDIA Driver was not detected.  GPU functionality will not be available.',
  ],
  [
    'container.no_gpu',
    'NVIDIA/nvidia-docker#1330',
    'no NVIDIA GPU device is present: /dev/nvidia0 does not exist',
  ],
  ['container.no_gpu', 'NVIDIA/nvidia-docker#1364', '`nvidia-container-cli` not found in $PATH'],
  ['driver.not_installed', 'mmartial/ComfyUI-Nvidia-Docker#57', '!! ERROR: nvidia-smi not found'],
  [
    'cuda.no_device',
    'ashleykleynhans/stable-diffusion-docker#56',
    'RuntimeError: Torch is not able to use GPU; add --skip-torch-cuda-test to COMMANDLINE_ARGS variable to disable this check',
  ],
  [
    'cuda.architecture',
    'rhasspy/piper#303',
    'RuntimeError: nvrtc: error: invalid value for --gpu-architecture (-arch)',
  ],
  ['ssh.no_sftp', 'melezhik/sparrowdo#3', 'debug1: Exit status 127\nscp: Connection closed'],
  ['ssh.no_rsync', 'mateogianolio/sshync#24', 'Error: rsync exited with code 12'],
  ['ssh.failed', 'easingthemes/ssh-deploy#14', 'Rsync error rsync exited with code 255'],
  ['ssh.failed', 'net-ssh/net-scp#54', 'SCP did not finish successfully (255):  (Net::SCP::Error)'],
  ['git.transfer', 'energy-modelling-toolkit/Dispa-SET#73', 'fatal: the remote end hung up unexpectedly'],
  [
    'git.transfer',
    'MASILab/PreQual#1',
    'error: inflate: data stream error (incorrect data check)\nfatal: packed object e7d52b91 (stored in /scratch/a/.git/objects/pack/pack-02dd.pack) is corrupt',
  ],
  [
    'autograd.inplace',
    'feinanshan/TDNet#52',
    'RuntimeError: If your Function modifies inplace an input that is a view of another Tensor, your Function cannot return more than one Tensor.',
  ],
];
