/** Recognises that a connection that stood was lost, the node's own or its jump host's, so that work can be repeated on another. */
import { RinglabError } from '../../../shared/base/errors.ts';

/** Whether the error is that loss. A jump host that could not be connected to is none. */
export const isConnectionLost = (error: unknown): boolean =>
  error instanceof RinglabError &&
  (error.code === 'connection_lost' || (error.code === 'jump_failed' && isConnectionLost(error.cause)));
