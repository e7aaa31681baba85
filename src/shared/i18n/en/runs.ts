/** Names of a run's states, texts of desktop notifications, and names of the figures that runs are compared by. */
export const runStates = {
  draft: 'Draft',
  queued: 'Queued',
  held: 'Held',
  preparing: 'Preparing',
  starting: 'Starting',
  running: 'Running',
  waiting: 'Waiting',
  recovering: 'Recovering',
  stopping: 'Stopping',
  stopped: 'Stopped',
  interrupted: 'Interrupted',
  finished: 'Finished',
  failed: 'Failed',
  lost: 'Lost',
} as const;

export const runNotices = {
  finished: 'The run has finished.',
  failed: 'The run has failed. Open it to see why.',
  interrupted: 'The run was interrupted. It can be resumed.',
  lost: 'The run is lost: its nodes no longer know it.',
  stopped: 'The run has stopped.',
  waiting: 'A node is unreachable. The run continues.',
  recovering: '{{node}} was lost: training restarts from {{from}}.',
  restarts: 'A rank was lost: training restarts from {{from}}.',
  fromStep: 'step {{step}}',
  fromScript: 'the script’s own checkpoint, if it has one',
  resumedWhole: 'Training goes on from step {{step}}; nothing was lost.',
  resumed: 'Training goes on from step {{step}}; {{seconds}} s of work are done again.',
  unreachable: 'Unreachable: {{nodes, joined}}. The run continues.',
  fewer: '{{nodes, joined}} was lost: training goes on with {{left}} of {{all}} ranks.',
  fewerBySeveral: '{{nodes, joined}} were lost: training goes on with {{left}} of {{all}} ranks.',
  finishedWithFewer: 'The run has finished, with {{left}} of {{all}} ranks.',
  held: 'The run before it was stopped or failed: the queue is held until you start a run of it.',
} as const;

/** Why a queued run does not start by itself. */
export const held = {
  stopped: 'Held since “{{name}}” was stopped',
  failed: 'Held since “{{name}}” failed',
  ended: 'Held since “{{name}}” ended early',
  unknown: 'Held since an earlier run was stopped or failed',
} as const;

/** Why a run was not started again by itself. */
export const noRestart = {
  cause: 'Not restarted: it would fail in the same way until the cause is removed.',
  repeated: 'Not restarted again: it failed repeatedly without a new checkpoint in between.',
  tooOften: 'Not restarted again: the limit of restarts within an hour is reached.',
  away: 'Not restarted: a node stayed unreachable.',
} as const;

export const runFacts = {
  data: 'Data',
  imageSize: 'Image size',
  nodes: 'Nodes',
  worldSize: 'Ranks',
  script: 'Script',
  arguments: 'Arguments',
  code: 'Code',
  runtime: 'Runtime',
} as const;

/** What a scheduler says of a run's job. */
export const jobs = {
  waits: 'Job {{job}} waits in the queue: {{why}}',
  expected: 'Job {{job}} waits in the queue: {{why}}. Expected start: {{time}}',
  runs: 'Job {{job}} on {{nodes}}',
  suspended: 'Job {{job}} is suspended: its ranks stand still until Slurm lets them go on',
  reasons: {
    submitted: 'submitted',
    Resources: 'the cluster’s nodes are in use (Resources)',
    Priority: 'jobs of higher priority come first (Priority)',
    BeginTime: 'it was requeued and starts again in a moment (BeginTime)',
    Dependency: 'it waits for another job (Dependency)',
    JobHeldUser: 'it is held; `scontrol release {{job}}` lets it start (JobHeldUser)',
    JobHeldAdmin: 'an administrator holds it; ask them (JobHeldAdmin)',
    PartitionDown: 'the partition is down; choose another (PartitionDown)',
    PartitionTimeLimit:
      'its time limit is above the partition’s; stop it and ask for less (PartitionTimeLimit)',
    PartitionNodeLimit:
      'it asks for more nodes than the partition allows; stop it and draw fewer (PartitionNodeLimit)',
    ReqNodeNotAvail: 'nodes that it needs are drained, down or reserved (ReqNodeNotAvail)',
    NodeDown: 'a node that it needs is down (NodeDown)',
    BadConstraints:
      'no node fulfils all that it asks for; stop it and change the options or the nodes (BadConstraints)',
    Licenses: 'licences that it asks for are in use (Licenses)',
    Reservation: 'its reservation has not begun (Reservation)',
    DependencyNeverSatisfied: 'the job that it waits for failed; stop it (DependencyNeverSatisfied)',
    launchFailed:
      'a node could not start it, and Slurm holds it; `scontrol release {{job}}` tries again ({{reason}})',
    held: 'Slurm holds it and does not start it by itself; `scontrol release {{job}}` lets it start ({{reason}})',
    Unschedulable:
      'no machine of the cluster has room for it: {{said}}. It starts when there is; or stop it and draw smaller nodes',
    SchedulingGated: 'the cluster’s queue holds it back until all its pods fit ({{said}})',
    Suspended: 'it is suspended until its queue admits it; `kubectl get workloads` shows its place',
    ImagePull:
      'its image cannot be pulled: {{said}}. The cluster tries again; or stop it and correct image or pull secret',
    ContainerCreating: 'its pods have machines, which fetch the image and mount the volumes',
    FailedMount: 'a volume cannot be mounted: {{said}}',
    FailedCreate: 'its pods cannot be created: {{said}}',
    Restarting: 'a pod was taken away; its ranks start again from the checkpoint ({{said}})',
    NoPods: 'its pods are about to be created',
    perJob: 'it asks for more than the account or QOS allows one job; stop it and ask for less ({{reason}})',
    tooSmall: 'it asks for less than the QOS demands; stop it and ask for more ({{reason}})',
    budget:
      'the compute time of the account or QOS is used up; ask for more, or stop it and choose another account ({{reason}})',
    quota: 'a limit of the account or QOS is reached; it starts when other jobs end ({{reason}})',
    bad: 'the account or QOS is not valid; stop it and choose another ({{reason}})',
    other: '{{reason}}',
  },
} as const;

