/** Starts a sweep: one or two settings with their values. The runs are queued on the lab's nodes. */
import { ActionIcon, Button, Modal, Select, Tooltip } from '@mantine/core';
import { notifications } from '@mantine/notifications';
import { IconPlus, IconX } from '@tabler/icons-react';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { maxQueued } from '../../../shared/contract/api.ts';
import { toWireError, type WireError } from '../../../shared/base/errors.ts';
import { useApi } from '../../api/index.ts';
import { CheckedInput, ErrorNote, useFocusBack } from '../../ui/index.ts';
import { compare, readyToRun, saveNow, useLab, useLanguage, useRun } from '../../state/index.ts';
import dialogs from './dialogs.module.css';
import { ScriptSweep } from './ScriptSweep.tsx';
import {
  changesOf,
  choicesOf,
  parseValues,
  sweptNames,
  waysInParallel,
  type SweptAxis,
  type SweptName,
} from './sweep.ts';
import classes from './SweepDialog.module.css';

/** Two settings make a grid that is still easy to read. */
const maxAxes = 2;

export interface SweepDialogProps {
  /** The lab as it is drawn, or the run that is repeated. */
  readonly from: { readonly labId: string } | { readonly runId: string };
  readonly onClose: () => void;
}

export function SweepDialog({ from, onClose }: SweepDialogProps) {
  const { t } = useTranslation();
  useFocusBack();
  const api = useApi();
  const language = useLanguage();
  const repeated = useRun('runId' in from ? from.runId : undefined);
  const drawn = useLab();
  const experiment = ('runId' in from ? repeated?.lab : drawn)?.experiment;
  const [axes, setAxes] = useState<readonly SweptAxis[]>([{ name: 'learningRate', text: '' }]);
  const [busy, setBusy] = useState(false);
  const [error, setError] = useState<WireError>();
  const changes = changesOf(axes);
  const product = axes.reduce((count, axis) => {
    const parsed = parseValues(axis);
    return count * (parsed.ok ? parsed.values.length : 0);
  }, 1);
  const set = (index: number, change: Partial<SweptAxis>): void =>
    setAxes(axes.map((axis, i) => (i === index ? { ...axis, ...change } : axis)));
  const listed = (name: SweptName): string | undefined =>
    choicesOf(name, language)?.join(t('runTable.choiceComma'));
  const problem = (axis: SweptAxis): string | undefined => {
    const parsed = parseValues(axis);
    if (parsed.ok || parsed.word === '') return undefined;
    const { word } = parsed;
    if (parsed.isOneOrTwo === true) return t('runTable.oneOrTwo', { word });
    const names = listed(axis.name);
    return names === undefined ? t('runTable.noValue', { word }) : t('runTable.noChoice', { word, names });
  };
  const start = async (queued: typeof changes, compared = false): Promise<void> => {
    if (queued === undefined) return;
    setBusy(true);
    try {
      if ('labId' in from) {
        if (!(await readyToRun(api))) {
          // Over the list of problems.
          onClose();
          return;
        }
        await saveNow(api);
      }
      const { runIds } = await api.call('run.queue', { from, changes: queued });
      // Their records come as events: a request that fails now would look as if they were not queued.
      notifications.show({ color: 'petrol', message: t('runTable.queued', { count: runIds.length }) });
      if (compared) compare(runIds);
      onClose();
    } catch (caught) {
      setError(toWireError(caught));
      setBusy(false);
    }
  };
  const label = (name: SweptName): string => t(`settingNames.${name}`);
  const title =
    'runId' in from ? t('runTable.repeatTitle', { name: repeated?.name ?? '' }) : t('runTable.sweepTitle');
  if (experiment?.script !== undefined)
    return (
      <Modal opened onClose={onClose} size="lg" zIndex={330} title={title}>
        {error !== undefined && <ErrorNote error={error} />}
        <ScriptSweep
          script={experiment.script}
          busy={busy}
          onStart={(queued) => void start(queued)}
          onClose={onClose}
        />
      </Modal>
    );
  return (
    <Modal opened onClose={onClose} size="lg" zIndex={330} title={title}>
      <form
        onSubmit={(event) => {
          event.preventDefault();
          void start(changes);
        }}
      >
        {'labId' in from && drawn !== undefined && (
          <div className={classes.ready}>
            <p>{t('runTable.ways.text', { batch: 4 * drawn.experiment.batchSize })}</p>
            <Button variant="light" loading={busy} onClick={() => void start(waysInParallel(drawn), true)}>
              {t('runTable.ways.start')}
            </Button>
          </div>
        )}
        <p className={dialogs.dialogText}>{t('runTable.sweepText')}</p>
        {axes.map((axis, index) => (
          <div key={index} className={classes.axis}>
            <Select
              label={t('runTable.setting')}
              value={axis.name}
              searchable
              comboboxProps={{ zIndex: 340 }}
              data={sweptNames
                .filter((name) => name === axis.name || !axes.some((other) => other.name === name))
                .map((name) => ({ value: name, label: label(name) }))}
              onChange={(name) => {
                const known = sweptNames.find((one) => one === name);
                if (known !== undefined) set(index, { name: known });
              }}
            />
            <CheckedInput
              label={t('runTable.values')}
              placeholder={listed(axis.name) ?? String(experiment?.[axis.name] ?? '')}
              value={axis.text}
              data-autofocus={index === 0 ? true : undefined}
              // The button that adds the last one is gone with it.
              autoFocus={index > 0}
              problem={problem(axis)}
              onChange={(event) => set(index, { text: event.currentTarget.value })}
            />
            {axes.length > 1 && (
              <Tooltip label={t('runTable.removeSetting')}>
                <ActionIcon
                  mt={18}
                  aria-label={t('runTable.removeSetting')}
                  onClick={() => setAxes(axes.filter((_, i) => i !== index))}
                >
                  <IconX size={14} />
                </ActionIcon>
              </Tooltip>
            )}
          </div>
        ))}
        {axes.length < maxAxes && (
          <Button
            variant="subtle"
            size="compact-xs"
            leftSection={<IconPlus size={13} />}
            onClick={() =>
              setAxes([
                ...axes,
                { name: sweptNames.find((name) => name !== axes[0]?.name) ?? 'seed', text: '' },
              ])
            }
          >
            {t('runTable.addSetting')}
          </Button>
        )}
        {product > maxQueued && <p className={classes.warn}>{t('runTable.tooMany', { count: maxQueued })}</p>}
        {error !== undefined && <ErrorNote error={error} />}
        <div className={dialogs.dialogButtons}>
          <Button variant="default" onClick={onClose}>
            {t('shell.cancel')}
          </Button>
          <Button type="submit" loading={busy} disabled={changes === undefined}>
            {t('runTable.queue', { count: changes?.length ?? 0 })}
          </Button>
        </div>
      </form>
    </Modal>
  );
}
