/** For tests: a run service with the real trainer on machines whose addresses change (`moving-machines.ts`). */
import { emptyLab, type Experiment, type LabDocument } from '../../../shared/lab/lab.ts';
import { noNamespaces } from '../../net/testing/lab.ts';
import type { Prompter } from '../../ssh/index.ts';
import { createMovingMachines, type MovingMachine } from './moving-machines.ts';
import { createRealBench, trainerIsBuilt, type RealBench } from './real-services.ts';

/** Why tests with such machines are skipped here; undefined where they run. */
export const noMoves: string | undefined =
  noNamespaces ?? (trainerIsBuilt ? undefined : 'the trainer is not built');

export interface MovingBench extends Pick<RealBench, 'lab' | 'until' | 'process' | 'restart'> {
  readonly app: RealBench['app'];
  machine(index: number): MovingMachine;
  /** The lab as it is drawn now; runs keep the one that they started with. */
  drawn: LabDocument;
  close(): Promise<void>;
}

export async function createMovingBench(
  names: readonly string[],
  {
    host = (machine) => machine.sshAddress(),
    prompter,
    ...change
  }: Partial<Experiment> & { host?: (machine: MovingMachine) => string; prompter?: Prompter },
): Promise<MovingBench> {
  const net = await createMovingMachines(names);
  const lab = emptyLab('lab-moving', 'Moving');
  lab.nodes = net.machines.map((machine) => machine.node(host(machine)));
  lab.experiment = {
    ...lab.experiment,
    architecture: 'shufflenet_v2_x0_5',
    data: { type: 'shapes', train: 84, validation: 21, size: 16, seed: 1 },
    // The test stops the run.
    epochs: 5000,
    batchSize: 21,
    port: 20_000 + Math.floor(Math.random() * 10_000),
    ...change,
  };
  const bench = await createRealBench({
    lab,
    knownHosts: net.machines.map((machine) => machine.knownHostsLine(host(machine))).join('\n'),
    drawn: () => moving.drawn,
    ...(prompter === undefined ? {} : { prompter }),
  });
  const moving: MovingBench = {
    ...{ lab, until: bench.until, process: bench.process, restart: bench.restart },
    drawn: structuredClone(lab),
    get app() {
      return bench.app;
    },
    machine(index) {
      const machine = net.machines[index];
      if (machine === undefined) throw new RangeError(`no machine ${index}`);
      return machine;
    },
    async close() {
      await bench.close();
      await net.close();
    },
  };
  return moving;
}
