import type { SendResponse } from '../../src/emails/accept/send-response.js';
import { AWAIT_RESULT, TestService } from '../support/service.js';

const LONG = `https://shop.example/${'long/'.repeat(1_600)}end?x=1`;

/** The `href` in the HTML, and the address that a browser would request. */
const destinations: readonly [href: string, location: string][] = [
  ['https://shop.example/?a=1&amp;b=2', 'https://shop.example/?a=1&b=2'],
  ['https://shop.example/?a=1&b=2', 'https://shop.example/?a=1&b=2'],
  ['https://shop.example/?q=a%26b&amp;q=%C3%BC', 'https://shop.example/?q=a%26b&q=%C3%BC'],
  ['https://shop.example/page#part-2', 'https://shop.example/page#part-2'],
  ['https://shop.example/#/route?x=1&#38;y=2', 'https://shop.example/#/route?x=1&y=2'],
  ['https://xn--bcher-kva.example/', 'https://xn--bcher-kva.example/'],
  ['https://shop.example/a%20b/?s=1+2', 'https://shop.example/a%20b/?s=1+2'],
  ['HTTPS://Shop.Example/Path', 'HTTPS://Shop.Example/Path'],
  [LONG, LONG],
];

it('T09: redirects to the destination of the link, for every kind of address', async () => {
  const service = await TestService.start({ environment: AWAIT_RESULT });
  try {
    const client = await service.organization();
    const htmlContent = destinations.map(([href]) => `<a href="${href}">x</a>`).join('\n');
    const { status, body } = await client.post<SendResponse>('/api/send', {
      from: 'ada@acme.example',
      to: 'reader@example.com',
      subject: 'S',
      htmlContent: `${htmlContent}<a href="{{unsubscribe}}">y</a><a href="https://bücher.example/ä">z</a>`,
    });
    expect(status).toBe(200);
    const tracked = body.links.slice(0, destinations.length);
    const locations = await Promise.all(
      tracked.map(async ({ trackingUrl }) => (await service.track(trackingUrl)).headers.get('location')),
    );
    expect(locations).toEqual(destinations.map(([, location]) => location));
    // A template's placeholder stays as it is. Non-ASCII characters are encoded in the header as a browser would encode
    // them.
    expect(body.links).toHaveLength(destinations.length + 1);
    const last = await service.track(body.links.at(-1)!.trackingUrl);
    expect(new URL(last.headers.get('location')!).href).toBe(new URL('https://bücher.example/ä').href);
  } finally {
    await service.stop();
  }
});
