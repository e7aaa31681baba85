export type * from './contract.ts';
export { createProvisioner, type ProvisionerOptions } from './provisioner.ts';
export { describeBinary } from './trainer-shelf.ts';
export { diagnose } from './diagnoses.ts';
export { tunnelFolder } from './tunnel/index.ts';
