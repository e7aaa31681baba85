/** Terminals on nodes: each is a shell over SSH whose newest output is kept, so that windows can detach and attach. */
import { randomUUID } from 'node:crypto';
import { StringDecoder } from 'node:string_decoder';
import { RinglabError, toWireError, notFound } from '../../shared/base/errors.ts';
import type { LabDocument } from '../../shared/lab/lab.ts';
import { terminalKept, type TerminalSize, type TerminalState } from '../../shared/node/terminal.ts';
import type { EventLog } from '../base/events.ts';
import type { Reach } from '../local/index.ts';
import type { SshTerminal } from '../ssh/index.ts';

export interface TerminalsOptions {
  readonly reach: Pick<Reach, 'session'>;
  readonly events: Pick<EventLog, 'emit'>;
  /** Shell prefix that enters a node's network namespace; undefined where it has none. */
  readonly enter?: (labId: string, nodeId: string) => Promise<string | undefined>;
  /** Milliseconds after which a terminal without acknowledgements receives output again; 1000 by default. */
  readonly waitMs?: number;
}

export interface Terminals {
  /** Rejects as `Reach.session` does, and with `not_found` for a switch. */
  open(lab: LabDocument, nodeId: string, size: TerminalSize, signal?: AbortSignal): Promise<TerminalState>;
  list(labId: string): TerminalState[];
  /** Output from `offset` (characters), or from the oldest that is kept. */
  read(terminalId: string, offset: number): { text: string; offset: number; end: number };
  input(terminalId: string, text: string): void;
  /** A window has shown the output up to `end`: more may be sent (flow control). */
  seen(terminalId: string, end: number): void;
  resize(terminalId: string, size: TerminalSize): void;
  /** Ends the shell and drops its output. Windows that show it are notified, unless all end with the app (`closeAll`). */
  close(terminalId: string): void;
  closeAll(): void;
}

/** Maximum number of terminals; each needs a channel of its node's connection. */
const maxTerminals = 64;
/** Maximum number of unacknowledged characters; beyond it the node's output is paused. */
const maxUnseen = 256 * 1024;
/** Maximum number of pieces of output before they are joined. */
const maxPieces = 4096;
/** Output within this time is sent as one event. */
const gatherMs = 8;

interface Live {
  state: TerminalState;
  readonly shell: SshTerminal;
  /** The newest output, in pieces that are joined when it is read. */
  pieces: string[];
  kept: number;
  seen: number;
  /** Not yet sent to windows. */
  unsent: string;
  timer?: NodeJS.Timeout;
  waiting?: NodeJS.Timeout;
}

/** Keeps the newest `terminalKept` characters, and no more than twice as many in between. */
function keep(live: Live, text: string): void {
  live.pieces.push(text);
  live.kept += text.length;
  if (live.kept > 2 * terminalKept || live.pieces.length > maxPieces) keptText(live);
}

function keptText(live: Live): string {
  const text = live.pieces.join('').slice(-terminalKept);
  live.pieces = [text];
  live.kept = text.length;
  return text;
}

