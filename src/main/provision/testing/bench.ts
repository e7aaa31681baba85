/** For tests: a provisioner over fake sessions, with separate homes and the trainer of `native/build`. */
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import type { NodeReadiness } from '../../../shared/node/provision.ts';
import { defaultPlacement, emptyLab, type LabDocument, type LabNode } from '../../../shared/lab/lab.ts';
import type { ProvisionerOptions } from '../service/options.ts';
import { createProvisioner } from '../service/provisioner.ts';
import type { Provisioner } from '../service/contract.ts';
import { readSources } from '../trainer/sources.ts';
import { describeBinary, type DescribeBinary } from '../trainer/trainer-shelf.ts';
import { createAsker } from './asker.ts';
import { writeStandInTrainer } from './stand-in-trainer.ts';
import { createLocalShell, type LocalShell, type LocalShellOptions } from '../../ssh/testing/local-shell.ts';

const repository = resolve(import.meta.dirname, '../../../..');
export const nativeSource = join(repository, 'native');
export const trainerBinary = join(nativeSource, 'build', 'ringlab-train');

/** Once for all tests of a file, since it loads libtorch each time. */
const described = new Map<string, ReturnType<DescribeBinary>>();

/** Reports the built trainer as built from the current sources, so that editing them does not trigger a build here. */
export const describeAsCurrent: DescribeBinary = async () => {
  const known = described.get(trainerBinary) ?? describeBinary(trainerBinary);
  described.set(trainerBinary, known);
  const description = await known;
  if (description === undefined) throw new Error(`${trainerBinary} is not built or does not run`);
  const { hash } = await readSources(nativeSource);
  return { ...description, facts: { ...description.facts, source_hash: hash } };
};

export const labOf = (
  names: readonly string[],
  change: Partial<LabDocument['experiment']> = {},
): LabDocument => {
  const lab = emptyLab(`lab-${names.join('-')}`, 'lab');
  const nodes = names.map((name, index): LabNode => ({
    id: `n${index}`,
    name,
    kind: 'cpu',
    position: { x: 0, y: 0 },
    placement: defaultPlacement('cpu'),
    access: { type: 'local' },
  }));
  const data = { type: 'shapes', train: 20, validation: 10, size: 16, seed: 3 } as const;
  return { ...lab, nodes, experiment: { ...lab.experiment, data, ...change } };
};

export interface Bench {
  readonly folder: string;
  readonly provisioner: Provisioner;
  readonly shells: Map<string, LocalShell>;
  readonly changes: NodeReadiness[];
  shell(nodeId: string): LocalShell;
  close(): void;
}

export interface BenchOptions {
  /** Which trainer this computer has; default: the built one. */
  readonly trainer?: 'stand-in' | 'stand-in that probes';
  readonly shell?: (nodeId: string, home: string) => Partial<LocalShellOptions>;
  readonly provisioner?: Partial<ProvisionerOptions>;
  readonly paths?: Partial<ProvisionerOptions['paths']>;
}

export function createBench(options: BenchOptions = {}): Bench {
  const folder = mkdtempSync(join(tmpdir(), 'ringlab-provision-'));
  const shells = new Map<string, LocalShell>();
  const changes: NodeReadiness[] = [];
  const provisioner = createProvisioner({
    reach: {
      session(lab, nodeId) {
        const known = shells.get(nodeId);
        if (known !== undefined) return Promise.resolve(known);
        const home = join(folder, 'nodes', nodeId);
        mkdirSync(home, { recursive: true });
        const name = lab.nodes.find(({ id }) => id === nodeId)?.name ?? nodeId;
        const made = createLocalShell({ home, name, ...options.shell?.(nodeId, home) });
        shells.set(nodeId, made);
        return Promise.resolve(made);
      },
    },
    events: {
      emit(name, data) {
        if (name === 'provision.changed' && 'readiness' in data) changes.push(data.readiness);
      },
    },
    paths: {
      nativeSource,
      trainerBinary:
        options.trainer === undefined
          ? trainerBinary
          : writeStandInTrainer(
              join(folder, 'stand-in'),
              options.trainer === 'stand-in' ? undefined : trainerBinary,
            ),
      data: join(folder, 'app'),
      home: join(folder, 'person'),
      ...options.paths,
    },
    describeBinary: describeAsCurrent,
    prompter: createAsker(),
    // Tests wait for addresses that do not answer.
    connectSeconds: 1.5,
    ...options.provisioner,
  });
  return {
    folder,
    provisioner,
    shells,
    changes,
    shell(nodeId) {
      const shell = shells.get(nodeId);
      if (shell === undefined) throw new Error(`${nodeId} was never reached`);
      return shell;
    },
    close: () => rmSync(folder, { recursive: true, force: true }),
  };
}
