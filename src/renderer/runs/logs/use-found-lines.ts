/** The lines of all ranks' logs that contain a text, asked for again while the logs grow: one request at a time. */
import { useEffect, useState } from 'react';
import type { RequestResult } from '../../../shared/contract/api.ts';
import { toWireError, type WireError } from '../../../shared/base/errors.ts';
import { isUnderWay, type RunRecord } from '../../../shared/run/run.ts';
import { useApi } from '../../api/index.ts';
import { subscribeLog } from '../../state/index.ts';

const maxLines = 2000;
/** Debounces the search while the user types and while logs grow. */
const typingMs = 200;
const growingMs = 1500;

interface FoundLines {
  readonly found: RequestResult<'log.search'> | undefined;
  readonly error: WireError | undefined;
}

/** @param text all lines for an empty one */
export function useFoundLines({ id: runId, state }: RunRecord, text: string): FoundLines {
  const api = useApi();
  const [found, setFound] = useState<FoundLines['found']>();
  const [error, setError] = useState<WireError>();
  const grows = isUnderWay(state);
  useEffect(() => {
    const stop = new AbortController();
    let timer: ReturnType<typeof setTimeout> | undefined;
    // A search reads the logs whole, which may take longer than they take to grow.
    let isAsking = false;
    let hasGrown = false;
    /** Their copies are full: what they grow by is not searched. */
    let beyond: readonly number[] = [];
    /** A function, so that the compiler does not narrow it: it changes while `ask` waits. */
    const grown = (): boolean => hasGrown;
    const askIn = (milliseconds: number): void => {
      timer ??= setTimeout(() => {
        timer = undefined;
        void ask();
      }, milliseconds);
    };
    const ask = async (): Promise<void> => {
      isAsking = true;
      hasGrown = false;
      try {
        const answer = await api.call('log.search', { runId, text, limit: maxLines }, stop.signal);
        beyond = answer.beyond?.ranks ?? [];
        setFound(answer);
        setError(undefined);
      } catch (caught) {
        if (!stop.signal.aborted) setError(toWireError(caught));
      }
      isAsking = false;
      if (grown() && !stop.signal.aborted) askIn(growingMs);
    };
    askIn(typingMs);
    const unsubscribe = grows
      ? subscribeLog(runId, ({ rank }) => {
          if (beyond.includes(rank)) return;
          if (isAsking) hasGrown = true;
          else askIn(growingMs);
        })
      : undefined;
    return () => {
      stop.abort();
      clearTimeout(timer);
      unsubscribe?.();
    };
  }, [api, runId, text, grows]);
  return { found, error };
}
