/** Public interface of the SSH layer: the pool of connections, host keys, and the user's SSH configuration. */
export type * from './contract.ts';
export type { Prompter } from './login/prompter.ts';
export { agentKeys } from './login/agent.ts';
export { runningAgent } from './login/agent-socket.ts';
export { readClientConfig } from './config/client-config.ts';
export { lastWords } from './channels/exec.ts';
export { fingerprintOf } from './trust/fingerprint.ts';
export {
  createIntake,
  isIntakeStop,
  localFreeBytes,
  needLocalBytes,
  type FreeBytes,
} from './files/local-space.ts';
export { entering } from './session/entering.ts';
export { isConnectionLost } from './session/lost.ts';
export { isRefusal } from './session/refusals.ts';
export { createSshPool } from './session/pool.ts';
export type { SshPoolWithTrust } from './session/pool.ts';
export { processFunctions, sinceBootFunction } from './channels/same-process.ts';
export { createSecretMemory, type SecretMemory } from './login/secret-memory.ts';
export { shellQuote } from './channels/shell-quote.ts';
