import { Secret, TOTP } from 'otpauth';
import type { SecondFactorSecret } from '../../src/users/second-factor/second-factors.js';
import { Browser } from '../support/browser.js';
import { newUser, PASSWORD, signedIn, type TestUser } from '../support/people.js';
import { TestService } from '../support/service.js';

/** Time of the API process, which only the tests advance, so that a code does not expire during a test. */
const startedAt = Date.now();
let elapsedMs = 0;
const clock = { now: () => startedAt + elapsedMs };

let service: TestService;
let organizationId: string;

beforeAll(async () => {
  service = await TestService.start({ environment: { ROLES: 'api' }, clock });
  ({ organizationId } = await service.organization());
});
afterAll(async () => service?.stop());

interface Enrolled {
  readonly user: TestUser;
  readonly browser: Browser;
  readonly codeNow: () => string;
  readonly recoveryCodes: readonly string[];
}

async function enroll(known?: TestUser): Promise<Enrolled> {
  const user = known ?? (await newUser(service, organizationId, 'owner'));
  const browser = await signedIn(service, user);
  const { status, body } = await browser.post<SecondFactorSecret>('/api/session/second-factor', { password: PASSWORD });
  expect(status).toBe(201);
  const totp = new TOTP({ secret: Secret.fromBase32(body.secret) });
  const codeNow = (): string => totp.generate({ timestamp: clock.now() });
  expect(body.uri).toContain(body.secret);
  const confirmed = await browser.post<{ recoveryCodes: string[] }>('/api/session/second-factor/confirm', {
    code: codeNow(),
  });
  expect(confirmed).toMatchObject({ status: 200, body: { recoveryCodes: expect.any(Array) } });
  return { user, browser, codeNow, recoveryCodes: confirmed.body.recoveryCodes };
}

const signIn = ({ email }: TestUser, code?: string) =>
  new Browser(service).post('/api/session', { email, password: PASSWORD, ...(code !== undefined && { code }) });
const nextStep = (): void => void (elapsedMs += 30_000);

