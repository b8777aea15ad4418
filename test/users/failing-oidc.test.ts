import type { ServerResponse } from 'node:http';
import { Browser } from '../support/browser.js';
import { eventually } from '../support/eventually.js';
import { OpenIdProvider } from '../support/openid-provider.js';
import { TestService } from '../support/service.js';

const DASHBOARD_URL = 'https://dash.test';
const BROWSER = { accept: 'text/html,application/xhtml+xml,*/*;q=0.8' };

let provider: OpenIdProvider;
let service: TestService;
beforeEach(async () => {
  provider = await OpenIdProvider.listen(`${DASHBOARD_URL}/api/session/oidc/callback`);
  service = await TestService.start({ environment: { ROLES: 'api', DASHBOARD_URL, ...provider.settings } });
});
afterEach(async () => {
  await service?.stop();
  await provider?.close();
});

/** @returns the path to which the provider sends the browser back */
async function signInAtProvider(browser: Browser): Promise<string> {
  provider.accounts.set('ada', { email: 'ada@acme.example', email_verified: true });
  const { headers } = await browser.get('/api/session/oidc');
  const back = await provider.signIn(headers.get('location')!, 'ada');
  return back.pathname + back.search;
}

function responding(status: number, body: string, headers = {}): (response: ServerResponse) => void {
  return (response) => response.writeHead(status, { 'content-type': 'application/json', ...headers }).end(body);
}

it.each([
  ['has an internal error', responding(500, 'oops')],
  ['is overloaded', responding(429, '{}')],
  ['does not know our secret', responding(401, '{"error":"invalid_client"}')],
  ['asks for another secret', responding(401, '', { 'www-authenticate': 'Basic realm="x"' })],
  ['responds with a page', responding(200, '<html>', { 'content-type': 'text/html' })],
  ['closes the connection', (response: ServerResponse) => void response.destroy()],
])('a person learns that the provider failed, not that it refused them: the token endpoint %s', async (_, failure) => {
  const browser = new Browser(service);
  const path = await signInAtProvider(browser);
  provider.tokenFailure = failure;
  const asProgram = await browser.get(path);
  expect([asProgram.status, asProgram.body]).toEqual([
    503,
    { error: expect.stringContaining('The OpenID provider does not respond as it should') },
  ]);
  const { status, headers } = await browser.get(path, BROWSER);
  expect([status, headers.get('location')]).toEqual([302, '/sign-in#unavailable']);
});

it.each([
  ['a code that is too old', '{"error":"invalid_grant"}', /$/, ''],
  ['the person, by its policy', '{"error":"access_denied"}', /$/, ''],
  ['the person, who does not agree', '{}', /code=[^&]+/, 'error=access_denied'],
])('the provider refuses %s', async (_, body, replaced, by) => {
  const browser = new Browser(service);
  const path = (await signInAtProvider(browser)).replace(replaced, by);
  provider.tokenFailure = responding(400, body);
  expect((await browser.get(path, BROWSER)).headers.get('location')).toBe('/sign-in#refused');
});

it('a person learns that the provider could not handle the request of the browser', async () => {
  const browser = new Browser(service);
  const path = (await signInAtProvider(browser)).replace(/code=[^&]+/, 'error=temporarily_unavailable');
  expect((await browser.get(path, BROWSER)).headers.get('location')).toBe('/sign-in#unavailable');
});

it('a person learns on the sign-in page that there were too many sign-ins, and a program gets 429', async () => {
  const begin = (headers = {}) => fetch(`${service.address}/api/session/oidc`, { redirect: 'manual', headers });
  await Promise.all(Array.from({ length: 60 }, () => begin()));
  // On a busy machine, one more may be allowed meanwhile.
  const asProgram = await eventually(async () => {
    const response = await begin();
    return response.status !== 302 && response;
  });
  expect([asProgram.status, asProgram.headers.has('retry-after')]).toEqual([429, true]);
  const asBrowser = await eventually(async () => {
    const response = await begin(BROWSER);
    return response.headers.get('location')?.startsWith('/') && response;
  });
  expect([asBrowser.status, asBrowser.headers.get('location')]).toEqual([302, '/sign-in#throttled']);
});
