import { TestService } from '../support/service.js';

let service: TestService;

beforeAll(async () => {
  const provider = { OIDC_ISSUER: 'http://127.0.0.1:9', OIDC_CLIENT_ID: 'mailbeacon', OIDC_CLIENT_SECRET: 'secret' };
  service = await TestService.start({
    environment: { ROLES: 'api', DASHBOARD_URL: 'https://dash.test', ...provider },
  });
});
afterAll(() => service?.stop());

it('a sign-in at an OpenID provider that does not respond gets 503, with the time to try again as every 503', async () => {
  const response = await fetch(`${service.address}/api/session/oidc`, { redirect: 'manual' });
  expect(response.status).toBe(503);
  expect(await response.json()).toEqual({ error: expect.stringMatching(/^The OpenID provider does not respond/) });
  expect(response.headers.get('retry-after')).toBe('5');
});

it('a browser is sent back to the sign-in page, which says so', async () => {
  const headers = { accept: 'text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8' };
  const response = await fetch(`${service.address}/api/session/oidc`, { redirect: 'manual', headers });
  expect([response.status, response.headers.get('location')]).toEqual([302, '/sign-in#unavailable']);
  expect(response.headers.getSetCookie()).toEqual([]);
});
