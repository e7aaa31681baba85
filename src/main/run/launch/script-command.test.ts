import { describe, expect, it } from 'vitest';
import { emptyLab, type LabDocument } from '../../../shared/lab/lab.ts';
import type { Script } from '../../../shared/lab/script.ts';
import type { ReadyLab, ReadyNode } from '../../provision/index.ts';
import { readyNode } from '../testing/ready-node.ts';
import { collectCommand, ringMbps, scriptCommand, scriptPlaces } from './script-command.ts';

const script: Script = {
  source: { type: 'folder', path: '/home/anna/project' },
  file: 'train.py',
  arguments: `--name 'a b'`,
};
const scriptNode = (id: string, processes: number, torch: string): ReadyNode => {
  const address = `10.0.0.${id}`;
  const facts = { bootId: id, addresses: [{ interface: 'eth7', address }] };
  const runtime = { python: '/venv/bin/python', pythonVersions: { python: '3.11.2', torch } };
  const prepared = readyNode(id, facts, {
    trainer: '/t/ringlab-train',
    data: '',
    address,
    processes,
    ...runtime,
  });
  const access = { type: 'ssh', host: id, port: 22, user: 'u', authentication: { method: 'agent' } } as const;
  return { ...prepared, node: { ...prepared.node, access } };
};
const ready = (torch = '2.9.1'): ReadyLab => ({
  master: { host: '10.0.0.1', port: 8090 },
  nodes: [scriptNode('1', 1, torch), scriptNode('2', 2, torch)],
});
const lab: LabDocument = emptyLab('l', 'L');
const commandOf = (change: Partial<Script>, rank: number, text = '', nodes = ready(), drawn = lab) => {
  const own = { ...script, ...change };
  const place = scriptPlaces(own, nodes)[rank]!;
  const packages = new Map([['2', '/pkg']]);
  return scriptCommand(drawn, own, nodes, place, `/runs/r/rank-${rank}`, {
    ...{ runId: 'r', attempt: 2, text, packages, ringMbps: ringMbps(drawn, nodes) },
  });
};

