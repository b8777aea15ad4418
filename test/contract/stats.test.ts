import type { StatsView } from '../../src/campaigns/stats/read-stats.js';
import { TestService, type ApiResponse, type TestClient } from '../support/service.js';

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;

let service: TestService;
let client: TestClient;

beforeAll(async () => {
  service = await TestService.start({ environment: { ROLES: 'api' } });
  client = await service.organization();
});
afterAll(() => service?.stop());

function stats(query = '', by = client): Promise<ApiResponse<StatsView>> {
  return by.get<StatsView>(`/api/stats${query}`);
}

const NOTHING = {
  ...{ emails: 0, sent: 0, failed: 0, delivered: 0, deferred: 0, bounced: 0, complained: 0, unsubscribed: 0 },
  ...{ opens: 0, clicks: 0 },
  people: { opens: 0, clicks: 0, uniqueOpens: 0, uniqueClicks: 0 },
  machines: { opens: 0, clicks: 0 },
};

describe('GET /api/stats', () => {
  it('returns the 30 days up to today by default, with zeros for empty days', async () => {
    const before = Date.now();
    const { status, body } = await stats();
    expect(status).toBe(200);
    const { from, to, interval, points, totals } = body;
    expect({ interval, totals, days: points.length }).toEqual({ interval: 'day', totals: NOTHING, days: 30 });
    expect(points[0]).toEqual({ at: from, ...NOTHING });
    expect(Date.parse(to) - Date.parse(from)).toBe(30 * DAY_MS);
    expect(Date.parse(to)).toBeGreaterThan(before);
    expect(Date.parse(points.at(-1)!.at)).toBeLessThanOrEqual(Date.now());
  });

  it.each([
    ['hour', '2026-03-01T09:30:00Z', '2026-03-01T11:00:00Z', ['2026-03-01T09', '2026-03-01T10'], '2026-03-01T11'],
    [
      'hour',
      '2026-03-01T09:30:00%2B02:00',
      '2026-03-01T08:00:01Z',
      ['2026-03-01T07', '2026-03-01T08'],
      '2026-03-01T09',
    ],
    ['day', '2026-02-28', '2026-03-01T00:00:00.001Z', ['2026-02-28', '2026-03-01'], '2026-03-02'],
    ['week', '2026-03-01', '2026-03-03', ['2026-02-23', '2026-03-02'], '2026-03-09'],
    ['month', '2026-02-14', '2026-03-01', ['2026-02-01'], '2026-03-01'],
  ])('extends a range to whole intervals: %s, %s to %s', async (interval, from, to, starts, end) => {
    const { body } = await stats(`?interval=${interval}&from=${from}&to=${to}`);
    const time = (text: string) => new Date(text.length > 10 ? `${text}:00Z` : text).toISOString();
    expect(body.points.map(({ at }) => at)).toEqual(starts.map(time));
    expect([body.from, body.to]).toEqual([time(starts[0]!), time(end)]);
  });

  it.each([
    ['interval', 'minute'],
    ['from', 'yesterday'],
    ['to', '2026-13-01'],
    ['campaignId', ''],
    ['campaignId', '%00'],
  ])('400 for an invalid %s: %s', async (field, value) => {
    expect(await stats(`?${field}=${value}`)).toMatchObject({ status: 400, body: { details: [{ field }] } });
  });

  it.each([
    ['from=2026-03-01&to=2026-03-01', 'before to'],
    ['from=2026-03-02&to=2026-03-01', 'before to'],
    ['interval=hour&from=2026-01-01&to=2026-03-01', 'at most 1000 hours before to'],
    ['interval=month&from=2006-01-01&to=2026-03-01', 'at most 120 months before to'],
  ])('400 for the range %s: it must be %s', async (range, message) => {
    const { status, body } = await stats(`?${range}`);
    expect(status).toBe(400);
    expect(JSON.stringify(body)).toContain(message);
  });

  it('404 for a campaign that does not exist or belongs to another organization', async () => {
    const other = await service.organization('pro', 'Other');
    const { body: campaign } = await other.post<{ id: string }>('/api/campaigns', { name: 'Theirs' });
    expect((await stats(`?campaignId=${campaign.id}`, other)).status).toBe(200);
    for (const named of [campaign.id, 'Theirs', 'Unknown']) {
      expect(await stats(`?campaignId=${named}`)).toMatchObject({ status: 404, body: { error: 'Campaign not found' } });
    }
  });
});
