/** What nodes without internet need, prepared beforehand. What makes it stands above the runtimes: `make.ts`. */
export { planCondaPackages, sendCondaPackages } from '../runtime/conda-part.ts';
export type { BundleStore } from './store.ts';
