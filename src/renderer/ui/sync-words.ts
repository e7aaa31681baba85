/** The text for a synchronisation mode: 'PowerSGD 2', 'Compressed averages of 0.156 bits a parameter'. */
import { useTranslation } from 'react-i18next';
import { parseSyncMode, syncRow } from '../../shared/settings/index.ts';
import { useLanguage } from '../state/index.ts';

export function useModeText(): (sync: string) => string {
  const { t } = useTranslation();
  const language = useLanguage();
  return (sync) => {
    const mode = parseSyncMode(sync);
    if (mode === undefined) return sync;
    // What of it overlaps and adapts is no choice of words: it always does where the app chooses.
    if (mode.compression === 'stream')
      return mode.period === 1
        ? t('inspector.syncStream', { bits: mode.bits })
        : t('inspector.syncStreamEvery', { bits: mode.bits, period: mode.period });
    const name = syncRow(mode.kind).words[language].label;
    const parts = mode.parts.map((part) => {
      const bits = /^sparse=(.+)$/.exec(part)?.[1];
      return bits === undefined ? part : t('inspector.syncBits', { bits });
    });
    return [mode.value === undefined ? name : `${name} ${mode.value}`, ...parts].join(', ');
  };
}
