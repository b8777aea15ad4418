import { newUser, PASSWORD, signedIn, type TestUser } from '../support/people.js';
import { TestService, type TestClient } from '../support/service.js';

let service: TestService;
let organization: TestClient;
let owner: TestUser;

beforeAll(async () => {
  service = await TestService.start({ environment: { ROLES: 'api' } });
  organization = await service.organization('pro', 'Acme');
  owner = await newUser(service, organization.organizationId, 'owner');
});
afterAll(async () => service?.stop());

it.each(['%00', 'x', '%f0%9f%98%80', `${'0'.repeat(400)}`])('no user has the ID %s', async (id) => {
  const browser = await signedIn(service, owner);
  for (const method of ['PATCH', 'DELETE'])
    expect((await browser.request(method, `/api/users/${id}`, { role: 'viewer' })).status).toBe(404);
});

describe('hostile bodies', () => {
  const bodies: readonly [string, string, Record<string, unknown>][] = [
    ['POST', '/api/session', { email: 'a@b.example', password: PASSWORD }],
    ['POST', '/api/session', { token: 'x' }],
    ['POST', '/api/session/password', { token: 'x', password: PASSWORD }],
    ['POST', '/api/session/reset', { email: 'a@b.example' }],
    ['PATCH', '/api/session', { organizationId: '0190f3a4-7c1e-7a52-9c63-5d2a8a1b4e77' }],
    ['PUT', '/api/session/password', { currentPassword: PASSWORD, newPassword: PASSWORD }],
    ['POST', '/api/session/second-factor/confirm', { code: '123456' }],
    ['POST', '/api/session/second-factor/remove', { password: PASSWORD, code: '123456' }],
    ['POST', '/api/users', { email: 'a@b.example', role: 'owner' }],
    ['PATCH', '/api/users/x', { role: 'owner' }],
  ];

  it.each(bodies)('%s %s with null and nonsense in every field causes no server error', async (method, path, body) => {
    const browser = await signedIn(service, owner);
    for (const field of Object.keys(body)) {
      for (const value of [null, 1, '', [], {}, ['a@b.example'], { $ne: '' }, '\0', '\ud800', 'x'.repeat(60_000)]) {
        const { status } = await browser.request(method, path, { ...body, [field]: value });
        const isRefused = status >= 400 && status < 500;
        expect({ field, value: String(value).slice(0, 20), isRefused }).toMatchObject({ isRefused: true });
        if (status === 429) return;
      }
    }
  });
});
