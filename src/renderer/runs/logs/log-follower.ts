/** Follows a rank's log: its end first, then what is appended. One request at a time; a truncated log is read again. */
import type { LabApi } from '../../../shared/contract/api.ts';
import { fromWireError, toWireError, type RinglabError } from '../../../shared/base/errors.ts';
import { append, emptyTail, startTail, tailBytes, type LogTail } from './log-tail.ts';

export interface LogFollowerOptions {
  readonly api: Pick<LabApi, 'call'>;
  readonly runId: string;
  readonly rank: number;
  /** Reports growth; rank -1: any log may have grown. */
  readonly subscribe: (
    listener: (growth: { readonly rank: number; readonly size: number }) => void,
  ) => () => void;
}

export interface LogView {
  readonly phase: 'loading' | 'ready' | 'failed';
  readonly tail: LogTail;
  /** The file became shorter while it was followed (fault 32). */
  readonly restarted: boolean;
  readonly error?: RinglabError | undefined;
}

export interface LogFollower {
  view(): LogView;
  onChange(listener: () => void): () => void;
  reload(): void;
  close(): void;
}

export function followLog({ api, runId, rank, subscribe }: LogFollowerOptions): LogFollower {
  let view: LogView = { phase: 'loading', tail: emptyTail, restarted: false };
  let reading = false;
  let hasGrown = false;
  const abort = new AbortController();
  const listeners = new Set<() => void>();
  const show = (next: LogView): void => {
    view = next;
    for (const notify of [...listeners]) notify();
  };
  const ask = (offset: number) =>
    api.call('log.read', { runId, rank, offset, limit: tailBytes }, abort.signal);

  /** A function, so that the compiler does not narrow it: it changes while `read` waits. */
  const grown = (): boolean => hasGrown;

  const read = async (): Promise<void> => {
    if (reading) {
      hasGrown = true;
      return;
    }
    reading = true;
    try {
      let { tail, restarted } = view;
      if (view.phase !== 'ready') {
        tail = startTail(await ask(-tailBytes));
        show({ phase: 'ready', tail, restarted });
      }
      for (;;) {
        hasGrown = false;
        const chunk = await ask(tail.nextOffset);
        if (chunk.size < tail.nextOffset) {
          restarted = true;
          tail = startTail(await ask(-tailBytes));
        } else if (chunk.size - tail.nextOffset > tailBytes) {
          // More was appended than is kept: continue at the end.
          tail = startTail(await ask(-tailBytes));
        } else {
          tail = append(tail, chunk);
        }
        if (tail !== view.tail || restarted !== view.restarted) show({ phase: 'ready', tail, restarted });
        // The log may have grown during the last request. An incomplete character waits for its remaining bytes.
        const behind = tail.nextOffset < chunk.size && chunk.nextOffset > chunk.offset;
        if (!grown() && !behind) break;
      }
    } catch (error) {
      if (abort.signal.aborted) return;
      show({ ...view, phase: 'failed', error: fromWireError(toWireError(error)) });
    } finally {
      reading = false;
    }
  };

  const stop = subscribe((growth) => {
    if (growth.rank === -1 || (growth.rank === rank && growth.size !== view.tail.nextOffset)) void read();
  });
  void read();
  return {
    view: () => view,
    onChange(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    reload() {
      void read();
    },
    close() {
      stop();
      abort.abort();
      listeners.clear();
    },
  };
}
