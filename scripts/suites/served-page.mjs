/** Whether a started `ringlab serve` has its page and files, also while its program is updated. */
import { spawn } from 'node:child_process';
import { setTimeout as sleep } from 'node:timers/promises';

/** Starts a server, fetches its page and one of its files, and ends it. @returns {Promise<string | undefined>} the problem */
export function servesPage(program, args, options = {}, update = undefined) {
  return new Promise((resolve) => {
    const child = spawn(program, args, { ...options, stdio: ['ignore', 'pipe', 'pipe'], detached: true });
    let output = '';
    let problem = 'no address';
    let seen = false;
    const look = async () => {
      const address = /Ringlab: (http:\/\/127\.0\.0\.1:\d+\/)/.exec(output)?.[1];
      if (address === undefined || seen) return;
      seen = true;
      const fetched = () => pageProblem(address).catch((error) => String(error));
      problem = await fetched();
      if (update !== undefined)
        problem ??= (await update()) ?? (await saysUpdated(() => output)) ?? (await fetched());
      process.kill(-child.pid, 'SIGTERM');
    };
    for (const stream of [child.stdout, child.stderr])
      stream.setEncoding('utf8').on('data', (text) => {
        output = (output + text).slice(-20_000);
        void look();
      });
    child.once('close', () => resolve(problem === undefined ? undefined : `${problem}\n${output}`));
  });
}

/** The running program looks every few seconds. @param {() => string} output */
async function saysUpdated(output) {
  for (let second = 0; second < 60; second += 1) {
    if (output().includes('Ringlab was updated on this computer')) return undefined;
    await sleep(1000);
  }
  return 'it does not say that it was updated';
}

async function pageProblem(address) {
  const page = await (await fetch(address)).text();
  const script = /src="\.?\/?(assets\/[^"]+\.js)"/.exec(page)?.[1];
  if (!page.includes('<title>Ringlab') || script === undefined) return `no page: ${page.slice(0, 300)}`;
  const file = await fetch(address + script);
  return file.ok && /javascript/.test(file.headers.get('content-type') ?? '')
    ? undefined
    : `${script}: ${file.status}`;
}
