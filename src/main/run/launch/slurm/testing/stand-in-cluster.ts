/**
 * For tests: a login node whose `sbatch`, `squeue` and `scancel` are stand-ins, and whose ranks only write lines. One
 * program writes those of all ranks, so that there can be hundreds. Each call of a program is recorded.
 */
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import * as z from 'zod';
import { defaultPlacement, emptyLab, type LabDocument } from '../../../../../shared/lab/lab.ts';
import { newSlurmTarget } from '../../../../../shared/lab/where.ts';
import { createEventLog, type EventLog } from '../../../../base/events.ts';
import type { Provisioner, ReadyNode } from '../../../../provision/index.ts';
import { programsOnly } from '../../../../ssh/testing/local-shell.ts';
import { createRuns, type Runs } from '../../../index.ts';
import { factsOf, killBelow } from '../../../testing/bench.ts';
import { createMemoryStore, type MemoryStore } from '../../../testing/memory-store.ts';
import { createShellReach, type ShellReach } from '../../../testing/shell-session.ts';

/** In the run's folder; `job` is the state that `squeue` prints. */
const ranksProgram = `#!/usr/bin/perl
use strict; use warnings;
my ($steps, $every, $queries) = @ARGV;
my @ranks = sort { substr($a, 5) <=> substr($b, 5) } glob "rank-*";
my @monitors = glob "monitor-*";
my %seq;
sub put { my ($file, $text) = @_; open(my $out, ">", "$file.tmp"); print $out $text; close $out; rename "$file.tmp", $file; }
sub line {
  my ($folder, $kind, $rest) = @_;
  my $seq = $seq{$folder}++;
  open(my $out, ">>", "$folder/metrics.jsonl");
  syswrite $out, sprintf('{"v":1,"seq":%d,"t":%d,"kind":"%s"%s}', $seq, time, $kind, $rest) . "\\n";
  close $out;
}
put("$_/pid", '{"pid":1,"boot_id":"b","start_ticks":1,"attempt":1}' . "\\n") for @ranks;
line($ranks[$_], "start", ",\\"rank\\":$_,\\"start_epoch\\":0,\\"start_step\\":0") for 0 .. $#ranks;
my ($code, $reason, $step) = (0, "finished", 0);
while ($step < $steps) {
  select undef, undef, undef, $every;
  if (-e "../../cluster/stop") { ($code, $reason) = (7, "stopped"); last; }
  line($_, "step", ",\\"epoch\\":0,\\"step\\":$step,\\"loss\\":1.5,\\"top1\\":10") for @ranks;
  line($_, "sample", ",\\"cpu_percent\\":50") for @monitors;
  $step++;
}
sub queries { open(my $calls, "<", "../../cluster/calls") or return 0; return scalar grep { /^squeue / } <$calls>; }
select undef, undef, undef, 0.1 while $code == 0 && queries() < $queries;
my $epochs = $code == 0 ? 1 : 0;
if ($epochs) { line($_, "epoch", ",\\"epoch\\":0,\\"step\\":$step,\\"loss\\":1,\\"best_top1\\":60") for @ranks; }
line($_, "end", ",\\"reason\\":\\"$reason\\",\\"exit_code\\":$code,\\"epochs_completed\\":$epochs,\\"step\\":$step") for @ranks;
put("$_/exit.json", '{"code":' . $code . ',"signal":null,"t":' . time . ',"attempt":1,"oom":false}' . "\\n") for @ranks, @monitors;
put("../../cluster/job", "COMPLETED");
`;

const programs = (folder: string, steps: number, every: number, queries: number): Record<string, string> => {
  const record = `printf '%s %s\\n' "\${0##*/}" "$(date +%s.%N)" >>${folder}/calls`;
  return {
    sbatch: `#!/bin/sh
${record}
printf RUNNING >${folder}/job
setsid perl ${folder}/ranks.pl ${steps} ${every} ${queries} </dev/null >/dev/null 2>${folder}/errors &
echo 7
`,
    squeue: `#!/bin/sh
case $1 in --version) echo 'slurm 20.11.9'; exit 0 ;; esac
${record}
printf '7|%s|None|%s|node[1-9]\\n' "$(cat ${folder}/job)" "$(date +%s)"
`,
    scancel: `#!/bin/sh
${record}
: >${folder}/stop
`,
  };
};

export interface StandInCluster {
  readonly folder: string;
  readonly lab: LabDocument;
  readonly store: MemoryStore;
  readonly events: EventLog;
  readonly reach: ShellReach;
  readonly runs: Runs;
  /** What was called: program and Unix seconds. */
  calls(): Promise<(readonly [program: string, at: number])[]>;
  close(): Promise<void>;
}

const Called = z.tuple([z.string(), z.coerce.number()]);

export async function createStandInCluster(options: {
  readonly folder: string;
  readonly nodes: number;
  readonly steps: number;
  /** Seconds between two steps. */
  readonly every: number;
  /** The job does not end before `squeue` was called so often. */
  readonly queries?: number;
}): Promise<StandInCluster> {
  const { folder, steps, every, queries = 0 } = options;
  const home = join(folder, 'home');
  const cluster = join(home, '.ringlab', 'cluster');
  await mkdir(cluster, { recursive: true });
  await writeFile(join(cluster, 'ranks.pl'), ranksProgram);
  const path = programsOnly(join(folder, 'bin'), programs(cluster, steps, every, queries));
  const lab = emptyLab('lab-cluster', 'Many nodes');
  lab.nodes = Array.from({ length: options.nodes }, (_, index) => ({
    id: `n${index}`,
    name: `N${index + 1}`,
    kind: 'cpu',
    position: { x: 0, y: 0 },
    placement: defaultPlacement('cpu'),
    access: { type: 'local' },
  }));
  const where = newSlurmTarget();
  lab.experiment = {
    ...lab.experiment,
    epochs: 1,
    batchSize: options.nodes,
    where: { ...where, login: { ...where.login, host: 'login.test', user: 'student' } },
  };
  const ready = lab.nodes.map((node): ReadyNode => ({
    node,
    facts: { ...factsOf(home), bootId: `boot ${node.id}` },
    trainer: '/bin/true',
    data: '/data',
    address: '$RINGLAB_ADDRESS',
    backend: 'gloo',
    processes: 1,
    environment: {},
  }));
  const provisioner: Provisioner = {
    prepare: () => Promise.resolve({ nodes: ready, master: { host: '$MASTER_ADDR', port: 29_500 } }),
    probe: () => Promise.resolve(factsOf(home)),
    lock: () => Promise.resolve([]),
    bundle: () => Promise.reject(new Error('not used here')),
    takeBundle: () => Promise.reject(new Error('not used here')),
    plan: () => Promise.resolve([]),
    remove: () => Promise.reject(new Error('not used here')),
    reboot: () => Promise.resolve(),
    status: () => [],
    forget: () => undefined,
  };
  const reach = createShellReach(new Map(lab.nodes.map(({ id }) => [id, { home, path }])));
  const store = createMemoryStore(folder);
  const events = createEventLog();
  const runs = createRuns({ store, reach, provisioner, events });
  return {
    ...{ folder, lab, store, events, reach, runs },
    async calls() {
      const text = await readFile(join(cluster, 'calls'), 'utf8').catch(() => '');
      return text
        .trimEnd()
        .split('\n')
        .filter((line) => line !== '')
        .map((line) => Called.parse(line.split(' ')));
    },
    async close() {
      await runs.close();
      await killBelow(folder);
    },
  };
}
