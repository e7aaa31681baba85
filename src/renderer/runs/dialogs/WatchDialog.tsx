/** Edits the alerts of the experiment: values and the limits at which the user is notified during training. */
import { ActionIcon, Button, Modal, Select, TextInput } from '@mantine/core';
import { IconX } from '@tabler/icons-react';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { maxWatches, sameWatch, ValueWatch, watchedValues } from '../../../shared/metrics/value-watch.ts';
import { useLimitText } from '../../charts/index.ts';
import { CheckedInput, checkNumber, useFocusBack } from '../../ui/index.ts';
import { editLab, useLab } from '../../state/index.ts';
import classes from './WatchDialog.module.css';
import dialogs from './dialogs.module.css';

const likely: Readonly<Record<ValueWatch['value'], { above: boolean; limit: number }>> = {
  top1: { above: true, limit: 90 },
  validationLoss: { above: false, limit: 0.5 },
  loss: { above: true, limit: 10 },
  temperature: { above: true, limit: 85 },
  scalar: { above: false, limit: 0.5 },
};
const none: readonly ValueWatch[] = [];

export function WatchDialog({ onClose }: { onClose: () => void }) {
  const { t } = useTranslation();
  useFocusBack();
  const formatLimit = useLimitText();
  const watches = useLab()?.experiment.watches ?? none;
  const [value, setValue] = useState<ValueWatch['value']>('top1');
  const [above, setAbove] = useState(likely.top1.above);
  const [text, setText] = useState(String(likely.top1.limit));
  const limit = checkNumber(ValueWatch.shape.limit, text);
  const [scalar, setScalar] = useState('');
  const isNamed = value !== 'scalar' || ValueWatch.shape.scalar.safeParse(scalar.trim() || undefined).success;
  const named = value === 'scalar' ? { scalar: scalar.trim() } : {};
  const complete = value !== 'scalar' || (scalar.trim() !== '' && isNamed);
  const next = limit.ok && complete ? { value, above, limit: limit.value, ...named } : undefined;
  const known = next !== undefined && watches.some((one) => sameWatch(one, next));
  const save = (changed: readonly ValueWatch[]): void =>
    editLab({ type: 'experiment', change: { watches: [...changed] } });
  return (
    <Modal opened onClose={onClose} title={t('watch.title')} size="lg" zIndex={330}>
      <p className={dialogs.dialogText}>{t('watch.text')}</p>
      {watches.length > 0 && (
        <ul className={classes.watches} aria-label={t('watch.title')}>
          {watches.map((watch) => (
            <li key={`${watch.value} ${watch.scalar ?? ''} ${watch.above} ${watch.limit}`}>
              {formatLimit(watch)}
              <ActionIcon
                size={24}
                aria-label={t('watch.remove', { watch: formatLimit(watch) })}
                onClick={() => save(watches.filter((one) => !sameWatch(one, watch)))}
              >
                <IconX size={13} />
              </ActionIcon>
            </li>
          ))}
        </ul>
      )}
      <form
        className={classes.watchForm}
        onSubmit={(event) => {
          event.preventDefault();
          if (next !== undefined && !known) save([...watches, next]);
        }}
      >
        <Select
          label={t('watch.value')}
          value={value}
          comboboxProps={{ zIndex: 340 }}
          data={watchedValues.map((one) => ({ value: one, label: t(`watch.of.${one}`) }))}
          onChange={(chosen) => {
            const found = watchedValues.find((one) => one === chosen);
            if (found === undefined) return;
            setValue(found);
            setAbove(likely[found].above);
            setText(String(likely[found].limit));
          }}
        />
        {value === 'scalar' && (
          <TextInput
            label={t('watch.scalar')}
            value={scalar}
            maxLength={180}
            placeholder="val/loss"
            onChange={(event) => setScalar(event.currentTarget.value)}
          />
        )}
        <Select
          label={t('watch.passes')}
          value={above ? 'above' : 'below'}
          comboboxProps={{ zIndex: 340 }}
          data={(['above', 'below'] as const).map((one) => ({ value: one, label: t(`watch.${one}`) }))}
          onChange={(chosen) => setAbove(chosen === 'above')}
        />
        <CheckedInput
          label={t('watch.limit')}
          inputMode="decimal"
          value={text}
          problem={limit.ok ? undefined : t('watch.noNumber')}
          onChange={(event) => setText(event.currentTarget.value)}
        />
        <Button type="submit" disabled={next === undefined || known || watches.length >= maxWatches}>
          {t('watch.add')}
        </Button>
      </form>
    </Modal>
  );
}
