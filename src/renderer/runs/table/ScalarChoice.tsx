/** Which scalars are columns of the table, and axes of the parallel coordinates. */
import { Button, MultiSelect, Popover } from '@mantine/core';
import { IconColumns3 } from '@tabler/icons-react';
import { useTranslation } from 'react-i18next';
import { maxValued, scalarMeasures } from '../../../shared/run/scalar-values.ts';
import { isScalarColumn, scalarColumn, scalarLabel, type ScalarColumn } from './scalar-columns.ts';

/** Further ones are found by typing. */
const maxListed = 150;

export interface ScalarChoiceProps {
  readonly names: readonly string[];
  readonly columns: readonly ScalarColumn[];
  readonly onChoose: (columns: readonly ScalarColumn[]) => void;
}

export function ScalarChoice({ names, columns, onChoose }: ScalarChoiceProps) {
  const { t } = useTranslation();
  const offered = names.flatMap((name) => scalarMeasures.map((measure) => scalarColumn(measure, name)));
  // A chosen scalar that none of the listed runs has can still be removed.
  const all = [...new Set([...columns, ...offered])];
  return (
    <Popover width={420} position="bottom-start" withinPortal trapFocus>
      <Popover.Target>
        <Button variant="default" leftSection={<IconColumns3 size={14} />}>
          {t('runTable.scalars')}
        </Button>
      </Popover.Target>
      <Popover.Dropdown>
        <MultiSelect
          label={t('runTable.scalarColumns')}
          description={t('runTable.scalarColumnsHint')}
          searchable
          limit={maxListed}
          maxValues={maxValued}
          comboboxProps={{ withinPortal: false }}
          nothingFoundMessage={t('runTable.noScalar')}
          value={[...columns]}
          data={all.map((column) => ({ value: column, label: scalarLabel(t, column) }))}
          onChange={(chosen) => onChoose(chosen.filter(isScalarColumn))}
        />
      </Popover.Dropdown>
    </Popover>
  );
}
