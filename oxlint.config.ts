/** Lint with types, and which layer may import which package (ARCHITECTURE.md). Each message says where the code belongs. */
import { defineConfig, type OxlintOverride } from 'oxlint';
import { orders } from './scripts/lint/orders.mjs';

const arrow = (group: string[], message: string) => ({ group, message });
const restrict = (
  files: string[],
  patterns: ReturnType<typeof arrow>[],
  excludeFiles: string[] = [],
): OxlintOverride => ({
  files,
  excludeFiles,
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
const noKubernetes = arrow(
  ['@kubernetes/client-node'],
  'Only src/main/kubernetes imports the client: use the interfaces of src/main/kubernetes/index.ts.',
);
const noWs = arrow(['ws'], 'Only src/main/hosts/web and src/main/kubernetes import ws.');
const noHttp = arrow(
  ['http', 'node:http', 'https', 'node:https'],
  'Only src/main/hosts/web, src/main/transfer and src/main/kubernetes import http.',
);
const noSqlite = arrow(
  ['node:sqlite'],
  'Only src/main/store opens the database, in its worker: ask src/main/store/index.ts.',
);
const noHosts = arrow(
  ['**/hosts/*', '**/hosts/**'],
  'A service does not know how a window is reached: use src/main/base/platform.ts.',
);
const notFrom = (layer: string) =>
  arrow(
    [`**/${layer}/*`, `**/${layer}/**`],
    'main, preload and renderer never import each other: what they share belongs in src/shared.',
  );
const noRenderer = notFrom('renderer');
const noMain = notFrom('main');
const noPreload = notFrom('preload');
const noNode = arrow(
  ['node:*', 'fs', 'path', 'os', 'child_process', 'crypto', 'net'],
  'This layer is plain TypeScript: what needs Node belongs in src/main.',
);

const services = orders
  .filter(({ root }) => root === 'src/main')
  .flatMap(({ levels }) => levels.flat())
  .filter((name) => name !== 'hosts');
const serviceRules = services.map((service) => {
  const patterns = [noElectron, noHosts, noRenderer, noPreload];
  if (!['ssh', 'local'].includes(service)) patterns.push(noSsh2);
  if (!['transfer', 'kubernetes'].includes(service)) patterns.push(noHttp);
  if (service !== 'kubernetes') patterns.push(noKubernetes, noWs);
  if (service !== 'store') patterns.push(noSqlite);
  return restrict([`src/main/${service}/**/*.ts`], patterns, ['**/*.test.ts']);
});

const notInWindow = [noNode, noMain, noPreload, noElectron, noSsh2, noWs];

export default defineConfig({
  plugins: ['typescript'],
  categories: { correctness: 'off' },
  options: { typeAware: true, typeCheck: true, denyWarnings: true, reportUnusedDisableDirectives: 'error' },
  rules: {
    // What typescript-eslint calls strict, with types.
    'no-var': 'error',
    'prefer-const': 'error',
    'prefer-rest-params': 'error',
    'prefer-spread': 'error',
    'typescript/await-thenable': 'error',
    'typescript/ban-ts-comment': ['error', { minimumDescriptionLength: 10 }],
    'typescript/no-array-constructor': 'error',
    'typescript/no-array-delete': 'error',
    'typescript/no-base-to-string': 'error',
    'typescript/no-confusing-void-expression': ['error', { ignoreArrowShorthand: true }],
    'typescript/no-deprecated': 'error',
    'typescript/no-duplicate-enum-values': 'error',
    'typescript/no-duplicate-type-constituents': 'error',
    'typescript/no-dynamic-delete': 'error',
    'typescript/no-empty-object-type': 'error',
    'typescript/no-explicit-any': 'error',
    'typescript/no-extra-non-null-assertion': 'error',
    'typescript/no-extraneous-class': 'error',
    'typescript/no-floating-promises': 'error',
    'typescript/no-for-in-array': 'error',
    'typescript/no-generated-empty-object-type': 'error',
    'typescript/no-implied-eval': 'error',
    'typescript/no-invalid-void-type': 'error',
    'typescript/no-meaningless-void-operator': 'error',
    'typescript/no-misused-new': 'error',
    'typescript/no-misused-promises': 'error',
    'typescript/no-misused-spread': 'error',
    'typescript/no-mixed-enums': 'error',
    'typescript/no-namespace': 'error',
    'typescript/no-non-null-asserted-nullish-coalescing': 'error',
    'typescript/no-non-null-asserted-optional-chain': 'error',
    'typescript/no-non-null-assertion': 'error',
    'typescript/no-redundant-type-constituents': 'error',
    'typescript/no-require-imports': 'error',
    'typescript/no-this-alias': 'error',
    'typescript/no-unnecessary-boolean-literal-compare': 'error',
    'typescript/no-unnecessary-condition': ['error', { allowConstantLoopConditions: true }],
    'typescript/no-unnecessary-template-expression': 'error',
    'typescript/no-unnecessary-type-arguments': 'error',
    'typescript/no-unnecessary-type-assertion': 'error',
    'typescript/no-unnecessary-type-constraint': 'error',
    'typescript/no-unnecessary-type-conversion': 'error',
    'typescript/no-unnecessary-type-parameters': 'error',
    'typescript/no-unsafe-argument': 'error',
    'typescript/no-unsafe-assignment': 'error',
    'typescript/no-unsafe-call': 'error',
    'typescript/no-unsafe-declaration-merging': 'error',
    'typescript/no-unsafe-enum-comparison': 'error',
    'typescript/no-unsafe-function-type': 'error',
    'typescript/no-unsafe-member-access': 'error',
    'typescript/no-unsafe-return': 'error',
    'typescript/no-unsafe-unary-minus': 'error',
    'typescript/no-unused-expressions': 'error',
    'typescript/no-unused-vars': 'error',
    'typescript/no-useless-constructor': 'error',
    'typescript/no-useless-default-assignment': 'error',
    'typescript/no-wrapper-object-types': 'error',
    'typescript/only-throw-error': 'error',
    'typescript/prefer-as-const': 'error',
    'typescript/prefer-literal-enum-member': 'error',
    'typescript/prefer-namespace-keyword': 'error',
    'typescript/prefer-promise-reject-errors': 'error',
    'typescript/prefer-reduce-type-parameter': 'error',
    'typescript/prefer-return-this-type': 'error',
    'typescript/related-getter-setter-pairs': 'error',
    'typescript/require-await': 'error',
    'typescript/restrict-plus-operands': [
      'error',
      {
        allowAny: false,
        allowBoolean: false,
        allowNullish: false,
        allowNumberAndString: false,
        allowRegExp: false,
      },
    ],
    'typescript/restrict-template-expressions': ['error', { allowNumber: true, allowBoolean: true }],
    'typescript/return-await': ['error', 'error-handling-correctness-only'],
    'typescript/triple-slash-reference': 'error',
    'typescript/unified-signatures': 'error',
    'typescript/use-unknown-in-catch-callback-variable': 'error',
    // Beyond that.
    'typescript/consistent-type-imports': 'error',
    'typescript/switch-exhaustiveness-check': 'error',
    // Not unbound-method: services are objects of closures, whose methods need no `this`.
    eqeqeq: 'error',
    'no-console': 'error',
  },
  overrides: [
    { files: ['src/main/hosts/cli/**/*.ts', 'bench/**/*.ts', 'e2e/**/*.ts'], rules: { 'no-console': 'off' } },
    {
      files: ['**/*.test.{ts,tsx}', 'e2e/**/*.ts'],
      rules: { 'typescript/no-non-null-assertion': 'off' },
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
    restrict(['src/renderer/**/*.{ts,tsx}'], notInWindow, ['**/*.{test,fixture}.{ts,tsx}']),
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
  ],
});
