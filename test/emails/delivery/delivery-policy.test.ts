import fc from 'fast-check';
import type { AttemptedEmail } from '../../../src/emails/delivery/attempted-email.js';
import { decideDelivery, providerPauseAfter } from '../../../src/emails/delivery/delivery-policy.js';
import type { DeliveryOutcome } from '../../../src/providers/provider.js';
import type { RecipientResult } from '../../../src/providers/hand-over-result.js';

const EARLIER_COPY = 'Delivery outcome unknown: an earlier copy may have arrived, and another one failed';
const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;

const address = fc.constantFrom('ada@example.com', 'bob@example.com', 'cy@example.com');
const recipient = fc.record({
  address,
  state: fc.constantFrom<RecipientResult['state']>('accepted', 'deferred', 'refused'),
});
const recipients = fc.array(recipient, { maxLength: 3 });
/** The provider accepted the email for one, and may have for the other. */
const acceptedInPart = {
  kind: 'accepted',
  providerId: 'id',
  recipients: [
    { address: 'ada@example.com', state: 'accepted' },
    { address: 'bob@example.com', state: 'deferred', reason: 'no response', isUnknown: true },
  ],
} as const;
const delayMs = fc.nat(10 * DAY_MS);
const reason = fc.string();
const outcomes: fc.Arbitrary<DeliveryOutcome> = fc.oneof(
  fc.record({ kind: fc.constant('accepted' as const), providerId: fc.string(), recipients }),
  fc.record({ kind: fc.constant('accepted' as const), providerId: fc.string() }),
  fc.record({ kind: fc.constant('refused' as const), reason }),
  fc.record({ kind: fc.constant('retry' as const), reason, afterMs: delayMs }),
  fc.record({ kind: fc.constant('retry' as const), reason }),
  fc.record({ kind: fc.constant('throttled' as const), reason, pauseMs: delayMs }),
  fc.record({ kind: fc.constant('credential-refused' as const), reason }),
  fc.record({ kind: fc.constant('ambiguous' as const), reason }),
);
const attempts: fc.Arbitrary<AttemptedEmail> = fc.record({
  email: fc.record({
    id: fc.uuid(),
    triedForMs: fc.nat(2 * DAY_MS),
    possibleDuplicate: fc.boolean(),
    reached: fc.boolean(),
    deferred: fc.boolean(),
    reported: fc.boolean(),
    areSeparate: fc.boolean(),
    proven: fc.constant([]),
    providerId: fc.option(fc.string()),
    message: fc.record({ envelopeRecipients: fc.array(address, { maxLength: 3 }) }),
  }),
  attempt: fc.integer({ min: 1, max: 40 }),
  random: fc.double({ min: 0, max: 1, noNaN: true }),
  resendAfterMs: fc.option(delayMs, { nil: undefined }),
});

function always(rule: (outcome: DeliveryOutcome, attempted: AttemptedEmail) => void): void {
  fc.assert(fc.property(outcomes, attempts, rule), { numRuns: 500 });
}

