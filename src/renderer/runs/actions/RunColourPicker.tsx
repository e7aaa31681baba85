/** The colour of a run in charts, tables and comparisons: a dot that opens a choice of colours. */
import { Popover, Tooltip } from '@mantine/core';
import { useId, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { RunColour } from '../../../shared/run/run.ts';
import { runPalette } from '../../theme/index.ts';
import classes from './run-colour.module.css';
import { useRunActions } from './use-run-actions.tsx';

export interface RunColourPickerProps {
  readonly run: { readonly id: string; readonly name: string; readonly colour?: RunColour | undefined };
  /** The colour if the user chose none; without it an empty ring. */
  readonly fallback?: string | undefined;
  readonly disabled?: boolean;
}

export function RunColourPicker({ run, fallback, disabled = false }: RunColourPickerProps) {
  const { t } = useTranslation();
  const actions = useRunActions();
  const [opened, setOpened] = useState(false);
  const group = useId();
  const label = t('runTable.colourOf', { name: run.name });
  const drawn = run.colour === undefined ? fallback : runPalette[run.colour];
  const choices: readonly (RunColour | null)[] = [...RunColour.options, null];
  return (
    <Popover opened={opened} onChange={setOpened} position="bottom-start" zIndex={340} trapFocus returnFocus>
      <Popover.Target>
        <Tooltip label={label} disabled={opened}>
          <button
            type="button"
            className={classes.dot}
            aria-label={label}
            aria-haspopup="dialog"
            data-colour={run.colour ?? ''}
            disabled={disabled}
            onClick={() => setOpened(!opened)}
          >
            <span style={drawn === undefined ? undefined : { background: drawn, borderColor: drawn }} />
          </button>
        </Tooltip>
      </Popover.Target>
      <Popover.Dropdown>
        <fieldset className={classes.choices} aria-label={label}>
          {choices.map((colour) => (
            <label key={colour ?? 'none'} className={classes.choice}>
              <input
                type="radio"
                name={group}
                checked={(run.colour ?? null) === colour}
                // The keyboard starts here; the arrow keys move on.
                data-autofocus={(run.colour ?? null) === colour ? true : undefined}
                onChange={() => void actions.annotate(run.id, { colour })}
              />
              <span
                className={classes.swatch}
                style={colour === null ? undefined : { background: runPalette[colour] }}
                aria-hidden
              />
              {t(`runTable.colour.${colour ?? 'none'}`)}
            </label>
          ))}
        </fieldset>
      </Popover.Dropdown>
    </Popover>
  );
}
