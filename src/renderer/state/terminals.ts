/** Passes main's terminal events to subscribers. */
import type { EventData } from '../../shared/contract/api.ts';
import type { TerminalState } from '../../shared/node/terminal.ts';

export interface TerminalListener {
  onData(data: EventData<'terminal.data'>): void;
  onEnded(state: TerminalState): void;
  /** Events were missed: request the state again. */
  onMissed(): void;
}

const listeners = new Set<TerminalListener>();

/** Returns a function that unsubscribes. */
export function onTerminal(listener: TerminalListener): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

export const notifyTerminals = (notify: (listener: TerminalListener) => void): void =>
  [...listeners].forEach(notify);
