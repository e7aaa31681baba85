/** Public interface of the inspector: the fields of what is selected, and the editor of an own script. */
export { Inspector } from './Inspector.tsx';
export { ScriptEditorDialog } from './script/ScriptEditorDialog.tsx';
