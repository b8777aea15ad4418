import type { CampaignDetail } from '../campaigns/campaign-reports.js';
import type { CampaignView } from '../campaigns/campaigns.js';
import type { ContactDetail } from '../contacts/contact-views.js';
import type { SendResponse } from '../emails/accept/send-response.js';

/** Generous timeout for the numbers, which normally arrive within a second. */
const TIMEOUT_MS = 8_000;
const POLL_INTERVAL_MS = 100;

/** Uses the API like any other client. */
export class DemoClient {
  constructor(
    private readonly address: string,
    private readonly apiKey: string,
  ) {}

  send(email: object): Promise<SendResponse> {
    return this.call<SendResponse>('/api/send', { method: 'POST', body: JSON.stringify(email) });
  }

  contact(email: string): Promise<ContactDetail> {
    return this.call<ContactDetail>(`/api/contacts/${encodeURIComponent(email)}`);
  }

  /** Waits until the campaign has the expected numbers, then returns it. */
  async campaignWith(name: string, expected: { opens: number; clicks: number }): Promise<CampaignDetail> {
    const { campaigns } = await this.call<{ campaigns: CampaignView[] }>('/api/campaigns');
    const campaign = campaigns.find((candidate) => candidate.name === name);
    if (!campaign) throw new Error(`The campaign ${name} is not listed`);
    for (const deadline = Date.now() + TIMEOUT_MS; ;) {
      const detail = await this.call<CampaignDetail>(`/api/campaigns/${campaign.id}`);
      const { totalOpens, totalClicks } = detail.stats;
      if ((totalOpens >= expected.opens && totalClicks >= expected.clicks) || Date.now() > deadline) return detail;
      await new Promise((resolve) => setTimeout(resolve, POLL_INTERVAL_MS));
    }
  }

  /** Requests a tracking URL like a mail client, but does not follow the redirect to another site. */
  async get(url: string): Promise<void> {
    const { pathname } = new URL(url);
    const response = await fetch(this.address + pathname, { redirect: 'manual' });
    await response.arrayBuffer();
  }

  private async call<Body>(path: string, init: RequestInit = {}): Promise<Body> {
    const headers = { 'x-api-key': this.apiKey, ...(init.body && { 'content-type': 'application/json' }) };
    const response = await fetch(this.address + path, { ...init, headers });
    const body = (await response.json()) as Body & { error?: string };
    if (!response.ok) throw new Error(`${path} responded ${response.status}: ${body.error ?? ''}`);
    return body;
  }
}
