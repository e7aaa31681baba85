/** Reads appended bytes of several files of a node in one command, each from its own offset. */
import { RinglabError } from '../../../shared/base/errors.ts';
import { shellQuote, type FileChunk, type SshSession } from '../../ssh/index.ts';
import { phrase } from '../../i18n/index.ts';

export interface FileRequest {
  /** Identifies the file in the answer: letters, digits, `-`, `_`, `.`. */
  readonly key: string;
  /** Absolute path. */
  readonly path: string;
  readonly offset: number;
  /** Maximum number of bytes to read. */
  readonly limit: number;
}

/**
 * Files that do not exist are not in the answer. Bytes are base64-encoded, so that no shell or terminal can change
 * them. One `wc` checks all files, and only those that grew need more processes, which compete with training for CPU.
 * `wc` keeps the order of the files: one comparison for each finds those that are missing.
 * @param total bytes of all files together: the first ones take them, and of the others only the size is read
 */
export function readScript(requests: readonly FileRequest[], total = limitsOf(requests)): string {
  const files = Map.groupBy(requests, ({ path }) => shellQuote(path));
  const emit = ({ key, offset, limit }: FileRequest): string =>
    `emit ${key} "$size" "$name" ${offset} ${limit}; `;
  const reads = [...files].map(
    ([path, here]) => `[ "$name" = ${path} ] && { ${here.map(emit).join('')}next; }`,
  );
  return `left=${total}
emit() {
  printf 'file %s %s\\n' "$1" "$2"
  n=$(($2 - $4))
  [ "$n" -gt "$5" ] && n=$5
  [ "$n" -gt "$left" ] && n=$left
  [ "$n" -gt 0 ] && tail -c +"$(($4 + 1))" "$3" | head -c "$n" | base64 && left=$((left - n))
  printf '.\\n'
}
next() { read -r size name || name=; }
wc -c ${[...files.keys()].join(' ')} 2>/dev/null | { next
${reads.join('\n')}
}
printf 'end\\n'
`;
}

const limitsOf = (requests: readonly FileRequest[]): number =>
  requests.reduce((sum, { limit }) => sum + limit, 0);

/** Throws `transfer_failed` where the answer is incomplete: nothing of it is used then. */
export function parseRead(output: string, requests: readonly FileRequest[]): Map<string, FileChunk> {
  const offsets = new Map(requests.map((request) => [request.key, request.offset]));
  const limits = new Map(requests.map((request) => [request.key, request.limit]));
  const chunks = new Map<string, FileChunk>();
  let current: { key: string; size: number; text: string[] } | undefined;
  let complete = false;
  for (const line of output.split('\n')) {
    if (current === undefined) {
      const [word, key = '', size = ''] = line.split(' ');
      if (word === 'file' && offsets.has(key)) current = { key, size: sizeOf(size), text: [] };
      else if (word === 'end') complete = true;
    } else if (line === '.') {
      const offset = offsets.get(current.key) ?? 0;
      const bytes = Buffer.from(current.text.join(''), 'base64');
      if (bytes.length > (limits.get(current.key) ?? 0))
        throw new RinglabError('node_nonsense', { what: phrase('reasons.node.more') });
      chunks.set(current.key, {
        offset,
        bytes,
        size: Math.max(current.size, offsetEnd(current.size, offset, bytes)),
      });
      current = undefined;
    } else current.text.push(line);
  }
  if (!complete) {
    throw new RinglabError('transfer_failed', {
      path: requests[0]?.path ?? '',
      reason: phrase('reasons.cutShort'),
    });
  }
  return chunks;
}

function sizeOf(text: string): number {
  const size = Number(text);
  if (/^\d+$/.test(text) && Number.isSafeInteger(size)) return size;
  throw new RinglabError('node_nonsense', { what: phrase('reasons.node.size', { size: text.slice(0, 40) }) });
}

/** The file may have grown between reading its size and its bytes. */
const offsetEnd = (size: number, offset: number, bytes: Uint8Array): number =>
  bytes.length === 0 ? size : offset + bytes.length;

/** One round trip to the node. `total` is `readScript`'s. */
export async function readFiles(
  session: SshSession,
  requests: readonly FileRequest[],
  options: { signal?: AbortSignal | undefined; timeoutMs: number },
  total = limitsOf(requests),
): Promise<Map<string, FileChunk>> {
  if (requests.length === 0) return new Map();
  const result = await session.exec(readScript(requests, total), {
    brief: true,
    ...options,
    maxOutputBytes: 2 * total + 4096 * requests.length,
  });
  return parseRead(result.stdout, requests);
}

/** Cuts a chunk at its last newline, and returns how many bytes of an incomplete line must be read again. */
export function cutAtLine(bytes: Uint8Array): { whole: Uint8Array; torn: number } {
  const end = bytes.lastIndexOf(10) + 1;
  return { whole: bytes.subarray(0, end), torn: bytes.length - end };
}
