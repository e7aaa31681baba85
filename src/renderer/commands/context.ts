/** The functions of the window that commands use. */
import { useMemo } from 'react';
import { useTranslation } from 'react-i18next';
import { useApi } from '../api/index.ts';
import type { CommandContext } from './command.ts';
import { useLabActions } from './lab-actions.ts';

export function useCommandContext(): CommandContext {
  const api = useApi();
  const { t } = useTranslation();
  const labs = useLabActions();
  return useMemo(() => ({ api, t, labs }), [api, t, labs]);
}
