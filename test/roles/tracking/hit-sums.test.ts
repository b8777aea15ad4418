import { timeOfUuidV7 } from '../../../src/platform/clock/uuid-v7.js';
import { BROWSER, EdgeServer, emailTrackingId, linkPath, pixelPath } from './edge-server.js';

let edge: EdgeServer;

beforeEach(async () => {
  edge = await EdgeServer.start(4);
});

afterEach(async () => {
  await edge.stop();
});

describe('an email with more hits than are stored one by one', () => {
  const links = [0, 1, 2].map((position) => linkPath(`https://shop.example/${position}`, position));

  it('gets one event with the exact counts of its pixel and links', async () => {
    for (const path of [pixelPath, ...links, pixelPath, ...links, links[1]!]) {
      expect((await edge.request(path)).status).toBe(path === pixelPath ? 200 : 302);
    }
    expect(edge.events.map(({ type }) => type)).toEqual(['opened', 'clicked', 'clicked', 'clicked']);
    edge.appendSums();
    edge.appendSums();
    expect(edge.events.slice(4)).toEqual([
      {
        type: 'summed',
        id: expect.any(String),
        emailTrackingId,
        opens: 1,
        clicks: [
          { linkPosition: 0, clicks: 1 },
          { linkPosition: 1, clicks: 2 },
          { linkPosition: 2, clicks: 1 },
        ],
      },
    ]);
    expect(timeOfUuidV7(edge.events[4]!.id)).toBe(edge.now);
    expect([edge.counted('open'), edge.counted('click')]).toEqual([
      { recorded: 1, summed: 1 },
      { recorded: 3, summed: 4 },
    ]);
  });

  it('counts machines separately, by class and link', async () => {
    const bot = { 'user-agent': 'curl/8.4.0' };
    const scanner = { 'user-agent': 'Barracuda Sentinel (EE)' };
    for (let hit = 0; hit < 4; hit++) await edge.request(pixelPath);
    for (const headers of [bot, BROWSER, bot, scanner]) await edge.request(links[1]!, 'GET', headers);
    for (const headers of [scanner, BROWSER]) await edge.request(pixelPath, 'GET', headers);
    edge.appendSums();
    expect(edge.events.slice(4)).toMatchObject([
      {
        opens: 2,
        clicks: [{ linkPosition: 1, clicks: 4 }],
        machines: [
          { class: 'bot', linkPosition: 1, hits: 2 },
          { class: 'scanner', linkPosition: 1, hits: 1 },
          { class: 'scanner', hits: 1 },
        ],
      },
    ]);
  });

  it('is stored one by one again when the minute is over', async () => {
    await edge.hammer(links[0]!, 6);
    edge.now += 60_000;
    await edge.hammer(links[0]!, 1);
    expect(edge.events.map(({ type }) => type)).toEqual(Array(5).fill('clicked'));
  });

  it('does not wait for the sums, and appends the same sum again if it could not be stored', async () => {
    await edge.hammer(links[0]!, 4);
    const tried: unknown[] = [];
    const { store } = edge;
    edge.store = (event) => {
      tried.push(event);
      return tried.length === 1 ? Promise.reject(new Error('disk full')) : store(event);
    };
    await edge.hammer(links[0]!, 2);
    expect(tried).toEqual([]);
    edge.appendSums();
    await edge.request('/elsewhere');
    edge.appendSums();
    expect(tried[1]).toEqual(tried[0]);
    expect(edge.events.slice(4)).toEqual([tried[0]]);
    edge.appendSums();
    expect(tried).toHaveLength(2);
  });
});
