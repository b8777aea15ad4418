import { mkdir, rm, writeFile } from 'node:fs/promises';
import { build } from 'esbuild';
import { forNode, leaveOut, PROGRAMS } from './bundling.mjs';

/**
 * Replaces the programs in dist/ with bundles of the modules that they load: a process then reads a few files instead
 * of some two thousand, and needs a third of the processor time to start. The other modules stay in dist/.
 */

/**
 * Modules that the MJML compiler loads for features that this service never uses: minifying, beautifying, reading
 * streams and addresses. They are two thirds of the compiler's code, and half of the time that the first document waits
 * for it.
 */
const UNUSED_BY_MJML = {
  'mjml-core': ['htmlnano', 'cssnano', 'cssnano-preset-lite', 'js-beautify'],
  cheerio: ['undici', 'encoding-sniffer', 'parse5-parser-stream'],
  juice: ['web-resource-inliner'],
};

/** The helper that esbuild adds for `keepNames`. */
const NAME_HELPER = 'var __name = (target, value) => __defProp(target, "name", { value, configurable: true });';
const NAME_OF_CLASS = /\bstatic \{(?<before>\s*)__name\(this, (?<name>"[^"]+")\);(?<after>\s*)\}/g;

await rm('dist/chunks', { recursive: true, force: true });
const { warnings, outputFiles } = await build({
  ...forNode,
  entryPoints: Object.fromEntries(PROGRAMS.map((program) => [program, `dist/${program}.js`])),
  outdir: 'dist',
  chunkNames: 'chunks/[name]-[hash]',
  allowOverwrite: true,
  splitting: true,
  sourcemap: true,
  sourcesContent: false,
  write: false,
  plugins: [leaveOut(UNUSED_BY_MJML), ...forNode.plugins],
  logLevel: 'error',
});
if (!outputFiles.some(({ text }) => text.includes(NAME_HELPER)))
  throw new Error('This version of esbuild names functions in a different way');
await mkdir('dist/chunks');
for (const { path, text } of outputFiles) await writeFile(path, path.endsWith('.js') ? nameOnlyClasses(text) : text);
for (const { text, location } of warnings) console.error(`${location?.file ?? ''}: ${text}`);

/**
 * Classes keep their names, because Nest and TypeORM read them and logs show them. The code that esbuild generates for
 * that is too expensive: it defines the name of a closure each time one is created, and V8 repeatedly fails to optimize
 * functions that create objects of a derived class whose name was defined later. A rendering took three times as long.
 * A getter belongs to its class from the start. Line numbers stay as in the source map.
 */
function nameOnlyClasses(code) {
  return code
    .replace(NAME_HELPER, 'var __name = (target) => target;')
    .replaceAll(NAME_OF_CLASS, 'static get name() {$<before>return $<name>;$<after>}');
}
