import { expect, it } from 'vitest';
import { emptyLab } from '../../../shared/lab/lab.ts';
import { createHandClock } from '../../base/testing/hand-clock.ts';
import { createLocalShell } from '../../ssh/testing/local-shell.ts';
import { createNodeShell } from '../node/node-shell.ts';
import { StepStatus } from '../node/readiness.ts';
import type { NetworkNode } from './network-node.ts';
import { createPortPromises } from './ports.ts';
import { takePort } from './rendezvous-address.ts';

/** Seconds after which rank 0's listener ends by itself, in a lab of so many machines. */
async function lifetime(machines: number, candidates: readonly string[]): Promise<number> {
  const scripts: string[] = [];
  const session = {
    ...createLocalShell({ home: '/' }),
    exec: (script: string) => {
      scripts.push(script);
      return Promise.resolve({ code: 0, signal: null, stdout: 'listening 42\n', stderr: '' });
    },
  };
  const record = new StepStatus(
    'network',
    () => undefined,
    () => undefined,
  );
  const shell = createNodeShell(session, record, new AbortController().signal);
  // What is used of a node here.
  const at = {
    trainer: '/trainer',
    environment: {},
    facts: { bootId: 'b', addresses: [] },
  } as unknown as NetworkNode;
  const { listener } = await takePort(
    { at, shell, enter: undefined },
    {
      lab: emptyLab('lab', 'Lab'),
      ports: createPortPromises(createHandClock()),
      nodes: [at, ...Array.from({ length: machines - 1 }, () => at)],
    },
    record,
    { candidates, listen: undefined },
  );
  expect(listener.secret).not.toBe('');
  return Number(/^timeout (\d+) /m.exec(scripts.find((script) => script.includes('--listen')) ?? '')?.[1]);
}

it('rank 0 listens until every machine has tried each of its addresses, one after the other', async () => {
  expect(await lifetime(3, ['10.0.0.1'])).toBe(300);
  expect(await lifetime(251, ['10.0.0.1'])).toBe(2500);
  expect(await lifetime(251, ['10.0.0.1', '192.168.0.1'])).toBe(5000);
});
