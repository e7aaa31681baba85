/**
 * For tests: the libraries step of `runtime: wheels` on fake nodes, with the real uv and small indexes on the loopback.
 * uv comes once from PyPI and is kept in `.cache/uv`.
 */
import { existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, symlinkSync } from 'node:fs';
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
import type { BundleStore } from '../bundle/contract.ts';
import type { NodeWork, Step } from '../engine/step.ts';
import {
  createCondaRuntime,
  createLockBook,
  createUvKeeper,
  createWheelsRuntime,
  systemRuntime,
} from '../runtime/index.ts';
import { createBundleStep } from '../service/bundle-maker.ts';
import { createLibrariesStep } from '../runtime/libraries.ts';
import { createFactsStep } from '../steps/facts.ts';
import { labOf } from './bench.ts';
import { runSteps, stepRun } from './step-run.ts';
import { linesIn } from '../../../shared/base/phrase.ts';

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
  readonly summary: string;
  readonly uploads: readonly { readonly path: string; readonly sent: number }[];
}

interface On extends Pick<LocalShellOptions, 'through'> {
  /** Names the home. */
  readonly node?: string;
  readonly programs?: Readonly<Record<string, string>>;
  /** The node has no Python. */
  readonly withoutPython?: boolean;
  /** For nodes without internet. */
  readonly bundle?: BundleStore;
  /** In place of the libraries step. */
  readonly last?: Step;
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
  /** The step of `ringlab bundle`. */
  bundling(store: BundleStore, cuda?: string): Step;
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
  const wheels = createWheelsRuntime({ uv: keeper, home: folder, shared });
  const libraries = (): Step => createLibrariesStep(systemClock, systemRuntime, wheels);
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
    bundling: (store, cuda) =>
      createBundleStep({
        store,
        cuda,
        conda: createCondaRuntime({
          bundle: store,
          locks: createLockBook(join(folder, 'locks')),
          micromamba: join(folder, 'micromamba'),
          clock: systemClock,
        }),
        wheels,
        // A script needs no trainer of its own where this computer's program runs.
        shelf: {
          find: () => Promise.resolve(undefined),
          plain: () => Promise.resolve({ path: '', sha256: '', origin: undefined }),
        },
        sources: () => Promise.resolve({ hash: 'h' }),
        clock: systemClock,
      }),
    async prepare(lab, on = {}) {
      const { node = 'n0', programs = {}, through, withoutPython = false, bundle, last = libraries() } = on;
      const home = join(folder, 'nodes', node);
      mkdirSync(home, { recursive: true });
      const system = withoutPython ? linksWithoutPython(join(folder, 'no-python')) : '/usr/bin:/bin';
      const path = `${programsOnly(join(home, 'programs'), programs)}:${system}`;
      const shell = createLocalShell({ home, path, ...(through === undefined ? {} : { through }) });
      const run = { ...stepRun(lab, shell, { nodeId: node }), bundle };
      const failed = await runSteps([createFactsStep(systemClock), last], run);
      const { log, summary } = run.status.step('libraries').snapshot();
      return { failed, work: run.work, log: linesIn(log, 'en'), summary: summary.en, uploads: shell.uploads };
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

/** This system's programs but for Python. */
function linksWithoutPython(to: string): string {
  if (existsSync(to)) return to;
  mkdirSync(to);
  for (const folder of ['/usr/bin', '/bin'])
    for (const name of readdirSync(folder))
      if (!/^(python|pypy|graalpy)/.test(name) && !existsSync(join(to, name)))
        symlinkSync(join(folder, name), join(to, name));
  return to;
}
