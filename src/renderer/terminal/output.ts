/** A terminal's output on its way to the screen: what is requested, given and drawn, and what is acknowledged to main (flow control). */
import type { LabClient } from '../api/index.ts';
import type { Screen } from './screen.ts';

export interface Life {
  readonly screen: Screen;
  terminalId: string | undefined;
  /** Characters of the shell's output that the screen was given, and that it has drawn. */
  received: number;
  drawn: number;
  reported: number;
  tries: number;
  timer: ReturnType<typeof setTimeout> | undefined;
  isReading: boolean;
  /** Output up to here was drawn by an earlier page, which answered its requests. Infinity until main says how much it is. */
  replayedTo: number;
}

/** Main is notified after this many drawn characters (flow control). */
const notifyEvery = 32 * 1024;

/** The screen has drawn so many characters of the output that it was given. */
export function drawn(api: LabClient, life: Life, characters: number): void {
  life.drawn += characters;
  const { terminalId } = life;
  if (terminalId === undefined || life.drawn - life.reported < notifyEvery) return;
  life.reported = life.drawn;
  api.call('terminal.seen', { terminalId, end: life.drawn }).catch(() => undefined);
}

/** Requests output that the screen lacks: after a gap, a reload, or output that was left out. */
export function read(api: LabClient, life: Life): void {
  const { terminalId } = life;
  if (terminalId === undefined || life.isReading) return;
  life.isReading = true;
  api
    .call('terminal.read', { terminalId, offset: life.received })
    .then(({ text, offset, end }) => {
      if (life.terminalId !== terminalId) return;
      if (life.replayedTo === Infinity) life.replayedTo = end;
      give(life, text, offset, end);
    })
    .catch(() => undefined)
    .finally(() => {
      life.isReading = false;
    });
}

export function give(life: Life, text: string, offset: number, end: number): void {
  if (end <= life.received) return;
  const fresh = text.slice(Math.max(0, life.received - offset));
  // Output that main no longer has counts as drawn. What was given before may still wait for the screen: `onShown` counts it.
  life.drawn += end - life.received - fresh.length;
  life.received = end;
  life.screen.write(fresh);
}
