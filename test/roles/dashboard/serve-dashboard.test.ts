import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { brotliDecompressSync, gzipSync } from 'node:zlib';
import Fastify, { type FastifyInstance } from 'fastify';
import { serveDashboard } from '../../../src/roles/dashboard/serve-dashboard.js';

const BUILT = join(import.meta.dirname, '../../../dist/dashboard');
const MAX_FIRST_SCRIPT_BYTES = 100 * 1024;

let fastify: FastifyInstance;

beforeAll(() => {
  fastify = Fastify();
  serveDashboard(fastify, 'localhost');
});

afterAll(() => fastify.close());

function assetsOf(page: string): string[] {
  return [...page.matchAll(/(?:src|href)="(\/assets\/[^"]+)"/g)].map(([, path]) => path!);
}

describe('the dashboard', () => {
  it.each(['/', '/sign-in', '/emails', '/emails/0190f3a4-7c1e-7a52-9c63-5d2a8a1b4e77', '/keys'])(
    'serves its page at %s, whose policy allows nothing inline and nothing from elsewhere',
    async (url) => {
      const { statusCode, headers, body } = await fastify.inject({ url });
      expect(statusCode).toBe(200);
      expect(headers['content-type']).toBe('text/html; charset=utf-8');
      expect(headers['cache-control']).toBe('no-cache');
      const policy = String(headers['content-security-policy']);
      expect(policy).toContain("default-src 'none'");
      expect(policy).toContain("frame-ancestors 'none'");
      expect(policy).not.toMatch(/unsafe|\*|https?:/);
      expect(body).not.toMatch(/<style|style=|<script(?![^>]*src=)|\son[a-z]+=/);
    },
  );

  it('serves assets that caches may keep, compressed where the browser can read it', async () => {
    const { body } = await fastify.inject({ url: '/' });
    for (const url of assetsOf(body)) {
      const plain = await fastify.inject({ url });
      const compressed = await fastify.inject({ url, headers: { 'accept-encoding': 'gzip, deflate, br' } });
      expect(plain.headers['cache-control']).toBe('public, max-age=31536000, immutable');
      expect(compressed.headers).toMatchObject({ 'content-encoding': 'br', vary: 'accept-encoding' });
      expect(brotliDecompressSync(compressed.rawPayload)).toEqual(plain.rawPayload);
    }
  });

  it.each([
    ['br', true],
    ['gzip, BR;q=0.5', true],
    ['br;q=1.0, gzip', true],
    ['br;q=0', false],
    ['gzip, br ; q=0.000', false],
    ['x-br', false],
    ['', false],
  ])('compresses for Accept-Encoding: %s: %s', async (encodings, isCompressed) => {
    const { headers } = await fastify.inject({ url: '/', headers: { 'accept-encoding': encodings } });
    expect(headers['content-encoding']).toBe(isCompressed ? 'br' : undefined);
  });

  it('has no other files and no other pages', async () => {
    for (const url of ['/index.html', '/assets/', '/assets/../index.html', '/assets/missing.js', '/unknown']) {
      expect((await fastify.inject({ url })).statusCode).toBe(404);
    }
  });

  it('needs less than 100 KB of script, compressed with gzip, before the first page shows', () => {
    const page = readFileSync(join(BUILT, 'index.html'), 'utf8');
    const scripts = assetsOf(page).filter((path) => path.endsWith('.js'));
    expect(scripts.length).toBeGreaterThan(0);
    const bytes = scripts.map((path) => gzipSync(readFileSync(join(BUILT, path))).length);
    expect(bytes.reduce((sum, size) => sum + size, 0)).toBeLessThan(MAX_FIRST_SCRIPT_BYTES);
  });

  it('is left out by a build without it', async () => {
    const other = Fastify();
    serveDashboard(other, 'localhost', join(import.meta.dirname, 'missing'));
    expect((await other.inject({ url: '/' })).statusCode).toBe(404);
    await other.close();
  });
});
