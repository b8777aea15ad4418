import { Secret, TOTP } from 'otpauth';
import type { SecondFactorSecret } from '../../src/users/second-factor/second-factors.js';
import { Browser } from '../support/browser.js';
import { OpenIdProvider } from '../support/openid-provider.js';
import { newUser, PASSWORD, signedIn, type TestUser } from '../support/people.js';
import { TestService } from '../support/service.js';

const DASHBOARD_URL = 'https://dash.test';
const CALLBACK = '/api/session/oidc/callback';

let provider: OpenIdProvider;
let service: TestService;
let organizationId: string;

beforeAll(async () => {
  provider = await OpenIdProvider.listen(`${DASHBOARD_URL}${CALLBACK}`);
  service = await TestService.start({ environment: { ROLES: 'api', DASHBOARD_URL, ...provider.settings } });
  ({ organizationId } = await service.organization());
});
afterAll(async () => {
  await service?.stop();
  await provider?.close();
});

/** @returns the path of the service to which the provider redirects the browser */
async function goToProvider(browser: Browser, name: string): Promise<string> {
  const { status, headers } = await browser.get('/api/session/oidc');
  expect(status).toBe(302);
  const url = new URL(headers.get('location')!);
  expect(url.searchParams.get('code_challenge_method')).toBe('S256');
  const back = await provider.signIn(url.href, name);
  expect(back.origin + back.pathname).toBe(DASHBOARD_URL + CALLBACK);
  return back.pathname + back.search;
}

/** @returns the redirect after the callback */
async function finish(browser: Browser, path: string): Promise<string> {
  const { status, headers } = await browser.get(path, { 'sec-fetch-site': 'cross-site' });
  expect(status).toBe(302);
  return headers.get('location')!;
}

async function user(): Promise<TestUser> {
  const one = await newUser(service, organizationId, 'member');
  provider.accounts.set(one.email, { email: one.email.toUpperCase(), email_verified: true });
  return one;
}

/** @returns the token with which the page signs in */
async function tokenOf(browser: Browser, { email }: TestUser): Promise<string> {
  const location = await finish(browser, await goToProvider(browser, email));
  const [, token] = /^\/sign-in#token=([\w-]{22})$/.exec(location) ?? [];
  return token!;
}

afterEach(() => provider.onlyInUserInfo.clear());

async function addSecondFactor(to: TestUser): Promise<void> {
  const browser = await signedIn(service, to);
  const { body } = await browser.post<SecondFactorSecret>('/api/session/second-factor', { password: PASSWORD });
  const code = new TOTP({ secret: Secret.fromBase32(body.secret) }).generate();
  expect((await browser.post('/api/session/second-factor/confirm', { code })).status).toBe(200);
}

