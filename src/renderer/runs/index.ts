export { RunDock } from './dock/index.ts';
