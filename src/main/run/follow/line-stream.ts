/**
 * Lines of a node's files as they are written: a `tail -F` there waits for the kernel's word, so that a point needs no
 * process, no round trip and no waiting for its turn. What comes is taken only where it is certain at which byte it
 * lies; at any doubt the stream ends, the files are read by offset instead (`node-files.ts`), and it begins anew later.
 */
import { shellQuote, type SshSession } from '../../ssh/index.ts';
import type { Clock } from '../../base/clock.ts';

/** The command ends by itself, so that none stays on the node when the connection breaks without a word. */
const lifetimeSeconds = 60;
/** Milliseconds until a stream that ended early is tried again. */
const retryAfter = 15_000;
/** Bytes of one line, or of lines not yet taken; beyond it reading by offset takes over, which waits for the store. */
const maxBytes = 4 * 1024 * 1024;
/** What a line costs beside its bytes. */
const perLine = 64;

export interface StreamedFile {
  readonly path: string;
  /** Where to begin: the first byte of a line. Asked again each time the stream begins. */
  readonly offset: () => number;
}

export interface LineStreamOptions {
  readonly session: SshSession;
  readonly clock: Clock;
  /** Append-only files of JSON lines. */
  readonly files: readonly StreamedFile[];
  /** Files of which only the appearance matters: `next` resolves then. */
  readonly watched: readonly string[];
  /** Whole lines of a file, in order, with the offset of their first byte. One call at a time; false where they do not fit. */
  readonly take: (path: string, offset: number, lines: Uint8Array) => Promise<boolean>;
}

export interface LineStream {
  /** True while lines come by themselves. */
  readonly works: boolean;
  /**
   * Resolves when a watched file appeared (true) or the stream stopped working, or after `milliseconds` (false); never
   * rejects.
   */
  next(milliseconds: number): Promise<boolean>;
  stop(): Promise<void>;
}

export function startLineStream({ session, clock, files, watched, take }: LineStreamOptions): LineStream {
  const ended = new AbortController();
  let appeared = false;
  let works = true;
  let wake: (() => void) | undefined;
  const once = async (): Promise<void> => {
    const broken = new AbortController();
    const signal = AbortSignal.any([ended.signal, broken.signal]);
    const lines = createLineTaker(files, take, {
      watched: () => {
        appeared = true;
        wake?.();
      },
      doubtful: () => broken.abort(),
    });
    await session
      .exec(streamScript(files, watched), {
        signal,
        timeoutMs: (lifetimeSeconds + 30) * 1000,
        maxOutputBytes: 1024,
        // Where the server grants few channels, commands come before watching.
        yields: true,
        onOutput: (text, stream) => {
          if (stream === 'stdout') lines.push(text);
          else if (/truncated|replaced/.test(text)) broken.abort();
        },
      })
      .catch(() => undefined);
    await lines.settled();
  };
  const listen = async (): Promise<void> => {
    while (!ended.signal.aborted) {
      const begun = clock.ticks();
      works = true;
      await once();
      if (clock.ticks() - begun >= (lifetimeSeconds - 1) * 1000) continue;
      // No such command there, no channel left for it, or bytes in doubt: reading by offset has to do for a while.
      works = false;
      wake?.();
      await clock.sleep(retryAfter, ended.signal);
    }
  };
  const listening = listen().catch(() => undefined);
  return {
    get works() {
      return works;
    },
    async next(milliseconds) {
      if (!appeared) {
        const waited = new AbortController();
        wake = () => waited.abort();
        await clock.sleep(milliseconds, waited.signal).catch(() => undefined);
        wake = undefined;
      }
      const result = appeared;
      appeared = false;
      return result;
    },
    async stop() {
      ended.abort();
      wake?.();
      await listening;
    },
  };
}

/**
 * Prints each line as `<file's number> <bytes> <line>`, each with one write: `read` and `printf` are the shell's own, and
 * wait for nothing but the line. `LC_ALL=C` makes `${#line}` count bytes. `-` stands for a watched file. Where `tail` has
 * no word from the kernel (network file systems, no inotify instance left) it looks as `often` as `-s` says,
 * or once a second where that `tail` does not take `-s`.
 */
