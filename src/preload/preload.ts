/** The preload script exposes two functions to the page: send a message to main, and listen for messages. */
import { contextBridge, ipcRenderer } from 'electron';

const openChannel = 'ringlab:open';
const messageChannel = 'ringlab:message';
/** Messages buffered until the page listens. Beyond that the page requests them again, since `seq` shows a gap. */
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
  /** Registers the only listener; earlier messages are buffered for it. Returns a function that unsubscribes. */
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
