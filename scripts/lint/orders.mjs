/**
 * In which order the folders of `src` stand, from the ground up (ARCHITECTURE.md): each imports only what stands before it, and not
 * its neighbours. `open`: folders whose files are imported one by one, and single files; of all others only index.ts is.
 *
 * @typedef {object} Order
 * @property {string} root
 * @property {readonly (readonly string[])[]} levels
 * @property {'all' | readonly string[]} open
 */

/** @type {readonly Order[]} */
export const orders = [
  {
    root: 'src/shared',
    levels: [
      ['base'],
      ['metrics', 'settings'],
      ['i18n'],
      ['lab'],
      ['cost', 'node'],
      ['drawing', 'run'],
      ['contract'],
    ],
    open: 'all',
  },
  {
    root: 'src/main',
    levels: [
      ['i18n'],
      ['base'],
      ['store', 'rpc'],
      ['lab'],
      ['ssh', 'kubernetes'],
      ['local'],
      ['net', 'transfer', 'terminal'],
      ['code'],
      ['provision'],
      ['run'],
      ['notify', 'control'],
      ['app'],
      ['hosts'],
    ],
    open: ['base', 'app'],
  },
  {
    root: 'src/main/ssh',
    levels: [
      ['contract'],
      ['config', 'trust'],
      ['login'],
      ['connection'],
      ['channels'],
      ['files'],
      ['session'],
    ],
    open: 'all',
  },
  {
    root: 'src/main/provision',
    levels: [
      ['node', 'diagnoses'],
      ['bundle'],
      ['engine'],
      ['download'],
      ['runtime', 'data', 'driver', 'network'],
      ['trainer'],
      ['script'],
      ['steps'],
      ['service'],
    ],
    open: 'all',
  },
  {
    root: 'src/main/run',
    levels: [['record'], ['launch'], ['follow'], ['artifacts', 'recovery'], ['service']],
    open: 'all',
  },
  {
    root: 'src/renderer',
    levels: [
      ['i18n'],
      ['theme', 'api'],
      ['state'],
      ['ui'],
      ['exchange', 'charts', 'terminal'],
      ['commands', 'nodes'],
      ['inspector'],
      ['canvas', 'runs'],
      ['shell'],
      ['start'],
      ['main'],
    ],
    open: [
      'i18n',
      'shell',
      'start',
      // Pure functions, which a worker imports: state's index.ts would start its stores there.
      'state/arrange.ts',
      'state/lab-edit.ts',
      'state/new-parts.ts',
      // Loaded when they are first shown.
      'runs/dialogs/index.ts',
      'runs/dock/index.ts',
      'ui/editor/script-view.ts',
    ],
  },
  {
    root: 'src/renderer/charts',
    levels: [['scale'], ['series'], ['marks'], ['plot'], ['card'], ['scalars'], ['media'], ['panel']],
    open: 'all',
  },
];
