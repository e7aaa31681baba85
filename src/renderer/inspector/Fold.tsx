/** Further fields, collapsed by default. */
import { Collapse, UnstyledButton } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { IconChevronRight } from '@tabler/icons-react';
import { useEffect, useId, type ReactNode } from 'react';
import { useViewStore } from '../state/index.ts';
import { isFieldOf } from '../ui/index.ts';
import classes from './Fold.module.css';

export function Fold(props: {
  readonly label: string;
  /** Whether it is open until the user closes it. */
  readonly startsOpen: boolean;
  /** A field with an error must be visible, so that its message leads to a field. */
  readonly wrong: boolean;
  readonly children: ReactNode;
}) {
  const region = useId();
  const [asked, { toggle, open: unfold }] = useDisclosure(props.startsOpen);
  const open = asked || props.wrong;
  useEffect(() => {
    // It stays open while the error is corrected: the field would lose the focus with its first valid character.
    if (props.wrong) unfold();
  }, [props.wrong, unfold]);
  const wanted = useViewStore(({ focus }) => focus);
  useEffect(() => {
    // Fields that are folded away cannot take the focus by themselves, and React detaches references to what is hidden.
    const fields = document.getElementById(region)?.querySelectorAll<HTMLElement>('[data-field]') ?? [];
    if (
      wanted !== undefined &&
      [...fields].some(({ dataset }) => isFieldOf(wanted.path, [dataset.path, dataset.field]))
    )
      unfold();
  }, [wanted, region, unfold]);
  return (
    <>
      <UnstyledButton
        className={classes.fold}
        aria-expanded={open}
        aria-controls={region}
        onClick={() => {
          if (!props.wrong) toggle();
        }}
      >
        <IconChevronRight size={14} aria-hidden data-open={open} />
        {props.label}
      </UnstyledButton>
      <Collapse expanded={open} id={region}>
        <div className={classes.folded}>{props.children}</div>
      </Collapse>
    </>
  );
}
