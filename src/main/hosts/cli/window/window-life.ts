/** Decides when the app ends that has no window of its own: with the last page that shows it, unless a run lives. */

export interface WindowLife {
  /** The number of connected pages. */
  windows(): number;
  /** Whether a run needs the app to be followed. */
  isRunning(): Promise<boolean>;
  /** Waits a second; rejects when the app ends otherwise. */
  second(): Promise<void>;
  /** Called once each time that the last window closes during a run. */
  onLeftRunning(): void;
  /** Seconds until a window must have opened; undefined: any time. */
  readonly opensWithin: number | undefined;
}

/** A page that is reloaded, or a computer that wakes, connects again within this many seconds. */
const graceSeconds = 15;

/** Resolves when the app should end. Counts seconds in which it ran, not the clock: a computer may sleep meanwhile. */
export async function lastWindowClosed(life: WindowLife): Promise<void> {
  let opened = false;
  let reported = false;
  for (let without = 0; ;) {
    await life.second();
    if (life.windows() > 0) {
      opened = true;
      reported = false;
      without = 0;
      continue;
    }
    without += 1;
    const patience = opened ? graceSeconds : life.opensWithin;
    if (patience === undefined || without < patience) continue;
    if (!(await life.isRunning())) return;
    if (!reported) life.onLeftRunning();
    reported = true;
  }
}
