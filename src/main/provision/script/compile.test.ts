/** Which Python's word ends a run before its libraries are installed: none that may be older than the script's. */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import type { Runtime } from '../../../shared/lab/runtime.ts';
import { systemClock } from '../../base/clock.ts';
import { createCodeShelf } from '../../code/index.ts';
import { createLocalShell, programsOnly } from '../../ssh/testing/local-shell.ts';
import type { BundleStore } from '../bundle/contract.ts';
import { createFactsStep } from '../steps/facts.ts';
import { labOf } from '../testing/bench.ts';
import { runSteps, stepRun } from '../testing/step-run.ts';
import { createCodeStep, createNodeClones, createScriptCode } from './index.ts';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'ringlab-compile-'));
  mkdirSync(join(folder, 'project'));
  writeFileSync(join(folder, 'project', 'train.py'), 'print(f"lr {cfg["lr"]}")\n');
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

interface Case {
  readonly runtime: Runtime;
  /** The minor version of the node's own Python. */
  readonly own: number;
  readonly requirements?: string;
  /** The Python of an environment in the bundle. */
  readonly bundled?: string;
}

/** The code step's error on a node whose own Python refuses the script. */
async function refusal({ runtime, own, requirements, bundled }: Case): Promise<unknown> {
  const said = 'echo "  File \\"train.py\\", line 1" >&2; echo "SyntaxError: f-string: unmatched" >&2';
  const python3 = `#!/bin/sh\necho "python 3.${own}"\n${said}\nexit 3\n`;
  if (requirements !== undefined) writeFileSync(join(folder, 'project', 'requirements.txt'), requirements);
  const source = { type: 'folder', path: join(folder, 'project') } as const;
  const lab = labOf(['anna'], { script: { source, file: 'train.py', arguments: '' }, runtime });
  const home = join(folder, 'home');
  mkdirSync(home);
  const path = `${programsOnly(join(folder, 'programs'), { python3 })}:/usr/bin:/bin`;
  const code = createScriptCode(createCodeShelf(join(folder, 'code'), folder), lab, undefined);
  // As much of a bundle as is read.
  const bundle = {
    read: () => Promise.resolve({ wheels: bundled === undefined ? [] : [{ python: bundled }] }),
  };
  const run = {
    ...stepRun(lab, createLocalShell({ home, path })),
    code,
    bundle: bundle as unknown as BundleStore,
  };
  return await runSteps([createFactsStep(systemClock), createCodeStep(createNodeClones())], run);
}

it.each<[string, Case]>([
  ['an existing environment', { runtime: { type: 'existing', path: '/opt/py312' }, own: 11 }],
  ['wheels of a Python that is named', { runtime: { type: 'wheels', python: '3.12' }, own: 11 }],
  ['wheels of a PyTorch that has none for it', { runtime: { type: 'wheels', torch: '2.15.0' }, own: 10 }],
  ['one that requirements name', { runtime: { type: 'wheels' }, own: 10, requirements: 'torch==2.15.0\n' }],
  ['any wheels', { runtime: { type: 'wheels' }, own: 9 }],
  ['wheels of a bundle', { runtime: { type: 'wheels' }, own: 11, bundled: '3.12' }],
])('for %s an older Python does not decide', async (_, one) => {
  expect(await refusal(one)).toBeUndefined();
});

it.each<[string, Case]>([
  ['a Python that is named', { runtime: { type: 'wheels', python: '3.11' }, own: 11 }],
  ['a PyTorch that is named', { runtime: { type: 'wheels', torch: '2.15.0' }, own: 11 }],
  ['PyPI', { runtime: { type: 'wheels' }, own: 10 }],
  ['a bundle', { runtime: { type: 'wheels' }, own: 12, bundled: '3.12' }],
])('for wheels of %s the one that they are installed for does', async (_, one) => {
  expect(await refusal(one)).toMatchObject({
    code: 'script_syntax',
    params: { said: 'line 1: SyntaxError: f-string: unmatched' },
  });
});
