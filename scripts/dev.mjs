/**
 * `npm run dev`: the web host on the sources with hot reload. Vite serves the window and reloads what changes; Node runs
 * src/main as it is and restarts when a file of it changes (the page then reconnects).
 */
import { spawn } from 'node:child_process';
import { createServer } from 'node:net';
import { main, setUp } from './setup/index.mjs';
import { inProject } from './setup/project.mjs';

/** Finds a free port. @param {number} preferred 0 for any */
function freePort(preferred) {
  return new Promise((resolve, reject) => {
    const probe = createServer();
    probe.once('error', (error) => (preferred === 0 ? reject(error) : freePort(0).then(resolve, reject)));
    probe.listen(preferred, '127.0.0.1', () => {
      const { port } = probe.address();
      probe.close(() => resolve(port));
    });
  });
}

await main(async () => {
  const { node } = await setUp({ lenient: true, purpose: 'app' });
  const page = await freePort(5173);
  const host = await freePort(0);
  const children = [
    spawn(node, [inProject('node_modules/vite/bin/vite.js'), '--port', String(page)], {
      cwd: inProject(),
      stdio: ['ignore', 'inherit', 'inherit'],
      env: { ...process.env, RINGLAB_DEV_HOST: String(host) },
    }),
    spawn(
      node,
      [
        '--disable-warning=ExperimentalWarning',
        '--watch',
        '--watch-preserve-output',
        inProject('src/main/hosts/cli/main.ts'),
        'serve',
        '--no-open',
        '--port',
        String(host),
        '--dev-renderer',
        `http://127.0.0.1:${page}`,
        ...process.argv.slice(2),
      ],
      { cwd: inProject(), stdio: ['ignore', 'inherit', 'inherit'] },
    ),
  ];
  const end = () => {
    for (const child of children) child.kill('SIGTERM');
  };
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.once(signal, end);
  const codes = await Promise.all(
    children.map(
      (child) =>
        new Promise((resolve) => {
          // If either process ends, the other one is stopped.
          child.once('exit', (code) => {
            end();
            resolve(code ?? 0);
          });
        }),
    ),
  );
  return Math.max(...codes);
});
