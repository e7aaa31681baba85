/** Shows what an own script's rank 0 prints while its run is followed. */
import { asTerminalShows } from '../../../shared/base/terminal-line.ts';
import type { AnyEvent, LabApi } from '../../../shared/contract/api.ts';
import { createSerialQueue } from '../../base/serial-queue.ts';

/** Of what came at once, the newest are shown: a script may print more than a terminal. */
const maxAtOnce = 64 * 1024;

export interface ScriptLog {
  readonly onEvent: (event: AnyEvent) => void;
  /** Resolves when all that is stored has been shown. */
  end(): Promise<void>;
}

export function showScriptLog(
  api: Pick<LabApi, 'call'>,
  runId: string,
  write: (text: string) => void,
): ScriptLog {
  const enqueue = createSerialQueue();
  let offset = -maxAtOnce;
  let isAsked = false;
  /** An incomplete last line waits for its end. */
  let rest = '';
  const show = async (): Promise<void> => {
    isAsked = false;
    const limit = maxAtOnce;
    const found = await api.call('log.read', { runId, rank: 0, offset, limit }).catch(() => undefined);
    if (found === undefined) return;
    let { text } = found;
    offset = found.nextOffset;
    if (found.size - found.nextOffset > maxAtOnce) {
      offset = found.size - maxAtOnce;
      text += '\n…\n';
    } else if (found.nextOffset < found.size) ask();
    const lines = (rest + text).split('\n');
    // A progress bar may never end its line.
    rest = (lines.pop() ?? '').slice(-maxAtOnce);
    const visible = lines.map((line) => asTerminalShows(line));
    if (visible.length > 0) write(`${visible.join('\n')}\n`);
  };
  const ask = (): void => {
    if (isAsked) return;
    isAsked = true;
    enqueue(show).catch(() => undefined);
  };
  return {
    onEvent(event) {
      if (event.name === 'run.log' && event.data.runId === runId && event.data.rank === 0) ask();
    },
    async end() {
      ask();
      await enqueue.settled();
      if (rest !== '') write(`${asTerminalShows(rest)}\n`);
    },
  };
}
