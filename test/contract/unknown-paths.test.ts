import { request } from 'node:http';
import { TestService } from '../support/service.js';

/** Of a browser that opens a page. */
const PAGE = 'text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8';

let service: TestService;

beforeAll(async () => {
  service = await TestService.start({
    environment: { ROLES: 'api,tracking', DASHBOARD_URL: 'https://dashboard.test' },
  });
});
afterAll(() => service?.stop());

/** Status and type of the response. */
function open(
  path: string,
  { host = 'dashboard.test', accept = PAGE, method = 'GET', authorization = '' } = {},
): Promise<string> {
  return new Promise((resolve, reject) => {
    const made = request(
      service.address + path,
      { method, headers: { host, ...(accept && { accept }), ...(authorization && { authorization }) } },
      (response) => {
        response.resume();
        response.on('end', () =>
          resolve(`${response.statusCode} ${String(response.headers['content-type']).split(';')[0]}`),
        );
      },
    );
    made.on('error', reject).end();
  });
}

describe('a path that does not exist', () => {
  it.each(['/nope', '/nope/deeper?x=1', '/emails/1/2', '/apiary'])('has a page for browsers: %s', async (path) => {
    expect(await open(path)).toBe('404 text/html');
    expect(await open(path, { method: 'HEAD' })).toBe('404 text/html');
  });

  it.each(['', '*/*', 'application/json', 'text/html;q=0, */*', 'application/xhtml+xml'])(
    'has JSON for programs: Accept: %s',
    async (accept) => expect(await open('/nope', { accept })).toBe('404 application/json'),
  );

  it.each(['/api', '/api/nope', '/api/t/nope', '/v3/nope', '/health/nope', '/docs/nope'])(
    'has JSON below the API: %s',
    async (path) => expect(await open(path)).toMatch(/^40[14] application\/json$/),
  );

  it("has JSON for Resend's libraries, which read emails at paths of the dashboard", async () => {
    for (const path of ['/emails', '/emails/1', '/domains', '/broadcasts/1']) {
      expect(await open(path, { accept: '*/*', authorization: 'Bearer mb_1_2' })).toBe('404 application/json');
      expect(await open(path, { authorization: 'Basic YTpi' })).toBe('200 text/html');
    }
  });

  it('is none of the dashboard for browsers behind a proxy that adds a token of its own', async () => {
    for (const path of ['/', '/emails', '/emails/1', '/sign-in'])
      expect(await open(path, { authorization: 'Bearer eyJh.eyJz.c2ln' })).toBe('200 text/html');
  });

  it('has JSON for other methods, and at the names of tracking links', async () => {
    expect(await open('/nope', { method: 'POST' })).toBe('404 application/json');
    expect(await open('/nope', { host: 'track.test' })).toBe('404 application/json');
  });
});
