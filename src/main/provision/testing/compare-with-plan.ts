/**
 * For tests: plans a step on a node made of files, runs it, and returns its session's commands beside the plan.
 * Read-only commands are not planned; they are listed here, so that a new unplanned command is noticed.
 */
import { execFileSync } from 'node:child_process';
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { lineIn } from '../../../shared/base/phrase.ts';
import type { LabDocument } from '../../../shared/lab/lab.ts';
import type { NodeFacts, PlannedStep } from '../../../shared/node/provision.ts';
import { createLocalShell, programsOnly } from '../../ssh/testing/local-shell.ts';
import { systemClock } from '../../base/clock.ts';
import { planStep, runStep, type StepRun } from '../engine/engine.ts';
import { factsScript } from '../node/facts-script.ts';
import { lookingSteps } from '../steps/node-steps.ts';
import type { NodeWork, Step } from '../engine/step.ts';
import { stepRun } from './step-run.ts';
import { labOf } from './bench.ts';

/** Read-only commands that a step may run without planning. */
const looks: readonly RegExp[] = [
  /^d='?[^;]*; while \[ ! -d "\$d" \].*df -Pk/,
  /^curl -fsSIL --connect-timeout 15 /,
  /^\nurl=[^]*-o \/dev\/null -w '%\{http_code\}/,
  /^\ncommand -v bash [^]*\/dev\/tcp\/[^]*\n {2}wait\n\}\n$/,
  /^sha256sum < /,
  // Looks for a running installation.
  /^\[ -e \S+ \] \|\| \[ -e \S+ \]$/,
  /^\n?t=[^]*"\$t" --version 2>&1\n[^]*why=\$\("\$t" facts --load [^\n]*\n$/,
  /^\ncd \S+ 2>\/dev\/null \|\| \{ echo "missing=\."[^]*\ndone\n$/,
  /^cat \S+ 2>\/dev\/null$/,
  // What an earlier attempt left of an archive.
  /^cat \S+ 2>\/dev\/null && exit\nfor file in [^\n]*\nfor left in [^\n]*\bdu -sk [^\n]*$/,
  // Looks for micromamba and the libraries.
  /^\nfor program in "\$\(command -v micromamba\)"/,
  /^\nPATH="\$PATH:\/usr\/sbin:\/sbin"\nlist=\$\(ldconfig -p/,
];
const isLook = (script: string): boolean => script === factsScript || looks.some((look) => look.test(script));

const unquoted = (word: string): string =>
  word.startsWith("'") ? word.slice(1, -1).replaceAll(`'\\''`, `'`) : word;

/** Without the wrappers for root and for lasting work (lasting.ts). */
function bare(script: string): string {
  const sudo = /^sudo -n sh -c ('[^]*')$/.exec(script)?.[1];
  const own = sudo === undefined ? script : unquoted(sudo).replace(/^exec <\/dev\/null\n/, '');
  const lasting = /^\nwork=([^]*?)\nd=\S+ stop=\S+ key=[0-9a-f]{64}\n/.exec(own)?.[1];
  return lasting === undefined ? own : unquoted(lasting);
}

export interface Compared {
  readonly planned: PlannedStep;
  /** In the order in which they were planned, and in which they ran. */
  readonly commands: readonly string[];
  readonly ran: readonly string[];
  /** Where the planned uploads go, and where something was sent. */
  readonly uploads: readonly string[];
  readonly sent: readonly string[];
  readonly failed: unknown;
  readonly work: NodeWork;
}

export interface CompareOptions {
  readonly lab?: LabDocument;
  readonly programs?: Record<string, string>;
  readonly facts?: Partial<NodeFacts>;
  readonly work?: Partial<NodeWork>;
}

/** Plans the step, runs it, and returns both results. */
export async function compareWithPlan(
  folder: string,
  step: Step,
  { lab = labOf(['anna']), programs = {}, facts = {}, work: known = {} }: CompareOptions = {},
): Promise<Compared> {
  const home = join(folder, 'home');
  mkdirSync(home, { recursive: true });
  const path = `${programsOnly(join(folder, 'programs'), programs)}:${process.env.PATH ?? ''}`;
  const shell = createLocalShell({ home, path });
  const run = (work: NodeWork): StepRun => stepRun(lab, shell, { nodeId: 'n0', work });
  const work: NodeWork = {};
  for (const first of lookingSteps(systemClock)) await runStep(first, run(work));
  Object.assign(work, { facts: { ...work.facts, ...facts } }, known);
  const before = listing(home);
  const begin = shell.scripts.length;
  // Results of a dry run are discarded.
  const planned = await planStep(step, run({ ...work }));
  if (listing(home) !== before || shell.uploads.length > 0)
    throw new Error(`the dry run of ${step.id} changed the node: ${listing(home)}`);
  const done = shell.scripts.length;
  const looked = new Set(shell.scripts.slice(begin, done));
  let failed: unknown;
  await runStep(step, run(work)).catch((error: unknown) => (failed = error));
  const commands = planned.changes.map(({ command }) => lineIn(command, 'en')).filter((one) => one !== '');
  const targets = commands.flatMap((one) => /^upload .+ → (\/.+)$/.exec(one)?.[1] ?? []);
  const ran = shell.scripts
    .slice(done)
    .filter((script) => !looked.has(script) && !isLook(script))
    .map(bare);
  return {
    planned,
    commands: commands.filter((one) => !one.startsWith('upload ')),
    ran,
    uploads: targets,
    sent: shell.uploads.map((one) => one.path),
    failed,
    work,
  };
}
const listing = (place: string): string =>
  execFileSync('find', [place, '-printf', '%p %s %T@\n'], { encoding: 'utf8' });