describe('the delivery policy', () => {
  it('retries nothing after 24 hours, except an email in doubt, once', () => {
    always((outcome, attempted) => {
      fc.pre(attempted.email.triedForMs > DAY_MS);
      const decision = decideDelivery(outcome, attempted);
      if (decision.kind !== 'retry') return;
      expect(outcome.kind).toBe('ambiguous');
      expect(attempted.email.reported || !attempted.email.possibleDuplicate).toBe(true);
    });
  });

  it('never fails an email that has reached a recipient', () => {
    always((outcome, attempted) => {
      fc.pre(attempted.email.reached);
      expect(decideDelivery(outcome, attempted).kind).not.toBe('failed');
    });
  });

  it('records that deferred recipients have the email once the provider accepts all', () => {
    always((_outcome, { email, ...rest }) => {
      const accepted = { kind: 'accepted', providerId: 'id' } as const;
      const recipients = email.message.envelopeRecipients.map((address) => ({ address, state: 'accepted' }));
      const decide = (deferred: boolean) => decideDelivery(accepted, { email: { ...email, deferred }, ...rest });
      expect(decide(true)).toEqual({ kind: 'sent', providerId: 'id', recipients });
      expect(decide(false)).toEqual({ kind: 'sent', providerId: 'id', recipients: [] });
    });
  });

  it('records every recipient that it gives up as refused, under the earlier provider ID', () => {
    always((outcome, { email, ...rest }) => {
      if (outcome.kind !== 'refused') return fc.pre(false);
      const decision = decideDelivery(outcome, { email: { ...email, reached: true }, ...rest });
      expect(decision).toEqual({
        kind: 'sent',
        providerId: email.providerId ?? email.id,
        recipients: email.message.envelopeRecipients.map((address) => ({
          address,
          state: 'refused',
          reason: email.possibleDuplicate ? `${EARLIER_COPY}: ${outcome.reason}` : outcome.reason,
        })),
      });
    });
  });

  it('never retries before the provider allows it', () => {
    always((outcome, attempted) => {
      const decision = decideDelivery(outcome, attempted);
      if (decision.kind !== 'retry') return;
      const earliest = (outcome.kind === 'retry' && outcome.afterMs) || providerPauseAfter(outcome)?.milliseconds || 0;
      expect(decision.delayMs).toBeGreaterThanOrEqual(earliest);
    });
  });

  it('counts every attempt, unless the provider refused the credential or throttled it', () => {
    always((outcome, attempted) => {
      const decision = decideDelivery(outcome, attempted);
      if (decision.kind !== 'retry') return;
      expect(decision.countsAsAttempt).toBe(providerPauseAfter(outcome) === undefined);
    });
  });

  it('resends an email in doubt once, flagged, and only if the settings allow it', () => {
    always((outcome, attempted) => {
      const decision = decideDelivery(outcome, attempted);
      const isResent = decision.kind === 'retry' && decision.possibleDuplicate === true;
      const { email, resendAfterMs } = attempted;
      fc.pre(!email.reported);
      expect(isResent).toBe(outcome.kind === 'ambiguous' && !email.possibleDuplicate && resendAfterMs !== undefined);
      if (isResent) expect(decision.delayMs).toBe(resendAfterMs);
    });
  });

  it('records the doubt about a recipient of an email that others have, and sends no second copy', () => {
    always((_outcome, attempted) => {
      const inDoubt = { address: 'bob@example.com', state: 'refused', reason: 'Delivery outcome unknown: no response' };
      const expected = [acceptedInPart.recipients[0], inDoubt];
      expect(decideDelivery(acceptedInPart, attempted)).toEqual({
        kind: 'sent',
        providerId: 'id',
        recipients: expected,
      });
    });
  });

  it('counts an email in doubt as sent once the provider reports on it, and never gives it up then', () => {
    always((outcome, { email, ...rest }) => {
      fc.pre(outcome.kind === 'ambiguous');
      const decision = decideDelivery(outcome, { email: { ...email, reported: true }, ...rest });
      expect(decision).toMatchObject({ kind: 'retry', delayMs: 0, possibleDuplicate: true });
    });
  });

  it('records an unknown outcome for an email that it gives up in doubt', () => {
    always((outcome, attempted) => {
      fc.pre(outcome.kind === 'ambiguous');
      const decision = decideDelivery(outcome, attempted);
      if (decision.kind === 'failed') expect(decision.reason).toMatch(/^Delivery outcome unknown: /);
    });
  });

  it('keeps the doubt about an earlier copy when a later one certainly fails', () => {
    always((outcome, attempted) => {
      fc.pre(outcome.kind !== 'ambiguous');
      const decision = decideDelivery(outcome, attempted);
      if (decision.kind !== 'failed') return;
      const isUnknown = decision.reason.startsWith('Delivery outcome unknown: an earlier copy may have arrived');
      expect(isUnknown).toBe(attempted.email.possibleDuplicate);
      expect('reason' in outcome && decision.reason.endsWith(outcome.reason)).toBe(true);
    });
  });

  it('counts an accepted email as sent, unless recipients are deferred and time remains', () => {
    always((outcome, attempted) => {
      fc.pre(outcome.kind === 'accepted');
      const { providerId, recipients } = outcome as Extract<DeliveryOutcome, { kind: 'accepted' }>;
      const isRetried = recipients?.some(({ state }) => state === 'deferred') && attempted.email.triedForMs <= DAY_MS;
      const decision = decideDelivery(outcome, attempted);
      expect(decision).toMatchObject({ kind: isRetried ? 'retry' : 'sent', providerId });
      const stored = (recipients ?? []).map((result) => {
        return { ...result, state: result.state === 'deferred' && !isRetried ? 'refused' : result.state };
      });
      if (recipients) expect(decision).toMatchObject({ recipients: stored });
    });
  });

  it('keeps the doubt about a recipient who is still deferred when it gives up', () => {
    always((_outcome, { email, ...rest }) => {
      const recipients: RecipientResult[] = [
        { address: 'ada@example.com', state: 'accepted' },
        { address: 'bob@example.com', state: 'deferred', reason: 'Greylisted' },
      ];
      const overdue = { email: { ...email, triedForMs: DAY_MS + 1 }, ...rest };
      const reason = email.possibleDuplicate ? `${EARLIER_COPY}: Greylisted` : 'Greylisted';
      expect(decideDelivery({ kind: 'accepted', providerId: 'id', recipients }, overdue)).toMatchObject({
        kind: 'sent',
        recipients: [recipients[0], { address: 'bob@example.com', state: 'refused', reason }],
      });
    });
  });

  it('pauses the provider for as long as it requests, or a minute for a credential, and for no other reason', () => {
    const of = (outcome: DeliveryOutcome) => providerPauseAfter(outcome);
    expect(of({ kind: 'throttled', reason: '', pauseMs: 5 })).toEqual({ milliseconds: 5, cause: 'throttled' });
    expect(of({ kind: 'credential-refused', reason: '' })).toEqual({
      milliseconds: 60_000,
      cause: 'credential-refused',
    });
    expect(of({ kind: 'refused', reason: '', about: 'sender' })).toBeUndefined();
  });
});
