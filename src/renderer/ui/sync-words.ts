/** The text for a synchronisation mode: 'PowerSGD 2', 'Local steps 16, 0.45 bits'. */
import { useTranslation } from 'react-i18next';
import { parseSyncMode, syncRow } from '../../shared/settings/index.ts';
import { useLanguage } from '../state/index.ts';

export function useModeText(): (sync: string) => string {
  const { t } = useTranslation();
  const language = useLanguage();
  return (sync) => {
    const mode = parseSyncMode(sync);
    if (mode === undefined) return sync;
    const name = syncRow(mode.kind).words[language].label;
    const parts = mode.parts.map((part) => {
      const bits = /^(?:sparse|stream)=(.+)$/.exec(part)?.[1];
      return bits === undefined ? part : t('inspector.syncBits', { bits });
    });
    return [mode.value === undefined ? name : `${name} ${mode.value}`, ...parts].join(', ');
  };
}
