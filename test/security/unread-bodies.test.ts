import { rawRequest } from '../support/raw-http.js';
import { TestService } from '../support/service.js';

let service: TestService;
beforeAll(async () => void (service = await TestService.start({ environment: { ROLES: 'api' } })));
afterAll(() => service?.stop());

it.each([
  ['GET', '/api/templates', 'content-encoding: gzip', 200],
  ['HEAD', '/api/templates', 'content-encoding: gzip', 200],
  ['GET', '/api/templates', 'content-length: 70000', 200],
  ['POST', '/api/templates', 'content-type: application/json\r\ncontent-length: 0\r\ncontent-encoding: gzip', 400],
])('the headers of a body that nobody reads are ignored: %s %s with %s', async (method, path, headers, status) => {
  const { apiKey } = await service.organization();
  const head = `${method} ${path} HTTP/1.1\r\nhost: x\r\nconnection: close\r\nx-api-key: ${apiKey}\r\n${headers}\r\n\r\n`;
  expect((await rawRequest(service.settings.PORT, head)).split('\r\n', 1)[0]).toContain(` ${status} `);
});
