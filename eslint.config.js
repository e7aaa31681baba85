import tseslint from 'typescript-eslint';
import house from './scripts/lint/house.mjs';

/**
 * The arrows of the house (ARCHITECTURE.md), held by lint. Each message says where the thing belongs.
 */
const arrow = (group, message) => ({ group, message });
const restrict = (files, patterns, ignores = []) => ({
  files,
  ignores,
  rules: { 'no-restricted-imports': ['error', { patterns }] },
});

const noElectron = arrow(
  ['electron', 'electron/*'],
  'Only src/main/hosts/electron imports electron: put it behind src/main/base/platform.ts.',
);
const noSsh2 = arrow(
  ['ssh2'],
  'Only src/main/ssh and src/main/local import ssh2: use the interfaces of src/main/ssh/index.ts.',
);
const noWs = arrow(['ws'], 'Only src/main/hosts/web imports ws.');
const noHttp = arrow(
  ['http', 'node:http', 'https', 'node:https'],
  'Only src/main/hosts/web and src/main/transfer import http.',
);
const noSqlite = arrow(
  ['node:sqlite'],
  'Only src/main/store opens the database, in its worker: ask src/main/store/index.ts.',
);
const noHosts = arrow(
  ['**/hosts/*', '**/hosts/**'],
  'A service does not know how a window is reached: use src/main/base/platform.ts.',
);
const noRenderer = arrow(
  ['**/renderer/*', '**/renderer/**'],
  'main, preload and renderer never import each other: what they share belongs in src/shared.',
);
const noMain = arrow(
  ['**/main/*', '**/main/**'],
  'main, preload and renderer never import each other: what they share belongs in src/shared.',
);
const noPreload = arrow(
  ['**/preload/*', '**/preload/**'],
  'main, preload and renderer never import each other: what they share belongs in src/shared.',
);
const noNode = arrow(
  ['node:*', 'fs', 'path', 'os', 'child_process', 'crypto', 'net'],
  'This layer is plain TypeScript: what needs Node belongs in src/main.',
);

/**
 * In which order the folders of main and shared stand, from the ground up: each imports only what stands before it. `open`:
 * folders whose files are imported one by one; of the others only index.ts is seen.
 */
const orders = [
  {
    root: 'src/shared',
    levels: [['base'], ['metrics', 'settings'], ['i18n'], ['lab'], ['cost', 'node'], ['run'], ['contract']],
    open: 'all',
  },
  {
    root: 'src/main',
    levels: [
      ['i18n'],
      ['base'],
      ['store', 'rpc'],
      ['lab'],
      ['ssh'],
      ['local'],
      ['net', 'transfer', 'terminal'],
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
      ['steps'],
      ['service'],
    ],
    open: 'all',
  },
  {
    root: 'src/main/run',
    levels: [['record'], ['launch'], ['follow'], ['artifacts'], ['service']],
    open: 'all',
  },
];

const services = orders[1].levels.flat().filter((name) => name !== 'hosts');
const serviceRules = services.map((service) => {
  const patterns = [noElectron, noWs, noHosts, noRenderer, noPreload];
  if (!['ssh', 'local'].includes(service)) patterns.push(noSsh2);
  if (service !== 'transfer') patterns.push(noHttp);
  if (service !== 'store') patterns.push(noSqlite);
  return restrict([`src/main/${service}/**/*.ts`], patterns, ['**/*.test.ts']);
});

/** The charts' own folders. */
const charts = {
  root: 'src/renderer/charts',
  levels: [['scale'], ['series'], ['marks'], ['plot'], ['card'], ['panel']],
  open: 'all',
};

