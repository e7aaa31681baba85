/** How the window reaches the services: the client of the API, and the transport it uses. */
export { createClient, type LabClient } from '../../shared/contract/api-client.ts';
export { ApiProvider, useApi } from './context.tsx';
export { loadPart } from './load-part.ts';
export { gated } from './gate.ts';
export { poll, pollEach } from './poll.ts';
export { pageTransport } from './transports.ts';
export type { WireStatus } from '../../shared/contract/wire-status.ts';
