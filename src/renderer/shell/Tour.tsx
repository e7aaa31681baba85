/** A tour of four steps for a new user: draw, link, run, watch. */
import { Button, CloseButton, FocusTrap, Paper } from '@mantine/core';
import { IconPlayerPlayFilled, IconRoute } from '@tabler/icons-react';
import { useEffect, useLayoutEffect, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { create } from 'zustand';
import { useLabActions } from '../commands/index.ts';
import {
  hasLocalNodes,
  keepText,
  localExample,
  showDialog,
  useViewStore,
  useWindowStore,
} from '../state/index.ts';
import { useFocusBack } from '../ui/index.ts';
import classes from './Tour.module.css';

const doneKey = 'ringlab.tour';
/** Each step, and the part of the window that it is about (`data-tour`). */
const steps = ['draw', 'link', 'run', 'watch'] as const;

const useOffer = create<{ readonly offered: boolean }>(() => ({
  offered: localStorage.getItem(doneKey) === null,
}));
function endTour(): void {
  keepText(doneKey, 'done');
  useOffer.setState({ offered: false });
  if (useViewStore.getState().dialog === 'tour') showDialog(undefined);
}

/** Offered once, in a corner of the window. */
export function TourOffer() {
  const { t } = useTranslation();
  const offered = useOffer((state) => state.offered);
  const started = useViewStore((state) => state.dialog === 'tour');
  if (!offered || started) return null;
  return (
    <div className={classes.offer}>
      <Button
        variant="light"
        size="compact-sm"
        leftSection={<IconRoute size={14} />}
        onClick={() => showDialog('tour')}
      >
        {t('shell.tour.offer')}
      </Button>
      <CloseButton size="sm" aria-label={t('shell.tour.dismiss')} onClick={endTour} />
    </div>
  );
}

export function Tour() {
  const started = useViewStore((state) => state.dialog === 'tour');
  return started ? <Steps /> : null;
}

function Steps() {
  useFocusBack();
  const [step, setStep] = useState(0);
  return <Step key={step} index={step} go={setStep} />;
}

interface Place {
  readonly left: number;
  readonly top: number;
  readonly width: number;
  readonly height: number;
}

const cardSize = { width: 320, height: 190 };
const space = 14;

/** Beside the part if there is room, otherwise over its middle. */
function cardPlace({ left, top, width, height }: Place): { left: number; top: number } {
  const clamp = (value: number, max: number): number => Math.max(space, Math.min(value, max - space));
  const y = clamp(top, window.innerHeight - cardSize.height);
  if (left + width + space + cardSize.width < window.innerWidth)
    return { left: left + width + space, top: y };
  if (left - space - cardSize.width > 0) return { left: left - space - cardSize.width, top: y };
  const x = clamp(left + width / 2 - cardSize.width / 2, window.innerWidth - cardSize.width);
  if (top - space - cardSize.height > 0) return { left: x, top: top - space - cardSize.height };
  return { left: x, top: clamp(top + height + space, window.innerHeight - cardSize.height) };
}

function Step({ index, go }: { index: number; go: (step: number) => void }) {
  const { t } = useTranslation();
  const name = steps[index] ?? 'draw';
  const place = usePlace(name);
  const isLast = index === steps.length - 1;
  const labs = useLabActions();
  const sample = useWindowStore(({ examples, info }) =>
    hasLocalNodes(info) ? examples.find(({ name }) => name === localExample) : undefined,
  );
  // On the window: a key may be pressed before the card has the focus.
  useLayoutEffect(() => {
    const onKey = (event: KeyboardEvent): void => {
      if (event.key === 'Escape') endTour();
      else if (event.key === 'ArrowRight' && !isLast) go(index + 1);
      else if (event.key === 'ArrowLeft' && index > 0) go(index - 1);
      else return;
      event.preventDefault();
      event.stopPropagation();
    };
    window.addEventListener('keydown', onKey, true);
    return () => window.removeEventListener('keydown', onKey, true);
  }, [index, isLast, go]);
  if (place === undefined) return null;
  return (
    <div className={classes.layer}>
      <div className={classes.light} style={place} />
      <FocusTrap>
        <Paper
          className={classes.card ?? ''}
          role="dialog"
          aria-modal
          aria-label={t('shell.tour.title', { step: index + 1, count: steps.length })}
          style={{ ...cardPlace(place), width: cardSize.width }}
        >
          <div className={classes.head}>
            <span>{t('shell.tour.title', { step: index + 1, count: steps.length })}</span>
            <CloseButton size="sm" aria-label={t('shell.tour.end')} onClick={endTour} />
          </div>
          <h2>{t(`shell.tour.${name}.title`)}</h2>
          <p>{t(`shell.tour.${name}.text`)}</p>
          <div className={classes.buttons}>
            {index > 0 && (
              <Button variant="default" onClick={() => go(index - 1)}>
                {t('shell.tour.back')}
              </Button>
            )}
            {isLast && sample !== undefined && (
              <Button
                variant="light"
                leftSection={<IconPlayerPlayFilled size={13} />}
                onClick={() => {
                  endTour();
                  labs.runExample(sample.name);
                }}
              >
                {t('shell.tour.runSample')}
              </Button>
            )}
            <Button data-autofocus onClick={() => (isLast ? endTour() : go(index + 1))}>
              {isLast ? t('shell.tour.end') : t('shell.tour.next')}
            </Button>
          </div>
        </Paper>
      </FocusTrap>
    </div>
  );
}

/** The position of the step's part of the window, updated when the window is resized. */
function usePlace(name: (typeof steps)[number]): Place | undefined {
  const [place, setPlace] = useState<Place>();
  useEffect(() => {
    const measure = (): void => {
      const box = document.querySelector(`[data-tour~="${name}"]`)?.getBoundingClientRect();
      setPlace(
        box === undefined
          ? { left: window.innerWidth / 2, top: window.innerHeight / 2, width: 0, height: 0 }
          : { left: box.left, top: box.top, width: box.width, height: box.height },
      );
    };
    measure();
    window.addEventListener('resize', measure);
    return () => window.removeEventListener('resize', measure);
  }, [name]);
  return place;
}
