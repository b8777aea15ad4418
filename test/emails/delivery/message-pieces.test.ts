import { EmailRendering } from '../../../src/emails/delivery/email-rendering.js';
import { collectGarbage } from '../../support/collect-garbage.js';

const MB = 1024 * 1024;
const BROADCASTS = 24;

/** Text that looks like the beginning of a tag, but is none. */
const BEFORE = '~m5.3';

/** Rendering threads that return a long message with one tag. */
const pool = {
  personalizeBatch: ({ source }: { source: { subject: string } }) => {
    const html = `${source.subject}${BEFORE}~m0.0~`.padEnd(4 * MB, 'x');
    const own = { subject: 's', values: ['v'], urls: [], unsubscribeUrl: 'https://t.test/u' };
    return Promise.resolve({ html, text: 't', tags: ['~m0.0~'], recipients: [own] });
  },
};
const messages = { find: (id: string) => Promise.resolve({ subject: id, html: 'h', text: null }) };
const rendering = new EmailRendering(
  pool as never,
  { current: {} } as never,
  messages as never,
  { BASE_URL: 'https://t.test' } as never,
);

function emailOf(messageId: string) {
  return {
    ...{ html: '', text: null, trackingId: 't', baseUrl: null, unsubscribe: true, createdAt: new Date(0) },
    shared: { messageId, variables: {} },
    message: { organizationId: 'one', from: { address: 'a@x.test' }, to: [{ address: 'b@x.test' }] },
  };
}

function usedMb(): number {
  collectGarbage();
  const { heapUsed, external } = process.memoryUsage();
  return (heapUsed + external) / MB;
}

it('keeps few megabytes of long messages once their emails are delivered', async () => {
  const before = usedMb();
  for (let number = 0; number < BROADCASTS; number++) {
    const email = emailOf(`message-${number}`);
    const render = (await rendering.renderEach([email as never])).values().next().value;
    expect(render?.().html.slice(0, 12)).toMatch(/^message-\d/);
  }
  expect(usedMb() - before).toBeLessThan(32);
});

it('finds a tag behind text that looks like the beginning of another', async () => {
  const email = emailOf('message');
  const render = (await rendering.renderEach([email as never])).values().next().value;
  expect(render?.().html.slice(0, 20)).toBe('message~m5.3vxxxxxxx');
});