/** In the window: a folder sees the index of those to its left. */
const windowOrder = [
  ['theme', 'api'],
  ['state'],
  ['ui'],
  ['exchange', 'charts', 'terminal'],
  ['commands', 'nodes'],
  ['inspector'],
  ['canvas', 'runs'],
  ['shell'],
];
const notInWindow = [noNode, noMain, noPreload, noElectron, noSsh2, noWs];
const windowInsides = {
  regex: `^(?:\\.\\./)+(?!\\.\\.)(?!(?:i18n|shared|${charts.levels.flat().join('|')})/)[^/]+/(?!index\\.ts$|[A-Za-z-]+\\.module\\.css$)`,
  message: "Import a folder's index.ts, never its insides.",
};
const windowRules = windowOrder.slice(0, -1).flatMap((folders, level) => {
  const beside = (folder) => folders.filter((one) => one !== folder);
  return folders.map((folder) =>
    restrict(
      [`src/renderer/${folder}/**/*.{ts,tsx}`],
      [
        ...notInWindow,
        windowInsides,
        arrow(
          [...windowOrder.slice(level + 1).flat(), ...beside(folder)].flatMap((name) => [
            `../${name}/**`,
            `../../${name}/**`,
          ]),
          `The order in the window is ${windowOrder.map((names) => names.join(', ')).join(' ← ')}: what ${folder} shares with a later folder belongs in ui, or in the earlier of the two.`,
        ),
      ],
      ['**/*.{test,fixture}.{ts,tsx}'],
    ),
  );
});

export default tseslint.config(
  {
    ignores: [
      'dist/',
      'release/',
      'native/',
      'node_modules/',
      '.cache/',
      'test-results/',
      'playwright-report/',
      'ringlab-out/',
    ],
  },
  {
    files: ['src/**/*.{ts,tsx}', 'e2e/**/*.ts', 'bench/**/*.ts'],
    extends: [tseslint.configs.strictTypeChecked],
    languageOptions: { parserOptions: { projectService: true } },
    rules: {
      '@typescript-eslint/restrict-template-expressions': [
        'error',
        { allowNumber: true, allowBoolean: true },
      ],
      '@typescript-eslint/no-confusing-void-expression': ['error', { ignoreArrowShorthand: true }],
      '@typescript-eslint/no-unnecessary-condition': ['error', { allowConstantLoopConditions: true }],
      '@typescript-eslint/consistent-type-imports': 'error',
      '@typescript-eslint/switch-exhaustiveness-check': 'error',
      // Services are objects of closures: their methods need no `this`, so taking one off its object is safe.
      '@typescript-eslint/unbound-method': 'off',
      eqeqeq: 'error',
      'no-console': 'error',
    },
  },
  { files: ['src/main/hosts/cli/**/*.ts', 'bench/**/*.ts', 'e2e/**/*.ts'], rules: { 'no-console': 'off' } },
  {
    files: ['**/*.test.{ts,tsx}', 'e2e/**/*.ts'],
    rules: { '@typescript-eslint/no-non-null-assertion': 'off' },
  },
  { files: ['src/**/*.{ts,tsx}'], plugins: { house }, rules: { 'house/no-cycle': 'error' } },
  {
    files: ['src/{main,shared}/**/*.ts'],
    ignores: ['**/*.{test,fixture}.ts', '**/testing/**', 'src/main/attacks/**'],
    rules: { 'house/order': ['error', orders] },
  },
  {
    files: ['src/renderer/charts/**/*.{ts,tsx}'],
    ignores: ['**/*.test.{ts,tsx}'],
    rules: { 'house/order': ['error', [charts]] },
  },
  restrict(
    ['src/shared/**/*.ts'],
    [
      noNode,
      noMain,
      noRenderer,
      noPreload,
      noElectron,
      noSsh2,
      noWs,
      arrow(['react', 'react-dom', 'zustand'], 'src/shared knows no interface.'),
    ],
    ['**/*.test.ts'],
  ),
  restrict(
    ['src/preload/**/*.ts'],
    [noMain, noRenderer, noSsh2, noWs, arrow(['node:*'], 'The preload is sandboxed: it has no Node.')],
  ),
  restrict(['src/renderer/*.{ts,tsx}', 'src/renderer/{i18n,shell}/**/*.{ts,tsx}'], notInWindow, [
    '**/*.test.{ts,tsx}',
  ]),
  ...windowRules,
  ...serviceRules,
  restrict(
    ['src/main/hosts/electron/**/*.ts'],
    [noSsh2, noWs, noHttp, noSqlite, noRenderer],
    ['**/*.test.ts'],
  ),
  restrict(['src/main/hosts/web/**/*.ts'], [noElectron, noSsh2, noSqlite, noRenderer], ['**/*.test.ts']),
  restrict(
    ['src/main/hosts/cli/**/*.ts'],
    [noElectron, noSsh2, noSqlite, noWs, noHttp, noRenderer],
    ['**/*.test.ts'],
  ),
);
