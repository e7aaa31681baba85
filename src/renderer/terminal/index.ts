/** Public interface of the terminals on nodes. */
export { TerminalPanel } from './TerminalPanel.tsx';
export { followTerminals, openTerminal, showTerminals, useTabs } from './tabs.ts';
