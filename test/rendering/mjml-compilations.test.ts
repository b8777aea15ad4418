import { setImmediate } from 'node:timers/promises';
import type { Requester } from '../../src/rendering/fair-queue.js';
import type { MjmlOutcome } from '../../src/rendering/mjml-compiler.js';
import { MjmlCompilations } from '../../src/rendering/mjml-compilations.js';
import { RenderingLimitError } from '../../src/rendering/rendering-limit-error.js';

const SOURCE = '<mjml><mj-body></mj-body></mjml>';
const requesterOf = (organizationId: string): Requester => ({ organizationId, mayBeRefused: true });

it('shares a compilation in progress within an organization, so that none waits in the queue of another', async () => {
  const started: { requester: Requester; end: (outcome: MjmlOutcome) => void }[] = [];
  const compilations = new MjmlCompilations((_, requester) => {
    return new Promise((end) => started.push({ requester, end }));
  });
  const results = ['one', 'one', 'other'].map((name) => compilations.compile(SOURCE, requesterOf(name)));
  await setImmediate();
  expect(started.map(({ requester }) => requester.organizationId)).toEqual(['one', 'other']);
  for (const { end } of started) end({ kind: 'compiled', html: '<p>' });
  expect(await Promise.all(results)).toEqual(['<p>', '<p>', '<p>']);
});

it('limits the HTML by its bytes', async () => {
  const compile = (html: string) =>
    new MjmlCompilations(() => Promise.resolve({ kind: 'compiled', html })).compile(SOURCE, requesterOf('one'));
  await expect(compile('é'.repeat(2_500_000))).resolves.toHaveLength(2_500_000);
  await expect(compile('é'.repeat(2_500_001))).rejects.toThrow(RenderingLimitError);
});
