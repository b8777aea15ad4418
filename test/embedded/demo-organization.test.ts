import { mkdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { provideDemoOrganization } from '../../src/embedded/demo-organization.js';
import { startupBanner } from '../../src/roles/startup-banner.js';
import { Browser } from '../support/browser.js';
import { TestService } from '../support/service.js';
import { makeThrowAwayDirectory } from '../support/throw-away-directory.js';

/** Time of the API process, which the tests advance. */
let elapsedMs = 0;
const clock = { now: () => Date.now() + elapsedMs };

let directory: string;
let service: TestService;

beforeAll(async () => {
  directory = await makeThrowAwayDirectory('mailbeacon-demo-');
  await mkdir(join(directory, '.mailbeacon'));
  service = await TestService.start({ environment: { ROLES: 'api' }, clock });
});
afterAll(async () => {
  await service?.stop();
  if (directory) await rm(directory, { recursive: true, force: true });
});

const newLink = () => provideDemoOrganization(service.settings, directory);
const signIn = (token: string) => new Browser(service).post('/api/session', { token });

describe('`npm start` prints a sign-in link for the Demo organization', () => {
  it('valid once', async () => {
    const { signInToken, id } = await newLink();
    const first = await signIn(signInToken);
    expect(first).toMatchObject({ status: 201, body: { organization: { id, name: 'Demo', role: 'owner' } } });
    expect((await signIn(signInToken)).status).toBe(401);
  });

  it('valid for one of two simultaneous requests', async () => {
    const { signInToken } = await newLink();
    const both = await Promise.all([signIn(signInToken), signIn(signInToken)]);
    expect(both.map(({ status }) => status).sort()).toEqual([201, 401]);
  });

  it('valid for 15 minutes', async () => {
    const { signInToken } = await newLink();
    elapsedMs += 15 * 60_000;
    expect((await signIn(signInToken)).status).toBe(401);
  });

  it('created at each start, for the same organization', async () => {
    const [before, after] = [await newLink(), await newLink()];
    expect(after).toMatchObject({ id: before.id, apiKey: before.apiKey });
    const signInUrl = 'http://localhost:3000/sign-in#token=x';
    const addresses = { localAddress: 'http://localhost:3000', operatorAddress: 'http://localhost:9464' };
    const facts = {
      ...addresses,
      inboxUrl: undefined,
      submissionPort: 2587,
      apiKey: after.apiKey,
      signInUrl,
      roles: [],
      tookMs: 1,
    };
    expect(startupBanner(facts)).toContain(`Sign in  ${signInUrl}  (once, within 15 minutes)`);
    expect(startupBanner(facts)).toContain('SMTP     localhost:2587');
  });
});
