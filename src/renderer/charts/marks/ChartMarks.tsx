/** Drawn over a chart: marks of the run's events, and the points that the user pinned. */
import { ActionIcon, Button, Popover, Textarea } from '@mantine/core';
import {
  IconAdjustments,
  IconAlertTriangle,
  IconBell,
  IconDatabaseExclamation,
  IconDeviceFloppy,
  IconLink,
  IconPin,
  IconPlayerPlay,
  IconPlugConnected,
  IconPlugConnectedX,
  IconRefresh,
  IconTrash,
  IconTrophy,
  IconUserMinus,
} from '@tabler/icons-react';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { fewerText } from '../../../shared/run/run-notice.ts';
import type { RunPin } from '../../../shared/run/run.ts';
import classes from './ChartMarks.module.css';
import { describeError } from '../../../shared/i18n/error-texts.ts';
import { useLanguage } from '../../state/index.ts';
import { formatDuration, useModeText } from '../../ui/index.ts';
import { plotMargin } from '../scale/plot-place.ts';
import { useLimitText } from './watch-words.ts';
import { cluster, type Mark, type MarkKind } from './marks.ts';

const icons: Readonly<Record<MarkKind, typeof IconPin>> = {
  checkpoint: IconDeviceFloppy,
  best: IconTrophy,
  resume: IconPlayerPlay,
  failed: IconPlugConnectedX,
  restarted: IconRefresh,
  fewer: IconUserMinus,
  lost: IconPlugConnectedX,
  back: IconPlugConnected,
  link: IconLink,
  sync: IconAdjustments,
  passed: IconBell,
  disk: IconDatabaseExclamation,
  warning: IconAlertTriangle,
  error: IconAlertTriangle,
};
/** The mark that is drawn for several at one place: the most severe. */
const gravest: readonly MarkKind[] = [
  'error',
  'failed',
  'fewer',
  'lost',
  'restarted',
  'warning',
  'disk',
  'passed',
  'link',
  'sync',
  'resume',
  'back',
  'best',
  'checkpoint',
];
/** Pixels between two marks. */
const apart = 14;
/** With more marks than this at one place, only their number is given. */
const maxNamed = 6;

interface PlacedMark extends Mark {
  /** Pixels from the left of the picture. */
  readonly x: number;
}
interface PlacedPin extends RunPin {
  readonly x: number;
}

export interface ChartMarksProps {
  readonly marks: readonly PlacedMark[];
  readonly pins: readonly PlacedPin[];
  /** The pin whose note is being edited. */
  readonly open: string | undefined;
  readonly onOpen: (id: string | undefined) => void;
  readonly onPin: (pin: RunPin, note: string | undefined) => void;
}

export function ChartMarks({ marks, pins, open, onOpen, onPin }: ChartMarksProps) {
  const { t } = useTranslation();
  const language = useLanguage();
  const watchWords = useLimitText();
  const formatMode = useModeText();
  const textOf = (mark: Mark): string => {
    if (mark.change !== undefined) {
      const { from, to, why } = mark.change;
      return t('charts.syncChange', {
        from: formatMode(from),
        to: formatMode(to),
        why: t(`charts.syncWhy.${why}`),
      });
    }
    if (mark.membership !== undefined) return fewerText(mark.membership, mark.ranks ?? [], language);
    if (mark.error !== undefined)
      return t('charts.mark.failed', { what: describeError(mark.error, language).message });
    if (mark.resumed !== undefined) {
      const { step, lostSteps, lostSeconds } = mark.resumed;
      const time = formatDuration(Math.round(lostSeconds), language);
      return t('charts.restarted', { step, count: lostSteps, time });
    }
    return t(`charts.mark.${mark.kind}`, {
      what: mark.passed === undefined ? mark.what : watchWords(mark.passed),
    });
  };
  return (
    <>
      {cluster(marks, apart).map(({ x, marks: here }) => {
        const kind = gravest.find((one) => here.some((mark) => mark.kind === one)) ?? 'checkpoint';
        const Icon = icons[kind];
        // Several ranks say the same.
        const texts = [...new Set(here.map(textOf))];
        const text = [
          ...texts.slice(0, maxNamed),
          ...(texts.length > maxNamed ? [t('charts.moreMarks', { count: texts.length - maxNamed })] : []),
        ].join('\n');
        return (
          <span
            key={`${x} ${kind}`}
            className={classes.eventMark}
            data-mark={kind}
            role="img"
            aria-label={text}
            title={text}
            style={{ left: x, bottom: plotMargin.bottom }}
          >
            <Icon size={11} aria-hidden />
          </span>
        );
      })}
      {pins.map((pin) => (
        <Pin
          key={pin.id}
          pin={pin}
          opened={open === pin.id}
          onOpen={(opened) => onOpen(opened ? pin.id : undefined)}
          onPin={onPin}
        />
      ))}
    </>
  );
}

function Pin(props: {
  pin: PlacedPin;
  opened: boolean;
  onOpen: (opened: boolean) => void;
  onPin: ChartMarksProps['onPin'];
}) {
  const { t } = useTranslation();
  const { x, ...pin } = props.pin;
  const [note, setNote] = useState(pin.note);
  const label = pin.note === '' ? t('charts.pin') : t('charts.pinned', { note: pin.note });
  const save = (): void => {
    props.onPin(pin, note.trim());
    props.onOpen(false);
  };
  /** A click beside the note keeps it, as a click on 'Keep' does. */
  const open = (opened: boolean): void => {
    if (opened || note.trim() === pin.note) props.onOpen(opened);
    else save();
  };
  return (
    <Popover
      closeOnEscape={false}
      opened={props.opened}
      onChange={open}
      position="top"
      withinPortal
      zIndex={320}
      trapFocus
    >
      <Popover.Target>
        <button
          type="button"
          className={classes.pin}
          style={{ left: x, top: 0, bottom: plotMargin.bottom }}
          aria-label={label}
          title={label}
          onClick={() => open(!props.opened)}
        >
          <IconPin size={13} aria-hidden />
        </button>
      </Popover.Target>
      <Popover.Dropdown>
        <form
          className={classes.pinForm}
          onKeyDown={(event) => {
            // Mantine's own closing does not say whether it was by Escape.
            if (event.key !== 'Escape' || event.nativeEvent.isComposing) return;
            setNote(pin.note);
            props.onOpen(false);
          }}
          onSubmit={(event) => {
            event.preventDefault();
            save();
          }}
        >
          <Textarea
            aria-label={t('charts.pinNote')}
            placeholder={t('charts.pinNote')}
            value={note}
            maxLength={500}
            autosize
            minRows={2}
            data-autofocus
            onChange={(event) => setNote(event.currentTarget.value)}
            onKeyDown={(event) => {
              // An input method takes one with which it ends.
              if (event.key === 'Enter' && !event.shiftKey && !event.nativeEvent.isComposing) {
                event.preventDefault();
                save();
              }
            }}
          />
          <div className={classes.pinButtons}>
            <ActionIcon
              aria-label={t('charts.unpin')}
              title={t('charts.unpin')}
              onClick={() => props.onPin(pin, undefined)}
            >
              <IconTrash size={14} />
            </ActionIcon>
            <Button type="submit" size="compact-xs">
              {t('charts.keep')}
            </Button>
          </div>
        </form>
      </Popover.Dropdown>
    </Popover>
  );
}
