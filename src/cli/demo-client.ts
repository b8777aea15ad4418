import type { CampaignDetail } from '../campaigns/campaign-reports.js';
import type { CampaignView } from '../campaigns/campaigns.js';
import type { ContactDetail } from '../contacts/contact-views.js';
import type { SendResponse } from '../emails/accept/send-response.js';

/** How long the numbers may take to arrive: a second is the promise. */
const PATIENCE_MS = 8_000;
const LOOK_EVERY_MS = 100;

/** Speaks to the service as any client would. */
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

  /** The campaign once its numbers have arrived. */
  async campaignWith(name: string, expected: { opens: number; clicks: number }): Promise<CampaignDetail> {
    const { campaigns } = await this.call<{ campaigns: CampaignView[] }>('/api/campaigns');
    const campaign = campaigns.find((candidate) => candidate.name === name);
    if (!campaign) throw new Error(`The campaign ${name} is not listed`);
    for (const deadline = Date.now() + PATIENCE_MS; ;) {
      const detail = await this.call<CampaignDetail>(`/api/campaigns/${campaign.id}`);
      const { totalOpens, totalClicks } = detail.stats;
      if ((totalOpens >= expected.opens && totalClicks >= expected.clicks) || Date.now() > deadline) return detail;
      await new Promise((resolve) => setTimeout(resolve, LOOK_EVERY_MS));
    }
  }

  /** Requests a tracking address as a mail program does, without following the redirect to somebody's site. */
  async get(url: string): Promise<void> {
    const { pathname } = new URL(url);
    const answer = await fetch(this.address + pathname, { redirect: 'manual' });
    await answer.arrayBuffer();
  }

  private async call<Body>(path: string, init: RequestInit = {}): Promise<Body> {
    const headers = { 'x-api-key': this.apiKey, ...(init.body && { 'content-type': 'application/json' }) };
    const answer = await fetch(this.address + path, { ...init, headers });
    const body = (await answer.json()) as Body & { error?: string };
    if (!answer.ok) throw new Error(`${path} answered ${answer.status}: ${body.error ?? ''}`);
    return body;
  }
}
