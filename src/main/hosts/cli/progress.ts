/**
 * Shows a run's progress on standard error: one line for each rank, overwritten on a terminal, else printed at each
 * change.
 */
import { withOutput, type WireError } from '../../../shared/base/errors.ts';
import type { AnyEvent } from '../../../shared/contract/api.ts';
import { errorLines } from '../../../shared/i18n/error-texts.ts';
import type { MetricLine } from '../../../shared/metrics/metrics.ts';
import { metricNumber } from '../../../shared/metrics/metrics.ts';
import type { NodeReadiness } from '../../../shared/node/provision.ts';
import { jobWords } from '../../../shared/run/job-words.ts';
import { firstMembers } from '../../../shared/run/membership.ts';
import { fewerText, noticedOf, restartText } from '../../../shared/run/run-notice.ts';
import { isEnded, type RunRecord } from '../../../shared/run/run.ts';
import type { LiveLines } from '../terminal-door.ts';
import { sayPreparation } from './preparation-progress.ts';
import { language, speak } from './speak.ts';
import { inSentence } from '../../i18n/index.ts';

const bar = (share: number, cells = 20): string => {
  const full = Math.round(Math.min(Math.max(share, 0), 1) * cells);
  return '█'.repeat(full) + '░'.repeat(cells - full);
};
const shown = (value: unknown, digits: number): string => {
  const number = metricNumber(value);
  return number === undefined ? '–' : number.toFixed(digits);
};

const localTime = (seconds: number): string => new Date(seconds * 1000).toLocaleString();

const words = (value: unknown): string => (typeof value === 'string' ? value : '');

/** The command says a run's error itself, at its end: with the rank's last lines, where the error has them. */
const isSame = (of: WireError, error: WireError | undefined): boolean =>
  error?.detail !== undefined &&
  JSON.stringify([of.code, of.where, of.params]) === JSON.stringify([error.code, error.where, error.params]);

interface RankProgress {
  step?: MetricLine;
  epoch?: MetricLine;
}

export interface Progress {
  readonly onEvent: (event: AnyEvent) => void;
  /** How far a node's preparation is, where it began before the events. */
  readonly prepared: (readiness: NodeReadiness) => void;
  /** Writes a line above the ranks' lines. */
  readonly say: (text: string) => void;
  end(): void;
}

/**
 * @param first the run as it is at the beginning: what happened to it before is not said again
 * @param live of the terminal, where it is one: the ranks' lines are overwritten there
 */
export function showProgress(first: RunRecord, write: (text: string) => void, live?: LiveLines): Progress {
  const ranks = new Map<number, RankProgress>();
  let run = first;
  let state = '';
  let job = '';
  let noticed = noticedOf(first);

  const rankLine = (rank: number, progress: RankProgress): string => {
    const record = run.ranks[rank];
    const step = progress.step;
    const { epochs } = run;
    const epoch = metricNumber(step?.epoch) ?? 0;
    const batch = (metricNumber(step?.batch) ?? -1) + 1;
    const batches = metricNumber(step?.batches) ?? 1;
    const done = step === undefined ? 0 : (epoch + batch / batches) / epochs;
    return speak('cli.progress.rank', {
      rank,
      node: (record?.nodeName ?? '').padEnd(8),
      bar: bar(done),
      epoch: epoch + 1,
      epochs,
      batch,
      batches,
      loss: shown(step?.loss, 3),
      speed: shown(step?.images_per_second, 0),
    });
  };
  const draw = (): void => {
    if (live === undefined || ranks.size === 0) return;
    const all = [...ranks].sort(([a], [b]) => a - b);
    // What has left the screen cannot be overwritten. Its last row has the cursor.
    const fitting = all.length < live.rows() ? all : all.slice(0, Math.max(1, live.rows() - 2));
    const lines = fitting.map(([rank, progress]) => rankLine(rank, progress));
    const count = all.length - fitting.length;
    live.show(count > 0 ? [...lines, speak('cli.progress.more', { count })] : lines);
  };
  const say = (text: string): void => {
    write(`${text}\n`);
    draw();
  };

  const onLine = (rank: number, line: MetricLine): void => {
    // An own script's log says how far it is.
    if (run.lab.experiment.script !== undefined) return;
    const progress = ranks.get(rank) ?? {};
    ranks.set(rank, progress);
    if (line.kind === 'step') progress.step = line;
    if (line.kind === 'epoch') {
      progress.epoch = line;
      if (live === undefined) write(`${rankLine(rank, progress)}\n`);
    }
    // The rank that has rank 0's part writes them.
    if (line.kind === 'eval' && firstMembers(run).includes(rank)) {
      say(
        speak('cli.progress.validation', {
          epoch: Number(line.epoch) + 1,
          top1: shown(line.top1, 2),
          top5: shown(line.top5, 2),
          loss: shown(line.loss, 4),
        }),
      );
    }
    if (line.kind === 'warning' || line.kind === 'error')
      say(
        speak('cli.progress.said', {
          rank,
          severity: speak(`cli.severity.${line.kind}`),
          text: [words(line.message), words(line.hint)].filter((text) => text !== '').join('; '),
        }),
      );
  };

  /** Ranks were lost, and the others go on. */
  const onLosses = ({ memberships = [], ranks: all }: RunRecord): void => {
    for (const membership of memberships.slice(noticed.losses)) {
      for (const rank of membership.lost) ranks.delete(rank);
      say(fewerText(membership, all, language));
    }
  };

  const prepared = sayPreparation(first.labId, say);

  return {
    prepared,
    say,
    onEvent(event) {
      if (event.name === 'provision.changed') {
        prepared(event.data.readiness);
      } else if (event.name === 'run.changed' && event.data.run.id === first.id) {
        run = event.data.run;
        const words =
          run.job === undefined || isEnded(run.state) ? undefined : jobWords(run.job, language, localTime);
        if (words !== undefined && words !== job) {
          job = words;
          say(words);
        }
        onLosses(run);
        const restarted = restartText(run, noticed, language);
        if (restarted !== undefined) say(restarted);
        noticed = noticedOf(run);
        if (run.state !== state) {
          state = run.state;
          say(speak('cli.progress.run', { run: run.id, state: inSentence(run.state) }));
          for (const rank of run.ranks) {
            if (rank.error !== undefined && !isSame(rank.error, run.error)) {
              const words = (rank.lastWords ?? []).join('\n');
              say(
                errorLines(words === '' ? rank.error : withOutput(rank.error, words), language)
                  .map((line) => `  ${line}`)
                  .join('\n'),
              );
            }
          }
        }
      } else if (event.name === 'run.points' && event.data.runId === first.id) {
        for (const { source, line } of event.data.points) {
          const rank = /^rank-(\d+)$/.exec(source)?.[1];
          if (rank !== undefined) onLine(Number(rank), line);
        }
        draw();
      } else if (event.name === 'app.problem') {
        say(errorLines(event.data.error, language).join('\n'));
      }
    },
    end: () => live?.leave(),
  };
}
