import { DeliverEmail } from '../../../src/emails/delivery/deliver-email.js';
import { RenderingTimeError } from '../../../src/rendering/rendering-limit-error.js';

const unused = undefined as never;

/** The outcome of an email with this many earlier attempts, whose rendering times out. */
async function outcomeAfter(attempts: number): Promise<unknown> {
  const message = { envelopeRecipients: ['a@example.com'], to: ['a@example.com'] };
  const email = { id: 'e1', status: 'queued', dueInMs: 0, attempts, crashes: 0, message };
  const emails = { find: () => Promise.resolve(email) } as never;
  const rendering = { render: () => Promise.reject(new RenderingTimeError('takes too long')) } as never;
  const delivery = new DeliverEmail(emails, rendering, unused, unused, unused);
  const prepared = await delivery.prepareAhead({ emailId: 'e1' }, 0);
  return prepared!.render();
}

it('an email whose rendering times out is tried five times, because a busy host can be the cause', async () => {
  expect(await outcomeAfter(3)).toMatchObject({ kind: 'retry' });
  expect(await outcomeAfter(4)).toMatchObject({ kind: 'refused' });
});
