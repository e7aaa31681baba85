/** Classifies one image with a checkpoint of the run: dropped or chosen, computed on the node, the likeliest classes as bars. */
import { Button, Select } from '@mantine/core';
import { IconPhotoSearch } from '@tabler/icons-react';
import { useEffect, useMemo, useRef, useState, type DragEvent } from 'react';
import { useTranslation } from 'react-i18next';
import {
  maxImageBytes,
  type CheckpointFile,
  type ClassifiedImage,
  type SampleImage,
} from '../../../shared/run/checkpoint.ts';
import { isCancelled, toWireError, type WireError } from '../../../shared/base/errors.ts';
import type { RunRecord } from '../../../shared/run/run.ts';
import { useApi } from '../../api/index.ts';
import { formatDuration, formatPercent } from '../../ui/index.ts';
import { ErrorNote } from '../../ui/index.ts';
import { asRinglabError, report, useLanguage } from '../../state/index.ts';
import classes from './TestImage.module.css';

const megabyte = 1024 * 1024;

interface Request {
  readonly image: File;
  /** Its class in the data set, where it is a sample of that. */
  readonly truth: string | undefined;
  readonly file: CheckpointFile;
  readonly found?: ClassifiedImage;
  readonly error?: WireError;
}

export interface TestImageProps {
  readonly run: RunRecord;
  /** The checkpoints that exist, the best first. */
  readonly files: readonly CheckpointFile[];
}

export function TestImage({ run, files }: TestImageProps) {
  const { t } = useTranslation();
  const api = useApi();
  const [chosen, setChosen] = useState<CheckpointFile>();
  const [request, setRequest] = useState<Request>();
  const [over, setOver] = useState(false);
  const input = useRef<HTMLInputElement>(null);
  const asking = useRef<AbortController>(undefined);
  const [samples, setSamples] = useState<readonly SampleImage[]>();
  const [fetching, setFetching] = useState(false);
  useEffect(() => () => asking.current?.abort(), []);
  const file = files.find((one) => one === chosen) ?? files[0];
  const busy = request !== undefined && request.found === undefined && request.error === undefined;

  const fetchSamples = async (): Promise<void> => {
    setFetching(true);
    try {
      setSamples(await api.call('checkpoint.samples', { runId: run.id }));
    } catch (error) {
      if (!isCancelled(error)) report(asRinglabError(error));
    } finally {
      setFetching(false);
    }
  };
  const classify = async (image: File, from: CheckpointFile, truth?: string): Promise<void> => {
    asking.current?.abort();
    const stop = (asking.current = new AbortController());
    const started: Request = { image, file: from, truth };
    setRequest(started);
    try {
      if (image.size > maxImageBytes) {
        const megabytes = Math.ceil(image.size / megabyte);
        const limit = maxImageBytes / megabyte;
        setRequest({
          ...started,
          error: { code: 'image_large', params: { name: image.name, megabytes, limit } },
        });
        return;
      }
      const base64 = await base64Of(image);
      const args = { runId: run.id, file: from, name: image.name.slice(-255), base64 };
      const found = await api.call('checkpoint.classify', args, stop.signal);
      if (!stop.signal.aborted) setRequest({ ...started, found });
    } catch (error) {
      if (stop.signal.aborted) return;
      if (isCancelled(error)) setRequest(undefined);
      else setRequest({ ...started, error: toWireError(error) });
    }
  };
  if (file === undefined) return null;
  const onDrop = (event: DragEvent): void => {
    event.preventDefault();
    setOver(false);
    const [image] = event.dataTransfer.files;
    if (image !== undefined) void classify(image, file);
  };
  return (
    <section
      className={classes.test}
      aria-labelledby="test-image"
      data-over={over}
      onDragOver={(event) => {
        event.preventDefault();
        setOver(true);
      }}
      onDragLeave={(event) => {
        const to = event.relatedTarget;
        if (!(to instanceof Node) || !event.currentTarget.contains(to)) setOver(false);
      }}
      onDrop={onDrop}
    >
      <div className={classes.ask}>
        <h3 id="test-image">{t('checkpoints.test.title')}</h3>
        <p className={classes.hint}>{t('checkpoints.test.hint')}</p>
        <div className={classes.choose}>
          <Select
            size="xs"
            aria-label={t('checkpoints.test.with')}
            data={[...files]}
            value={file}
            allowDeselect={false}
            onChange={(value) => {
              const next = files.find((one) => one === value);
              if (next === undefined) return;
              setChosen(next);
              if (request !== undefined) void classify(request.image, next, request.truth);
            }}
          />
          <input
            ref={input}
            type="file"
            accept="image/jpeg,image/png,image/bmp,image/tiff,image/webp,.jpg,.jpeg,.png,.ppm,.bmp,.pgm,.tif,.tiff,.webp"
            className={classes.input}
            tabIndex={-1}
            aria-label={t('checkpoints.test.choose')}
            onChange={(event) => {
              const [image] = event.currentTarget.files ?? [];
              event.currentTarget.value = '';
              if (image !== undefined) void classify(image, file);
            }}
          />
          <Button
            size="compact-sm"
            leftSection={<IconPhotoSearch size={14} aria-hidden />}
            loading={busy}
            onClick={() => input.current?.click()}
          >
            {t('checkpoints.test.choose')}
          </Button>
          {samples === undefined && (
            <Button
              size="compact-sm"
              variant="default"
              loading={fetching}
              onClick={() => void fetchSamples()}
            >
              {t('checkpoints.test.samples')}
            </Button>
          )}
        </div>
        {samples?.length === 0 && <p className={classes.hint}>{t('checkpoints.test.noSamples')}</p>}
        {samples !== undefined && samples.length > 0 && (
          <div className={classes.samples} role="group" aria-label={t('checkpoints.test.samples')}>
            {samples.map((sample) => (
              <SampleButton
                key={`${sample.class}/${sample.name}`}
                sample={sample}
                onChoose={(image) => void classify(image, file, sample.class)}
              />
            ))}
          </div>
        )}
      </div>
      <div className={classes.answer} aria-live="polite" aria-busy={busy}>
        {request !== undefined && <Thumbnail image={request.image} />}
        {busy && <p className={classes.hint}>{t('checkpoints.test.computing')}</p>}
        {request?.error !== undefined && <ErrorNote error={request.error} />}
        {request?.found !== undefined && (
          <Likeliest found={request.found} file={request.file} truth={request.truth} />
        )}
      </div>
    </section>
  );
}