export function createTerminals({ reach, events, enter, waitMs = 1000 }: TerminalsOptions): Terminals {
  const terminals = new Map<string, Live>();
  const liveOf = (terminalId: string): Live => {
    const live = terminals.get(terminalId);
    if (live === undefined) throw notFound('terminal', terminalId);
    return live;
  };

  const send = (live: Live): void => {
    delete live.timer;
    if (live.unsent === '') return;
    const { terminalId, end } = live.state;
    const text = live.unsent;
    live.unsent = '';
    events.emit('terminal.data', { terminalId, offset: end - text.length, text });
  };
  const goOn = (live: Live): void => {
    clearTimeout(live.waiting);
    delete live.waiting;
    live.shell.resume();
  };
  const take = (live: Live, text: string): void => {
    if (text === '') return;
    keep(live, text);
    live.state = { ...live.state, end: live.state.end + text.length };
    live.unsent += text;
    live.timer ??= setTimeout(() => send(live), gatherMs);
    if (live.state.end - live.seen <= maxUnseen || live.waiting !== undefined) return;
    live.shell.pause();
    live.waiting = setTimeout(() => {
      live.seen = live.state.end;
      goOn(live);
    }, waitMs);
  };
  const end = (live: Live, ended: NonNullable<TerminalState['ended']>): void => {
    if (live.state.ended !== undefined) return;
    clearTimeout(live.waiting);
    clearTimeout(live.timer);
    send(live);
    live.state = { ...live.state, ended };
    if (terminals.has(live.state.terminalId)) events.emit('terminal.ended', { terminal: live.state });
  };
  /** Removes the oldest terminal that has ended. */
  const makeRoom = (): void => {
    if (terminals.size < maxTerminals) return;
    const over = [...terminals.values()].find(({ state }) => state.ended !== undefined);
    if (over === undefined) throw new RinglabError('terminals_too_many', { limit: maxTerminals });
    terminals.delete(over.state.terminalId);
  };
  const drop = (terminalId: string): Live | undefined => {
    const live = terminals.get(terminalId);
    terminals.delete(terminalId);
    if (live === undefined) return undefined;
    clearTimeout(live.timer);
    clearTimeout(live.waiting);
    live.shell.close();
    return live;
  };

  return {
    async open(lab, nodeId, size, signal) {
      const node = lab.nodes.find(({ id }) => id === nodeId);
      if (node === undefined || node.kind === 'switch') {
        throw notFound('node', nodeId, lab.name);
      }
      makeRoom();
      const session = await reach.session(lab, nodeId, signal);
      const inside = await enter?.(lab.id, nodeId);
      const shell = await session.terminal({
        ...size,
        signal,
        ...(inside === undefined ? {} : { command: `exec ${inside} "\${SHELL:-/bin/sh}" -l` }),
      });
      const terminalId = randomUUID();
      const live: Live = {
        state: { terminalId, labId: lab.id, nodeId, since: Date.now() / 1000, end: 0 },
        shell,
        pieces: [],
        kept: 0,
        seen: 0,
        unsent: '',
      };
      terminals.set(terminalId, live);
      const decoder = new StringDecoder('utf8');
      shell.onData((chunk) => take(live, decoder.write(chunk)));
      void shell.ended.then(async (code) => {
        if (code !== undefined) {
          end(live, { code });
          return;
        }
        // Without an exit status the connection was lost, which has the reason; or the shell was closed by us, or hung up.
        const why = await Promise.race([session.closed, new Promise((late) => setTimeout(late, 500))]);
        const lost = why ?? toWireError(new RinglabError('connection_lost', { host: session.target.host }));
        // The other promise resolves with undefined; session.closed with a WireError.
        end(live, { error: lost as ReturnType<typeof toWireError> });
      });
      return live.state;
    },
    list: (labId) => [...terminals.values()].map(({ state }) => state).filter((one) => one.labId === labId),
    read(terminalId, offset) {
      const live = liveOf(terminalId);
      const text = keptText(live);
      const { state } = live;
      const oldest = state.end - text.length;
      const from = Math.min(Math.max(offset, oldest), state.end);
      return { text: text.slice(from - oldest), offset: from, end: state.end };
    },
    input(terminalId, text) {
      const live = liveOf(terminalId);
      if (live.state.ended === undefined) live.shell.write(text);
    },
    seen(terminalId, at) {
      const live = terminals.get(terminalId);
      if (live === undefined) return;
      live.seen = Math.max(live.seen, Math.min(at, live.state.end));
      if (live.waiting !== undefined && live.state.end - live.seen < maxUnseen / 2) goOn(live);
    },
    resize(terminalId, size) {
      const live = liveOf(terminalId);
      if (live.state.ended === undefined) live.shell.resize(size);
    },
    close(terminalId) {
      const live = drop(terminalId);
      if (live === undefined || live.state.ended !== undefined) return;
      events.emit('terminal.ended', { terminal: { ...live.state, ended: {} } });
    },
    closeAll() {
      for (const id of [...terminals.keys()]) drop(id);
    },
  };
}
