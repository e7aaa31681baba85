/** How the ranks of the native trainer synchronise: the mode, its number, and the precision of what is sent. */
import { useTranslation } from 'react-i18next';
import * as z from 'zod';
import type { Experiment } from '../../shared/lab/lab.ts';
import {
  formatSyncMode,
  parseSyncMode,
  syncForms,
  syncKinds,
  syncRow,
  type ReadMode,
} from '../../shared/settings/index.ts';
import { useLanguage } from '../state/index.ts';
import { ChoiceField, NumberField } from '../ui/index.ts';

/** The synchronisation mode, its number, and the compression of what local steps changed. */
export function SyncFields(props: {
  sync: string;
  set: (change: Partial<Experiment>, field: string) => void;
  issue: string | undefined;
}) {
  const { t } = useTranslation();
  const language = useLanguage();
  const { sync, set, issue } = props;
  // An unknown mode stays in the document, and the lab's check reports it at this field.
  const mode = parseSyncMode(sync) ?? parseSyncMode(plainSync);
  if (mode === undefined) return null;
  const { value: limits, words } = syncRow(mode.kind);
  const form = formOf(mode);
  const withForm = (chosen: string): string =>
    formatSyncMode({ ...mode, parts: [chosen, ...mode.parts.filter((part) => part !== form)] });
  const numbers = z
    .number()
    .min(limits?.low ?? 0)
    .max(limits?.high ?? 0);
  return (
    <>
      <ChoiceField
        fieldKey="experiment.sync"
        path="experiment.sync"
        label={t('settingNames.sync')}
        description={words[language].help}
        value={mode.kind}
        issue={issue}
        choices={syncKinds.map((value) => ({ value, label: syncRow(value).words[language].label }))}
        onChange={(kind) => {
          const value = syncRow(kind).value?.default;
          set(
            { sync: formatSyncMode({ kind, parts: [], ...(value === undefined ? {} : { value }) }) },
            'sync',
          );
        }}
      />
      {limits !== undefined && mode.value !== undefined && (
        <NumberField
          fieldKey="experiment.sync.value"
          label={words[language].value ?? ''}
          value={mode.value}
          schema={limits.whole ? numbers.int() : numbers}
          onChange={(value) => set({ sync: formatSyncMode({ ...mode, value }) }, 'sync')}
        />
      )}
      {mode.outer && (
        <ChoiceField<string>
          fieldKey="experiment.sync.form"
          label={t('inspector.syncForm.label')}
          value={form}
          choices={syncForms
            .filter((value) => parseSyncMode(withForm(value)) !== undefined)
            .map((value) => ({ value, label: t(`inspector.syncForm.${formWords[value]}`) }))}
          onChange={(chosen) => {
            set({ sync: withForm(chosen) }, 'sync');
          }}
        />
      )}
    </>
  );
}

const plainSync = 'allreduce';

const formWords = {
  fp32: 'fp32',
  fp16: 'fp16',
  '8bit': 'eightBits',
  '4bit': 'fourBits',
  'stream=0.145': 'stream',
  'sparse=0.45': 'sparse',
} as const satisfies Record<(typeof syncForms)[number], string>;

/** The compression in the mode, even if it is not offered here; if the mode has none, its kind's default. */
const formOf = ({ form, compression }: ReadMode): string =>
  form ?? (compression === 'int4' ? '4bit' : 'fp32');
