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

describe('leftovers', () => {
  it('are no violation when nothing is left', () => {
    expect([...leftoverViolations(NOTHING, EXPECTED)]).toEqual([]);
  });

  it.each<[what: string, invariant: string, left: Partial<Leftovers>]>([
    ['an entry in the stream', 'L7', { streamEntries: 1 }],
    ['a segment in a spool', 'L7', { spoolFiles: ['0001.spool'] }],
    ['a job', 'L7', { jobs: { emails: 0, webhooks: 1 } }],
    ['a pending email', 'L7', { pendingEmails: 1 }],
    ['a pending webhook', 'L7', { pendingWebhooks: 1 }],
    ['an unexpected dead letter', 'L7', { deadLetters: 6 }],
    ['all but one expected dead letter', 'L7', { deadLetters: 4 }],
    ['a growing number of Redis keys', 'L7', { redisKeys: 1_000 }],
    ['a full Redis', 'L7', { redisMb: 200 }],
    ['a process that grew', 'L6', { peakMemoryMb: [{ name: 'flusher-1', role: 'flusher', mb: 650 }] }],
  ])('are a violation when %s is left (%s)', (_what, invariant, left) => {
    const violations = [...leftoverViolations({ ...NOTHING, ...left }, EXPECTED)];
    expect(violations).toEqual([expect.stringMatching(`^${invariant}: `)]);
  });

  it('are no violation when a scenario expects a process to use more memory', () => {
    const left = { ...NOTHING, peakMemoryMb: [{ name: 'flusher-1', role: 'flusher', mb: 300 }] } as const;
    expect([...leftoverViolations(left, EXPECTED)]).toEqual([expect.stringMatching(/^L6: /)]);
    expect([...leftoverViolations(left, { ...EXPECTED, maxMemoryMb: { flusher: 310 } })]).toEqual([]);
    expect([...leftoverViolations(left, { ...EXPECTED, maxMemoryMb: { flusher: 290 } })]).toHaveLength(1);
  });
});
