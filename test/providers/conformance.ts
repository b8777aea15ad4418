import type { DeliveryOutcome, OutgoingEmail } from '../../src/providers/provider.js';
import { outgoingEmail } from '../support/outgoing-email.js';
import { claimed, longDeadline, type Bench } from './bench.js';
import { eventually } from '../support/eventually.js';
import { describeAttachments } from './attachment-conformance.js';
import { describeMessages } from './message-conformance.js';

/** Tests that every provider must pass. */
export function describeProvider(name: string, setUp: () => Promise<Bench>): void {
  describe(`${name} as a delivery provider`, () => {
    let bench: Bench;
    beforeEach(async () => {
      bench = await setUp();
    });
    afterEach(() => bench.close());

    const deliver = (email: OutgoingEmail, signal = longDeadline(), handOver = claimed): Promise<DeliveryOutcome> =>
      bench.provider.deliver(email, signal, handOver);

    describeMessages(() => bench);
    describeAttachments(() => bench);

    describe('outcomes', () => {
      it("returns accepted, with an id and the provider's response", async () => {
        const outcome = await deliver(outgoingEmail());
        const some = expect.stringMatching(/./);
        expect(outcome).toEqual({ kind: 'accepted', providerId: some, response: some });
        expect(await bench.arrivals()).toHaveLength(1);
      });

      it.each([
        ['refused', 'refused'],
        ['try-later', 'retry'],
        ['credential-refused', 'credential-refused'],
        ['cut-after-content', 'ambiguous'],
      ] as const)('%s: returns %s with a readable reason', async (situation, kind) => {
        const email = outgoingEmail();
        bench.arrange(situation, email);
        const outcome = await deliver(email);
        expect(outcome.kind).toBe(kind);
        expect(outcome).toHaveProperty('reason', expect.stringMatching(/^[^\r\n]{5,500}$/));
        expect(await bench.arrivals()).toHaveLength(0);
      });

      it('returns retry when nothing listens', async () => {
        const provider = await bench.unreachable();
        const outcome = await provider.deliver(outgoingEmail(), longDeadline(), claimed);
        const reason = expect.stringContaining('ECONNREFUSED');
        expect(outcome).toEqual({ kind: 'retry', reason, unreachable: true });
        await provider.close();
      });

      it('delivers under the same Message-ID once the server accepts mail again', async () => {
        const email = outgoingEmail();
        bench.arrange('try-later', email);
        expect((await deliver(email)).kind).toBe('retry');
        bench.relent();
        expect((await deliver({ ...email, attempt: 2 })).kind).toBe('accepted');
        expect((await deliver({ ...email, attempt: 3 })).kind).toBe('accepted');
        const ids = (await bench.arrivals()).map(({ messageId }) => messageId);
        expect(ids).toEqual(bench.sendsOnce ? [email.messageId] : [email.messageId, email.messageId]);
      });
    });

    describe('the claim', () => {
      it('is requested when a connection is open, before the message is complete', async () => {
        const seen: number[][] = [];
        const handOver = async (): Promise<boolean> => {
          seen.push([bench.openConnections(), (await bench.arrivals()).length]);
          return true;
        };
        expect((await deliver(outgoingEmail(), longDeadline(), handOver)).kind).toBe('accepted');
        expect(seen).toEqual([[1, 0]]);
        expect(await bench.arrivals()).toHaveLength(1);
      });

      it('aborts the delivery if another worker has the email', async () => {
        const outcome = await deliver(outgoingEmail(), longDeadline(), () => Promise.resolve(false));
        // Which would count against the provider.
        expect(outcome).not.toHaveProperty('unreachable');
        expect(await bench.arrivals()).toHaveLength(0);
        expect((await deliver(outgoingEmail())).kind).toBe('accepted');
        expect(await bench.arrivals()).toHaveLength(1);
      });

      it('is not requested when nothing listens', async () => {
        const provider = await bench.unreachable();
        let claims = 0;
        await provider.deliver(outgoingEmail(), longDeadline(), () => Promise.resolve(++claims > 0));
        expect(claims).toBe(0);
        await provider.close();
      });

      it('does not complete the message if it is granted after the deadline', async () => {
        const deadline = new AbortController();
        let allow!: (allowed: boolean) => void;
        const claim = new Promise<boolean>((resolve) => (allow = resolve));
        let claims = 0;
        const delivery = deliver(outgoingEmail(), deadline.signal, () => (claims++, claim));
        await eventually(() => claims === 1);
        deadline.abort();
        expect((await delivery).kind).toBe('retry');
        allow(true);
        await eventually(() => bench.openConnections() === 0);
        expect(await bench.arrivals()).toHaveLength(0);
      });
    });

    describe('the deadline', () => {
      it.each([
        ['silent-after-content', 'ambiguous'],
        ['drips-after-content', 'ambiguous'],
        ['silent-before-content', 'retry'],
      ] as const)('%s: returns %s and frees the connection', async (situation, kind) => {
        const email = outgoingEmail();
        bench.arrange(situation, email);
        const deadline = new AbortController();
        const delivery = deliver(email, deadline.signal);
        await eventually(() => bench.situations() === 1);
        deadline.abort();
        const outcome = await delivery;
        const reason = expect.stringContaining('in time');
        expect(outcome).toEqual({ kind, reason, ...(kind === 'retry' && { unreachable: true }) });
        await eventually(() => bench.openConnections() === 0);
        bench.relent();
        expect((await deliver(outgoingEmail())).kind).toBe('accepted');
      });

      it('counts the wait for a free connection', async () => {
        const slow = outgoingEmail();
        bench.arrange('silent-after-content', slow);
        const stop = new AbortController();
        const holding = [deliver(slow, stop.signal), deliver(slow, stop.signal)];
        await eventually(() => bench.contacts() === 2);
        const waiting = await deliver(outgoingEmail(), AbortSignal.timeout(100));
        expect(waiting.kind).toBe('retry');
        stop.abort();
        expect((await Promise.all(holding)).map(({ kind }) => kind)).toEqual(['ambiguous', 'ambiguous']);
      });

      it('prevents the delivery if it has passed already', async () => {
        expect((await deliver(outgoingEmail(), AbortSignal.abort())).kind).toBe('retry');
        expect(bench.contacts()).toBe(0);
      });
    });

    it('reuses its connections, up to the maximum', async () => {
      await Promise.all(Array.from({ length: 20 }, () => deliver(outgoingEmail())));
      await deliver(outgoingEmail());
      expect(await bench.arrivals()).toHaveLength(21);
      expect(bench.connectionsMade()).toBeLessThanOrEqual(2);
    });

    it('close() leaves no connection open', async () => {
      await Promise.all([deliver(outgoingEmail()), deliver(outgoingEmail()), deliver(outgoingEmail())]);
      expect(bench.openConnections()).toBeGreaterThan(0);
      await bench.provider.close();
      await eventually(() => bench.openConnections() === 0);
    });
  });
}
