import { Registry } from 'prom-client';
import { generateEmailTrackingId } from '../../src/links/email-tracking-id.js';
import { UnknownSigningKeyError } from '../../src/links/link-token.js';
import { InvalidMjmlError, MAX_MJML_ELEMENTS } from '../../src/rendering/mjml.js';
import { renderEmail } from '../../src/rendering/render-email.js';
import { RenderingMetrics } from '../../src/rendering/rendering-metrics.js';
import { RenderingLimitError } from '../../src/rendering/rendering-limit-error.js';
import { ALWAYS_INLINE_LENGTH, InlineRendering } from '../../src/rendering/inline-rendering.js';
import { RenderingPool } from '../../src/rendering/rendering-pool.js';
import { keysWith } from '../links/keys.js';
import { HOSTILE } from './hostile-html.js';
import { slowMjml } from './slow-mjml.js';

const keys = keysWith(1, 2);
const emailTrackingId = generateEmailTrackingId(keys, new Uint8Array(12));
const baseUrl = 'https://t.test';
const requester = { organizationId: 'one', mayBeRefused: true };
// A busy machine is slow, and only one test is about the time limit.
const pool = new RenderingPool({ timeLimitMs: 30_000 }, undefined, inlineAt(1));
afterAll(() => pool.close());

/** Inline rendering of a process whose event loop is busy for this share of the time: above 0.8, threads render. */
function inlineAt(busyShare: number): InlineRendering {
  return new InlineRendering({ busyShare });
}

function request(html: string) {
  return { html, emailTrackingId, baseUrl };
}

function mjml(body: string): string {
  return `<mjml>\n<mj-body>\n${body}\n</mj-body>\n</mjml>`;
}

const TEXT = '<mj-section><mj-column><mj-text><a href="https://x.test">Hello</a></mj-text></mj-column></mj-section>';

describe('render', () => {
  it('renders the same in a thread as on the event loop', async () => {
    const html = `<p><a href="https://x.test/ü">x</a></p>${'<p>words</p>'.repeat(ALWAYS_INLINE_LENGTH / 8)}`;
    expect(html.length).toBeGreaterThan(ALWAYS_INLINE_LENGTH);
    expect(await pool.render(request(html), keys, requester)).toEqual(renderEmail(request(html), keys));
    expect(await pool.render(request('<p>x'), keys, requester)).toEqual(renderEmail(request('<p>x'), keys));
  });

  it.each([
    ['inline, within 32 KB and 1,000 tags', '<br>'.repeat(1_000) + 'x'.repeat(28_000), 0.5, 0],
    ['in a thread, from 1,001 tags on', '<br>'.repeat(1_001), 0.5, 1],
    ['in a thread, from 32 KB on', 'x'.repeat(32 * 1024 + 1), 0.5, 1],
    ['in a thread, while the event loop is busy', '<p>Hello</p>'.repeat(100), 0.9, 1],
    ['inline up to 1 KB, even while the event loop is busy', '<'.repeat(ALWAYS_INLINE_LENGTH), 0.9, 0],
  ])('renders %s, and the result is the same', async (_, html, busyShare, threadTasks) => {
    const registry = new Registry();
    const limits = { timeLimitMs: 30_000, maxThreads: 1 };
    const counted = new RenderingPool(limits, new RenderingMetrics(registry), inlineAt(busyShare));
    expect(await counted.render(request(html), keys, requester)).toEqual(renderEmail(request(html), keys));
    await counted.close();
    const tasks = await registry.getSingleMetric('mailbeacon_rendering_tasks_total')!.get();
    expect(tasks.values).toContainEqual({ labels: { outcome: 'done' }, value: threadTasks });
  });

  it('charges the time of inline rendering, too', async () => {
    const charged: number[] = [];
    const charge = (milliseconds: number) => void charged.push(milliseconds);
    const idle = new RenderingPool({}, undefined, inlineAt(0));
    await idle.render(request('<p>Hello</p>'.repeat(100)), keys, { ...requester, charge });
    expect(charged).toEqual([expect.any(Number)]);
    expect(charged[0]).toBeGreaterThan(0);
  });

  it('reports an unknown key of the email, for any size', async () => {
    const link = '<a href="https://x.test">x</a>';
    for (const html of [link, link.repeat(ALWAYS_INLINE_LENGTH)]) {
      await expect(pool.render(request(html), keysWith(7), requester)).rejects.toThrow(UnknownSigningKeyError);
    }
  });

  it('leaves the event loop free while 5 MB are rendered', async () => {
    const html = HOSTILE['paragraphs']!(5_000_000);
    let turns = 0;
    let next: NodeJS.Immediate;
    const takeTurn = (): void => {
      turns += 1;
      next = setImmediate(takeTurn);
    };
    takeTurn();
    await pool.render(request(html), keys, requester);
    clearImmediate(next!);
    // Rendered on this thread, it would leave a turn or two.
    expect(turns).toBeGreaterThan(100);
  });
});

