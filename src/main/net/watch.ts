/**
 * Monitors the links of a raised network: traffic and whether they are up. One shell in each namespace answers each
 * newline with its counters; it forks nothing, and ends with its input, even if the app crashes.
 */
import { spawn, type ChildProcess } from 'node:child_process';
import type { LinkTraffic } from '../../shared/node/network.ts';
import type { NetworkPlan, PlannedLink } from './plan.ts';
import { asRoot, systemPath, type RootShell } from './root-shell.ts';

/** `rl3: 1 2 …` from /proc/net/dev, `rl3 up` from /sys, and `end`. */
const readerScript = `
while read -r asked; do
  while read -r line; do case $line in rl[0-9]*) printf '%s\\n' "$line";; esac; done < /proc/net/dev
  for file in /sys/class/net/rl[0-9]*/operstate; do
    read -r state < "$file" && file=\${file%/*} && printf '%s %s\\n' "\${file##*/}" "$state"
  done
  echo end
done`;

interface Counters {
  readonly received: number;
  readonly sent: number;
}
export interface Reading {
  readonly counters: ReadonlyMap<string, Counters>;
  /** Devices that are up. */
  readonly up: ReadonlySet<string>;
}

/** One answer's lines. */
export function parseReading(lines: readonly string[]): Reading {
  const counters = new Map<string, Counters>();
  const up = new Set<string>();
  for (const line of lines) {
    const counted = /^(rl\d+):\s*(\d{1,20}(?:\s+\d{1,20}){8,})/.exec(line);
    if (counted !== null) {
      const numbers = (counted[2] ?? '').split(/\s+/).map(Number);
      counters.set(counted[1] ?? '', { received: numbers[0] ?? 0, sent: numbers[8] ?? 0 });
      continue;
    }
    const [device = '', state] = line.split(' ');
    // Linux knows no more of a TAP device that is up.
    if (state === 'up' || state === 'unknown') up.add(device);
  }
  return { counters, up };
}

export interface WatchListener {
  traffic(links: LinkTraffic[]): void;
  /** Ids of the links that are down, when they changed. */
  down(linkIds: ReadonlySet<string>): void;
}

export interface LinkWatch {
  close(): void;
}

const everyMs = 1000;

export function watchLinks(plan: NetworkPlan, shell: RootShell, listener: WatchListener): LinkWatch {
  // Either device represents the whole link: where the other is down, it loses its carrier.
  const byNamespace = new Map<string, PlannedLink[]>();
  for (const link of plan.links) {
    const at = link.ends[0].namespace;
    byNamespace.set(at, [...(byNamespace.get(at) ?? []), link]);
  }
  const before = new Map<string, Counters & { at: number }>();
  const down = new Set<string>();
  let fresh: LinkTraffic[] = [];
  let isClosed = false;

  const take = (links: readonly PlannedLink[], reading: Reading): void => {
    const at = performance.now();
    let changed = false;
    for (const { linkId, device } of links) {
      const isDown = !reading.up.has(device);
      if (isDown !== down.has(linkId)) {
        changed = true;
        if (isDown) down.add(linkId);
        else down.delete(linkId);
      }
      const now = reading.counters.get(device);
      const last = before.get(linkId);
      if (now === undefined) continue;
      before.set(linkId, { ...now, at });
      if (last === undefined || at <= last.at) continue;
      const rate = (bytes: number): number => Math.max(0, Math.round((bytes * 8000) / (at - last.at)));
      fresh.push({ linkId, forward: rate(now.sent - last.sent), back: rate(now.received - last.received) });
    }
    if (changed) listener.down(new Set(down));
  };

  const readers = [...byNamespace].map(([namespace, links]): ChildProcess => {
    const [program, ...args] = asRoot(
      shell.prefix,
      'ip',
      'netns',
      'exec',
      namespace,
      'sh',
      '-c',
      readerScript,
    );
    const child = spawn(program, args, {
      env: { PATH: systemPath, LC_ALL: 'C' },
      stdio: ['pipe', 'pipe', 'ignore'],
    });
    let rest = '';
    let lines: string[] = [];
    child.stdout.setEncoding('utf8').on('data', (text: string) => {
      const parts = (rest + text).split('\n');
      rest = parts.pop() ?? '';
      for (const line of parts) {
        if (line !== 'end') {
          lines.push(line);
          continue;
        }
        if (!isClosed) take(links, parseReading(lines));
        lines = [];
      }
    });
    // The namespace was removed: nothing is known of its links any more.
    child.on('error', () => undefined);
    child.stdin.on('error', () => undefined);
    return child;
  });
  const ask = (): void => {
    if (fresh.length > 0) listener.traffic(fresh);
    fresh = [];
    for (const reader of readers) if (reader.exitCode === null) reader.stdin?.write('\n');
  };
  ask();
  const timer = setInterval(ask, everyMs);
  timer.unref();
  return {
    close() {
      isClosed = true;
      clearInterval(timer);
      for (const reader of readers) reader.stdin?.end();
    },
  };
}
