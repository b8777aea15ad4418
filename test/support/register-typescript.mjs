import { register } from 'node:module';

// `node --import ./test/support/register-typescript.mjs file.ts` runs a TypeScript file without a build.
register('./typescript-hooks.mjs', import.meta.url);