describe('optional OpenID Connect by settings', () => {
  it('signs a known user with a verified email in, once for each token', async () => {
    const one = await user();
    const { email } = one;
    const browser = new Browser(service);
    const token = await tokenOf(browser, one);
    expect(await browser.post('/api/session', { token })).toMatchObject({ status: 201, body: { user: { email } } });
    expect((await browser.get('/api/session')).status).toBe(200);
    expect((await new Browser(service).post('/api/session', { token })).status).toBe(401);
  });

  it.each([[['email', 'email_verified']], [['email_verified']]])('reads %s only in the userinfo', async (claims) => {
    claims.forEach((claim) => provider.onlyInUserInfo.add(claim));
    const one = await user();
    expect(await tokenOf(new Browser(service), one)).toBeDefined();
  });

  it.each([
    ['knows a user by an address in another script', 'kim@xn--exmple-cua.example', 'Kim@exämple.example', true],
    ['takes the Kelvin sign for no letter k', 'kim@acme.example', '\u212aim@acme.example', false],
  ])('%s', async (_, email, atProvider, isKnown) => {
    const { id } = await newUser(service, organizationId, 'viewer');
    await service.database.query('update users set email = $2 where id = $1', [id, email]);
    provider.accounts.set(email, { email: atProvider, email_verified: true });
    const browser = new Browser(service);
    const location = await finish(browser, await goToProvider(browser, email));
    expect(location.startsWith('/sign-in#token=')).toBe(isKnown);
  });

  it('limits wrong codes per user, however many tokens the provider account gets', async () => {
    const [guessed, other] = [await user(), await user()];
    for (const one of [guessed, other]) await addSecondFactor(one);
    const guesser = async (one: TestUser) => {
      const browser = new Browser(service);
      const token = await tokenOf(browser, one);
      return async () => (await browser.post('/api/session', { token, code: '000000' })).status;
    };
    const guesses = [await guesser(guessed), await guesser(guessed)];
    for (let count = 0; count < 10; count++) expect(await guesses[0]!()).toBe(401);
    expect(await guesses[1]!()).toBe(429);
    expect(await (await guesser(other))()).toBe(401);
  });

  it('is offered to the sign-in page, which has no session yet', async () => {
    expect(await new Browser(service).get('/api/session/options')).toMatchObject({
      status: 200,
      body: { oidc: true, passwordReset: false },
    });
  });

  it('the cookie of the sign-in is sealed, short-lived and deleted afterwards', async () => {
    const browser = new Browser(service);
    const path = await goToProvider(browser, (await user()).email);
    expect(browser.attributes.get('__Host-mailbeacon_oidc')).toBe(
      '; Path=/; Max-Age=600; HttpOnly; SameSite=Lax; Secure',
    );
    expect(browser.cookies.get('__Host-mailbeacon_oidc')).toMatch(/^v1\.test\./);
    const [, token] = (await finish(browser, path)).split('#token=');
    expect(browser.attributes.get('__Host-mailbeacon_oidc')).toContain('; Max-Age=120;');
    expect((await browser.post('/api/session', { token })).status).toBe(201);
    expect(browser.cookies.has('__Host-mailbeacon_oidc')).toBe(false);
  });

  it.each([
    ['an unverified email of a known user', { email_verified: false }],
    ['an email of no user', { email: 'nobody@acme.example' }],
    ['a verified email as a text', { email_verified: 'true' as unknown as boolean }],
  ])('refuses %s', async (_name, change) => {
    const { email } = await user();
    provider.accounts.set(email, { email, email_verified: true, ...change });
    const browser = new Browser(service);
    expect(await finish(browser, await goToProvider(browser, email))).toBe('/sign-in#refused');
  });

  it('refuses another account at the provider with the address of a user', async () => {
    const { email } = await user();
    const first = new Browser(service);
    expect(await finish(first, await goToProvider(first, email))).toMatch(/token=/);
    provider.accounts.set('somebody-else', { email, email_verified: true });
    const second = new Browser(service);
    expect(await finish(second, await goToProvider(second, 'somebody-else'))).toBe('/sign-in#refused');
  });

  it('a token signs in only the browser that went to the provider, so that nobody signs others in as themselves', async () => {
    const one = await user();
    const [victim, attacker] = [new Browser(service), new Browser(service)];
    const token = await tokenOf(attacker, one);
    const both = `${token}${attacker.cookies.get('__Host-mailbeacon_oidc')!}`;
    for (const sent of [token, both, both.slice(0, 43)])
      expect((await victim.post('/api/session', { token: sent })).status).toBe(401);
    await tokenOf(victim, await user());
    expect((await victim.post('/api/session', { token })).status).toBe(401);
    expect((await attacker.post('/api/session', { token })).status).toBe(201);
  });

  it('refuses a callback in another browser, without its cookie, and a second time', async () => {
    const { email } = await user();
    const [victim, attacker] = [new Browser(service), new Browser(service)];
    const path = await goToProvider(attacker, email);
    expect(await finish(victim, path)).toBe('/sign-in#refused');
    await victim.get('/api/session/oidc');
    expect(await finish(victim, path)).toBe('/sign-in#refused');
    const kept = attacker.cookies.get('__Host-mailbeacon_oidc')!;
    expect(await finish(attacker, path)).toMatch(/token=/);
    attacker.cookies.set('__Host-mailbeacon_oidc', kept);
    expect(await finish(attacker, path)).toBe('/sign-in#refused');
  });

  it('signs in from each tab of a browser, in whatever order they return', async () => {
    const [one, other] = [await user(), await user()];
    const browser = new Browser(service);
    const first = await goToProvider(browser, one.email);
    const second = await goToProvider(browser, other.email);
    const tokens: string[] = [];
    for (const path of [first, second]) {
      const [, token] = /^\/sign-in#token=([\w-]{22})$/.exec(await finish(browser, path)) ?? [];
      tokens.push(token!);
    }
    for (const [at, { email }] of [one, other].entries())
      expect(await browser.post('/api/session', { token: tokens[at] })).toMatchObject({
        status: 201,
        body: { user: { email } },
      });
    expect(browser.cookies.has('__Host-mailbeacon_oidc')).toBe(false);
  });

  it('keeps the sign-ins of few tabs, so that its cookie stays small', async () => {
    const { email } = await user();
    const browser = new Browser(service);
    const paths: string[] = [];
    for (let tab = 0; tab < 6; tab++) paths.push(await goToProvider(browser, email));
    expect(browser.cookies.get('__Host-mailbeacon_oidc')!.length).toBeLessThan(3_000);
    expect(await finish(browser, paths[0]!)).toBe('/sign-in#refused');
    for (const path of paths.slice(2)) expect(await finish(browser, path)).toMatch(/#token=/);
  });

  it('refuses a callback with an error or a forged code', async () => {
    const browser = new Browser(service);
    const path = await goToProvider(browser, (await user()).email);
    const kept = browser.cookies.get('__Host-mailbeacon_oidc')!;
    expect(await finish(browser, path.replace(/code=[^&]+/, 'code=forged'))).toBe('/sign-in#refused');
    browser.cookies.set('__Host-mailbeacon_oidc', kept);
    expect(await finish(browser, path.replace(/code=[^&]+/, 'error=access_denied'))).toBe('/sign-in#refused');
  });
});
