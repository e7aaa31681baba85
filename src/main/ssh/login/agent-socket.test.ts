import { expect, it } from 'vitest';
import { agentSocket, runningAgent, windowsAgent } from './agent-socket.ts';

const there = () => Promise.resolve(true);
const absent = () => Promise.resolve(false);

it('the agent is where SSH_AUTH_SOCK says, on every system', async () => {
  for (const platform of ['linux', 'darwin', 'win32'] as const) {
    const computer = { env: { SSH_AUTH_SOCK: '/run/agent' }, platform };
    expect(agentSocket(computer)).toBe('/run/agent');
    expect(await runningAgent(computer, absent)).toBe('/run/agent');
  }
});

it('without it there is none, except for the pipe of Windows’ own agent where that runs', async () => {
  for (const env of [{}, { SSH_AUTH_SOCK: '' }]) {
    expect(agentSocket({ env, platform: 'linux' })).toBeUndefined();
    expect(agentSocket({ env, platform: 'win32' })).toBe(windowsAgent);
    expect(await runningAgent({ env, platform: 'win32' }, there)).toBe(windowsAgent);
    expect(await runningAgent({ env, platform: 'win32' }, absent)).toBeUndefined();
    // As here: no such file.
    expect(await runningAgent({ env, platform: 'win32' })).toBeUndefined();
  }
});
