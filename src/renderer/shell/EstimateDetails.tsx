/** The headline of an estimate as a button that shows its details. */
import { Button, Popover } from '@mantine/core';
import { IconHourglass } from '@tabler/icons-react';
import { useState, type ReactNode } from 'react';
import classes from './EstimateLine.module.css';

export function EstimateDetails({ text, children }: { readonly text: string; readonly children: ReactNode }) {
  const [open, setOpen] = useState(false);
  return (
    <Popover opened={open} onChange={setOpen} position="bottom-end" trapFocus={false}>
      <Popover.Target>
        <Button
          className={classes.cost ?? ''}
          classNames={{ label: classes.text ?? '' }}
          variant="subtle"
          color="gray"
          size="compact-sm"
          aria-expanded={open}
          title={text}
          leftSection={<IconHourglass size={14} aria-hidden />}
          onClick={() => setOpen(!open)}
        >
          {text}
        </Button>
      </Popover.Target>
      <Popover.Dropdown className={classes.details ?? ''}>{children}</Popover.Dropdown>
    </Popover>
  );
}

export function EstimateRows({ rows }: { readonly rows: readonly (readonly [string, string])[] }) {
  return (
    <dl className={classes.rows}>
      {rows.map(([name, value]) => (
        <div key={name}>
          <dt>{name}</dt>
          <dd>{value}</dd>
        </div>
      ))}
    </dl>
  );
}