describe('optional TOTP', () => {
  it('does not count before a code confirms it', async () => {
    const user = await newUser(service, organizationId, 'owner');
    const browser = await signedIn(service, user);
    await browser.post('/api/session/second-factor', { password: PASSWORD });
    expect((await browser.post('/api/session/second-factor/confirm', { code: '000000' })).status).toBe(403);
    expect((await signIn(user)).status).toBe(201);
  });

  it('is required at sign-in', async () => {
    const { user, codeNow } = await enroll();
    nextStep();
    expect(await signIn(user)).toMatchObject({ status: 401, body: { details: [{ field: 'code' }] } });
    expect((await signIn(user, '000000')).status).toBe(401);
    expect((await signIn(user, codeNow())).status).toBe(201);
  });

  it('reveals nothing to someone without the password', async () => {
    const { user, codeNow } = await enroll();
    nextStep();
    const wrong = { email: user.email, password: 'not the password at all' };
    const { status, body } = await new Browser(service).post('/api/session', wrong);
    expect({ status, details: body.details }).toEqual({ status: 401, details: undefined });
    expect((await new Browser(service).post('/api/session', { ...wrong, code: codeNow() })).body).toEqual(body);
  });

  it('a session that it has ended gets no new one by a change of the password', async () => {
    const user = await newUser(service, organizationId, 'owner');
    const thief = await signedIn(service, user);
    expect((await thief.get('/api/session')).status).toBe(200);
    const { codeNow } = await enroll(user);
    const change = { currentPassword: PASSWORD, newPassword: 'another horse battery staple' };
    expect((await thief.request('PUT', '/api/session/password', change)).status).toBe(401);
    nextStep();
    expect((await signIn(user, codeNow())).status).toBe(201);
  });

  it('a session that a change of the password has ended cannot confirm one', async () => {
    const user = await newUser(service, organizationId, 'owner');
    const [browser, thief] = [await signedIn(service, user), await signedIn(service, user)];
    const { body } = await thief.post<SecondFactorSecret>('/api/session/second-factor', { password: PASSWORD });
    const code = new TOTP({ secret: Secret.fromBase32(body.secret) }).generate({ timestamp: clock.now() });
    const change = { currentPassword: PASSWORD, newPassword: 'another horse battery staple' };
    expect((await browser.request('PUT', '/api/session/password', change)).status).toBe(200);
    expect((await thief.post('/api/session/second-factor/confirm', { code })).status).toBe(401);
    expect(await browser.get('/api/session')).toMatchObject({ status: 200, body: { user: { secondFactor: false } } });
  });

  it('a session that its user has ended cannot remove one', async () => {
    const { user, browser: thief, recoveryCodes } = await enroll();
    const browser = new Browser(service);
    await browser.post('/api/session', { email: user.email, password: PASSWORD, code: recoveryCodes[0] });
    expect((await thief.get('/api/session')).status).toBe(200);
    expect((await browser.request('DELETE', '/api/sessions')).status).toBe(204);
    const proof = { password: PASSWORD, code: recoveryCodes[1] };
    expect((await thief.post('/api/session/second-factor/remove', proof)).status).toBe(401);
    expect(await signIn(user)).toMatchObject({ status: 401, body: { details: [{ field: 'code' }] } });
  });

  it('replay of a code is refused, also of the one that confirmed, and of two at once one wins', async () => {
    const { user, codeNow } = await enroll();
    expect((await signIn(user, codeNow())).status).toBe(401);
    nextStep();
    const responses = await Promise.all([signIn(user, codeNow()), signIn(user, codeNow())]);
    expect(responses.map(({ status }) => status).sort()).toEqual([201, 401]);
    expect((await signIn(user, codeNow())).status).toBe(401);
  });

  it('a code counts up to one step early or late, because clocks differ', async () => {
    const { user, codeNow } = await enroll();
    const codeIn = (steps: number): string => {
      const before = elapsedMs;
      elapsedMs += steps * 30_000;
      const code = codeNow();
      elapsedMs = before;
      return code;
    };
    for (let step = 0; step < 5; step++) nextStep();
    expect((await signIn(user, codeIn(-2))).status).toBe(401);
    expect((await signIn(user, codeIn(-1))).status).toBe(201);
    expect((await signIn(user, codeIn(2))).status).toBe(401);
    expect((await signIn(user, codeIn(1))).status).toBe(201);
  });

  it('a recovery code works once', async () => {
    const { user, recoveryCodes } = await enroll();
    expect(recoveryCodes).toHaveLength(10);
    expect((await signIn(user, recoveryCodes[0]!.toUpperCase())).status).toBe(201);
    expect((await signIn(user, recoveryCodes[0])).status).toBe(401);
    expect((await signIn(user, recoveryCodes[1])).status).toBe(201);
  });

  it('ends the sessions that did not need it', async () => {
    const user = await newUser(service, organizationId, 'owner');
    const [stolen, own] = [await signedIn(service, user), await signedIn(service, user)];
    const { body } = await own.post<SecondFactorSecret>('/api/session/second-factor', { password: PASSWORD });
    const code = new TOTP({ secret: Secret.fromBase32(body.secret) }).generate({ timestamp: clock.now() });
    await own.post('/api/session/second-factor/confirm', { code });
    elapsedMs += 4_900;
    expect((await own.get('/api/session')).status).toBe(200);
    expect((await stolen.get('/api/session')).status).toBe(401);
  });

  it('a session that did not need it is refused, however the user came to have one', async () => {
    const user = await newUser(service, organizationId, 'owner');
    const before = await signedIn(service, user);
    await service.database.query(
      `update users set (sealed_totp_secret, totp_confirmed_at) = (
         select sealed_totp_secret, totp_confirmed_at from users where id = $2) where id = $1`,
      [user.id, (await enroll()).user.id],
    );
    elapsedMs += 4_900;
    expect((await before.get('/api/session')).status).toBe(401);
  });

  it('a stolen session can neither add nor remove it', async () => {
    const { browser, codeNow } = await enroll();
    nextStep();
    const remove = (body: object) => browser.post('/api/session/second-factor/remove', body);
    expect((await remove({ code: codeNow() })).status).toBe(403);
    expect((await remove({ password: PASSWORD, code: '000000' })).status).toBe(403);
    const plain = await signedIn(service, await newUser(service, organizationId, 'owner'));
    expect((await plain.post('/api/session/second-factor', {})).status).toBe(403);
    expect((await browser.post('/api/session/second-factor', { password: PASSWORD })).status).toBe(409);
    expect((await remove({ password: PASSWORD, code: codeNow() })).status).toBe(204);
  });

  it('a user without a password needs a recent sign-in, so that a stolen session cannot lock the user out', async () => {
    const user = await newUser(service, organizationId, 'owner');
    const [fresh, old] = [await signedIn(service, user), await signedIn(service, user)];
    await service.database.query('update users set password_hash = null where id = $1', [user.id]);
    expect((await fresh.post('/api/session/second-factor', {})).status).toBe(201);
    elapsedMs += 11 * 60_000;
    const refused = await old.post('/api/session/second-factor', {});
    expect(refused).toMatchObject({ status: 403, body: { error: expect.stringContaining('Sign in again') } });
  });

  it('new passwords that are refused do not count as guesses', async () => {
    const browser = await signedIn(service, await newUser(service, organizationId, 'owner'));
    const change = (newPassword: string) =>
      browser.request('PUT', '/api/session/password', { currentPassword: PASSWORD, newPassword });
    for (let count = 0; count < 12; count++) expect((await change('weak')).status).toBe(400);
    expect((await change('another horse battery staple')).status).toBe(200);
  });

  it('is stored sealed, and recovery codes as hashes', async () => {
    const { user, recoveryCodes } = await enroll();
    const [row] = await service.database.query<{ text: string }>('select u::text as text from users u where id = $1', [
      user.id,
    ]);
    expect(row!.text).toContain('v1.test.');
    expect(row!.text).not.toContain(recoveryCodes[0]!.replaceAll('-', ''));
  });

  it('guesses of codes are limited', async () => {
    const { user, codeNow } = await enroll();
    nextStep();
    const statuses: number[] = [];
    for (let count = 0; count < 12; count++) statuses.push((await signIn(user, '000000')).status);
    expect(statuses.filter((status) => status === 401).length).toBeLessThanOrEqual(10);
    expect(statuses.at(-1)).toBe(429);
    expect((await signIn(user, codeNow())).status).toBe(429);
  });
});
