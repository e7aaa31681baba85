import { describe, expect, it } from 'vitest';
import { RinglabError } from '../../../shared/base/errors.ts';
import { defaultPlacement, emptyLab, type LabDocument, type LabNode } from '../../../shared/lab/lab.ts';
import { runRecord } from '../../../shared/run/run.fixture.ts';
import type { RunRecord } from '../../../shared/run/run.ts';
import { createEventLog } from '../../base/events.ts';
import type { Reach } from '../../local/index.ts';
import type { SshSession } from '../../ssh/index.ts';
import { startedProcess } from '../launch/ssh/ssh-process.ts';
import { defaultSettings } from '../record/settings.ts';
import { createDrawnAccess, type DrawnAccess } from './drawn-access.ts';

const access = (host: string): LabNode['access'] => ({
  ...{ type: 'ssh', host, port: 22, user: 'me' },
  authentication: { method: 'agent' },
});
const labAt = (host: string): LabDocument => ({
  ...emptyLab('lab', 'Lab'),
  nodes: [
    {
      ...{ id: 'a', name: 'A', kind: 'cpu', position: { x: 0, y: 0 } },
      ...{ placement: defaultPlacement('cpu'), access: access(host) },
    },
  ],
});
const hostOf = ({ lab }: { lab: LabDocument }): string => {
  const found = lab.nodes[0]?.access;
  return found?.type === 'ssh' ? found.host : '';
};

/** What answers at an address. */
interface Machine {
  readonly boot: string;
  readonly hostKey: string;
  /** False: the connection is open and silent. */
  readonly answers?: boolean;
  /** The content of the rank's `pid` file. */
  readonly pid?: { readonly pid: number; readonly boot_id: string; readonly start_ticks: number };
}
const pid = { pid: 7, boot_id: 'boot-1', start_ticks: 70 };
const own: Machine = { boot: 'boot-1', hostKey: 'key-a', pid };

function setUp(
  machines: Record<string, Machine | RinglabError>,
  change: Partial<RunRecord> = {},
): { drawn: DrawnAccess; current: () => RunRecord; asked: string[]; problems: string[] } {
  const process = startedProcess({ pid: 7, bootId: 'boot-1', startTicks: 70 });
  let current = runRecord('r', {
    lab: labAt('old'),
    hostKeys: { a: 'key-a' },
    ranks: [
      {
        ...{ rank: 0, nodeId: 'a', nodeName: 'A', localRank: 0, state: 'running', argv: [], env: {} },
        ...{ directory: '/runs/r/rank-0', process },
      },
    ],
    ...change,
  });
  const asked: string[] = [];
  const problems: string[] = [];
  const session: Reach['session'] = (lab) => {
    const host = hostOf({ lab });
    asked.push(host);
    const machine = machines[host] ?? new RinglabError('host_unreachable', { host, port: 22, reason: '' });
    if (machine instanceof RinglabError) return Promise.reject(machine);
    const file = machine.pid === undefined ? '' : `pid ${JSON.stringify(machine.pid)}\n`;
    const stdout = `boot ${machine.boot}\nfolder\n${file}`;
    const found: Partial<SshSession> = {
      hostKey: machine.hostKey,
      target: {
        ...{ labId: 'lab', nodeId: 'a', nodeName: 'A', host, port: 22, user: 'me' },
        authentication: { method: 'agent' },
      },
      exec: () =>
        machine.answers === false
          ? Promise.reject(new RinglabError('command_timeout', { command: ':', seconds: 15 }))
          : Promise.resolve({ code: 0, signal: null, stdout, stderr: '' }),
    };
    return Promise.resolve(found as SshSession);
  };
  const events = createEventLog();
  events.subscribe((event) => {
    if (event.name === 'app.problem') problems.push(event.data.error.code);
  });
  const drawn = createDrawnAccess({
    services: {
      reach: { session } as Partial<Reach> as Reach,
      events,
      settings: defaultSettings,
      labNow: () => Promise.resolve(labAt('new')),
    },
    keeper: {
      get current() {
        return current;
      },
      change: (apply) => Promise.resolve((current = apply(current))),
    },
  });
  return { drawn, current: () => current, asked, problems };
}

describe('a node that is drawn with another address', () => {
  const reached = async ({ drawn, current }: ReturnType<typeof setUp>): Promise<string> =>
    (await drawn.reach.session(current().lab, 'a')).target.host;

  it('is reached at the address of the record as long as that answers', async () => {
    const set = setUp({ old: own, new: own });
    expect(await reached(set)).toBe('old');
    expect(set.asked).toEqual(['old']);
  });

  it('is reached at the drawn one once the other does not answer, and from then on', async () => {
    const set = setUp({ new: own });
    expect(await reached(set)).toBe('new');
    expect(hostOf(set.current())).toBe('new');
    expect(await reached(set)).toBe('new');
    expect(set.asked).toEqual(['old', 'new', 'new']);
  });

  it('is so, too, where it has restarted meanwhile', async () => {
    expect(await reached(setUp({ new: { ...own, boot: 'boot-2' } }))).toBe('new');
  });

  it.each([
    ['without the run’s folder', { boot: 'boot-9', hostKey: 'key-b' }],
    ['without it, a copy with the same host key', { boot: 'boot-9', hostKey: 'key-a' }],
    ['that shares its home', { ...own, boot: 'boot-9', hostKey: 'key-b' }],
    ['with another process in that folder', { ...own, pid: { ...pid, pid: 8 } }],
  ])('is not another machine %s', async (_words, machine) => {
    const set = setUp({ new: machine });
    await expect(reached(set)).rejects.toMatchObject({ code: 'host_unreachable' });
    await expect(reached(set)).rejects.toMatchObject({ code: 'host_unreachable' });
    expect(hostOf(set.current())).toBe('old');
    // Said once.
    expect(set.problems).toEqual(['other_machine']);
  });

  it('is not reached where its host key is refused, and the refusal is what counts', async () => {
    const set = setUp({ new: new RinglabError('host_key_unknown', { host: 'new', fingerprint: '' }) });
    await expect(reached(set)).rejects.toMatchObject({ code: 'host_key_unknown' });
    expect(hostOf(set.current())).toBe('old');
  });

  it('is found by a resume, too, where an open connection to the old address gets no answers', async () => {
    const set = setUp({ old: { ...own, answers: false }, new: own });
    await set.drawn.find(new AbortController().signal);
    expect(hostOf(set.current())).toBe('new');
  });

  it('may be any machine where nothing of the run was started', async () => {
    const set = setUp({ new: { boot: 'boot-9', hostKey: 'key-b' } }, { ranks: [], hostKeys: undefined });
    await set.drawn.find(new AbortController().signal);
    expect(hostOf(set.current())).toBe('new');
    expect(set.current().hostKeys).toEqual({ a: 'key-b' });
  });
});
