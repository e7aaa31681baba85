export { Inspector } from './Inspector.tsx';
export { ScriptEditorDialog } from './script/ScriptEditorDialog.tsx';
