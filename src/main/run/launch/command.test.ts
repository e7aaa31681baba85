import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { emptyLab, type Experiment } from '../../../shared/lab/lab.ts';
import { runRecord } from '../../../shared/run/run.fixture.ts';
import type { RunRecord } from '../../../shared/run/run.ts';
import type { ReadyLab, ReadyNode } from '../../provision/index.ts';
import { commandScript } from './command-script.ts';
import {
  inRankOrder,
  monitorCommand,
  planRanks,
  rankCommand,
  threadsPerRank,
  withLostRankPolicy,
} from './command.ts';
import { readyNode } from '../testing/ready-node.ts';

const node = (id: string, processes: number, bootId: string, cpus: number): ReadyNode =>
  readyNode(
    id,
    { bootId, cpus },
    { data: '/data/it’s here', processes, environment: { LD_LIBRARY_PATH: '/opt/lib' } },
  );
const ready: ReadyLab = {
  nodes: [node('a', 2, 'boot-1', 8), node('b', 1, 'boot-1', 8), node('c', 1, 'boot-2', 3)],
  master: { host: '10.0.0.1', port: 8091 },
};
const empty = emptyLab('lab', 'Lab');
const lab = { ...empty, experiment: { ...empty.experiment, epochs: 5, learningRate: 0.05 } };
const after = (argv: readonly string[], name: string): string | undefined => argv[argv.indexOf(name) + 1];

describe('the order of ranks', () => {
  const order = (ids: readonly string[] | undefined): string[] =>
    planRanks(inRankOrder(ready, ids)).map(
      ({ rank, localRank, ready: { node: at } }) => `${rank} ${at.id}${localRank}`,
    );

  it('is the run’s, with a node’s ranks together, else that of the document', () => {
    expect(order(undefined)).toEqual(['0 a0', '1 a1', '2 b0', '3 c0']);
    expect(order(['a', 'c', 'b'])).toEqual(['0 a0', '1 a1', '2 c0', '3 b0']);
    // A node that is missing in the run's order comes last, so that every node has its ranks.
    expect(order(['a', 'c'])).toEqual(['0 a0', '1 a1', '2 c0', '3 b0']);
  });
});

