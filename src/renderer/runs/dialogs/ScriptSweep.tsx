/** The part of the sweep dialog for own scripts: a run for each line of arguments. */
import { Button, Textarea } from '@mantine/core';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { maxQueued, type RequestArgs } from '../../../shared/contract/api.ts';
import { onOneLine, splitArguments, splitRuns } from '../../../shared/lab/script-arguments.ts';
import type { Script } from '../../../shared/lab/script.ts';
import dialogs from './dialogs.module.css';
import classes from './SweepDialog.module.css';

export interface ScriptSweepProps {
  readonly script: Script;
  readonly busy: boolean;
  readonly onStart: (changes: RequestArgs<'run.queue'>['changes']) => void;
  readonly onClose: () => void;
}

export function ScriptSweep({ script, busy, onStart, onClose }: ScriptSweepProps) {
  const { t } = useTranslation();
  const [text, setText] = useState(onOneLine(script.arguments));
  const lines = splitRuns(text);
  // A single empty line is a run without arguments.
  const wanted = lines.length === 1 ? lines : lines.filter((line) => line !== '');
  const wrong = wanted.find((line) => !splitArguments(line).ok);
  const isPossible = wrong === undefined && wanted.length > 0 && wanted.length <= maxQueued;
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault();
        if (isPossible) onStart(wanted.map((line) => ({ script: { ...script, arguments: line } })));
      }}
    >
      <p className={dialogs.dialogText}>{t('script.sweep.text')}</p>
      <Textarea
        label={t('script.sweep.lines')}
        autosize
        minRows={3}
        maxRows={12}
        data-autofocus
        value={text}
        error={wrong === undefined ? undefined : t('script.sweep.quote', { line: wrong })}
        onChange={(event) => setText(event.currentTarget.value)}
      />
      {wanted.length > maxQueued && (
        <p className={classes.warn}>{t('runTable.tooMany', { count: maxQueued })}</p>
      )}
      <div className={dialogs.dialogButtons}>
        <Button variant="default" onClick={onClose}>
          {t('shell.cancel')}
        </Button>
        <Button type="submit" loading={busy} disabled={!isPossible}>
          {t('runTable.queue', { count: wanted.length })}
        </Button>
      </div>
    </form>
  );
}
