/** The local control channel's public face. */
export { connectControl, type ControlClient } from './connect.ts';
export { serveControl, type Control } from './server.ts';
