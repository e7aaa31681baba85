/** Creates links between nodes, and reports why a link cannot be created. */
import { notifications } from '@mantine/notifications';
import { useCallback } from 'react';
import { useTranslation } from 'react-i18next';
import { linkNodes, useLabStore } from '../state/index.ts';

/** Links two nodes and asks for the bandwidth; a refusal is reported in a notification. */
export function useLinking(): (a: string, b: string) => void {
  const { t } = useTranslation();
  return useCallback(
    (a, b) => {
      const refusal = linkNodes(a, b);
      if (refusal === undefined || refusal === 'missing') return;
      const name = (id: string): string =>
        useLabStore.getState().lab?.nodes.find((node) => node.id === id)?.name ?? id;
      notifications.show({
        id: `link-refused-${refusal}`,
        color: 'yellow',
        message: t(`canvas.refused.${refusal}`, { a: name(a), b: name(b) }),
        autoClose: 5000,
      });
    },
    [t],
  );
}
