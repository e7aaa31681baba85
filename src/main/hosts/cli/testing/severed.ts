/** For tests: a proxy between a data folder's app and its clients that loses an answer together with the app. */
import { chmodSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { connect, createServer, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ControlFile } from '../../../control/greeting.ts';
import { endProcess } from '../../../ssh/testing/processes.ts';

export interface Severed {
  /** Resolves when the app has answered the request, was killed, and the answer was dropped. */
  readonly cut: Promise<unknown>;
  close(): void;
}

/** Kills the app as soon as it answers this request; forwards everything before. */
export async function severAtAnswer(dataFolder: string, request: string): Promise<Severed> {
  const file = join(dataFolder, 'control.json');
  const owner = ControlFile.parse(JSON.parse(readFileSync(file, 'utf8')));
  const folder = mkdtempSync(join(tmpdir(), 'ringlab-severed-'));
  const address = join(folder, 'socket');
  const { promise: cut, resolve } = Promise.withResolvers<undefined>();
  const sockets = new Set<Socket>();
  const server = createServer((client) => {
    const app = connect(owner.address);
    for (const socket of [client, app]) {
      sockets.add(socket);
      socket.on('error', () => socket.destroy());
    }
    client.once('close', () => app.destroy());
    app.once('close', () => client.destroy());
    const wanted = new Set<number>();
    eachLine(client, (line) => {
      const { id, name } = JSON.parse(line) as { id?: number; name?: string };
      if (name === request && id !== undefined) wanted.add(id);
      app.write(`${line}\n`);
    });
    eachLine(app, (line) => {
      const { type, id } = JSON.parse(line) as { type?: string; id?: number };
      if (type === 'response' && id !== undefined && wanted.has(id)) {
        endProcess(owner.pid);
        client.destroy();
        resolve(undefined);
      } else client.write(`${line}\n`);
    });
  });
  await new Promise<void>((listening) => server.listen(address, listening));
  chmodSync(address, 0o600);
  writeFileSync(file, JSON.stringify({ ...owner, address }), { mode: 0o600 });
  return {
    cut,
    close() {
      for (const socket of sockets) socket.destroy();
      server.close();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

function eachLine(socket: Socket, take: (line: string) => void): void {
  let rest = '';
  socket.setEncoding('utf8').on('data', (text: string) => {
    const lines = (rest + text).split('\n');
    rest = lines.pop() ?? '';
    for (const line of lines) if (line !== '') take(line);
  });
}
