/** Public interface of the actions on runs in lists and tables: menus, groups and colours. */
export { groupRuns, groupings, spreadOf } from './run-groups.ts';
export { RunColourPicker } from './RunColourPicker.tsx';
export { runMenu } from './run-menu.ts';
export { useRunMenu } from './use-run-menu.tsx';
export { useRunActions } from './use-run-actions.tsx';
