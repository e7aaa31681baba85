/** Links the selected node to another one by keyboard: the user chooses the other node from a list. */
import { Button, Group, Modal, Select } from '@mantine/core';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { connectFrom, useLab, useViewStore } from '../state/index.ts';
import { useLinking } from './linking.ts';

export function ConnectQuestion() {
  const { t } = useTranslation();
  const lab = useLab();
  const from = useViewStore((state) => state.connecting);
  const link = useLinking();
  const [target, setTarget] = useState<string | null>(null);
  const node = lab?.nodes.find((one) => one.id === from);
  // A lab may have an id twice; the list fails where two of its entries have one.
  const others = new Map<string, string>();
  for (const { id, name } of lab?.nodes ?? [])
    if (id !== from && !others.has(id)) others.set(id, name.trim() === '' ? id : name);
  const close = (): void => {
    connectFrom(undefined);
    setTarget(null);
  };
  const cancel = (): void => {
    close();
    document.querySelector<HTMLElement>(`.react-flow__node[data-id="${from ?? ''}"]`)?.focus();
  };
  const confirm = (): void => {
    if (from === undefined || target === null) return;
    close();
    link(from, target);
  };
  return (
    <Modal
      opened={node !== undefined}
      onClose={cancel}
      // The bandwidth field opens next and takes the focus.
      returnFocus={false}
      size="xs"
      title={t('canvas.connectTitle', { name: node?.name ?? '' })}
    >
      <form
        onSubmit={(event) => {
          event.preventDefault();
          confirm();
        }}
      >
        <Select
          data-autofocus
          label={t('canvas.connectTo')}
          placeholder={t('canvas.chooseNode')}
          searchable
          // Enter takes the first that fits what was typed.
          selectFirstOptionOnChange
          selectFirstOptionOnDropdownOpen
          value={target}
          onChange={setTarget}
          data={[...others].map(([value, label]) => ({ value, label }))}
          nothingFoundMessage={t('canvas.noOtherNode')}
        />
        <Group justify="flex-end" mt="md">
          <Button variant="default" onClick={cancel}>
            {t('shell.cancel')}
          </Button>
          <Button type="submit" disabled={target === null}>
            {t('canvas.connect')}
          </Button>
        </Group>
      </form>
    </Modal>
  );
}
