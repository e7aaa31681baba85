export type * from './service/contract.ts';
export { createProvisioner, type ProvisionerOptions } from './service/provisioner.ts';
export { describeBinary } from './trainer/trainer-shelf.ts';
export { diagnose } from './diagnoses/diagnoses.ts';
export { tunnelFolder } from './network/tunnel/index.ts';
