/** A way of synchronising in words: 'PowerSGD 2', 'Local steps 16, 0.45 bits'. */
import { useTranslation } from 'react-i18next';
import { parseSyncMode } from '../../shared/settings/sync-mode.ts';

export function useSyncWords(): (sync: string) => string {
  const { t } = useTranslation();
  return (sync) => {
    const mode = parseSyncMode(sync);
    if (mode === undefined) return sync;
    const name = t(`inspector.sync.${mode.kind}`);
    const parts = mode.parts.map((part) => {
      const bits = /^sparse=(.+)$/.exec(part)?.[1];
      return bits === undefined ? part : t('inspector.syncBits', { bits });
    });
    return [mode.value === undefined ? name : `${name} ${mode.value}`, ...parts].join(', ');
  };
}
