/**
 * Watches objects as the API server recommends: a list, then its changes from that version on. A connection that ends goes on
 * from the last version, which bookmarks keep new; where it is too old (410), everything is listed again.
 */
import { backOffMs, type BackOff } from '../../shared/base/back-off.ts';
import { RinglabError } from '../../shared/base/errors.ts';
import type { Clock } from '../base/clock.ts';
import type { KubernetesApi, ObjectWatch } from './contract.ts';
import { eventOf, jobOf, listOf, podOf, watchEventOf, type SeenEvent } from './objects.ts';
import { pathOf } from './paths.ts';

/** Before a broken connection is tried again. */
const retries: BackOff = { firstMs: 700, maxMs: 15_000 };
/** Milliseconds that a watch lasts at least: a server that ends each at once is not asked without a pause. */
const minWatch = 500;
/** Seconds after which the server ends a watch: a connection that is there no more is noticed a little later (`lines`). */
const watchSeconds = 60;
/** Milliseconds without a question after which nothing is watched any more. */
const idleMs = 60_000;
/** Milliseconds between questions for warnings, while pods wait. */
const eventsEvery = 10_000;
const maxEvents = 200;
/** Waiting objects whose warnings are asked for: they wait for the same reason. */
const maxAsked = 2;
const gone = 410;

interface Named {
  readonly name: string;
}

export interface KindWatch<Seen extends Named> {
  /** Resolves when the first list is there. Rejects with the trouble that the connection has at present. */
  seen(signal?: AbortSignal): Promise<readonly Seen[]>;
  stop(): void;
}

interface KindOptions<Seen> {
  readonly api: Pick<KubernetesApi, 'request' | 'lines'>;
  readonly path: string;
  readonly selector: string;
  readonly parse: (object: unknown) => Seen | undefined;
  readonly clock: Clock;
}

/** Objects of one kind. */
export function watchKind<Seen extends Named>(options: KindOptions<Seen>): KindWatch<Seen> {
  const { api, path, selector, parse, clock } = options;
  const ending = new AbortController();
  const { signal } = ending;
  const known = new Map<string, Seen>();
  let trouble: unknown;
  let listed = false;
  let wake: (() => void)[] = [];
  const wakeAll = (): void => {
    const waiting = wake;
    wake = [];
    for (const one of waiting) one();
  };
  const list = async (): Promise<string> => {
    const { body } = await api.request({ method: 'GET', path, query: { labelSelector: selector }, signal });
    const { version, items } = listOf(body);
    known.clear();
    for (const seen of items.map(parse)) if (seen !== undefined) known.set(seen.name, seen);
    listed = true;
    return version;
  };
  /** Resolves with the version to go on from; undefined: it is too old. */
  const follow = async (from: string): Promise<string | undefined> => {
    let version: string | undefined = from;
    const query = {
      labelSelector: selector,
      watch: 'true',
      resourceVersion: from,
      allowWatchBookmarks: 'true',
      timeoutSeconds: String(watchSeconds),
    };
    await api
      .lines({ path, query, signal }, (line) => {
        const event = watchEventOf(line);
        if (event === undefined || version === undefined) return;
        if (event.type === 'ERROR') {
          if (event.code === gone) version = undefined;
          return;
        }
        version = event.version ?? version;
        const seen = event.type === 'BOOKMARK' ? undefined : parse(event.object);
        if (seen === undefined) return;
        if (event.type === 'DELETED') known.delete(seen.name);
        else known.set(seen.name, seen);
      })
      .catch((error: unknown) => {
        // Some servers say it in the status.
        if (
          error instanceof RinglabError &&
          error.code === 'pods_refused' &&
          error.detail?.startsWith(`HTTP ${gone}`) === true
        )
          version = undefined;
        else throw error;
      });
    return version;
  };
  const run = async (): Promise<void> => {
    let version: string | undefined;
    let failures = 0;
    for (;;) {
      const began = clock.ticks();
      try {
        version ??= await list();
        trouble = undefined;
        wakeAll();
        version = await follow(version);
        if (clock.ticks() - began < minWatch) await clock.sleep(minWatch, signal);
        failures = 0;
      } catch (error) {
        if (signal.aborted) return;
        trouble = error;
        wakeAll();
        failures += 1;
        await clock.sleep(backOffMs(failures, retries, clock.random()), signal);
      }
    }
  };
  run().catch(() => undefined);
  return {
    async seen(asked) {
      while (!listed && trouble === undefined) {
        asked?.throwIfAborted();
        const next = new Promise<void>((resolve) => wake.push(resolve));
        await Promise.race([next, clock.sleep(1000, asked)]);
      }
      if (trouble !== undefined) throw trouble instanceof Error ? trouble : new RinglabError('internal');
      return [...known.values()];
    },
    stop() {
      ending.abort();
      wakeAll();
    },
  };
}

export function watchObjects(api: KubernetesApi, instance: string, clock: Clock): ObjectWatch {
  const selector = `app.kubernetes.io/instance=${instance}`;
  const start = async () => {
    const of = { api, clock, selector };
    return {
      pods: watchKind({ ...of, path: await pathOf(api, 'pods'), parse: podOf }),
      jobs: watchKind({ ...of, path: await pathOf(api, 'jobs'), parse: jobOf }),
      eventsPath: await pathOf(api, 'events'),
    };
  };
  let running: ReturnType<typeof start> | undefined;
  let idle = (): void => undefined;
  let events: readonly SeenEvent[] = [];
  let eventsAt = -Infinity;
  const stop = (): void => {
    idle();
    running?.then(
      ({ pods, jobs }) => {
        pods.stop();
        jobs.stop();
      },
      () => undefined,
    );
    running = undefined;
  };
  /** Who may not read events does without them. */
  const askEvents = async (path: string, names: ReadonlySet<string>, signal?: AbortSignal): Promise<void> => {
    if (clock.ticks() - eventsAt < eventsEvery) return;
    eventsAt = clock.ticks();
    const found = [...names].slice(0, maxAsked).map(async (about) => {
      const query = { fieldSelector: `involvedObject.name=${about},type=Warning` };
      const { body } = await api.request({ method: 'GET', path, query, signal });
      return listOf(body).items.flatMap((item) => eventOf(item) ?? []);
    });
    events = (await Promise.all(found).catch(() => [])).flat().slice(-maxEvents);
  };
  return {
    async seen(signal) {
      running ??= start();
      running.catch(() => (running = undefined));
      idle();
      idle = clock.after(idleMs, stop);
      const { pods, jobs, eventsPath } = await running;
      const seen = { pods: await pods.seen(signal), jobs: await jobs.seen(signal) };
      const waits = seen.pods.filter((pod) => pod.waits !== undefined);
      const empty = seen.jobs.filter(({ name }) => !seen.pods.some(({ job }) => job === name));
      const names = new Set([...waits, ...empty].map(({ name }) => name));
      if (names.size === 0) events = [];
      else await askEvents(eventsPath, names, signal);
      return { ...seen, events };
    },
    stop,
  };
}