describe('the command of a rank', () => {
  it('lets the other ranks go on where one is lost, over Gloo, if the experiment says so', () => {
    const goesOn = { ...lab, experiment: { ...lab.experiment, onLostRank: 'continue' as const } };
    const { argv } = rankCommand(goesOn, ready, 1, 4);
    expect(after(argv, '--on-lost-rank')).toBe('continue');
    expect(after(argv, '--dist-backend')).toBe('gloo');
    expect(rankCommand(lab, ready, 1, 4).argv).not.toContain('--on-lost-rank');
    expect(rankCommand(goesOn, ready, 0, 1).argv).not.toContain('--on-lost-rank');
  });

  it('lets the ranks that go on keep the global batch, if the experiment says so', () => {
    const keeps = (onLostRank: Experiment['onLostRank'], keepGlobalBatch?: boolean, ranks = 4): boolean =>
      rankCommand(
        { ...lab, experiment: { ...lab.experiment, onLostRank, keepGlobalBatch } },
        ready,
        0,
        ranks,
      ).argv.includes('--keep-global-batch');
    expect(keeps('continue', true)).toBe(true);
    expect(keeps('continue')).toBe(false);
    expect(keeps('continue', false)).toBe(false);
    expect(keeps('restart', true)).toBe(false);
    expect(keeps('continue', true, 1)).toBe(false);
  });

  it('lets the ranks that are left save before supervisors restart all, over Gloo and with whole data', () => {
    const restarts = { ...lab, experiment: { ...lab.experiment, onLostRank: 'restart' as const } };
    const onLost = (of: typeof restarts, supervised: boolean): string | undefined => {
      const { argv } = rankCommand(of, ready, 1, 4, { supervised });
      return argv.includes('--on-lost-rank') ? after(argv, '--on-lost-rank') : undefined;
    };
    expect(onLost(restarts, true)).toBe('save');
    expect(onLost(restarts, false)).toBeUndefined();
    const { experiment } = restarts;
    expect(onLost({ ...restarts, experiment: { ...experiment, backend: 'nccl' } }, true)).toBeUndefined();
    const split = { type: 'folder', path: '/data', split: true } as const;
    expect(onLost({ ...restarts, experiment: { ...experiment, data: split } }, true)).toBeUndefined();
  });

  it('uses NCCL only where it was verified, for GPUs with one rank each', () => {
    const withGpus = (
      id: string,
      gpus: number,
      bootId: string,
      change: Partial<ReadyNode> = {},
    ): ReadyNode => {
      const plain = node(id, 2, bootId, 8);
      return {
        ...plain,
        facts: {
          ...plain.facts,
          gpus: Array.from({ length: gpus }, (_, index) => ({ index, name: 'NVIDIA H200' })),
        },
        backend: 'nccl',
        ...change,
      };
    };
    const backend = (...nodes: ReadyNode[]): string | undefined =>
      after(rankCommand(lab, { ...ready, nodes }, 0, 4).argv, '--dist-backend');
    expect(backend(withGpus('a', 2, 'one'), withGpus('b', 2, 'two'))).toBe('nccl');
    // A default does not take it away.
    const policy = (run: Partial<RunRecord>, ...nodes: ReadyNode[]): string | undefined =>
      withLostRankPolicy(runRecord('r', { lab, ...run }), { ...ready, nodes }).experiment.onLostRank;
    const useNccl = [withGpus('a', 2, 'one'), withGpus('b', 2, 'two')];
    const useGloo = [withGpus('a', 2, 'one'), withGpus('b', 2, 'one')];
    expect(policy({}, ...useNccl)).toBe('stop');
    expect(policy({}, ...useGloo)).toBe('continue');
    expect(policy({ onLostRank: 'continue' }, ...useNccl)).toBe('stop');
    // Once a rank was lost, any may have the newest checkpoint, also where a node with a GPU has taken the place of one without.
    const recovery = { restarts: [] };
    expect(policy({ onLostRank: 'continue', recovery }, ...useNccl)).toBe('continue');
    expect(policy({ onLostRank: 'stop', recovery }, ...useGloo)).toBe('continue');
    expect(backend(withGpus('a', 2, 'one'), withGpus('b', 1, 'two'))).toBe('gloo');
    expect(backend(withGpus('a', 2, 'one'), withGpus('b', 2, 'one'))).toBe('gloo');
    expect(backend(withGpus('a', 2, 'one'), withGpus('b', 2, 'two', { backend: 'gloo' }))).toBe('gloo');
  });

  it('is main.py’s with the lab’s experiment', () => {
    const { argv, env } = rankCommand(lab, ready, 1, 4, { secretFile: 'secret-1' });
    expect(argv.join(' ')).toBe(
      'nice -n 5 /opt/ringlab-train -a resnet18 --sync allreduce --epochs 5 -b 24 --lr 0.05 --momentum 0.9 --wd 0.0001 ' +
        '--step-size 30 --gamma 0.1 --seed 1 --dist-backend gloo -j 1 ' +
        '--world-size 4 --rank 1 --local-rank 1 --dist-url tcp://10.0.0.1:8091 --address 10.0.0.1 --secret-file secret-1 --threads 2 --metrics metrics.jsonl --image-size 32 /data/it’s here',
    );
    expect(env).toEqual({ LD_LIBRARY_PATH: '/opt/lib', OMP_NUM_THREADS: '2' });
  });

  it('is started by a supervisor where the run restarts by itself: the rank’s own options follow', () => {
    const plain = rankCommand(lab, ready, 1, 4, { secretFile: 'secret-1' }).argv;
    const { argv } = rankCommand(lab, ready, 1, 4, { secretFile: 'secret-1', supervised: true });
    expect(argv.slice(0, 8)).toEqual([
      'nice',
      '-n',
      '5',
      '/opt/ringlab-train',
      'supervise',
      '--restarts-per-hour',
      '12',
      '--',
    ]);
    expect(argv.slice(8)).toEqual(plain.slice(4));
    const rare = { ...lab, experiment: { ...lab.experiment, restartsPerHour: 2 } };
    expect(after(rankCommand(rare, ready, 0, 4, { supervised: true }).argv, '--restarts-per-hour')).toBe('2');
  });

  it('lets rank 0 accept connections from the nodes’ addresses only', () => {
    const nodes = ready.nodes.map((one, index) => ({ ...one, address: `10.0.0.${index + 1}` }));
    const apart = { ...ready, nodes };
    expect(after(rankCommand(lab, apart, 0, 4).argv, '--peers')).toBe('10.0.0.1,10.0.0.2,10.0.0.3');
    expect(rankCommand(lab, apart, 1, 4).argv).not.toContain('--peers');
    expect(rankCommand(lab, apart, 0, 1, { secretFile: 's' }).argv).not.toContain('--secret-file');
  });

  it('gives NCCL the interface of the address that the others use', () => {
    const [a] = ready.nodes;
    const addresses = [
      { interface: 'eth0', address: '10.0.0.10' },
      { interface: 'ib0', address: '10.0.0.1' },
    ];
    const wide = { ...ready, nodes: [{ ...a!, facts: { ...a!.facts, addresses } }] };
    const nccl = { ...lab, experiment: { ...lab.experiment, backend: 'nccl' as const } };
    expect(rankCommand(nccl, wide, 0, 1).env.NCCL_SOCKET_IFNAME).toBe('=ib0');
    const gloo = { ...lab, experiment: { ...lab.experiment, backend: 'gloo' as const } };
    expect(rankCommand(gloo, wide, 0, 1).env).not.toHaveProperty('NCCL_SOCKET_IFNAME');
    // The address of an emulated network is not an interface's.
    expect(rankCommand(nccl, ready, 0, 1).env).not.toHaveProperty('NCCL_SOCKET_IFNAME');
  });

  it.each(['nccl', 'gloo', 'auto'] as const)(
    'keeps NCCL’s data on the sockets of an encrypted lab’s tunnel: its other networks go around it (backend %s)',
    (backend) => {
      const nodes = ready.nodes.map((one) => ({ ...one, interface: 'rlwg01' }));
      const own = { ...lab, experiment: { ...lab.experiment, backend } };
      expect(rankCommand(own, { ...ready, nodes }, 0, 4).env).toMatchObject({
        NCCL_SOCKET_IFNAME: '=rlwg01',
        NCCL_NET: 'Socket',
        NCCL_IB_DISABLE: '1',
      });
      expect(rankCommand(own, ready, 0, 4).env).not.toHaveProperty('NCCL_NET');
    },
  );

  it('states that a node has only its part of the data', () => {
    const data = { type: 'upload', path: '/data', split: true } as const;
    const divided = { ...lab, experiment: { ...lab.experiment, data } };
    expect(rankCommand(divided, ready, 0, 4).argv).toContain('--sharded-data');
    expect(rankCommand(lab, ready, 0, 4).argv).not.toContain('--sharded-data');
  });

  it('reserves cores for the window on this computer, and uses all of another node', () => {
    const [a] = ready.nodes;
    const ssh = {
      type: 'ssh' as const,
      host: 'n1',
      port: 22,
      user: 'me',
      authentication: { method: 'agent' as const },
    };
    const remote = { ...ready, nodes: [{ ...a!, node: { ...a!.node, access: ssh } }] };
    expect(rankCommand(lab, remote, 0, 2).argv[0]).toBe('/opt/ringlab-train');
  });

  it('numbers ranks in document order, starting at 0 on each node', () => {
    expect(
      planRanks(ready).map(({ rank, localRank, ready: place }) => [rank, localRank, place.node.id]),
    ).toEqual([
      [0, 0, 'a'],
      [1, 1, 'a'],
      [2, 0, 'b'],
      [3, 0, 'c'],
    ]);
  });

  it('divides the cores of one machine among all nodes on it', () => {
    expect(ready.nodes.map((place) => threadsPerRank(ready, place))).toEqual([2, 2, 3]);
    expect(threadsPerRank({ ...ready, nodes: [node('x', 9, 'b', 4)] }, node('x', 9, 'b', 4))).toBe(1);
  });

  it('gives the ranks of a container no more threads than its limit has cores, whatever the machine has', () => {
    const inside = (id: string, hostname: string, processes: number): ReadyNode => {
      const place = node(id, processes, 'boot-1', 64);
      return { ...place, facts: { ...place.facts, hostname, limits: { cpus: 4.5 } } };
    };
    const nodes = [inside('a', 'box-1', 2), inside('b', 'box-2', 1), inside('c', 'box-2', 1)];
    expect(nodes.map((place) => threadsPerRank({ ...ready, nodes }, place))).toEqual([2, 2, 2]);
    expect(threadsPerRank({ ...ready, nodes: nodes.slice(0, 2) }, nodes[1]!)).toBe(4);
  });

  it('resumes from rank 0’s checkpoint, omits a folder’s image size, and puts IPv6 into brackets', () => {
    const folder = {
      ...lab,
      experiment: { ...lab.experiment, data: { type: 'folder' as const, path: '/d' } },
    };
    const { argv } = rankCommand(folder, { ...ready, master: { host: 'fe80::1', port: 1 } }, 0, 4, {
      resume: { path: 'checkpoint.pth.tar', fresh: false },
    });
    expect(after(argv, '--resume')).toBe('checkpoint.pth.tar');
    expect(argv).not.toContain('--fresh-rank-state');
    expect(argv).not.toContain('--image-size');
    expect(after(argv, '--dist-url')).toBe('tcp://[fe80::1]:1');
  });

  it('continues from another run’s checkpoint even without rank states, and keeps the given checkpoints', () => {
    const keeping = { ...lab, experiment: { ...lab.experiment, keepEvery: 5 } };
    const { argv } = rankCommand(keeping, ready, 1, 4, {
      resume: { path: '/home/b/model_best.pth.tar', fresh: true },
    });
    expect(after(argv, '--resume')).toBe('/home/b/model_best.pth.tar');
    expect(argv).toContain('--fresh-rank-state');
    expect(after(argv, '--keep-every')).toBe('5');
    expect(rankCommand(lab, ready, 1, 4).argv).not.toContain('--keep-every');
  });

  it('contains the synchronisation mode and the image size', () => {
    const other = {
      ...lab,
      experiment: {
        ...lab.experiment,
        sync: 'diloco:8,fragments=2',
        data: { type: 'folder' as const, path: '/d', size: 299 },
      },
    };
    const { argv } = rankCommand(other, ready, 0, 4);
    expect(after(argv, '--sync')).toBe('diloco:8,fragments=2');
    expect(after(argv, '--image-size')).toBe('299');
  });

  it('is refused with the error of the mistake if there is no such rank', () => {
    expect(() => rankCommand(lab, ready, 4, 4)).toThrow(RangeError);
  });
});

