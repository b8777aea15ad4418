import { RenderingPool } from '../../src/rendering/rendering-pool.js';
import { RenderingLimitError } from '../../src/rendering/rendering-limit-error.js';
import { TemplateError } from '../../src/rendering/liquid/template-errors.js';
import { HOSTILE_TEMPLATES, type HostileTemplate } from './hostile-templates.js';

const hostile = { organizationId: 'hostile', mayBeRefused: true };
const other = { organizationId: 'other', mayBeRefused: true };
const MAX_LENGTH = 5 * 1024 * 1024;
const pool = new RenderingPool({ maxThreads: 2 });
afterAll(() => pool.close());

function requestOf({ html, variables = {} }: HostileTemplate) {
  return { source: { subject: 's', html, text: null }, variables, now: 0 };
}

const greeting = requestOf({ html: '<p>Hello {{ name }}</p>', variables: { name: 'Ada' } });

describe.each(Object.entries(HOSTILE_TEMPLATES))('%s', (_name, template) => {
  it('ends within the limits, and others render meanwhile', async () => {
    let isOver = false;
    const ending = pool.renderMessage(requestOf(template), hostile).then(
      ({ html }) => html!,
      (error: unknown) => error,
    );
    void ending.then(() => (isOver = true));
    do {
      expect((await pool.renderMessage(greeting, other)).html).toBe('<p>Hello Ada</p>');
    } while (!isOver);
    const end = await ending;
    if (typeof end === 'string') expect(end.length).toBeLessThanOrEqual(MAX_LENGTH);
    else expect([RenderingLimitError, TemplateError].some((known) => end instanceof known)).toBe(true);
  });
});

it('ends a thread that a template does not leave', async () => {
  const hasty = new RenderingPool({ timeLimitMs: 300, maxThreads: 2 });
  try {
    const stuck = HOSTILE_TEMPLATES['an array inside itself']!;
    const error = new RenderingLimitError('takes longer than 300 ms to render');
    await expect(hasty.renderMessage(requestOf(stuck), hostile)).rejects.toThrow(error);
    expect((await hasty.renderMessage(greeting, hostile)).html).toBe('<p>Hello Ada</p>');
  } finally {
    await hasty.close();
  }
});

it('keeps a turn for others while one organization renders as much as it may', async () => {
  const stuck = requestOf(HOSTILE_TEMPLATES['an array inside itself']!);
  await pool.renderMessage(greeting, hostile);
  let over = 0;
  const ending = Array.from({ length: 3 }, () => pool.renderMessage(stuck, hostile).catch(() => over++));
  expect((await pool.renderMessage(greeting, other)).html).toBe('<p>Hello Ada</p>');
  expect(over).toBe(0);
  await Promise.all(ending);
});

it('goes on in other threads when one runs out of memory right after its task was ended', async () => {
  const stuck = pool
    .renderMessage(requestOf(HOSTILE_TEMPLATES['an array inside itself']!), hostile)
    .catch((error) => error);
  await pool.renderMessage(greeting, other);
  // As Piscina reports the end of a thread without a task.
  const { threads } = (pool as unknown as { threads: { threads: NodeJS.EventEmitter } }).threads;
  threads.emit('error', Object.assign(new Error('JS heap out of memory'), { code: 'ERR_WORKER_OUT_OF_MEMORY' }));
  expect(await stuck).toBeInstanceOf(RenderingLimitError);
});
