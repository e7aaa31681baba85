/** LabApi in process, for the command line: the same validation of arguments, the same errors. */
import type {
  AnyEvent,
  CancelSignal,
  LabApi,
  RequestArgs,
  RequestName,
  RequestResult,
} from '../../shared/contract/api.ts';
import { fromWireError, RinglabError, toWireError } from '../../shared/base/errors.ts';
import type { EventLog } from '../base/events.ts';
import { checkResultsByDefault } from './dispatcher.ts';
import { invoke, type Handlers } from './handlers.ts';

export function directApi(handlers: Handlers, events: Pick<EventLog, 'subscribe'>): LabApi {
  return {
    call: <N extends RequestName>(name: N, args: RequestArgs<N>, signal?: CancelSignal) =>
      new Promise<RequestResult<N>>((resolve, reject) => {
        const abort = new AbortController();
        const cancel = (): void => {
          const cancelled = new RinglabError('cancelled');
          abort.abort(cancelled);
          reject(cancelled);
        };
        if (signal?.aborted === true) {
          cancel();
          return;
        }
        signal?.addEventListener('abort', cancel);
        invoke(handlers, name, args, { signal: abort.signal }, checkResultsByDefault())
          .then(
            // The result is of the handler with this name.
            (value) => resolve(value as RequestResult<N>),
            (error: unknown) =>
              reject(error instanceof RinglabError ? error : fromWireError(toWireError(error))),
          )
          .finally(() => signal?.removeEventListener('abort', cancel));
      }),
    subscribe: (listener: (event: AnyEvent) => void) => events.subscribe(listener),
  };
}
