/** What is wrong with a lab, by the code that `lab-check.ts` gives. */
export const labIssues = {
  no_nodes: 'The lab has no nodes. Add at least one.',
  only_switches: 'The lab has only switches. Add a GPU or CPU node to train on.',
  node_without_name: 'A node has no name.',
  duplicate_name: 'Two nodes are named “{{name}}”. Give each its own name.',
  duplicate_id: 'Two nodes share one id (“{{name}}”). Delete one of them.',
  link_to_itself: 'A link joins {{a}} to itself. Delete it.',
  link_dangling: 'A link between {{a}} and {{b}} lacks an end. Delete it.',
  link_duplicate: '{{a}} and {{b}} are linked twice. Delete one link.',
  host_missing: '{{name}}: the SSH host is missing.',
  user_missing: '{{name}}: the SSH user is missing.',
  key_file_missing: '{{name}}: the key file is missing.',
  jump_host_missing: '{{name}}: the jump host lacks its host or user.',
  host_example: '{{name}}: “{{host}}” is an address for examples. Enter the node’s own.',
  host_not_alone: '{{name}}: “{{host}}” is not an address alone. User and port have fields of their own.',
  agent_absent: '{{name}}: the login needs an SSH agent, and none runs on this computer.',
  agent_socket_absent: '{{name}}: no SSH agent listens at “{{path}}” on this computer.',
  key_file_absent: '{{name}}: this computer has no key file “{{path}}”.',
  driver_file_absent: '{{name}}: this computer has no driver file “{{path}}”.',
  local_unsupported: '{{name}}: Windows cannot be a node itself. Enter a machine that is reached over SSH.',
  local_path_absent: '{{name}} is this computer, which has no “{{path}}”.',
  unknown_architecture: 'The architecture “{{architecture}}” is unknown. Known: {{known}}.',
  unknown_sync: 'The synchronisation “{{sync}}” is unknown. Examples: powersgd:2, diloco:8.',
  period_above_epoch: '{{period}} local steps are more than the {{steps}} steps of an epoch.',
  fp16_remembers:
    'Mixed precision with fp16 works only with all-reduce (allreduce, fp16, bf16; not late). Use bf16, or another synchronisation.',
  fp16_needs_gpus: 'fp16 needs a GPU for each rank, and {{name}} has none. Use bf16, or off.',
  goes_on_without:
    'Going on without a lost rank is for the native trainer over Gloo, without batch norm over all ranks, and with the whole data set on every node.',
  batch_norm_waits:
    'Batch norm statistics over all ranks need communication in every step, which this synchronisation avoids.',
  nothing_frozen: 'Frozen batch norm layers need frozen parameters, and none are named.',
  backbone_frozen:
    'The backbone is frozen: nothing is trained at this learning rate. Remove one of the two settings.',
  pretrained_relative: '{{path}} must be an absolute path on the node of rank 0.',
  image_size: '{{architecture}} cannot be trained with images of {{size}} px a side. Nearest: {{valid}} px.',
  data_path_missing: 'The data folder’s path is missing.',
  data_url_missing: 'The data needs an address that begins with http:// or https://.',
  data_endpoint_missing: 'The bucket’s service needs an address: https://, a host, and nothing after it.',
  data_bucket_missing: 'The bucket needs its name.',
  data_region_missing: 'The bucket needs a region; us-east-1 where the service has none.',
  data_folder_absent: 'This computer has no data folder “{{path}}”.',
  data_hash_missing: 'The data needs the SHA-256 of the archive: 64 digits from 0 to f.',
  data_path_relative: 'The data folder on the nodes needs an absolute path, not “{{path}}”.',
  batch_below_ranks: 'The batch of {{batchSize}} is smaller than the {{ranks}} ranks that share it.',
  samples_below_ranks: '{{samples}} training images are fewer than the {{ranks}} ranks that share them.',
  batch_below_parts:
    'The batch of {{batchSize}} is smaller than the {{ranks}} micro-batches of all ranks (gradient accumulation).',
  batch_uneven: 'A batch of {{batchSize}} does not divide by {{ranks}}: {{used}} images a step are used.',
  warmup_above_epochs:
    'The warm-up takes {{warmup}} epochs, and training ends after {{epochs}}: it never reaches the learning rate.',
  batch_above_images:
    'A batch of {{batchSize}} is larger than the {{images}} training images: an epoch is one step.',
  batch_few_norm_values:
    'Too few images a rank for batch norm: {{images}} a step, {{values}} values in the last layers. Use a larger batch or larger images.',
  node_unconnected: '{{name}} has no link, while others have.',
  nodes_apart: '{{a}} and {{b}} cannot reach each other: no links lead from one to the other.',
  loss_total: 'The link {{a}} – {{b}} loses every packet.',
  script_source_missing: 'The script needs its folder on this computer, or the address of its repository.',
  script_source_relative: 'The script’s folder needs an absolute path, not “{{path}}”.',
  script_git_address: '“{{url}}” is no address of a Git repository: https://, ssh://, or user@host:path.',
  script_file_missing: 'The script’s file is missing: train.py, for example, or module:package.train.',
  script_folder_absent: 'This computer has no folder “{{path}}” for the script.',
  script_file_absent: 'The script’s folder has no file “{{path}}”.',
  script_file_kind: '“{{path}}” is no Python file. A module is written module:package.train.',
  script_module_name: '“{{name}}” is no name of a Python module.',
  script_path_outside: '“{{path}}” must be a path below the script’s folder.',
  script_arguments_quote: 'The arguments have a quote that is not closed: {{quote}} at character {{at}}.',
  script_variable_name: '“{{name}}” is no name of an environment variable.',
  script_variable_reserved:
    '{{name}} is set for each rank by Ringlab. Remove it from the script’s environment variables.',
  script_variable_twice: 'The environment variable {{name}} is set twice.',
  script_packages_missing: 'Name what is to be installed, or choose to install nothing.',
  script_patterns_unused:
    'A run uses {{most}} patterns: those from number {{first}} on have no effect. Remove those that you do not need.',
  script_runtime:
    'A conda environment of Ringlab’s own has no Python for scripts. Choose wheels, an existing torch, or the system.',
  slurm_option: '“{{option}}” is no option of sbatch. Write each as in a script: --constraint=a100.',
  slurm_option_own: '“{{option}}” is what Ringlab sets itself from the drawing. Remove it.',
  cluster_links:
    'On a cluster the drawn links are not emulated: ranks exchange over the cluster’s own network.',
  cluster_network:
    'On a cluster links are neither limited nor encrypted by Ringlab: the network is the cluster’s.',
  cluster_split:
    'On a cluster all nodes read the data from one shared folder: it cannot be split between them.',
  kubernetes_image:
    'Enter the container image that the pods run: any with glibc and a POSIX shell; the trainer is brought to it.',
  kubernetes_no_claim:
    'Without a PersistentVolumeClaim each pod is prepared by itself on its own disk, which ends with it: checkpoints are brought to this computer when the run ends, and those of a pod that the cluster takes away are lost.',
  kubeconfig_absent: 'This computer has no kubeconfig {{path}}.',
  slurm_folder: '{{name}}: name a folder that each machine can have on its own disk, such as /tmp/YOUR-NAME.',
  slurm_requeue_limit:
    'Without a time limit of its own the job is requeued only where the partition’s default ends it.',
} as const;

/** What is wrong with a lab file before its content can be judged. */
export const labProblems = {
  values: 'more than {{count}} values',
  nesting: 'nested more than {{count}} levels deep',
  format: 'expected "ringlab-lab"',
  version: 'expected a whole number from 1',
  migration: 'no migration from {{from}}',
  slow: 'reading it takes longer than {{seconds}} s',
  limit: '{{count}}, and {{limit}} is the limit',
} as const;

/** What is wrong with a value, by the code that is the message of our own rules in the schemas. */
export const valueProblems = {
  line_break: 'has a control character, such as a line break',
  control_character: 'has a control character',
  leading_dash: 'begins with -',
  annotation_id_twice: 'two annotations have one id',
  jump_hosts_too_many: 'has more than 16 jump hosts',
  object_name: 'is no name of a Kubernetes object',
  label_key: 'is no key of a label',
  label_value: 'is no value of a label',
  labels_too_many: 'has too many labels',
  image_name: 'is no name of an image',
  cluster_name: 'is no name of a cluster',
  backslash: 'has a control character or a backslash',
  path_outside: 'leaves the run’s folder',
} as const;
