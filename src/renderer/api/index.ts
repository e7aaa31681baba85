export { createClient, type LabClient } from './client.ts';
export { ApiProvider, useApi } from './context.tsx';
export { pageTransport } from './transports.ts';
export type { WindowTransport, WireStatus } from './wire-status.ts';
