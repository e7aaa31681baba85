/** The pictures of one name by step: the newest as thumbnails, fetched when they come into view; one enlarged. */
import { Button, Modal } from '@mantine/core';
import { useEffect, useRef, useState, type RefObject } from 'react';
import { useTranslation } from 'react-i18next';
import { describeError } from '../../../shared/i18n/error-texts.ts';
import { toWireError, type WireError } from '../../../shared/base/errors.ts';
import type { RunPicture } from '../../../shared/run/run-media.ts';
import { useApi } from '../../api/index.ts';
import { useLanguage } from '../../state/index.ts';
import { formatCount } from '../../ui/index.ts';
import classes from './media.module.css';

/** The rest is shown when it is asked for. */
const maxNewest = 12;

export interface PictureRowProps {
  readonly runId: string;
  readonly name: string;
  readonly rank: number;
  readonly pictures: readonly RunPicture[];
}

export function PictureRow({ runId, name, rank, pictures }: PictureRowProps) {
  const { t } = useTranslation();
  const [all, setAll] = useState(false);
  const shown = all ? pictures : pictures.slice(-maxNewest);
  return (
    <figure className={classes.row}>
      <figcaption>
        {name} <span className={classes.note}>{t('media.rank', { rank })}</span>{' '}
        {shown.length < pictures.length && (
          <Button variant="subtle" size="compact-xs" onClick={() => setAll(true)}>
            {t('media.all', { count: pictures.length })}
          </Button>
        )}
      </figcaption>
      <ul className={classes.thumbnails}>
        {shown.map((picture) => (
          <li key={picture.seq}>
            <Thumbnail runId={runId} picture={picture} />
          </li>
        ))}
      </ul>
    </figure>
  );
}

function Thumbnail({ runId, picture }: { runId: string; picture: RunPicture }) {
  const { t } = useTranslation();
  const language = useLanguage();
  const place = useRef<HTMLDivElement>(null);
  const visible = useSeen(place);
  const { url, error } = usePicture(runId, picture, visible);
  const [large, setLarge] = useState(false);
  const step = formatCount(picture.step ?? 0, language);
  const words = t('media.picture', { name: picture.name, step });
  return (
    <div ref={place} className={classes.thumbnail}>
      {url !== undefined && (
        <button
          type="button"
          aria-label={t('media.enlarge', { name: picture.name, step })}
          onClick={() => setLarge(true)}
        >
          <img src={url} alt={words} />
        </button>
      )}
      {error !== undefined && (
        <span className={classes.failed} title={describeError(error, language).message}>
          {t('media.failed')}
        </span>
      )}
      <span className={classes.note}>{t('media.step', { step })}</span>
      <Modal opened={large} onClose={() => setLarge(false)} title={words} size="auto">
        <img className={classes.large} src={url} alt={words} />
      </Modal>
    </div>
  );
}

/** Whether the element has ever been visible. */
function useSeen(place: RefObject<HTMLElement | null>): boolean {
  const [seen, setSeen] = useState(false);
  useEffect(() => {
    if (place.current === null || seen) return undefined;
    if (typeof IntersectionObserver === 'undefined') {
      setSeen(true);
      return undefined;
    }
    const observer = new IntersectionObserver((entries) => {
      if (entries.some(({ isIntersecting }) => isIntersecting)) setSeen(true);
    });
    observer.observe(place.current);
    return () => observer.disconnect();
  }, [place, seen]);
  return seen;
}

/** Its bytes as an address of this page: only the browser decodes them, as the one format that the service has checked. */
function usePicture(
  runId: string,
  { rank, seq }: Pick<RunPicture, 'rank' | 'seq'>,
  wanted: boolean,
): { readonly url?: string; readonly error?: WireError } {
  const api = useApi();
  const [state, setState] = useState<{ readonly url?: string; readonly error?: WireError }>({});
  useEffect(() => {
    if (!wanted) return undefined;
    const stop = new AbortController();
    let url: string | undefined;
    api.call('run.picture', { runId, rank, seq }, stop.signal).then(
      ({ format, base64 }) => {
        if (stop.signal.aborted) return;
        const bytes = Uint8Array.from(atob(base64), (character) => character.charCodeAt(0));
        url = URL.createObjectURL(new Blob([bytes], { type: `image/${format}` }));
        setState({ url });
      },
      (caught: unknown) => {
        if (!stop.signal.aborted) setState({ error: toWireError(caught) });
      },
    );
    return () => {
      stop.abort();
      if (url !== undefined) URL.revokeObjectURL(url);
    };
  }, [api, runId, rank, seq, wanted]);
  return state;
}
