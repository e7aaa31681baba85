/** A way of synchronising in words: 'PowerSGD 2', 'DiLoCo 8,2'. */
import { useTranslation } from 'react-i18next';
import { parseSyncMode } from '../../shared/sync-mode.ts';

export function useSyncWords(): (sync: string) => string {
  const { t } = useTranslation();
  return (sync) => {
    const mode = parseSyncMode(sync);
    if (mode === undefined) return sync;
    const name = t(`inspector.sync.${mode.kind}`);
    const rest = [...(mode.value === undefined ? [] : [String(mode.value)]), ...mode.parts].join(',');
    return rest === '' ? name : `${name} ${rest}`;
  };
}
