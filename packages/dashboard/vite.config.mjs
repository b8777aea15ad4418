import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { brotliCompressSync } from 'node:zlib';
import { defineConfig } from 'vite';

/** In development, `npx vite packages/dashboard` shows the page and passes requests on to a running service. */
const SERVICE = 'http://127.0.0.1:3000';

/** Compresses each file once and well, so that no process does it at its start. */
const compressed = {
  name: 'compressed',
  writeBundle({ dir }, bundle) {
    for (const name of Object.keys(bundle)) {
      const path = join(dir, name);
      writeFileSync(`${path}.br`, brotliCompressSync(readFileSync(path)));
    }
  },
};

export default defineConfig({
  root: fileURLToPath(new URL('.', import.meta.url)),
  // Preact as React's JSX runtime, without a plug-in.
  oxc: { jsx: { runtime: 'automatic', importSource: 'preact' } },
  plugins: [compressed],
  build: {
    outDir: fileURLToPath(new URL('../../dist/dashboard', import.meta.url)),
    emptyOutDir: true,
    target: 'es2022',
    // A data URL would need an exception in the policy of the page.
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
  },
  server: { proxy: { '/api': SERVICE, '/openapi.json': SERVICE } },
});
