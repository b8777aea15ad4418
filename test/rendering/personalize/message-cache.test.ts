import { RenderingPool } from '../../../src/rendering/rendering-pool.js';

const MESSAGES = 14;
const source = (html: string) => ({ subject: 's', html, text: null });
// This test is about memory alone. A smaller limit than the default needs fewer messages.
const pool = new RenderingPool({ maxThreads: 1, memoryLimitMb: 96, timeLimitMs: 60_000 });
afterAll(() => pool.close());

it('a thread has memory for the messages of others after many short ones that take much memory', async () => {
  const values = `{% cycle a${',a'.repeat(10_000)} %}`;
  for (let number = 0; number < MESSAGES; number++) {
    await pool.checkMessage(source(`${number}${values}`), { organizationId: 'hostile', mayBeRefused: true });
    const greeting = { source: source('Hello {{ name }}'), variables: { name: 'Ada' }, now: 0 };
    const rendered = await pool.renderMessage(greeting, { organizationId: 'other', mayBeRefused: true });
    expect(rendered.html).toBe('Hello Ada');
  }
});
