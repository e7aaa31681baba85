/** Tests which commands ask before they use what a lab file names of the user's, as processes without a terminal. */
import { readFile, writeFile } from 'node:fs/promises';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { formatLab, parseLab } from '../../../shared/lab/read-lab.ts';
import { createCommandBench, type CommandBench } from './testing/processes.ts';

let bench: CommandBench;
const servers: Server[] = [];
beforeEach(async () => {
  bench = await createCommandBench();
});
afterEach(async () => {
  for (const server of servers.splice(0)) server.close();
  await bench.close();
});

async function done(...args: string[]): Promise<{ code: number | null; said: string }> {
  const command = bench.ringlab(...args);
  return { code: await command.ended, said: command.stderr() };
}
const refused = 'You did not allow what the lab takes from this computer';

it('a dry run fetches no repository that only the lab file names; with --own-files it does', async () => {
  const requests: string[] = [];
  const server = createServer(({ url = '' }, answer) => {
    requests.push(url);
    answer.writeHead(404).end();
  });
  servers.push(server);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  // A server that listens on a port has such an address.
  const { port } = server.address() as AddressInfo;
  const url = `http://127.0.0.1:${port}/private.git`;
  const lab = await bench.labFile('dry', ['a'], {
    script: { source: { type: 'git', url }, file: 'train.py', arguments: '' },
  });

  const asked = await done('prepare', lab, '--dry-run', '--yes');
  expect(requests).toEqual([]);
  expect(asked.code).toBe(1);
  expect(asked.said).toContain(`${refused}: ${url}`);
  expect(asked.said).toContain(`${url} (repository): code of the script, fetched with your git login`);

  await done('prepare', lab, '--dry-run', '--own-files');
  expect(requests[0]).toContain('/private.git');
});

it('a rejoin sends no file that only the lab file names for a new node; --yes is not enough', async () => {
  const path = await bench.labFile('again', ['a', 'b'], {});
  const lab = parseLab(await readFile(path, 'utf8'), path);
  await writeFile(
    path,
    formatLab({
      ...lab,
      nodes: lab.nodes.map((node) => ({
        ...node,
        kind: 'gpu',
        driverFile: `~/${node.id}.run`,
        access: { type: 'ssh', host: 'h', port: 22, user: 'u', authentication: { method: 'agent' } },
      })),
    }),
  );
  const rejoin = ['rejoin', 'no-such-run', path];

  const asked = await done(...rejoin, '--replace', 'lost=Node b', '--yes');
  expect(asked.code, asked.said).toBe(1);
  expect(asked.said).toContain(`${refused}: ~/b.run\n`);
  expect(asked.said).toContain('NVIDIA’s driver, sent to Node b');

  // Then the run is looked for.
  const allowed = await done(...rejoin, '--replace', 'lost=b', '--own-files');
  expect(allowed.said).toContain('there is no run “no-such-run”');
});