export function streamScript(files: readonly StreamedFile[], watched: readonly string[]): string {
  const follow = (key: string, path: string, from: number): string =>
    `follow ${key} ${from} ${shellQuote(path)} &\npids="$pids $!"`;
  return `LC_ALL=C
export LC_ALL
follow() {
  timeout --foreground ${lifetimeSeconds} tail $often -c +"$2" -F "$3" |
    while IFS= read -r line; do printf '%s %s %s\\n' "$1" "\${#line}" "$line"; done
}
often=
tail -s 0.03 -n 1 /dev/null 2>/dev/null && often='-s 0.03'
pids=
${files.map(({ path, offset }, index) => follow(String(index), path, offset() + 1)).join('\n')}
${watched.map((path) => follow('-', path, 1)).join('\n')}
wait $pids
`;
}

interface LineTaker {
  push(text: string): void;
  /** Resolves when all that was pushed has been taken. */
  settled(): Promise<void>;
}

/** Puts the lines of `streamScript` at their offsets; `doubtful` is called, and nothing more taken, where one does not fit. */
export function createLineTaker(
  files: readonly StreamedFile[],
  take: LineStreamOptions['take'],
  listener: { watched(): void; doubtful(): void },
): LineTaker {
  const positions = files.map(({ offset }) => offset());
  /** Lines not yet taken, by file. */
  let waiting = new Map<number, string[]>();
  let waitingBytes = 0;
  /** Of the line that has not ended: pieces, so that a long one is not copied with each. */
  let rest: string[] = [];
  let restLength = 0;
  let isDoubtful = false;
  let taking: Promise<void> | undefined;

  const doubt = (): void => {
    if (isDoubtful) return;
    isDoubtful = true;
    waiting.clear();
    rest = [];
    listener.doubtful();
  };
  const takeAll = async (): Promise<void> => {
    while (waiting.size > 0 && !isDoubtful) {
      const now = waiting;
      waiting = new Map();
      waitingBytes = 0;
      for (const [index, lines] of now) {
        const bytes = Buffer.from(lines.join(''));
        const position = positions[index] ?? 0;
        positions[index] = position + bytes.length;
        if (!(await take(files[index]?.path ?? '', position, bytes))) doubt();
      }
    }
  };
  const takeOn = (): void => {
    taking ??= takeAll()
      .catch(doubt)
      .finally(() => {
        taking = undefined;
        // Lines that came as the last ones had just been taken.
        if (waiting.size > 0 && !isDoubtful) takeOn();
      });
  };
  const accept = (line: string): void => {
    if (isDoubtful) return;
    const [, key = '', length = '', content = ''] = /^(\d+|-) (\d+) (.*)$/s.exec(line) ?? [];
    if (key === '-') {
      listener.watched();
      return;
    }
    const index = Number(key);
    // A shell drops NUL bytes, which a torn line may hold: only what looks whole has the length that it says.
    const isWhole = content.startsWith('{') && content.endsWith('}');
    if (key === '' || index >= files.length || !isWhole || Buffer.byteLength(content) !== Number(length)) {
      doubt();
      return;
    }
    const lines = waiting.get(index);
    if (lines === undefined) waiting.set(index, [`${content}\n`]);
    else lines.push(`${content}\n`);
    waitingBytes += Number(length) + perLine;
  };
  return {
    push(text) {
      if (isDoubtful) return;
      const lines = text.split('\n');
      const torn = lines.pop() ?? '';
      const [first, ...whole] = lines;
      if (first !== undefined) {
        accept([...rest, first].join(''));
        [rest, restLength] = [[], 0];
        for (const line of whole) accept(line);
      }
      rest.push(torn);
      restLength += torn.length + 1;
      if (restLength + waitingBytes > maxBytes) doubt();
      takeOn();
    },
    async settled() {
      while (taking !== undefined) await taking;
    },
  };
}
