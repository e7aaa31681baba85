import { spawn } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';

const module = fileURLToPath(new URL('./hand-over.mjs', import.meta.url));

/** A process that hands over to `script`, as npm's scripts do in a terminal. */
function outer(script) {
  const program = `
    import { handOver } from ${JSON.stringify(module)};
    process.exitCode = await handOver(process.execPath, ['-e', ${JSON.stringify(script)}]);`;
  const child = spawn(process.execPath, ['--input-type=module', '-e', program], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  let said = '';
  child.stdout.setEncoding('utf8').on('data', (text) => (said += text));
  const started = new Promise((resolve) => child.stdout.once('data', resolve));
  const ended = new Promise((resolve) => child.once('close', (code) => resolve({ code, said })));
  return { child, started, ended };
}

it('passes output and exit code through', async () => {
  expect(await outer("console.log('done'); process.exitCode = 5").ended).toEqual({ code: 5, said: 'done\n' });
});

it('passes signals on and waits for the end of what they cause', async () => {
  const script = `
    process.on('SIGTERM', () => setTimeout(() => { console.log('closed'); process.exit(7); }, 100));
    setInterval(() => {}, 1000);
    console.log('ready');`;
  const { child, started, ended } = outer(script);
  await started;
  child.kill('SIGTERM');
  expect(await ended).toEqual({ code: 7, said: 'ready\nclosed\n' });
});

it('reports a program that a signal ended', async () => {
  expect((await outer("process.kill(process.pid, 'SIGKILL')").ended).code).toBe(137);
});
