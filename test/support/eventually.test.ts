import { eventually } from './eventually.js';
import { standStill } from './stand-still.js';

it('polls as often as on a quiet machine, even if one poll takes longer than the limit', async () => {
  let polls = 0;
  const found = await eventually(() => {
    if (polls === 0) standStill(200);
    return ++polls === 6 && 'found';
  }, 100);
  expect(found).toBe('found');
});

it('names the condition when it gives up', async () => {
  let polls = 0;
  await expect(eventually(() => ++polls > 6, 100)).rejects.toThrow(/^Not within 6 polls \(100 ms\): .*polls > 6/);
});
