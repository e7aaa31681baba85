/** The door's public face. */
export {
  createDispatcher,
  type Dispatcher,
  type DispatcherOptions,
  type DispatchNote,
} from './dispatcher.ts';
export { directApi } from './direct.ts';
export type { Handlers, RequestContext } from './handlers.ts';
