import js from '@eslint/js';
import tseslint from 'typescript-eslint';
import { createTypeScriptImportResolver } from 'eslint-import-resolver-typescript';
import importX from 'eslint-plugin-import-x';

/**
 * The floors of the house, lowest first. A file may import from its own floor and the floors below;
 * cycles are refused everywhere.
 */
const floors = [
  [
    'clock',
    'errors',
    'logging',
    'redis',
    'config',
    'database',
    'dns',
    'encryption',
    'links',
    'rendering',
    'providers',
    'egress',
    'queue',
    'stream',
    'health',
    'tracing',
    'openapi',
  ],
  ['organizations', 'campaigns', 'contacts', 'emails', 'domains', 'webhooks', 'events'],
  ['http'],
  ['tracking', 'worker', 'flusher', 'dashboard', 'operator'],
  ['cli', 'roles'],
];

/** Nouns carry their own controllers, so what every controller shares is open to them. */
const openToNouns = ['http'];

const only = (name, message) => ({ name, message });
const library = {
  bullmq: only('bullmq', 'BullMQ is met only in queue/ and worker/.'),
  nestBullmq: only('@nestjs/bullmq', 'BullMQ is met only in queue/ and worker/.'),
  ioredis: only('ioredis', 'Redis is met only in redis/, queue/ and stream/.'),
  nodemailer: only('nodemailer', 'nodemailer is met only in providers/smtp/.'),
};
const allowedLibraries = {
  queue: ['bullmq', 'nestBullmq', 'ioredis'],
  worker: ['bullmq', 'nestBullmq'],
  stream: ['ioredis'],
  redis: ['ioredis'],
  providers: ['nodemailer'],
};
const httpExceptions = only(
  '@nestjs/common',
  'Nouns throw domain errors; HTTP exceptions belong to controllers and http/.',
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

function floorRules() {
  return floors.flatMap((folders, level) =>
    folders.map((folder) => {
      const above = floors.slice(level + 1).flat();
      const forbidden = above.filter((name) => !(level === 1 && openToNouns.includes(name)));
      const paths = Object.entries(library)
        .filter(([key]) => !(allowedLibraries[folder] ?? []).includes(key))
        .map(([, rule]) => rule);
      if (folder !== 'http') paths.push(httpExceptions);
      return {
        files: [`src/${folder}/**/*.ts`],
        rules: {
          'no-restricted-imports': [
            'error',
            {
              paths,
              patterns: forbidden.map((name) => ({
                regex: `^(\\.\\./)+${name}/`,
                message: `${folder}/ lies below ${name}/: imports go down only.`,
              })),
            },
          ],
        },
      };
    }),
  );
}

export default tseslint.config(
  { ignores: ['dist/**', 'node_modules/**', '.mailbeacon/**', 'coverage/**', 'test/fixtures/**'] },
  js.configs.recommended,
  ...tseslint.configs.recommended,
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
    },
  },
  {
    files: ['src/**/*.ts'],
    ignores: ['src/config/**'],
    rules: {
      'no-restricted-properties': [
        'error',
        { object: 'process', property: 'env', message: 'Settings are read once, in config/.' },
      ],
      'no-console': 'error',
    },
  },
  // A command prints its results; a migration is read from top to bottom.
  { files: ['src/cli/**/*.ts'], rules: { 'no-console': 'off' } },
  { files: ['src/database/migrations/*.ts'], rules: { 'max-lines': 'off' } },
  ...floorRules(),
  {
    files: ['scripts/**/*.{js,mjs}', '*.js', '.ci/**'],
    languageOptions: {
      globals: { process: 'readonly', console: 'readonly', setTimeout: 'readonly', URL: 'readonly', fetch: 'readonly' },
    },
  },
);
