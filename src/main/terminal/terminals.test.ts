import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type Access } from '../../shared/lab/access.ts';
import { defaultPlacement, emptyLab, type LabDocument } from '../../shared/lab/lab.ts';
import { terminalKept, type TerminalState } from '../../shared/node/terminal.ts';
import { createEventLog } from '../base/events.ts';
import { createReach, type ReachWithStates } from '../local/index.ts';
import { createSshPool, type SshPool } from '../ssh/index.ts';
import { memorySecrets, testPool, trusting, type TestPool } from '../ssh/testing/pool.ts';
import { startSshd } from '../ssh/testing/sshd.ts';
import { createTerminals, type Terminals } from './index.ts';

const labWith = (access: Access): LabDocument => ({
  ...emptyLab('lab1', 'Lab'),
  nodes: [
    {
      id: 'n1',
      name: 'N1',
      kind: 'cpu',
      position: { x: 0, y: 0 },
      placement: defaultPlacement('cpu'),
      access,
    },
  ],
});
const local = labWith({ type: 'local' });
const waitMs = 100;

let test: TestPool;
let pool: SshPool;
let reach: ReachWithStates;
let terminals: Terminals;
const ended: TerminalState[] = [];

beforeEach(async () => {
  test = await testPool();
  pool = createSshPool({
    prompter: trusting(),
    secrets: memorySecrets(),
    home: test.home,
    dataFolder: test.dataFolder,
    systemKnownHosts: [],
    onState: (state) => reach.onState(state),
  });
  reach = createReach({ pool, dataFolder: test.dataFolder });
  ended.length = 0;
  const events = createEventLog();
  events.subscribe((event) => {
    if (event.name === 'terminal.ended') ended.push(event.data.terminal);
  });
  terminals = createTerminals({ reach, events, waitMs });
});
afterEach(async () => {
  terminals.closeAll();
  await reach.close();
  await pool.close();
  await test.close();
});

const text = (id: string): string => terminals.read(id, 0).text;
const size = { columns: 91, rows: 33 };

describe('a terminal', () => {
  it('of a local node has its name in the prompt, which runs nothing', async () => {
    const evil = '$(touch taken) `touch taken` \\$(touch taken)';
    const named = { ...local, nodes: local.nodes.map((node) => ({ ...node, name: evil })) };
    const { terminalId: id } = await terminals.open(named, 'n1', size);
    await expect.poll(() => text(id)).toContain('[$(touch taken) `touch taken`');
    terminals.input(id, 'ls | wc -l; echo "hook <$PROMPT_COMMAND>"\r');
    await expect.poll(() => text(id)).toContain('hook <>');
    expect(text(id)).toMatch(/^0\r?$/m);
  });

  it('of a local node has its size, an echo, colours, and handles Ctrl+C', async () => {
    const { terminalId: id } = await terminals.open(local, 'n1', size);
    terminals.input(id, 'stty size; echo "T=$TERM at $PWD"\r');
    await expect.poll(() => text(id)).toContain('33 91');
    await expect.poll(() => text(id)).toMatch(/T=xterm-256color at .*nodes\/lab1\/n1\/home/);
    // Input and output: both are on the screen.
    expect(text(id).match(/stty size/g)?.length).toBeGreaterThanOrEqual(1);
    terminals.resize(id, { columns: 120, rows: 40 });
    // The size arrives when it arrives, on a busy machine after the next line.
    terminals.input(id, 'until [ "$(stty size)" = "40 "120 ]; do sleep 0.1; done; stty size\r');
    await expect.poll(() => text(id)).toContain('40 120');
    terminals.input(id, 'sleep 600\r');
    await expect.poll(() => text(id)).toContain('sleep 600');
    terminals.input(id, '\x03');
    terminals.input(id, 'echo "went $((40+2))"\r');
    await expect.poll(() => text(id)).toContain('went 42');
    terminals.input(id, 'exit 3\r');
    await expect.poll(() => ended).toHaveLength(1);
    expect(ended[0]?.ended).toEqual({ code: 3 });
  });

  it('that one window closes has ended for the others that show it; one that ends with the app has not', async () => {
    const [first, second] = [
      await terminals.open(local, 'n1', size),
      await terminals.open(local, 'n1', size),
    ];
    terminals.close(first.terminalId);
    expect(ended).toMatchObject([{ terminalId: first.terminalId, ended: {} }]);
    expect(terminals.list('lab1').map(({ terminalId }) => terminalId)).toEqual([second.terminalId]);
    terminals.closeAll();
    expect(ended).toHaveLength(1);
  });

  it('of a real sshd does the same, and reports a lost connection', async () => {
    const sshd = await startSshd({ extraConfig: ['PermitRootLogin yes'] });
    try {
      const lab = labWith({
        type: 'ssh',
        host: sshd.host,
        port: sshd.port,
        user: sshd.user,
        authentication: { method: 'key', keyFile: sshd.keyFile },
      });
      const { terminalId: id } = await terminals.open(lab, 'n1', size);
      terminals.input(id, 'stty size; echo 你好\r');
      await expect.poll(() => text(id)).toContain('33 91');
      await expect.poll(() => text(id)).toContain('\n你好');
      terminals.resize(id, { columns: 70, rows: 20 });
      terminals.input(id, 'stty size\r');
      await expect.poll(() => text(id)).toContain('20 70');
      pool.drop('lab1', 'n1');
      await expect.poll(() => ended).toHaveLength(1);
      expect(ended[0]?.ended?.error?.code).toBe('connection_lost');
    } finally {
      await sshd.stop();
    }
  });

  it('whose shell a signal ends has ended, with the code that a shell gives it', async () => {
    const sshd = await startSshd({ extraConfig: ['PermitRootLogin yes'] });
    const access: Access = {
      type: 'ssh',
      host: sshd.host,
      port: sshd.port,
      user: sshd.user,
      authentication: { method: 'key', keyFile: sshd.keyFile },
    };
    try {
      for (const lab of [labWith(access), local]) {
        ended.length = 0;
        const { terminalId: id } = await terminals.open(lab, 'n1', size);
        terminals.input(id, 'kill -9 $$\r');
        await expect.poll(() => ended).toHaveLength(1);
        expect(ended[0]?.ended).toEqual({ code: 137 });
      }
    } finally {
      await sshd.stop();
    }
  });

  it('with endless output is slowed to the window’s speed, and keeps the newest part', async () => {
    const { terminalId: id } = await terminals.open(local, 'n1', size);
    terminals.input(id, 'yes 0123456789 | head -c 3000000; echo; echo the-end\r');
    const begin = performance.now();
    await expect.poll(() => terminals.read(id, 0).end).toBeGreaterThan(200_000);
    // Without an acknowledgement it continues after a time-out.
    await expect.poll(() => text(id)).toContain('\nthe-end');
    // 256 Ki characters at a time.
    expect(performance.now() - begin).toBeGreaterThan(10 * waitMs);
    const { offset, end } = terminals.read(id, 0);
    expect(end - offset).toBe(terminalKept);
    expect(() => terminals.read('none', 0)).toThrow(expect.objectContaining({ code: 'not_found' }));
  });
});
