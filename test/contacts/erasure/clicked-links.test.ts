import { eventually } from '../../support/eventually.js';
import { ErasureBench } from './erasure-bench.js';

const JANE = 'jane@example.com';
const BOB = 'bob@example.com';
const TRACES = [JANE, encodeURIComponent(JANE)];
const SHOP = `https://shop.example/?reader=${encodeURIComponent(JANE)}`;
const HTML = `<a href="${SHOP}">Shop</a>`;

let bench: ErasureBench;
beforeAll(async () => void (bench = await ErasureBench.start()));
afterAll(() => bench?.stop());

/** Clicks the link, and waits until the click is counted. */
async function click(trackingUrl: string): Promise<void> {
  const clicks = `select from campaign_links where url = $1 and clicks > 0`;
  await bench.service.track(trackingUrl);
  await eventually(async () => (await bench.service.database.query(clicks, [SHOP])).length > 0);
}

const clickedUrls = async () =>
  (
    await bench.service.database.query<{ url: string }>(`select url from events where type = 'clicked' and ordinal = 1`)
  ).map(({ url }) => url);

describe('A personal link that was clicked keeps nothing of an erased person', () => {
  it('who was in copy, so that the click belongs to another recipient', async () => {
    const { links } = await bench.send({ to: BOB, cc: [JANE], htmlContent: HTML, campaignId: 'Copies' });
    await click(links[0]!.trackingUrl);
    expect(await bench.find(...TRACES)).toContain('events.url');
    await bench.erase(JANE);
    expect(await bench.find(...TRACES)).toEqual([]);
    expect(await clickedUrls()).toEqual(['https://shop.example/?reader=erased']);
  });
});
