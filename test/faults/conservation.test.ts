import { judge, NOTHING_ALLOWED, type Books, type StoredEmail } from './conservation.js';

const email = (change: Partial<StoredEmail> = {}): StoredEmail => ({
  id: 'email',
  status: 'sent',
  possibleDuplicate: false,
  outcomeUnknown: false,
  deliveries: 1,
  announcements: ['webhook'],
  ...change,
});

function books(emails: readonly StoredEmail[], change: Partial<Books> = {}): Books {
  return {
    sends: [{ key: 'key', answered: true, emails }],
    engagement: { answered: ['a', 'b'], unanswered: 0, stored: ['a', 'b'], counters: { emails: 2, contacts: 2 } },
    complaints: [],
    processes: [],
    ...change,
  };
}

const engagement = (change: Partial<Books['engagement']>): Books =>
  books([email()], { engagement: { ...books([]).engagement, ...change } });

const doubt = { ambiguousMoments: 1, failures: 'unknown' } as const;

describe('the conservation laws', () => {
  it('hold where everything was delivered, announced and counted once', () => {
    expect(judge(books([email()]))).toEqual({
      accepted: 1,
      delivered: 1,
      flaggedDoubles: 0,
      unflaggedDoubles: 0,
      lost: 0,
      failed: 0,
      events: 2,
      eventsLost: 0,
      eventsDestroyed: 0,
      eventsDoubled: 0,
      breaches: [],
    });
  });

  it.each<[what: string, law: string, seen: object, books: Books, allowance?: object]>([
    ['an answered email that is not stored', 'L1', { lost: 1 }, books([])],
    ['a key that stored two emails', 'L1', { unflaggedDoubles: 1 }, books([email(), email({ id: 'other' })])],
    ['an email without a last state', 'L1', { lost: 1 }, books([email({ status: 'queued', deliveries: 0 })])],
    ['a failure', 'L1', { lost: 1, failed: 1 }, books([email({ status: 'failed', deliveries: 0 })])],
    ['a failure without a doubt', 'L1', { lost: 1 }, books([email({ status: 'failed', deliveries: 0 })]), doubt],
    ['a request that nobody answered', 'L1', {}, books([email()], { complaints: ['key: 503'] })],
    ['a double', 'L2', { unflaggedDoubles: 1 }, books([email({ deliveries: 2 })]), doubt],
    ['a flagged double', 'L2', { unflaggedDoubles: 1 }, books([email({ deliveries: 2, possibleDuplicate: true })])],
    ['a third copy', 'L2', { unflaggedDoubles: 2 }, books([email({ deliveries: 3, possibleDuplicate: true })]), doubt],
    ['sent, and nobody has it', 'L3', { lost: 1 }, books([email({ deliveries: 0 })])],
    ['failed, and somebody has it', 'L3', {}, books([email({ status: 'failed' })]), { failures: 'any' }],
    ['a sending that was not announced', 'L4', {}, books([email({ announcements: [] })])],
    ['an announcement under two ids', 'L4', {}, books([email({ announcements: ['one', 'other'] })])],
    ['an event that is gone', 'L5', { eventsLost: 1 }, engagement({ stored: ['a'], counters: {} })],
    ['an event stored twice', 'L5', { eventsDoubled: 1 }, engagement({ stored: ['a', 'b', 'b'], counters: {} })],
    ['an event of nobody', 'L5', { eventsDoubled: 1 }, engagement({ stored: ['a', 'b', 'c'], counters: {} })],
    ['a counter that is ahead', 'L5', {}, engagement({ counters: { emails: 3 } })],
    ['a process that ended', 'L6', {}, books([email()], { processes: ['worker-1 ended by itself'] })],
  ])('are broken by %s (%s)', (_what, law, seen, given, allowance = {}) => {
    const verdict = judge(given, { ...NOTHING_ALLOWED, ...allowance });
    expect(verdict).toMatchObject(seen);
    expect(verdict.breaches).toEqual([expect.stringMatching(`^${law}: `)]);
  });

  it.each<[what: string, seen: object, books: Books, allowance?: object]>([
    ['a flagged double', { flaggedDoubles: 1 }, books([email({ deliveries: 2, possibleDuplicate: true })]), doubt],
    ['a second doubt', { failed: 1 }, books([email({ status: 'failed', outcomeUnknown: true })]), doubt],
    ['a refusal', { failed: 1 }, books([email({ status: 'failed', deliveries: 0 })]), { failures: 'any' }],
    ['an announcement repeated under its id', {}, books([email({ announcements: ['one', 'one'] })])],
    ['an event of a request that broke off', {}, engagement({ answered: ['a'], unanswered: 1 })],
    [
      'an event destroyed with its only copy',
      { eventsLost: 0, eventsDestroyed: 1 },
      engagement({ stored: ['a'], counters: { emails: 1 }, destroyed: new Set(['b']) }),
    ],
  ])('allow for %s where the fault makes it unavoidable', (_what, seen, given, allowance = {}) => {
    expect(judge(given, { ...NOTHING_ALLOWED, ...allowance })).toMatchObject({ ...seen, lost: 0, breaches: [] });
  });
});
