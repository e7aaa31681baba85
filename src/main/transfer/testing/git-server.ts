/** Git for tests of code: commands without a user's settings, and a server of git's protocol of plain files. */
import { execFileSync, spawn } from 'node:child_process';
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

/** Git's own server, which gives histories in part, as hosts of repositories do: the repositories below this folder. */
export const serveGitItself = (root: string): Promise<Served> =>
  serve((request, response) => {
    const { pathname, search } = new URL(request.url ?? '/', 'http://x');
    const backend = spawn('git', ['http-backend'], {
      env: {
        ...process.env,
        GIT_PROJECT_ROOT: root,
        GIT_HTTP_EXPORT_ALL: '1',
        PATH_INFO: pathname,
        QUERY_STRING: search.slice(1),
        REQUEST_METHOD: request.method ?? 'GET',
        CONTENT_TYPE: request.headers['content-type'] ?? '',
        HTTP_CONTENT_ENCODING: request.headers['content-encoding'] ?? '',
        GIT_PROTOCOL: String(request.headers['git-protocol'] ?? ''),
      },
      stdio: ['pipe', 'pipe', 'ignore'],
    });
    request.pipe(backend.stdin);
    backend.stdin.on('error', () => undefined);
    const parts: Buffer[] = [];
    backend.stdout.on('data', (part: Buffer) => parts.push(part));
    backend.on('close', () => {
      const answer = Buffer.concat(parts);
      const end = answer.indexOf('\r\n\r\n');
      const lines = answer.subarray(0, end).toString().split('\r\n');
      const headers = new Map(
        lines.map((line) => [line.slice(0, line.indexOf(':')), line.slice(line.indexOf(':') + 2)] as const),
      );
      const status = Number(headers.get('Status')?.slice(0, 3) ?? 200);
      headers.delete('Status');
      response.writeHead(status, Object.fromEntries(headers)).end(answer.subarray(end + 4));
    });
  });

export const git = (where: string, ...args: string[]): string =>
  execFileSync('git', ['-c', 'user.name=a', '-c', 'user.email=a@b', '-C', where, ...args], {
    encoding: 'utf8',
  });
