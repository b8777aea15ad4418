import { setTimeout } from 'node:timers/promises';
import { RenderingPool } from '../../src/rendering/rendering-pool.js';
import { RenderingLimitError, RenderingTimeError } from '../../src/rendering/rendering-limit-error.js';
import { TemplateError } from '../../src/rendering/liquid/template-errors.js';
import { HOSTILE_TEMPLATES, type HostileTemplate } from './hostile-templates.js';

const hostile = { organizationId: 'hostile', mayBeRefused: true };
const other = { organizationId: 'other', mayBeRefused: true };
const MAX_LENGTH = 5 * 1024 * 1024;
const BETWEEN_GREETINGS_MS = 20;
const pool = new RenderingPool({ maxThreads: 2 });
/** For templates that run until their thread is ended. */
const hasty = new RenderingPool({ maxThreads: 2, timeLimitMs: 500 });
afterAll(() => Promise.all([pool.close(), hasty.close()]));

function requestOf({ html, variables = {} }: HostileTemplate) {
  return { source: { subject: 's', html, text: null }, variables, now: 0 };
}

const greeting = requestOf({ html: '<p>Hello {{ name }}</p>', variables: { name: 'Ada' } });

const stuck = requestOf(HOSTILE_TEMPLATES['an array inside itself']!);
const outOfTime = new RenderingLimitError('takes longer than 500 ms to render');

describe.each(Object.entries(HOSTILE_TEMPLATES))('%s', (_name, template) => {
  it('ends within the limits, while others render', async () => {
    const rendering = template.isEndless ? hasty : pool;
    let isOver = false;
    const ending = rendering.renderMessage(requestOf(template), hostile).then(
      ({ html }) => html!,
      (error: unknown) => error,
    );
    void ending.then(() => (isOver = true));
    do {
      expect((await rendering.renderMessage(greeting, other)).html).toBe('<p>Hello Ada</p>');
      await Promise.race([ending, setTimeout(BETWEEN_GREETINGS_MS)]);
    } while (!isOver);
    const end = await ending;
    if (typeof end === 'string') expect(end.length).toBeLessThanOrEqual(MAX_LENGTH);
    else expect([RenderingLimitError, TemplateError].some((known) => end instanceof known)).toBe(true);
  });
});

it('ends a thread in which a template does not end', async () => {
  await expect(hasty.renderMessage(stuck, hostile)).rejects.toThrow(outOfTime);
  expect((await hasty.renderMessage(greeting, hostile)).html).toBe('<p>Hello Ada</p>');
});

it('ends a task at the lower limit of its requester', async () => {
  const hurried = { ...hostile, timeLimitMs: 400 };
  await expect(pool.renderMessage(stuck, hurried)).rejects.toThrow('takes longer than 400 ms to render');
});

it('reports a loop that runs too long as a timeout, so that a worker renders the email again', async () => {
  const loops = { html: `${'{% for i in (1..1000) %}'.repeat(4)}x${'{% endfor %}'.repeat(4)}` };
  await expect(pool.renderMessage(requestOf(loops), hostile)).rejects.toThrow(RenderingTimeError);
});

it('gives other organizations a turn while one renders up to its limit', async () => {
  const patient = { ...hostile, hasGone: () => hasGone };
  let hasGone = false;
  await pool.renderMessage(greeting, hostile);
  let over = 0;
  const ending = Array.from({ length: 3 }, () => pool.renderMessage(stuck, patient).catch(() => over++));
  expect((await pool.renderMessage(greeting, other)).html).toBe('<p>Hello Ada</p>');
  expect(over).toBe(0);
  hasGone = true;
  await Promise.all(ending);
});

it('continues in other threads when one runs out of memory right after its task was ended', async () => {
  await hasty.renderMessage(greeting, other);
  const ending = hasty.renderMessage(stuck, hostile).catch((error: unknown) => error);
  await hasty.renderMessage(greeting, other);
  // As Piscina reports the end of a thread without a task.
  const { pool: started } = (hasty as unknown as { threads: { pool: { threads: NodeJS.EventEmitter } } }).threads;
  const outOfMemory = Object.assign(new Error('JS heap out of memory'), { code: 'ERR_WORKER_OUT_OF_MEMORY' });
  started.threads.emit('error', outOfMemory);
  expect(await ending).toEqual(outOfTime);
});
