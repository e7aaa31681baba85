/** Git for tests of code: commands without a user's settings, and a server of git's protocol of plain files. */
import { execFileSync } from 'node:child_process';
import { createReadStream } from 'node:fs';
import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';

export interface Served extends AsyncDisposable {
  readonly url: string;
}
export async function serve(listener: RequestListener): Promise<Served> {
  const server = createServer(listener);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  // A listening TCP server has such an address.
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}`,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
/** @param projects folders in it, whose repositories are given as they are now */
export function serveGit(root: string, projects = ['project']): Promise<Served> {
  for (const project of projects) git(join(root, project), 'update-server-info');
  return serve((request, response) => {
    createReadStream(join(root, new URL(request.url ?? '/', 'http://x').pathname))
      .on('error', () => response.writeHead(404).end())
      .pipe(response);
  });
}

export const git = (where: string, ...args: string[]): string =>
  execFileSync('git', ['-c', 'user.name=a', '-c', 'user.email=a@b', '-C', where, ...args], {
    encoding: 'utf8',
  });
