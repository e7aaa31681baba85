/** Histograms and pictures that a script logged for TensorBoard: a heat strip for each histogram, thumbnails by step. */
import { useTranslation } from 'react-i18next';
import type { RunRecord } from '../../../shared/run/run.ts';
import { HistogramStrip } from './HistogramStrip.tsx';
import { byName } from './media-list.ts';
import classes from './media.module.css';
import { PictureRow } from './PictureRow.tsx';
import { useMedia } from './use-media.ts';

/** More names than this are counted. */
const maxShown = 60;

export function RunMedia({ run, shown }: { run: RunRecord; shown: number | undefined }) {
  const { t } = useTranslation();
  const media = useMedia(run.id);
  if (media === undefined) return null;
  const pictures = byName(media.pictures, shown);
  const histograms = byName(media.histograms, shown);
  const more = (all: number): string => (all > maxShown ? t('media.more', { count: all - maxShown }) : '');
  return (
    <>
      {pictures.length > 0 && (
        <section className={classes.media} aria-label={t('media.pictures')}>
          <h3>{t('media.pictures')}</h3>
          {pictures.slice(0, maxShown).map(({ key, name, rank, items }) => (
            <PictureRow key={key} runId={run.id} name={name} rank={rank} pictures={items} />
          ))}
          <p className={classes.note}>{more(pictures.length)}</p>
        </section>
      )}
      {histograms.length > 0 && (
        <section className={classes.media} aria-label={t('media.histograms')}>
          <h3>{t('media.histograms')}</h3>
          <div className={classes.strips}>
            {histograms.slice(0, maxShown).map(({ key, name, rank, items }) => (
              <HistogramStrip key={key} name={name} rank={rank} histograms={items} />
            ))}
          </div>
          <p className={classes.note}>{more(histograms.length)}</p>
        </section>
      )}
    </>
  );
}
