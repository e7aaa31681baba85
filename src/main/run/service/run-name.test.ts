import { describe, expect, it } from 'vitest';
import { emptyLab, type Experiment, type LabDocument } from '../../../shared/lab/lab.ts';
import { withOwnName } from './run-name.ts';

let created = 0;
const run = (change: Partial<Experiment> = {}, name = 'Ring', nodes: LabDocument['nodes'] = []) => {
  const lab = emptyLab('lab', 'Ring');
  created += 1;
  return { name, createdAt: created, lab: { ...lab, nodes, experiment: { ...lab.experiment, ...change } } };
};

/** The names of runs that are started one after the other. */
const namesOf = (...runs: ReturnType<typeof run>[]): string[] => {
  const named: ReturnType<typeof run>[] = [];
  for (const one of runs) named.push(withOwnName(one, named));
  return named.map(({ name }) => name);
};

describe('a run is named by what distinguishes it', () => {
  it('from the lab’s first run, the newest change first', () => {
    expect(
      namesOf(
        run({ learningRate: 0.1 }),
        run({ learningRate: 0.05 }),
        run({ learningRate: 0.05, batchSize: 64 }),
        run({ learningRate: 0.1 }),
        run({ learningRate: 0.05 }),
      ),
    ).toEqual(['Ring', 'Ring · lr 0.05', 'Ring · batch 64, lr 0.05', 'Ring · 2', 'Ring · lr 0.05 · 2']);
  });

  it('also by its data, whose address keeps its end', () => {
    const path = `/data/${'a'.repeat(60)}/imagenette`;
    const [, named] = namesOf(
      run(),
      run({ data: { ...run().lab.experiment.data, type: 'folder', path } as never }),
    );
    expect(named).toMatch(/^Ring · (data )?…a+\/imagenette/);
  });

  it('by the arguments of its script', () => {
    const script = (words: string) =>
      run({
        script: { source: { type: 'folder', path: '/s' }, file: 'train.py', arguments: words } as never,
      });
    expect(namesOf(script('--lr 0.1 --wd 1'), script('--lr 0.2 --wd 1'))).toEqual([
      'Ring',
      'Ring · --lr 0.2',
    ]);
    const own = run({
      runtime: { type: 'existing', path: '/opt/py' } as never,
      script: script('').lab.experiment.script,
    });
    expect(namesOf(script('10 fast'), own)).toEqual(['Ring', 'Ring · /opt/py']);
  });

  it('by its mode as it was chosen, not by what auto made of it', () => {
    const auto = (sync: string) => ({ ...run({ sync }), estimate: { asked: 'auto' } as never });
    const long = 'local:4,stream=0.05,overlap=4,adapt=0.156';
    expect(namesOf(auto('allreduce'), auto(long), run({ sync: long }))).toEqual([
      'Ring',
      'Ring · 2',
      'Ring · local:4,stream=0.05,overlap=4,a…',
    ]);
  });

  it('without saying again what its name says', () => {
    const script = { source: { type: 'folder', path: '/s' }, file: 'train.py', arguments: '' } as never;
    expect(namesOf(run(), run({ script }, 'Ring · train.py'), run({ script }, 'Ring · train.py'))).toEqual([
      'Ring',
      'Ring · train.py · wheels',
      'Ring · train.py · wheels · 2',
    ]);
  });

  it('as in its sweep where it has one, and never as another run', () => {
    const swept = run({ learningRate: 0.05 });
    expect(withOwnName(swept, [run()], 'lr 0.05').name).toBe('Ring · lr 0.05');
    expect(withOwnName(swept, [], 'lr 0.05').name).toBe('Ring · lr 0.05');
    expect(withOwnName(swept, [run({}, 'Ring · lr 0.05')], 'lr 0.05').name).toBe('Ring · lr 0.05 · 2');
    const long = run({}, 'x'.repeat(120));
    expect(withOwnName(long, [long]).name).toBe(`${'x'.repeat(115)}… · 2`);
  });
});
