/** All that a page gets of Electron: a way to send messages to main and to hear its answers. */
import { contextBridge, ipcRenderer } from 'electron';

const openChannel = 'ringlab:open';
const messageChannel = 'ringlab:message';
/** Messages kept until the page listens; what comes beyond that the page asks for anew (its `seq` shows a gap). */
const maxEarly = 256;

let listener: ((message: unknown) => void) | undefined;
let early: unknown[] = [];

ipcRenderer.on(messageChannel, (_event, message: unknown) => {
  if (listener !== undefined) listener(message);
  else if (early.length < maxEarly) early.push(message);
});

contextBridge.exposeInMainWorld('ringlab', {
  send(message: unknown): void {
    ipcRenderer.send(messageChannel, message);
  },
  /** One listener; messages that came before it are kept for it. Returns how to stop. */
  onMessage(next: (message: unknown) => void): () => void {
    listener = next;
    for (const message of early) next(message);
    early = [];
    return () => {
      listener = undefined;
    };
  },
});

ipcRenderer.send(openChannel);
