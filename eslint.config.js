import { readdirSync } from 'node:fs';
import js from '@eslint/js';
import tseslint from 'typescript-eslint';
import { createTypeScriptImportResolver } from 'eslint-import-resolver-typescript';
import importX from 'eslint-plugin-import-x';
import regexp from 'eslint-plugin-regexp';

/**
 * The layers of src/, lowest first. A file may import from its own layer and the layers below; import cycles
 * are refused everywhere (test/structure/imports.test.ts counts imports of types, too).
 */
const layers = [
  ['platform'],
  ['links', 'rendering', 'providers'],
  [
    'organizations',
    'campaigns',
    'contacts',
    'emails',
    'domains',
    'webhooks',
    'events',
    'suppressions',
    'broadcasts',
    'templates',
    'users',
  ],
  ['embedded'],
  ['cli', 'roles'],
];

const unplaced = readdirSync(new URL('src', import.meta.url)).filter((folder) => !layers.flat().includes(folder));
if (unplaced.length > 0) throw new Error(`Put these folders of src/ into a layer: ${unplaced.join(', ')}`);

const only = (name, message) => ({ name, message });
/** Libraries that few folders import, and those folders. A folder that stands for its subfolders comes first. */
const libraries = [
  {
    rules: [
      only('bullmq', 'BullMQ is imported only in platform/queue/ and roles/worker/.'),
      only('@nestjs/bullmq', 'BullMQ is imported only in platform/queue/ and roles/worker/.'),
    ],
    allowed: ['platform/queue', 'roles/worker'],
  },
  {
    rules: [only('ioredis', 'Redis is imported only in platform/redis/, platform/queue/ and events/stream/.')],
    allowed: ['platform/redis', 'platform/queue', 'events/stream'],
  },
  {
    rules: [only('nodemailer', 'nodemailer is imported only in providers/smtp/.')],
    allowed: ['providers/smtp'],
  },
  {
    rules: [
      only('smtp-server', 'smtp-server is imported only by the SMTP listeners.'),
      only('postal-mime', 'postal-mime is imported only by the SMTP listeners.'),
    ],
    allowed: ['platform/smtp-server', 'events/feedback/smtp', 'emails/submission'],
  },
];
const httpExceptions = only(
  '@nestjs/common',
  'Nouns throw domain errors; HTTP exceptions belong to controllers and platform/http/.',
);
httpExceptions.importNames = [
  'HttpException',
  'BadRequestException',
  'UnauthorizedException',
  'ForbiddenException',
  'NotFoundException',
  'ConflictException',
  'InternalServerErrorException',
];

function layerRules() {
  const subfolders = libraries.flatMap(({ allowed }) => allowed).filter((folder) => folder.includes('/'));
  // Of the rules that fit a file the last one counts: folders before the folders inside them.
  return [...layers.flat(), ...subfolders, 'platform/http'].map((folder) => {
    const top = folder.split('/')[0];
    const level = layers.findIndex((names) => names.includes(top));
    const paths = libraries.filter(({ allowed }) => !allowed.includes(folder)).flatMap(({ rules }) => rules);
    if (folder !== 'platform/http') paths.push(httpExceptions);
    const above = layers.slice(level + 1).flat();
    const patterns = above.map((name) => ({
      regex: `^(\\.\\./)+${name}/`,
      message: `${top}/ lies below ${name}/: imports go down only.`,
    }));
    return {
      files: [`src/${folder}/**/*.ts`],
      rules: { 'no-restricted-imports': ['error', { paths, patterns }] },
    };
  });
}

export default tseslint.config(
  { ignores: ['**/dist/**', 'node_modules/**', '.mailbeacon/**', 'coverage/**', 'test/fixtures/**'] },
  js.configs.recommended,
  ...tseslint.configs.recommended,
  {
    ignores: ['packages/client/src/api-types.ts'],
    // Prettier wraps the code, and leaves strings and comments as they are.
    rules: { 'max-len': ['error', { code: 1_000, comments: 120, ignoreUrls: true }] },
  },
  {
    files: ['**/*.ts'],
    languageOptions: { parserOptions: { project: './tsconfig.check.json' } },
    plugins: { 'import-x': importX },
    settings: {
      ...importX.flatConfigs.typescript.settings,
      'import-x/resolver-next': [createTypeScriptImportResolver({ project: './tsconfig.check.json' })],
    },
    rules: {
      '@typescript-eslint/no-floating-promises': 'error',
      '@typescript-eslint/switch-exhaustiveness-check': ['error', { considerDefaultExhaustiveForUnions: true }],
      '@typescript-eslint/no-explicit-any': 'error',
      'import-x/no-default-export': 'error',
      'import-x/no-cycle': 'error',
      'max-lines': ['error', { max: 200, skipComments: true, skipBlankLines: true }],
      'no-restricted-syntax': [
        'error',
        {
          selector: "MemberExpression[object.name='URL'][property.name='canParse']",
          message: 'Once optimized, it rejects Latin-1 letters in Node 20: use platform/addresses/parse-url.ts.',
        },
      ],
    },
  },
  {
    files: ['src/**/*.ts'],
    ignores: ['src/platform/config/**', 'src/embedded/**'],
    rules: {
      'no-restricted-properties': [
        'error',
        { object: 'process', property: 'env', message: 'Settings are read once, in platform/config/.' },
      ],
      'no-console': 'error',
    },
  },
  // All lines count: a file that is long with its comments is long for its reader.
  { files: ['src/**/*.ts', 'packages/*/src/**/*.{ts,tsx}'], rules: { 'max-lines': ['error', 200] } },
  // A command prints its results; a migration is read from top to bottom.
  { files: ['src/cli/**/*.ts'], rules: { 'no-console': 'off' } },
  { files: ['src/platform/database/migrations/*.ts'], rules: { 'max-lines': 'off' } },
  {
    files: ['packages/dashboard/src/**/*.{ts,tsx}'],
    languageOptions: { parserOptions: { project: './packages/dashboard/tsconfig.json' } },
    rules: {
      '@typescript-eslint/no-floating-promises': 'error',
      // A page is the default export of its file, because that is what loads lazily.
      'import-x/no-default-export': 'off',
    },
  },
  // Written by npm run docs.
  { files: ['packages/client/src/api-types.ts'], rules: { 'max-lines': 'off' } },
  {
    // A regex whose time grows with the square of its input lets one request freeze the thread that serves everybody.
    files: ['src/**/*.ts', 'packages/*/src/**/*.{ts,tsx}'],
    plugins: { regexp },
    rules: {
      'regexp/no-super-linear-backtracking': ['error', { report: 'potential' }],
      'regexp/no-super-linear-move': ['error', { report: 'potential', ignorePartial: false, ignoreSticky: false }],
    },
  },
  ...layerRules(),
  {
    files: ['scripts/**/*.{js,mjs}', 'packages/*/*.mjs', '*.js', '.ci/**'],
    languageOptions: {
      globals: { process: 'readonly', console: 'readonly', setTimeout: 'readonly', URL: 'readonly', fetch: 'readonly' },
    },
  },
  {
    files: ['test/containers/*.mjs'],
    languageOptions: { globals: { AbortSignal: 'readonly', console: 'readonly', fetch: 'readonly' } },
  },
);
