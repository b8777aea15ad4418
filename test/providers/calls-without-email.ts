import { outgoingEmail } from '../support/outgoing-email.js';
import { claimed, longDeadline, type Bench } from './bench.js';
import { eventually } from '../support/eventually.js';

/**
 * Tests that every provider over HTTP must pass. With SMTP, an email is at risk only once its whole content was sent.
 */
export function describeCallsWithoutEmail(name: string, setUp: () => Promise<Bench>): void {
  describe(`a call of ${name} without an email`, () => {
    let bench: Bench;
    beforeEach(async () => {
      bench = await setUp();
    });
    afterEach(() => bench.close());

    const call = (signal = longDeadline()) => bench.provider.callWithoutEmail!(signal);

    it('is refused by a service that works, which delivers nothing', async () => {
      expect(await call()).toMatchObject({ kind: 'refused' });
      expect(bench.contacts()).toBe(0);
      expect((await bench.provider.deliver(outgoingEmail(), longDeadline(), claimed)).kind).toBe('accepted');
      expect(await bench.arrivals()).toHaveLength(1);
    });

    it.each([
      ['try-later', 'retry'],
      ['credential-refused', 'credential-refused'],
      ['cut-after-content', 'ambiguous'],
    ] as const)('%s: returns %s', async (situation, kind) => {
      bench.arrangeForAll!(situation);
      expect(await call()).toMatchObject({ kind });
    });

    it('ends at its deadline', async () => {
      bench.arrangeForAll!('silent-after-content');
      const deadline = new AbortController();
      const called = call(deadline.signal);
      await eventually(() => bench.situations() === 1);
      deadline.abort();
      expect(await called).toMatchObject({ kind: 'ambiguous' });
      await eventually(() => bench.openConnections() === 0);
    });
  });
}
