/** The difference of two texts by lines, as `git diff` prints it (Myers 1986, greedy). Pure. */

/** Lines of context around a change. */
const context = 3;
/** From so many changed lines on, the changed part is shown as replaced whole: the search takes their square. */
const maxEdits = 2000;

interface Lines {
  readonly lines: readonly string[];
  /** The text ends in a newline, or is empty. */
  readonly ends: boolean;
}

function linesOf(text: string): Lines {
  if (text === '') return { lines: [], ends: true };
  const ends = text.endsWith('\n');
  return { lines: (ends ? text.slice(0, -1) : text).split('\n'), ends };
}

/** A part of both texts: equal, or replaced. End is exclusive. */
interface Edit {
  readonly equal: boolean;
  readonly old: readonly [number, number];
  readonly now: readonly [number, number];
}

/** @param before undefined: the file is new; `after` undefined: it is gone */
export function unifiedDiff(path: string, before: string | undefined, after: string | undefined): string {
  if (before === after) return '';
  const [old, now] = [linesOf(before ?? ''), linesOf(after ?? '')];
  // A last line without its newline differs from one with it.
  const marked = ({ lines, ends }: Lines): string[] =>
    lines.map((line, index) =>
      ends || index < lines.length - 1 ? line : `${line}\n\\ No newline at end of file`,
    );
  const [a, b] = [marked(old), marked(now)];
  const head = [
    `diff --git a/${path} b/${path}`,
    ...(before === undefined ? ['new file'] : after === undefined ? ['deleted file'] : []),
    `--- ${before === undefined ? '/dev/null' : `a/${path}`}`,
    `+++ ${after === undefined ? '/dev/null' : `b/${path}`}`,
  ];
  return `${[...head, ...hunks(a, b, editsOf(a, b))].join('\n')}\n`;
}

export const modeDiff = (path: string, executable: boolean): string => {
  const [from, to] = executable ? ['100644', '100755'] : ['100755', '100644'];
  return `diff --git a/${path} b/${path}\nold mode ${from}\nnew mode ${to}\n`;
};

export const binaryDiff = (path: string): string =>
  `diff --git a/${path} b/${path}\nBinary files a/${path} and b/${path} differ\n`;

function editsOf(a: readonly string[], b: readonly string[]): Edit[] {
  let start = 0;
  while (start < a.length && start < b.length && a[start] === b[start]) start += 1;
  let [endA, endB] = [a.length, b.length];
  while (endA > start && endB > start && a[endA - 1] === b[endB - 1]) [endA, endB] = [endA - 1, endB - 1];
  const equal = (old: [number, number], now: [number, number]): Edit => ({ equal: true, old, now });
  const replaced: Edit = { equal: false, old: [start, endA], now: [start, endB] };
  return [
    equal([0, start], [0, start]),
    ...(searched(a, b, start, endA, endB) ?? [replaced]),
    equal([endA, a.length], [endB, b.length]),
  ].filter(({ old, now }) => old[1] > old[0] || now[1] > now[0]);
}

/** Undefined beyond `maxEdits`. */
function searched(
  a: readonly string[],
  b: readonly string[],
  start: number,
  endA: number,
  endB: number,
): Edit[] | undefined {
  const [n, m] = [endA - start, endB - start];
  const limit = Math.min(n + m, maxEdits);
  const furthest = new Int32Array(2 * limit + 3);
  const at = (k: number): number => k + limit + 1;
  const trace: Int32Array[] = [];
  for (let d = 0; d <= limit; d += 1) {
    trace.push(furthest.slice(at(-d) - 1, at(d) + 2));
    for (let k = -d; k <= d; k += 2) {
      const down = furthest[at(k + 1)] ?? 0;
      const right = (furthest[at(k - 1)] ?? 0) + 1;
      let x = k === -d || (k !== d && right - 1 < down) ? down : right;
      while (x < n && x - k < m && a[start + x] === b[start + x - k]) x += 1;
      furthest[at(k)] = x;
      if (x >= n && x - k >= m) return walkBack(trace, n, m).map((edit) => moved(edit, start));
    }
  }
  return undefined;
}

const moved = ({ equal, old, now }: Edit, by: number): Edit => ({
  equal,
  old: [old[0] + by, old[1] + by],
  now: [now[0] + by, now[1] + by],
});

/** From the end to the start; neighbouring single edits are joined. */
function walkBack(trace: readonly Int32Array[], n: number, m: number): Edit[] {
  const edits: Edit[] = [];
  const add = (equal: boolean, fromX: number, fromY: number, toX: number, toY: number): void => {
    if (fromX === toX && fromY === toY) return;
    const next = edits[0];
    if (next?.equal === equal) edits[0] = { equal, old: [fromX, next.old[1]], now: [fromY, next.now[1]] };
    else edits.unshift({ equal, old: [fromX, toX], now: [fromY, toY] });
  };
  let [x, y] = [n, m];
  for (let d = trace.length - 1; d > 0; d -= 1) {
    // Row d was kept before its step: places -d-1 to d+1.
    const row = trace[d] ?? new Int32Array();
    const value = (k: number): number => row[k + d + 1] ?? 0;
    const k = x - y;
    const before = k === -d || (k !== d && value(k - 1) < value(k + 1)) ? k + 1 : k - 1;
    const fromX = value(before);
    const fromY = fromX - before;
    const [midX, midY] = before === k + 1 ? [fromX, fromY + 1] : [fromX + 1, fromY];
    add(true, midX, midY, x, y);
    add(false, fromX, fromY, midX, midY);
    [x, y] = [fromX, fromY];
  }
  add(true, 0, 0, x, y);
  return edits;
}

function hunks(a: readonly string[], b: readonly string[], edits: readonly Edit[]): string[] {
  const printed: string[] = [];
  let at = 0;
  while (at < edits.length) {
    if (edits[at]?.equal === true) {
      at += 1;
      continue;
    }
    // Changes with little between them are one hunk.
    let last = at;
    for (;;) {
      const [gap, next] = [edits[last + 1], edits[last + 2]];
      if (gap === undefined || next === undefined || gap.old[1] - gap.old[0] > 2 * context) break;
      last += 2;
    }
    const [first, end] = [edits[at], edits[last]];
    if (first === undefined || end === undefined) break;
    const lead = Math.min(context, first.old[0], first.now[0]);
    const trail = Math.min(context, a.length - end.old[1], b.length - end.now[1]);
    const [oldFrom, oldTo] = [first.old[0] - lead, end.old[1] + trail];
    const [nowFrom, nowTo] = [first.now[0] - lead, end.now[1] + trail];
    printed.push(`@@ -${place(oldFrom, oldTo)} +${place(nowFrom, nowTo)} @@`);
    const say = (mark: string, lines: readonly string[], from: number, to: number): void => {
      for (const line of lines.slice(from, to)) printed.push(`${mark}${line}`);
    };
    say(' ', a, oldFrom, first.old[0]);
    for (const { equal, old, now } of edits.slice(at, last + 1)) {
      if (equal) say(' ', a, ...old);
      else {
        say('-', a, ...old);
        say('+', b, ...now);
      }
    }
    say(' ', a, end.old[1], oldTo);
    at = last + 1;
  }
  return printed;
}

const place = (from: number, to: number): string =>
  to - from === 1 ? `${from + 1}` : `${to === from ? from : from + 1},${to - from}`;
