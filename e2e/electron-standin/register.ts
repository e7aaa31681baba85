/** `node --import register.ts dist/main/electron.js`: makes the host's import of `electron` load the fake. */
import { registerHooks } from 'node:module';

const standIn = new URL('./electron-module.ts', import.meta.url).href;

registerHooks({
  resolve: (specifier, context, next) =>
    specifier === 'electron' ? { url: standIn, shortCircuit: true } : next(specifier, context),
});
