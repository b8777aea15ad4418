import { readdirSync, readFileSync } from 'node:fs';
import { extname, join } from 'node:path';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { acceptsPage } from '../../platform/http/accepts-page.js';
import { refuseUnknownPath } from '../../platform/http/unknown-paths.js';

/** The output folder of the dashboard's build. The sources and their build output have the same folder depth. */
const DASHBOARD_DIRECTORY = join(import.meta.dirname, '..', '..', '..', 'dist', 'dashboard');

/** The sections of the dashboard: the first path segments of its pages. */
const SECTIONS = [
  'emails',
  'campaigns',
  'broadcasts',
  'templates',
  'contacts',
  'suppressions',
  'domains',
  'providers',
  'webhooks',
  'keys',
  'people',
  'audit',
  'settings',
];
const PAGES = [
  ...['/', '/sign-in', '/set-password', '/domains/tracking/:id'],
  ...SECTIONS.flatMap((name) => [`/${name}`, `/${name}/:id`]),
];

/** Paths of clients that are no browsers, whatever they accept. */
const OTHER_PATHS = /^\/(api|docs|health|v3)([/?]|$)/;

/** Allows nothing inline and nothing from other origins; no other site may frame a page or receive a form. */
const POLICY =
  "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; " +
  "frame-src 'self'; base-uri 'none'; form-action 'self'; frame-ancestors 'none'";
const PAGE_HEADERS = {
  'cache-control': 'no-cache',
  'content-security-policy': POLICY,
  'referrer-policy': 'no-referrer',
  'cross-origin-opener-policy': 'same-origin',
};
/** The names of assets contain a hash of their content. */
const ASSET_CACHE = 'public, max-age=31536000, immutable';

/** Next to each file is a copy compressed with Brotli. */
const COMPRESSED = '.br';
/** RFC 9110, 12.5.3: `br`, unless its weight is 0. */
const ACCEPTS_BROTLI = /(?:^|,)\s*br\s*(?:,|$|;\s*q=(?!0(?:\.0*)?\s*(?:,|$)))/i;
const TYPES: Readonly<Record<string, string>> = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.svg': 'image/svg+xml',
};

interface StaticFile {
  readonly type: string;
  readonly content: Buffer;
  readonly compressed: Buffer;
}

/**
 * Serves the dashboard. Its files are small and few, and all requests share one buffer of each: a request without a
 * key, least of all a slow one, costs no file handle and no copy.
 * @param host where people use it: at other names of the service, such as tracking domains, unknown paths have no page
 * @param directory the output of Vite; without it there is no dashboard
 */
export function serveDashboard(fastify: FastifyInstance, host: string, directory = DASHBOARD_DIRECTORY): void {
  const page = readFile(directory, 'index.html');
  if (!page) return;
  for (const path of PAGES) {
    fastify.get(path, (request, reply) => {
      if (isOfProgram(request)) return refuseUnknownPath(request, reply);
      return respond(request, reply.headers(PAGE_HEADERS), page);
    });
  }
  // The page says that there is no such page.
  fastify.decorate('respondToUnknownPath', (request: FastifyRequest, reply: FastifyReply) => {
    if (!isOfBrowser(request) || request.hostname !== host) return false;
    void respond(request, reply.status(404).headers(PAGE_HEADERS), page, 'accept, accept-encoding');
    return true;
  });
  const assets = readdirSync(join(directory, 'assets')).filter((name) => !name.endsWith(COMPRESSED));
  for (const name of assets) {
    const file = readFile(directory, join('assets', name))!;
    fastify.get(`/assets/${name}`, (request, reply) =>
      respond(request, reply.header('cache-control', ASSET_CACHE), file),
    );
  }
}

/**
 * Resend's libraries read emails, domains and broadcasts at the same paths, which we do not offer. A proxy that signs
 * people in may add a token to the requests of browsers, too.
 */
function isOfProgram({ headers }: FastifyRequest): boolean {
  return /^bearer /i.test(headers.authorization ?? '') && !acceptsPage(headers);
}

function isOfBrowser({ method, url, headers }: FastifyRequest): boolean {
  return (method === 'GET' || method === 'HEAD') && !OTHER_PATHS.test(url) && acceptsPage(headers);
}

function respond(
  request: FastifyRequest,
  reply: FastifyReply,
  { type, content, compressed }: StaticFile,
  vary = 'accept-encoding',
): FastifyReply {
  void reply.type(type).header('vary', vary);
  if (!ACCEPTS_BROTLI.test(request.headers['accept-encoding'] ?? '')) return reply.send(content);
  return reply.header('content-encoding', 'br').send(compressed);
}

function readFile(directory: string, name: string): StaticFile | undefined {
  try {
    const [content, compressed] = [name, `${name}${COMPRESSED}`].map((file) => readFileSync(join(directory, file)));
    return { type: TYPES[extname(name)] ?? 'application/octet-stream', content: content!, compressed: compressed! };
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw error;
  }
}
