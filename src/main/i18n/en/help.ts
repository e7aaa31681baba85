/** `ringlab --help`, and `ringlab COMMAND --help`: what each command does, and the rest that a user need know. */
export const help = {
  title: 'Ringlab: a desktop lab for distributed deep learning.',
  options: `  --data DIR                  the data folder (default: RINGLAB_DATA, else the system's place for it)
  --accept-new-host-keys      trust SSH host keys never seen before; changed ones are still refused
  -y, --yes                   allow what nodes need: packages, drivers, a reboot; each is still listed
  --own-files                 let code, images, drivers and weights that the lab names leave this computer,
                              and fetch the repository that it names with your git login
  --lend-internet             let nodes that the lab says have no internet use this computer’s connection
  -h, --help                  this text; after a command, what it takes
  --version                   the version of this Ringlab
`,
  beside: 'Beside an open window, commands work with the app that it shows: both see the same runs.',
  exitCodes: 'Exit codes: 0 done, 1 failed or stopped (diagnose: nothing recognised), 2 bad input.',
  labArgument: 'LAB is the path of a lab file, or - for one on standard input.',
  runArgument: 'RUN is a run’s id, as much of it as names one alone, or its name.',
  endOfRun: `Progress goes to standard error; the last line of standard output is one JSON object about the run.
Exit codes: 0 finished, 1 any other end, 2 bad input.`,
  commands: {
    run: {
      does: 'run a lab file; the last line of stdout is one JSON object',
      more: `  --out DIR    where checkpoints, metrics and commands go when it has ended (else ringlab-out)
  --chart      draw loss and accuracy, or the scalars of a script, into chart.svg there
  --queue      where the lab is running already, run it again afterwards
  --script F   train with your own script (train.py, or module:pkg.train) in place of the native trainer, on the machines
               of --nodes LAB; what follows -- are its arguments. Files that it writes beside its code come to --out
  --source S   the folder that is sent (else the current one, or the script's), or a repository; --ref NAME: its
               branch, tag or commit. .gitignore and .ringlabignore exclude files
  --runtime R  wheels (PyTorch from PyPI), existing (a Python with torch on the nodes; existing:PATH), or system
  --torchrun   start PyTorch's own agents, one a node, instead of one process a rank; --min-nodes N: go on while N nodes
               are left, the first among them
  --on-lost-rank P  when a rank is killed or its node restarts: stop, restart all ranks, which save first if they
               can, or continue with the others: the default of several ranks over Gloo, else stop

A lab runs once at a time. Where it is running already, this follows that run to its end; a run that a killed Ringlab
left on the nodes is continued. Ctrl+C stops the run at a checkpoint, a second one by force, a third leaves it; where
another command or a window began the run, Ctrl+C leaves it running.
{{endOfRun}}`,
    },
    follow: {
      does: 'show a run’s progress until it has ended; Ctrl+C leaves it running',
      more: `  --out DIR    copy checkpoints, metrics and commands there when it has ended
  --chart      draw loss and accuracy, or the scalars of a script, into chart.svg

{{runArgument}}
{{endOfRun}}`,
    },
    stop: {
      does: 'stop a run at a checkpoint and wait until it has ended',
      more: `  --force      kill its ranks at once; unreachable nodes are given up

{{runArgument}}
The last line of standard output is one JSON object about the run. Exit codes: 0 it has ended, 1 it has not, 2 bad input.`,
    },
    rejoin: {
      does: 'take the lost ranks of a run in again, which goes on without them',
      more: `  --replace LOST=NEW  node NEW of the drawing takes the place of the lost node LOST; several times for several nodes
  LAB                 the lab file that has the new nodes (default: the lab as it is stored here)

Their nodes are prepared while the others train. Then these save a checkpoint, and all ranks start again from it: the same run,
its next attempt. Returns when they have started; \`ringlab follow\` shows what comes then.

{{runArgument}}
The last line of standard output is one JSON object about the run. Exit codes: 0 all have started again, 1 no rank was lost, a node
cannot be prepared, or the run has ended, 2 bad input.`,
    },
    resume: {
      does: 'resume a run from its newest checkpoint; a queued run starts now',
      more: `  --out DIR    where checkpoints, metrics and commands go when it has ended (else ringlab-out)
  --chart      draw loss and accuracy, or the scalars of a script, into chart.svg there

{{runArgument}}
{{endOfRun}}`,
    },
    runs: {
      does: 'the runs that are stored, or what is known of one',
      more: `  --json       one JSON array of all runs; of one run its JSON object alone

{{runArgument}}
Nodes of runs under way are asked. Where one cannot be reached, stateKnown is false, and lastSeen is the time of the
newest line of its ranks.`,
    },
    labs: {
      does: 'the labs that the window shows, and their files',
      more: '  --json       one JSON array',
    },
    export: {
      does: 'model_best, checkpoint, metrics, report and commands of a run',
      more: `  --slurm      the sbatch script that a lab file’s job would be submitted with, on standard output
  --kubernetes  a lab file as Kubernetes objects in a new YAML file, without a cluster: a pod for each drawn node.
               --image NAME (ringlab-trainer), --namespace N, --claim PVC (all pods write to it), --pull-secret S,
               --local-queue Q (Kueue), --job-set, --priority-class C, --node-selector KEY=VALUE, --toleration KEY[=VALUE][:EFFECT]
  code         the exact code of an own script’s run, into a new or empty folder: RUN code DIR
  ARTIFACT     model_best.pth.tar, checkpoint.pth.tar, metrics.csv, metrics.json, commands.sh or report.html; else all.
               With other names in its state_dict, for another reader: model_best.torchvision.pth.tar and
               checkpoint.torchvision.pth.tar as torchvision’s models load them; model_best.ddp.pth.tar and
               checkpoint.ddp.pth.tar as main.py under DistributedDataParallel does (“module.”)

{{runArgument}}
Prints the path of each file, and as the last line one JSON object. Exit codes: 0 saved, 1 nothing to save, 2 bad input.`,
    },
    check: {
      does: 'report what is wrong with a lab file',
      more: `Prints one JSON object. Exit codes: 0 it can run, 2 it cannot.

  --cluster  asks the lab’s cluster what it offers, and says what does not fit it`,
    },
    estimate: {
      does: 'what a step will cost over the drawn links, of an own script how long its last run took: one JSON object',
      more: '  --sync MODE  instead of the lab’s own; auto is what the links advise',
    },
    prepare: {
      does: 'prepare the lab’s nodes; or only list what would be done',
      more: `  --dry-run    change nothing; print the exact commands, as a script to read

Exit codes: 0 every node is ready (or could be), 1 one is not, 2 bad input.`,
    },
    lock: {
      does: 'solve the lab’s conda environment on its nodes, and keep it',
      more: `  --dry-run    change nothing; print the exact commands, as a script to read

Prints one JSON object a line for each kind of node.`,
    },
    bundle: {
      does: 'fetch what nodes would need without internet; preparing uses it',
      more: `  --out FOLDER  to carry to another computer; else where preparing looks for it
  --add FOLDER  take over a bundle that was made elsewhere
  --programs    with its trainers, micromamba and wheels, where you trust who made it
  --cuda X.Y    conda’s packages or wheels for this CUDA version, whatever the nodes that are asked have

Prints one JSON object.`,
    },
    app: {
      does: 'the window as a program, in an app window of the browser that is there',
      more: `Chromium, Chrome or Edge show it in a window of its own, Firefox in a tab; RINGLAB_BROWSER names another program.
Ends with its last window, unless a run is active. Where it runs already, another window of it is opened.

  --port N     default: any free one
  --no-open    only print the address`,
    },
    serve: {
      does: 'the window in a browser of this computer',
      more: `  --port N     default: any free one
  --no-open    only print the address`,
    },
    open: {
      does: 'a new address for the window that is served, and the browser on it',
      more: '  --no-open    only print the address',
    },
    doctor: {
      does: 'what is missing on this machine',
      more: 'Exit codes: 0 nothing that is required, 1 something.',
    },
    diagnose: {
      does: 'known failures in a tool’s output, a JSON object a line',
      more: 'Exit codes: 0 one was recognised, 1 none was.',
    },
  },
} as const;
