/** Which rank of an own script has missed which collective: in one sentence and as a picture, with each rank's Python line. */
import { useTranslation } from 'react-i18next';
import {
  isOfTheScript,
  ranksDone,
  scriptRanks,
  waitOf,
  type CollectiveWait,
  type RankPlace,
} from '../../../shared/run/collective-wait.ts';
import { describePlace, describeWait } from '../../../shared/run/collective-words.ts';
import type { RunOutputs } from '../../../shared/run/run-outputs.ts';
import { isEnded, type RunRecord } from '../../../shared/run/run.ts';
import { useLanguage, useNow } from '../../state/index.ts';
import classes from './CollectiveWaits.module.css';

/** Collectives before the one that is waited for. */
const slotsBefore = 4;
/** More ranks than this: those that are missing come first. */
const maxRows = 32;

export function CollectiveWaits({ run, outputs }: { run: RunRecord; outputs: RunOutputs | undefined }) {
  const { t } = useTranslation();
  const language = useLanguage();
  const ended = isEnded(run.state);
  const records = outputs?.collectives ?? [];
  const present = useNow(!ended && records.length > 0);
  if (records.length === 0) return null;
  const now = ended ? (run.endedAt ?? present) : present;
  const wait = waitOf(records, scriptRanks(run), now, ranksDone(run));
  // A script that ended well may not have said that its last wait was over.
  if (wait === undefined || (run.state === 'finished' && !isOfTheScript(wait))) return null;
  return (
    <section className={classes.waits} aria-label={t('outputs.waits.title')} data-wait={wait.kind}>
      <p className={classes.said}>
        {ended && !isOfTheScript(wait) && <strong>{t('outputs.waits.atTheEnd')} </strong>}
        {describeWait(wait, now, language)}
      </p>
      {[...wait.missing, ...wait.waiting].length > 0 && wait.kind !== 'ending' && <Picture wait={wait} />}
    </section>
  );
}

type Mark = 'begun' | 'waits' | 'missed';

function markOf(rank: RankPlace, slot: number, wait: CollectiveWait): Mark {
  if (slot < wait.number) return (rank.count ?? 0) >= slot ? 'begun' : 'missed';
  return wait.waiting.includes(rank) ? 'waits' : 'missed';
}

function Picture({ wait }: { wait: CollectiveWait }) {
  const { t } = useTranslation();
  const language = useLanguage();
  const first = Math.max(1, wait.number - slotsBefore);
  const slots = wait.number === 0 ? [0] : range(first, wait.number);
  const order = [...wait.missing, ...wait.waiting];
  const rows = order.slice(0, maxRows).toSorted((a, b) => a.rank - b.rank);
  return (
    <div className={classes.scroll}>
      <table className={classes.picture} aria-label={t('outputs.waits.picture')}>
        <thead>
          <tr>
            <th scope="col">{t('outputs.waits.rank')}</th>
            {slots.map((slot) => (
              <th key={slot} scope="col" className={classes.slot}>
                {slot === 0 ? 'init' : `#${slot}`}
              </th>
            ))}
            <th scope="col">{t('outputs.waits.where')}</th>
          </tr>
        </thead>
        <tbody>
          {rows.map((rank) => (
            <tr key={rank.rank}>
              <th scope="row">{rank.rank}</th>
              {slots.map((slot) => {
                const mark = markOf(rank, slot, wait);
                return (
                  <td key={slot} className={classes.slot}>
                    <span
                      className={classes.mark}
                      data-mark={mark}
                      role="img"
                      aria-label={t(`outputs.waits.${mark}`)}
                    />
                  </td>
                );
              })}
              <td className={classes.place}>
                {rank.stack === undefined ? (
                  describePlace(rank, language)
                ) : (
                  <details>
                    <summary>{describePlace(rank, language)}</summary>
                    <ol className={classes.stack}>
                      {rank.stack.map(([file, line, name], index) => (
                        <li key={index}>{`${file}:${line} ${name}`}</li>
                      ))}
                    </ol>
                  </details>
                )}
              </td>
            </tr>
          ))}
        </tbody>
      </table>
      {order.length > maxRows && (
        <p className={classes.more}>{t('outputs.waits.more', { count: order.length - maxRows })}</p>
      )}
    </div>
  );
}

const range = (from: number, to: number): number[] =>
  Array.from({ length: to - from + 1 }, (_, index) => from + index);
