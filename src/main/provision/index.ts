/** Public interface of the provisioner, which brings nodes from bare to ready. */
export type * from './service/contract.ts';
export { createProvisioner } from './service/provisioner.ts';
export { diagnose } from './diagnoses/diagnoses.ts';
export { tunnelFolder } from './network/tunnel/index.ts';
export { removeUnusedWheels } from './runtime/index.ts';
