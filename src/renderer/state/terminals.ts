/** Main's words about terminals, handed on to whoever shows them. */
import type { EventData } from '../../shared/contract/api.ts';
import type { TerminalState } from '../../shared/node/terminal.ts';

export interface TerminalListener {
  onData(data: EventData<'terminal.data'>): void;
  onEnded(state: TerminalState): void;
  /** Events were missed: ask anew. */
  onMissed(): void;
}

const listeners = new Set<TerminalListener>();

/** Returns how to stop. */
export function onTerminal(listener: TerminalListener): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

export const notifyTerminals = (notify: (listener: TerminalListener) => void): void =>
  [...listeners].forEach(notify);
