import { Browser } from '../support/browser.js';
import { newUser } from '../support/people.js';
import { TestService, type TestClient } from '../support/service.js';
import { processorTime } from '../support/processor-time.js';

let service: TestService;
let organization: TestClient;

beforeAll(async () => {
  service = await TestService.start({ environment: { ROLES: 'api' }, passwordLogN: 15 });
  organization = await service.organization('pro', 'Acme');
});
afterAll(async () => service?.stop());

describe('unknown users', () => {
  it('take as much time as known ones, and get the same response', async () => {
    const [known, unknown]: [number[], number[]] = [[], []];
    const responses = new Set<string>();
    for (let round = 0; round < 4; round++) {
      const user = await newUser(service, organization.organizationId, 'viewer');
      for (const [times, email] of [
        [known, user.email],
        [unknown, `nobody${round}@acme.example`],
      ] as const) {
        const spentMs = processorTime();
        const { status, body } = await new Browser(service).post('/api/session', { email, password: 'wrong password' });
        times.push(spentMs());
        responses.add(JSON.stringify({ status, body }));
      }
    }
    expect([...responses]).toHaveLength(1);
    const least = (times: number[]): number => Math.min(...times);
    expect(least(unknown) / least(known)).toBeGreaterThan(0.6);
    expect(least(unknown) / least(known)).toBeLessThan(1.7);
  });
});
