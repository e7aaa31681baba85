/** Tries the user's patterns on the newest log while they are typed; the trainer on this computer or a node judges. */
import { useEffect, useState } from 'react';
import { toWireError, type WireError } from '../../../shared/base/errors.ts';
import type { TriedPatterns } from '../../../shared/contract/tried-patterns.ts';
import { maxPatterns, type Script } from '../../../shared/lab/script.ts';
import { useApi } from '../../api/index.ts';
import { useLabId } from '../../state/index.ts';

/** After the last key. */
const pauseMs = 300;
type Patterns = NonNullable<Script['patterns']>;

export interface TriedState {
  /** Undefined before the first answer, and without patterns. */
  readonly found: TriedPatterns | undefined;
  readonly problem: WireError | undefined;
  /** Why a pattern is not understood. */
  errorOf(index: number): string | undefined;
}

/** Matches and errors are numbered as in `patterns`. */
export function useTriedPatterns(patterns: Patterns): TriedState {
  const api = useApi();
  const labId = useLabId();
  const [tried, setTried] = useState<{ readonly asked: string; readonly found: TriedPatterns }>();
  const [problem, setProblem] = useState<WireError>();
  const texts = patterns.slice(0, maxPatterns).map(({ pattern }) => pattern);
  const asked = texts.every((text) => text === '') ? '' : JSON.stringify(texts);
  useEffect(() => {
    setProblem(undefined);
    if (asked === '' || labId === undefined) {
      setTried(undefined);
      return undefined;
    }
    const stop = new AbortController();
    const timer = setTimeout(() => {
      api.call('script.tryPatterns', { labId, patterns: texts }, stop.signal).then(
        (found) => setTried({ asked, found }),
        (error: unknown) => {
          if (!stop.signal.aborted) setProblem(toWireError(error));
        },
      );
    }, pauseMs);
    return () => {
      clearTimeout(timer);
      stop.abort();
    };
    // The texts are made at each render: `asked` has them.
  }, [api, labId, asked]);
  const found = tried?.found;
  return {
    found,
    problem,
    // While the next answer is awaited an error of an older text would be about nothing that is seen.
    errorOf: (index) => (tried?.asked === asked ? (found?.errors[index] ?? undefined) : undefined),
  };
}
