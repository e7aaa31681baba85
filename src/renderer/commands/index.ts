/** Public interface of the user commands, from which keys, menus and the command palette are made. */
export { isPressed, keysInWords, type CommandContext, type CommandId } from './command.ts';
export { CommandItems, CommandMenuAt, type MenuPoint } from './CommandMenu.tsx';
export { useClipboard } from './clipboard.ts';
export { useCommandContext } from './context.ts';
export { removeAndNotify } from './edit-commands.ts';
export { useLabActions } from './lab-actions.ts';
export { putLink } from './link-commands.ts';
export { commandOf, commands } from './list.ts';
export { rejoin, resume } from './run-commands.ts';
export { changeSettings } from './view-commands.ts';
