export { createClient, type LabClient } from '../../shared/api-client.ts';
export { ApiProvider, useApi } from './context.tsx';
export { pageTransport } from './transports.ts';
export type { MendingTransport, WireStatus } from '../../shared/wire-status.ts';
