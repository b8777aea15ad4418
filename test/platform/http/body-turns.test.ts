import { BodyTurns } from '../../../src/platform/http/body-turns.js';

const LARGE = 1_000_000;

/** Counts turns of the event loop until `done` resolves. */
async function turnsOf(done: Promise<unknown>): Promise<number> {
  let turns = 0;
  let ended = false;
  const count = (): void => {
    turns += 1;
    if (!ended) setImmediate(count);
  };
  setImmediate(count);
  await done;
  ended = true;
  return turns;
}

it('handles large bodies that end together one per turn of the event loop, in order', async () => {
  const turns = new BodyTurns();
  const order: number[] = [];
  const bodies = [1, 2, 3, 4, 5].map(async (body) => {
    await turns.wait(LARGE);
    order.push(body);
  });
  expect(await turnsOf(Promise.all(bodies))).toBeGreaterThanOrEqual(bodies.length);
  expect(order).toEqual([1, 2, 3, 4, 5]);
});

it('lets short bodies pass', async () => {
  const turns = new BodyTurns();
  const large = turns.wait(LARGE).then(() => 'large');
  expect(await Promise.race([large, turns.wait(1_000).then(() => 'short')])).toBe('short');
  await large;
});