describe('compileMjml', () => {
  it('compiles, and remembers what it compiled', async () => {
    const registry = new Registry();
    const counted = new RenderingPool({ timeLimitMs: 30_000 }, new RenderingMetrics(registry));
    const html = await counted.compileMjml(mjml(TEXT), requester);
    expect(html).toMatch(/^\s*<!doctype html>[\s\S]*<a href="https:\/\/x\.test">Hello<\/a>/i);
    for (let time = 0; time < 100; time++) expect(await counted.compileMjml(mjml(TEXT), requester)).toBe(html);
    await counted.close();
    const tasks = await registry.getSingleMetric('mailbeacon_rendering_tasks_total')!.get();
    expect(tasks.values).toContainEqual({ labels: { outcome: 'done' }, value: 1 });
  });

  it.each([
    [mjml('<mj-nothing/>'), "line 3: Element mj-nothing doesn't exist or is not registered"],
    [mjml('<mj-section color="red"/>'), 'line 3: Attribute color is illegal'],
    [mjml('\n<mj-text>Hello</mj-text>'), /^line 4: mj-text cannot be used inside mj-body/],
    ['<mjml></mjml>', /^Malformed MJML/],
    [mjml('<mj-include path="/etc/passwd" type="html"/>'), 'line 3: mj-include is not allowed'],
    [mjml('<mj-raw>\n<mj-include path="../x" type="css"/></mj-raw>'), 'line 4: mj-include is not allowed'],
  ])('refuses %j', async (source, message) => {
    const error = await pool.compileMjml(source, requester).catch((reason: unknown) => reason);
    expect(error).toBeInstanceOf(InvalidMjmlError);
    expect((error as Error).message).toMatch(message);
    expect((error as Error).message).not.toMatch(/\/etc|root:|node_modules/);
  });

  it('refuses a source that is too long', async () => {
    const source = mjml(TEXT + ' '.repeat(256 * 1024));
    await expect(pool.compileMjml(source, requester)).rejects.toThrow(
      new RenderingLimitError('is MJML of more than 256 KB'),
    );
  });

  it('counts the elements before it compiles', async () => {
    const elements = '<mj-text>x</mj-text>'.repeat(MAX_MJML_ELEMENTS);
    const error = new RenderingLimitError('is MJML of more than 2000 elements');
    await expect(pool.compileMjml(mjml(elements), requester)).rejects.toThrow(error);
  });

  it('ends at the time limit, and continues with the next document', async () => {
    const hasty = new RenderingPool({ timeLimitMs: 300, maxThreads: 1 });
    try {
      const slow = [1, 2].map((number) => hasty.compileMjml(slowMjml(number), requester));
      for (const compiling of slow) {
        await expect(compiling).rejects.toThrow(new RenderingLimitError('takes longer than 300 ms to render'));
      }
      await expect(hasty.compileMjml('<mjml>', requester)).rejects.toThrow(InvalidMjmlError);
    } finally {
      await hasty.close();
    }
  });

  it('ends at the memory limit, and continues with the next document', async () => {
    const poor = new RenderingPool({ timeLimitMs: 60_000, memoryLimitMb: 12, maxThreads: 1 });
    try {
      const greedy = poor.compileMjml(slowMjml(0), requester);
      await expect(greedy).rejects.toThrow(new RenderingLimitError('takes more than 12 MB of memory to render'));
      await expect(poor.render(request('x'.repeat(ALWAYS_INLINE_LENGTH + 1)), keys, requester)).resolves.toBeDefined();
    } finally {
      await poor.close();
    }
  });
});

it('closes as soon as a running document has exceeded its time limit', async () => {
  const closing = new RenderingPool({ timeLimitMs: 300 });
  const compiling = closing.compileMjml(slowMjml(3), requester).catch((error: unknown) => error);
  await closing.close();
  expect(await compiling).toBeInstanceOf(RenderingLimitError);
});
