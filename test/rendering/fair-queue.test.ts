import fc from 'fast-check';
import { FairQueue, type Requester } from '../../src/rendering/fair-queue.js';
import {
  RenderingBusyError,
  RenderingWaitError,
  RequesterGoneError,
} from '../../src/rendering/rendering-limit-error.js';
import { eventually } from '../support/eventually.js';

const of = (organizationId: string, more: Partial<Requester> = {}): Requester => ({
  organizationId,
  mayBeRefused: true,
  ...more,
});
const turn = () => new Promise((resolve) => setImmediate(resolve));

/** Records which tasks start, in order; `end` ends the oldest running one. */
class Plan {
  readonly begun: string[] = [];
  readonly failed: unknown[] = [];
  readonly running: Requester[] = [];

  constructor(readonly queue: FairQueue) {}

  async want(requester: Requester, length = 1): Promise<void> {
    void this.queue.enter(requester, length).then(
      () => {
        this.begun.push(requester.organizationId);
        this.running.push(requester);
      },
      (error: unknown) => this.failed.push(error),
    );
    await turn();
  }

  async end(organizationId = this.running[0]!.organizationId): Promise<void> {
    const index = this.running.findIndex((requester) => requester.organizationId === organizationId);
    this.queue.leave(this.running.splice(index, 1)[0]!);
    await turn();
  }
}

const planOf = (places: number, maxWaiting = 100, maxWaitingLength = 1_000) =>
  new Plan(new FairQueue({ slots: places, maxWaiting, maxWaitingLength }));

it('takes turns between organizations, however many tasks of one of them wait', async () => {
  const plan = planOf(1);
  for (const organization of ['a', 'a', 'a', 'a', 'b', 'c', 'b']) await plan.want(of(organization));
  for (let ended = 0; ended < 7; ended++) await plan.end();
  expect(plan.begun.join('')).toBe('aabcaba');
});

it('reserves a slot for other organizations at all times, and half of the slots while they wait', async () => {
  const plan = planOf(4);
  for (const organization of 'aaaaa') await plan.want(of(organization));
  expect(plan.begun.join('')).toBe('aaa');
  await plan.want(of('b'));
  expect(plan.begun.join('')).toBe('aaab');
  await plan.want(of('b'));
  await plan.end('a');
  expect(plan.begun.join('')).toBe('aaabb');
  await plan.end('a');
  expect(plan.begun.join('')).toBe('aaabba');
});

it('refuses tasks beyond the limit of waiting ones, but never those that must not be refused', async () => {
  const plan = planOf(1, 2, 10);
  await plan.want(of('a'), 50);
  await plan.want(of('a'), 50);
  await plan.want(of('a'), 1);
  expect(plan.failed).toEqual([expect.any(RenderingBusyError)]);
  await plan.want(of('b'), 1);
  await plan.want(of('b'), 9);
  await plan.want(of('b'), 0);
  expect(plan.failed).toHaveLength(2);
  await plan.want(of('b', { mayBeRefused: false }), 99);
  expect([plan.failed.length, plan.queue.waiting]).toEqual([2, 4]);
});

it('drops tasks of disconnected clients when their turn comes, or when the queue is full', async () => {
  const plan = planOf(1, 2);
  let gone = false;
  await plan.want(of('a'));
  await plan.want(of('a', { hasGone: () => gone }));
  await plan.want(of('a'));
  gone = true;
  await plan.want(of('a'));
  expect(plan.failed).toEqual([expect.any(RequesterGoneError)]);
  await plan.want(of('b', { hasGone: () => gone }));
  await plan.end();
  await plan.end();
  expect([plan.begun.join(''), plan.failed.length]).toEqual(['aaa', 2]);
});

it('drops a task that has waited for too long, although no other task ends', async () => {
  const plan = planOf(2);
  await plan.want(of('a'));
  await plan.want(of('a', { maxWaitMs: 5 }), 20);
  await plan.want(of('a'), 30);
  await eventually(() => plan.failed.length === 1);
  expect(plan.failed).toEqual([expect.any(RenderingWaitError)]);
  expect(plan.queue.waiting).toBe(1);
  await plan.end();
  await plan.end();
  expect([plan.begun.join(''), plan.queue.waiting]).toEqual(['aa', 0]);
});

it('frees what a dropped task held: its length, and the turn of its organization', async () => {
  const plan = planOf(4, 100, 10);
  for (const organization of 'aaa') await plan.want(of(organization));
  await plan.want(of('a'), 1);
  await plan.want(of('a', { maxWaitMs: 5 }), 9);
  await eventually(() => plan.failed.length === 1);
  await plan.want(of('a'), 9);
  expect([plan.failed.length, plan.queue.waiting]).toEqual([1, 2]);
});

it('refuses a task at once if one ahead of it has waited for longer than it may', async () => {
  const plan = planOf(2);
  await plan.want(of('a'));
  await plan.want(of('a'));
  const since = performance.now();
  await eventually(() => performance.now() - since > 1);
  await plan.want(of('a', { maxWaitMs: 1 }));
  expect([plan.failed, plan.queue.waiting]).toEqual([[expect.any(RenderingWaitError)], 1]);
  await plan.want(of('b', { maxWaitMs: 1 }));
  expect(plan.begun.join('')).toBe('ab');
});

it('does not drop a task that runs, however little it might have waited', async () => {
  const plan = planOf(2);
  await plan.want(of('a', { maxWaitMs: 1 }));
  const since = performance.now();
  await eventually(() => performance.now() - since > 10);
  expect([plan.begun.join(''), plan.failed]).toEqual(['a', []]);
});

it('runs every task once, never more at a time than there are slots, while clients connect and disconnect', async () => {
  const steps = fc.array(fc.oneof(fc.constantFrom('a', 'b', 'c', 'd'), fc.constant('end')), { maxLength: 60 });
  await fc.assert(
    fc.asyncProperty(fc.integer({ min: 1, max: 5 }), steps, async (places, moves) => {
      const plan = planOf(places);
      for (const move of moves) {
        if (move !== 'end') await plan.want(of(move));
        else if (plan.running.length > 0) await plan.end();
        expect(plan.running.length).toBeLessThanOrEqual(places);
        const others = new Set(plan.running.map(({ organizationId }) => organizationId)).size;
        // A task may wait only if its organization uses all slots that it may have.
        if (plan.queue.waiting > 0)
          expect(plan.running.length).toBeGreaterThanOrEqual(Math.min(others, Math.max(1, places >> 1)));
      }
      while (plan.running.length > 0) await plan.end();
      expect([plan.begun.length, plan.queue.waiting]).toEqual([moves.filter((move) => move !== 'end').length, 0]);
    }),
    { numRuns: 50 },
  );
});