describe('the command of an own script', () => {
  it('has torchrun’s variables, the user’s own, and works in the run’s copy', () => {
    const { argv, env, workingDirectory } = commandOf(
      {
        workingFolder: 'src',
        environment: [
          { name: 'PYTHONPATH', value: '/own' },
          { name: 'OMP_NUM_THREADS', value: '7' },
          { name: 'TOKEN', secret: true, value: 'left by hand' },
        ],
      },
      2,
    );
    expect(argv).toEqual(['/venv/bin/python', '/home/2/.ringlab/runs/r/code/train.py', '--name', 'a b']);
    expect(workingDirectory).toBe('/home/2/.ringlab/runs/r/code/src');
    expect(env).toMatchObject({
      RANK: '2',
      LOCAL_RANK: '1',
      WORLD_SIZE: '3',
      LOCAL_WORLD_SIZE: '2',
      NODE_RANK: '1',
      MASTER_ADDR: '10.0.0.1',
      MASTER_PORT: '8090',
      TORCHELASTIC_RUN_ID: 'r',
      TORCHELASTIC_RESTART_COUNT: '1',
      GLOO_SOCKET_IFNAME: 'eth7',
      OMP_NUM_THREADS: '7',
      PYTHONPATH: '/pkg:/pkg/ringlab/startup:/own',
      PYTHONIOENCODING: 'utf-8:surrogateescape',
      RINGLAB_RANK_DIR: '/runs/r/rank-2',
    });
    expect(env).not.toHaveProperty('TOKEN');
  });

  it('keeps what a node has in PYTHONPATH for its own Python, not for an environment of Ringlab’s', () => {
    const ours = '/pkg:/pkg/ringlab/startup';
    const path = (type: 'existing' | 'wheels'): string | undefined =>
      commandOf({}, 1, '', ready(), { ...lab, experiment: { ...lab.experiment, runtime: { type } } }).env
        .PYTHONPATH;
    expect(path('existing')).toBe(`${ours}\${PYTHONPATH:+:$PYTHONPATH}`);
    expect(path('wheels')).toBe(ours);
  });

  it('knows how fast the drawn links carry an all-reduce', () => {
    const drawn: LabDocument = {
      ...lab,
      nodes: ready().nodes.map(({ node }) => node),
      links: [{ id: 'a', ends: ['1', '2'], bandwidthMbps: 10, delayMs: 0, lossPercent: 0 }],
    };
    // Less the headers of its packets.
    expect(Number(commandOf({}, 0, '', ready(), drawn).env.RINGLAB_RING_MBPS)).toBeCloseTo(9.36, 1);
    expect(commandOf({}, 0).env).not.toHaveProperty('RINGLAB_RING_MBPS');
  });

  it('does not take links for real that are drawn alone: on a cluster, and between local nodes without a network', () => {
    const here = (enter?: string): ReadyLab => ({
      ...ready(),
      nodes: ready().nodes.map((one) => ({
        ...one,
        enter,
        node: { ...one.node, access: { type: 'local' } },
      })),
    });
    const drawn: LabDocument = {
      ...lab,
      nodes: here().nodes.map(({ node }) => node),
      links: [{ id: 'a', ends: ['1', '2'], bandwidthMbps: 10, delayMs: 0, lossPercent: 0 }],
    };
    const where = {
      type: 'slurm',
      login: { type: 'ssh', host: 'login', port: 22, user: 'u', authentication: { method: 'agent' } },
    } as const;
    const cluster = { ...drawn, experiment: { ...drawn.experiment, where } };
    expect(ringMbps(drawn, here('nsenter --net=/run/netns/x'))).toBeCloseTo(9.36, 1);
    expect(ringMbps(drawn, here())).toBeUndefined();
    expect(ringMbps(cluster, ready())).toBeUndefined();
  });

  it('counts the ring in the order of the ranks, which is that of the drawing', () => {
    const two = ready().nodes;
    const nodes = ['1', '2', '3', '4'].map((id) => {
      const base = two[0]!;
      return { ...base, node: { ...base.node, id } };
    });
    const link = (id: string, a: string, b: string) =>
      ({ id, ends: [a, b], bandwidthMbps: 1000, delayMs: 0, lossPercent: 0 }) as const;
    // A chain 1-3-2-4: from 1 to 2, back over 3 to 3, on to 4.
    const links = [link('a', '1', '3'), link('b', '3', '2'), link('c', '2', '4')];
    const drawn: LabDocument = {
      ...lab,
      nodes: nodes.map(({ node }) => node),
      links: links.map((one) => ({ ...one, ends: [...one.ends] })),
    };
    expect(ringMbps(drawn, { ...ready(), nodes })).toBeCloseTo(468, -1);
  });

  it.each([
    [`parser.add_argument("--local_rank", type=int)`, '--local_rank=1'],
    [`parser.add_argument('--local-rank')`, '--local-rank=1'],
    ['# no --local_rank here', undefined],
    [`  # parser.add_argument('--local_rank', type=int)  # torchrun sets LOCAL_RANK`, undefined],
    [`# was "--local-rank"\nparser.add_argument("--local_rank")`, '--local_rank=1'],
    [`a = 1  # not "--local-rank" any more\r\nb = 2`, undefined],
    [
      `parser.add_argument("--colour", default="#fff"); parser.add_argument("--local-rank")`,
      '--local-rank=1',
    ],
  ])('of %s gets the local rank only where it has such an option', (text, expected) => {
    expect(commandOf({}, 2, text).argv.find((word) => word.startsWith('--local'))).toBe(expected);
  });

  it('is an agent a node with torchrun, for a module', () => {
    const change = { launch: 'torchrun', file: 'module:pkg.train' } as const;
    expect(scriptPlaces({ ...script, ...change }, ready())).toHaveLength(2);
    const { argv, env } = commandOf(change, 1);
    expect(argv.join(' ')).toBe(
      '/venv/bin/python -m torch.distributed.run --nnodes=2 --nproc_per_node=2 --rdzv_id=r --rdzv_backend=c10d --rdzv_endpoint=10.0.0.1:8090 --rdzv_conf=is_host=false --local_addr=10.0.0.2 -m pkg.train --name a b',
    );
    expect(env).not.toHaveProperty('RANK');
    expect(commandOf(change, 0, '', ready('1.13.1')).argv).not.toContain('--local_addr=10.0.0.1');
  });

  it('lets PyTorch’s agents go on with fewer nodes', () => {
    const change = { launch: 'torchrun', minNodes: 1 } as const;
    const { argv } = commandOf(change, 1);
    expect(argv).toContain('--nnodes=1:2');
    expect(argv).toContain('--max_restarts=3');
    // More than there are: all of them.
    expect(commandOf({ ...change, minNodes: 9 }, 1).argv).toContain('--nnodes=2');
    expect(commandOf({ minNodes: 1 }, 1).argv.join(' ')).not.toContain('nnodes');
  });

  it('is followed by a collector, with the user’s files and patterns', () => {
    const own: Script = {
      ...script,
      workingFolder: 'src',
      outputs: ['log.jsonl'],
      patterns: [{ name: 'a', pattern: 'a=(.*)' }],
    };
    const ranks = [{ rank: 1, directory: '/r/rank-1' }];
    const { argv } = collectCommand(own, ready().nodes[1]!, ranks, { runId: 'r', attempt: 2 });
    expect(argv.join(' ')).toBe(
      '/t/ringlab-train collect --rank 1=/r/rank-1:/home/2/.ringlab/runs/r/code --output src/log.jsonl --patterns /home/2/.ringlab/runs/r/patterns.json --attempt 2',
    );
  });
});
