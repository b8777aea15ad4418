import { TestService } from '../support/service.js';
import { clientTypes } from './client-types.js';
import { expectFile } from './generated-page.js';

let service: TestService;

beforeAll(async () => {
  service = await TestService.start({ environment: { ROLES: 'api' } });
});
afterAll(async () => service?.stop());

it('the types of the client library are those of the API', async () => {
  const document = (await (await fetch(`${service.address}/openapi.json`)).json()) as Record<string, unknown>;
  await expectFile('packages/client/src/api-types.ts', await clientTypes(document));
});
