import type { OpenAPIObject } from '@nestjs/swagger';
import { KEY_SCOPES } from '../../src/organizations/key-scopes.js';
import { routeAccess } from '../support/routes.js';
import { TestService } from '../support/service.js';
import { expectPage } from './generated-page.js';
import { code, markdownTable } from './markdown-table.js';

const HEAD = `# Routes and scopes

Every route of the API, who may use it, and the scope that the key or the role of the user needs. Owners and members have
all scopes, viewers have \`read\`. [\`api.md\`](api.md) says what keys may be limited to.
`;
const FOOT = '`npm run docs` writes this page from the running service; a test keeps it true.\n';
const METHODS = ['get', 'post', 'put', 'patch', 'delete'] as const;

interface Described {
  readonly summary?: string;
  readonly security?: readonly object[];
  readonly 'x-scope'?: string;
}

let service: TestService;

beforeAll(async () => {
  service = await TestService.start({ environment: { ROLES: 'api' } });
});
afterAll(async () => service?.stop());

it('docs/routes.md lists every route with who may use it and the scope that it needs', async () => {
  const document = (await (await fetch(`${service.address}/openapi.json`)).json()) as OpenAPIObject;
  const allowed = routeAccess();
  const rows = Object.entries(document.paths).flatMap(([path, item]) =>
    METHODS.flatMap((method) => {
      const route = item[method] as Described | undefined;
      if (route === undefined) return [];
      const isOpen = route.security?.length === 0;
      expect([path, method, isOpen || KEY_SCOPES.some((scope) => scope === route['x-scope'])]).toEqual([
        path,
        method,
        true,
      ]);
      const name = `${method.toUpperCase()} ${path}`;
      const who = allowed.get(name.replace(/\{(\w+)\}/g, ':$1'));
      expect([name, isOpen === (who === undefined)]).toEqual([name, true]);
      return [[code(name), who ?? 'anybody', isOpen ? 'none' : route['x-scope']!, route.summary ?? '']];
    }),
  );
  await expectPage('routes.md', [HEAD, markdownTable(['route', 'who', 'scope', 'does'], rows), '', FOOT].join('\n'));
});
