/** Records in a run, once, that a value has passed a limit of its experiment, and shows a desktop notification. */
import { createSerialQueue } from '../base/serial-queue.ts';
import type { Language } from '../../shared/base/language.ts';
import type { Settings } from '../../shared/contract/api.ts';
import type { LabDocument } from '../../shared/lab/lab.ts';
import type { Point, Source } from '../../shared/metrics/metrics.ts';
import { firstMember } from '../../shared/run/membership.ts';
import { isUnderWay, type RunEvent, type RunRecord } from '../../shared/run/run.ts';
import {
  asFinite,
  passing,
  sameWatch,
  watchedLines,
  type Passing,
  type ValueWatch,
} from '../../shared/metrics/value-watch.ts';
import type { EventLog } from '../base/events.ts';
import type { Platform } from '../base/platform.ts';
import { say } from '../i18n/index.ts';
import { languageOf } from './end-notices.ts';
import type { Runs, StoredPoints } from '../run/index.ts';
import type { Store } from '../store/index.ts';

const units: Readonly<Record<ValueWatch['value'], string>> = {
  top1: ' %',
  validationLoss: '',
  loss: '',
  temperature: ' °C',
  scalar: '',
};

export interface ValueNoticeParts {
  readonly events: Pick<EventLog, 'subscribe'>;
  readonly storedPoints: Pick<StoredPoints, 'subscribe'>;
  readonly platform: Pick<Platform, 'notify'>;
  readonly runs: Pick<Runs, 'get' | 'note'>;
  readonly store: Pick<Store, 'lines'>;
  /** The current lab: a limit set while the run trains applies at once. */
  readonly labNow: (run: RunRecord) => Promise<LabDocument>;
  readonly settings: () => Promise<Settings>;
}

/** Of a kind: how many of the newest lines are read where some were too long to be told. */
const maxLines = 2000;

export function notifyPassed(parts: ValueNoticeParts): void {
  /**
   * By run, since a lab file has changed between two of its runs without an event. Points of a run without limits, which is the usual
   * case, are skipped.
   */
  const limits = new Map<string, { readonly labId: string; readonly watches: readonly ValueWatch[] }>();
  /** By run: notifications that may not yet be in its record. */
  const reported = new Map<string, ValueWatch[]>();
  const inTurn = createSerialQueue();

  const watchesOf = async (run: RunRecord): Promise<readonly ValueWatch[]> => {
    const watches = limits.get(run.id)?.watches ?? (await parts.labNow(run)).experiment.watches ?? [];
    limits.set(run.id, { labId: run.labId, watches });
    return watches;
  };
  const notify = async (run: RunRecord, watch: ValueWatch, found: Passing): Promise<void> => {
    const node = run.lab.nodes.find(({ id }) => found.source === `monitor-${id}`)?.name;
    const where = found.gpu === undefined ? undefined : `${node ?? ''} · GPU ${found.gpu}`;
    const sign = watch.above ? '≥' : '≤';
    const amount = (value: number): string =>
      `${Number(value.toPrecision(4))}${units[watch.value]}`.replace('Infinity', '∞');
    const words = (language: Language): string =>
      `${watch.scalar ?? say(language, `values.${watch.value}`)}${where === undefined ? '' : ` (${where})`} ${sign} ${amount(watch.limit)}: ${amount(found.reached)}`;
    const event: RunEvent = {
      t: found.t,
      kind: 'passed',
      what: words('en'),
      passed: { ...watch, reached: asFinite(found.reached), ...(where === undefined ? {} : { where }) },
    };
    await parts.runs.note(run.id, [event]);
    const { notifications, language } = await parts.settings();
    if (notifications)
      parts.platform.notify({ title: `Ringlab: ${run.name}`, body: words(languageOf(language)) });
  };
  /** The newest, with those that were too long to be told. */
  const stored = async (runId: string, source: Source): Promise<Point[]> => {
    const kinds = watchedLines.map((kind) =>
      parts.store.lines({ runId, kinds: [kind], source, limit: maxLines }),
    );
    return (await Promise.all(kinds)).flat();
  };
  const look = async (
    runId: string,
    source: Source,
    told: readonly Point[],
    hasMore: boolean,
  ): Promise<void> => {
    const run = await parts.runs.get(runId);
    if (!isUnderWay(run.state)) reported.delete(runId);
    const done = [
      ...(reported.get(runId) ?? []),
      ...(run.events ?? []).flatMap(({ passed }) => passed ?? []),
    ];
    const open = (await watchesOf(run)).filter((watch) => !done.some((one) => sameWatch(one, watch)));
    if (open.length === 0) return;
    const all = hasMore ? [...told, ...(await stored(runId, source))] : told;
    for (const watch of open) {
      const found = passing(watch, all, firstMember(run));
      if (found === undefined) continue;
      reported.set(runId, [...(reported.get(runId) ?? []), watch]);
      await notify(run, watch, found);
    }
  };
  parts.events.subscribe((event) => {
    if (event.name === 'lab.changed')
      for (const [runId, { labId }] of limits) if (labId === event.data.labId) limits.delete(runId);
  });
  parts.storedPoints.subscribe((runId, source, { points, unreported = 0 }) => {
    if (limits.get(runId)?.watches.length === 0) return;
    const kinds: readonly string[] = watchedLines;
    const told = points.filter(({ line }) => kinds.includes(line.kind));
    if (told.length + unreported === 0) return;
    // The store closes with the app, and a run may be deleted: later lines are not reported.
    inTurn(() => look(runId, source, told, unreported > 0)).catch(() => undefined);
  });
}