function SampleButton(props: { sample: SampleImage; onChoose: (image: File) => void }) {
  const { t } = useTranslation();
  const { name, base64, class: of } = props.sample;
  const image = useMemo(
    () => new File([Uint8Array.from(atob(base64), (letter) => letter.charCodeAt(0))], name),
    [base64, name],
  );
  const label = t('checkpoints.test.sample', { name, class: of });
  return (
    <button
      type="button"
      className={classes.sample}
      aria-label={label}
      title={label}
      onClick={() => props.onChoose(image)}
    >
      <Thumbnail image={image} />
    </button>
  );
}

function Likeliest(props: { found: ClassifiedImage; file: CheckpointFile; truth: string | undefined }) {
  const { found, file, truth } = props;
  const { t } = useTranslation();
  const language = useLanguage();
  return (
    <div className={classes.found}>
      <ol className={classes.bars} aria-label={t('checkpoints.test.likeliest')}>
        {found.classes.map(({ index, name, probability }) => (
          <li key={index}>
            <span className={classes.class} title={name}>
              {name ?? t('checkpoints.test.class', { index })}
            </span>
            <span className={classes.track} aria-hidden>
              <span className={classes.bar} style={{ width: `${(100 * probability).toFixed(1)}%` }} />
            </span>
            <span className={classes.share}>{formatPercent(100 * probability, language)}</span>
          </li>
        ))}
      </ol>
      {truth !== undefined && <p className={classes.hint}>{t('checkpoints.test.truth', { class: truth })}</p>}
      <p className={classes.hint}>
        {t('checkpoints.test.computed', {
          file,
          epoch: found.epoch,
          node: found.node,
          time: formatDuration(found.seconds, language),
          size: found.size,
        })}
      </p>
    </div>
  );
}

/** A preview of the image; an invalid file shows nothing, and the response reports it. */
function Thumbnail({ image }: { image: File }) {
  const [shown, setShown] = useState<{ url: string; of: File }>();
  const [broken, setBroken] = useState(false);
  useEffect(() => {
    const url = URL.createObjectURL(image);
    setShown({ url, of: image });
    setBroken(false);
    return () => URL.revokeObjectURL(url);
  }, [image]);
  if (shown?.of !== image || broken) return <span className={classes.noImage}>{image.name}</span>;
  return (
    <img
      className={classes.image}
      src={shown.url}
      alt={image.name}
      title={image.name}
      onError={() => setBroken(true)}
    />
  );
}

async function base64Of(image: File): Promise<string> {
  const bytes = new Uint8Array(await image.arrayBuffer());
  let text = '';
  // In chunks: the number of a call's arguments is limited.
  for (let at = 0; at < bytes.length; at += 0x8000)
    text += String.fromCharCode(...bytes.subarray(at, at + 0x8000));
  return btoa(text);
}