it('lets the monitor watch the ranks of its node', () => {
  const { argv } = monitorCommand(ready.nodes[0]!, [0, 1]);
  expect(argv.join(' ')).toBe(
    '/opt/ringlab-train monitor --metrics metrics.jsonl --interval 1 --watch-pid-file ../rank-0/pid --watch-pid-file ../rank-1/pid --disk .',
  );
});

it('in commands.sh runs a rank by hand with exactly its arguments, whatever they contain', () => {
  const folder = mkdtempSync(join(tmpdir(), 'ringlab-commands-'));
  try {
    const args = ['a b', "it's", '$HOME `id` "q"', '图 🦊', '-', ''];
    const run = {
      id: 'r1',
      name: 'first\nrm -rf /',
      attempt: 1,
      master: { host: 'h', port: 1 },
      lab: { ...lab, nodes: [] },
      ranks: [0, 1].map((rank) => ({
        rank,
        nodeId: 'n',
        nodeName: 'Node\n$(id)',
        directory: join(folder, `it's rank ${rank}`),
        env: { NOTE: 'x $y' },
        argv: ['sh', '-c', 'printf "%s\\n" "$NOTE" "$PWD" "$@" >out', 'sh', ...args],
      })),
    } as unknown as RunRecord; // the fields that a script needs
    const script = join(folder, 'commands.sh');
    writeFileSync(script, commandScript(run));
    execFileSync('sh', [script, '1']);
    const out = readFileSync(join(folder, "it's rank 1", 'out'), 'utf8');
    expect(out).toBe(['x $y', join(folder, "it's rank 1"), ...args, ''].join('\n'));
    expect(() => execFileSync('sh', [script], { stdio: 'pipe' })).toThrow(/usage: sh commands.sh RANK/);
  } finally {
    rmSync(folder, { recursive: true });
  }
});
