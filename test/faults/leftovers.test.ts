import { leftoverViolations, type Leftovers } from './leftovers.js';

const NOTHING: Leftovers = {
  streamEntries: 0,
  spoolFiles: [],
  jobs: { emails: 0, webhooks: 0 },
  pendingEmails: 0,
  pendingWebhooks: 0,
  deadLetters: 5,
  redisKeys: 40,
  redisMb: 5,
  peakMemoryMb: [{ name: 'api-1', role: 'api', mb: 150 }],
};
const EXPECTED = { deadLetters: 5, organizations: 1 };

describe('what is left behind', () => {
  it('is nothing', () => {
    expect([...leftoverViolations(NOTHING, EXPECTED)]).toEqual([]);
  });

  it.each<[what: string, invariant: string, left: Partial<Leftovers>]>([
    ['an entry in the stream', 'L7', { streamEntries: 1 }],
    ['a segment in a spool', 'L7', { spoolFiles: ['0001.spool'] }],
    ['a job', 'L7', { jobs: { emails: 0, webhooks: 1 } }],
    ['a pending email', 'L7', { pendingEmails: 1 }],
    ['a pending webhook', 'L7', { pendingWebhooks: 1 }],
    ['a dead letter more than was made', 'L7', { deadLetters: 6 }],
    ['a dead letter less', 'L7', { deadLetters: 4 }],
    ['keys in Redis', 'L7', { redisKeys: 1_000 }],
    ['a full Redis', 'L7', { redisMb: 200 }],
    ['a process that grew', 'L6', { peakMemoryMb: [{ name: 'flusher-1', role: 'flusher', mb: 650 }] }],
  ])('is told when it is %s (%s)', (_what, invariant, left) => {
    const violations = [...leftoverViolations({ ...NOTHING, ...left }, EXPECTED)];
    expect(violations).toEqual([expect.stringMatching(`^${invariant}: `)]);
  });
});
