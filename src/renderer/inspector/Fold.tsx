/** Further fields, collapsed by default. */
import { Collapse, UnstyledButton } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { IconChevronRight } from '@tabler/icons-react';
import { useId, type ReactNode } from 'react';
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
  const [asked, { toggle }] = useDisclosure(props.startsOpen);
  const open = asked || props.wrong;
  return (
    <>
      <UnstyledButton className={classes.fold} aria-expanded={open} aria-controls={region} onClick={toggle}>
        <IconChevronRight size={14} aria-hidden data-open={open} />
        {props.label}
      </UnstyledButton>
      <Collapse expanded={open} id={region}>
        <div className={classes.folded}>{props.children}</div>
      </Collapse>
    </>
  );
}
