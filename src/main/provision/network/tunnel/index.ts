/** Public interface of WireGuard tunnels between a lab's nodes. */
export { interfaceName, PublicKey, tunnelFolder, wantsTunnel } from './names.ts';
export { defaultPort } from './plan.ts';
export { raiseTunnel } from './raise.ts';
export { keyScript, listTunnels, raiseScript, removeTunnels, statusScript, tunnelInUse } from './scripts.ts';
