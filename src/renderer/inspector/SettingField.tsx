/** The field of a training setting, made from its row in the table of settings. */
import { useTranslation } from 'react-i18next';
import type { Experiment } from '../../shared/lab/lab.ts';
import {
  choiceValues,
  isDefault,
  settingRow,
  settingsOf,
  type TrainingSetting,
} from '../../shared/settings/index.ts';
import type { SettingValue } from '../../shared/settings/index.ts';
import { useLanguage } from '../state/index.ts';
import { ChoiceField, NumberField, TextField } from '../ui/index.ts';

export interface SettingFieldProps {
  readonly experiment: Experiment;
  readonly set: (change: Partial<Experiment>, field: string) => void;
  readonly issue: (path: string) => string | undefined;
}

/** Renders nothing for a setting whose row names a custom field. */
export function SettingField({
  name,
  experiment,
  set,
  issue,
}: SettingFieldProps & { readonly name: TrainingSetting }) {
  const { t } = useTranslation();
  const row = settingRow(name);
  const { label, help, none, choices = {} } = row.words[useLanguage()];
  const path = `experiment.${name}`;
  const common = { fieldKey: path, path, label, description: help, issue: issue(path) };
  const value = settingsOf(experiment)[name];
  // The trainer's defaults are not written into the lab.
  const change = (typed: SettingValue): void =>
    set({ [name]: isDefault(name, typed) ? undefined : typed }, name);
  switch (row.kind) {
    case 'number':
      return (
        <NumberField
          {...common}
          value={Number(value)}
          schema={row.schema}
          onChange={change}
          {...(row.field.unit === undefined ? {} : { unit: t(`inspector.${row.field.unit}`) })}
        />
      );
    case 'text':
      return (
        <TextField
          {...common}
          placeholder={none}
          value={String(value)}
          schema={row.schema}
          onChange={change}
        />
      );
    case 'switch':
      return (
        <ChoiceField
          {...common}
          value={value === true ? 'on' : 'off'}
          choices={(['off', 'on'] as const).map((one) => ({ value: one, label: choices[one] ?? one }))}
          onChange={(one) => change(one === 'on')}
        />
      );
    case 'choice': {
      const values = choiceValues(row);
      return (
        <ChoiceField
          {...common}
          value={String(value)}
          choices={values.map((one) => ({ value: String(one), label: choices[String(one)] ?? String(one) }))}
          onChange={(chosen) => change(values.find((one) => String(one) === chosen) ?? chosen)}
        />
      );
    }
    case 'other':
      return null;
  }
}