/** How much of a script's folder is sent. */
export const codeSize = {
  sent: 'Sent to the nodes: {{words}}',
  large:
    'Sent to the nodes: {{words}}. The largest parts: {{parts, joined}}. What .gitignore and .ringlabignore name stays here.',
  file: '1 file, {{bytes, bytes}}',
  files: '{{count}} files, {{bytes, bytes}}',
  part: '{{path}} ({{words}})',
} as const;

/** What of a lab does not fit a cluster as it was last seen. */
export const misfits = {
  noPartition: 'Slurm lists no partition “{{name}}” (a hidden one works all the same). It lists: {{names}}.',
  down: 'The partition “{{name}}” is down: jobs wait there until it is up again.',
  noAccount: 'You may not use the account “{{name}}” there. Yours: {{names}}.',
  noQos: 'Your account does not have the QOS “{{name}}”. It has: {{names}}.',
  noGpuType: 'The partition “{{partition}}” has no GPU of the type “{{name}}”. It has: {{names}}.',
  time: 'The partition “{{name}}” allows {{time}} at most.',
  qosTime: 'The QOS “{{name}}” allows {{time}} at most.',
  accountTime: 'The account “{{name}}” allows {{time}} at most.',
  tooManyNodes: 'The lab asks for {{asked}} nodes; the partition “{{name}}” has {{there}}.',
  noSuchNode:
    'No node of the partition “{{name}}” has {{cpus}} CPUs, {{gb}} GB of memory and {{gpus}} GPUs: draw smaller nodes, or choose another partition.',
  noRights:
    'Your account lacks rights in the namespace {{namespace}}: {{what}}. Ask for them, or choose another namespace.',
  noSuchMachine:
    'No machine of the cluster that the pods may be placed on has {{cpus}} CPUs, {{gb}} GiB of memory and {{gpus}} GPUs: draw smaller nodes, or change node labels and tolerations.',
  tooManyPods:
    'The lab asks for {{asked}} pods; the cluster’s machines have room for {{there}} of them at a time, even when nothing else runs.',
  quota:
    'The quota “{{name}}” of the namespace leaves {{left}} of {{hard}} {{resource}}; the lab asks for {{asked}}.',
} as const;

/** Where ranks of a script wait for each other; 'collective' and the names of operations are PyTorch's. */
export const collectives = {
  rank: 'rank {{rank}}',
  more: '{{count}} more',
  missing:
    'Not entered by {{missing, joined}}: {{operation}}, collective {{number}} of its group. Waiting in it for {{time}}: {{waiting, joined}}.',
  missingUnnamed:
    'Not entered by {{missing, joined}}: collective {{number}} of the group, which DistributedDataParallel or another part of PyTorch began. Waiting for {{time}}: {{waiting, joined}}.',
  joining:
    'Waiting in init_process_group for {{time}}: {{waiting, joined}}. Not called it yet: {{missing, joined}}.',
  joiningAll:
    'Waiting in init_process_group for {{time}}: {{waiting, joined}}. They do not reach each other.',
  alone:
    'No rank has called init_process_group for {{time}}: each of the {{count}} processes trains by itself, and they do not share their work.',
  smaller:
    'The script makes process groups of its own, of {{size}} instead of all {{given}} ranks: they do not share their work. Take RANK, WORLD_SIZE, MASTER_ADDR and MASTER_PORT from the environment, and start no processes (mp.spawn): Ringlab starts one for each GPU.',
  apart:
    'The script’s ranks meet at {{address}}, which is another place on each node: the nodes of the {{given}} ranks do not share their work. Leave MASTER_ADDR and MASTER_PORT as the environment has them, and start no processes (mp.spawn): Ringlab starts one for each GPU.',
  different:
    'For {{time}} the ranks have been in different calls where collective {{number}} must be the same on all: {{waiting, joined}}.',
  all: 'All ranks have been in {{operation}}, collective {{number}}, for {{time}}: the network or a device does not answer.',
  ending:
    'Ended {{time}} ago: {{waiting, joined}}. Not ended, and without a sign of life from Python: {{missing, joined}}. Some versions of PyTorch hang when a process group is destroyed. Stop the run: what the script has written is kept.',
  silent: 'says nothing: it is busy outside Python, or has not begun',
} as const;

/** What the time of a script's rank goes into. */
export const profile = {
  data: 'loading data',
  forward: 'forward',
  backward: 'backward',
  optimizer: 'optimizer',
  device: 'waiting for the GPU',
  other: 'other lines of the script',
  saving: 'saving checkpoints',
  compile: 'torch.compile',
  exchange: 'waiting for other ranks',
} as const;
