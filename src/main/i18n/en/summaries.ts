/** What a step of a preparation has found, in a line. */
export const summaries = {
  origin: {
    here: 'built on this computer, {{day}}',
    bundle: 'from a bundle that was added {{day}}',
    node: 'built by {{name}} ({{place}}), {{day}}',
    thisComputer: 'this computer',
  },
  memory: '{{memory}} RAM',
  diskFree: '{{disk}} free',
  clockOff: 'clock {{seconds}} s off',
  driver: {
    onCpu: 'not needed: training on the CPU',
    noGpu: 'no NVIDIA GPU',
    version: 'driver {{version}}',
  },
  rebooted: 'rebooted',
  circle: {
    local: 'once for all local nodes alike',
    shared: 'once for the nodes alike that share builds',
    own: 'for this node only',
  },
  cluster: {
    ofCluster: 'the cluster’s own',
    network: 'the cluster’s own network; addresses are known when the job starts',
    accepts: 'Slurm {{version}} takes the job',
    starts: 'Slurm {{version}} could start the job at {{time}} on {{nodes}}',
    pods: 'Kubernetes {{version}} takes the job: {{pods}} pods in the namespace {{namespace}}',
    podsGpus:
      'Kubernetes {{version}} takes the job: {{pods}} pods in the namespace {{namespace}}; the cluster has {{gpus}} GPUs in all',
  },
  tunnelOff: 'off',
  portsInUse: '{{address}} ({{ports}} in use)',
  networkTried:
    'changes nothing: a free port is looked for on the first node, and the others try to reach it there',
  classes: '{{path}} · {{count}} classes',
  trainer: 'trainer',
  withPython: 'Python {{python}}',
  withoutPython: 'without Python {{python}}, which did not come: nodes need one of their own',
  withSystemPython: 'with the distribution’s Python, since uv’s {{python}} did not come',
  engine: 'ringlab.slow for PyTorch {{torch}}',
  noEngine: 'without ringlab.slow: see the log',
  code: '{{bytes, bytes}}, files: {{count}} · {{hash}}',
  packages: '{{count}} packages',
  sameLock: 'has the lock of the node before that is of its kind',
  through: '{{host}} through {{jump}}',
} as const;
