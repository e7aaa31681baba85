/** The scripts that a run's pods execute: every rank's exact command, as in `commands.sh`, and which of them a pod starts. Pure. */
import { podPaths } from '../../../../shared/lab/kubernetes-pod.ts';
import type { DataSource, LabDocument } from '../../../../shared/lab/lab.ts';
import type { PodGroup } from '../../../../shared/lab/pod-groups.ts';
import type { NodeFacts } from '../../../../shared/node/provision.ts';
import type { ReadyLab, ReadyNode } from '../../../provision/index.ts';
import { shellQuote } from '../../../ssh/index.ts';
import { casesScript, rankCase } from '../command-script.ts';
import { planRanks, rankCommand } from '../command.ts';

export const secretKey = 'run-secret';

/** Found on the image's PATH. */
const trainer = 'ringlab-train';
/** Pods of a job start one after the other, after their image was pulled. */
export const rendezvousSeconds = 1800;
const secretFile = 'secret-1';

/** The claim may hold other runs, and data. */
const runFolderOf = ({ run }: PodNames): string => `${podPaths.volume}/runs/${run}`;

/** Where the images are in a pod, and the command that makes them there where they are drawn. */
export function podData(data: DataSource): { readonly folder: string; readonly make: string[] | undefined } {
  if (data.type === 'folder') return { folder: data.path, make: undefined };
  const folder = `${podPaths.data}/shapes`;
  if (data.type !== 'shapes') return { folder: podPaths.data, make: undefined };
  const { train, validation, size, seed } = data;
  const options = { train, val: validation, size, seed };
  return {
    folder,
    make: [
      trainer,
      'make-shapes',
      folder,
      ...Object.entries(options).flatMap(([name, value]) => [`--${name}`, String(value)]),
    ],
  };
}

/** A pod has what it asks for: nothing else is known of its machine. */
const factsOf = (name: string, { gpus, nodes }: PodGroup): NodeFacts => ({
  at: 0,
  hostname: name,
  user: '',
  home: podPaths.volume,
  shell: '/bin/sh',
  system: { id: '', version: '', pretty: '' },
  kernel: '',
  arch: '',
  cpus: nodes[0]?.placement.cpus ?? 1,
  cpuModel: '',
  memoryBytes: 0,
  memoryFreeBytes: 0,
  diskBytes: 0,
  diskFreeBytes: 0,
  gpus: Array.from({ length: gpus }, (_, index) => ({ index, name: '' })),
  ninja: false,
  root: false,
  sudo: 'none',
  addresses: [],
  bootId: name,
  clockSkewSeconds: 0,
});

/** Job names by group. */
export interface PodNames {
  /** The run's, and the Service's that gives the pods their names. */
  readonly run: string;
  readonly jobs: readonly string[];
}

/** The name by which other pods reach this one. */
const podName = ({ run, jobs }: PodNames, group: number, index: number): string =>
  `${jobs[group]}-${index}.${run}`;

function readyPods(lab: LabDocument, groups: readonly PodGroup[], names: PodNames): ReadyLab {
  const nodes = groups.flatMap((group, at) =>
    group.nodes.map((node, index): ReadyNode => {
      const name = podName(names, at, index);
      return {
        // A pod is no node of this computer, whatever the drawn one is.
        node: {
          ...node,
          access: { type: 'ssh', host: name, port: 22, user: '', authentication: { method: 'agent' } },
        },
        facts: factsOf(name, group),
        trainer,
        data: podData(lab.experiment.data).folder,
        address: name,
        backend: group.gpus > 0 ? 'nccl' : 'gloo',
        processes: group.ranksPerPod,
        environment: {},
      };
    }),
  );
  return { nodes, master: { host: podName(names, 0, 0), port: lab.experiment.port } };
}

/** The trainer finds its address by the route to rank 0: no name of a pod is known before it runs, and none of its peers'. */
export function withoutAddresses(argv: readonly string[]): string[] {
  const unknown = new Set(['--address', '--peers']);
  return argv.filter((word, index) => !unknown.has(word) && !unknown.has(argv[index - 1] ?? ''));
}

/** The cluster's name service learns of a pod some seconds after it began; rank 0 listens at its own name. */
const waitForName = (host: string): string[] => [
  'tries=0',
  `while command -v getent >/dev/null && ! getent hosts ${shellQuote(host)} >/dev/null && [ "$tries" -lt 300 ]; do`,
  '  tries=$((tries + 1)); sleep 1',
  'done',
];

/**
 * `commands.sh RANK`. Where rank 0 has saved a checkpoint in the run's folder, all ranks continue from it: a job starts failed
 * pods again.
 */
export function podCommands(lab: LabDocument, groups: readonly PodGroup[], names: PodNames): string {
  const ready = readyPods(lab, groups, names);
  const places = planRanks(ready);
  const folder = runFolderOf(names);
  const checkpoint = `${folder}/rank-0/checkpoint.pth.tar`;
  const header = [
    '#!/bin/sh',
    `# ${places.length} ranks, rendezvous at ${ready.master.host}:${ready.master.port}`,
    'copy_secret() {',
    '  ( umask 077 && cat "$2" >"$1.tmp" && mv -f "$1.tmp" "$1" ) || exit 1',
    '}',
    ...(places.length > 1 ? waitForName(ready.master.host) : []),
    'again=',
    `[ -s ${checkpoint} ] && again='--resume ${checkpoint} --fresh-rank-state'`,
  ];
  const cases = places.map(({ rank }) => {
    const { argv, env } = rankCommand(lab, ready, rank, places.length, { secretFile });
    const words = withoutAddresses(argv);
    const patience = places.length > 1 ? ['--rendezvous-timeout', String(rendezvousSeconds)] : [];
    return rankCase(
      {
        rank,
        argv: [...words.slice(0, 1), ...patience, ...words.slice(1)],
        env,
        directory: `${folder}/rank-${rank}`,
      },
      places.length > 1
        ? [`    copy_secret ${secretFile} ${shellQuote(`${podPaths.secret}/${secretKey}`)}`]
        : [],
      ' $again',
    );
  });
  return casesScript(header, cases);
}

/**
 * What a pod's container executes. It becomes the rank where there is only one; else it waits for all, passes a signal on, and
 * ends with the first code that is not 0.
 */
export const podStart = `#!/bin/sh
first=$((RINGLAB_FIRST_RANK + JOB_COMPLETION_INDEX * RINGLAB_RANKS))
[ "$RINGLAB_RANKS" -eq 1 ] && exec sh ${podPaths.commands}/commands.sh "$first"
ranks=
trap 'for one in $ranks; do kill -TERM "$one" 2>/dev/null; done' TERM INT
rank=$first
while [ "$rank" -lt $((first + RINGLAB_RANKS)) ]; do
  sh ${podPaths.commands}/commands.sh "$rank" &
  ranks="$ranks $!"
  rank=$((rank + 1))
done
code=0
for one in $ranks; do
  while :; do
    wait "$one"; ended=$?
    # A signal ends wait early.
    [ "$ended" -gt 128 ] && kill -0 "$one" 2>/dev/null && continue
    break
  done
  [ "$ended" -ne 0 ] && [ "$code" -eq 0 ] && code=$ended
done
exit "$code"
`;
