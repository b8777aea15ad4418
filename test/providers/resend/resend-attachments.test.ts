import type { ResendProvider } from '../../../src/providers/resend/resend-provider.js';
import { outgoingAttachment, outgoingEmail } from '../../support/outgoing-email.js';
import { ResendStub } from '../../support/resend-stub.js';
import { claimed, longDeadline } from '../bench.js';
import { providerAt } from './resend-bench.js';

let stub: ResendStub;
let provider: ResendProvider;
beforeEach(async () => {
  stub = await ResendStub.listen();
  provider = providerAt(stub.url);
});
afterEach(async () => {
  await provider.close();
  await stub.close();
});

it.each([
  ['data.txt', 'text/csv', undefined],
  ['Report.PDF', 'application/octet-stream', undefined],
  ['data.csv', 'Text/CSV; charset=utf-8', 'Text/CSV; charset=utf-8'],
  ['data.custom', 'text/x-custom', 'text/x-custom'],
  ['pdf', 'text/plain', 'text/plain'],
])('%s with the type %s goes to Resend with the type %s', async (filename, contentType, expected) => {
  const attachments = [outgoingAttachment(Buffer.from('x'), { filename, contentType })];
  await provider.deliver(outgoingEmail({ attachments }), longDeadline(), claimed);
  const [sent] = stub.requests[0]!.body.attachments!;
  expect([sent!.filename, sent!.content_type]).toEqual([filename, expected]);
});
