import { EventEmitter } from 'node:events';
import type { IpcMain, WebContents } from 'electron';
import { beforeEach, describe, expect, it } from 'vitest';
import type { ServerMessage, ServerTransport } from '../../../shared/contract/rpc.ts';
import { messageChannel, openChannel, serveWindow } from './wire.ts';

const hello: ServerMessage = { type: 'hello', protocol: 1, lastSeq: 0, session: 'a' };
const page = { url: 'ringlab://app/index.html' };

let ipc: EventEmitter;
let sent: unknown[];
let served: ServerTransport[];
let refused: string[];
let contents: EventEmitter & { mainFrame: typeof page; isDestroyed: () => boolean };

beforeEach(() => {
  ipc = new EventEmitter();
  sent = [];
  served = [];
  refused = [];
  contents = Object.assign(new EventEmitter(), {
    mainFrame: page,
    isDestroyed: () => false,
    send: (channel: string, message: unknown) => sent.push([channel, message]),
  });
  serveWindow({
    // The parts of Electron's objects that are used.
    ipc: ipc as unknown as IpcMain,
    contents: contents as unknown as WebContents,
    serve: (transport) => served.push(transport),
    onRefused: (address) => refused.push(address),
  });
});

const from = (frame: unknown = page, sender: unknown = contents): unknown => ({ sender, senderFrame: frame });

describe('the wire over Electron’s IPC', () => {
  it('serves a page once it is open, and carries messages in both directions', () => {
    ipc.emit(messageChannel, from(), 'too early');
    ipc.emit(openChannel, from());
    expect(served).toHaveLength(1);
    const heard: unknown[] = [];
    ipc.emit(messageChannel, from(), { id: 1 });
    served[0]!.onMessage((message) => heard.push(message));
    ipc.emit(messageChannel, from(), { id: 2 });
    served[0]!.send(hello);
    expect(heard).toEqual([{ id: 1 }, { id: 2 }]);
    expect(sent).toEqual([[messageChannel, hello]]);
  });

  it('fault 40: refuses and reports messages from foreign frames', () => {
    ipc.emit(openChannel, from({ url: 'https://example.org/' }));
    expect(served).toEqual([]);
    ipc.emit(openChannel, from());
    const heard: unknown[] = [];
    served[0]!.onMessage((message) => heard.push(message));
    ipc.emit(messageChannel, from({ url: 'ringlab://app/frame.html' }), 'inner frame');
    ipc.emit(messageChannel, from(null), 'gone');
    ipc.emit(messageChannel, from(page, new EventEmitter()), 'another window');
    expect(heard).toEqual([]);
    expect(refused).toEqual(['https://example.org/', 'ringlab://app/frame.html', 'a frame that is gone']);
  });

  it('closes the old wire if the page is reloaded', () => {
    ipc.emit(openChannel, from());
    let closed = 0;
    served[0]!.onClose(() => (closed += 1));
    ipc.emit(openChannel, from());
    expect(closed).toBe(1);
    expect(served).toHaveLength(2);
    served[0]!.send(hello);
    expect(sent).toEqual([]);
  });

  it.each(['render-process-gone', 'destroyed'])('closes the wire on %s', (event) => {
    ipc.emit(openChannel, from());
    let closed = 0;
    served[0]!.onClose(() => (closed += 1));
    contents.emit(event);
    contents.emit(event);
    expect(closed).toBe(1);
  });

  it('keeps at most 64 messages for a dispatcher that does not listen', () => {
    ipc.emit(openChannel, from());
    for (let id = 0; id < 100; id += 1) ipc.emit(messageChannel, from(), id);
    const heard: unknown[] = [];
    served[0]!.onMessage((message) => heard.push(message));
    expect(heard).toHaveLength(64);
  });
});
