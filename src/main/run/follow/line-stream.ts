/**
 * Streams lines of a node's files as they are written: one `tail -F` on the node waits for inotify, so that a point
 * needs no new process, no round trip and no polling. Lines are accepted only if their byte offset is certain;
 * otherwise the stream ends, the files are polled by offset (`node-files.ts`), and streaming is retried later.
 */
import { shellQuote, type SshSession } from '../../ssh/index.ts';
import type { Clock } from '../../base/clock.ts';

/** The command ends by itself, so that it does not stay on the node when the connection breaks. */
const lifetimeSeconds = 60;
/** Milliseconds until a stream that ended early is retried. */
const retryAfter = 15_000;
/** Maximum number of bytes of a line, or of lines not yet stored; beyond it polling takes over, which waits for the store. */
const maxBytes = 4 * 1024 * 1024;
/** Memory for each line beside its bytes. */
const perLine = 64;
/** Each file needs three processes on the node; login nodes of clusters often allow a user a few hundred. */
const maxFollowed = 64;

export interface StreamedFile {
  readonly path: string;
  /** Offset of the first line, at the beginning of a line. Called each time the stream starts. */
  readonly offset: () => number;
}

export interface LineStreamOptions {
  readonly session: SshSession;
  readonly clock: Clock;
  /** Append-only files of JSON lines. */
  readonly files: readonly StreamedFile[];
  /** Files that are only watched for existence: `next` then resolves. */
  readonly watched: readonly string[];
  /**
   * Receives whole lines of a file, in order, with the offset of the first byte. Calls do not overlap; returns false
   * where the offset does not match.
   */
  readonly take: (path: string, offset: number, lines: Uint8Array) => Promise<boolean>;
}

export interface LineStream {
  /** True while the stream works. */
  readonly works: boolean;
  /**
   * Resolves with true when a watched file appeared or the stream stopped working, with false after `milliseconds`;
   * never rejects.
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
      .exec(
        files.length + watched.length > maxFollowed
          ? manyScript(files, watched)
          : streamScript(files, watched),
        {
          signal,
          timeoutMs: (lifetimeSeconds + 30) * 1000,
          maxOutputBytes: 1024,
          // Where the server allows few channels, commands have priority.
          yields: true,
          onOutput: (text, stream) => {
            if (stream === 'stdout') lines.push(text);
            else if (/truncated|replaced/.test(text)) broken.abort();
          },
        },
      )
      .catch(() => undefined);
    await lines.settled();
  };
  const listen = async (): Promise<void> => {
    while (!ended.signal.aborted) {
      const begun = clock.ticks();
      works = true;
      await once();
      if (clock.ticks() - begun >= (lifetimeSeconds - 1) * 1000) continue;
      // The command is missing, there is no channel, or offsets are uncertain: poll for a while.
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
 * Prints each line as `<file's number> <bytes> <line>`, each with one write; `read` and `printf` are shell builtins
 * and add no delay. `LC_ALL=C` makes `${#line}` count bytes. `-` stands for a watched file. Where `tail` has no
 * inotify (network file systems, no instance left) it polls as `often` as `-s` says, or once a second where that
 * `tail` has no `-s`.
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

/**
 * One program for all files, however many. Ends where a file shrank, or a line has no end: the caller then polls, as it
 * does where there is no Perl. Blocks are read only of files that grew.
 */
const follower = `
$| = 1;
my @files;
while (<STDIN>) {
  chomp;
  my ($key, $at, $path) = split / /, $_, 3;
  push @files, { key => $key, at => $at, path => $path, rest => "" };
}
my $end = time + ${lifetimeSeconds};
while (time < $end) {
  for my $file (@files) {
    my $size = (stat $file->{path})[7];
    next if !defined $size || $size == $file->{at};
    exit 3 if $size < $file->{at};
    open(my $in, "<:raw", $file->{path}) or next;
    sysseek($in, $file->{at}, 0) or exit 3;
    while (sysread($in, my $block, 65536)) {
      $file->{at} += length $block;
      my @lines = split /\\n/, $file->{rest} . $block, -1;
      $file->{rest} = pop @lines;
      print $file->{key}, " ", length, " ", $_, "\\n" for @lines;
      exit 3 if length $file->{rest} > ${maxBytes};
    }
    close $in;
  }
  select undef, undef, undef, 0.2;
}`;

/** As `streamScript`, with Perl: by one process. */
export function manyScript(files: readonly StreamedFile[], watched: readonly string[]): string {
  const list = [
    ...files.map(({ path, offset }, index) => `${index} ${offset()} ${path}`),
    ...watched.map((path) => `- 0 ${path}`),
  ];
  return `command -v perl >/dev/null || exit 9
perl -e ${shellQuote(follower)} <<'RINGLAB'
${list.join('\n')}
RINGLAB
`;
}

interface LineTaker {
  push(text: string): void;
  /** Resolves when all pushed lines have been stored. */
  settled(): Promise<void>;
}

/** Assigns offsets to the lines of `streamScript`; calls `doubtful` and stops where one does not match. */
export function createLineTaker(
  files: readonly StreamedFile[],
  take: LineStreamOptions['take'],
  listener: { watched(): void; doubtful(): void },
): LineTaker {
  const positions = files.map(({ offset }) => offset());
  /** Lines not yet stored, by file. */
  let waiting = new Map<number, string[]>();
  let waitingBytes = 0;
  /** Pieces of the incomplete last line: an array, so that a long line is not copied with each piece. */
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
        // Lines that arrived while the previous ones were being stored.
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
    // A shell drops NUL bytes, which a torn line may contain: only the length of a complete line can be trusted.
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
