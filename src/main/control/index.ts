/** Public interface of the local control channel. */
export { connectControl, type ControlClient } from './connect.ts';
export { serveControl, type Control } from './server.ts';
