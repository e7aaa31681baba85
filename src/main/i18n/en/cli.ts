/** What commands print for the user, and ask; the result on standard output is JSON. */
export const cli = {
  error: {
    checkLab: '“ringlab check LAB” says what to correct.',
    absent: 'there is no {{kind}} “{{id}}”.',
    kind: {
      run: 'run',
      lab: 'lab',
      node: 'node',
    },
    listed: {
      run: '“ringlab runs” lists the runs of this data folder; --data names another folder.',
      lab: '“ringlab labs” lists the labs of this data folder with their files; --data names another folder.',
      node: '“ringlab check LAB” lists the contents of a lab.',
    },
  },
  issue: '{{severity}}: {{path}}: {{text}}',
  scriptHasIt: 'The script wrote a {{name}} of its own: Ringlab’s is {{own}}.',
  writtenCut:
    'The script wrote more files than Ringlab lists: {{count}} are brought, and the rest are on the nodes, in the folder “code” of the run.',
  writtenUnreached:
    '{{reason}} What the script wrote there is not brought: it stays on the node, in the folder “code” of the run.',
  writtenRepository:
    'Files that belong to a repository are not brought ({{count}}, such as {{path}}): git and other programs would run what they say. They stay on the node, in the folder “code” of the run.',
  writtenKept:
    'Files that were there already, not from Ringlab, are kept ({{count}}, such as {{path}}): what the script wrote is beside them, with “ringlab-” before the name.',
  goesOn:
    'When ranks are lost, the others go on, as long as more than half of them are left; else all restart, at most {{count}} times within an hour.',
  restarts:
    'When a rank is lost, the others save if they can, and all ranks restart from the newest checkpoint, at most {{count}} times within an hour.',
  severity: {
    error: 'error',
    warning: 'warning',
  },
  programsLeft:
    '{{count}} programs (trainers, micromamba, environments of wheels) were left out: nodes would run them, and only the bundle says who made them. With --programs they are taken; this computer never runs its trainers.',
  estimate: {
    assumed: {
      compute_assumed: 'computation time is assumed: no run has measured this experiment on such nodes yet',
      classes_assumed: '1000 classes are assumed: the data set is read when a run starts',
      frozen_counted:
        'parameters that are frozen by name are counted as if they were sent; with backbone the last layer alone is counted',
      network_not_drawn: 'no links are drawn: the network is assumed to cost nothing',
      links_not_emulated: 'the drawn links are not emulated here: nothing slows a run down',
      loss_not_counted: 'the loss of links is not counted: steps will take longer',
    },
    note: 'note: {{text}}',
    noScriptRun: 'no run of {{script}} has been measured yet: its first run shows how long a step takes',
    since: {
      arguments: 'its arguments were different in that run',
      nodes: 'that run was on other nodes',
      links: 'the drawn links were different in that run',
    },
    nothing: 'error: the lab has no node that trains: draw a GPU or CPU node',
    architecture: 'error: the architecture “{{architecture}}” is unknown',
    sync: 'error: the synchronisation “{{sync}}” is unknown; examples: powersgd:2, auto',
    unreachable:
      'error: no links lead from {{from}} to {{to}}: join them, or remove all links where the network is not to be drawn',
    compute: '{{time}} per step: computation is the bottleneck',
    link: '{{time}} per step: the link {{link}} is the bottleneck',
    links: '{{time}} per step: {{count}} equally slow links are the bottleneck',
    enough: '{{here}}; {{sync}} is exact and within a tenth of the fastest',
    faster: '{{here}}; with {{sync}}: {{time}}',
  },
  kubernetes: {
    head: '{{lab}}: {{ranks}} ranks in {{pods}} pods. Holds the run’s secret: keep this file to yourself.',
    links: 'note: drawn links are not emulated on a cluster: pods use its network',
    noClaim: 'note: without --claim checkpoints are on the pods’ own disks and end with them',
    severalJobs:
      'note: the drawn nodes differ, so there are {{jobs}} jobs: Kueue admits each by itself; with --job-set they are one JobSet, for clusters that have it',
    image:
      'note: without --image the pods need an image {{image}} on the cluster’s nodes (assets/kubernetes/Containerfile)',
  },
  ambiguousRun: '“{{word}}” names {{count}} runs; type the id of one:',
  follow: {
    queued: 'run {{run}}: queued; it starts when the runs of this lab before it have ended',
    held: 'run {{run}}: {{why}}; ringlab resume {{run}} starts it, and those that are held behind it',
    stoppingEarly: 'stopping; Ctrl+C again to force it',
    continues: 'the run continues; ringlab stop {{run}} stops it',
    stopping: 'stopping after this step; Ctrl+C again to force it',
    forcing: 'forcing',
    fetchesNoMore: 'no more files are fetched; ringlab follow {{run}} --out DIR fetches the rest',
  },
  labs: {
    nodes: '{{count}} nodes',
    none: 'No labs yet.',
  },
  files: {
    code: 'code of the script, sent to {{nodes, joined}}',
    fetched: 'code of the script, fetched with your git login, submodules too, and run on {{nodes, joined}}',
    fetchedToList:
      'code of the script, fetched with your git login, submodules too, to list what would be sent',
    images: 'images, sent to {{nodes, joined}}',
    driver: 'NVIDIA’s driver, sent to {{node}} where it needs one',
    weights: 'weights that every node starts from',
    absent: 'not there',
    folder: 'folder',
    file: 'file, {{size}} bytes',
    repository: 'repository',
    odd: 'no regular file',
    uses: 'The lab sends files of this computer to nodes, or uses your git login:',
    mayUse: 'Do you allow this?',
  },
  plan: {
    change: 'would be done',
    blocked: 'blocked',
    blockedBy: 'blocked: {{error}}',
  },
  queue: {
    turn: 'the run before has ended; it is this one’s turn',
  },
  run: {
    left: 'an earlier Ringlab left it running',
    followed: 'process {{pid}} follows it',
    already: 'This lab is running already: {{name}} (run {{run}}, {{state}}); {{by}}.',
    changed: 'The lab was changed since that run began. --queue runs it as it is now, afterwards.',
    continuing: 'Continuing with it.',
    following: 'Following it; Ctrl+C leaves it running, ringlab stop {{run}} stops it.',
  },
  runs: {
    doubt: '(last seen {{when}}, state on {{nodes, joined}} unknown)',
    never: 'never',
    epochs: '{{done}}/{{epochs}} epochs',
    process: 'process {{pid}}',
    none: 'No runs yet.',
  },
  app: {
    noBrowser:
      'No browser could be started here. Open the address above in one, or install Chromium, Chrome, Edge or Firefox; `ringlab open` gives a new address.',
    goesOn:
      'The last window is closed; a run is active, so that Ringlab goes on until it has ended. `ringlab app` opens the window again.',
    closed: 'The last window is closed: Ringlab ends.',
  },
  serve: {
    refused: 'refused: {{error}}',
    replaced:
      'Ringlab was updated on this computer; the version before still runs here. Close its windows, end this process, and start Ringlab again. Runs continue on their nodes.',
    address: 'The address opens the window once, within 5 minutes; `ringlab open` gives a new one.',
    underWay: '{{runs, joined}}: under way. [k]eep it running, [s]top it at a checkpoint, [c]ancel?',
  },
  session: {
    ended: 'The Ringlab that was asked (process {{pid}}) has ended; going on without it.',
    waiting: '{{message}} Waiting until it answers or has closed.',
    leaves: 'A window opens, and has the run from now on; this command goes on following it.',
    pods: 'Waiting until the checkpoints are here: then the pods end. After Ctrl+C the pods stay for half an hour, in which the next Ringlab fetches them.',
  },
  stop: {
    ended: '{{name}} (run {{run}}) has ended already: {{state}}',
    unreachable:
      '{{count}} node(s) cannot be reached: their ranks are stopped when they are back. --force gives them up.',
  },
  chart: {
    title: '{{name}}: {{architecture}}, {{ranks}} ranks',
    scriptTitle: '{{name}}, {{ranks}} ranks',
    none: 'There is no chart.svg: the script wrote no scalars. Print values by their names, as "loss: 0.5", or write TensorBoard’s files.',
    loss: 'Loss',
    step: 'step',
    accuracy: 'Accuracy in percent',
  },
  progress: {
    rank: 'rank {{rank}} {{node}} {{bar}} epoch {{epoch}}/{{epochs}} step {{batch}}/{{batches}}  loss {{loss}}  {{speed}} img/s',
    more: '… {{count}} more',
    validation: 'epoch {{epoch}}: validation top-1 {{top1}} %  top-5 {{top5}} %  loss {{loss}}',
    said: 'rank {{rank}} {{severity}}: {{text}}',
    ready: 'ready',
    there: 'ready (already there)',
    failed: 'failed',
    run: 'run {{run}}: {{state}}',
  },
  ask: {
    wrong: 'the last one was wrong; ',
    known: 'known already: {{keyType}} {{fingerprint}} ({{place}})',
    skipped: 'skipped, cannot be read: {{line}}',
    hostKey: '{{who}}: unknown host key',
    trust: 'Trust it?',
    password: '{{who}}: {{wrong}}password of {{user}}: ',
    sent: 'sent from this computer: {{path}} ({{kind}}, {{bytes}} bytes)',
    change: '{{who}}: Ringlab would change this node:',
    remove: '{{who}}: Ringlab would be removed from this node, with the checkpoints of its runs there:',
    reboot: '{{who}}: this node would be rebooted, and everything that runs on it ended:',
    allow: 'Allow it?',
    weak: '{{who}}: offers weak algorithms only',
    allowWeak: 'Allow them for this host?',
    lend: '{{who}}: the lab says that this node has no internet connection. Let its downloads go through this computer’s?',
    passphrase: '{{who}}: {{wrong}}passphrase of {{file}}: ',
    bucketKey: '{{host}}: secret access key of {{key}} for the bucket {{bucket}}: ',
    scriptVariable: '{{lab}}: secret value of the environment variable {{name}}: ',
    closed: '(answered elsewhere, or too late: the question is closed)',
  },
  unasked: {
    hostKey:
      '{{who}}: unknown host key, and no terminal to ask at. --accept-new-host-keys trusts keys never seen before.',
    changedKey:
      '{{who}}: another host key than the known one, and no terminal to ask at. Run the command in a terminal to compare them.',
    login:
      '{{who}}: a password is needed, and there is no terminal to ask at. Give the node a key file without a passphrase or the SSH agent, or run the command in a terminal.',
    consent:
      '{{who}}: the node is to be changed, and there is no terminal to ask at. --yes allows it; ringlab prepare LAB --dry-run lists the commands.',
    lend: '{{who}}: the node has no internet connection, and there is no terminal to ask at. --lend-internet lends this computer’s.',
    other:
      '{{who}}: a question cannot be asked here. Run the command in a terminal, or beside an open window.',
  },
  usage: {
    nodes: '--script FILE needs the machines: ringlab run --script FILE --nodes LAB -- ARGUMENTS',
    script: '--{{option}} belongs to ringlab run --script FILE --nodes LAB -- ARGUMENTS',
    lab: 'a lab file is missing: ringlab {{command}} LAB',
    labAtTerminal:
      'ringlab {{command}} - reads a lab from a pipe or a file; standard input is the terminal here',
    labIsScript:
      '{{path}} is a script, not a lab file: ringlab run --script {{path}} --nodes LAB, where LAB names the machines',
    labEmpty: 'stdin is empty: ringlab {{command}} - reads a lab from it',
    minNodes: '--min-nodes must be a number from 1 on, not “{{word}}”',
    runtime: '--runtime must be one of {{known, joined}}, not “{{word}}”',
    scriptFolder: '{{path}} is a folder: --script names the file in it, or module:NAME with --source',
    exportOut: '--out is missing: ringlab export RUN [ARTIFACT] --out DIR',
    run: 'a run is missing: ringlab {{command}} RUN',
    artifact: 'unknown artifact “{{name}}”; known: {{known, joined}}',
    lostRank: '--on-lost-rank must be one of {{known, joined}}, not “{{word}}”',
    replace: '--replace must be LOST=NEW, two nodes by their names or ids, not “{{word}}”',
    port: '--port must be a number from 0 to 65535, not “{{text}}”',
    command: 'unknown command “{{command}}”; known: {{known, joined}}',
    commandNear: 'unknown command “{{command}}”; did you mean “{{near}}”?',
    option: 'unknown option {{option}}',
    optionNear: 'unknown option {{option}}; did you mean --{{near}}?',
    optionOfScript: 'unknown option {{option}}; what the script is to get stands behind -- at the end',
    otherCommand: '“ringlab {{command}}” has no option --{{option}}; it belongs to: {{owners, joined}}',
    kubernetes: '--{{option}} belongs to ringlab export LAB --kubernetes',
    valueMissing: '--{{option}} needs a value',
    valueEmpty: '--{{option}} needs a value, not an empty text',
    valueDash: '--{{option}} needs a value; one that begins with a dash is written --{{option}}={{value}}',
    noValue: '--{{option}} takes no value',
    tooMany: 'too many arguments: {{args}}',
    help: 'ringlab --help lists everything.',
    helpOf: 'ringlab {{command}} --help lists what it takes.',
    noProgram: '“{{command}}” has no program',
  },
} as const;

/** What was found on this computer, and what to do where something is missing. */
export const doctor = {
  ok: 'ok',
  missing: 'missing',
  absent: 'absent',
  keptCode: '{{count}} versions of own scripts, {{bytes, bytes}}',
  node: 'npm install, in the project folder: it brings Node 24',
  dataFolder: 'make {{path}} writable, or set RINGLAB_DATA to another folder',
  localNodes:
    'only needed for nodes on this computer itself; machines reached by SSH build their own trainer',
  openssh: 'not needed: Ringlab reads ~/.ssh/config by itself; with it, by OpenSSH’s own rules',
  nvidia: 'only needed to train on this machine’s own GPU',
} as const;
