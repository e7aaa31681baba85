/**
 * For tests: the libraries step of `runtime: wheels` on fake nodes, with the real uv and small indexes on the loopback.
 * uv comes once from PyPI and is kept in `.cache/uv`.
 */
import { existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import type { LabDocument } from '../../../shared/lab/lab.ts';
import type { Script } from '../../../shared/lab/script.ts';
import { systemClock } from '../../base/clock.ts';
import { createLocalShell, programsOnly, type LocalShellOptions } from '../../ssh/testing/local-shell.ts';
import {
  plainWheel,
  startIndex,
  type SmallIndex,
  type SmallWheel,
} from '../../transfer/testing/small-index.ts';
import type { NodeWork, Step } from '../engine/step.ts';
import { createUvKeeper, createWheelsRuntime, systemRuntime } from '../runtime/index.ts';
import { createLibrariesStep } from '../runtime/libraries.ts';
import { createFactsStep } from '../steps/facts.ts';
import { labOf } from './bench.ts';
import { runSteps, stepRun } from './step-run.ts';

const keeper = createUvKeeper(resolve(import.meta.dirname, '../../../../.cache/uv'));
const arch = process.arch === 'arm64' ? 'aarch64' : 'x86_64';
/** False where uv is not in `.cache/uv` and PyPI is not reached. */
export const haveUv = await keeper
  .get(arch, ['https://pypi.org/simple'], () => undefined)
  .then(
    () => true,
    () => false,
  );

export const plainScript: Script = { source: { type: 'folder', path: '' }, file: 'train.py', arguments: '' };

interface Tried {
  readonly failed: unknown;
  readonly work: NodeWork;
  readonly log: string;
}

interface On extends Pick<LocalShellOptions, 'through'> {
  /** Names the home. */
  readonly node?: string;
  readonly programs?: Readonly<Record<string, string>>;
}

export interface WheelsBench {
  readonly folder: string;
  indexOf(...wheels: SmallWheel[]): Promise<SmallIndex>;
  labWith(
    list: readonly SmallIndex[],
    change?: Partial<LabDocument['experiment']>,
    where?: 'here' | 'remote' | 'gpu',
  ): LabDocument;
  libraries(): Step;
  /** Facts and libraries on one node. */
  prepare(lab: LabDocument, on?: On): Promise<Tried>;
  /** Environments of a node's. */
  wheelsIn(node?: string): string[];
  close(): Promise<void>;
}

export function createWheelsBench(): WheelsBench {
  const folder = mkdtempSync(join(tmpdir(), 'ringlab-wheels-'));
  const indexes: SmallIndex[] = [];
  const shared = join(folder, 'data', 'wheels');
  const libraries = (): Step =>
    createLibrariesStep(
      systemClock,
      systemRuntime,
      createWheelsRuntime({ uv: keeper, home: folder, shared }),
    );
  return {
    folder,
    libraries,
    async indexOf(...wheels) {
      const made = await startIndex([plainWheel('numpy', '2.0.0'), ...wheels]);
      indexes.push(made);
      return made;
    },
    labWith(list, change = {}, where = 'here') {
      const lab = labOf(['anna'], {
        runtime: { type: 'wheels', indexes: list.map(({ index }) => index) },
        script: { ...plainScript, install: { type: 'none' } },
        ...change,
      });
      const access = {
        type: 'ssh',
        host: 'n',
        port: 22,
        user: 'u',
        authentication: { method: 'agent' },
      } as const;
      const kind = where === 'gpu' ? 'gpu' : 'cpu';
      return where === 'here' ? lab : { ...lab, nodes: lab.nodes.map((node) => ({ ...node, kind, access })) };
    },
    async prepare(lab, { node = 'n0', programs = {}, through } = {}) {
      const home = join(folder, 'nodes', node);
      mkdirSync(home, { recursive: true });
      const path = `${programsOnly(join(home, 'programs'), programs)}:/usr/bin:/bin`;
      const shell = createLocalShell({ home, path, ...(through === undefined ? {} : { through }) });
      const run = stepRun(lab, shell, { nodeId: node });
      const failed = await runSteps([createFactsStep(systemClock), libraries()], run);
      return { failed, work: run.work, log: run.status.step('libraries').snapshot().log.join('\n') };
    },
    wheelsIn(node = 'n0') {
      const place = join(folder, 'nodes', node, '.ringlab', 'wheels');
      const ofUv = new Set(['cache', 'python']);
      return existsSync(place) ? readdirSync(place).filter((name) => !ofUv.has(name)) : [];
    },
    async close() {
      await Promise.all(indexes.map((one) => one.close()));
      rmSync(folder, { recursive: true, force: true });
    },
  };
}
