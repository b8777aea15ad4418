import { createServer, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { SendGridDomains } from '../../../src/providers/sendgrid/sendgrid-domains.js';
import { eventually } from '../../support/eventually.js';

const MEGABYTE = 1024 * 1024;

let server: Server;
let written = 0;
let open = 0;

/** Sends a body as fast as it is read, for ever. */
function pour(response: ServerResponse): void {
  if (response.destroyed) return;
  written += MEGABYTE;
  if (response.write(Buffer.alloc(MEGABYTE, ' '))) setImmediate(pour, response);
  else response.once('drain', () => pour(response));
}

beforeEach(async () => {
  server = createServer((_request, response) => {
    open += 1;
    response.once('close', () => (open -= 1));
    pour(response.writeHead(200));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
});
afterEach(() => new Promise((resolve) => server.close(resolve).closeAllConnections()));

it('an endless response about the domains of the account is not read into memory', async () => {
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const domains = new SendGridDomains({ apiKey: 'key', url });
  await expect(domains.validate('acme.example')).rejects.toThrow('The response of SendGrid is too long');
  await eventually(() => open === 0);
  // The buffers of the operating system, and no more.
  expect(written).toBeLessThan(32 * MEGABYTE);
});
