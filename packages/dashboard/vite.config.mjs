import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { brotliCompressSync, gzipSync } from 'node:zlib';
import { defineConfig } from 'vite';

/** In development, `npx vite packages/dashboard` shows the page and passes requests on to a running service. */
const SERVICE = 'http://127.0.0.1:3000';

/** Compresses each file once with high quality, so that no process has to do it at its start. */
const compressed = {
  name: 'compressed',
  writeBundle({ dir }, bundle) {
    for (const name of Object.keys(bundle)) {
      const path = join(dir, name);
      writeFileSync(`${path}.br`, brotliCompressSync(readFileSync(path)));
    }
  },
};

/** Maximum compressed size of scripts that the overview loads before it shows anything. */
const FIRST_PAGE_BYTES = 100_000;

/** Fails the build when the first page exceeds the limit. */
const firstPage = {
  name: 'first-page',
  generateBundle(_, bundle) {
    const chunks = Object.values(bundle).filter(({ type }) => type === 'chunk');
    const loaded = new Set();
    const load = (name) => {
      if (loaded.has(name)) return;
      loaded.add(name);
      bundle[name].imports.filter((imported) => imported in bundle).forEach(load);
    };
    const [entry, overview] = [
      chunks.find(({ isEntry }) => isEntry),
      chunks.find(({ facadeModuleId }) => facadeModuleId?.endsWith('pages/overview.tsx')),
    ];
    if (!entry || !overview)
      this.error('The build has no entry or no overview, so the size of the first page is unknown.');
    [entry, overview].forEach(({ fileName }) => load(fileName));
    const bytes = [...loaded].reduce((sum, name) => sum + gzipSync(bundle[name].code).length, 0);
    this.info(`First page: ${bytes} bytes of scripts, compressed`);
    if (bytes > FIRST_PAGE_BYTES)
      this.error(`The first page loads ${bytes} bytes of scripts, ${FIRST_PAGE_BYTES} at most.`);
  },
};

export default defineConfig({
  root: fileURLToPath(new URL('.', import.meta.url)),
  // Preact as React's JSX runtime, without a plug-in.
  oxc: { jsx: { runtime: 'automatic', importSource: 'preact' } },
  plugins: [compressed, firstPage],
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
