/** The local control channel's public face. */
export { connectControl, type ConnectOptions, type ControlClient } from './connect.ts';
export { serveControl, type Control, type ControlOptions } from './server.ts';
