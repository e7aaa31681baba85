/** Something of a lab that does not fit a cluster as it was last seen, and its words. Pure. */
import type { Language } from '../base/language.ts';
import { formatDuration } from '../i18n/quantity.ts';
import { say } from '../i18n/say.ts';

type SlurmCode =
  | 'noPartition'
  | 'down'
  | 'noAccount'
  | 'noQos'
  | 'noGpuType'
  | 'time'
  | 'qosTime'
  | 'accountTime'
  | 'tooManyNodes'
  | 'noSuchNode';
type KubernetesCode = 'noRights' | 'noSuchMachine' | 'tooManyPods' | 'quota';

export interface Misfit<Field extends string = string> {
  /** Of `experiment.where`; `nodes`: what is drawn. */
  readonly field: Field;
  readonly code: SlurmCode | KubernetesCode;
  readonly params: Readonly<Record<string, string | number>>;
}

/** What does not fit, and what to do, in words. */
export const describeMisfit = ({ code, params }: Misfit, language: Language): string =>
  say(language, `misfits.${code}`, {
    ...params,
    time: formatDuration(Number(params.minutes ?? 0) * 60, language),
  });
