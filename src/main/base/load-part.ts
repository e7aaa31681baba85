/** Loads parts of the program that few need, when they are first used. */
import { RinglabError } from '../../shared/base/errors.ts';

/** Rejects with `program_replaced` where an update has removed the part since the program's start. */
export const loadPart = <T>(load: () => Promise<T>): Promise<T> =>
  load().catch((error: unknown) => {
    const gone = error instanceof Error && 'code' in error && error.code === 'ERR_MODULE_NOT_FOUND';
    throw gone ? new RinglabError('program_replaced', {}, { cause: error }) : error;
  });
