import type { AttemptedEmail } from '../../../src/emails/delivery/attempted-email.js';
import { decideDelivery } from '../../../src/emails/delivery/delivery-policy.js';
import type { RecipientResult } from '../../../src/providers/hand-over-result.js';

const [first, second] = ['ada@example.com', 'bob@example.com'];

/** The decision about an email whose outcome is unknown except for the result of one recipient. */
function decide(email: Partial<AttemptedEmail['email']>, known: RecipientResult) {
  const message = { envelopeRecipients: [first, second] };
  const flags = {
    possibleDuplicate: false,
    reached: false,
    deferred: false,
    reported: false,
    areSeparate: false,
    proven: [],
  };
  return decideDelivery(
    { kind: 'ambiguous', reason: 'no response', recipients: [known] },
    {
      email: { id: 'id', triedForMs: 0, providerId: null, message, ...flags, ...email },
      ...{ attempt: 1, random: 0, resendAfterMs: 1 },
    },
  );
}

it('a recipient who is deferred when the outcome is unknown once more stays in doubt', () => {
  const known = { address: first, state: 'deferred', reason: 'Greylisted' } as const;
  expect(decide({ possibleDuplicate: true, reached: true }, known)).toMatchObject({
    kind: 'sent',
    recipients: [
      {
        ...{ address: first, state: 'refused' },
        reason: 'Delivery outcome unknown: an earlier copy may have arrived, and another one failed: Greylisted',
      },
      { address: second, state: 'refused', reason: 'Delivery outcome unknown: no response' },
    ],
  });
});

it('each recipient who may have got a separate message has a result, unless it is known', () => {
  const known = { address: first, state: 'refused', reason: 'No' } as const;
  expect(decide({ areSeparate: true }, known)).toMatchObject({
    ...{ kind: 'retry', possibleDuplicate: true },
    recipients: [
      { address: first, state: 'refused' },
      { address: second, state: 'deferred' },
    ],
  });
});
