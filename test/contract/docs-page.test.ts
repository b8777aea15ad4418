import { TestService } from '../support/service.js';

const services: TestService[] = [];
afterAll(() => Promise.all(services.map((service) => service.stop())));

async function start(roles: string): Promise<TestService> {
  const service = await TestService.start({ environment: { ROLES: roles } });
  services.push(service);
  return service;
}

const types: Record<string, RegExp> = {
  '/docs': /^text\/html/,
  '/docs/start.js': /^text\/javascript/,
  '/docs/swagger-ui.css': /^text\/css/,
  '/docs/swagger-ui-bundle.js': /^text\/javascript/,
  '/openapi.json': /^application\/json/,
};

describe('/docs', () => {
  it('serves all of its resources, under a policy that blocks all others', async () => {
    const { address } = await start('api');
    for (const [path, type] of Object.entries(types)) {
      const response = await fetch(address + path);
      expect([path, response.status]).toEqual([path, 200]);
      expect(response.headers.get('content-type')).toMatch(type);
      expect((await response.text()).length).toBeGreaterThan(50);
    }
    const page = await fetch(`${address}/docs`);
    const policy = page.headers.get('content-security-policy')!;
    expect(policy).toContain("default-src 'none'");
    expect(policy).not.toMatch(/unsafe|http|\*/);
    const named = [...(await page.text()).matchAll(/(?:src|href)="([^"]+)"/g)].map(([, target]) => target!);
    expect(named.filter((target) => target !== 'data:,' && !(target in types))).toEqual([]);
  });

  it('exists only where the API is served', async () => {
    const { address } = await start('tracking');
    for (const path of Object.keys(types)) expect((await fetch(address + path)).status).toBe(404);
  });
});
