/** The training settings that most experiments change, and the trainer's further options, collapsed by default. */
import { useTranslation } from 'react-i18next';
import { fieldLines, isDefault, settingRow, settingsOf } from '../../shared/settings/index.ts';
import { FieldGroup, FieldRow } from '../ui/index.ts';
import { Fold } from './Fold.tsx';
import { SettingField, type SettingFieldProps } from './SettingField.tsx';

const basic = fieldLines('basic');
const more = fieldLines('more');

export function TrainingFields(props: SettingFieldProps) {
  const { t } = useTranslation();
  return (
    <FieldGroup title={t('inspector.experiment.training')}>
      <Lines lines={basic} {...props} />
      <FurtherFields {...props} />
    </FieldGroup>
  );
}

/** Lines of one field, or of two side by side; fields that have no effect with the current values are left out. */
function Lines({ lines, ...props }: SettingFieldProps & { readonly lines: typeof basic }) {
  const all = settingsOf(props.experiment);
  return lines.map((line) => {
    const shown = line.filter((name) => settingRow(name).field.shown?.(all) ?? true);
    const fields = shown.map((name) => <SettingField key={name} name={name} {...props} />);
    if (shown.length === 0) return null;
    return line.length === 1 ? fields : <FieldRow key={line.join()}>{fields}</FieldRow>;
  });
}

function FurtherFields(props: SettingFieldProps) {
  const { t } = useTranslation();
  const all = settingsOf(props.experiment);
  const names = more.flat();
  const count = names.filter((name) => !isDefault(name, all[name])).length;
  return (
    <Fold
      label={count === 0 ? t('inspector.training.more') : t('inspector.training.moreSet', { count })}
      startsOpen={count > 0}
      wrong={names.some((name) => props.issue(`experiment.${name}`) !== undefined)}
    >
      <Lines lines={more} {...props} />
    </Fold>
  );
}
