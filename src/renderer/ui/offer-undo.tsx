/** A notice of what was done, with a button that takes it back. */
import { Button } from '@mantine/core';
import { notifications } from '@mantine/notifications';

const undoMs = 12_000;

/** @param label of the button */
export function offerUndo(message: string, label: string, undo: () => void): void {
  const id = `undo-${Date.now()}`;
  notifications.show({
    id,
    autoClose: undoMs,
    color: 'petrol',
    message: (
      <span>
        {message}{' '}
        <Button
          variant="subtle"
          size="compact-xs"
          onClick={() => {
            notifications.hide(id);
            undo();
          }}
        >
          {label}
        </Button>
      </span>
    ),
  });
}
