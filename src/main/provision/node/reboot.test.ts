import { describe, expect, it } from 'vitest';
import { RinglabError } from '../../../shared/base/errors.ts';
import type { NodeFacts } from '../../../shared/node/provision.ts';
import type { ExecResult, SshSession } from '../../ssh/index.ts';
import { rebootChange } from '../driver/driver-changes.ts';
import { createNodeShell } from './node-shell.ts';
import { StepStatus } from './readiness.ts';
import { reboot, rebootMinutes } from './reboot.ts';
import { createRights, forgetfulMemory } from './rights.ts';
import { createAsker } from '../testing/asker.ts';
import { createHandClock, type HandClock } from '../../base/testing/hand-clock.ts';
import { linesIn } from '../../../shared/base/phrase.ts';

/** A fake node: it reports the boot that `bootId` returns, or is unreachable. */
function session(bootId: () => string | undefined, asked: string[]): SshSession {
  return {
    target: { user: 'root', host: 'n1', port: 22, labId: 'l', nodeId: 'n', nodeName: 'N1' },
    exec(script: string): Promise<ExecResult> {
      asked.push(script);
      const said = bootId();
      if (said === undefined) return Promise.reject(new RinglabError('connection_lost', { host: 'n1' }));
      return Promise.resolve({ code: 0, signal: null, stdout: `${said}\n`, stderr: '' });
    },
  } as Partial<SshSession> as SshSession; // the rest of a session is not asked for
}

function start(bootId: (clock: HandClock) => string | undefined, connect?: () => Promise<SshSession>) {
  const clock = createHandClock();
  const asked: string[] = [];
  const signal = new AbortController().signal;
  const status = new StepStatus(
    'driver',
    () => undefined,
    () => undefined,
  );
  const node = session(() => bootId(clock), asked);
  const done = reboot({
    shell: createNodeShell(node, status, signal),
    facts: { root: true } as NodeFacts, // who we are there is all that matters
    rights: createRights({ prompter: createAsker(), memory: forgetfulMemory() }).of(node),
    command: rebootChange.command,
    connect: connect ?? (() => Promise.resolve(node)),
    clock,
    signal,
    status,
  });
  const outcome = done.then(
    () => 'back',
    (error: unknown) => (error instanceof RinglabError ? error.code : String(error)),
  );
  return { clock, asked, status, outcome };
}

/** Runs pending promise callbacks between two steps of the clock. */
async function pass(clock: HandClock, seconds: number): Promise<void> {
  for (let second = 0; second < seconds; second += 1) {
    clock.pass(1000);
    for (let turn = 0; turn < 8; turn += 1) await Promise.resolve();
  }
}

describe('a reboot', () => {
  it('ends when another boot id answers, not the old one', async () => {
    let began = 0;
    const { clock, asked, outcome, status } = start((now) => {
      began ||= now.now();
      const seconds = (now.now() - began) / 1000;
      return seconds < 8 ? 'old' : seconds < 60 ? undefined : 'new';
    });
    await pass(clock, 90);
    expect(await outcome).toBe('back');
    // Exactly the command that was shown and confirmed.
    expect(asked[1]).toBe(rebootChange.command);
    expect(asked[1]).toContain('systemctl reboot');
    expect(linesIn(status.log.lines, 'en')).toMatch(/back after 6\d s/);
  });

  it('without a return ends after its limit', async () => {
    let asked = 0;
    const { clock, outcome } = start(() => ((asked += 1) <= 2 ? 'old' : undefined));
    await pass(clock, rebootMinutes * 60 + 30);
    expect(await outcome).toBe('reboot_failed');
  });

  it('ends at once if the node is up and refuses the login', async () => {
    const refused = (): Promise<SshSession> =>
      Promise.reject(new RinglabError('auth_failed', { user: 'root' }));
    const { clock, outcome } = start(() => 'old', refused);
    await pass(clock, 10);
    expect(await outcome).toBe('auth_failed');
  });
});
